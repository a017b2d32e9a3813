"""The cautious player: greedy among the moves that keep the board solvable. What it wins beyond greedy is the price of
not looking ahead."""

from __future__ import annotations

import logging
from typing import Any

from ..solving import Judge
from ..view import View
from .greedy import Greedy

# A board of these games that can be solved stays so: every slide can be taken back, a vehicle that leaves only makes
# room, every line can be erased. A level of a snapshot is proven to be solvable.
NEVER_LOST = ("rush", "truck", "color")
MAZE = "maze"


class Cautious(Greedy):
    """Plays one objective as ``Greedy`` does, but makes no move after which the level is lost, as the exact deciders
    say. Where they cannot tell within their limit it prefers a move of which they can, and it says so."""

    name = "cautious"

    def __init__(self, game: str, tier: str) -> None:
        super().__init__(game, tier)
        self._judges: dict[str, Judge | None] = {}  # by level; None: it is never lost
        self._undecided: set[str] = set()

    def moves(self, view: View) -> list[Any]:
        assert view.level is not None
        if view.level.id not in self._judges:
            self._judges[view.level.id] = self._judge(view)
        judge, moves = self._judges[view.level.id], super().moves(view)
        if judge is None:
            return moves
        lost = [judge.is_lost(judge.game.apply(judge.board, view.state, move)) for move in moves]
        if None in lost:
            self._say_undecided(view)
        for verdict in (False, None):
            if verdict in lost:
                return [move for move, own in zip(moves, lost, strict=True) if own is verdict]
        return []

    def nothing_left(self, view: View) -> str:
        return "Every move that is left on this level loses it."

    def _judge(self, view: View) -> Judge | None:
        assert view.level is not None
        if self._game in NEVER_LOST:
            return None
        if self._game == MAZE:
            from ...generators.maze_growth import has_dead_end

            if not has_dead_end(view.board):
                return None
        return Judge(self._game, view.level.board)

    def _say_undecided(self, view: View) -> None:
        """Once a level."""
        assert view.level is not None
        if view.level.id not in self._undecided:
            self._undecided.add(view.level.id)
            text = (
                f"cautious: level {(view.level_index or 0) + 1} has positions that cannot be decided within the limit"
            )
            logging.getLogger("lpb_gen.agents").info(text)
