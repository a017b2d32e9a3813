"""Maze Paint's looks: one slab of wall with the floor sunk into it, paint on the floor, a glossy ball.

Knows cells and colours, no rules. Coordinates are cells as (row, column), counted from the first that hold floor; one
unit a cell in the picture, with ``MARGIN`` of wall round the grid.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from .base import Circle, Path, Rect, Region, Scene, Shape
from .contours import contours

Cell = tuple[int, int]

MARGIN = 0.5
LIP = 0.16  # the slab's front face
DEPTH = 0.15  # how far the floor lies below the walls
ROUND = 0.2


class Palette(NamedTuple):
    """Wall top, wall face, rim light; floor, its tiles; paint, its tiles; ball and its rim."""

    wall: str
    face: str
    light: str
    floor: str
    tile: str
    paint: str
    paint_tile: str
    ball: str
    ball_rim: str


PALETTES = (
    Palette("#63538a", "#3d3159", "#8b7cb0", "#eadfd3", "#f8f0e6", "#ff7a5c", "#ff8f72", "#7fe0d2", "#148a8a"),
    Palette("#3a687e", "#1f4255", "#6697ae", "#e9e0d2", "#f8f1e5", "#ffb02e", "#ffbf54", "#ff9db0", "#cf2f5c"),
    Palette("#825445", "#543026", "#b18070", "#ecdfcd", "#f9f0e2", "#2fb9a4", "#4cc8b4", "#ffd978", "#e08a12"),
    Palette("#47644d", "#28402e", "#76957c", "#e9e1cf", "#f7f1e2", "#ef6a9a", "#f482ac", "#ffe08a", "#e39a1c"),
    Palette("#55596d", "#313447", "#858aa0", "#ebe1d5", "#f8f1e8", "#5a9cf0", "#74aef5", "#ffc27a", "#e0641f"),
    Palette("#734a60", "#47293a", "#a2778e", "#ecdfd4", "#f9f0e7", "#7cc24a", "#91d062", "#8fd3ff", "#1f72c4"),
)
BUMP, ARROW = "#ff4b3a", "#ffffffd0"


def picture(
    floor: tuple[Cell, ...],
    painted: Iterable[Cell],
    ball: Cell,
    palette: int,
    *,
    arrow: Cell | None = None,
    bump: Cell | None = None,
) -> Scene:
    """``palette``: any number; ``arrow``: the (row, column) step of a swipe that is being made; ``bump``: of one that
    could not move the ball."""
    colours = PALETTES[palette % len(PALETTES)]
    width, height, below, above = _slab(floor, colours)
    painted = tuple(painted)
    items: list[Shape] = [*below]
    items.append(Region(contours(painted, MARGIN), colours.paint, ROUND))
    items.append(Region(_tiles(painted), colours.paint_tile, 0.16))
    items.extend(above)
    x, y = ball[1] + MARGIN + 0.5, ball[0] + MARGIN + 0.55
    if arrow:
        items.extend(_arrow(x, y, arrow))
    if bump:
        items.append(_bump(x, y, bump))
    items.extend(_ball(x, y, colours))
    return Scene(width, height + LIP, tuple(items))


@lru_cache(maxsize=64)
def _slab(floor: tuple[Cell, ...], colours: Palette) -> tuple[float, float, tuple[Shape, ...], tuple[Shape, ...]]:
    """Width and height of the slab, what lies below the paint and what lies above it: the same in every state."""
    w = max(c for _, c in floor) + 1 + 2 * MARGIN
    h = max(r for r, _ in floor) + 1 + 2 * MARGIN
    edge = contours(floor, MARGIN)
    rim = tuple(tuple((x, y + 0.045) for x, y in points) for points in edge)
    below: tuple[Shape, ...] = (
        Rect(0, LIP, w, h, colours.face, 0.5, shadow=0.34),
        Rect(0, 0, w, h, colours.light, 0.5),
        Rect(0, 0.045, w, h - 0.045, colours.wall, 0.5),
        Region(rim, colours.light, ROUND),
        Region(edge, colours.floor, ROUND),
        Region(_tiles(floor), colours.tile, 0.16),
    )
    return w, h, below, (Region(edge, None, ROUND, DEPTH, colours.face, 0.3),)


def _tiles(cells: Iterable[Cell]) -> tuple[tuple[tuple[float, float], ...], ...]:
    left, top, size = MARGIN + 0.13, MARGIN + 0.18, 0.74  # lower than the middle: the wall above hides some floor
    corners = ((left, top), (left + size, top), (left + size, top + size), (left, top + size))
    return tuple(tuple((c + x, r + y) for x, y in corners) for r, c in cells)


def _ball(x: float, y: float, colours: Palette) -> Iterable[Shape]:
    yield Circle(x, y + 0.03, 0.33, colours.ball_rim, shadow=0.16)
    yield Circle(x, y, 0.34, colours.ball, fill2=colours.ball_rim)
    yield Circle(x - 0.11, y - 0.14, 0.095, "#ffffffcc")
    yield Circle(x + 0.035, y - 0.2, 0.035, "#ffffffa0")


def _arrow(x: float, y: float, step: tuple[int, int]) -> Iterable[Shape]:
    """Where the swipe that is being made would send the ball."""
    dy, dx = step
    for reach, width in ((0.56, 0.09), (0.76, 0.07)):
        tip, back = (x + dx * reach, y + dy * reach), reach - 0.13
        wings = [(x + dx * back + side * dy * 0.17, y + dy * back + side * dx * 0.17) for side in (-1, 1)]
        yield Path((wings[0], tip, wings[1]), None, ARROW, width)


def _bump(x: float, y: float, step: tuple[int, int]) -> Shape:
    """Where the ball could not go on."""
    dy, dx = step
    at_x, at_y = x + dx * 0.53, y + dy * 0.53
    return Path(((at_x - dy * 0.3, at_y - dx * 0.3), (at_x + dy * 0.3, at_y + dx * 0.3)), None, BUMP, 0.13)
