"""The plans of a Bolt Unscrew level that has too many states for a search: screws that hold planks, and planks left.

Where parked screws stand does not matter for what can still be solved: they lie under nothing, and are rearranged at
will as long as one hole is free. A removal takes out one screw that holds a plank; then every plank leaves that can be
made to. All plans with the same number of screws out are made at once, as arrays (numpy): a removal leads from one such
layer to the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..games.base import Unproven
from ..games.bolt_board import Board

Words = NDArray[np.uint64]


class PlanFigures(NamedTuple):
    """Counts over all plans; removals from solvable plans, and of these those to dead ones; of each of the latter the
    most removals that can follow: their sum and maximum."""

    solvable: bool
    plans: int
    dead: int
    removals: int
    fatal: int
    silent: int
    longest: int


class _Layer(NamedTuple):
    held: Words
    left: Words
    origin: NDArray[np.int64]  # of each removal from here the plan that it starts from
    reached: NDArray[np.int64]  # and the one in the next layer that it leads to


def _bit(place: int) -> np.uint64:
    return np.uint64(1 << place)


def _sizes(words: Words) -> NDArray[np.int64]:
    """The number of members of each set."""
    as_bytes = np.ascontiguousarray(words).view(np.uint8).reshape(-1, 8)
    sizes: NDArray[np.int64] = _BYTE_SIZES[as_bytes].sum(axis=1)
    return sizes


_BYTE_SIZES = np.array([n.bit_count() for n in range(256)], np.int64)


class _Rules:
    def __init__(self, board: Board) -> None:
        found = board.relations
        self.holes = np.uint64((1 << len(board.holes)) - 1)
        self.cover = [np.uint64(c) for c in found.cover]
        self.lane = [np.uint64(c) for c in found.lane]
        self.stops = [np.uint64(o | c) for o, c in zip(found.own, found.lane, strict=True)]
        self.hidden = [np.uint64(c & ~o) for c, o in zip(found.coverers, found.owners, strict=True)]

    def open_holes(self, left: Words) -> Words:
        covered = np.zeros_like(left)
        for plank, cover in enumerate(self.cover):
            covered |= np.where(left & _bit(plank), cover, np.uint64(0))
        return self.holes & ~covered

    def cleared(self, held: Words, left: Words, parked: int) -> Words:
        """The planks left when all that can be made to leave have left."""
        left = left.copy()
        waiting = np.arange(len(left))
        while len(waiting):
            changed = np.zeros(len(waiting), bool)
            for plank, stops in enumerate(self.stops):
                some = np.flatnonzero((left[waiting] & _bit(plank) != 0) & (held[waiting] & stops == 0))
                rows = waiting[some]
                room = _sizes(self.open_holes(left[rows]) & ~self.lane[plank]) >= parked
                left[rows[room]] ^= _bit(plank)
                changed[some[room]] = True
            waiting = waiting[changed]
        return left


def count_plans(board: Board, limit: int) -> PlanFigures:
    """All figures over plans. Raises Unproven beyond ``limit`` plans."""
    rules = _Rules(board)
    held = np.array([sum(1 << hole for hole in board.screws)], np.uint64)
    left = rules.cleared(held, np.array([(1 << len(board.planks)) - 1], np.uint64), 0)
    layers: list[_Layer] = []
    plans = 0
    while len(held):
        plans += len(held)
        if plans > limit:
            raise Unproven(f"more than {limit:,} plans", where="bolt")
        layer, held, left = _expanded(rules, held, left, len(layers), board.screws)
        layers.append(layer)
    return _counted(layers)


def _expanded(
    rules: _Rules, held: Words, left: Words, parked: int, screws: tuple[int, ...]
) -> tuple[_Layer, Words, Words]:
    """A layer with its removals, and the plans of the next one."""
    has_room = _sizes(rules.open_holes(left)) > parked
    origins, after_held, after_left = [], [], []
    for hole in screws:
        here = np.flatnonzero(has_room & (held & _bit(hole) != 0) & (left & rules.hidden[hole] == 0))
        origins.append(here)
        after_held.append(held[here] ^ _bit(hole))
        after_left.append(rules.cleared(after_held[-1], left[here], parked + 1))
    origin, new_held, new_left = (np.concatenate(parts) for parts in (origins, after_held, after_left))
    order = np.lexsort((new_left, new_held))
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(new_held[order]) != 0) | (np.diff(new_left[order]) != 0)
    reached = np.empty(len(order), np.int64)
    reached[order] = np.cumsum(first) - 1
    return _Layer(held, left, origin, reached), new_held[order][first], new_left[order][first]


def _counted(layers: list[_Layer]) -> PlanFigures:
    dead = removals = fatal = silent = longest = 0
    alive, plays = np.zeros(0, bool), np.zeros(0, np.int64)
    for layer in reversed(layers):
        lives = alive[layer.reached]
        follow = plays[layer.reached]
        alive = (layer.left == 0) | (np.bincount(layer.origin[lives], minlength=len(layer.left)) > 0)
        plays = np.zeros(len(layer.left), np.int64)
        np.maximum.at(plays, layer.origin, follow + 1)
        from_solvable = alive[layer.origin]
        fatal_here = follow[from_solvable & ~lives]
        dead += int((~alive).sum())
        removals += int(from_solvable.sum())
        fatal += len(fatal_here)
        silent += int(fatal_here.sum())
        longest = max(longest, int(fatal_here.max(initial=0)))
    return PlanFigures(bool(alive[0]), sum(len(layer.left) for layer in layers), dead, removals, fatal, silent, longest)
