"""Nut and Bolt's dead ends by border tables, as compiled loops (numba).

Source: T. Ito et al., "Sorting balls and water: equivalence and computational complexity", 2022. A border is where two
colours meet on a bolt; borders only disappear, from the top. Nuts above the uppermost border of their bolt can be
poured together at will, so that solvability depends on the *border table* alone: the bolts with a border, the nuts
above the uppermost one left out but for their colour, that is to say the groups of ``nut_contents``. The top nuts of a
bolt, of colour c, can all leave it if and only if the free nuts of every colour find room: on other bolts with that
colour on top, and otherwise on a bolt of their own.

Every table's removals lead to tables with one border less, so a level's tables are a graph without circles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .nut_contents import contents
from .nut_rows import (
    BELOW,
    GROUP,
    RUN,
    SIZE,
    TOP,
    compiled,
    enter,
    exchanged,
    find,
    hash_of,
    longer,
    roomier,
)

DEAD, SOLVABLE, MORE_ROOM, CAPPED = 0, 1, 2, -1
COUNT, DONE, LINKS = range(3)
FIRST_ROOM = 512


class Tables(NamedTuple):
    """The border tables that a state reaches. ``verdict``: of the state itself, SOLVABLE, DEAD or CAPPED; ``rows``:
    sorted groups, 0 for a bolt without a border; ``solvable`` uint8[tables]; ``removals`` of a border from solvable
    tables, and those to dead ones (``fatal``). Unless the whole graph was asked for, the last three are nothing."""

    verdict: int
    tables: int
    rows: Any
    table: Any
    solvable: Any
    removals: int
    fatal: int


def follow(start: Any, capacity: int, colours: int, cap: int, whole: bool) -> Tables:
    """Follows every removal of a border from ``start``, bolts as ``nut_contents`` wants them. Without ``whole``
    depth first, until a way to the end is found. Keeps ``cap`` tables at most."""
    row, info, code, _, first = contents(start, capacity, colours)
    group = info[row, GROUP]
    mixed = np.sort(np.where(group > colours, group, 0)).astype(np.uint16)
    n = len(row)
    limit = min(FIRST_ROOM, cap)
    group_code = code[first]
    rows, table = roomier(mixed[None], 1, group_code, limit + n)
    ends = np.zeros(limit + n + 1, np.int64)
    links = np.empty((limit + n) * (8 if whole else 1), np.int32)
    at = np.array([1, 0, 0], np.int64)
    if not whole:
        links[0], at[LINKS] = 0, 1
    while (
        outcome := _reach(capacity, colours, limit, whole, info, first, group_code, rows, table, ends, links, at)
    ) == MORE_ROOM:
        if at[COUNT] > limit:
            if limit == cap:
                return Tables(CAPPED, cap, rows, table, None, 0, 0)
            limit = min(4 * limit, cap)
            rows, table = roomier(rows, int(at[COUNT]), group_code, limit + n)
            ends = longer(ends, limit + n + 1)
        links = longer(links, max(2 * len(links), limit + n))
    if not whole:
        return Tables(outcome, int(at[COUNT]), rows, table, None, 0, 0)
    solvable = np.zeros(at[COUNT], np.uint8)
    removals, fatal = _label(rows, ends, links, solvable)
    return Tables(int(solvable[0]), int(at[COUNT]), rows, table, solvable, removals, fatal)


@compiled
def _reach(
    capacity: int,
    colours: int,
    limit: int,
    whole: bool,
    info: Any,
    first: Any,
    code: Any,
    rows: Any,
    table: Any,
    ends: Any,
    links: Any,
    at: Any,
) -> int:
    """With ``whole``, looks at the tables in the order in which they were found, and ``links`` up to ``ends`` are their
    successors; otherwise ``links`` is the stack of tables to look at."""
    n = rows.shape[1]
    row = np.empty(n, np.int64)
    out = np.empty(n, np.int64)
    free = np.empty(16, np.int64)  # nuts of each colour above borders
    room = np.empty(16, np.int64)  # places for each colour, above borders with it on top
    count, done, linked = at[COUNT], at[DONE], at[LINKS]
    outcome = DEAD
    while done < count if whole else linked > 0:
        if count > limit or linked + n > links.shape[0]:
            outcome = MORE_ROOM
            break
        if whole:
            node = done
        else:
            linked -= 1
            node = np.int64(links[linked])
        done += 1
        for c in range(1, colours + 1):
            free[c] = capacity
            room[c] = 0
        without = 0
        for m in range(n):
            g = np.int64(rows[node, m])
            row[m] = g
            if g == 0:
                without += 1
                continue
            v = np.int64(first[g])
            room[info[v, TOP]] += capacity - info[v, SIZE] + 1
            v = np.int64(info[v, BELOW])
            while v:
                free[info[v, TOP]] -= info[v, RUN]
                v = np.int64(info[v, BELOW])
        if without == n:
            outcome = SOLVABLE  # the last table of all
            ends[done] = linked
            if not whole:
                break
            continue
        alone = 0  # colours that need a bolt of their own; of a colour there are no more nuts than one holds
        for c in range(1, colours + 1):
            if free[c] > room[c]:
                alone += 1
        hashed = hash_of(row, n, code)
        for i in range(without, n):
            g = row[i]
            if i > without and row[i - 1] == g:
                continue
            v = np.int64(first[g])
            colour = info[v, TOP]
            needed = alone
            if room[colour] >= free[colour] > room[colour] - (capacity - info[v, SIZE] + 1):
                needed += 1
            if needed > without:
                continue
            group = np.int64(info[info[v, BELOW], GROUP])
            under = group if group > colours else np.int64(0)
            other = row[i - 1] if i else row[i + 1]
            exchanged(row, n, g, other, under, other, out)
            reached = hashed - code[g] + code[under]
            slot = find(out, n, reached, table, rows)
            child = (table[slot] & 0xFFFFFFFF) - 1
            fresh = child < 0
            if fresh:
                child = count
                enter(out, n, reached, slot, count, table, rows)
                count += 1
            if whole or fresh:
                links[linked] = child
                linked += 1
        if whole:
            ends[done] = linked
    at[COUNT], at[DONE], at[LINKS] = count, done, linked
    return outcome


@compiled
def _label(rows: Any, ends: Any, links: Any, solvable: Any) -> Any:
    """Marks the solvable tables, the last ones found first, for they have the fewest borders; counts their removals."""
    removals = 0
    fatal = 0
    for node in range(solvable.shape[0] - 1, -1, -1):
        lives = 0
        for e in range(ends[node], ends[node + 1]):
            lives += solvable[links[e]]
        if lives or rows[node, rows.shape[1] - 1] == 0:
            solvable[node] = 1
            removals += ends[node + 1] - ends[node]
            fatal += ends[node + 1] - ends[node] - lives
    return removals, fatal
