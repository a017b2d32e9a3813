"""Bolt Unscrew as numbers. Holes and boards count from 0, in the order of the level; a later board lies higher.

    holes   (holes, 4)       there (1); x; y on the lattice, y downwards; a screw in it (1)
    boards  (boards, 5)      left on the frame (1); x and y of one end, x and y of the other. All 0 once it has left
    owns    (boards, holes)  1 where the hole goes through the board
    picked  (holes)          1 at the screw that is lifted (action="gui" only)

Moves: from hole * holes + to hole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...games.bolt import Move, Picked, State, members
from ...games.bolt_board import Board
from .code import Code, Field, Sizes, bits

if TYPE_CHECKING:
    from .code import Arrays


def sizes(board: Board) -> dict[str, int]:
    return {"side": max(board.size), "holes": len(board.holes), "boards": len(board.planks)}


def fields(sizes: Sizes) -> dict[str, Field]:
    holes, boards = sizes["holes"], sizes["boards"]
    return {
        "holes": Field((holes, 4), sizes["side"]),
        "boards": Field((boards, 5), sizes["side"]),
        "owns": Field((boards, holes)),
    }


def write_board(arrays: Arrays, board: Board) -> None:
    arrays["holes"][: len(board.holes), :3] = [(1, *point) for point in board.holes]
    for number, plank in enumerate(board.planks):
        arrays["owns"][number, list(plank.holes)] = 1


def write_state(arrays: Arrays, board: Board, state: State) -> None:
    arrays["holes"][: len(board.holes), 3] = bits(state.screws, len(board.holes))
    for number in members(state.planks):
        plank = board.planks[number]
        arrays["boards"][number] = (1, *plank.a, *plank.b)


def write_hand(arrays: Arrays, ui: Any) -> None:
    if isinstance(ui, Picked):
        arrays["picked"][ui.hole] = 1


def number(sizes: Sizes, board: Board, move: Move) -> int:
    return move[0] * sizes["holes"] + move[1]


CODE = Code(
    sizes=sizes,
    fields=fields,
    board=write_board,
    state=write_state,
    moves=lambda sizes: sizes["holes"] ** 2,
    number=number,
    held=lambda sizes: {"picked": Field((sizes["holes"],))},
    hand=write_hand,
)
