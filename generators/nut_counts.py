"""Nut and Bolt's states, all of a level's, labelled dead or not by their border tables, as a compiled loop (numba)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .nut_borders import CAPPED, MORE_ROOM, SOLVABLE, follow
from .nut_contents import contents
from .nut_rows import BELOW, GROUP, RUN, compiled, enter, exchanged, find, hash_of, longer, roomier, transfers

MISSING = -2
COUNT, DONE, SOLVED, LOST, LEGAL, FATAL = range(6)
FIRST_ROOM = 512


def count_states(start: Any, capacity: int, colours: int, cap: int) -> tuple[int, int, int, int, int]:
    """All states that a state reaches: (states, or CAPPED; solved ones, 0 or 1; dead ones; transfers from solvable
    states; of these, to dead ones). Modulo bolt order; transfers as pairs of contents that change something."""
    borders = follow(start, capacity, colours, cap, True)
    if borders.verdict == CAPPED:
        return CAPPED, 0, 0, 0, 0
    row, info, code, _, first = contents(start, capacity, colours)
    parents = info[info[first, BELOW], GROUP]
    parents[parents <= colours] = 0
    slack = len(row) ** 2
    limit = min(FIRST_ROOM, cap)
    rows, table = roomier(row[None], 1, code, limit + slack)
    home = np.zeros(limit + slack, np.int32)
    at = np.array([1, 0, 0, 0, 0, 0], np.int64)
    level = (capacity, info, code, parents, code[first], borders.rows, borders.table, borders.solvable)
    while (outcome := _count(*level, limit, rows, table, home, at)) == MORE_ROOM:
        if limit == cap:
            return CAPPED, 0, 0, 0, 0
        limit = min(4 * limit, cap)
        rows, table = roomier(rows, int(at[COUNT]), code, limit + slack)
        home = longer(home, limit + slack)
    assert outcome == SOLVABLE, "a transfer removes a border that its border table keeps"
    return int(at[COUNT]), int(at[SOLVED]), int(at[LOST]), int(at[LEGAL]), int(at[FATAL])


@compiled
def _count(
    capacity: int,
    info: Any,
    code: Any,
    parents: Any,
    group_code: Any,
    border_rows: Any,
    border_table: Any,
    solvable: Any,
    limit: int,
    rows: Any,
    table: Any,
    home: Any,
    at: Any,
) -> int:
    """Goes on until all states have been looked at, or more than ``limit`` are stored. ``parents``: of each group, the
    one after the removal of its border; ``home``: of each state, the number of its border table."""
    n = rows.shape[1]
    row = np.empty(n, np.int64)
    out = np.empty(n, np.int64)
    borders = np.empty(n, np.int64)
    found = np.empty((n * n, 4), np.int64)
    chains = np.empty(16 + n, np.int64)
    count, done = at[COUNT], at[DONE]
    outcome = SOLVABLE
    while done < count:
        if count > limit:
            outcome = MORE_ROOM
            break
        node = done
        done += 1
        finished = True
        for m in range(n):
            row[m] = np.int64(rows[node, m])
            borders[m] = np.int64(border_rows[home[node], m])
            if row[m] and info[row[m], RUN] < capacity:
                finished = False
        lives = solvable[home[node]]
        at[SOLVED] += finished
        at[LOST] += not lives
        hashed = hash_of(row, n, code)
        border_hash = hash_of(borders, n, group_code)
        for t in range(transfers(row, n, capacity, info, chains, found)):
            v, w, rest, after = found[t, 0], found[t, 1], found[t, 2], found[t, 3]
            reached = hashed - code[v] - code[w] + code[rest] + code[after]
            exchanged(row, n, v, w, rest, after, out)
            slot = find(out, n, reached, table, rows)
            child = (table[slot] & 0xFFFFFFFF) - 1
            if child < 0:
                child = count
                enter(out, n, reached, slot, count, table, rows)
                count += 1
                home[child] = home[node]
                if rest > 0 and rest == info[v, BELOW]:  # a border has gone
                    g = np.int64(info[v, GROUP])
                    under = np.int64(parents[g])
                    other = borders[0] if borders[0] != g else borders[1]
                    exchanged(borders, n, g, other, under, other, out)
                    slot = find(out, n, border_hash - group_code[g] + group_code[under], border_table, border_rows)
                    if border_table[slot] == 0:
                        return MISSING
                    home[child] = (border_table[slot] & 0xFFFFFFFF) - 1
            if lives:
                at[LEGAL] += 1
                at[FATAL] += not solvable[home[child]]
    at[COUNT], at[DONE] = count, done
    return outcome
