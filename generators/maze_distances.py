"""How many slides every position of a Maze Paint level still needs: all of them at once.

Forward: all positions (stop, painted required cells) that play can reach, layer by layer. Backward: the distance of a
position is one more than the least of those that a slide leads to, over and over until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..games.maze import MOVES, Board, State
from .maze_graph import SlideGraph, slide_graph

STOP_BITS = 12  # enough for 64 by 64 cells; the painted required cells lie above
MOST_REQUIRED = 64 - STOP_BITS
LOST = -1


@dataclass(frozen=True, slots=True)
class Distances:
    """``keys`` uint64[N], rising: the positions that play can reach; ``slides`` int32[N]: what each still needs, LOST
    where no play paints everything any more."""

    graph: SlideGraph
    keys: Any
    slides: Any

    def of(self, state: State) -> int:
        """Raises KeyError for a state that play does not reach."""
        painted = sum(1 << i for i, cell in enumerate(self.graph.required) if state.painted >> cell & 1)
        if state.ball not in self.graph.stops:
            raise KeyError(state)
        key = np.uint64(painted << STOP_BITS | self.graph.stops.index(state.ball))
        at = int(np.searchsorted(self.keys, key))
        if at == len(self.keys) or self.keys[at] != key:
            raise KeyError(state)
        return int(self.slides[at])


def distances(board: Board, limit: int) -> Distances | None:
    """None where play reaches more than ``limit`` positions, or a board has too many required cells for a key. Raises
    Unsolvable where a floor cell is on no slide."""
    graph = slide_graph(board)
    if len(graph.required) > MOST_REQUIRED:
        return None
    to = np.full((len(graph.stops), len(MOVES)), -1, np.int64)
    paints = np.zeros(to.shape, np.uint64)
    for tail, head, move, mask in zip(graph.tails, graph.heads, graph.moves, graph.paints, strict=True):
        to[tail, MOVES.index(move)] = head
        paints[tail, MOVES.index(move)] = mask << STOP_BITS
    goal = np.uint64(graph.everything << STOP_BITS)
    keys = _reachable(to, paints, goal, limit)
    return None if keys is None else Distances(graph, keys, _slides(keys, to, paints, goal))


def _after(keys: Any, to: Any, paints: Any, direction: int) -> tuple[Any, Any]:
    """(which of the positions the ball can move from, the positions after that)."""
    stops = (keys & np.uint64((1 << STOP_BITS) - 1)).astype(np.int64)
    heads = to[stops, direction]
    can = heads >= 0
    painted = (keys[can] | paints[stops[can], direction]) >> np.uint64(STOP_BITS) << np.uint64(STOP_BITS)
    return can, painted | heads[can].astype(np.uint64)


def _reachable(to: Any, paints: Any, goal: Any, limit: int) -> Any:
    layer = seen = np.zeros(1, np.uint64)
    while len(layer):
        layer = layer[layer & goal != goal]  # a solved level takes no moves
        found = np.unique(np.concatenate([_after(layer, to, paints, d)[1] for d in range(len(MOVES))]))
        at = np.minimum(np.searchsorted(seen, found), len(seen) - 1)
        layer = found[seen[at] != found]
        if len(seen) + len(layer) > limit:
            return None
        seen = np.union1d(seen, layer)
    return seen


def _slides(keys: Any, to: Any, paints: Any, goal: Any) -> Any:
    done = keys & goal == goal
    far = np.int32(len(keys))  # no shortest way is as long
    slides = np.where(done, 0, far).astype(np.int32)
    leads = np.full((len(MOVES), len(keys)), -1, np.int64)
    for d in range(len(MOVES)):
        can, after = _after(keys, to, paints, d)
        # beyond a solved position there is nothing to look for
        leads[d, can & ~done] = np.searchsorted(keys, after)[~done[can]]
    while True:
        least = np.where(leads >= 0, slides[leads], far).min(axis=0)
        better = np.minimum(slides, least + 1)
        if (better == slides).all():
            return np.where(slides < far, slides, LOST).astype(np.int32)
        slides = better
