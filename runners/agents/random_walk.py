"""The random player: a uniformly random legal move, for ever."""

from __future__ import annotations

from ...games import GAMES
from ...generators.stream import Stream
from ..actions import Action, gesture
from .base import Answer, Insight
from .navigation import click, way_to_board


class RandomWalk:
    """Plays one objective; the same seed plays the same game. Restarts a level without a move left; never gives up."""

    name = "random"

    def __init__(self, game: str, tier: str, seed: int) -> None:
        self._game, self._tier = game, tier
        self._stream = Stream((seed,), ())

    def act_knowing(self, instruction: str, insight: Insight) -> Action | Answer:
        way = way_to_board(insight, self._game, self._tier)
        if way is not None:
            return way
        view = insight.view
        moves = list(GAMES[self._game].moves(view.board, view.state))
        if not moves:
            return click(insight, "restart")
        return gesture(insight.pointers(self._stream.choice(moves)))
