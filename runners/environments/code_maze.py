"""Maze Paint as numbers.

    cells   (3, rows, columns)  floor; painted; the ball, each 1 where it is. Neither floor nor anything else: a wall

Moves: 0 up, 1 down, 2 left, 3 right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...games.maze import MOVES, Board, Move, State, floor_mask
from .code import Code, Field, Sizes, bits

if TYPE_CHECKING:
    from .code import Arrays


def sizes(board: Board) -> dict[str, int]:
    return {"rows": board.height, "columns": board.width}


def fields(sizes: Sizes) -> dict[str, Field]:
    return {"cells": Field((3, sizes["rows"], sizes["columns"]))}


def write_board(arrays: Arrays, board: Board) -> None:
    _plane(arrays, board, 0, floor_mask(board))


def write_state(arrays: Arrays, board: Board, state: State) -> None:
    _plane(arrays, board, 1, state.painted)
    arrays["cells"][2, state.ball // board.width, state.ball % board.width] = 1


def _plane(arrays: Arrays, board: Board, plane: int, mask: int) -> None:
    cells = bits(mask, board.height * board.width).reshape(board.height, board.width)
    arrays["cells"][plane, : board.height, : board.width] = cells


def number(sizes: Sizes, board: Board, move: Move) -> int:
    return MOVES.index(move)


CODE = Code(
    sizes=sizes, fields=fields, board=write_board, state=write_state, moves=lambda sizes: len(MOVES), number=number
)
