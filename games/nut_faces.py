"""The looks of one nut of Nut and Bolt: three faces of a hexagon, one of fifteen colours, and a mark of its own.

Both colour and mark tell nuts apart, for eyes that see colours otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, pi, sin
from typing import NamedTuple

from .base import Circle, Path, Rect, Region, Shape

NUT_WIDTH, NUT_HEIGHT = 1.0, 0.52
PICK = "#ffffff"


class Paint(NamedTuple):
    """The face of a nut, its two sides, its mark."""

    face: str
    left: str
    right: str
    mark: str


PAINTS = (
    Paint("#e5484d", "#f27479", "#b52c33", "#ffffff"),
    Paint("#3b82f6", "#6fa5fb", "#2460c4", "#ffffff"),
    Paint("#f6c445", "#fbdc82", "#cf9720", "#5a3c00"),
    Paint("#2fa866", "#5cc78b", "#1d7d49", "#ffffff"),
    Paint("#8e56d8", "#b185ec", "#6a37ae", "#ffffff"),
    Paint("#f5883a", "#fbab70", "#c9631b", "#4a2000"),
    Paint("#43c6d8", "#83dfeb", "#2396a8", "#07353c"),
    Paint("#f28cc0", "#f9b5d8", "#cc5f97", "#551035"),
    Paint("#8b5e3c", "#ad8161", "#664126", "#ffffff"),
    Paint("#a5d84a", "#c6ea80", "#7aa928", "#2b4300"),
    Paint("#2c3e66", "#50648f", "#1a2745", "#ffffff"),
    Paint("#eceff4", "#ffffff", "#b9c0cc", "#2d3442"),
    Paint("#c2185b", "#de5289", "#8f0e41", "#ffffff"),
    Paint("#127a78", "#3ea09d", "#0a5654", "#ffffff"),
    Paint("#4a4d55", "#71757f", "#2e3036", "#ffffff"),
)


def nut(x: float, y: float, paint: int, *, glow: bool) -> Iterable[Shape]:
    """A nut seen from the side, ``y`` its top: three of the six faces of a hexagon."""
    colours = PAINTS[paint]
    half, top, bottom, chamfer = NUT_WIDTH / 2, y + 0.025, y + NUT_HEIGHT - 0.025, 0.07
    outline = (
        (x - half + chamfer, top),
        (x + half - chamfer, top),
        (x + half, top + chamfer),
        (x + half, bottom - chamfer),
        (x + half - chamfer, bottom),
        (x - half + chamfer, bottom),
        (x - half, bottom - chamfer),
        (x - half, top + chamfer),
    )
    if glow:
        yield Path(outline, None, PICK, 0.11, closed=True)
    else:
        yield Rect(x - half + 0.02, top, NUT_WIDTH - 0.04, bottom - top, "#00000030", 0.08, shadow=0.07)
    yield Path(outline, colours.face, colours.right, 0.02, closed=True)
    inner = 0.27
    yield Region(
        (
            (
                (x - half, top + chamfer),
                (x - half + chamfer, top),
                (x - inner, top),
                (x - inner, bottom),
                (x - half + chamfer, bottom),
                (x - half, bottom - chamfer),
            ),
        ),
        colours.left,
    )
    yield Region(
        (
            (
                (x + inner, top),
                (x + half - chamfer, top),
                (x + half, top + chamfer),
                (x + half, bottom - chamfer),
                (x + half - chamfer, bottom),
                (x + inner, bottom),
            ),
        ),
        colours.right,
    )
    yield Path(((x - half + 0.1, top + 0.035), (x + half - 0.1, top + 0.035)), None, "#ffffff90", 0.035)
    yield from mark(x, (top + bottom) / 2 + 0.01, paint, colours.mark)


def _polygon(x: float, y: float, r: float, corners: int, turn: float = -0.25) -> tuple[tuple[float, float], ...]:
    angles = [2 * pi * (i / corners + turn) for i in range(corners)]
    return tuple((x + r * cos(a), y + r * sin(a)) for a in angles)


def mark(x: float, y: float, paint: int, ink: str) -> Iterable[Shape]:
    """One of fifteen marks, 0.32 units high."""
    r, w = 0.15, 0.06

    def line(*points: tuple[float, float]) -> Path:
        return Path(tuple((x + dx, y + dy) for dx, dy in points), None, ink, w)

    match paint:
        case 0:
            yield Circle(x, y, r, ink)
        case 1:
            yield Path(_polygon(x, y, r * 1.15, 4), ink, closed=True)
        case 2:
            yield Path(_polygon(x, y + 0.03, r * 1.2, 3), ink, closed=True)
        case 3:
            yield Rect(x - 0.13, y - 0.13, 0.26, 0.26, ink, 0.02)
        case 4:
            yield from (line((-r, 0), (r, 0)), line((0, -r), (0, r)))
        case 5:
            yield Circle(x, y, 0.125, None, ink, w)
        case 6:
            yield line((0, -r), (0, r))
        case 7:
            yield from (line((-0.12, -0.12), (0.12, 0.12)), line((-0.12, 0.12), (0.12, -0.12)))
        case 8:
            yield line((-r, 0), (r, 0))
        case 9:
            yield from (line((-0.08, -r), (-0.08, r)), line((0.08, -r), (0.08, r)))
        case 10:
            star = [p for i in range(5) for p in (_polygon(x, y, 0.18, 5)[i], _polygon(x, y, 0.08, 5, -0.15)[i])]
            yield Path(tuple(star), ink, closed=True)
        case 11:
            yield Path(_polygon(x, y - 0.03, r * 1.2, 3, 0.25), ink, closed=True)
        case 12:
            yield from (Circle(x - 0.11, y, 0.07, ink), Circle(x + 0.11, y, 0.07, ink))
        case 13:
            yield line((-0.14, 0.1), (0, -0.1), (0.14, 0.1))
        case _:
            yield from (line((-r, -0.08), (r, -0.08)), line((-r, 0.08), (r, 0.08)))
