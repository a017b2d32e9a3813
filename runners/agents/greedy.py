"""The greedy player: always the move that raises visible progress most, the first of equals."""

from __future__ import annotations

from collections import Counter

from ...games import GAMES
from ..actions import Action, gesture
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
        moves = list(game.moves(view.board, view.state))
        if not moves:
            return Answer("No move is left on this level.")
        if self._visits[here] > RETURNS:
            return Answer("I keep coming back to the same position on this level.")
        best = max(moves, key=lambda move: game.progress(view.board, game.apply(view.board, view.state, move)))
        return gesture(insight.pointers(best))
