"""Boards as picture files, outside the suite: one board, or a sheet of several with captions."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any

from ...games.base import AnyGame, Rect, Scene, Shape, Text, placed
from .png import png
from .render import Renderer
from .widgets import INK, PAGE_BOTTOM, PAGE_TOP

MARGIN = 0.06  # round a single board, as a share of the width
MOST_UNIT = 96.0  # pixels a board unit takes at most on a sheet
CELL, GAP, CAPTION, EDGE = 300.0, 36.0, 44.0, 44.0  # of a sheet, in pixels


def board_png(game: AnyGame, board: Any, state: Any = None, *, width: int = 800) -> bytes:
    """A PNG file of one board, ``width`` pixels wide, as high as the board asks; in its start state unless told."""
    picture = game.scene(board, game.start(board) if state is None else state, None)
    margin = width * MARGIN
    scale = (width - 2 * margin) / picture.width
    height = max(1, round(picture.height * scale + 2 * margin))
    items = (_paper(width, height), *placed(picture.items, margin, margin, scale))
    return png(Renderer().render(Scene(width, height, items), (width, height)))


def sheet_png(boards: Sequence[tuple[AnyGame, Any, str]], *, columns: int | None = None) -> bytes:
    """A PNG file of several boards in rows: (game, board, caption) each, in their start states."""
    count = max(1, len(boards))
    across = columns or min(5, ceil(sqrt(count)))
    across = min(across, count)
    down = -(-count // across)
    width = round(2 * EDGE + across * CELL + (across - 1) * GAP)
    height = round(2 * EDGE + down * (CELL + CAPTION) + (down - 1) * GAP)
    items: list[Shape] = [_paper(width, height)]
    for place, (game, board, caption) in enumerate(boards):
        row, column = divmod(place, across)
        left, top = EDGE + column * (CELL + GAP), EDGE + row * (CELL + CAPTION + GAP)
        picture = game.scene(board, game.start(board), None)
        scale = min(CELL / picture.width, CELL / picture.height, MOST_UNIT)
        x, y = left + (CELL - picture.width * scale) / 2, top + (CELL - picture.height * scale) / 2
        items.extend(placed(picture.items, x, y, scale))
        items.append(Text(left + CELL / 2, top + CELL + 32, caption, 19, INK, "middle", fit=CELL))
    return png(Renderer().render(Scene(width, height, tuple(items)), (width, height)))


def _paper(width: int, height: int) -> Rect:
    return Rect(0, 0, width, height, PAGE_TOP, fill2=PAGE_BOTTOM)
