"""Exhaustive search over the states of a Maze Paint board, and random players (numba, on packed integers).

A state is (stop, painted), ``painted`` a bit mask over *watched* cells in ``uint64[W]``. Watching one cell of each
*class* of cells that the same slides paint tells all painted sets apart, so the states that are counted are the game's
own. To find the minimum it is enough to watch the classes whose painters include no other class's painters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..games.kernels import compiled
from .maze_graph import SlideGraph, cells_of


@dataclass(frozen=True, slots=True)
class Packed:
    """A slide graph for the kernels, watching the cells ``watched``.

    ``first`` int64[V + 1]: the slides of stop v are first[v] .. first[v + 1] - 1; ``heads`` int64[E], ``directions``
    int64[E], ``paints`` uint64[E, W]; ``everything`` uint64[W]: the mask of all watched cells.
    """

    watched: tuple[int, ...]
    first: Any
    heads: Any
    directions: Any
    paints: Any
    everything: Any


@dataclass(frozen=True, slots=True)
class Guide:
    """Potentials (checked elsewhere) and the number of slides to stay within: ``scales`` int64[J], ``pis`` int64[J, V],
    ``weights`` int64[J, V, C] by watched cell. A state is left out where one of them says that the slides left cannot
    suffice."""

    within: int
    scales: Any
    pis: Any
    weights: Any


@dataclass(frozen=True, slots=True)
class Exploration:
    """``solved_after``: the least number of slides that paints everything, -1 where no state found does; ``complete``:
    whether the limit let all states be seen; ``states``: their number; ``legal``, ``idle``: the legal moves of the
    unsolved ones, and those that paint nothing; ``masks``: uint64[states, W], what is painted; ``successors``:
    int32[states, 4] by the direction of the slide, -1 where there is none (only on request, else empty)."""

    solved_after: int
    complete: bool
    states: int
    legal: int
    idle: int
    masks: Any
    successors: Any


def classes(graph: SlideGraph) -> dict[int, list[int]]:
    """The cells that the same slides paint, by the first of them; the start, painted at first, is in none."""
    first: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    for cell, slides in sorted(graph.painters.items()):
        members.setdefault(first.setdefault(slides, cell), []).append(cell)
    return members


def required_cells(graph: SlideGraph) -> list[int]:
    """The first cells of the classes whose painters include no other class's."""
    by_slide: dict[int, list[int]] = {}
    sets = {cell: graph.painters[cell] for cell in classes(graph)}
    for mask in sets.values():
        for slide in cells_of(mask):
            by_slide.setdefault(slide, []).append(mask)
    return [
        cell
        for cell, mask in sets.items()
        if not any(other != mask and other & mask == other for slide in cells_of(mask) for other in by_slide[slide])
    ]


def pack(graph: SlideGraph, watched: Iterable[int]) -> Packed:
    cells = tuple(watched)
    words = max(1, -(-len(cells) // 64))
    bit = {cell: i for i, cell in enumerate(cells)}
    slides = [slide for exits in graph.exits for slide in exits]
    paints = np.zeros((len(slides), words), np.uint64)
    for e, (_, _, passed) in enumerate(slides):
        mask = sum(1 << bit[cell] for cell in cells_of(passed) if cell in bit)
        paints[e] = _words(mask, words)
    return Packed(
        cells,
        np.cumsum([0, *(len(exits) for exits in graph.exits)]),
        np.array([u for _, u, _ in slides], np.int64),
        np.array([d for d, _, _ in slides], np.int64),
        paints,
        np.array(_words((1 << len(cells)) - 1, words), np.uint64),
    )


def _words(mask: int, words: int) -> list[int]:
    return [mask >> 64 * q & (1 << 64) - 1 for q in range(words)]


def explore(
    p: Packed, limit: int, *, to_the_end: bool, successors: bool = False, guide: Guide | None = None
) -> Exploration:
    """Breadth-first search from the start over at most ``limit`` states. ``to_the_end``: go on where a solved state has
    been found. Solved states are terminal."""
    small = 1 << 15  # most levels need no more; the memory of a large search is slow to touch
    if limit > small:
        found = explore(p, small, to_the_end=to_the_end, successors=successors, guide=guide)
        if found.complete:
            return found
    g = guide or Guide(0, np.zeros(0, np.int64), np.zeros((0, 1), np.int64), np.zeros((0, 1, 1), np.int64))
    masks = np.zeros((limit, p.everything.size), np.uint64)
    after = np.full((limit if successors else 0, 4), -1, np.int32)
    solved_after, complete, states, legal, idle = _explore(
        p.first,
        p.heads,
        p.directions,
        p.paints,
        p.everything,
        to_the_end,
        g.within,
        g.scales,
        g.pis,
        g.weights,
        np.zeros(limit, np.int32),
        masks,
        np.zeros(1 << (2 * limit - 1).bit_length(), np.int32),
        after,
    )
    return Exploration(solved_after, complete, states, legal, idle, masks[:states], after[:states])


@compiled
def _slot(table: Any, nodes: Any, masks: Any, node: int, mask: Any) -> Any:
    """Where the open hash table has the state, as its number + 1, or the free slot (0) for it."""
    h = np.uint64(node + 1) * np.uint64(0x9E3779B97F4A7C15)
    for q in range(mask.size):
        h = (h ^ (h >> np.uint64(32)) ^ mask[q]) * np.uint64(0xD6E8FEB86659FD93)
    h ^= h >> np.uint64(32)
    i = np.int64(h & np.uint64(table.size - 1))
    while table[i]:
        n = table[i] - 1
        same = nodes[n] == node
        for q in range(mask.size):
            if masks[n, q] != mask[q]:
                same = False
        if same:
            break
        i = (i + 1) & (table.size - 1)
    return i


@compiled
def _explore(
    first: Any,
    heads: Any,
    directions: Any,
    paints: Any,
    everything: Any,
    to_the_end: bool,
    within: int,
    scales: Any,
    pis: Any,
    weights: Any,
    nodes: Any,
    masks: Any,
    table: Any,
    successors: Any,
) -> Any:
    """The first five fields of Exploration. ``nodes``, ``masks``: room for the states, in the order of discovery;
    ``table``: zeros, a power of two of them; ``successors``: filled where it has rows."""
    words = everything.size
    mask = np.zeros(words, np.uint64)
    order = np.arange(scales.size)
    table[_slot(table, nodes, masks, 0, mask)] = 1
    count, at, layer_end, depth = 1, 0, 1, 0
    solved_after = -1
    legal = idle = 0
    while at < count:
        if at == layer_end:
            depth += 1
            layer_end = count
        done = True
        for q in range(words):
            if masks[at, q] != everything[q]:
                done = False
        if done:
            if solved_after < 0:
                solved_after = depth
            if not to_the_end:
                break
            at += 1
            continue
        for e in range(first[nodes[at]], first[nodes[at] + 1]):
            same = True
            for q in range(words):
                mask[q] = masks[at, q] | paints[e, q]
                if mask[q] != masks[at, q]:
                    same = False
            legal += 1
            if same:
                idle += 1
            node = heads[e]
            hopeless = scales.size > 0 and depth >= within
            for j in order:
                h = pis[j, node]
                for c in range(weights.shape[2]):
                    if not mask[c >> 6] >> np.uint64(c & 63) & np.uint64(1):
                        h += weights[j, node, c]
                if h > scales[j] * (within - depth - 1):
                    hopeless = True
                    for k in range(order.size):  # ask first the one that answered last
                        if order[k] == j:
                            order[0], order[k] = j, order[0]
                            break
                    break
            if hopeless:
                continue
            i = _slot(table, nodes, masks, node, mask)
            if not table[i]:
                if count == nodes.size:
                    return solved_after, False, count, legal, idle
                nodes[count] = node
                for q in range(words):
                    masks[count, q] = mask[q]
                count += 1
                table[i] = count
            if successors.shape[0]:
                successors[at, directions[e]] = table[i] - 1
        at += 1
    return solved_after, True, count, legal, idle


@dataclass(frozen=True, slots=True)
class DeadEnds:
    """``unsolved``, ``dead``: the reachable states that are not solved, and those that cannot be; ``legal``, ``fatal``:
    the legal moves of the solvable ones, and those into dead states; ``risky``: the solvable states that have a fatal
    move; ``deceptive``: those where the move that paints most (of equals the first in the order of MOVES) is fatal."""

    unsolved: int
    dead: int
    legal: int
    fatal: int
    risky: int
    deceptive: int


def dead_ends(found: Exploration, sizes: list[int]) -> DeadEnds:
    """Counts over a complete exploration with successors; ``sizes``: of the class of each watched cell, its cells."""
    return DeadEnds(*_dead_ends(found.masks, found.successors, np.array(sizes, np.int64)))


@compiled
def _dead_ends(masks: Any, successors: Any, sizes: Any) -> Any:
    states = successors.shape[0]
    alive = np.zeros(states, np.uint8)
    terminal = np.zeros(states, np.uint8)
    painted = np.zeros(states, np.int64)
    for n in range(states):
        terminal[n] = 1
        for d in range(4):
            if successors[n, d] >= 0:
                terminal[n] = 0  # from an unsolved state the ball can at least go back
        alive[n] = terminal[n]
        for c in range(sizes.size):
            if masks[n, c >> 6] >> np.uint64(c & 63) & np.uint64(1):
                painted[n] += sizes[c]
    changed = True
    while changed:
        changed = False
        for n in range(states - 1, -1, -1):
            if not alive[n]:
                for d in range(4):
                    m = successors[n, d]
                    if m >= 0 and alive[m]:
                        alive[n] = 1
                        changed = True
    unsolved = dead = legal = fatal = risky = deceptive = 0
    for n in range(states):
        if terminal[n]:
            continue
        unsolved += 1
        if not alive[n]:
            dead += 1
            continue
        before, best, most = fatal, -1, -1
        for d in range(4):
            m = successors[n, d]
            if m >= 0:
                legal += 1
                if not alive[m]:
                    fatal += 1
                if painted[m] > most:
                    best, most = m, painted[m]
        if fatal > before:
            risky += 1
            if not alive[best]:
                deceptive += 1
    return unsolved, dead, legal, fatal, risky, deceptive


def random_wins(p: Packed, seed: int, players: int, swipes: int) -> int:
    """How many of ``players`` solve the board within ``swipes`` swipes. A player swipes uniformly at random, but never
    back where it came from unless nothing else is possible. Random words: splitmix64 from ``seed``."""
    won: int = _random_wins(p.first, p.heads, p.directions, p.paints, p.everything, np.uint64(seed), players, swipes)
    return won


@compiled
def _random_wins(
    first: Any, heads: Any, directions: Any, paints: Any, everything: Any, seed: Any, players: int, swipes: int
) -> int:
    words = everything.size
    mask = np.zeros(words, np.uint64)
    won = 0
    for _ in range(players):
        node, back = 0, -1
        for q in range(words):
            mask[q] = 0
        for _ in range(swipes):
            begin, count = first[node], first[node + 1] - first[node]
            avoid = -1
            if count > 1:
                for e in range(begin, begin + count):
                    if directions[e] == back:
                        avoid = e
            seed += np.uint64(0x9E3779B97F4A7C15)
            word = (seed ^ (seed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            word ^= word >> np.uint64(31)
            choices = count if avoid < 0 else count - 1
            e = begin + np.int64(((word >> np.uint64(32)) * np.uint64(choices)) >> np.uint64(32))
            if avoid >= 0 and e >= avoid:
                e += 1
            node, back = heads[e], directions[e] ^ 1
            done = True
            for q in range(words):
                mask[q] |= paints[e, q]
                if mask[q] != everything[q]:
                    done = False
            if done:
                won += 1
                break
    return won
