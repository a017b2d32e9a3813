"""GUI actions as vectors of integers, for agents that learn: [kind, x, y, to x, to y, key].

    0 click        at (x, y)                          3 press   the key
    1 doubleclick  at (x, y)                          4 scroll  a notch down at (x, y); nothing in the suite scrolls
    2 drag         straight from (x, y) to (to x, to y)   5 wait    nothing: no time passes

What a kind does not use is ignored. ``type`` is several presses and ``batch`` several actions; a drag by more than two
points has no vector, and every state can be reached without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import actions

if TYPE_CHECKING:
    import numpy.typing as npt

    Vector = npt.NDArray[np.int64]

KINDS = ("click", "doubleclick", "drag", "press", "scroll", "wait")
KEYS = tuple(sorted(actions.KEYS))
NOTCH = 120


class Hand:
    """``viewport``: (width, height) of the screen; ``grid``: of the coordinates in the vectors, each the middle of its
    part of the screen."""

    def __init__(self, viewport: tuple[int, int], grid: tuple[int, int]) -> None:
        self._viewport, self._grid = viewport, grid
        self.counts = (len(KINDS), *grid, *grid, len(KEYS))

    def action(self, vector: Sequence[int]) -> actions.Single:
        """Raises InvalidAction where it is not such a vector."""
        numbers = [int(number) for number in vector]
        if len(numbers) != len(self.counts) or any(
            not 0 <= n < count for n, count in zip(numbers, self.counts, strict=True)
        ):
            what = f"{numbers} is not in the action space"
            fix = f"give integers from 0 and below {list(self.counts)}"
            raise actions.InvalidAction(what, where="action", fix=fix)
        kind, x, y, to_x, to_y, key = numbers
        point = self._to_pixels(x, y)
        match KINDS[kind]:
            case "click":
                return actions.Click(*point)
            case "doubleclick":
                return actions.DoubleClick(*point)
            case "drag":
                return actions.Drag((point, self._to_pixels(to_x, to_y)))
            case "press":
                return actions.Press(KEYS[key])
            case "scroll":
                return actions.Scroll(*point, 0, NOTCH)
            case _:
                return actions.Wait(0)

    def vectors(self, action: actions.Action | Mapping[str, Any]) -> list[Vector]:
        """The vectors that mean an action, or its JSON form. Raises InvalidAction."""
        if isinstance(action, Mapping):
            action = actions.read_action(dict(action), self._viewport)
        match action:
            case actions.Click(x, y):
                return [self._vector("click", (x, y))]
            case actions.DoubleClick(x, y):
                return [self._vector("doubleclick", (x, y))]
            case actions.Drag(path):
                if len(path) != 2:
                    fix = "drag straight, one piece after another"
                    raise actions.InvalidAction(f"a drag by {len(path)} points has no vector", where="drag", fix=fix)
                return [self._vector("drag", *path)]
            case actions.Press(key):
                return [self._vector("press", key=key)]
            case actions.Type(text):
                return [self._vector("press", key=letter) for letter in text]
            case actions.Scroll(x, y):
                return [self._vector("scroll", (x, y))]
            case actions.Batch(parts):
                return [vector for part in parts for vector in self.vectors(part)]
            case _:
                return [self._vector("wait")]

    def _vector(
        self, kind: str, point: tuple[int, int] = (0, 0), to: tuple[int, int] = (0, 0), key: str = KEYS[0]
    ) -> Vector:
        places = (self._to_grid(*point), self._to_grid(*to))
        return np.array([KINDS.index(kind), *places[0], *places[1], KEYS.index(key)], np.int64)

    def _to_pixels(self, x: int, y: int) -> tuple[int, int]:
        (width, height), (columns, rows) = self._viewport, self._grid
        return _middle(x, width, columns), _middle(y, height, rows)

    def _to_grid(self, x: int, y: int) -> tuple[int, int]:
        (width, height), (columns, rows) = self._viewport, self._grid
        return x * columns // width, y * rows // height


def _middle(number: int, pixels: int, parts: int) -> int:
    """The middle one of the pixels that lie in a part: those p with p * parts // pixels == number."""
    first, beyond = (-(-n * pixels // parts) for n in (number, number + 1))
    return (first + beyond) // 2
