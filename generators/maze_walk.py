"""The canonical witness of an optimum: of all shortest solutions the least in the order of MOVES (U, D, L, R).

It depends on the board alone: not on who proved the optimum, nor on the bounds that speed the search up.

Depth-first search over (stop, painted required cells, slides left) in the order of MOVES, so that the first solution is
the least one. A state is given up where a cell is left that no slide to come can paint, where a potential
(``maze_potential``) shows that the slides left do not suffice, or where it failed before with as many left. Whenever a
budget of states is used up, the relaxation of a state on the current path gives one more potential, and the search
begins again with what it remembers: a potential made for a state that is far from the start is much sharper there. It
turns millions of states into thousands at 60 slides and more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..games.base import Unproven
from ..games.kernels import compiled
from ..games.maze import Move
from .maze_graph import SlideGraph, reachability
from .maze_potential import WORK, Allowance, Arrays, Potential, Relaxation, relax, sharpest_potential

STATES = 3_000_000  # the limit on states remembered: some 200 MB
POTENTIALS = 24
FOUND, NONE, BUDGET = 0, 1, 2


@compiled
def _slot(nodes: Any, masks: Any, node: int, mask: Any) -> Any:
    """Where (node, mask) is in the open hash table, or the free slot for it; ``nodes`` is -1 where a slot is free."""
    h = np.uint64(node + 1) * np.uint64(0x9E3779B97F4A7C15)
    for q in range(mask.size):
        h = (h ^ mask[q]) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    i = np.int64(h & np.uint64(nodes.size - 1))
    while nodes[i] >= 0:
        if nodes[i] == node:
            same = True
            for q in range(mask.size):
                if masks[i, q] != mask[q]:
                    same = False
            if same:
                return i
        i = (i + 1) & (nodes.size - 1)
    return i


@compiled
def _search(
    first: Any,
    heads: Any,
    paints: Any,
    ahead: Any,
    everything: Any,
    pis: Any,
    weights: Any,
    scales: Any,
    length: int,
    budget: int,
    table_nodes: Any,
    table_masks: Any,
    table_left: Any,
    path: Any,
) -> Any:
    """Returns (FOUND, NONE or BUDGET; slides on ``path``; states added to the table).

    ``first``: int64[V + 1], node v's slides are first[v] .. first[v + 1] - 1; ``paints`` uint64[E, W], ``ahead``
    uint64[V, W]: masks of what a slide, and all slides from a node on, paint; ``pis`` int64[J, V], ``weights`` int64[J,
    V, C], ``scales`` int64[J]: the potentials; ``table_*``: the states that failed and with how many slides left;
    ``path``: int64[length], receives slide numbers.
    """
    words, cells, potentials = everything.size, weights.shape[2], scales.size
    masks = np.zeros((length + 1, words), np.uint64)
    at = np.zeros(length + 1, np.int64)
    following = np.zeros(length + 1, np.int64)
    order = np.arange(potentials)  # the potential that pruned last is asked first
    unpainted = np.empty(cells, np.int64)
    following[0] = first[0]
    depth = added = 0
    while True:
        if following[depth] == first[at[depth] + 1]:
            i = _slot(table_nodes, table_masks, at[depth], masks[depth])
            if table_nodes[i] < 0:
                table_nodes[i] = at[depth]
                table_masks[i] = masks[depth]
                table_left[i] = 0
                added += 1
            table_left[i] = max(table_left[i], length - depth)
            depth -= 1
            if depth < 0:
                return NONE, 0, added
            if added >= budget:
                return BUDGET, depth, added
            continue
        e = following[depth]
        following[depth] += 1
        path[depth] = e
        node, left = heads[e], length - depth - 1
        mask = masks[depth + 1]
        count = 0
        enough = left > 0
        for q in range(words):
            mask[q] = masks[depth, q] | paints[e, q]
            rest = everything[q] & ~mask[q]
            if rest & ~ahead[node, q]:
                enough = False
            c = q << 6
            while rest:
                while not rest & np.uint64(0xFF):
                    rest >>= np.uint64(8)
                    c += 8
                if rest & np.uint64(1):
                    unpainted[count] = c
                    count += 1
                rest >>= np.uint64(1)
                c += 1
        if count == 0:
            return FOUND, depth + 1, added
        for k in range(potentials):
            if not enough:
                break
            j = order[k]
            h = pis[j, node]
            for c in range(count):
                h += weights[j, node, unpainted[c]]
            if h > scales[j] * left:
                enough = False
                for m in range(k, 0, -1):
                    order[m] = order[m - 1]
                order[0] = j
        if enough:
            i = _slot(table_nodes, table_masks, node, mask)
            if table_nodes[i] < 0 or table_left[i] < left:
                depth += 1
                at[depth] = node
                following[depth] = first[node]


def least_walk(
    graph: SlideGraph,
    a: Arrays,
    relaxation: Relaxation,
    root: Potential,
    length: int,
    allowance: Allowance | None = None,
) -> tuple[tuple[Move, ...] | None, list[Potential]]:
    """The least solution of at most ``length`` slides, None where there is none: then ``length`` must be less than the
    minimum, and the potentials, which begin with ``root``, cut an exhaustive search short. Where there is one,
    ``length`` must be the minimum. ``relaxation``: of the start; ``allowance``: for relaxations of other states (WORK
    by default). Raises Unproven beyond STATES states."""
    if length < 1:  # every board has a cell to paint
        return None, [root]
    words = max(1, -(-len(graph.required) // 64))
    first = np.searchsorted(a.tails, np.arange(a.nodes + 1))
    paints = np.array([_words(mask, words) for mask in graph.paints], np.uint64)
    ahead = np.array([_words(mask, words) for mask in reachability(graph)[1]], np.uint64)
    everything = np.array(_words(graph.everything, words), np.uint64)
    potentials = [root]
    allowance = allowance or Allowance(WORK)
    table = _table(1 << 12, words)
    path = np.zeros(length, np.int64)
    total, step = 0, 0
    budget = 1000
    while True:
        while 2 * (total + budget) > table[0].size:
            table = _larger(table)
        status, depth, added = _search(
            first,
            a.heads,
            paints,
            ahead,
            everything,
            np.stack([p.pi for p in potentials]),
            np.stack([p.w for p in potentials]),
            np.array([p.scale for p in potentials], np.int64),
            length,
            budget,
            *table,
            path,
        )
        total += added
        if status != BUDGET:
            return tuple(graph.moves[e] for e in path[:depth]) if status == FOUND else None, potentials
        if total > STATES:
            raise Unproven(f"the search for the least solution passed {STATES:,} states", where="maze")
        step += 1
        if step > 4:
            budget = min(2 * budget, 1_000_000)
        if len(potentials) < POTENTIALS and allowance.left > 0:
            node, unpainted = _state_after(graph, path[: _fraction(step, depth)])
            try:
                relaxation = relax(a, node, unpainted, relaxation, allowance)
            except Unproven:
                continue  # an unsolvable state, most likely, or no work left
            potentials.append(sharpest_potential(a, relaxation, node, unpainted))


def _state_after(graph: SlideGraph, path: Any) -> tuple[int, list[int]]:
    """The node and the cells still to paint after the slides ``path`` from the start."""
    painted = 0
    for e in path:
        painted |= graph.paints[e]
    node = graph.heads[path[-1]] if len(path) else 0
    return node, [i for i in range(len(graph.required)) if not painted >> i & 1]


def _fraction(step: int, length: int) -> int:
    """A depth in [1, length]: 1/2, 1/4, 3/4, 1/8, ... of it (van der Corput's sequence), to try all parts of a path."""
    numerator, denominator = 0, 1
    while step:
        numerator, denominator, step = 2 * numerator + (step & 1), 2 * denominator, step >> 1
    return max(1, length * numerator // denominator)


def _words(mask: int, words: int) -> list[int]:
    return [mask >> 64 * q & (1 << 64) - 1 for q in range(words)]


def _table(size: int, words: int) -> tuple[Any, Any, Any]:
    return np.full(size, -1, np.int32), np.zeros((size, words), np.uint64), np.zeros(size, np.int32)


def _larger(table: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    more = _table(2 * table[0].size, table[1].shape[1])
    _move(*table, *more)
    return more


@compiled
def _move(nodes: Any, masks: Any, left: Any, new_nodes: Any, new_masks: Any, new_left: Any) -> None:
    for i in range(nodes.size):
        if nodes[i] >= 0:
            j = _slot(new_nodes, new_masks, nodes[i], masks[i])
            new_nodes[j] = nodes[i]
            new_masks[j] = masks[i]
            new_left[j] = left[i]
