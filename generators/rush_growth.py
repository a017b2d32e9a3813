"""How a Rush Hour board comes to be: annealing over arrangements, the hardest start of one, and trimming.

A component, all positions that slides lead to from one another, has a hardest start: a position farthest from its
solved ones. How far that is, is what annealing steers by. Idea of annealing and "unsolving": M. Fogleman, *Rush*, 2018.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..games.rush import LABELS, Board, State, Vehicle
from .rush_kernel import LIMIT, Marks, flood, shortest
from .rush_packing import Packed, pack, unpack
from .stream import Stream

WARM = 3  # how many moves an arrangement may lose at first and still be taken
PATIENCE = 300  # evaluations without a better arrangement before another one is begun


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """``target``: the length wanted; ``exit_row``: the target's row; ``walls``: how many."""

    height: int
    width: int
    exit_row: int
    vehicles: tuple[int, int]
    walls: int
    target: int


@dataclass(frozen=True, slots=True)
class Grown:
    """A board and the length that annealing says it has (0: it found none with a solution)."""

    board: Board
    length: int


@dataclass(frozen=True, slots=True)
class Thing:
    """A vehicle, or, with one cell, a wall."""

    horizontal: bool
    line: int
    first: int
    length: int

    def mask(self, width: int) -> int:
        if self.horizontal:
            return ((1 << self.length) - 1) << self.line * width + self.first
        return sum([1 << (self.first + i) * width + self.line for i in range(self.length)])


def anneal(plan: Plan, stream: Stream, *, evaluations: int, state_cap: int) -> Grown:
    """The hardest start of the arrangement whose hardest start came nearest to ``plan.target`` moves. ``evaluations``:
    arrangements looked at; ``state_cap``: one whose component has more states counts as if it had no solution."""
    things, marks = _first(plan, stream), Marks()
    length, start = _hardest(plan, things, state_cap, marks)
    best, record, since = (things, length, start), length, 0
    for turn in range(evaluations):
        if best[1] == plan.target:
            break
        changed = _changed(plan, things, stream)
        if changed is None:
            continue
        after, start = _hardest(plan, changed, state_cap, marks)
        warmth = WARM * (evaluations - turn) // evaluations
        if abs(after - plan.target) - abs(length - plan.target) <= stream.below(1 + warmth):
            things, length = changed, after
        since += 1
        if abs(after - plan.target) < abs(best[1] - plan.target):
            best = changed, after, start
        if abs(after - plan.target) < abs(record - plan.target):
            record, since = after, 0
        elif since > PATIENCE:
            things = _first(plan, stream)
            record = length = _hardest(plan, things, state_cap, marks)[0]
            since = 0
    board = _board(plan, best[0])
    return Grown(moved(board, unpack(pack(board), best[2])), best[1])


def _first(plan: Plan, stream: Stream) -> list[Thing]:
    """The target and, at random places, walls and as many vehicles as fit."""
    things = [Thing(True, plan.exit_row, 0, 2)]
    for _ in range(plan.walls):
        _add(plan, things, stream, 1)
    for _ in range(stream.between(*plan.vehicles) - 1):
        _add(plan, things, stream, _length(stream))
    return things


def _length(stream: Stream) -> int:
    return 2 if stream.below(10) < 7 else 3


def _add(plan: Plan, things: list[Thing], stream: Stream, length: int) -> bool:
    """Puts a thing somewhere free, at most 20 tries."""
    taken = sum(thing.mask(plan.width) for thing in things)
    for _ in range(20):
        horizontal = stream.below(2) == 0
        lines, span = (plan.height, plan.width) if horizontal else (plan.width, plan.height)
        thing = Thing(horizontal, stream.below(lines), stream.below(span - length + 1), length)
        if not (_in_exit_row(plan, thing) or taken & thing.mask(plan.width)):
            things.append(thing)
            return True
    return False


def _in_exit_row(plan: Plan, thing: Thing) -> bool:
    """Whether the thing, other than an upright vehicle, is in the target's row, where nothing else may be."""
    at = thing.line if thing.horizontal else thing.first
    return at == plan.exit_row and (thing.horizontal or thing.length == 1)


def _changed(plan: Plan, things: list[Thing], stream: Stream) -> list[Thing] | None:
    """The arrangement with one thing moved, added or taken away; None where that found no place."""
    after = list(things)
    vehicles = sum(thing.length > 1 for thing in things)
    kind = stream.below(8)
    if kind == 0 and vehicles < plan.vehicles[1]:
        return after if _add(plan, after, stream, _length(stream)) else None
    if kind == 1 and vehicles > plan.vehicles[0]:
        after.pop(1 + stream.below(len(after) - 1))
        return after if sum(thing.length == 1 for thing in after) == plan.walls else None
    if len(after) == 1:
        return None
    old = after.pop(1 + stream.below(len(after) - 1))
    length = 1 if old.length == 1 else old.length if kind < 6 else _length(stream)
    return after if _add(plan, after, stream, length) else None


def _board(plan: Plan, things: list[Thing]) -> Board:
    """Not validated: the target may stand anywhere."""
    cells = ["."] * (plan.height * plan.width)
    vehicles: list[Vehicle] = []
    for thing in things:
        if thing.length == 1:
            cells[thing.mask(plan.width).bit_length() - 1] = "x"
        else:
            label = LABELS[len(vehicles)]
            vehicles.append(Vehicle(label, thing.horizontal, thing.line, thing.first, thing.length))
    rows = tuple("".join(cells[i : i + plan.width]) for i in range(0, len(cells), plan.width))
    return Board(rows, tuple(vehicles))


def _hardest(plan: Plan, things: list[Thing], state_cap: int, marks: Marks) -> tuple[int, int]:
    """The moves that the arrangement's hardest start needs (0: unsolvable, or too many states), and that start,
    packed."""
    start, length = hardest_start(pack(_board(plan, things)), state_cap, marks)
    return length, start


def hardest_start(packed: Packed, limit: int, marks: Marks | None = None) -> tuple[int, int]:
    """A state farthest from the exit in the component of ``packed.start``, of equals the one with the least packed
    number, and how many moves that is; the start itself and 0 where none is solved, or where there are more than
    ``limit`` states."""
    size, states, distance = flood(packed, limit, marks)
    if size == LIMIT or not len(states):
        return packed.start, 0
    return int(states[np.searchsorted(distance, distance[-1]) :].min()), int(distance[-1])


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
