"""A Gymnasium environment: an episode is one level, or one whole objective from the home screen.

It plays on the direct surface: the same session, rules and pixels as an evaluation's, without a browser and a clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import le
from typing import TYPE_CHECKING, Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces

from ...games import GAMES
from .. import actions
from ..attempt import Attempt
from ..direct import DirectSurface
from ..session import Session
from ..view import LANGUAGES
from .hand import Hand
from .insight import Insight
from .offer import Levels, invalid, offer
from .reading import Reading
from .scaling import scaled
from .worth import Reward, Worth

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..view import View
    from .hand import Vector

VIEWPORT = (1280, 900)
LEAST_SIZE = (64, 45)  # a pixel is 20 of the screen's: two or more to a cell of every default tier and to a button
STEPS_OF_A_LEVEL = 1000
CHOICES = {
    "observation": ("pixels", "state"),
    "action": ("gui", "move"),
    "reward": ("sparse", "progress"),
    "order": ("random", "sequential"),
    "lang": LANGUAGES,
}


class Environment(gymnasium.Env[Any, Any]):
    """See docs/gymnasium.md for what observations, actions and rewards are."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012 (gymnasium's own way)

    def __init__(
        self,
        game: str | None = None,
        tier: str | None = None,
        *,
        snapshot: str | None = None,
        levels: Levels = None,
        order: Literal["random", "sequential"] = "random",
        objective: bool = False,
        observation: Literal["pixels", "state"] = "pixels",
        action: Literal["gui", "move"] = "gui",
        reward: Reward = "sparse",
        max_steps: int | Literal["auto"] | None = "auto",
        end_when_dead: bool = False,
        privileged: bool = False,
        size: tuple[int, int] | None = None,
        pad: Mapping[str, int] | None = None,
        lang: str = "en",
        render_mode: str | None = None,
    ) -> None:
        """``snapshot``: a pin, commit or folder, None for the catalogue of the working folder; ``levels``: the indices
        of some levels, or a file of levels or boards, or boards as JSON; ``max_steps``: None for no limit, "auto" for
        1,000 a level; ``size``: (width, height) of the pixels, and of the coordinates of GUI actions; ``pad``: sizes of
        the arrays, where they shall be larger than the levels need.

        Raises InvalidEnvironment, and what reading the levels raises."""
        _check(observation=observation, action=action, reward=reward, order=order, lang=lang)
        self._offer = offer(game, tier, snapshot, levels)
        self._whole, self._order, self._reward, self._lang = objective, order, reward, lang
        self._end_when_dead, self._privileged, self.render_mode = end_when_dead, privileged, render_mode
        self._max_steps = _steps(max_steps, len(self._offer.chosen) if objective else 1)
        self._size = _size(size)
        self._hand = Hand(VIEWPORT, self._size)
        self._reading = self._levels_as_numbers(observation, action, pad or {})
        self._is_gui, self._sees_pixels = action == "gui", observation == "pixels"
        self.observation_space, self.action_space = self._spaces()
        self._session = self._opened(self._offer.chosen[0])
        self._surface, self._insight = DirectSurface(self._session), Insight()
        self._begun = 0  # episodes since the last seed
        self._begin(self._offer.chosen[0])

    # --- what Gymnasium asks for --------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """``options``: {"level": index} begins that level. Raises InvalidEnvironment."""
        super().reset(seed=seed)
        if seed is not None:
            self._begun = 0
        level = self._choose(dict(options or {}))
        self._begun += 1
        self._begin(level)
        view = self._session.view
        return self._observation(view), self._info(view, refused=False)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Raises InvalidAction where the action is not in the space."""
        refused = self._input(action) if self._is_gui else self._move(action)
        self._step += 1
        view = self._session.view
        self._look(view)
        reward = self._worth.gain(view, self._insight)
        terminated = self._worth.is_solved(view) or (self._end_when_dead and self._insight.is_dead(view) is True)
        truncated = not terminated and self._max_steps is not None and self._step >= self._max_steps
        return self._observation(view), reward, terminated, truncated, self._info(view, refused=refused)

    def render(self) -> Any:
        """The screen as RGB, shape (height, width, 3), with render_mode="rgb_array"."""
        return self._pixels() if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        self._surface.close()

    # --- what it does beyond that -------------------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """Of this episode: for scripted players and tests, which may read everything."""
        return self._session

    def vectors(self, action: actions.Action | Mapping[str, Any]) -> list[Vector]:
        """A GUI action, or its JSON form, as elements of the action space. Raises InvalidAction."""
        return self._hand.vectors(action)

    def number(self, move: Any) -> int:
        """A move of the open level as an element of the action space of action="move"."""
        if self._reading is None:
            raise invalid("moves have no numbers here", 'use action="move"')
        return self._reading.number(self._session.view, move)

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be prepared again: solvers and pictures."""
        return {name: value for name, value in vars(self).items() if name not in ("_surface", "_insight")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._surface, self._insight = DirectSurface(self._session), Insight()

    # --- setting up ---------------------------------------------------------------------------------------------------

    def _levels_as_numbers(self, observation: str, action: str, pad: Mapping[str, int]) -> Reading | None:
        """None where neither observations nor actions need it."""
        if self._whole and action == "move":
            raise invalid("a whole objective is played from the home screen", 'use action="gui"')
        if self._whole and len(self._offer.chosen) != len(self._offer.objective.levels):
            raise invalid("a whole objective has all its levels", "leave levels out, or objective")
        if (observation, action) == ("pixels", "gui"):
            if pad:
                raise invalid("pad is for states and moves", "leave it out")
            return None
        return Reading(self._offer.objective, pad, hand=action == "gui", whole=self._whole)

    def _spaces(self) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
        width, height = self._size
        seen: spaces.Space[Any] = spaces.Box(0, 255, (height, width, 3), np.uint8)
        done: spaces.Space[Any] = spaces.MultiDiscrete(list(self._hand.counts))
        if self._reading is not None and not self._sees_pixels:
            fields = self._reading.fields.items()
            seen = spaces.Dict({name: spaces.Box(0, f.high, f.shape, np.uint8) for name, f in fields})
        if self._reading is not None and not self._is_gui:
            done = spaces.Discrete(self._reading.moves)
        return seen, done

    # --- an episode ---------------------------------------------------------------------------------------------------

    def _choose(self, options: dict[str, Any]) -> int:
        chosen, level = self._offer.chosen, options.pop("level", None)
        if options:
            raise invalid(f"reset has no option {min(options)!r}", 'use "level"')
        if level is not None:
            if self._whole or level not in chosen:
                fix = "leave it out, a whole objective has all levels" if self._whole else f"use one of {list(chosen)}"
                raise invalid(f"there is no level {level!r} to begin with", fix)
            return int(level)
        if self._order == "sequential" or self._whole:
            return chosen[self._begun % len(chosen)]
        return chosen[int(self.np_random.integers(len(chosen)))]

    def _begin(self, level: int) -> None:
        self._session = self._surface.session = self._opened(level)
        self._insight.begin()
        self._step = 0
        self._worth = Worth(self._offer.objective, None if self._whole else level, self._reward)
        view = self._session.view
        self._worth.gain(view, self._insight)
        self._look(view)

    def _opened(self, level: int) -> Session:
        """The suite at its home screen; or with a level open, as if those before it had been won."""
        if self._whole:
            return Session(self._offer.suite, lang=self._lang, viewport=VIEWPORT)
        objective = self._offer.objective
        game, tier, rules = objective.game, objective.tier, GAMES[objective.game]
        session = Session([objective], lang=self._lang, viewport=VIEWPORT)
        here = {"screen": "level", "game": game, "tier": tier, "index": level}
        before = {"won": [[game, tier, list(range(level))]], "attempts": [[game, tier, level, 1]]}
        attempt = Attempt(rules, rules.board(objective.levels[level].board)).save()
        session.restore(session.snapshot() | here | before | {"attempt": attempt})
        return session

    # --- a step -------------------------------------------------------------------------------------------------------

    def _move(self, action: Any) -> bool:
        """Makes the move; whether there is no such move now."""
        if not self.action_space.contains(action):
            raise actions.InvalidAction(f"{action!r} is not in {self.action_space}", where="action")
        move = self._legal.get(int(action))
        if move is None:
            return True
        self._surface.dispatch(self._session.pointers(move))
        return False

    def _input(self, action: Any) -> bool:
        """Makes the input; whether the rules forbid the move that it means."""
        notes = self._surface.dispatch(actions.events(self._hand.action(action)))
        return any(note.kind == "invalid" for note in notes)

    def _look(self, view: View) -> None:
        """Which moves are legal now, by their numbers."""
        self._legal = {} if self._reading is None or self._is_gui else self._reading.legal(view)

    def _observation(self, view: View) -> Any:
        if self._sees_pixels or self._reading is None:
            return self._pixels()
        return self._reading.arrays(view)

    def _pixels(self) -> npt.NDArray[np.uint8]:
        return scaled(self._surface.pixels(), self._size)

    def _info(self, view: View, *, refused: bool) -> dict[str, Any]:
        info: dict[str, Any] = {
            "step": self._step,
            "moves": view.moves_made,
            "solved": self._worth.is_solved(view),
            "invalid": refused,
            "level": -1 if view.level_index is None else view.level_index,
        }
        if self._whole:
            info["won"] = len(self._worth.won(view))
        if self._reading is not None and not self._is_gui:
            info["action_mask"] = np.zeros(self._reading.moves, np.int8)
            info["action_mask"][list(self._legal)] = 1
        if self._privileged:
            info["optimal_remaining"] = self._insight.remaining(view)
            info["is_dead"] = self._insight.is_dead(view)
            info["progress"] = self._insight.potential(view)
        return info


def _check(**asked: str) -> None:
    for name, value in asked.items():
        if value not in CHOICES[name]:
            raise invalid(f"{name}={value!r}", f"use {' or '.join(map(repr, CHOICES[name]))}")


def _steps(asked: int | str | None, levels: int) -> int | None:
    if asked is None or asked == "auto":
        return None if asked is None else STEPS_OF_A_LEVEL * levels
    if not isinstance(asked, int) or asked < 1:
        raise invalid(f"max_steps={asked!r}", "give a number from 1, or None for no limit")
    return asked


def _size(asked: tuple[int, int] | None) -> tuple[int, int]:
    if asked is None:
        return VIEWPORT
    if len(asked) != 2 or not all(map(le, LEAST_SIZE, asked)) or not all(map(le, asked, VIEWPORT)):
        raise invalid(f"size={asked}", f"give a width and a height, from {LEAST_SIZE} to {VIEWPORT}")
    return int(asked[0]), int(asked[1])
