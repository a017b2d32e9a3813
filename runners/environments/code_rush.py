"""Rush Hour as numbers. Vehicles count from 0, the target first, then in reading order of the start.

    ground    (2, rows, columns)  cells of the board; walls
    grid      (rows, columns)     1 + the vehicle on each cell, 0 where none is
    vehicles  (vehicles, 5)       there (1); along a row (1) or a column (0); that row or column; its first cell there;
                                  its length

Moves: (vehicle * 2 + way) * most + cells - 1, with way 0 left or up, 1 right or down, and most = the longer side - 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...games.rush import Board, Move, State
from .code import Code, Field, Sizes

if TYPE_CHECKING:
    from .code import Arrays


def sizes(board: Board) -> dict[str, int]:
    return {"rows": board.height, "columns": board.width, "vehicles": len(board.vehicles)}


def fields(sizes: Sizes) -> dict[str, Field]:
    rows, columns, vehicles = sizes["rows"], sizes["columns"], sizes["vehicles"]
    return {
        "ground": Field((2, rows, columns)),
        "grid": Field((rows, columns), vehicles),
        "vehicles": Field((vehicles, 5), max(rows, columns)),
    }


def write_board(arrays: Arrays, board: Board) -> None:
    ground = arrays["ground"]
    ground[0, : board.height, : board.width] = 1
    ground[1, : board.height, : board.width] = [[cell == "x" for cell in row] for row in board.rows]


def write_state(arrays: Arrays, board: Board, state: State) -> None:
    cells = np.zeros(board.height * board.width, np.uint8)
    for number, (vehicle, first) in enumerate(zip(board.vehicles, state, strict=True)):
        arrays["vehicles"][number] = (1, vehicle.horizontal, vehicle.line, first, vehicle.length)
        for i in range(vehicle.length):
            cells[board.cell(vehicle, first + i)] = number + 1
    arrays["grid"][: board.height, : board.width] = cells.reshape(board.height, board.width)


def most(sizes: Sizes) -> int:
    """The longest slide that any vehicle can make."""
    return max(sizes["rows"], sizes["columns"]) - 2


def number(sizes: Sizes, board: Board, move: Move) -> int:
    vehicle = next(n for n, vehicle in enumerate(board.vehicles) if vehicle.label == move[0])
    return (vehicle * 2 + (move[1] == "+")) * most(sizes) + int(move[2]) - 1


CODE = Code(
    sizes=sizes,
    fields=fields,
    board=write_board,
    state=write_state,
    moves=lambda sizes: sizes["vehicles"] * 2 * most(sizes),
    number=number,
)
