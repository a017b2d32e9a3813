"""The potential P_g of a position, by which the evaluator grades unfinished levels.

Most games define it as their visible progress. Rush Hour's takes the exact remaining distance, which only a search of
all positions knows; the suite never shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..games import GAMES
from ..games.base import Unproven, Unsolvable

if TYPE_CHECKING:
    from .view import Objective, View

VISIBLE = "visible progress"
EXACT = "exact distance"
STATE_LIMIT = 2_000_000  # positions of a Rush Hour board: about a second, and 200 MB for a moment


class Measured(NamedTuple):
    """``value``: in [0, 1], 1 only where solved; ``by``: VISIBLE or EXACT, with the reason where it is not the one that
    the game should have."""

    value: float
    by: str


Measure = Callable[[Any], float]  # of a state


class Potential:
    """The potential of any position in the suite. That of the objective's levels is prepared here, not on the player's
    clock; levels of other objectives, which earn nothing, are measured by visible progress."""

    def __init__(self, objective: Objective, *, limit: int = STATE_LIMIT) -> None:
        self.objective = objective
        self._measures: dict[str, tuple[Measure | None, str]] = {}
        exact = EXACT_MEASURES.get(objective.game)
        if exact is None:
            return
        for level in objective.levels:
            try:
                self._measures[level.id] = exact(GAMES[objective.game].board(level.board), limit), EXACT
            except (Unproven, Unsolvable) as error:
                self._measures[level.id] = None, f"{VISIBLE}: {error.what}"

    def of(self, view: View) -> Measured | None:
        """Of the open board; None where none is open."""
        if view.level is None or view.game is None:
            return None
        measure, by = self._measures.get(view.level.id, (None, VISIBLE))
        value = measure(view.state) if measure else GAMES[view.game].progress(view.board, view.state)
        return Measured(round(float(value), 6), by)


def rush(board: Any, limit: int) -> Measure:
    """0.8 times the exact distance's progress, 1 - d(s) / max(d(start), d(s)), plus 0.2 times the share of the vehicles
    that stood in the target's way at the start and no longer do (1 where none stood); at most 0.99 before it is solved.
    Raises Unproven, Unsolvable."""
    from ..games.rush import UNFINISHED, in_the_way, solved, start
    from ..generators.rush_distances import Distances

    distances = Distances(board, limit)
    first = distances.of(start(board))
    blockers = in_the_way(board, start(board))

    def measure(state: Any) -> float:
        if solved(board, state):
            return 1.0
        left = distances.of(state)
        gone = 1 - len(blockers & in_the_way(board, state)) / len(blockers) if blockers else 1.0
        return min(UNFINISHED, 0.8 * (1 - left / max(first, left)) + 0.2 * gone)

    return measure


EXACT_MEASURES: Mapping[str, Callable[[Any, int], Measure]] = {"rush": rush}
