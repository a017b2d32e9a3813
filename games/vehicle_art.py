"""How cars and trucks look from above, for every game that has some: one unit a cell, light from the top.

  U        A vehicle of two cells is a car: lamps, windscreen, roof. One of three is a truck: a cab and its load.
L   R      It faces one of four ways; its body keeps the light at the top and a dark side at the bottom.
  D
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .base import Rect, Shape

EDGE = 0.075  # between a vehicle and the edge of its cells
HEIGHT = 0.075  # of a vehicle's side
BODY = 0.24  # radius of its corners
GLASS = "#1e2a3ae0"


class Paint(NamedTuple):
    """The colours of a body: its top, where light and where dark, and its side."""

    light: str
    dark: str
    side: str


# nothing near the red of Rush Hour's target
PAINTS = (
    Paint("#6cb4ff", "#2c7be0", "#174a93"),
    Paint("#ffe066", "#f2b41c", "#a8750a"),
    Paint("#7fdc8b", "#35a853", "#1c6b33"),
    Paint("#c39bff", "#8250dc", "#4e2b94"),
    Paint("#6fe3da", "#1ba6a0", "#0c6766"),
    Paint("#f4f1ea", "#cfc8bb", "#8c8577"),
    Paint("#ffb3dd", "#e06bb0", "#96386f"),
    Paint("#b9e26a", "#7ab023", "#4a7010"),
    Paint("#9fb3cc", "#5f7896", "#394b62"),
    Paint("#d9b38c", "#a9794a", "#6b4725"),
    Paint("#8ea2ff", "#4957d6", "#272f8c"),
    Paint("#a5ecc9", "#4fc08d", "#2a7a57"),
)


class Stance(NamedTuple):
    """A vehicle's place: the upper left corner of its cells, how many they are, the way it faces (U, D, L or R), and
    how far it is lifted off the ground."""

    x: float
    y: float
    length: int
    facing: str
    lift: float = 0.0

    @property
    def lies_across(self) -> bool:
        return self.facing in "LR"

    @property
    def ends(self) -> tuple[float, float]:
        """Where the body begins and ends, from the tail to the front."""
        n = float(self.length)
        return {"D": (EDGE, n - EDGE - HEIGHT), "U": (EDGE + HEIGHT, n - EDGE)}.get(self.facing, (EDGE, n - EDGE))

    @property
    def sides(self) -> tuple[float, float]:
        """Where the body begins and ends across, from the left or the top."""
        return (EDGE, 1 - EDGE - HEIGHT) if self.lies_across else (EDGE, 1 - EDGE)

    def box(
        self, along: float, end: float, across: float, far: float, fill: str, radius: float, fill2: str | None = None
    ) -> Rect:
        """A rectangle from ``along`` to ``end`` on the vehicle's axis, counted from its tail, and from side to side."""
        x, y, n = self.x, self.y - self.lift, self.length
        if self.lies_across:
            left = x + along if self.facing == "R" else x + n - end
            return Rect(left, y + across, end - along, far - across, fill, radius, fill2=fill2)
        top = y + along if self.facing == "D" else y + n - end
        return Rect(x + across, top, far - across, end - along, fill, radius, fill2=fill2)

    def point(self, along: float, across: float = 0.0) -> tuple[float, float]:
        """A place ``along`` from the tail, and ``across`` to the right hand of the driver from the middle line."""
        middle = sum(self.sides) / 2
        y = self.y - self.lift
        match self.facing:
            case "R":
                return self.x + along, y + middle + across
            case "L":
                return self.x + self.length - along, y + middle - across
            case "D":
                return self.x + middle - across, y + along
            case _:
                return self.x + middle + across, y + self.length - along

    @property
    def roof(self) -> tuple[float, float]:
        """Where a car's roof, or a truck's load, begins and ends on the axis."""
        first, last = self.ends
        return (first + 0.38, last - 0.54) if self.length == 2 else (first + 0.135, last - 0.955)


def vehicle(at: Stance, paint: Paint, *, held: bool = False) -> Iterator[Shape]:
    """``held``: a finger is on it."""
    light, dark, side = paint
    (first, last), (near, far) = at.ends, at.sides
    across, down = (float(at.length), 1.0) if at.lies_across else (1.0, float(at.length))
    x, y, wide, tall = at.x + EDGE, at.y + EDGE - at.lift, across - 2 * EDGE, down - 2 * EDGE - HEIGHT
    yield Rect(x, y + HEIGHT, wide, tall, side, BODY, shadow=0.22 if held else 0.13)
    yield Rect(x, y, wide, tall, light, BODY, fill2=dark)
    # lamps, windows and roof
    for a, b in ((near + 0.06, near + 0.2), (far - 0.2, far - 0.06)):
        yield at.box(last - 0.09, last - 0.025, a, b, "#fff4c2", 0.03)
        yield at.box(first + 0.025, first + 0.075, a, b, "#5d0f12b0", 0.025)
    roof, end = at.roof
    if at.length == 2:
        yield at.box(first + 0.22, last - 0.34, near + 0.1, far - 0.1, GLASS, 0.16)
        yield at.box(roof, end, near + 0.125, far - 0.125, light, 0.09, dark)
    else:  # a truck: cab in front, load behind
        yield at.box(last - 0.76, last - 0.24, near + 0.1, far - 0.1, GLASS, 0.14)
        yield at.box(last - 0.8, last - 0.43, near + 0.125, far - 0.125, light, 0.09, dark)
        yield at.box(first + 0.1, last - 0.92, near + 0.09, far - 0.09, side, 0.12)
        yield at.box(roof, end, near + 0.125, far - 0.125, dark, 0.09, light)
    yield Rect(x + 0.12, y + 0.035, wide - 0.24, 0.055, "#ffffff70", 0.03)
    if held:
        yield Rect(x, y, wide, tall, None, BODY, "#ffffffb0", 0.05)
