"""All states of a Nut and Bolt level, as compiled loops (numba) of the verifier's own.

A bolt is one uint64, four bits a nut, the *top* nut lowest: taking and putting nuts are shifts. A state is the sorted
row of its bolts; equal states modulo bolt order are one. A transfer is a pair of different contents, or of two bolts
with the same; transfers after which the same contents stand on the bolts are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

from .state_graph import from_which

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """numba's ``njit``, cached on disk, typed for mypy."""
    kernel: F = numba.njit(cache=True, nogil=True)(function)
    return kernel


@compiled
def _find(row: Any, states: Any, table: Any) -> Any:
    """The place in the hash table (row + 1, 0 = free) of a state, or where it belongs."""
    x = np.uint64(88172645463325252)
    for bolt in row:
        x = (x ^ bolt) * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        x ^= x >> np.uint64(32)
    mask = len(table) - 1
    at = np.int64(x & np.uint64(mask))
    while table[at] and not np.array_equal(states[table[at] - 1], row):
        at = (at + 1) & mask
    return at


@compiled
def bound(row: Any) -> Any:
    """Transfers that are certainly left: blocks less the colours that some bolt begins with; 0 exactly where solved.

    A transfer joins one block to another at most, or brings one colour to the beginning of a bolt.
    """
    begun = np.zeros(16, np.int64)
    blocks = 0
    for bolt in row:
        v = bolt
        while v:
            c = v & np.uint64(15)
            v >>= np.uint64(4)
            if v & np.uint64(15) != c:
                blocks += 1
            if v == 0:
                begun[np.int64(c)] = 1
    return blocks - begun.sum()


@compiled
def pour(row: Any, capacity: int, a: int, b: int, after: Any) -> bool:
    """Pours bolt a onto bolt b as far as it goes; ``after`` is the sorted result. False where that is no transfer or
    changes nothing."""
    source, target = row[a], row[b]
    if source == 0 or a == b:
        return False
    colour = source & np.uint64(15)
    if target and target & np.uint64(15) != colour:
        return False
    room = capacity
    v = target
    while v:
        room -= 1
        v >>= np.uint64(4)
    moved = 0
    while moved < room and source & np.uint64(15) == colour:
        source >>= np.uint64(4)
        target = (target << np.uint64(4)) | colour
        moved += 1
    if moved == 0:
        return False
    after[:] = row
    after[a], after[b] = source, target
    after.sort()
    return not np.array_equal(after, row)


@compiled
def explore(start: Any, capacity: int, limit: int, within: int) -> Any:
    """Breadth first: (1 complete or 0 stopped at ``limit`` states; states uint64[N, bolts]; depth int32[N]; ends of the
    successors of each state int64[N + 1]; successors int32[...]; whether a solved state was found, and at what depth).

    With ``within`` >= 0 only states are kept whose depth and ``bound`` together are at most that; each transfer is then
    checked to lower the bound by one at most, which is what makes the bound one. A failure returns -1 for complete.
    """
    bolts = len(start)
    states = np.empty((1024, bolts), np.uint64)
    depth = np.empty(1024, np.int32)
    ends = np.zeros(1025, np.int64)
    successors = np.empty(8192, np.int32)
    table = np.zeros(4096, np.int32)
    row = np.empty(bolts, np.uint64)
    after = np.empty(bolts, np.uint64)
    states[0] = start
    states[0].sort()
    depth[0] = 0
    table[_find(states[0], states, table)] = 1
    count, at, links, found = 1, 0, 0, -1
    while at < count:
        row[:] = states[at]
        here = bound(row)
        if here == 0 and found < 0:
            found = depth[at]
        for a in range(bolts):
            if row[a] == 0 or (a and row[a] == row[a - 1]):
                continue
            seen = False
            for b in range(bolts):
                if b == a:
                    continue
                if row[b] == row[a]:
                    if seen:
                        continue
                    seen = True
                elif b and row[b] == row[b - 1]:
                    continue
                if not pour(row, capacity, a, b, after):
                    continue
                if within >= 0:
                    there = bound(after)
                    if there < here - 1:
                        return -1, states[:count], depth[:count], ends, successors, found
                    if depth[at] + 1 + there > within:
                        continue
                slot = _find(after, states, table)
                if table[slot] == 0:
                    if count == limit:
                        return 0, states[:count], depth[:count], ends, successors, found
                    if count == len(states):
                        more = np.empty((2 * count, bolts), np.uint64)
                        more[:count] = states
                        states = more
                        longer = np.empty(2 * count, np.int32)
                        longer[:count] = depth
                        depth = longer
                        further = np.zeros(2 * count + 1, np.int64)
                        further[: count + 1] = ends
                        ends = further
                    states[count] = after
                    depth[count] = depth[at] + 1
                    count += 1
                    table[slot] = count
                    if 2 * count > len(table):
                        table = np.zeros(2 * len(table), np.int32)
                        for i in range(count):
                            table[_find(states[i], states, table)] = i + 1
                        slot = _find(after, states, table)
                if within < 0:
                    if links == len(successors):
                        wider = np.empty(2 * links, np.int32)
                        wider[:links] = successors
                        successors = wider
                    successors[links] = table[slot] - 1
                    links += 1
        at += 1
        ends[at] = links
    return 1, states[:count], depth[:count], ends[: count + 1], successors[:links], found


def solvable_states(states: Any, ends: Any, successors: Any) -> Any:
    """1 for each state from which a solved one is reached, uint8[N]."""
    return from_which(solved_states(states), ends, successors)


@compiled
def solved_states(states: Any) -> Any:
    """1 for each solved state, uint8[N]."""
    solved = np.zeros(len(states), np.uint8)
    for s in range(len(states)):
        solved[s] = bound(states[s]) == 0
    return solved


@compiled
def progress(row: Any) -> Any:
    """The largest blocks, summed over the colours."""
    largest = np.zeros(16, np.int64)
    for bolt in row:
        v = bolt
        run = 0
        while v:
            c = v & np.uint64(15)
            run += 1
            v >>= np.uint64(4)
            if v & np.uint64(15) != c:
                largest[np.int64(c)] = max(largest[np.int64(c)], run)
                run = 0
    return largest.sum()


@compiled
def visible_progress(states: Any) -> Any:
    """The progress of each state, int64[N]."""
    value = np.empty(len(states), np.int64)
    for s in range(len(states)):
        value[s] = progress(states[s])
    return value


@compiled
def survival(states: Any, alive: Any, ends: Any, successors: Any) -> Any:
    """The probability that a uniform random player solves the start. Solves p(s) = mean p(t) by sweeps from the last
    states found to the first, until none changes by more than a billionth of itself."""
    n = len(states)
    p = np.zeros(n)
    for s in range(n):
        if alive[s] and bound(states[s]) == 0:
            p[s] = 1.0
    change = 1.0
    while change > 1e-9:
        change = 0.0
        for s in range(n - 1, -1, -1):
            if not alive[s] or ends[s] == ends[s + 1] or bound(states[s]) == 0:
                continue
            total = 0.0
            for e in range(ends[s], ends[s + 1]):
                total += p[successors[e]]
            new = total / (ends[s + 1] - ends[s])
            change = max(change, abs(new - p[s]) / max(new, 1e-300))
            p[s] = new
    return p[0]
