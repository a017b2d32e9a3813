"""Nut and Bolt's looks: steel bolts standing on a wooden bench, hexagonal nuts with a colour and a mark.

Knows stacks of paint numbers (0 to 14), no rules. The bolts stand in one to three rows; a bolt's place is ``PITCH``
wide and as high as its capacity demands.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from .base import Circle, Path, Rect, Scene, Shape
from .nut_faces import NUT_HEIGHT, PICK, nut

MARGIN = 0.4
PITCH = 1.3  # from bolt to bolt
HEAD, FOOT = 0.85, 0.62  # room above the uppermost nut, where lifted nuts go; below the lowest one
LIFT = 0.42
ASPECT = 860 / 764  # of the space that the suite has for a board

Stacks = tuple[tuple[int, ...], ...]


WOOD, WOOD_DARK, WOOD_LIGHT, GRAIN = "#c98f58", "#8a5a30", "#e0ad78", "#b47c46"
STEEL, STEEL_LIGHT, STEEL_DARK, THREAD = "#aab3c0", "#eef2f7", "#6d7787", "#7d8796"
REFUSE = "#ff3b30"


class Grid(NamedTuple):
    """Where the bolts stand: rows, places in a full row, height of a row, size of the picture."""

    rows: int
    columns: int
    row_height: float
    width: float
    height: float


@lru_cache(maxsize=64)
def grid(capacity: int, bolts: int) -> Grid:
    """The arrangement that shows the bolts largest."""
    row_height = HEAD + capacity * NUT_HEIGHT + FOOT
    grids = []
    for rows in range(1, min(3, bolts) + 1):
        columns = -(-bolts // rows)
        grids.append(Grid(rows, columns, row_height, columns * PITCH + 2 * MARGIN, rows * row_height + 2 * MARGIN))
    return min(grids, key=lambda g: max(g.width / ASPECT, g.height))


def _corner(g: Grid, bolts: int, bolt: int) -> tuple[float, float]:
    """The upper left corner of a bolt's place; an incomplete last row stands in the middle."""
    row, column = divmod(bolt, g.columns)
    here = min(g.columns, bolts - row * g.columns)
    return MARGIN + ((g.columns - here) / 2 + column) * PITCH, MARGIN + row * g.row_height


def bolt_at(capacity: int, bolts: int, x: float, y: float) -> int | None:
    """The bolt whose place holds a point."""
    g = grid(capacity, bolts)
    for bolt in range(bolts):
        left, top = _corner(g, bolts, bolt)
        if left <= x < left + PITCH and top <= y < top + g.row_height:
            return bolt
    return None


def bolt_middle(capacity: int, bolts: int, bolt: int) -> tuple[float, float]:
    g = grid(capacity, bolts)
    left, top = _corner(g, bolts, bolt)
    return left + PITCH / 2, top + g.row_height / 2


def bolt_foot(capacity: int, bolts: int, bolt: int) -> tuple[float, float]:
    """Below a bolt's washer, on the bench."""
    g = grid(capacity, bolts)
    left, top = _corner(g, bolts, bolt)
    return left + PITCH / 2, top + g.row_height - 0.12


def picture(
    capacity: int, stacks: Stacks, *, lifted: tuple[int, int] | None = None, refused: int | None = None
) -> Scene:
    """``stacks``: paint numbers, bottom first; ``lifted``: a bolt and how many of its top nuts are raised; ``refused``:
    a bolt that a transfer could not go to."""
    g = grid(capacity, len(stacks))
    items: list[Shape] = [*_bench(capacity, len(stacks))]
    for bolt, stack in enumerate(stacks):
        left, top = _corner(g, len(stacks), bolt)
        x, ground = left + PITCH / 2, top + g.row_height - FOOT
        if bolt == refused:
            items.append(Rect(left + 0.05, top + 0.1, PITCH - 0.1, g.row_height - 0.2, "#ff3b3038", 0.25, REFUSE, 0.06))
        raised = lifted[1] if lifted and lifted[0] == bolt else 0
        if raised:
            items.append(Rect(left + 0.05, top + 0.1, PITCH - 0.1, g.row_height - 0.2, "#ffffff40", 0.25, PICK, 0.05))
        for place, paint in enumerate(stack):
            up = LIFT if place >= len(stack) - raised else 0.0
            items.extend(nut(x, ground - (place + 1) * NUT_HEIGHT - up, paint, glow=up > 0))
        if len(stack) == capacity and len(set(stack)) == 1:
            items.extend(_cap(x, ground - capacity * NUT_HEIGHT))
        if bolt == refused:
            items.extend(_cross(x, top + 0.42))
    return Scene(g.width, g.height, tuple(items))


@lru_cache(maxsize=32)
def _bench(capacity: int, bolts: int) -> tuple[Shape, ...]:
    """The bench with its bare bolts: the same in every state."""
    g = grid(capacity, bolts)
    items: list[Shape] = [
        Rect(0, 0.14, g.width, g.height - 0.14, WOOD_DARK, 0.4, shadow=0.3),
        Rect(0, 0, g.width, g.height - 0.14, WOOD_LIGHT, 0.4),
        Rect(0, 0.05, g.width, g.height - 0.19, WOOD, 0.4, fill2="#bb8048"),
    ]
    planks = max(2, round(g.height / 1.6))
    for plank in range(planks):
        y = 0.05 + (g.height - 0.19) * plank / planks
        step = (g.height - 0.19) / planks
        if plank:
            items.append(Path(((0.04, y), (g.width - 0.04, y)), None, "#8a5a3070", 0.035))
            items.append(Path(((0.04, y + 0.035), (g.width - 0.04, y + 0.035)), None, "#f0c79a60", 0.025))
        for streak in range(3):
            at = y + step * (0.22 + 0.27 * streak)
            begin = g.width * ((plank * 5 + streak * 3) % 7) / 9 + 0.3
            end = min(g.width - 0.3, begin + g.width * (0.25 + 0.1 * streak))
            if begin < end:
                items.append(Path(((begin, at), ((begin + end) / 2, at + 0.05), (end, at)), None, GRAIN + "80", 0.03))
    for bolt in range(bolts):
        left, top = _corner(g, bolts, bolt)
        items.extend(_bolt(left + PITCH / 2, top + g.row_height - FOOT, capacity))
    return tuple(items)


def _bolt(x: float, ground: float, capacity: int) -> Iterable[Shape]:
    """A threaded rod on a round washer."""
    length = capacity * NUT_HEIGHT + 0.2
    yield Rect(x - 0.56, ground + 0.02, 1.12, 0.3, STEEL_DARK, 0.14, shadow=0.14)
    yield Rect(x - 0.56, ground - 0.03, 1.12, 0.27, STEEL_LIGHT, 0.13, fill2=STEEL)
    yield Rect(x - 0.17, ground - length, 0.34, length + 0.05, STEEL, 0.1, shadow=0.08)
    yield Rect(x - 0.17, ground - length, 0.12, length + 0.03, STEEL_LIGHT, 0.06)
    yield Rect(x + 0.07, ground - length, 0.1, length + 0.03, STEEL_DARK, 0.05)
    turns = int(length / 0.13)
    for turn in range(1, turns):
        y = ground - 0.06 - turn * 0.13
        yield Path(((x - 0.16, y + 0.03), (x + 0.16, y - 0.03)), None, THREAD, 0.025)
    yield Rect(x - 0.13, ground - length - 0.02, 0.26, 0.09, STEEL_LIGHT, 0.045)


def _cap(x: float, y: float) -> Iterable[Shape]:
    """What crowns a finished bolt: a tick on a brass cap."""
    yield Circle(x, y - 0.2, 0.24, "#ffe9a8", fill2="#d69a1e", shadow=0.08)
    yield Path(((x - 0.1, y - 0.2), (x - 0.02, y - 0.12), (x + 0.11, y - 0.28)), None, "#5a3c00", 0.06)


def _cross(x: float, y: float) -> Iterable[Shape]:
    yield Circle(x, y, 0.26, REFUSE, shadow=0.08)
    for side in (-1, 1):
        yield Path(((x - 0.1, y - side * 0.1), (x + 0.1, y + side * 0.1)), None, "#ffffff", 0.065)
