"""The linear relaxation of the Maze Paint flow, by our own dual simplex and cutting planes on a dense tableau (numba).

    minimise  sum of x_e over the slides e
    where     x(out of v) - x(into v) + z_v = 1 if v is the start, else 0    for each stop v (z_v = 1: the end)
              x({e : tail in A, and (head not in A or e paints c)}) >= 1     for each cut (A, c): start in A, c required
              x, z >= 0

A walk that starts in A and paints c uses a slide of every such set: its first slide that paints c or leaves A. The
cover row of c is the cut with A = all stops. The other cuts are separated by minimum cuts, for which a slide that
paints c leads to a sink.

Our own, and not a library's, because the duals enter level files: they must be the same bytes whatever versions are
installed. Nothing here reorders sums (no BLAS, no fast-math). The tableau is small (100 by 100 at 20 slides), costs are
non-negative, so that the basis of all slacks is dual feasible, and a cut is one more row to continue from.
Sources: the dual simplex method (C. Lemke, 1954); directed cut formulations of connectivity (e.g. M. Fischetti,
J. Salazar, P. Toth, "Solving the orienteering problem through branch-and-cut", 1998).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

SOLVED, INFEASIBLE, STALLED = 0, 1, 2
EPS = 1e-9  # what counts as zero in the tableau
VIOLATED = 1e-6  # by how much a cut must be violated to be added


def compiled(function: F) -> F:
    """numba's ``njit``, cached on disk, typed for mypy."""
    kernel: F = numba.njit(cache=True, nogil=True)(function)
    return kernel


@compiled
def _dual_simplex(T: Any, b: Any, d: Any, basic: Any, nonbasic: Any, rows: int, limit: int) -> int:
    """Pivots until no basic variable is negative; returns the pivots made, -1 if infeasible, -2 at ``limit``.

    basic_i = b_i - sum_j T_ij nonbasic_j, objective = constant + sum_j d_j nonbasic_j, d >= 0 throughout.
    """
    columns = d.size
    for count in range(limit):
        row, least = -1, -EPS
        for i in range(rows):
            if b[i] < least:
                row, least = i, b[i]
        if row < 0:
            return count
        column, ratio, size = -1, np.inf, 0.0
        for j in range(columns):
            t = -T[row, j]
            if t > EPS:
                r = d[j] / t
                # of equal ratios the largest pivot, for stability
                if r < ratio - EPS or (r < ratio + EPS and t > size):
                    column, size = j, t
                    if r < ratio:
                        ratio = r
        if column < 0:
            return -1
        pivot = 1.0 / T[row, column]
        for j in range(columns):
            T[row, j] *= pivot
        T[row, column] = pivot
        b[row] *= pivot
        for i in range(rows):
            if i != row:
                f = T[i, column]
                if f != 0.0:
                    for j in range(columns):
                        T[i, j] -= f * T[row, j]
                    T[i, column] = -f * pivot
                    b[i] -= f * b[row]
        f = d[column]
        if f != 0.0:
            for j in range(columns):
                d[j] -= f * T[row, j]
                if d[j] < 0.0:  # rounding only
                    d[j] = 0.0
            d[column] = max(0.0, -f * pivot)
        basic[row], nonbasic[column] = nonbasic[column], basic[row]
    return -2


@compiled
def _minimum_cut(
    tails: Any,
    heads: Any,
    start: int,
    painted: Any,
    x: Any,
    first: Any,
    following: Any,
    arc_head: Any,
    capacity: Any,
    side: Any,
) -> float:
    """The maximum flow from ``start`` to the sink in the graph where a slide that paints the cell leads to the sink.

    Stops once a unit flows. ``side``: afterwards 1 for the nodes that the residual graph reaches from ``start``.
    Arc 2e is slide e, arc 2e + 1 its reverse.
    """
    edges, sink = tails.size, first.size - 1
    first[:] = -1
    for e in range(edges):
        if x[e] > EPS:
            head = sink if painted[e] else heads[e]
            arc_head[2 * e], capacity[2 * e] = head, x[e]
            arc_head[2 * e + 1], capacity[2 * e + 1] = tails[e], 0.0
            following[2 * e], first[tails[e]] = first[tails[e]], 2 * e
            following[2 * e + 1], first[head] = first[head], 2 * e + 1
    flow = 0.0
    queue = np.empty(sink + 1, np.int64)
    via = np.empty(sink + 1, np.int64)
    while flow < 1.0 - VIOLATED:
        side[:] = 0
        side[start], queue[0], length, at = 1, start, 1, 0
        while at < length and not side[sink]:
            arc = first[queue[at]]
            at += 1
            while arc >= 0:
                v = arc_head[arc]
                if capacity[arc] > EPS and not side[v]:
                    side[v], via[v], queue[length] = 1, arc, v
                    length += 1
                arc = following[arc]
        if not side[sink]:
            return flow
        v, amount = sink, np.inf
        while v != start:
            amount = min(amount, capacity[via[v]])
            v = arc_head[via[v] ^ 1]
        v = sink
        while v != start:
            capacity[via[v]] -= amount
            capacity[via[v] ^ 1] += amount
            v = arc_head[via[v] ^ 1]
        flow += amount
    return flow


@compiled
def relax(tails: Any, heads: Any, paints: Any, nodes: int, start: int, pivots: int) -> Any:
    """Solves the relaxation with all its cuts.

    ``tails``, ``heads``: int64[E]; ``paints``: uint8[E, C]; ``pivots``: the limit on all simplex steps together.
    Returns (status, value, end duals float64[V] (<= 0), cut sides uint8[K, V] (1 = in A), cut cells int64[K], cut duals
    float64[K], pivots made): the cover rows and the other rows that bind, with the duals of the problem above.
    """
    edges, cells = paints.shape
    room = nodes + cells + 64
    T = np.zeros((room, edges))
    b = np.zeros(room)
    basic = np.zeros(room, np.int64)
    d = np.ones(edges)
    nonbasic = np.arange(edges)
    sides = np.zeros((cells + 64, nodes), np.uint8)
    cut_cells = np.zeros(cells + 64, np.int64)
    cuts, rows, made = cells, nodes + cells, 0
    for e in range(edges):
        T[tails[e], e] += 1.0
        T[heads[e], e] -= 1.0
        for c in range(cells):
            T[nodes + c, e] = -1.0 if paints[e, c] else 0.0
    b[start] = 1.0
    for v in range(nodes):
        basic[v] = edges + v
    for c in range(cells):
        b[nodes + c] = -1.0
        basic[nodes + c] = edges + nodes + c
        sides[c] = 1
        cut_cells[c] = c
    x = np.zeros(edges)
    first = np.empty(nodes + 1, np.int64)
    following = np.empty(2 * edges, np.int64)
    arc_head = np.empty(2 * edges, np.int64)
    capacity = np.empty(2 * edges)
    side = np.empty(nodes + 1, np.uint8)
    where = np.empty(edges, np.int64)  # of slide e: its row, or -1 - its column
    purged = 0.0
    status = STALLED
    while True:
        n = _dual_simplex(T, b, d, basic, nonbasic, rows, pivots - made)
        if n < 0:
            status = INFEASIBLE if n == -1 else STALLED
            break
        made += n
        x[:] = 0.0
        for i in range(rows):
            if basic[i] < edges:
                x[basic[i]] = b[i]
                where[basic[i]] = i
        for j in range(edges):
            if nonbasic[j] < edges:
                where[nonbasic[j]] = -1 - j
        value = x.sum()
        if value > purged + VIOLATED:  # cuts that do not bind may go; progress in between makes this end
            purged = value
            kept = 0
            for i in range(rows):
                if basic[i] < edges + nodes or b[i] < 0.3:
                    if kept < i:
                        T[kept], b[kept], basic[kept] = T[i], b[i], basic[i]
                        if basic[i] < edges:
                            where[basic[i]] = kept
                    kept += 1
            rows = kept
        before = cuts
        for c in range(cells):
            flow = _minimum_cut(tails, heads, start, paints[:, c], x, first, following, arc_head, capacity, side)
            if flow >= 1.0 - VIOLATED:
                continue
            known = False  # two cells may ask for the same cut side, but never the same cell twice
            for k in range(before, cuts):
                if cut_cells[k] == c:
                    known = True
            if known:
                continue
            if cuts == cut_cells.size:
                more = np.zeros((2 * cuts, nodes), np.uint8)
                more[:cuts] = sides
                sides = more
                longer = np.zeros(2 * cuts, np.int64)
                longer[:cuts] = cut_cells
                cut_cells = longer
            if rows == b.size:
                T2 = np.zeros((2 * rows, edges))
                T2[:rows] = T
                T = T2
                b2 = np.zeros(2 * rows)
                b2[:rows] = b
                b = b2
                basic2 = np.zeros(2 * rows, np.int64)
                basic2[:rows] = basic
                basic = basic2
            sides[cuts] = side[:nodes]
            cut_cells[cuts] = c
            T[rows] = 0.0
            b[rows] = -1.0
            for e in range(edges):
                if side[tails[e]] and (paints[e, c] or not side[heads[e]]):
                    i = where[e]
                    if i >= 0:
                        b[rows] += b[i]
                        T[rows] += T[i]
                    else:
                        T[rows, -1 - i] -= 1.0
            basic[rows] = edges + nodes + cuts
            cuts += 1
            rows += 1
        if cuts == before:
            status = SOLVED
            break
    ends = np.zeros(nodes)
    duals = np.zeros(cuts)
    binds = np.zeros(cuts, np.uint8)
    binds[:cells] = 1
    for j in range(edges):
        v = nonbasic[j] - edges
        if v >= nodes:
            duals[v - nodes] = d[j]
            binds[v - nodes] = 1
        elif v >= 0:
            ends[v] = -d[j]
    for i in range(rows):
        if basic[i] >= edges + nodes and b[i] < VIOLATED:
            binds[basic[i] - edges - nodes] = 1
    chosen = np.flatnonzero(binds)
    return status, x.sum(), ends, sides[chosen], cut_cells[chosen], duals[chosen], made
