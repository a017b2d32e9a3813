"""Counts the solutions of a Color Connect board vertex by vertex, by mates (numba): the verifier's own.

Of every cell that may still get an edge it knows where the line through it ends: in the cell itself (untouched), in
another such cell (its *mate*), or in the dot of a colour. An edge joins two ends, if neither is used up and they are
not each other's. The states are not the generator's, which knows edges that cross the frontier, and brackets. Source of
the idea: "Simpath", D. Knuth, *The Art of Computer Programming* 4A, 7.1.4, 2011.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..games.color_board import Board
from ..games.kernels import compiled

CAPPED = -1
MOST = 1 << 62
FIRST_LIMIT = 1_000_000  # states
UNTOUCHED, USED, COLOURS, MATES = 0, 1, 1, 18  # a cell's end: COLOURS + colour (from 1), or MATES + place of its mate
FLAT = 64  # beside the end: the cell's only edge is horizontal
PLACES = 16


class Counted(NamedTuple):
    """Exact below MOST; all 0 but ``states`` where there is no solution."""

    states: int
    solutions: int
    edges: int
    fewest_edges_ways: int
    corners: int
    fewest_corners_ways: int


@compiled
def _join(ends: Any, u: int, v: int, u_dot: bool, v_dot: bool, flat: int) -> int:
    """Joins the cells at places u and v by an edge; returns the corners that arise, -1 where it cannot be."""
    x, y = ends[u] & 63, ends[v] & 63
    if x == USED or y == USED or x == MATES + v:
        return -1
    x_coloured, y_coloured = USED < x < MATES, USED < y < MATES
    if x_coloured and y_coloured and x != y:
        return -1
    corners = 0
    if x != UNTOUCHED and not u_dot and ends[u] & FLAT != flat:
        corners += 1
    if y != UNTOUCHED and not v_dot and ends[v] & FLAT != flat:
        corners += 1
    # the far end of each side: a place, or -1 for a dot
    far_u = u if x == UNTOUCHED else (x - MATES if x >= MATES else -1)
    far_v = v if y == UNTOUCHED else (y - MATES if y >= MATES else -1)
    ends[u] = flat if x == UNTOUCHED else USED
    ends[v] = flat if y == UNTOUCHED else USED
    if far_u >= 0:
        ends[far_u] = (ends[far_u] & FLAT) | (y if y_coloured else MATES + far_v)
    if far_v >= 0:
        ends[far_v] = (ends[far_v] & FLAT) | (x if x_coloured else MATES + far_u)
    return corners


@compiled
def _find(a: int, b: int, table: Any, states: Any) -> Any:
    last = table.shape[0] - 1
    h = a * 0x2545F4914F6CDD1D + b * 0x5851F42D4C957F2D
    h ^= (h >> 31) & 0x1FFFFFFFF
    h *= 0x2545F4914F6CDD1D
    at = ((h >> 24) & 0xFFFFFFFFFF) & last
    while table[at] >= 0 and (states[table[at], 0] != a or states[table[at], 1] != b):
        at = (at + 1) & last
    return at


@compiled
def _doubled(array: Any) -> Any:
    larger = np.empty((2 * array.shape[0], array.shape[1]), array.dtype)
    larger[: array.shape[0]] = array
    return larger


@compiled
def _plus(a: int, b: int) -> int:
    return a + b if a < MOST - b else MOST


@compiled
def count_cells(kinds: Any, width: int, cover: bool, limit: int) -> Any:
    """As ``count``; ``kinds`` int64[cells]: -1 blocked, 0 open, k a dot of colour k."""
    cells, places = kinds.shape[0], width + 1
    size = 1024
    # state: two words of eight places; record: solutions, edges, their ways, corners, their ways
    states, records = np.zeros((size, 2), np.int64), np.zeros((size, 5), np.int64)
    others, other_records = np.zeros((size, 2), np.int64), np.zeros((size, 5), np.int64)
    table = np.full(4 * size, -1, np.int32)
    ends, tried = np.zeros(PLACES, np.int64), np.zeros(PLACES, np.int64)
    for cell in range(min(width, cells)):
        ends[cell] = USED if kinds[cell] < 0 else (UNTOUCHED if kinds[cell] == 0 else COLOURS + kinds[cell])
        states[0, cell // 8] |= ends[cell] << (7 * (cell % 8))
    records[0, 0] = records[0, 2] = records[0, 4] = 1
    count = total = 1
    for cell in range(cells):
        here, new = cell % places, 0
        below, beside = cell + width, cell + 1
        has_right = beside < cells and beside % width != 0
        enters = USED
        if below < cells and kinds[below] >= 0:
            enters = UNTOUCHED if kinds[below] == 0 else COLOURS + kinds[below]
        table[:] = -1
        for s in range(count):
            for i in range(PLACES):
                ends[i] = (states[s, i // 8] >> (7 * (i % 8))) & 127
            ends[below % places] = enters
            for choice in range(4):
                if choice & 1 and not has_right:
                    continue
                tried[:] = ends
                corners = edges = 0
                if choice & 1:
                    corners = _join(tried, here, beside % places, kinds[cell] > 0, kinds[beside] > 0, FLAT)
                    edges = 1
                if choice & 2 and corners >= 0:
                    more = -1
                    if below < cells:
                        more = _join(tried, here, below % places, kinds[cell] > 0, kinds[below] > 0, 0)
                    corners = corners + more if more >= 0 else -1
                    edges += 1
                if corners < 0:
                    continue
                left = tried[here] & 63
                if left != USED and (left != UNTOUCHED or cover):
                    continue  # an end, a dot or a cell to fill that gets no further edge
                tried[here] = 0
                a = b = 0
                for i in range(8):
                    a |= tried[i] << (7 * i)
                    b |= tried[i + 8] << (7 * i)
                at = _find(a, b, table, others)
                n = table[at]
                fewest, bends = records[s, 1] + edges, records[s, 3] + corners
                if n < 0:
                    if total + new >= limit:
                        return CAPPED, 0, 0, 0, 0, 0
                    if new == others.shape[0]:
                        others, other_records = _doubled(others), _doubled(other_records)
                    n = new
                    table[at] = n
                    new += 1
                    others[n, 0], others[n, 1] = a, b
                    other_records[n, 0], other_records[n, 1], other_records[n, 2] = records[s, 0], fewest, records[s, 2]
                    other_records[n, 3], other_records[n, 4] = bends, records[s, 4]
                    if 2 * new > table.shape[0]:
                        table = np.full(2 * table.shape[0], -1, np.int32)
                        for m in range(new):
                            table[_find(others[m, 0], others[m, 1], table, others)] = m
                    continue
                record = other_records[n]
                record[0] = _plus(record[0], records[s, 0])
                if fewest < record[1]:
                    record[1], record[2] = fewest, records[s, 2]
                elif fewest == record[1]:
                    record[2] = _plus(record[2], records[s, 2])
                if bends < record[3]:
                    record[3], record[4] = bends, records[s, 4]
                elif bends == record[3]:
                    record[4] = _plus(record[4], records[s, 4])
        states, others = others, states
        records, other_records = other_records, records
        count = new
        total += new
        if count == 0:
            return total, 0, 0, 0, 0, 0
    return total, records[0, 0], records[0, 1], records[0, 2], records[0, 3], records[0, 4]


def count(board: Board, limit: int, *, cover: bool | None = None) -> Counted | None:
    """None where ``limit`` states were not enough, read from the last cell or from the first. ``cover``: instead of the
    board's own."""
    kinds = [[0 if cell == "." else -1 for cell in row] for row in board.rows]
    for k, pair in enumerate(board.pairs, 1):
        for dot in (pair.first, pair.second):
            kinds[dot // board.width][dot % board.width] = k
    if board.width >= board.height:
        kinds = [list(column) for column in zip(*kinds, strict=True)]
    cells = np.array(kinds, np.int64).ravel()
    for cap in sorted({min(limit, FIRST_LIMIT), limit}):
        for order in (cells[::-1], cells):
            found = count_cells(order.copy(), len(kinds[0]), board.cover if cover is None else cover, cap)
            if found[0] != CAPPED:
                return Counted(*(int(n) for n in found))
    return None
