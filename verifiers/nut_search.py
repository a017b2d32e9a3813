"""All states of a Nut and Bolt level, breadth first, as a compiled loop (numba) of the verifier's own.

Rows of bolts as ``nut_store`` keeps them. A transfer is a pair of different contents, or of two bolts with the same;
transfers after which the same contents stand on the bolts are left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .nut_store import Store, compiled, lengthened, number_of, scramble, without_two

STOPPED, COMPLETE, MORE_ROOM, UNBOUNDED = 0, 1, 2, -1
COUNT, DONE, LINKS, GOAL = range(4)
FIRST_ROOM = 1024


class Exploration(NamedTuple):
    """``outcome``: COMPLETE, STOPPED at the limit, or UNBOUNDED: a transfer that lowers the bound by more than one.
    ``states`` uint64[N, bolts]; the successors of state i are ``successors[ends[i]:ends[i + 1]]``; ``goal``: the number
    of the solved state, or -1 (all solved states are equal modulo bolt order); ``depth``: transfers to it, or -1."""

    outcome: int
    states: Any
    ends: Any
    successors: Any
    goal: int
    depth: int


@compiled
def bound(row: Any) -> Any:
    """Transfers that are certainly left: blocks less the colours that some bolt begins with; 0 exactly where solved.

    A transfer joins one block to another at most, or brings one colour to the beginning of a bolt.
    """
    begun: Any = 0
    blocks = 0
    for bolt in row:
        v = bolt
        while v:
            c = v & np.uint64(15)
            v >>= np.uint64(4)
            if v & np.uint64(15) != c:
                blocks += 1
            if v == 0:
                begun |= 1 << np.int64(c)
    while begun:
        blocks -= 1
        begun &= begun - 1
    return blocks


def explore(start: Any, capacity: int, limit: int, within: int = -1) -> Exploration:
    """Every state that ``start``, uint64[bolts], leads to, ``limit`` at most.

    With ``within`` >= 0 only states are kept whose depth and ``bound`` together are at most that; each transfer is then
    checked to lower the bound by one at most, which is what makes the bound one. Successors are not kept then.
    """
    slack = len(start) ** 2  # the transfers of one state
    room = min(FIRST_ROOM, limit)
    store = Store.of(start, room + slack)
    depth = np.zeros(room + slack, np.int32)
    ends = np.zeros(room + slack + 1, np.int64)
    successors = np.empty(4 * room + slack, np.int32)
    at = np.array([1, 0, 0, -1], np.int64)
    while (
        outcome := _advance(capacity, room, within, store.rows, store.hashes, store.table, depth, ends, successors, at)
    ) == MORE_ROOM:
        if at[COUNT] > room:
            if room == limit:
                outcome = STOPPED
                break
            room = min(4 * room, limit)
            store.lengthen(int(at[COUNT]), room + slack)
            depth = lengthened(depth, room + slack)
            ends = lengthened(ends, room + slack + 1)
        if within < 0:
            successors = lengthened(successors, max(2 * len(successors), 4 * room))
    count, goal = int(at[COUNT]), int(at[GOAL])
    return Exploration(
        outcome,
        store.rows[:count],
        ends[: count + 1],
        successors[: at[LINKS]],
        goal,
        int(depth[goal]) if goal >= 0 else -1,
    )


@compiled
def _advance(
    capacity: int,
    room: int,
    within: int,
    rows: Any,
    hashes: Any,
    table: Any,
    depth: Any,
    ends: Any,
    successors: Any,
    at: Any,
) -> int:
    bolts = rows.shape[1]
    row = np.empty(bolts, np.uint64)
    after = np.empty(bolts, np.uint64)
    mixed = np.empty(bolts, np.uint64)
    free = np.empty(bolts, np.int64)
    run = np.empty(bolts, np.int64)
    count, links = at[COUNT], at[LINKS]
    while at[DONE] < count:
        node = at[DONE]
        if count > room or links + bolts * bolts > len(successors):
            at[COUNT], at[LINKS] = count, links
            return MORE_ROOM
        open_bolts = 0
        for m in range(bolts):
            v = rows[node, m]
            row[m] = v
            mixed[m] = scramble(v)
            c = v & np.uint64(15)
            height, top = 0, 0
            while v:
                top += top == height and v & np.uint64(15) == c
                height += 1
                v >>= np.uint64(4)
            free[m], run[m] = capacity - height, top
            open_bolts += height > 0 and top < capacity
        if open_bolts == 0:
            at[GOAL] = node
        here = bound(row) if within >= 0 else 0
        for a in range(bolts):
            if run[a] == 0 or (a and row[a] == row[a - 1]):
                continue
            seen = False
            for b in range(bolts):
                if b == a or free[b] == 0 or (row[b] and (row[b] ^ row[a]) & np.uint64(15)):
                    continue
                if row[b] == row[a]:
                    if seen:
                        continue
                    seen = True
                elif b and row[b] == row[b - 1]:
                    continue
                if row[b] == 0 and run[a] + free[a] == capacity:
                    continue  # one colour, on an empty bolt: the two change places
                moved = np.uint64(4 * min(run[a], free[b]))
                ones = np.uint64(0x1111111111111111) & ((np.uint64(1) << moved) - np.uint64(1))
                source = row[a] >> moved
                target = row[b] << moved | ones * (row[a] & np.uint64(15))
                if source == row[b] and target == row[a]:
                    continue
                without_two(row, a, b, source, target, after)
                if within >= 0:
                    there = bound(after)
                    if there < here - 1:
                        return UNBOUNDED
                    if depth[node] + 1 + there > within:
                        continue
                reached = hashes[node] - mixed[a] - mixed[b] + scramble(source) + scramble(target)
                child = number_of(after, reached, count, rows, hashes, table)
                if child == count:
                    depth[count] = depth[node] + 1
                    count += 1
                if within < 0:
                    successors[links] = child
                    links += 1
        at[DONE] = node + 1
        ends[node + 1] = links
    at[COUNT], at[LINKS] = count, links
    return COMPLETE
