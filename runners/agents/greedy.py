"""The greedy player: always the move that raises visible progress most, the first of equals."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...games import GAMES
from ..actions import Action, gesture
from ..view import View
from .base import Answer, Insight
from .navigation import way_to_board

RETURNS = 3  # after coming back to one state so often it would only go round for ever


class Greedy:
    """Plays one objective; gives up where it comes back to one state of a level for the third time, or has no move."""

    name = "greedy"

    def __init__(self, game: str, tier: str) -> None:
        self._game, self._tier = game, tier
        self._visits: Counter[tuple[int | None, object]] = Counter()

    def act_knowing(self, instruction: str, insight: Insight) -> Action | Answer:
        way = way_to_board(insight, self._game, self._tier)
        if way is not None:
            return way
        view, game = insight.view, GAMES[self._game]
        here = (view.level_index, view.state)
        self._visits[here] += 1
        moves = self.moves(view)
        if not moves:
            return Answer(self.nothing_left(view))
        if self._visits[here] > RETURNS:
            return Answer("I keep coming back to the same position on this level.")
        best = max(moves, key=lambda move: game.progress(view.board, game.apply(view.board, view.state, move)))
        return gesture(insight.pointers(best))

    def moves(self, view: View) -> list[Any]:
        """Those that it chooses among."""
        return list(GAMES[self._game].moves(view.board, view.state))

    def nothing_left(self, view: View) -> str:
        """What it says where it has none."""
        return "No move is left on this level."
