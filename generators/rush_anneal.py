"""Annealing of Rush Hour arrangements towards a depth, as compiled loops (numba); arrangements are ``rush_depth``'s.

A run begins at a random arrangement and cools down; the next one begins at the best so far, half as hot. A change that
leads away from the target by d moves is taken with probability (T / (T + 1)) ** d, which is Metropolis' exp(-d / T) in
arithmetic that gives the same bits everywhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..games.kernels import compiled_with
from . import rush_depth, splitmix
from .rush_depth import FIRST, HORIZONTAL, LENGTH, LINE, MOST_THINGS, depth
from .splitmix import below

TRIES = 20  # to put a thing somewhere free
RUN = 1000  # changes from hot to cold
HOT, COLD, AGAIN = 4.0, 0.5, 0.5  # moves; how hot a run is that begins at the best arrangement, as a share
TRUCKS = 30  # percent
PARTS = 2  # of these runs the first begins at random, the others at the best arrangement

compiled = compiled_with(rush_depth.__file__, splitmix.__file__)


class Task(NamedTuple):
    """``least``, ``most``: vehicles; ``target``: the depth wanted; ``low``, ``high``: depths that will do after a run;
    ``changes``: proposed at most; ``cap``: states of a component that is looked at."""

    exit_row: int
    least: int
    most: int
    walls: int
    target: int
    low: int
    high: int
    changes: int
    cap: int


@compiled
def _cells(horizontal: int, line: int, first: int, length: int, width: int) -> Any:
    """As a mask by row * width + column."""
    found = 0
    for i in range(first, first + length):
        found |= 1 << (line * width + i if horizontal else i * width + line)
    return found


@compiled
def _add(things: Any, count: int, length: int, task: Any, lines: Any, seed: Any) -> Any:
    """Puts a thing somewhere free; nothing but upright vehicles stands in the exit row. Returns the new count, the old
    one where no try found a place."""
    taken = 0
    for i in range(count):
        taken |= _cells(things[i, HORIZONTAL], things[i, LINE], things[i, FIRST], things[i, LENGTH], lines.width)
    for _ in range(TRIES):
        horizontal = below(seed, 2)
        line = below(seed, lines.height if horizontal else lines.width)
        first = below(seed, (lines.width if horizontal else lines.height) - length + 1)
        if (line if horizontal else first) == task.exit_row and (horizontal or length == 1):
            continue
        if taken & _cells(horizontal, line, first, length, lines.width) == 0:
            things[count, HORIZONTAL], things[count, LINE] = horizontal, line
            things[count, FIRST], things[count, LENGTH] = first, length
            return count + 1
    return count


@compiled
def _length(seed: Any) -> Any:
    return 3 if below(seed, 100) < TRUCKS else 2


@compiled
def begin(things: Any, task: Any, lines: Any, seed: Any) -> Any:
    """The target and, at random places, walls and as many vehicles as fit. Returns how many things."""
    things[0, HORIZONTAL], things[0, LINE], things[0, FIRST], things[0, LENGTH] = 1, task.exit_row, 0, 2
    count = 1
    for _ in range(task.walls):
        count = _add(things, count, 1, task, lines, seed)
    for _ in range(task.least + below(seed, task.most - task.least + 1) - 1):
        count = _add(things, count, _length(seed), task, lines, seed)
    return count


@compiled
def change(things: Any, count: int, after: Any, task: Any, lines: Any, seed: Any) -> Any:
    """Writes the arrangement with one thing moved, added or taken away. Returns its count, 0 where there is none."""
    after[:] = things
    vehicles, kind = 0, below(seed, 8)
    for i in range(count):
        vehicles += things[i, LENGTH] > 1
    if kind == 0 and vehicles < task.most:
        now = _add(after, count, _length(seed), task, lines, seed)
        return now if now > count else 0
    if count == 1:
        return 0
    chosen = 1 + below(seed, count - 1)
    length = things[chosen, LENGTH]
    after[chosen] = things[count - 1]
    if kind == 1 and vehicles > task.least:
        return count - 1 if length > 1 else 0
    if kind >= 6 and length > 1:
        length = _length(seed)
    now = _add(after, count - 1, length, task, lines, seed)
    return now if now == count else 0


@compiled
def _is_taken(further: int, temperature: float, seed: Any) -> Any:
    """Metropolis' choice about a change that leads ``further`` moves away from the target."""
    chance = 1.0
    for _ in range(further):
        chance *= temperature / (temperature + 1.0)
    return further <= 0 or below(seed, 1 << 30) < chance * (1 << 30)


@compiled
def anneal(best: Any, task: Any, lines: Any, room: Any, seed: Any) -> Any:
    """Fills ``best`` int64[MOST_THINGS, 4] with the arrangement whose depth came nearest to the target. Returns how
    many things it has, its depth, and the least packed of its hardest starts. ``seed``: uint64[1]."""
    now, after = np.zeros((MOST_THINGS, 4), np.int64), np.zeros((MOST_THINGS, 4), np.int64)
    room.keys[:] = 0
    best_count = best_length = start = 0
    for run in range((task.changes + RUN - 1) // RUN):
        heat = HOT
        if run % PARTS == 0:
            count = begin(now, task, lines, seed)
            length = depth(now, count, task.exit_row, lines, task.cap, room)
        else:
            now[:] = best
            count, length, heat = best_count, best_length, AGAIN * HOT
        changes = min(RUN, task.changes - run * RUN)
        for turn in range(changes + 1):
            if best_count == 0 or abs(length - task.target) < abs(best_length - task.target):
                best_count, best_length, start = count, length, room.start[0]
                best[:] = now
            if best_length == task.target or turn == changes:
                break
            changed = change(now, count, after, task, lines, seed)
            if changed == 0:
                continue
            new = depth(after, changed, task.exit_row, lines, task.cap, room)
            further = abs(new - task.target) - abs(length - task.target)
            if _is_taken(further, heat + (COLD - heat) * turn / RUN, seed):
                now, after = after, now
                count, length = changed, new
        if task.low <= best_length <= task.high:
            break
    return best_count, best_length, start
