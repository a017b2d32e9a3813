"""Integer potentials: lower bounds on the slides still needed, which anyone can check without a solver.

A potential gives every stop v a number pi(v) <= 0 and every stop v and cell c a number w(v, c), all integers. Write

    h(v, S) = pi(v) + sum of w(v, c) over the cells c that are not in S        (ball at v, cells S painted)

and let the scale D > 0 be at least the *load* of every slide u -> v that paints P:

    load = pi(u) - pi(v) + sum over c in P of max(0, w(u, c)) + sum over c not in P of max(0, w(u, c) - w(v, c))

Claim: from (u, S) at least h(u, S) / D more slides are needed. Proof: the slide leads to (v, S + P), and
h(u, S) - h(v, S + P) = pi(u) - pi(v) + sum over c not in S of [w(u, c) if c in P, else w(u, c) - w(v, c)] <= load <= D,
since each cell adds at most its term of the load, whether it is in S or not. So no slide lowers h by more than D; and
where all is painted h = pi(v) <= 0. Hence n slides to the end imply h(u, S) <= n D.

Where it comes from: let p(v) <= 0 and y(A, c) >= 0 be duals of the relaxation in ``maze_lp``; set pi = p and w(v, c) =
the sum of y(A, c) over the cuts (A, c) with v in A. Dual feasibility of the slide u -> v says

    p(u) - p(v) + sum of y(A, c) over the cuts with u in A, and (v not in A or c in P) <= 1.

For c in P these y add up to w(u, c), otherwise to at least max(0, w(u, c) - w(v, c)): the load is at most 1. At the
start s, h(s, {}) = p(s) + sum of all y is the value of the relaxation, as s is in every A. Multiplied and rounded, the
numbers stay a potential with D = the greatest load that they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from ..games.base import Unproven
from .maze_graph import SlideGraph

# Scales to try, small ones first: duals are mostly halves and thirds, and small numbers are short to write down.
SCALES = (
    1,
    2,
    3,
    4,
    5,
    6,
    8,
    9,
    10,
    12,
    15,
    16,
    18,
    20,
    24,
    30,
    36,
    48,
    60,
    84,
    120,
    180,
    420,
    840,
    2520,
    27720,
    10**6,
)
TOLERANCE = 1e-6  # a relaxation's value this close above an integer counts as that integer
WORK = 6 * 10**9  # tableau entries that the simplex method may touch: some ten seconds
LARGEST = 10**6  # tableau entries at the beginning; a board of 30 by 30 cells has some 200,000


@dataclass(frozen=True, slots=True)
class Arrays:
    """A slide graph for numpy and numba: tails, heads int64[E]; paints uint8[E, C] (1 = the slide paints the cell)."""

    tails: Any
    heads: Any
    paints: Any
    nodes: int


@dataclass(slots=True)
class Allowance:
    """``left``: tableau entries that the relaxations of one proof may still touch."""

    left: int


@dataclass(frozen=True, slots=True)
class Potential:
    """``scale``: D, the greatest load; ``pi``: int64[V]; ``w``: int64[V, C], see the module."""

    scale: int
    pi: Any
    w: Any

    def bound(self, start: int, unpainted: Sequence[int]) -> int:
        """The number of slides that are at least needed from ``start`` with the cells ``unpainted`` to paint."""
        return -(-(int(self.pi[start]) + int(self.w[start, list(unpainted)].sum())) // self.scale)


@dataclass(frozen=True, slots=True)
class Relaxation:
    """``bound``: the value rounded up; ``ends`` float64[V] and ``weights`` float64[V, C]: the duals as p and w of the
    module; ``sides`` uint8[K, V], ``cells`` int64[K]: the cuts (A, c) that bind, 1 = in A, and all cover rows."""

    bound: int
    ends: Any
    weights: Any
    sides: Any
    cells: Any


def arrays(graph: SlideGraph) -> Arrays:
    cells = len(graph.required)
    size = (cells + 7) // 8
    packed = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in graph.paints), np.uint8)
    bits = np.unpackbits(packed.reshape(len(graph.paints), size), axis=1, bitorder="little")[:, :cells]
    return Arrays(
        np.array(graph.tails, np.int64), np.array(graph.heads, np.int64), np.ascontiguousarray(bits), len(graph.stops)
    )


def relax(
    a: Arrays,
    start: int,
    unpainted: Sequence[int],
    like: Relaxation | None = None,
    allowance: Allowance | None = None,
) -> Relaxation:
    """The relaxation from ``start`` with the cells ``unpainted`` (columns of ``a.paints``, rising) to paint. ``like``:
    one for another state, the cuts of which are a good beginning. The work is taken from ``allowance`` (WORK by
    default). Raises Unproven where the simplex method is given up, or finds no solution (which is an argument in
    floating point: no proof)."""
    from . import maze_lp

    columns = np.array(unpainted, np.int64)
    edges, paints = a.tails.size, np.ascontiguousarray(a.paints[:, columns])
    size = edges * (a.nodes + columns.size)
    if size > LARGEST:
        raise Unproven(f"{a.nodes} stops and {edges} slides are too many for the linear relaxation", where="maze")
    known = np.zeros((0, a.nodes), np.uint8), np.zeros(0, np.int64)
    if like is not None:  # cuts on cells to paint, but no cover rows, which are there from the beginning
        fit = np.isin(like.cells, columns) & (like.sides[:, start] == 1) & ~like.sides.all(axis=1)
        known = like.sides[fit], np.searchsorted(columns, like.cells[fit])
    allowance = allowance or Allowance(WORK)
    size += edges * known[1].size
    pivots = min(200 * edges, max(0, allowance.left) // size)
    space = maze_lp.room(edges, columns.size, a.nodes, known[1].size)
    status, made = maze_lp.relax(a.tails, a.heads, paints, start, pivots, *known, *space)
    allowance.left -= made * size
    if status != maze_lp.SOLVED:
        what = f"ends after {made:,} steps" if status == maze_lp.STALLED else "has no solution"
        raise Unproven(f"the linear relaxation of {a.nodes} stops and {edges} slides {what}", where="maze")
    _, _, _, costs, nonbasic, x, sides, cells, *_ = space
    dual = np.zeros(edges + a.nodes + cells.size)  # of the row that has this slack
    dual[nonbasic] = costs
    cut_duals = dual[edges + a.nodes :]
    weights = np.zeros((a.nodes, a.paints.shape[1]))
    for k in np.flatnonzero(cut_duals):
        weights[:, columns[cells[k]]] += cut_duals[k] * sides[k]
    used = np.flatnonzero(cells >= 0)
    binds = used[(used < columns.size) | (_crossing(a, sides[used], columns[cells[used]]) @ x < 1.0 + TOLERANCE)]
    value, ends = x.sum(), -dual[edges : edges + a.nodes]
    return Relaxation(ceil(value - TOLERANCE), ends, weights, sides[binds], columns[cells[binds]])


def _crossing(a: Arrays, sides: Any, cells: Any) -> Any:
    """uint8[K, E]: 1 where the slide counts for the cut (A, c): it begins in A, and leaves A or paints c."""
    return sides[:, a.tails] & (a.paints[:, cells].T | (1 - sides[:, a.heads]))


def cut_slides(a: Arrays, r: Relaxation) -> list[list[int]]:
    """The slides of each cut of ``r``: any solution from there uses one of each."""
    return [np.flatnonzero(row).tolist() for row in _crossing(a, r.sides, r.cells)]


def rounded(a: Arrays, r: Relaxation, scale: int) -> Potential:
    """The potential of the duals times ``scale``, rounded."""
    pi = np.minimum(np.rint(r.ends * scale), 0).astype(np.int64)
    w = np.rint(r.weights * scale).astype(np.int64)
    before, after = w[a.tails], w[a.heads]
    terms = np.maximum(np.where(a.paints == 1, before, before - after), 0)
    loads = pi[a.tails] - pi[a.heads] + terms.sum(axis=1)
    return Potential(max(1, int(loads.max())), pi, w)


def sharpest_potential(a: Arrays, r: Relaxation, start: int, unpainted: Sequence[int]) -> Potential:
    """The potential of the first of the SCALES that proves all that the relaxation does, as nearly always one does;
    else that of the last."""
    for scale in SCALES:
        potential = rounded(a, r, scale)
        if potential.bound(start, unpainted) >= r.bound:
            break
    return potential
