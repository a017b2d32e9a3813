"""Color Connect as numbers. Pairs count from 0, by their first dots in reading order.

    ground  (2, rows, columns)  open cells, dots included; blocked ones
    dots    (rows, columns)     1 + the pair whose dot is there
    lines   (rows, columns)     1 + the pair whose line is there
    order   (rows, columns)     the place of the cell in its line, 1 at the dot that it was begun at
    tip     (rows, columns)     1 at the end of the line that a click extends
    cover   (1)                 1 where every open cell must be filled

Moves: row * columns + column is a click on that cell; rows * columns + the same begins the line that is being drawn
anew at that dot, where a click would join it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...games.color import Board, Move, State
from ...games.color_board import BLOCKED, colours_of_dots
from .code import Code, Field, Sizes

if TYPE_CHECKING:
    from .code import Arrays


def sizes(board: Board) -> dict[str, int]:
    return {"rows": board.height, "columns": board.width, "pairs": len(board.pairs)}


def fields(sizes: Sizes) -> dict[str, Field]:
    rows, columns, pairs = sizes["rows"], sizes["columns"], sizes["pairs"]
    return {
        "ground": Field((2, rows, columns)),
        "dots": Field((rows, columns), pairs),
        "lines": Field((rows, columns), pairs),
        "order": Field((rows, columns), rows * columns),
        "tip": Field((rows, columns)),
        "cover": Field((1,)),
    }


def write_board(arrays: Arrays, board: Board) -> None:
    blocked = [[cell == BLOCKED for cell in row] for row in board.rows]
    arrays["ground"][0, : board.height, : board.width] = [[not cell for cell in row] for row in blocked]
    arrays["ground"][1, : board.height, : board.width] = blocked
    arrays["cover"][0] = board.cover
    for dot, pair in colours_of_dots(board).items():
        arrays["dots"][divmod(dot, board.width)] = pair + 1


def write_state(arrays: Arrays, board: Board, state: State) -> None:
    for pair, line in enumerate(state.lines):
        for place, cell in enumerate(line, 1):
            at = divmod(cell, board.width)
            arrays["lines"][at], arrays["order"][at] = pair + 1, place
    if state.active >= 0:
        arrays["tip"][divmod(state.lines[state.active][-1], board.width)] = 1


def number(sizes: Sizes, board: Board, move: Move) -> int:
    *begun, row, column = move
    return (sizes["rows"] * sizes["columns"] if begun else 0) + int(row) * sizes["columns"] + int(column)


CODE = Code(
    sizes=sizes,
    fields=fields,
    board=write_board,
    state=write_state,
    moves=lambda sizes: 2 * sizes["rows"] * sizes["columns"],
    number=number,
)
