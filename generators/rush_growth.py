"""How a Rush Hour board comes to be: annealing over arrangements, the hardest start of one, and trimming.

A component, all positions that slides lead to from one another, has a hardest start: a position farthest from its
solved ones. How far that is, is what annealing steers by. Idea of annealing and "unsolving": M. Fogleman, *Rush*, 2018.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..games.rush import LABELS, Board, State, Vehicle
from . import rush_anneal
from .rush_depth import MOST_THINGS, lines_of, room_for
from .rush_kernel import shortest
from .rush_packing import pack, unpack
from .stream import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """``target``: the length wanted, ``band``: the lengths that will do; ``exit_row``: the target's row; ``walls``: how
    many."""

    height: int
    width: int
    exit_row: int
    vehicles: tuple[int, int]
    walls: int
    target: int
    band: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Grown:
    """A board and the length that annealing says it has (0: it found none with a solution)."""

    board: Board
    length: int


def anneal(plan: Plan, stream: Stream, *, evaluations: int, state_cap: int) -> Grown:
    """The hardest start of the arrangement whose hardest start came nearest to ``plan.target`` moves. ``evaluations``:
    changes proposed; ``state_cap``: an arrangement whose component has more states counts as if it had no solution."""
    task = rush_anneal.Task(
        plan.exit_row, *plan.vehicles, plan.walls, plan.target, *plan.band, changes=evaluations, cap=state_cap
    )
    things, lines = np.zeros((MOST_THINGS, 4), np.int64), lines_of(plan.height, plan.width)
    count, length, start = rush_anneal.anneal(things, task, lines, room_for(state_cap), stream.words(1))
    board = arranged(plan.height, plan.width, things[:count].tolist())
    return Grown(moved(board, unpack(pack(board), start)) if length else board, length)


def arranged(height: int, width: int, things: Sequence[Sequence[int]]) -> Board:
    """The board of an arrangement, see ``rush_depth``. Not validated: the target may stand anywhere."""
    cells = ["."] * (height * width)
    vehicles: list[Vehicle] = []
    for horizontal, line, first, length in things:
        if length == 1:
            cells[line * width + first if horizontal else first * width + line] = "x"
        else:
            vehicles.append(Vehicle(LABELS[len(vehicles)], bool(horizontal), line, first, length))
    rows = tuple("".join(cells[i : i + width]) for i in range(0, len(cells), width))
    return Board(rows, tuple(vehicles))


def moved(board: Board, state: State) -> Board:
    """The board that begins in ``state``, with all its vehicles drawn in its rows."""
    vehicles = tuple(v._replace(first=first) for v, first in zip(board.vehicles, state, strict=True))
    cells = ["x" if cell == "x" else "." for cell in "".join(board.rows)]
    for vehicle in vehicles:
        for i in range(vehicle.length):
            cells[board.cell(vehicle, vehicle.first + i)] = vehicle.label
    rows = tuple("".join(cells[i : i + board.width]) for i in range(0, len(cells), board.width))
    return Board(rows, vehicles)


def trimmed(board: Board) -> Board:
    """The board without the vehicles that do not matter: no single one of those left can be taken away without making
    the minimum shorter."""
    length = minimum(board)
    changed = True
    while changed:
        changed = False
        for label in [v.label for v in board.vehicles[1:]]:
            fewer = without(board, label)
            if minimum(fewer) == length:
                board, changed = fewer, True
    return board


def without(board: Board, label: str) -> Board:
    rows = tuple(row.replace(label, ".") for row in board.rows)
    return Board(rows, tuple(v for v in board.vehicles if v.label != label))


def minimum(board: Board, limit: int = 5_000_000) -> int | None:
    """The fewest moves; None where there is no solution, or none within ``limit`` states."""
    path, _ = shortest(pack(board), limit)
    return None if path is None else len(path) - 1
