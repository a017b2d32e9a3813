"""What a session shows of itself: the objectives it offers, the player's situation, and notes of what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..games import GAMES
from ..games.base import LpbError
from ..pipeline.level import Level

Screen = Literal["home", "tiers", "level", "solved", "complete"]
LANGUAGES = ("en", "zh")


class InvalidSession(LpbError):
    """The suite cannot be set up from these levels, or a saved session does not fit them."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A game at a tier, with its levels in catalogue order."""

    game: str
    tier: str
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that happened; ``data`` is JSON-ready.

    =========== ============================================================ ==========================
    kind        what happened                                                data
    =========== ============================================================ ==========================
    enter       a screen was opened                                          screen, game, tier, level
    move        the board changed                                            move, moves
    invalid     an input that the rules forbid                               reason, move
    violation   what else an evaluator is told of the move just made         reason
    solved      a level was won                                              game, tier, level, moves
    complete    the last level of an objective was won                       game, tier
    restart     a new attempt began                                          game, tier, level, moves
    undo        a move was taken back                                        game, tier, level, moves
    lang        the language was switched                                    lang
    miss        a press and release that hit nothing to act on; ``target``   x, y, target
                is "board", a control (locked, or left before the release)
                or empty
    ignored     a key that means nothing here                                key
    =========== ============================================================ ==========================

    ``level`` is an index from 0 or None; ``moves`` is the counter after the event.
    """

    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    """A player's situation. Everything that is drawn is a function of it.

    ``level_index`` counts from 0 and is None outside a level; ``board``, ``state`` and ``ui`` are the game's own values
    and stay on the solved and completion cards; ``ready``: a level is open and takes moves; ``won`` has every objective
    as a key; ``moves_made``: the moves of this attempt, undone ones included; ``attempts``: those at this level so far,
    with this one; ``mark``: the label, or the refusal of the game, that says why the last input did nothing, or empty;
    ``pressed``: the control, "board" or "nothing" that a press began on, or empty.
    """

    objectives: tuple[Objective, ...]
    lang: str
    screen: Screen
    game: str | None
    tier: str | None
    level_index: int | None
    level: Level | None
    board: Any
    state: Any
    ui: Any
    ready: bool
    won: dict[tuple[str, str], frozenset[int]]
    moves_made: int
    attempts: int
    can_undo: bool
    mark: str
    pressed: str

    def objective(self) -> Objective | None:
        """The objective of the open level or card."""
        return next((o for o in self.objectives if (o.game, o.tier) == (self.game, self.tier)), None)

    def tiers(self, game: str) -> tuple[Objective, ...]:
        """The objectives of a game, in the order of its difficulty menu."""
        return tuple(o for o in self.objectives if o.game == game)

    def is_open(self, index: int) -> bool:
        """Whether a player may enter this level: the first one, a won one, or the one after a won one."""
        won = self.won[self.game or "", self.tier or ""]
        return index == 0 or index in won or index - 1 in won


def checked(objectives: Sequence[Objective]) -> tuple[Objective, ...]:
    """The objectives, if a suite can offer them. Raises InvalidSession, InvalidBoard."""
    seen: set[tuple[str, str]] = set()
    for objective in objectives:
        where = f"{objective.game} {objective.tier}"
        if objective.game not in GAMES:
            raise InvalidSession(f"there is no game {objective.game!r}", where=where, fix=f"games: {', '.join(GAMES)}")
        if (objective.game, objective.tier) in seen:
            raise InvalidSession("the same objective twice", where=where)
        seen.add((objective.game, objective.tier))
        for number, level in enumerate(objective.levels, 1):
            if level.game != objective.game:
                raise InvalidSession(f"level {number} is of the game {level.game!r}", where=where)
            rules = GAMES[level.game].rules_version
            if level.rules_version != rules:
                what = f"level {number} is of version {level.rules_version} of the rules, these are of version {rules}"
                fix = "install the lpb-gen that the snapshot's toolchain names"
                raise InvalidSession(what, where=where, fix=fix)
            GAMES[level.game].board(level.board)
    return tuple(objectives)
