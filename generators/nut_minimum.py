"""Nut and Bolt's proven minimum: A* over rows of contents.

The bound: blocks - colours + colours without a bottom block. A transfer joins two blocks at most, or brings one to the
bottom; so the bound falls by one a transfer at most, and it never rises; f = transfers made + bound rises by 0 or 1.
Two stacks serve as the queue, and a state that has been looked at is never opened again. Within one f the search goes
depth first, so that it does not look at the rest of the last f once a solution is found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .nut_contents import contents
from .nut_rows import (
    BELOW,
    BOTTOM,
    TOP,
    compiled,
    enter,
    exchanged,
    find,
    hash_of,
    longer,
    roomier,
    transfers,
)

SOLVED, MORE_ROOM, CAPPED, UNSOLVABLE = 0, 1, -1, -2
F, LEFT, PARENT, MOVE = range(4)  # the columns of ``nodes``; a move is source << 16 | destination
COUNT, LAYER, GOAL, WAITING = range(4)  # where a search stands; from WAITING on, the heights of the two stacks
FIRST_ROOM = 1024


def shortest(start: Any, capacity: int, colours: int, cap: int) -> tuple[int, int, list[tuple[int, int]]]:
    """The minimum for ``start``, bolts as ``nut_contents`` wants them: (transfers, or CAPPED, or UNSOLVABLE;
    states stored, ``cap`` at most; the transfers as pairs of contents, source and destination)."""
    row, info, code, packed, _ = contents(start, capacity, colours)
    n = len(row)
    slack = n * n  # one state's transfers are not counted against the limit one by one
    limit = min(FIRST_ROOM, cap)
    rows, table = roomier(row[None], 1, code, limit + slack)
    nodes = np.empty((limit + slack, 4), np.int32)
    stacks = np.empty((limit + slack, 2), np.int32)
    at = np.array([1, bound(row, info, colours), -1, 0, 0], np.int64)
    nodes[0] = at[LAYER], at[LAYER], -1, 0
    stacks[0] = 0
    at[WAITING + (at[LAYER] & 1)] = 1
    outcome = SOLVED
    if at[LAYER] == 0:
        at[GOAL] = 0
    else:
        while (outcome := _search(capacity, limit, info, code, rows, table, nodes, stacks, at)) == MORE_ROOM:
            if limit == cap:
                return CAPPED, cap, []
            limit = min(4 * limit, cap)
            rows, table = roomier(rows, int(at[COUNT]), code, limit + slack)
            nodes = longer(nodes, limit + slack)
            stacks = longer(stacks, limit + slack)
    if outcome != SOLVED:
        return outcome, int(at[COUNT]), []
    moves = []
    node = at[GOAL]
    while nodes[node, PARENT] >= 0:
        move = nodes[node, MOVE]
        moves.append((int(packed[move >> 16]), int(packed[move & 0xFFFF])))
        node = nodes[node, PARENT]
    moves.reverse()
    return len(moves), int(at[COUNT]), moves


@compiled
def bound(row: Any, info: Any, colours: int) -> int:
    """Transfers that are certainly left."""
    begun = np.zeros(16, np.int64)
    left = 0
    for content in row:
        v = np.int64(content)
        begun[info[v, BOTTOM]] = 1
        while v:
            left += 1
            v = np.int64(info[v, BELOW])
    for c in range(1, colours + 1):
        left -= begun[c]
    return left


@compiled
def _search(
    capacity: int, limit: int, info: Any, code: Any, rows: Any, table: Any, nodes: Any, stacks: Any, at: Any
) -> int:
    """Goes on until a solution is found, none is left, or more than ``limit`` states are stored."""
    n = rows.shape[1]
    row = np.empty(n, np.int64)
    out = np.empty(n, np.int64)
    bottoms = np.zeros(16, np.int64)
    found = np.empty((n * n, 4), np.int64)
    chains = np.empty(16 + n, np.int64)
    count, f = at[COUNT], at[LAYER]
    now, later = f & 1, 1 - (f & 1)
    waiting, put_off = at[WAITING + now], at[WAITING + later]
    outcome = UNSOLVABLE
    while waiting or put_off:
        if waiting == 0:
            now, later = later, now
            waiting, put_off = put_off, 0
            f += 1
            continue
        if count > limit:
            outcome = MORE_ROOM
            break
        waiting -= 1
        node = stacks[waiting, now]
        if nodes[node, F] != f:
            continue  # met again at a lower f
        for c in range(16):
            bottoms[c] = 0
        for m in range(n):
            row[m] = np.int64(rows[node, m])
            bottoms[info[row[m], BOTTOM]] += 1
        hashed = hash_of(row, n, code)
        left = nodes[node, LEFT]
        for t in range(transfers(row, n, capacity, info, chains, found)):
            v, w, rest, after = found[t, 0], found[t, 1], found[t, 2], found[t, 3]
            if w == 0:
                joins = bottoms[info[v, TOP]] == 0
            else:
                joins = rest == info[v, BELOW] and (rest > 0 or bottoms[info[v, TOP]] > 1)
            reached = hashed - code[v] - code[w] + code[rest] + code[after]
            exchanged(row, n, v, w, rest, after, out)
            slot = find(out, n, reached, table, rows)
            child = (table[slot] & 0xFFFFFFFF) - 1
            value = f if joins else f + 1
            if child < 0:
                child = count
                enter(out, n, reached, slot, count, table, rows)
                count += 1
            elif nodes[child, F] <= value:
                continue
            nodes[child, F] = value
            nodes[child, LEFT] = left - 1 if joins else left
            nodes[child, PARENT] = node
            nodes[child, MOVE] = v << 16 | w
            if not joins:
                stacks[put_off, later] = child
                put_off += 1
            elif left == 1:
                at[COUNT], at[GOAL] = count, child
                return SOLVED
            else:
                stacks[waiting, now] = child
                waiting += 1
    at[COUNT], at[LAYER] = count, f
    at[WAITING + now], at[WAITING + later] = waiting, put_off
    return outcome
