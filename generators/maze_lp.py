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

from typing import Any

import numpy as np

from ..games.kernels import compiled

SOLVED, INFEASIBLE, STALLED = 0, 1, 2
EPS = 1e-9  # what counts as zero in the tableau
VIOLATED = 1e-6  # by how much a cut must be violated to be added
SLACK = 0.01  # a cut with more surplus leaves the tableau


@compiled
def _dual_simplex(T: Any, b: Any, d: Any, basic: Any, nonbasic: Any, rows: int, limit: int) -> Any:
    """Pivots until no basic variable is negative, or at most ``limit`` times; returns (status, pivots made).

    basic_i = b_i - sum_j T_ij nonbasic_j, objective = constant + sum_j d_j nonbasic_j, d >= 0 throughout.
    """
    columns = d.size
    for count in range(limit):
        row, least = -1, -EPS
        for i in range(rows):
            if b[i] < least:
                row, least = i, b[i]
        if row < 0:
            return SOLVED, count
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
            return INFEASIBLE, count
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
    return STALLED, limit


@compiled
def _minimum_cut(
    tails: Any, heads: Any, start: int, paints: Any, c: int, x: Any, arcs: Any, capacity: Any, first: Any, side: Any
) -> float:
    """The maximum flow from ``start`` to a sink to which the slides that paint cell c lead; stops once a unit flows.

    ``side``: afterwards 1 for the nodes that the residual graph reaches from ``start``. Arc 2e is slide e, arc 2e + 1
    its reverse; ``arcs``: int64[2E, 2], the head of each and the next arc of the same tail (J. Edmonds, R. Karp, 1972).
    """
    sink = side.size - 1
    for v in range(sink + 1):
        first[v, 0] = -1
    for e in range(tails.size):
        if x[e] > EPS:
            head = sink if paints[e, c] else heads[e]
            arcs[2 * e, 0] = head
            arcs[2 * e, 1] = first[tails[e], 0]
            first[tails[e], 0] = 2 * e
            arcs[2 * e + 1, 0] = tails[e]
            arcs[2 * e + 1, 1] = first[head, 0]
            first[head, 0] = 2 * e + 1
            capacity[2 * e] = x[e]
            capacity[2 * e + 1] = 0.0
    flow = 0.0
    while flow < 1.0 - VIOLATED:
        for v in range(sink + 1):
            side[v] = 0
        side[start] = 1
        first[0, 2] = start  # column 1: the arc by which a node was reached; column 2: the queue
        length, at = 1, 0
        while at < length and not side[sink]:
            arc = first[first[at, 2], 0]
            at += 1
            while arc >= 0:
                v = arcs[arc, 0]
                if capacity[arc] > EPS and not side[v]:
                    side[v] = 1
                    first[v, 1] = arc
                    first[length, 2] = v
                    length += 1
                arc = arcs[arc, 1]
        if not side[sink]:
            return flow
        v, amount = sink, np.inf
        while v != start:
            arc = first[v, 1]
            amount = min(amount, capacity[arc])
            v = arcs[arc ^ 1, 0]
        v = sink
        while v != start:
            arc = first[v, 1]
            capacity[arc] -= amount
            capacity[arc ^ 1] += amount
            v = arcs[arc ^ 1, 0]
        flow += amount
    return flow


@compiled
def _purge(T: Any, b: Any, basic: Any, rows: int, where: Any, edges: int, nodes: int, cut_cells: Any) -> int:
    """Removes the rows of cuts that do not bind, and frees their numbers; returns how many rows are left."""
    kept = 0
    for i in range(rows):
        cut = basic[i] - edges - nodes
        if cut >= 0 and b[i] > SLACK:
            cut_cells[cut] = -1
            continue
        if kept < i:
            for j in range(edges):
                T[kept, j] = T[i, j]
            b[kept] = b[i]
            basic[kept] = basic[i]
            if basic[i] < edges:
                where[basic[i]] = kept
        kept += 1
    return kept


@compiled
def _add_cut(
    tails: Any, heads: Any, paints: Any, c: int, cut: int, side: Any, T: Any, b: Any, row: int, where: Any, sides: Any
) -> None:
    """Writes the row of the cut (side, c), in terms of the variables that are nonbasic now."""
    edges = tails.size
    for v in range(sides.shape[1]):
        sides[cut, v] = side[v]
    for j in range(edges):
        T[row, j] = 0.0
    b[row] = -1.0
    for e in range(edges):
        if side[tails[e]] and (paints[e, c] or not side[heads[e]]):
            i = where[e]
            if i >= 0:
                b[row] += b[i]
                for j in range(edges):
                    T[row, j] += T[i, j]
            else:
                T[row, -1 - i] -= 1.0


@compiled
def relax(
    tails: Any,
    heads: Any,
    paints: Any,
    start: int,
    pivots: int,
    known_sides: Any,
    known_cells: Any,
    T: Any,
    b: Any,
    basic: Any,
    d: Any,
    nonbasic: Any,
    x: Any,
    sides: Any,
    cut_cells: Any,
    arcs: Any,
    capacity: Any,
    first: Any,
    side: Any,
) -> Any:
    """Solves the relaxation with all its cuts; returns (status, pivots made).

    ``tails``, ``heads``: int64[E]; ``paints``: uint8[E, C], 1 = the slide paints the cell; ``pivots``: the limit on all
    simplex steps together; ``known_sides`` uint8[K0, V], ``known_cells`` int64[K0]: cuts to begin with. The rest is
    room, see ``room``. At the end ``x`` holds the slides' values; ``cut_cells[k]`` is the cell of cut k with the stops
    ``sides[k]``, -1 for a number that is free; basic and nonbasic variables are numbered x first, then z, then the
    surplus of cut k as E + V + k.
    """
    edges, cells = paints.shape
    nodes = side.size - 1
    where = np.empty(edges, np.int64)  # of slide e: its row, or -1 - its column
    for k in range(cut_cells.size):
        cut_cells[k] = -1
    for v in range(nodes):
        basic[v] = edges + v
    b[start] = 1.0
    for e in range(edges):
        d[e] = 1.0
        nonbasic[e] = e
        where[e] = -1 - e
        T[tails[e], e] += 1.0
        T[heads[e], e] -= 1.0
    for v in range(nodes):
        side[v] = 1
    rows = nodes
    for c in range(cells):
        _add_cut(tails, heads, paints, c, c, side, T, b, rows, where, sides)
        cut_cells[c] = c
        basic[rows] = edges + nodes + c
        rows += 1
    for k in range(known_cells.size):
        _add_cut(tails, heads, paints, known_cells[k], cells + k, known_sides[k], T, b, rows, where, sides)
        cut_cells[cells + k] = known_cells[k]
        basic[rows] = edges + nodes + cells + k
        rows += 1
    made, purged = 0, 0.0
    while True:
        status, count = _dual_simplex(T, b, d, basic, nonbasic, rows, pivots - made)
        made += count
        if status != SOLVED:
            return status, made
        value = 0.0
        for e in range(edges):
            x[e] = 0.0
        for i in range(rows):
            if basic[i] < edges:
                x[basic[i]] = b[i]
                where[basic[i]] = i
                value += b[i]
        for j in range(edges):
            if nonbasic[j] < edges:
                where[nonbasic[j]] = -1 - j
        if value > purged + VIOLATED:  # only after progress, so that this ends
            rows = _purge(T, b, basic, rows, where, edges, nodes, cut_cells)
            purged = value
        free, satisfied = 0, True
        for c in range(cells):
            if _minimum_cut(tails, heads, start, paints, c, x, arcs, capacity, first, side) >= 1.0 - VIOLATED:
                continue
            satisfied = False
            while free < cut_cells.size and cut_cells[free] >= 0:
                free += 1
            if free == cut_cells.size or rows == b.size:
                return STALLED, made
            _add_cut(tails, heads, paints, c, free, side, T, b, rows, where, sides)
            cut_cells[free] = c
            basic[rows] = edges + nodes + free
            rows += 1
        if satisfied:
            return SOLVED, made


def room(edges: int, cells: int, nodes: int, known: int) -> tuple[Any, ...]:
    """Zeroed working space for ``relax``: T float64[R, E], b float64[R], basic int64[R], d float64[E], nonbasic
    int64[E], x float64[E], sides uint8[K, V], cut_cells int64[K], and what the minimum cuts need. The system hands out
    memory as it is touched, so that large limits (R rows, K cuts) cost nothing."""
    cuts = 24 * cells + 500 + known
    rows = nodes + cuts
    return (
        np.zeros((rows, edges)),
        np.zeros(rows),
        np.zeros(rows, np.int64),
        np.zeros(edges),
        np.zeros(edges, np.int64),
        np.zeros(edges),
        np.zeros((cuts, nodes), np.uint8),
        np.zeros(cuts, np.int64),
        np.zeros((2 * edges, 2), np.int64),
        np.zeros(2 * edges),
        np.zeros((nodes + 1, 3), np.int64),
        np.zeros(nodes + 1, np.uint8),
    )
