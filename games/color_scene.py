"""Color Connect's looks: a dark board of round-cornered cells, bright pipes, dots with a colour and a letter.

Knows cells and paint numbers, no rules. One unit a cell, with a frame of ``MARGIN`` round the grid. The letter tells
dots apart for eyes that see colours otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from .base import Circle, Path, Rect, Scene, Shape, Text

MARGIN = 0.34
LIP = 0.12  # the board's front face
DOT, PIPE = 0.35, 0.4  # radius, width

FRAME, FRAME_LIGHT, FRAME_FACE = "#2b3448", "#3f4b66", "#161c2a"
WELL, CELL, CELL_EDGE = "#1a2130", "#262f43", "#33405a"
STONE, STONE_LIGHT, STONE_DARK = "#58647d", "#7d8aa5", "#3d475c"
TO_FILL, WARNING = "#8d9bb8", "#ff5147"


class Paint(NamedTuple):
    """``body``: of dots and pipes; ``light``: where the light falls; ``ink``: of the letter."""

    body: str
    light: str
    ink: str


PAINTS = (
    Paint("#f04444", "#ff8a80", "#ffffff"),
    Paint("#3f7bff", "#86adff", "#ffffff"),
    Paint("#2fb45f", "#74dc97", "#ffffff"),
    Paint("#ffd23a", "#ffe98f", "#4b3800"),
    Paint("#ff8f2e", "#ffbd82", "#4a2300"),
    Paint("#35d3e6", "#98effa", "#053a42"),
    Paint("#f76fc0", "#ffb0df", "#52083a"),
    Paint("#9257e8", "#bf97ff", "#ffffff"),
    Paint("#f2f4f8", "#ffffff", "#2b3448"),
    Paint("#a56a42", "#cf9a74", "#ffffff"),
    Paint("#b4e02c", "#dcf78e", "#2e4100"),
    Paint("#8792a8", "#b9c2d2", "#141a27"),
    Paint("#12917f", "#4fc4b2", "#ffffff"),
    Paint("#b3265e", "#e0628f", "#ffffff"),
    Paint("#e3c290", "#f5e2c3", "#4a3512"),
    Paint("#7f8b16", "#b3be4c", "#ffffff"),
)


class Drawn(NamedTuple):
    """``cells``: of a line, from its dot; ``active``: it is being drawn; ``joined``: it has reached its other dot."""

    cells: Sequence[int]
    active: bool
    joined: bool


def cell_at(height: int, width: int, x: float, y: float) -> int:
    """The cell that holds a point, -1 for none."""
    if not (MARGIN <= x < MARGIN + width and MARGIN <= y < MARGIN + height):
        return -1
    return int(y - MARGIN) * width + int(x - MARGIN)


def middle(width: int, cell: int) -> tuple[float, float]:
    return MARGIN + cell % width + 0.5, MARGIN + cell // width + 0.5


def picture(
    height: int,
    width: int,
    blocked: frozenset[int],
    dots: Mapping[int, tuple[int, str]],
    lines: Sequence[Drawn],
    *,
    to_fill: Iterable[int] = (),
    refused: int = -1,
) -> Scene:
    """``dots``: paint and letter by cell; ``lines``: by paint; ``to_fill``: cells that must be filled yet;
    ``refused``: a cell that the last input could not go to."""
    items: list[Shape] = [*_ground(height, width, blocked)]
    for paint, line in enumerate(lines):
        items.extend(_tint(width, paint, cell, line.joined) for cell in line.cells if len(line.cells) > 1)
    for cell in to_fill:
        x, y = middle(width, cell)
        items.append(Circle(x, y, 0.085, None, TO_FILL, 0.035))
    for paint, line in sorted(enumerate(lines), key=lambda entry: entry[1].active):
        items.extend(_pipe(width, paint, line))
    tips = {line.cells[-1] for line in lines if line.active}
    for cell, (paint, letter) in dots.items():
        if len(lines[paint].cells) == 1 and lines[paint].cells[0] == cell:
            items.append(_halo(width, cell, 0.44))
        items.extend(_dot(width, cell, paint, letter, lines[paint].joined))
    for paint, line in enumerate(lines):
        if len(line.cells) > 1 and not line.joined:
            items.extend(_tip(width, paint, line.cells[-1], active=line.cells[-1] in tips))
    if refused >= 0:
        items.extend(_refusal(width, refused))
    return Scene(width + 2 * MARGIN, height + 2 * MARGIN + LIP, tuple(items))


@lru_cache(maxsize=64)
def _ground(height: int, width: int, blocked: frozenset[int]) -> tuple[Shape, ...]:
    """What stays the same in every state."""
    w, h = width + 2 * MARGIN, height + 2 * MARGIN
    items: list[Shape] = [
        Rect(0, LIP, w, h, FRAME_FACE, 0.34, shadow=0.3),
        Rect(0, 0, w, h, FRAME_LIGHT, 0.34),
        Rect(0, 0.04, w, h - 0.04, FRAME, 0.32, fill2="#232b3d"),
        Rect(MARGIN - 0.1, MARGIN - 0.1, width + 0.2, height + 0.2, WELL, 0.22),
    ]
    for cell in range(height * width):
        x, y = MARGIN + cell % width, MARGIN + cell // width
        if cell in blocked:
            items += [
                Rect(x + 0.04, y + 0.09, 0.92, 0.88, STONE_DARK, 0.16),
                Rect(x + 0.04, y + 0.03, 0.92, 0.86, STONE_LIGHT, 0.16, fill2=STONE),
                Rect(x + 0.15, y + 0.13, 0.7, 0.64, "#657189", 0.1, "#8d9ab340", 0.02),
            ]
        else:
            items.append(Rect(x + 0.03, y + 0.03, 0.94, 0.94, CELL, 0.14, CELL_EDGE, 0.02))
    return tuple(items)


def _tint(width: int, paint: int, cell: int, joined: bool) -> Shape:
    """A cell in the colour of the line through it."""
    x, y = MARGIN + cell % width, MARGIN + cell // width
    return Rect(x + 0.03, y + 0.03, 0.94, 0.94, PAINTS[paint].body + ("42" if joined else "26"), 0.14)


def _pipe(width: int, paint: int, line: Drawn) -> Iterator[Shape]:
    """Drawn through its corners only: ends and bends are round."""
    if len(line.cells) < 2:
        return
    steps = [b - a for a, b in zip(line.cells, line.cells[1:], strict=False)]
    bends = [cell for cell, a, b in zip(line.cells[1:], steps, steps[1:], strict=False) if a != b]
    points = tuple(middle(width, cell) for cell in (line.cells[0], *bends, line.cells[-1]))
    colours = PAINTS[paint]
    yield Path(tuple((x, y + 0.05) for x, y in points), None, "#0b0f1880", PIPE + 0.05)
    yield Path(points, None, colours.body, PIPE)
    yield Path(tuple((x, y - 0.07) for x, y in points), None, colours.light + "70", 0.09)


def _dot(width: int, cell: int, paint: int, letter: str, joined: bool) -> Iterator[Shape]:
    x, y = middle(width, cell)
    colours = PAINTS[paint]
    yield Circle(x, y + 0.045, DOT + 0.01, "#0b0f1890")
    yield Circle(x, y, DOT, colours.light, fill2=colours.body)
    if joined:
        yield Circle(x, y, DOT - 0.03, None, colours.ink + "90", 0.04)
    yield Text(x, y + 0.145, letter, 0.4, colours.ink, "middle", bold=True)


def _halo(width: int, cell: int, radius: float) -> Shape:
    x, y = middle(width, cell)
    return Circle(x, y, radius, "#ffffff38", "#ffffff", 0.055)


def _tip(width: int, paint: int, cell: int, *, active: bool) -> Iterator[Shape]:
    """The end of a line that is not joined: where it can be taken up, or where it goes on."""
    x, y = middle(width, cell)
    if active:
        yield _halo(width, cell, 0.36)
        yield Circle(x, y, 0.25, PAINTS[paint].light, fill2=PAINTS[paint].body)
        yield Circle(x, y, 0.1, "#ffffff")
    else:
        yield Circle(x, y, 0.09, PAINTS[paint].ink + "b0")


def _refusal(width: int, cell: int) -> Iterator[Shape]:
    """A red frame and a cross on a cell."""
    x, y = middle(width, cell)
    yield Rect(x - 0.46, y - 0.46, 0.92, 0.92, WARNING + "30", 0.14, WARNING, 0.06)
    for side in (-1, 1):
        yield Path(((x - 0.15, y - side * 0.15), (x + 0.15, y + side * 0.15)), None, "#ffffff", 0.13)
        yield Path(((x - 0.15, y - side * 0.15), (x + 0.15, y + side * 0.15)), None, WARNING, 0.09)
