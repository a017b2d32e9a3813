"""Rush Hour's looks: an asphalt car park sunk into a wooden tray, glossy cars and trucks, a way out on the right.

Knows places and colours, no rules. One unit a cell, with ``MARGIN`` of wood round the grid; the way out goes through
the wood on the right of its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from .base import Circle, Path, Rect, Region, Scene, Shape
from .vehicle_art import PAINTS, Paint, Stance, vehicle

MARGIN = 0.62
LIP = 0.17  # the tray's front face
DEPTH = 0.13  # how far the car park lies below the wood

WOOD, WOOD_LOW, WOOD_LIGHT, WOOD_FACE = "#c98f55", "#b97b42", "#e6b57f", "#80512a"
GRAIN = "#a86d3a48"
ROAD, BAY, BAY_LINE, ROAD_SIDE = "#454c59", "#4f5765", "#7d879638", "#6b4322"
SIGN, SIGN_EDGE = "#ff5a48", "#fff3e6"
TARGET = Paint("#ff6a58", "#d81f2a", "#8d0f1b")


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
    for one in sorted(vehicles, key=lambda v: v.held):
        items.extend(_vehicle(one))
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
    facing, lift = "R" if v.horizontal else "U", 0.05 if v.held else 0.0
    at = Stance(MARGIN + v.column, MARGIN + v.row, v.length, facing, lift)
    yield from vehicle(at, PAINTS[v.paint % len(PAINTS)] if v.paint >= 0 else TARGET, held=v.held)
    if v.paint < 0:
        yield from _target_mark(*at.point(sum(at.roof) / 2))


def _target_mark(x: float, y: float) -> Iterator[Shape]:
    """An arrow on the roof: the way that this car must go."""
    yield Path(((x - 0.15, y), (x + 0.13, y)), None, "#ffffff", 0.07)
    yield Path(((x + 0.02, y - 0.12), (x + 0.15, y), (x + 0.02, y + 0.12)), None, "#ffffff", 0.07)
