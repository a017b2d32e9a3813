"""Rush Hour's search (numba): the shortest way out, whole components, and how far each position is from the exit.

What has been seen is kept in *marks*: a bit for each index where there are few enough of those, so that nothing is
hashed; otherwise a hash table of packed states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

from .rush_packing import MOST_INDICES, Packed, unpack

F = TypeVar("F", bound=Callable[..., Any])

NONE, LIMIT, FULL = -1, -2, -3
MOST_MOVES = 256  # more than any state has
ROOM = 2048  # states that a search makes room for at first
FREE = -1  # in a hash table; no state is -1, for no line has a digit 15
ALWAYS_BITS = 1 << 27  # up to here a bit for each index, 16 MiB, however small the search
INDICES_PER_STATE = 256  # beyond: no more bits than a hash table for all states would have


def compiled(function: F) -> F:
    """numba's ``njit``, cached on disk, typed for mypy. A compiled function calls compiled functions of its own file
    only: numba's cache of a caller does not notice a change in another file."""
    kernel: F = numba.njit(cache=True, nogil=True)(function)
    return kernel


# --- compiled ---------------------------------------------------------------------------------------------------------


@compiled
def _index(state: Any, weights: Any) -> Any:
    index = 0
    for i in range(weights.shape[0]):
        index += ((state >> (4 * i)) & 15) * weights[i]
    return index


@compiled
def _place(table: Any, state: int) -> Any:
    """Where a hash table has the state, or where it belongs. Multiplier: 2 ** 64 / golden ratio, as a signed number."""
    last = table.shape[0] - 1
    at = (((state ^ (state >> 31)) * -0x61C8864680B583EB) >> 32) & last
    while table[at] != FREE and table[at] != state:
        at = (at + 1) & last
    return at


@compiled
def _table(queue: Any, count: int, size: int) -> Any:
    """A hash table with room for ``size`` states, with the first ``count`` of the queue in it."""
    places = 4096
    while places < 2 * size:
        places *= 2
    table = np.full(places, FREE, np.int64)
    for i in range(count):
        table[_place(table, queue[i])] = queue[i]
    return table


@compiled
def _longer(array: Any, size: int) -> Any:
    longer = np.empty(size, array.dtype)
    longer[: array.shape[0]] = array
    return longer


@compiled
def _run(queue: Any, before: Any, head: int, count: int, grid: Any, marks: Any, seen: int, stop: bool) -> Any:
    """Goes on with a search from place ``head`` of a queue of ``count`` states. ``seen``: the bit in ``marks`` of a
    state that has been seen; not used where those are a hash table.

    Returns the new ``head`` and ``count``, and why it ended: the place of a solved state, NONE where there is nothing
    left, FULL where there may be no room for what the next state leads to. No array grows in here, and the moves are
    not handed on to other functions: either would halve the speed.
    """
    (
        rows,
        row_cells,
        column_cells,
        shifts,
        bases,
        taken,
        walls,
        walls_turned,
        leads,
        weights,
        goal,
        goal_line,
        hashed,
    ) = grid
    n = shifts.shape[0]
    digits = np.empty(n, np.int64)
    while head < count:
        if count > queue.shape[0] - MOST_MOVES:
            return head, count, FULL
        state, standing, lying, index = queue[head], walls, walls_turned, 0
        for i in range(n):
            digits[i] = (state >> (4 * i)) & 15
            index += digits[i] * weights[i]
            if i < rows:
                lying |= taken[i, digits[i]]
            else:
                standing |= taken[i, digits[i]]
        for i in range(n):
            others = (standing >> shifts[i]) & row_cells if i < rows else (lying >> shifts[i]) & column_cells
            lead = leads[bases[i] + digits[i], others]
            if lead == 0:
                continue
            rest, index_of_rest = state & ~(15 << (4 * i)), index - digits[i] * weights[i]
            for _ in range(lead & 15):
                lead >>= 4
                digit = lead & 15
                after = rest | (digit << (4 * i))
                if hashed:
                    at = _place(marks, after)
                    if marks[at] != FREE:
                        continue
                    marks[at] = after
                else:
                    at = index_of_rest + digit * weights[i]
                    if (marks[at >> 6] >> (at & 63)) & 1 == seen:
                        continue
                    marks[at >> 6] ^= 1 << (at & 63)
                queue[count], before[count] = after, head
                count += 1
                if stop and i == goal_line and (goal >> digit) & 1:
                    return head, count, count - 1
        head += 1
    return head, count, NONE


@compiled
def _search(begin: Any, grid: Any, marks: Any, seen: int, size: int, limit: int, stop: bool) -> Any:
    """See ``search``. ``size``: how many states to make room for at first."""
    weights, hashed = grid[9], grid[12]
    count, head, end = begin.shape[0], 0, FULL
    size = min(max(size, count), limit) + MOST_MOVES
    queue, before = np.empty(size, np.int64), np.empty(size, np.int32)
    for k in range(count):
        queue[k], before[k] = begin[k], NONE
        if not hashed:
            index = _index(begin[k], weights)
            marks[index >> 6] ^= 1 << (index & 63)
    if hashed:
        marks = _table(queue, count, size)
    while True:
        head, count, end = _run(queue, before, head, count, grid, marks, seen, stop)
        if end == FULL and count <= limit:
            size = min(2 * size, limit + MOST_MOVES)
            queue, before = _longer(queue, size), _longer(before, size)
            if hashed:
                marks = _table(queue, count, size)
        else:
            return queue[:count], before[:count], (LIMIT if count > limit else end)


@compiled
def _wipe(queue: Any, grid: Any, marks: Any) -> None:
    """Clears the bits of the states in the queue."""
    if not grid[12]:
        for i in range(queue.shape[0]):
            marks[_index(queue[i], grid[9]) >> 6] = 0


@compiled
def _search_once(begin: Any, grid: Any, marks: Any, limit: int, stop: bool) -> Any:
    """See ``search``. Leaves ``marks`` blank."""
    queue, before, end = _search(begin, grid, marks, 1, ROOM, limit, stop)
    _wipe(queue, grid, marks)
    return queue, before, end


@compiled
def _flood(begin: Any, slides: Any, steps: Any, marks: Any, limit: int) -> Any:
    """See ``flood``. Leaves ``marks`` blank: the second search takes away the bits that the first one set."""
    goal, goal_line = slides[10], slides[11]
    queue, _, end = _search(begin, steps, marks, 1, ROOM, limit, False)
    size, found = queue.shape[0], 0
    if end != LIMIT:
        solved = np.empty(size, np.int64)
        for i in range(size):
            if (goal >> ((queue[i] >> (4 * goal_line)) & 15)) & 1:
                solved[found] = queue[i]
                found += 1
    if not found:
        _wipe(queue, slides, marks)
        return (LIMIT if end == LIMIT else size), np.empty(0, np.int64), np.empty(0, np.int16)
    queue, before, end = _search(solved[:found], slides, marks, 0, size, size, False)
    distance = np.empty(size, np.int16)
    for i in range(size):
        distance[i] = 0 if before[i] == NONE else distance[before[i]] + 1
    return size, queue, distance


# --- for the generator ------------------------------------------------------------------------------------------------


class Marks:
    """Room for marks that searches one after another share: blank between them, and never smaller again."""

    def __init__(self) -> None:
        self._bits = np.zeros(0, np.int64)

    def bits(self, packed: Packed, limit: int) -> Any:
        """int64[words] for a search of up to ``limit`` states; of length 0 where a hash table is the better choice."""
        most = min(MOST_INDICES, max(ALWAYS_BITS, INDICES_PER_STATE * limit))
        if packed.indices > most:
            return np.zeros(0, np.int64)
        words = packed.indices // 64 + 1
        if len(self._bits) < words:
            self._bits = np.zeros(words, np.int64)
        return self._bits


def search(
    packed: Packed,
    limit: int,
    *,
    begin: int | None = None,
    unit: bool = False,
    stop: bool = False,
    marks: Marks | None = None,
) -> tuple[Any, Any, int]:
    """Breadth-first from the packed state ``begin`` (the board's start): with ``stop`` until the target is at the exit,
    otherwise over all that moves lead to, solved states and what lies beyond them included. With ``unit`` a move is a
    slide by one cell.

    Returns the queue int64[count]; for each state the place of the one before it int32[count], NONE for the first; and
    the place of the solved state that ended the search, NONE where all was seen, LIMIT where there are more than
    ``limit`` states (the queue then has a few more).
    """
    first = np.array([packed.start if begin is None else begin])
    bits = (marks or Marks()).bits(packed, limit)
    grid = (packed.steps if unit else packed.slides)._replace(hashed=not len(bits))
    queue, before, end = _search_once(first, grid, bits, limit, stop)
    return queue, before, end


def flood(packed: Packed, limit: int, marks: Marks | None = None) -> tuple[int, Any, Any]:
    """The component of the start, twice: from it, by steps of one cell, and by slides from all its solved states.

    Returns its size, LIMIT where it has more than ``limit`` states; its states by rising distance to the exit,
    int64[size], the solved ones first (empty where none is solved); and those distances, in slides, int16[size].
    """
    bits = (marks or Marks()).bits(packed, limit)
    slides, steps = (grid._replace(hashed=not len(bits)) for grid in (packed.slides, packed.steps))
    size, states, distance = _flood(np.array([packed.start]), slides, steps, bits, limit)
    return size, states, distance


def shortest(
    packed: Packed, limit: int, *, unit: bool = False, marks: Marks | None = None
) -> tuple[list[tuple[int, ...]] | None, int]:
    """The states of a shortest solution, the start first, as ``games.rush`` has them; and how many states were seen.
    None with ``limit`` states: they were not enough; None with fewer: there is no solution."""
    queue, before, place = search(packed, limit, unit=unit, stop=True, marks=marks)
    if place < 0:
        return None, limit if place == LIMIT else len(queue)
    path = [place]
    while before[path[-1]] != NONE:
        path.append(int(before[path[-1]]))
    return [unpack(packed, int(queue[i])) for i in reversed(path)], len(queue)


def leads(packed: Packed, state: int, *, unit: bool = False) -> list[int]:
    """The packed states that one move leads to."""
    queue, before, _ = search(packed, 16 * 16 + 1, begin=state, unit=unit)
    return [int(after) for after, place in zip(queue, before, strict=True) if place == 0]
