"""Rush Hour's looks: an asphalt car park sunk into a wooden tray, glossy cars and trucks, a way out on the right.

Knows places and colours, no rules. One unit a cell, with ``MARGIN`` of wood round the grid; the way out goes through
the wood on the right of its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from .base import Circle, Path, Rect, Region, Scene, Shape

MARGIN = 0.62
LIP = 0.17  # the tray's front face
DEPTH = 0.13  # how far the car park lies below the wood
EDGE = 0.075  # between a vehicle and the edge of its cells
HEIGHT = 0.075  # of a vehicle's side

WOOD, WOOD_LOW, WOOD_LIGHT, WOOD_FACE = "#c98f55", "#b97b42", "#e6b57f", "#80512a"
GRAIN = "#a86d3a48"
ROAD, BAY, BAY_LINE, ROAD_SIDE = "#454c59", "#4f5765", "#7d879638", "#6b4322"
SIGN, SIGN_EDGE, GLASS = "#ff5a48", "#fff3e6", "#1e2a3ae0"
TARGET = ("#ff6a58", "#d81f2a", "#8d0f1b")

# body above, body below, side; nothing near the target's red
PAINTS = (
    ("#6cb4ff", "#2c7be0", "#174a93"),
    ("#ffe066", "#f2b41c", "#a8750a"),
    ("#7fdc8b", "#35a853", "#1c6b33"),
    ("#c39bff", "#8250dc", "#4e2b94"),
    ("#6fe3da", "#1ba6a0", "#0c6766"),
    ("#f4f1ea", "#cfc8bb", "#8c8577"),
    ("#ffb3dd", "#e06bb0", "#96386f"),
    ("#b9e26a", "#7ab023", "#4a7010"),
    ("#9fb3cc", "#5f7896", "#394b62"),
    ("#d9b38c", "#a9794a", "#6b4725"),
    ("#8ea2ff", "#4957d6", "#272f8c"),
    ("#a5ecc9", "#4fc08d", "#2a7a57"),
)


class Vehicle(NamedTuple):
    """``row``, ``column``: of its upper left cell, whole numbers unless it is being dragged; ``paint``: which of
    PAINTS, -1 for the target; ``held``: whether a finger is on it."""

    row: float
    column: float
    length: int
    horizontal: bool
    paint: int
    held: bool = False


def picture(
    height: int, width: int, exit_row: int, walls: tuple[tuple[int, int], ...], vehicles: Iterable[Vehicle]
) -> Scene:
    """``walls``: (row, column) cells."""
    items: list[Shape] = [*_tray(height, width, exit_row, walls)]
    for vehicle in sorted(vehicles, key=lambda v: v.held):
        items.extend(_vehicle(vehicle))
    return Scene(width + 2 * MARGIN, height + 2 * MARGIN + LIP, tuple(items))


@lru_cache(maxsize=64)
def _tray(height: int, width: int, exit_row: int, walls: tuple[tuple[int, int], ...]) -> tuple[Shape, ...]:
    """What stays the same in every state."""
    w, h = width + 2 * MARGIN, height + 2 * MARGIN
    left, top, right, bottom = MARGIN, MARGIN, MARGIN + width, MARGIN + height
    gate = MARGIN + exit_row
    floor = (
        (left, top),
        (right, top),
        *(((right, gate),) if exit_row else ()),
        (w + 0.4, gate),
        (w + 0.4, gate + 1),
        *(((right, gate + 1),) if exit_row < height - 1 else ()),
        (right, bottom),
        (left, bottom),
    )
    # a gate at a corner has the edge's own height, so the corner point comes twice: leave one out
    outline = tuple(point for i, point in enumerate(floor) if point != floor[i - 1])
    if exit_row == 0:
        outline = tuple(p for p in outline if p != (right, top))
    if exit_row == height - 1:
        outline = tuple(p for p in outline if p != (right, bottom))
    clipped = tuple((min(x, w), y) for x, y in outline)
    items: list[Shape] = [
        Rect(0, LIP, w, h, WOOD_FACE, 0.42, shadow=0.34),
        Rect(0, 0, w, h, WOOD_LIGHT, 0.42),
        Rect(0, 0.05, w, h - 0.05, WOOD, 0.42, fill2=WOOD_LOW),
        *_grain(w, h),
        Region((clipped,), ROAD, 0.1),
        # the way out is cut through to the tray's rim
        Rect(w - 0.2, gate, 0.2, 1, ROAD),
        Rect(w - 0.2, gate + 1, 0.2, 0.001, ROAD),
    ]
    items += [
        Rect(left + c + 0.045, top + r + 0.045, 0.91, 0.91, BAY, 0.12, BAY_LINE, 0.025)
        for r in range(height)
        for c in range(width)
    ]
    items.append(Region((clipped,), None, 0.1, DEPTH, ROAD_SIDE, 0.28))
    items += _way_out(right, gate + 0.5)
    for r, c in walls:
        items += _wall(left + c, top + r)
    return tuple(items)


def _grain(w: float, h: float) -> Iterator[Shape]:
    """A few lines along the wood, above and below the car park."""
    for i, (at, start, end) in enumerate(((0.2, 0.5, 0.62), (0.33, 0.9, 0.3), (0.46, 0.45, 0.8))):
        for y in (at, h - at):
            yield Path(((start, y), (w * (0.45 + 0.1 * i), y)), None, GRAIN, 0.022)
            yield Path(((w * (0.55 + 0.1 * i), y), (w - end, y)), None, GRAIN, 0.022)


def _way_out(right: float, y: float) -> Iterator[Shape]:
    """Arrows on the road that leads out, and posts on both sides of it."""
    for i in range(2):
        x = right + 0.06 + 0.2 * i
        wings = ((x, y - 0.2), (x + 0.18, y + 0.02), (x, y + 0.24))
        yield Path(wings, None, SIGN_EDGE, 0.15)
        yield Path(wings, None, SIGN, 0.09)
    for side in (-0.64, 0.64):
        yield Circle(right + 0.3, y + side, 0.09, "#ffd76a", fill2="#e08a12", shadow=0.06)


def _wall(x: float, y: float) -> Iterator[Shape]:
    yield Rect(x + 0.05, y + 0.1, 0.9, 0.87, "#5b5349", 0.12, shadow=0.1)
    yield Rect(x + 0.05, y + 0.02, 0.9, 0.86, "#d8cdbd", 0.12, fill2="#a89c8b")
    yield Rect(x + 0.15, y + 0.12, 0.7, 0.66, "#c4b8a6", 0.08, "#8d816f70", 0.025)
    yield Path(((x + 0.3, y + 0.28), (x + 0.7, y + 0.62)), None, "#8d816f", 0.07)
    yield Path(((x + 0.7, y + 0.28), (x + 0.3, y + 0.62)), None, "#8d816f", 0.07)


def _vehicle(v: Vehicle) -> Iterator[Shape]:
    light, dark, side = PAINTS[v.paint % len(PAINTS)] if v.paint >= 0 else TARGET
    x, y, n = MARGIN + v.column, MARGIN + v.row, float(v.length)
    lift = 0.05 if v.held else 0.0

    def box(
        along: float, end: float, across: float, far: float, fill: str, radius: float, fill2: str | None = None
    ) -> Rect:
        """From ``along`` to ``end`` on its axis, front at the right or the top, and from side to side."""
        if v.horizontal:
            return Rect(x + along, y + across - lift, end - along, far - across, fill, radius, fill2=fill2)
        return Rect(x + across, y + n - end - lift, far - across, end - along, fill, radius, fill2=fill2)

    w, h = (n, 1.0) if v.horizontal else (1.0, n)
    body = 0.24
    wide, tall = w - 2 * EDGE, h - 2 * EDGE - HEIGHT
    yield Rect(x + EDGE, y + EDGE + HEIGHT - lift, wide, tall, side, body, shadow=0.22 if v.held else 0.13)
    yield Rect(x + EDGE, y + EDGE - lift, wide, tall, light, body, fill2=dark)
    near, far = (EDGE, 1 - EDGE - HEIGHT) if v.horizontal else (EDGE, 1 - EDGE)
    first, last = (EDGE, n - EDGE) if v.horizontal else (EDGE + HEIGHT, n - EDGE)
    # lamps, windows and roof
    for a, b in ((near + 0.06, near + 0.2), (far - 0.2, far - 0.06)):
        yield box(last - 0.09, last - 0.025, a, b, "#fff4c2", 0.03)
        yield box(first + 0.025, first + 0.075, a, b, "#5d0f12b0", 0.025)
    hood = 0.34 if v.length == 2 else 0.3
    if v.length == 2:
        yield box(first + 0.22, last - hood, near + 0.1, far - 0.1, GLASS, 0.16)
        yield box(first + 0.38, last - hood - 0.2, near + 0.125, far - 0.125, light, 0.09, dark)
    else:  # a truck: cab in front, load behind
        yield box(last - hood - 0.46, last - hood + 0.06, near + 0.1, far - 0.1, GLASS, 0.14)
        yield box(last - hood - 0.5, last - hood - 0.13, near + 0.125, far - 0.125, light, 0.09, dark)
        yield box(first + 0.1, last - hood - 0.62, near + 0.09, far - 0.09, side, 0.12)
        yield box(first + 0.135, last - hood - 0.655, near + 0.125, far - 0.125, dark, 0.09, light)
    if v.paint < 0:
        yield from _target_mark(x + (first + (last - hood - 0.2 + 0.38)) / 2, y + (near + far) / 2 - lift)
    yield Rect(x + EDGE + 0.12, y + EDGE + 0.035 - lift, wide - 0.24, 0.055, "#ffffff70", 0.03)
    if v.held:
        yield Rect(x + EDGE, y + EDGE - lift, wide, tall, None, body, "#ffffffb0", 0.05)


def _target_mark(x: float, y: float) -> Iterator[Shape]:
    """An arrow on the roof: the way that this car must go."""
    yield Path(((x - 0.15, y), (x + 0.13, y)), None, "#ffffff", 0.07)
    yield Path(((x + 0.02, y - 0.12), (x + 0.15, y), (x + 0.02, y + 0.12)), None, "#ffffff", 0.07)
