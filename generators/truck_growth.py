"""How a Truck Escape board comes to be: reverse placement, then annealing to exact figures (``truck_kernel``)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from ..games.truck_board import SIDES, Board, Vehicle
from .stream import Stream
from .truck_kernel import ANY, COLUMN, FACING, LENGTH, ROW, TURN, anneal

WARMTH = 2
TRUCKS = 30  # of a hundred vehicles
CELLS = 10 / 3  # of a lot, for each vehicle: two thirds of them are taken then
SHAPE = 0.86  # rows by columns, as the screen has room
FACINGS, TURNS = "URDL", {0: "", 1: "R", -1: "L"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one board must have. ``depth``, ``free``, ``bait``: exact figures, None: whatever comes."""

    rows: int
    columns: int
    vehicles: int
    depth: int | None
    free: int | None
    bait: int | None
    walls: int
    roads: int
    turning: int


@dataclass(frozen=True, slots=True)
class Grown:
    """A board that can be solved. ``is_met``: it has exactly the figures that were planned."""

    board: Board
    is_met: bool


def size_for(vehicles: int) -> tuple[int, int]:
    """Rows and columns of a lot that so many vehicles fill to two thirds."""
    rows = max(4, min(SIDES[1], round(sqrt(SHAPE * CELLS * vehicles))))
    return rows, max(5, min(SIDES[1], -(-round(CELLS * vehicles) // rows)))


def grow(plan: Plan, stream: Stream, evaluations: int) -> Grown | None:
    """A board that can be solved, as planned or as near to it as annealing came; None where there was no room."""
    lines, roads = _roads(plan, stream)
    walls = np.zeros((plan.rows, plan.columns), np.bool_)
    for _ in range(plan.walls):
        walls[stream.below(plan.rows), stream.below(plan.columns)] = True
    if walls.sum() < plan.walls or (turning := plan.turning if any(lines) else 0) < plan.turning:
        return None
    vehicles = np.zeros((plan.vehicles, 5), np.int64)
    for n in range(plan.vehicles):
        vehicles[n, LENGTH] = 3 if stream.below(100) < TRUCKS else 2
        vehicles[n, TURN] = 2 * stream.below(2) - 1 if n < turning else 0
    target = np.array([ANY if n is None else n for n in (plan.depth, plan.free, plan.bait)], np.int64)
    missed = anneal(walls, roads, vehicles, target, evaluations, WARMTH, stream.words(1))
    if missed < 0:
        return None
    board = Board(
        plan.rows,
        plan.columns,
        frozenset((int(row), int(column)) for row, column in np.argwhere(walls)),
        lines,
        tuple(sorted((_vehicle(row) for row in vehicles.tolist()), key=lambda vehicle: min(vehicle.body))),
    )
    return Grown(board, not missed)


def _vehicle(row: list[int]) -> Vehicle:
    return Vehicle((row[ROW], row[COLUMN]), FACINGS[row[FACING]], row[LENGTH], TURNS[row[TURN]])


def _roads(plan: Plan, stream: Stream) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], Any]:
    """The rows and the columns that are roads, and the same for the kernel. Rows and columns in turn, none at the edge
    and no two side by side; fewer where the lot has no room."""
    marked = np.zeros((2, max(plan.rows, plan.columns)), np.bool_)
    first = stream.below(2)
    for number in range(plan.roads):
        kind = (first + number) % 2
        side = (plan.rows, plan.columns)[kind]
        room = [n for n in range(1, side - 1) if not marked[kind, n - 1 : n + 2].any()]
        if room:
            marked[kind, stream.choice(room)] = True
    rows, columns = (tuple(int(n) for n in np.flatnonzero(line)) for line in marked)
    return (rows, columns), marked
