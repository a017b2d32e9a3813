"""What exact solvers say of any state of a level: how many moves it still needs, and whether it is lost.

One entry a game in ``SOLVERS``; a game without one has no figures that need it. Every limit counts states, so that the
same record gives the same figures everywhere; beyond it the answer is None, never a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from math import inf
from typing import Any, Protocol

from ..games import GAMES
from ..games.base import Unproven, Unsolvable
from ..pipeline.level import level_id
from .record import InvalidRecord

POSITIONS = 1_000_000  # of a level, where a solver looks at all of them at once
SEARCHES = 2_000  # different states of a level, where each costs a search of its own
FLOWS = 300  # ... or an integer program


class Solver(Protocol):
    """Of one level. States are the game's own, never solved ones."""

    def remaining(self, state: Any) -> float | None:
        """The least number of moves that solve it, inf where none do, None where that is not known."""

    def is_lost(self, state: Any) -> bool | None:
        """Whether no play solves it; None where that is not known."""

    def key(self, state: Any) -> Hashable:
        """Equal for states that differ by a symmetry of the level only."""


class Mazes:
    """By the distances of all positions; where there are too many, by an integer flow from each, provided that the
    level has no dead end at all."""

    def __init__(self, board: Any) -> None:
        from ..generators.maze_distances import distances
        from ..generators.maze_growth import has_dead_end

        self._board, self._flows = board, 0
        try:
            self._distances = distances(board, POSITIONS)
        except Unsolvable:
            self._distances = None
        self._never_lost = self._distances is None and not has_dead_end(board)

    def remaining(self, state: Any) -> float | None:
        from ..generators.maze_flow import remaining

        if self._distances is not None:
            return _or_inf(self._distances.of(state))
        self._flows += 1
        if not self._never_lost or self._flows > FLOWS:
            return None
        try:
            return remaining(self._board, state)
        except Unproven:
            return None

    def is_lost(self, state: Any) -> bool | None:
        if self._distances is None:
            return False if self._never_lost else None
        return self._distances.of(state) < 0

    def key(self, state: Any) -> Hashable:
        return _itself(state)


class Rushes:
    """By the distances of all positions that slides join to the start. Every slide can be taken back: all of these are
    lost, or none."""

    def __init__(self, board: Any) -> None:
        from ..generators.rush_distances import Distances

        self._distances, self._lost = None, False
        try:
            self._distances = Distances(board, POSITIONS)
        except Unsolvable:
            self._lost = True
        except Unproven:
            pass

    def remaining(self, state: Any) -> float | None:
        if self._distances is None:
            return inf if self._lost else None
        return self._distances.of(state)

    def is_lost(self, state: Any) -> bool | None:
        return None if self._distances is None and not self._lost else self._lost

    def key(self, state: Any) -> Hashable:
        return _itself(state)


class Nuts:
    """By A* from each state, and by border tables."""

    def __init__(self, board: Any) -> None:
        self._board = board
        self._searches = 0

    def remaining(self, state: Any) -> float | None:
        from ..games.nut import Board
        from ..generators.nut_solver import solve

        lost = self.is_lost(state)
        if lost or lost is None:
            return inf if lost else None
        self._searches += 1
        if self._searches > SEARCHES:
            return None
        try:
            return solve(Board(self._board.capacity, state)).lower
        except Unproven:
            return None

    def is_lost(self, state: Any) -> bool | None:
        from ..generators.nut_solver import is_dead

        try:
            return is_dead(self._board, state)
        except Unproven:
            return None

    def key(self, state: Any) -> Hashable:
        return tuple(sorted(state))


class Trucks:
    """By counting: every vehicle needs its own departure, and one that leaves only frees cells, so that what is lost is
    lost from the start."""

    def __init__(self, board: Any) -> None:
        from ..generators.truck import solve

        self._lost = False
        try:
            solve(board)
        except Unsolvable:
            self._lost = True

    def remaining(self, state: int) -> float | None:
        return inf if self._lost else state.bit_count()

    def is_lost(self, state: Any) -> bool | None:
        return self._lost

    def key(self, state: Any) -> Hashable:
        return _itself(state)


class Bolts:
    """What is lost by the orders in which boards can leave. How many moves a state still needs is not known."""

    def __init__(self, board: Any) -> None:
        self._board = board

    def remaining(self, state: Any) -> float | None:
        return inf if self.is_lost(state) else None

    def is_lost(self, state: Any) -> bool | None:
        from ..generators.bolt import is_dead

        try:
            return is_dead(self._board, state)
        except Unproven:
            return None

    def key(self, state: Any) -> Hashable:
        return _itself(state)


class Colors:
    """Every line can be erased, so that what is lost is lost from the start. How many clicks a state still needs is not
    known."""

    def __init__(self, board: Any) -> None:
        from ..generators.color import solve

        self._lost: bool | None = False
        try:
            solve(board)
        except Unsolvable:
            self._lost = True
        except Unproven:
            self._lost = None

    def remaining(self, state: Any) -> float | None:
        return inf if self._lost else None

    def is_lost(self, state: Any) -> bool | None:
        return self._lost

    def key(self, state: Any) -> Hashable:
        return _itself(state)


def _or_inf(moves: int) -> float:
    return inf if moves < 0 else moves


def _itself(state: Hashable) -> Hashable:
    return state


Solvers = Mapping[str, Callable[[Any], Solver]]
SOLVERS: Solvers = {
    "bolt": Bolts,
    "color": Colors,
    "maze": Mazes,
    "nut": Nuts,
    "rush": Rushes,
    "truck": Trucks,
}


class Judge:
    """Of one level: its rules, and its solver if its game has one, which is asked once for each state."""

    def __init__(self, game: str, board_json: Any, solvers: Solvers | None = None) -> None:
        """Raises InvalidBoard."""
        self.game = GAMES[game]
        self.board = self.game.board(board_json)
        known = SOLVERS if solvers is None else solvers
        self._solver = known[game](self.board) if game in known else None
        self._remaining: dict[Any, float | None] = {}
        self._lost: dict[Any, bool | None] = {}

    @property
    def has_solver(self) -> bool:
        return self._solver is not None

    def remaining(self, state: Any) -> float | None:
        if self.game.solved(self.board, state):
            return 0
        if state not in self._remaining:
            self._remaining[state] = self._solver.remaining(state) if self._solver else None
        return self._remaining[state]

    def is_lost(self, state: Any) -> bool | None:
        if self.game.solved(self.board, state):
            return False
        if state not in self._lost:
            self._lost[state] = self._solver.is_lost(state) if self._solver else None
        return self._lost[state]

    def key(self, state: Any) -> Hashable:
        return self._solver.key(state) if self._solver else _itself(state)


class Judges:
    """Of the levels of many episodes, each set up once. ``boards``: board JSON by level id, where records hold none."""

    def __init__(self, boards: Mapping[str, Any] | None = None, solvers: Solvers | None = None) -> None:
        self._boards, self._solvers = boards or {}, solvers
        self._judges: dict[str, Judge] = {}

    def of(self, game: str, level: Mapping[str, Any]) -> Judge | None:
        """``level`` as an ``episode_start`` has it; None where nobody knows its board. Raises InvalidRecord where the
        board is not the one that the id names."""
        identity = str(level["id"])
        board = level.get("board", self._boards.get(identity))
        if game not in GAMES or board is None:
            return None
        if identity not in self._judges:
            if level_id(GAMES[game], board) != identity:
                what = "its board does not have this id, or the rules have changed"
                fix = "score it without --moves, or with the lpb-gen that made it"
                raise InvalidRecord(what, where=identity, fix=fix)
            self._judges[identity] = Judge(game, board, self._solvers)
        return self._judges[identity]
