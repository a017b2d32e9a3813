"""What a situation is worth; rewards are its differences, so that an episode's return is what it ends at, less what it
began at.

    sparse      a level: 1 where it is won, else 0.  An objective: the share of its levels that are won (LC)
    progress    a level: its potential, 1 where it is won.  An objective: the mean over its levels of the largest
                potential that was seen (FGP)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ..view import Objective, View
    from .insight import Insight

Reward = Literal["sparse", "progress"]


class Worth:
    """Of one episode about the level with index ``level``, or about the whole objective where it is None."""

    def __init__(self, objective: Objective, level: int | None, reward: Reward) -> None:
        self._objective, self._level, self._reward = objective, level, reward
        self._best = [0.0] * len(objective.levels)
        self._last = 0.0

    def won(self, view: View) -> frozenset[int]:
        return view.won[self._objective.game, self._objective.tier]

    def is_solved(self, view: View) -> bool:
        won = self.won(view)
        return len(won) == len(self._best) if self._level is None else self._level in won

    def gain(self, view: View, insight: Insight) -> float:
        """What the situation is worth more than the one before."""
        before, self._last = self._last, self._of(view, insight)
        return self._last - before

    def _of(self, view: View, insight: Insight) -> float:
        won = self.won(view)
        if self._level is None:
            if self._reward == "sparse":
                return len(won) / len(self._best)
            if self._is_here(view) and view.level_index is not None:
                seen = insight.potential(view) or 0.0
                self._best[view.level_index] = max(self._best[view.level_index], seen)
            return sum(1.0 if index in won else best for index, best in enumerate(self._best)) / len(self._best)
        if self._level in won:
            return 1.0
        if self._reward == "sparse":
            return 0.0
        is_open = self._is_here(view) and view.level_index == self._level
        return insight.potential(view) or 0.0 if is_open else self._last

    def _is_here(self, view: View) -> bool:
        return (view.game, view.tier) == (self._objective.game, self._objective.tier)
