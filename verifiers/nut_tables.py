"""Dead ends of Nut and Bolt levels by border tables, as a compiled loop (numba) of the verifier's own.

A border is where two colours meet on a bolt; they disappear from the top only. Nuts above the uppermost borders can be
poured together at will; so what can still be reached depends on the bolts with borders and what lies below their
uppermost one alone. Source: T. Ito et al., "Sorting balls and water: equivalence and computational complexity", 2022.

A table is a row of bolts as ``nut_store`` keeps them: those with a border, their top run cut to one nut; 0 for others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..games.base import Unproven
from .nut_store import Store, compiled, lengthened, number_of, scramble, without_two

COUNT, DONE, LINKS = range(3)
FIRST_ROOM = 512


class BorderCounts(NamedTuple):
    """``solvable``: whether the state can be solved; ``tables`` that it reaches; ``removals`` of a border from solvable
    tables; of these, ``fatal`` ones, to dead tables."""

    solvable: bool
    tables: int
    removals: int
    fatal: int


def count_tables(state: Any, capacity: int, limit: int) -> BorderCounts:
    """Counts over all border tables of a state: uint64[bolts], the top nut lowest, colours
    numbered from 1. Raises Unproven beyond ``limit``."""
    bolts = len(state)
    room = min(FIRST_ROOM, limit)
    store = Store.of(table_of(state), room + bolts)
    ends = np.zeros(room + bolts + 1, np.int64)
    links = np.empty(8 * room + bolts, np.int32)
    colours = max(int(bolt) >> 4 * i & 15 for bolt in state for i in range(16))
    at = np.array([1, 0, 0], np.int64)
    while not _advance(capacity, colours, room, store.rows, store.hashes, store.table, ends, links, at):
        if at[COUNT] > room:
            if room == limit:
                raise Unproven(f"more than {limit:,} border tables", where="nut")
            room = min(4 * room, limit)
            store.lengthen(int(at[COUNT]), room + bolts)
            ends = lengthened(ends, room + bolts + 1)
        links = lengthened(links, max(2 * len(links), 4 * room))
    count = int(at[COUNT])
    return BorderCounts(*_judge(store.rows, ends[: count + 1], links))


@compiled
def _cut(bolt: Any) -> Any:
    """A bolt with its top run cut to one nut, or 0 where it has no border."""
    while bolt and (bolt >> np.uint64(4)) & np.uint64(15) == bolt & np.uint64(15):
        bolt >>= np.uint64(4)
    return bolt if bolt >> np.uint64(4) else np.uint64(0)


@compiled
def table_of(state: Any) -> Any:
    """The border table of a state, not sorted."""
    table = np.empty(len(state), np.uint64)
    for i in range(len(state)):
        table[i] = _cut(state[i])
    return table


@compiled
def _advance(
    capacity: int, colours: int, room: int, rows: Any, hashes: Any, table: Any, ends: Any, links: Any, at: Any
) -> bool:
    """Removes every border that can go from one table after the other, in the order in which they were found. A border
    can go if the nuts above it find room elsewhere: above other borders with their colour on top, or on a bolt of
    their own. False where an array is full."""
    bolts = rows.shape[1]
    row = np.empty(bolts, np.uint64)
    after = np.empty(bolts, np.uint64)
    above = np.empty(bolts, np.int64)  # room above each border
    surplus = np.empty(16, np.int64)  # of each colour: nuts that are free, less the room above borders
    while at[DONE] < at[COUNT]:
        node = at[DONE]
        if at[COUNT] > room or at[LINKS] + bolts > len(links):
            return False
        surplus[:] = capacity
        empty = 0
        for i in range(bolts):
            v = rows[node, i]
            row[i] = v
            if v == 0:
                empty += 1
                continue
            top = v & np.uint64(15)
            above[i] = capacity
            v >>= np.uint64(4)
            while v:
                surplus[v & np.uint64(15)] -= 1
                above[i] -= 1
                v >>= np.uint64(4)
            surplus[top] -= above[i]
        for c in range(1, colours + 1):
            empty -= surplus[c] > 0
        for i in range(bolts):
            if row[i] == 0 or (i and row[i] == row[i - 1]):
                continue
            before = surplus[row[i] & np.uint64(15)]
            if empty - (before <= 0 and before + above[i] > 0) < 0:
                continue
            rest = _cut(row[i] >> np.uint64(4))
            other = 0 if i else 1
            without_two(row, i, other, rest, row[other], after)
            hashed = hashes[node] - scramble(row[i]) + scramble(rest)
            child = number_of(after, hashed, at[COUNT], rows, hashes, table)
            at[COUNT] += child == at[COUNT]
            links[at[LINKS]] = child
            at[LINKS] += 1
        at[DONE] = node + 1
        ends[node + 1] = at[LINKS]
    return True


@compiled
def _judge(rows: Any, ends: Any, links: Any) -> Any:
    """From the last table to the first: each leads to later ones only, which have one border less."""
    count = len(ends) - 1
    alive = np.zeros(count, np.uint8)
    removals, fatal = 0, 0
    for t in range(count - 1, -1, -1):
        good = 0
        for e in range(ends[t], ends[t + 1]):
            good += alive[links[e]]
        if good or rows[t, rows.shape[1] - 1] == 0:
            alive[t] = 1
            removals += ends[t + 1] - ends[t]
            fatal += ends[t + 1] - ends[t] - good
    return alive[0] == 1, count, removals, fatal
