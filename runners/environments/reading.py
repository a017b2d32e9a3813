"""A level as the numbers of its game's code, in the shapes of all levels of its tier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from ...games import GAMES
from ..view import Screen
from .code import Code, Field, largest, zeros
from .codes import CODES
from .offer import invalid

if TYPE_CHECKING:
    from ..view import Objective, View
    from .code import Arrays

SCREENS: tuple[str, ...] = get_args(Screen)
LARGEST = 64  # of a padded size


class Reading:
    """``hand``: with what a player may be holding, and which screen is shown; ``whole``: with the index of the level.
    ``fields``: the arrays that ``arrays`` makes; ``moves``: how many numbers moves have."""

    def __init__(self, objective: Objective, pad: Mapping[str, int], *, hand: bool, whole: bool) -> None:
        """Raises InvalidEnvironment where the game has no code, or ``pad`` does not fit the levels."""
        game = objective.game
        if game not in CODES:
            raise invalid(f"the levels of {game} are not known as numbers", 'use observation="pixels", action="gui"')
        self._objective = objective
        sizes = largest(self._code, [GAMES[game].board(level.board) for level in objective.levels])
        self.sizes = _padded(sizes, pad)
        self.moves = self._code.moves(self.sizes)
        self.fields: dict[str, Field] = dict(self._code.fields(self.sizes))
        if hand:
            self.fields |= self._code.held(self.sizes) | {"screen": Field((len(SCREENS),))}
        if whole:
            self.fields["level"] = Field((len(objective.levels),))
        self._template: Arrays = {}
        self._level = ""  # that the template is of

    @property
    def _code(self) -> Code:  # looked up, not kept: it is made of functions, and environments are pickled
        return CODES[self._objective.game]

    def arrays(self, view: View) -> Arrays:
        """New ones; all 0 but the screen where no level of the objective is open."""
        if view.level is None or (view.game, view.tier) != (self._objective.game, self._objective.tier):
            arrays = zeros(self.fields)
        else:
            if view.level.id != self._level:
                self._template, self._level = zeros(self.fields), view.level.id
                self._code.board(self._template, view.board)
            arrays = {name: array.copy() for name, array in self._template.items()}
            self._code.state(arrays, view.board, view.state)
            if "screen" in arrays and view.ui is not None:
                self._code.hand(arrays, view.ui)
            if "level" in arrays:
                arrays["level"][view.level_index] = 1
        if "screen" in arrays:
            arrays["screen"][SCREENS.index(view.screen)] = 1
        return arrays

    def legal(self, view: View) -> dict[int, Any]:
        """The moves of the open level by their numbers."""
        moves = GAMES[self._objective.game].moves(view.board, view.state)
        return {self.number(view, move): move for move in moves}

    def number(self, view: View, move: Any) -> int:
        return self._code.number(self.sizes, view.board, move)


def _padded(sizes: dict[str, int], pad: Mapping[str, int]) -> dict[str, int]:
    for name, size in pad.items():
        if name not in sizes:
            raise invalid(f"pad has no size {name!r}", f"use {', '.join(sizes)}")
        if not sizes[name] <= size <= LARGEST:
            raise invalid(f"pad has {name}={size}", f"these levels need {sizes[name]}, and {LARGEST} is the most")
    return sizes | {name: int(size) for name, size in pad.items()}
