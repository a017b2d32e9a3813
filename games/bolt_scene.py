"""Bolt Unscrew's looks: planks of several woods, one above the other, on a framed panel; steel screws; holes.

Knows places and layers, no rules. One unit from lattice point to lattice point, ``MARGIN`` from the outermost ones to
the edge. What is in a hole is drawn right above the highest plank that shares it, so that a higher plank hides it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import cos, hypot, pi, sin
from typing import NamedTuple

from .base import Circle, Path, Rect, Region, Scene, Shape

Point = tuple[int, int]
Spot = tuple[float, float]

MARGIN = 0.95
LIP = 0.14  # the frame's front face
RAIL = 0.3  # the frame's width
HALF = 0.34  # of a plank's width
THICK = 0.08  # of a plank's visible side
HEAD = 0.27  # radius of a screw's head
LIFT = 0.2
TILT = 0.035  # of a loose plank, in radians

FRAME, FRAME_LIGHT, FRAME_LOW, FRAME_FACE = "#7d5232", "#a87648", "#6a4327", "#472b17"
PANEL, PANEL_LOW, PANEL_LINE = "#eadfc9", "#dccdb0", "#c9b79460"
HOLE, HOLE_RIM = "#2c2118", "#b9a684"
LOOSE, PICK, REFUSE = "#ffb01f", "#ffffff", "#ff3b30"


class Wood(NamedTuple):
    face: str
    light: str
    grain: str
    side: str
    edge: str


WOODS = (
    Wood("#d8994f", "#efbd7c", "#b4762f", "#9a6127", "#7a4a1c"),  # oak
    Wood("#9c5a33", "#bf7d50", "#7a4022", "#673418", "#4d2510"),  # walnut
    Wood("#e6bd78", "#f6d9a3", "#c5984f", "#b0843f", "#8d672c"),  # pine
    Wood("#b8553a", "#d67b5c", "#933a24", "#7e2f1b", "#5f2112"),  # cherry
    Wood("#7f9455", "#a3b77b", "#62753d", "#536431", "#3d4b22"),  # stained green
    Wood("#6d8fa8", "#94b2c7", "#517189", "#43627a", "#314a5e"),  # stained blue
    Wood("#c47f6a", "#dda392", "#a36150", "#8c503f", "#6b3a2c"),  # rosewood
    Wood("#6b4a3a", "#8c6a58", "#523628", "#43291c", "#2f1b11"),  # wenge
)


class Drawn(NamedTuple):
    """``number``: which plank; ``holes``: where it has one; ``loose``: whether no screw holds it."""

    number: int
    a: Point
    b: Point
    holes: tuple[Point, ...]
    loose: bool


def to_picture(point: Point) -> Spot:
    return point[0] + MARGIN, point[1] + MARGIN


def to_lattice(x: float, y: float) -> Spot:
    return x - MARGIN, y - MARGIN


def picture(
    size: tuple[int, int],
    planks: Sequence[Drawn],
    *,
    holes: tuple[Point, ...],
    screws: Iterable[tuple[Point, int, bool]],
    refused: Point | None = None,
) -> Scene:
    """``planks``: the lowest first; ``screws``: place, number of the plank that it is seen on (-1 for the panel),
    whether it is lifted; ``refused``: where a move could not go."""
    items: list[Shape] = [*_frame(size, holes)]
    by_level: dict[int, list[Point]] = {}
    lifted = None
    taken = set()
    for place, level, up in screws:
        taken.add(place)
        if up:
            lifted = place
        else:
            by_level.setdefault(level, []).append(place)
    for place in by_level.get(-1, ()):
        items += _screw(place)
    for plank in planks:
        items += _plank(plank)
        for place in plank.holes:
            if place not in taken:
                items += _plug(*to_picture(place), WOODS[plank.number % len(WOODS)])
        for place in by_level.get(plank.number, ()):
            items += _screw(place)
    if lifted is not None:
        items += _lifted(*to_picture(lifted))
    if refused is not None:
        items += _cross(*to_picture(refused))
    return Scene(size[0] - 1 + 2 * MARGIN, size[1] - 1 + 2 * MARGIN + LIP, tuple(items))


@lru_cache(maxsize=32)
def _frame(size: tuple[int, int], holes: tuple[Point, ...]) -> tuple[Shape, ...]:
    """What stays the same in every state: frame, panel, and every hole in it."""
    w, h = size[0] - 1 + 2 * MARGIN, size[1] - 1 + 2 * MARGIN
    left, top, right, bottom = RAIL, RAIL, w - RAIL, h - RAIL
    inner = ((left, top), (right, top), (right, bottom), (left, bottom))
    items: list[Shape] = [
        Rect(0, LIP, w, h, FRAME_FACE, 0.4, shadow=0.34),
        Rect(0, 0, w, h, FRAME_LIGHT, 0.4),
        Rect(0, 0.05, w, h - 0.05, FRAME, 0.4, fill2=FRAME_LOW),
    ]
    for i, at in enumerate((0.1, 0.2)):
        for y in (at, h - at):
            items.append(Path(((0.5, y), (w * (0.4 + 0.15 * i), y + 0.015), (w - 0.5, y)), None, "#4f301a50", 0.02))
        for x in (at, w - at):
            items.append(Path(((x, 0.5), (x + 0.015, h * (0.6 - 0.15 * i)), (x, h - 0.5)), None, "#4f301a50", 0.02))
    items.append(Rect(left, top, right - left, bottom - top, PANEL, 0.22, fill2=PANEL_LOW))
    for i in range(1, 2 * size[1]):
        y = top + (bottom - top) * i / (2 * size[1])
        bend = 0.03 * ((i * 7) % 5 - 2)
        begin, end = left + 0.12 + 0.21 * (i * 3 % 4), right - 0.12 - 0.27 * (i * 5 % 3)
        items.append(Path(((begin, y), ((begin + end) / 2, y + bend), (end, y)), None, PANEL_LINE, 0.018))
    items.append(Region((inner,), None, 0.22, 0.06, FRAME_FACE, 0.26))
    for point in holes:
        x, y = to_picture(point)
        items.append(Circle(x, y + 0.02, 0.235, "#fff8ea"))
        items.append(Circle(x, y, 0.23, HOLE_RIM))
        items.append(Circle(x, y + 0.012, 0.19, HOLE, fill2="#4a392b"))
        items.append(Circle(x, y + 0.035, 0.15, "#1b130d"))
    return tuple(items)


# --- planks -----------------------------------------------------------------------------------------------------------


class Frame(NamedTuple):
    """A plank's own axes: middle, direction along it, direction across it (upwards or to the left), half its length."""

    x: float
    y: float
    ux: float
    uy: float
    nx: float
    ny: float
    half: float

    def spot(self, along: float, across: float, drop: float = 0.0) -> Spot:
        return (
            self.x + along * self.ux + across * self.nx,
            self.y + along * self.uy + across * self.ny + drop,
        )

    def box(self, grow: float, drop: float = 0.0) -> tuple[Spot, ...]:
        a, c = self.half + HALF + grow, HALF + grow
        return (self.spot(-a, c, drop), self.spot(a, c, drop), self.spot(a, -c, drop), self.spot(-a, -c, drop))


def _axes(plank: Drawn) -> Frame:
    (ax, ay), (bx, by) = sorted((to_picture(plank.a), to_picture(plank.b)))
    length = hypot(bx - ax, by - ay)
    ux, uy = (bx - ax) / length, (by - ay) / length
    x, y = (ax + bx) / 2, (ay + by) / 2
    if plank.loose:
        turn = TILT if plank.number % 2 else -TILT
        ux, uy = ux * cos(turn) - uy * sin(turn), ux * sin(turn) + uy * cos(turn)
        y += 0.05
    side = 1 if ux > 0.4 * uy else -1  # the light comes from above, and a little from the left
    return Frame(x, y, ux, uy, side * uy, -side * ux, length / 2)


@lru_cache(maxsize=256)
def _plank(plank: Drawn) -> tuple[Shape, ...]:
    wood, at = WOODS[plank.number % len(WOODS)], _axes(plank)
    round_ = 0.2
    items: list[Shape] = []
    for spread, alpha in ((0.11, "12"), (0.05, "1a"), (0.0, "2c")):
        items.append(Region((at.box(spread, 0.15),), "#2a1606" + alpha, round_ + spread))
    if plank.loose:
        items.append(Region((at.box(0.09, THICK / 2),), LOOSE, round_ + 0.07))
    items.append(Region((at.box(0.02, THICK),), wood.edge, round_))
    items.append(Region((at.box(0.0, THICK - 0.02),), wood.side, round_))
    items.append(Region((at.box(0.02),), wood.edge, round_))
    items.append(Region((at.box(0.0),), wood.light, round_))
    items.append(Region((at.box(-0.035, 0.02),), wood.face, round_ - 0.03))
    items += _grain(plank, wood, at)
    if plank.loose:
        items += _falling(at)
    return tuple(items)


def _grain(plank: Drawn, wood: Wood, at: Frame) -> Iterator[Shape]:
    """Lines along the plank that bend round a knot, and short ones at its ends."""
    end = at.half + 0.2
    knot = at.half * (((plank.number * 37 + 11) % 17) / 17 - 0.5)
    for i, across in enumerate((-0.22, -0.13, -0.03, 0.08, 0.17)):
        begin = -end + 0.1 * ((plank.number + 3 * i) % 4)
        stop = end - 0.1 * ((plank.number * 5 + i) % 4)
        away = 0.05 if across > 0 else -0.05
        points = [(begin, across)]
        points += [(x, across + away * (1 - abs(x - knot) / 0.5)) for x in (knot - 0.3, knot, knot + 0.3)]
        points.append((stop, across))
        inside = [p for p in points if begin <= p[0] <= stop]
        yield Path(tuple(at.spot(*p) for p in inside), None, wood.grain + "8c", 0.022)
    yield Path(tuple(at.spot(x, HALF - 0.06) for x in (-at.half - 0.12, at.half + 0.12)), None, "#ffffff48", 0.035)
    yield Path(tuple(at.spot(x, -HALF + 0.05) for x in (-at.half - 0.12, at.half + 0.12)), None, wood.edge + "50", 0.04)


def _falling(at: Frame) -> Iterator[Shape]:
    """Arrows down beside the middle of a loose plank."""
    x, y = at.spot(0.0, 0.0)
    for drop in (-0.1, 0.08):
        wings = ((x - 0.13, y + drop - 0.06), (x, y + drop + 0.06), (x + 0.13, y + drop - 0.06))
        yield Path(wings, None, "#4a2c00", 0.11)
        yield Path(wings, None, "#ffe29a", 0.06)


def _plug(x: float, y: float, wood: Wood) -> Iterator[Shape]:
    """A hole that a wooden dowel closes."""
    yield Circle(x, y, 0.2, wood.edge)
    yield Circle(x, y + 0.01, 0.165, wood.light, fill2=wood.grain)
    yield Circle(x, y + 0.01, 0.1, None, wood.grain, 0.02)
    yield Circle(x, y + 0.01, 0.045, None, wood.grain, 0.02)


# --- screws -----------------------------------------------------------------------------------------------------------


def _screw(place: Point) -> tuple[Shape, ...]:
    x, y = to_picture(place)
    return _head(x, y, (place[0] * 29 + place[1] * 47) % 8)


@lru_cache(maxsize=512)
def _head(x: float, y: float, turn: int, radius: float = HEAD, blur: float = 0.09) -> tuple[Shape, ...]:
    """A steel head with a cross slot, turned by so many sixteenths of a right angle."""
    angle = turn * pi / 16
    arm = 0.56 * radius
    arms = [
        ((x - arm * c, y - arm * s), (x + arm * c, y + arm * s))
        for c, s in ((cos(angle), sin(angle)), (-sin(angle), cos(angle)))
    ]
    items: list[Shape] = [
        Circle(x, y + 0.035, radius, "#39424f", shadow=blur),
        Circle(x, y, radius, "#f4f7fb", fill2="#7f8b9b"),
        Circle(x, y, radius, None, "#4c5665", 0.022),
        Circle(x, y, 0.78 * radius, "#dfe5ec", fill2="#98a4b3"),
    ]
    items += [Path(tuple((px + 0.012, py + 0.018) for px, py in line), None, "#ffffffb0", 0.075) for line in arms]
    items += [Path(line, None, "#3a4350", 0.07) for line in arms]
    return tuple(items)


def _lifted(x: float, y: float) -> Iterator[Shape]:
    """A screw above its hole, its thread to be seen."""
    yield Circle(x, y, 0.34, "#ffffff90")
    yield Circle(x, y, 0.2, HOLE)
    yield Rect(x - 0.085, y - LIFT, 0.17, LIFT + 0.08, "#8591a1", 0.05)
    for i in range(4):
        at = y - 0.08 + 0.045 * i
        yield Path(((x - 0.08, at + 0.015), (x + 0.08, at - 0.015)), None, "#4c5665", 0.018)
    yield Circle(x, y - LIFT - 0.02, HEAD + 0.1, PICK)
    yield from _head(x, y - LIFT - 0.02, 2, HEAD + 0.045, 0.16)


def _cross(x: float, y: float) -> Iterator[Shape]:
    yield Circle(x, y, 0.36, None, REFUSE, 0.07)
    yield Circle(x + 0.3, y - 0.3, 0.2, REFUSE, shadow=0.08)
    for side in (-1, 1):
        yield Path(((x + 0.22, y - 0.3 - side * 0.08), (x + 0.38, y - 0.3 + side * 0.08)), None, "#ffffff", 0.055)
