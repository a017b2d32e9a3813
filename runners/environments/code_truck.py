"""Truck Escape as numbers. Vehicles count from 0, in the order of the board.

    ground    (4, rows, columns)  cells of the lot; walls; roads along a row; roads along a column
    grid      (rows, columns)     1 + the vehicle on each cell, 0 where none is
    vehicles  (vehicles, 6)       on the lot (1); row and column of its front; facing: 0 up, 1 down, 2 left, 3 right;
                                  its length; turn: 0 none, 1 left, 2 right. All 0 once it has left

Moves: the vehicle that is clicked away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...games.truck import Board, Move, State, is_there
from ...games.truck_board import STEPS, TURNS
from .code import Code, Field, Sizes

if TYPE_CHECKING:
    from .code import Arrays

FACINGS = tuple(STEPS)  # U, D, L, R


def sizes(board: Board) -> dict[str, int]:
    return {"rows": board.rows, "columns": board.columns, "vehicles": len(board.vehicles)}


def fields(sizes: Sizes) -> dict[str, Field]:
    rows, columns, vehicles = sizes["rows"], sizes["columns"], sizes["vehicles"]
    return {
        "ground": Field((4, rows, columns)),
        "grid": Field((rows, columns), vehicles),
        "vehicles": Field((vehicles, 6), max(rows, columns, len(FACINGS))),
    }


def write_board(arrays: Arrays, board: Board) -> None:
    ground = arrays["ground"]
    ground[0, : board.rows, : board.columns] = 1
    for wall in board.walls:
        ground[(1, *wall)] = 1
    for row in board.roads[0]:
        ground[2, row, : board.columns] = 1
    for column in board.roads[1]:
        ground[3, : board.rows, column] = 1


def write_state(arrays: Arrays, board: Board, state: State) -> None:
    for number, vehicle in enumerate(board.vehicles):
        if is_there(state, number):
            turn = TURNS.index(vehicle.turn) + 1 if vehicle.turn else 0
            facing = FACINGS.index(vehicle.facing)
            arrays["vehicles"][number] = (1, *vehicle.front, facing, vehicle.length, turn)
            for cell in vehicle.body:
                arrays["grid"][cell] = number + 1


def number(sizes: Sizes, board: Board, move: Move) -> int:
    return move


CODE = Code(
    sizes=sizes,
    fields=fields,
    board=write_board,
    state=write_state,
    moves=lambda sizes: sizes["vehicles"],
    number=number,
)
