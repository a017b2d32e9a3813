"""What exact solvers say of the open level, for rewards and for those who ask for it: never part of an observation."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...games import GAMES
from ..potential import Potential
from ..solving import SOLVERS
from ..view import Objective

if TYPE_CHECKING:
    from ...pipeline.level import Level
    from ..solving import Solver
    from ..view import View


class Insight:
    """Prepares a level when it is first asked about, and keeps that. A solver that gives up after so many searches
    counts anew in every episode, so that an episode does not depend on those before it."""

    def __init__(self) -> None:
        self._potentials: dict[str, Potential] = {}
        self._solvers: dict[str, Solver] = {}
        self._asked: dict[str, Solver] = {}  # in this episode

    def begin(self) -> None:
        """A new episode."""
        self._asked = {}

    def potential(self, view: View) -> float | None:
        """By which the evaluator grades the open level; None where none is open."""
        if view.level is None or view.tier is None:
            return None
        level = view.level
        if level.id not in self._potentials:
            self._potentials[level.id] = Potential(Objective(level.game, view.tier, (level,)))
        measured = self._potentials[level.id].of(view)
        return measured.value if measured else None

    def remaining(self, view: View) -> float | None:
        """The moves that the open level needs at least, inf where it is lost; None where that is not known."""
        found = self._ask(view, lambda solver: solver.remaining(view.state), 0)
        return None if found is None else float(found)

    def is_dead(self, view: View) -> bool | None:
        """Whether the open level is lost; None where that is not known."""
        found: bool | None = self._ask(view, lambda solver: solver.is_lost(view.state), False)
        return found

    def _ask(self, view: View, question: Callable[[Solver], Any], solved: Any) -> Any:
        level = view.level
        if level is None or level.game not in SOLVERS:
            return None
        if GAMES[level.game].solved(view.board, view.state):
            return solved
        return question(self._solver(level, view.board))

    def _solver(self, level: Level, board: Any) -> Solver:
        if level.id not in self._asked:
            if level.id not in self._solvers:
                self._solvers[level.id] = SOLVERS[level.game](board)
            self._asked[level.id] = copy.copy(self._solvers[level.id])
        return self._asked[level.id]
