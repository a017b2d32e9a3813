"""Nut and Bolt as numbers.

    nuts      (bolts, capacity)  colours from the bottom up: 1 for the board's lowest colour number and so on, 0 no nut
    capacity  (bolts)            the nuts that a bolt can hold, 0 where the board has no such bolt
    picked    (bolts)            1 at the bolt whose top nuts are lifted (action="gui" only)

Moves: source * bolts + destination.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...games.nut import Board, Move, Picked, State
from .code import Code, Field, Sizes

if TYPE_CHECKING:
    from .code import Arrays


def sizes(board: Board) -> dict[str, int]:
    return {"bolts": len(board.bolts), "capacity": board.capacity, "colours": board.colours}


def fields(sizes: Sizes) -> dict[str, Field]:
    bolts, capacity = sizes["bolts"], sizes["capacity"]
    return {"nuts": Field((bolts, capacity), sizes["colours"]), "capacity": Field((bolts,), capacity)}


def write_board(arrays: Arrays, board: Board) -> None:
    arrays["capacity"][: len(board.bolts)] = board.capacity


def write_state(arrays: Arrays, board: Board, state: State) -> None:
    colours = {colour: n for n, colour in enumerate(sorted({nut for bolt in board.bolts for nut in bolt}), 1)}
    for number, bolt in enumerate(state):
        arrays["nuts"][number, : len(bolt)] = [colours[nut] for nut in bolt]


def write_hand(arrays: Arrays, ui: Any) -> None:
    if isinstance(ui, Picked):
        arrays["picked"][ui.source] = 1


def number(sizes: Sizes, board: Board, move: Move) -> int:
    return move[0] * sizes["bolts"] + move[1]


CODE = Code(
    sizes=sizes,
    fields=fields,
    board=write_board,
    state=write_state,
    moves=lambda sizes: sizes["bolts"] ** 2,
    number=number,
    held=lambda sizes: {"picked": Field((sizes["bolts"],))},
    hand=write_hand,
)
