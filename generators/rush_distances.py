"""How far every position of a Rush Hour board is from the exit, for those who grade: exact, by one flood of its
component."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..games.base import Unproven, Unsolvable
from ..games.rush import Board, State
from .rush_kernel import LIMIT, flood
from .rush_packing import Packed, pack, pack_state


class Distances:
    """The least number of slides that solve each position which moves can reach from the board's start."""

    def __init__(self, board: Board, limit: int) -> None:
        """Raises Unproven where there are more than ``limit`` positions, Unsolvable where none is solved."""
        self._packed: Packed = pack(board)
        size, states, distances = flood(self._packed, limit)
        if size == LIMIT:
            raise Unproven(f"more than {limit:,} positions", where="rush")
        if not len(states):
            raise Unsolvable(f"none of the {size:,} positions has the target at the exit", where="rush")
        order = np.argsort(states)
        self._states: Any = states[order]
        self._distances: Any = distances[order]

    def __len__(self) -> int:
        return len(self._states)

    def of(self, state: State) -> int:
        """Raises KeyError for what moves cannot reach."""
        wanted = pack_state(self._packed, state)
        at = int(np.searchsorted(self._states, wanted))
        if at == len(self._states) or self._states[at] != wanted:
            raise KeyError(state)
        return int(self._distances[at])
