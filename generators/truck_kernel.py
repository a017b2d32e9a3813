"""Truck Escape lots as compiled loops (numba): who waits for whom, and annealing towards exact figures.

A lot is an int64 grid of vehicle numbers, EMPTY or WALL. A vehicle is an array of ROW, COLUMN (of its front), FACING
(0 up, 1 right, 2 down, 3 left, so that a turn to the right adds one), LENGTH and TURN (1 right, -1 left, 0 none). Whom
it waits for is one int64, the set of those on its route. A vehicle whose set is empty can leave; all can in the end if
and only if taking those away, again and again, leaves nobody. Property-tested against ``games/truck.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..games.kernels import compiled, compiled_with
from . import splitmix
from .splitmix import below

EMPTY, WALL = -1, -2
ROW, COLUMN, FACING, LENGTH, TURN = range(5)
NEVER = 1 << 62  # in a set: a wall, or a road that is not there
PLACES, BEGINNINGS = 300, 40  # tries to place one vehicle, and to place all of them
ANY = -1  # a figure that may be what it likes

drawing = compiled_with(splitmix.__file__)  # what draws random numbers, or calls what does


@compiled
def _down(facing: int) -> int:
    return (facing == 2) - (facing == 0)


@compiled
def _right(facing: int) -> int:
    return (facing == 1) - (facing == 3)


@compiled
def waits_for(grid: Any, roads: Any, vehicle: Any) -> tuple[int, bool]:
    """The vehicles on a vehicle's route as a set, and whether the first cell ahead is empty. ``roads``: bool[2, side],
    by row and by column."""
    rows, columns = grid.shape
    row, column, facing, turn = vehicle[ROW], vehicle[COLUMN], vehicle[FACING], vehicle[TURN]
    found, first, ahead = 0, True, False
    while True:
        row += _down(facing)
        column += _right(facing)
        if not (0 <= row < rows and 0 <= column < columns):
            break
        other = grid[row, column]
        if other == WALL:
            found |= NEVER
        elif other != EMPTY:
            found |= 1 << other
        if first:
            first, ahead = False, other == EMPTY
        if turn != 0 and (roads[0, row] if facing % 2 == 0 else roads[1, column]):
            facing = (facing + turn) & 3
            turn = 0
    return (found | NEVER if turn != 0 else found), ahead


@compiled
def figures(grid: Any, roads: Any, vehicles: Any, waits: Any) -> tuple[int, int, int]:
    """Depth (the most vehicles of which each waits for the next), free vehicles, bait (those that wait although the
    cell ahead is empty); depth 0 where not all can leave. Fills ``waits``, int64[N]."""
    count, free, bait = len(vehicles), 0, 0
    for n in range(count):
        waits[n], ahead = waits_for(grid, roads, vehicles[n])
        free += waits[n] == 0
        bait += waits[n] != 0 and ahead
    left, depth = (1 << count) - 1, 0
    while left:
        leaving = 0
        for n in range(count):
            if left >> n & 1 and waits[n] & (left | NEVER) == 0:
                leaving |= 1 << n
        if leaving == 0:
            return 0, free, bait
        left &= ~leaving
        depth += 1
    return depth, free, bait


@compiled
def _draw(grid: Any, vehicle: Any, value: int) -> None:
    row, column = vehicle[ROW], vehicle[COLUMN]
    for _ in range(vehicle[LENGTH]):
        grid[row, column] = value
        row -= _down(vehicle[FACING])
        column -= _right(vehicle[FACING])


@compiled
def _fits(grid: Any, vehicle: Any) -> bool:
    rows, columns = grid.shape
    row, column = vehicle[ROW], vehicle[COLUMN]
    for _ in range(vehicle[LENGTH]):
        if not (0 <= row < rows and 0 <= column < columns) or grid[row, column] != EMPTY:
            return False
        row -= _down(vehicle[FACING])
        column -= _right(vehicle[FACING])
    return True


@drawing
def _somewhere(grid: Any, vehicle: Any, seed: Any) -> None:
    vehicle[ROW], vehicle[COLUMN] = below(seed, grid.shape[0]), below(seed, grid.shape[1])
    vehicle[FACING] = below(seed, 4)


@drawing
def _park(grid: Any, roads: Any, vehicles: Any, seed: Any) -> bool:
    """Reverse placement: every vehicle in turn where it could leave past those that are there already, so that the
    last one can leave first. False where one found no place."""
    for n in range(len(vehicles)):
        placed = False
        for _ in range(PLACES):
            _somewhere(grid, vehicles[n], seed)
            if _fits(grid, vehicles[n]) and waits_for(grid, roads, vehicles[n])[0] == 0:
                _draw(grid, vehicles[n], n)
                placed = True
                break
        if not placed:
            return False
    return True


@drawing
def _shuffle(grid: Any, vehicle: Any, seed: Any) -> None:
    """Another place for one vehicle: turned round, some cells along its axis, or anywhere."""
    kind = below(seed, 4)
    if kind < 2:
        vehicle[ROW] -= _down(vehicle[FACING]) * (vehicle[LENGTH] - 1)
        vehicle[COLUMN] -= _right(vehicle[FACING]) * (vehicle[LENGTH] - 1)
        vehicle[FACING] = (vehicle[FACING] + 2) & 3
    elif kind == 2:
        step = below(seed, 4) - 2
        step += step >= 0  # -2, -1, 1 or 2
        vehicle[ROW] += _down(vehicle[FACING]) * step
        vehicle[COLUMN] += _right(vehicle[FACING]) * step
    else:
        _somewhere(grid, vehicle, seed)


@compiled
def _distance(target: Any, depth: int, free: int, bait: int) -> int:
    """How far figures are from the wanted ones."""
    found = 0
    if target[0] != ANY:
        found += 2 * abs(depth - target[0])
    if target[1] != ANY:
        found += 2 * abs(free - target[1])
    if target[2] != ANY:
        found += abs(bait - target[2])
    return found


@drawing
def anneal(walls: Any, roads: Any, vehicles: Any, target: Any, evaluations: int, warmth: int, seed: Any) -> int:
    """Places all vehicles so that all can leave, and moves them about until depth, free vehicles and bait are exactly
    ``target`` (int64[3], ANY: whatever comes). Writes ``vehicles``, int64[N, 5], whose lengths and turns stay. Returns
    how far it came: 0 reached, more a miss, -1 no room. ``walls``: bool[rows, columns]; ``evaluations``: lots looked
    at; ``warmth``: how much a lot may be worse at first and still be taken."""
    waits, old = np.zeros(len(vehicles), np.int64), np.zeros(5, np.int64)
    grid = np.empty(walls.shape, np.int64)
    for beginning in range(BEGINNINGS):
        grid[:] = EMPTY
        for row in range(walls.shape[0]):
            for column in range(walls.shape[1]):
                if walls[row, column]:
                    grid[row, column] = WALL
        if _park(grid, roads, vehicles, seed):
            break
        if beginning == BEGINNINGS - 1:
            return -1
    now = _distance(target, *figures(grid, roads, vehicles, waits))
    looked = 0
    for _ in range(20 * evaluations):
        if now == 0 or looked == evaluations:
            break
        n = below(seed, len(vehicles))
        old[:] = vehicles[n]
        _draw(grid, vehicles[n], EMPTY)
        _shuffle(grid, vehicles[n], seed)
        if not _fits(grid, vehicles[n]):
            vehicles[n] = old
            _draw(grid, vehicles[n], n)
            continue
        _draw(grid, vehicles[n], n)
        looked += 1
        depth, free, bait = figures(grid, roads, vehicles, waits)
        after = _distance(target, depth, free, bait)
        cooling = 1 + warmth * (evaluations - looked) // evaluations
        if depth > 0 and after - now <= below(seed, cooling):
            now = after
        else:
            _draw(grid, vehicles[n], EMPTY)
            vehicles[n] = old
            _draw(grid, vehicles[n], n)
    return now
