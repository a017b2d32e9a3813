"""Truck Escape's looks: a lot full of cars and trucks with arrows on their roofs, and a lane round it that leads away.

Knows places and colours, no rules. One unit a cell, with ``MARGIN`` of lane and kerb round the lot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import cos, pi, sin
from typing import NamedTuple

from .base import Circle, Path, Rect, Region, Scene, Shape
from .vehicle_art import BODY, EDGE, HEIGHT, PAINTS, Paint, Stance, vehicle

MARGIN = 0.9
KERB = 0.17
LIP = 0.14  # the kerb's front face

STONE, STONE_LOW, STONE_LIGHT, STONE_FACE = "#e4ddd0", "#cfc6b6", "#f6f1e7", "#9c9384"
LANE, LANE_SIDE, LANE_DASH = "#434a57", "#8f8778", "#f6c945"
LOT, LOT_EDGE, BAY_LINE = "#545c6b", "#6b7484", "#ffffff1c"
ROAD_DASH = "#ffffffb0"
ALARM, SPARK = "#ff4b3e", "#ffd23f"


class Drawn(NamedTuple):
    """``row``, ``column``: of its upper left cell; ``facing``: U, D, L or R; ``turn``: L, R or empty; ``paint``: which
    of PAINTS, counted round; ``held``: whether a finger is on it."""

    row: int
    column: int
    length: int
    facing: str
    turn: str
    paint: int
    held: bool

    @property
    def stance(self) -> Stance:
        return Stance(MARGIN + self.column, MARGIN + self.row, self.length, self.facing, 0.05 if self.held else 0.0)

    @property
    def colours(self) -> Paint:
        return PAINTS[self.paint % len(PAINTS)]


class Bump(NamedTuple):
    """A vehicle that drove against something; ``way``: (row, column) cells, from its front to the one that stopped
    it."""

    vehicle: Drawn
    way: tuple[tuple[int, int], ...]


def picture(
    rows: int,
    columns: int,
    walls: tuple[tuple[int, int], ...],
    roads: tuple[tuple[int, ...], tuple[int, ...]],
    vehicles: Iterable[Drawn],
    bump: Bump | None,
) -> Scene:
    """``walls``: (row, column) cells; ``roads``: rows and columns."""
    items: list[Shape] = [*_lot(rows, columns, walls, roads)]
    for one in sorted(vehicles, key=lambda v: v.held):
        items.extend(vehicle(one.stance, one.colours, held=one.held))
        items.extend(_arrow(one))
    if bump is not None:
        items.extend(_bump(bump))
    return Scene(columns + 2 * MARGIN, rows + 2 * MARGIN + LIP, tuple(items))


# --- the ground -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _lot(
    rows: int, columns: int, walls: tuple[tuple[int, int], ...], roads: tuple[tuple[int, ...], tuple[int, ...]]
) -> tuple[Shape, ...]:
    """What stays the same in every state."""
    w, h = columns + 2 * MARGIN, rows + 2 * MARGIN
    inner = ((KERB, KERB), (w - KERB, KERB), (w - KERB, h - KERB), (KERB, h - KERB))
    items: list[Shape] = [
        Rect(0, LIP, w, h, STONE_FACE, 0.5, shadow=0.34),
        Rect(0, 0, w, h, STONE_LIGHT, 0.5),
        Rect(0, 0.05, w, h - 0.05, STONE, 0.5, fill2=STONE_LOW),
        Region((inner,), LANE, 0.4),
        *_lane_dashes(w, h),
        Rect(MARGIN - 0.06, MARGIN - 0.06, columns + 0.12, rows + 0.12, LOT, 0.16, LOT_EDGE, 0.05),
        *_bays(rows, columns),
    ]
    for row in roads[0]:
        items += _road(0.0, MARGIN + row, columns, across=True)
    for column in roads[1]:
        items += _road(MARGIN + column, 0.0, rows, across=False)
    for row in roads[0]:
        items += (Rect(MARGIN + column + 0.04, MARGIN + row + 0.04, 0.92, 0.92, LANE) for column in roads[1])
    items.append(Region((inner,), None, 0.4, 0.1, LANE_SIDE, 0.22))
    for row, column in walls:
        items += _planter(MARGIN + column, MARGIN + row)
    return tuple(items)


def _lane_dashes(w: float, h: float) -> Iterator[Shape]:
    """The middle line of the lane, all the way round."""
    at = (KERB + MARGIN - 0.06) / 2
    for length, line in ((w, "across"), (h, "down")):
        begin, dash, gap = MARGIN - 0.1, 0.42, 0.36
        count = max(1, round((length - 2 * begin + gap) / (dash + gap)))
        step = (length - 2 * begin + gap) / count
        for i in range(count):
            a, b = begin + i * step, begin + i * step + step - gap
            for far in (at, (h if line == "across" else w) - at):
                points = ((a, far), (b, far)) if line == "across" else ((far, a), (far, b))
                yield Path(points, None, LANE_DASH, 0.055)


def _bays(rows: int, columns: int) -> Iterator[Shape]:
    """Faint lines between the cells."""
    for row in range(1, rows):
        yield Path(((MARGIN + 0.1, MARGIN + row), (MARGIN + columns - 0.1, MARGIN + row)), None, BAY_LINE, 0.03)
    for column in range(1, columns):
        yield Path(((MARGIN + column, MARGIN + 0.1), (MARGIN + column, MARGIN + rows - 0.1)), None, BAY_LINE, 0.03)


def _road(x: float, y: float, cells: int, *, across: bool) -> Iterator[Shape]:
    """A road through the lot, into the lane at both ends, with a broken line along its middle."""
    begin = MARGIN - 0.1
    if across:
        yield Rect(begin, y + 0.04, cells + 0.2, 0.92, LANE)
    else:
        yield Rect(x + 0.04, begin, 0.92, cells + 0.2, LANE)
    for i in range(cells):
        a, b = MARGIN + i + 0.28, MARGIN + i + 0.72
        yield Path(((a, y + 0.5), (b, y + 0.5)) if across else ((x + 0.5, a), (x + 0.5, b)), None, ROAD_DASH, 0.05)


def _planter(x: float, y: float) -> Iterator[Shape]:
    """A wall: a stone box with a shrub."""
    yield Rect(x + 0.05, y + 0.1, 0.9, 0.87, "#6f675b", 0.14, shadow=0.1)
    yield Rect(x + 0.05, y + 0.03, 0.9, 0.86, "#d8cfc0", 0.14, fill2="#b3a996")
    yield Rect(x + 0.14, y + 0.12, 0.72, 0.68, "#5d4a38", 0.1)
    for dx, dy, r in ((0.34, 0.36, 0.2), (0.66, 0.38, 0.19), (0.36, 0.62, 0.18), (0.65, 0.62, 0.2), (0.5, 0.48, 0.22)):
        yield Circle(x + dx, y + dy, r, "#8fd06a", fill2="#3d8b3f")


# --- arrows and bumps -------------------------------------------------------------------------------------------------


def _arrow(one: Drawn) -> Iterator[Shape]:
    """On the roof: the way that the vehicle goes, bent where it turns."""
    at, side = one.stance, {"L": -1.0, "R": 1.0}.get(one.turn, 0.0)
    begin, end = at.roof
    tail, tip = begin + 0.1, end - 0.06
    if one.length == 3:
        tail, tip = begin + 0.3, end - 0.22
    shaft: tuple[tuple[float, float], ...]
    if side:
        bend = tip - 0.14
        shaft = (at.point(tail, -0.13 * side), at.point(bend, -0.13 * side), at.point(bend, 0.24 * side))
        head = tuple(at.point(bend + a, b * side) for a, b in ((0.19, 0.06), (0.0, 0.26), (-0.19, 0.06)))
    else:
        shaft = (at.point(tail), at.point(tip - 0.04))
        head = tuple(at.point(tip - a, b) for a, b in ((0.24, -0.21), (0.0, 0.0), (0.24, 0.21)))
    for colour, width in ((one.colours.side, 0.21), ("#ffffff", 0.115)):
        yield Path(shaft, None, colour, width)
        yield Path(head, None, colour, width)


def _bump(bump: Bump) -> Iterator[Shape]:
    """The tracks that the vehicle left, where it struck, and a ring round it."""
    one = bump.vehicle
    w, h = (float(one.length), 1.0) if one.facing in "LR" else (1.0, float(one.length))
    x, y = MARGIN + one.column, MARGIN + one.row
    middles = [(MARGIN + column + 0.5, MARGIN + row + (1 - HEIGHT) / 2) for row, column in bump.way]
    (ax, ay), (bx, by) = middles[-2:]
    struck = (ax + bx) / 2, (ay + by) / 2
    nose = one.stance.point(one.length - EDGE)
    yield Path((nose, *middles[1:-1], struck), None, "#00000066", 0.3)
    yield Path((nose, *middles[1:-1], struck), None, ALARM, 0.12)
    yield Rect(x + EDGE, y + EDGE, w - 2 * EDGE, h - 2 * EDGE - HEIGHT / 2, None, BODY, "#ffffff", 0.15)
    yield Rect(x + EDGE, y + EDGE, w - 2 * EDGE, h - 2 * EDGE - HEIGHT / 2, None, BODY, ALARM, 0.09)
    yield Path(_burst(*struck, 0.42), "#ffffff", "#ffffff", 0.1, closed=True)
    yield Path(_burst(*struck, 0.4), ALARM, ALARM, 0.04, closed=True)
    yield Path(_burst(*struck, 0.23), SPARK, SPARK, 0.04, closed=True)


def _burst(x: float, y: float, r: float) -> tuple[tuple[float, float], ...]:
    """A star of eight points."""
    reach = ((r if i % 2 == 0 else 0.55 * r, pi * i / 8) for i in range(16))
    return tuple((x + length * sin(turn), y - length * cos(turn)) for length, turn in reach)
