"""How many slides every position of a Rush Hour level still needs: all that slides join to its start, at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..games.rush import Board, State
from .rush_kernel import LIMIT, Packed, flood, pack

LOST = -1


@dataclass(frozen=True, slots=True)
class Distances:
    """``keys`` int64[N], rising: the packed positions; ``slides`` int16[N]: what each still needs. Both are empty where
    no position has the target at the exit."""

    packed: Packed
    keys: Any
    slides: Any

    def of(self, state: State) -> int:
        """The slides, LOST where nothing solves the level. Raises KeyError for a position that slides do not join to
        the start."""
        if not len(self.keys):
            return LOST
        key = np.uint64(0)
        for i, (line, places) in enumerate(zip(self.packed.lines, self.packed.places, strict=True)):
            place = tuple(state[n] for n in line)
            if place not in places:
                raise KeyError(state)
            key |= np.uint64(places.index(place) << 4 * i)
        wanted = key.astype(np.int64)
        at = int(np.searchsorted(self.keys, wanted))
        if at == len(self.keys) or self.keys[at] != wanted:
            raise KeyError(state)
        return int(self.slides[at])


def distances(board: Board, limit: int) -> Distances | None:
    """None where slides join more than ``limit`` positions."""
    packed = pack(board)
    size, keys, slides = flood(packed.start, packed.grid, limit)
    if size == LIMIT:
        return None
    order = np.argsort(keys)
    return Distances(packed, keys[order], slides[order])
