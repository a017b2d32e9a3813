"""A level's solution as pictures: the start, and every distinct tile that a move changes, once, on one sheet.

    sheet   0  1  2  3 …      frames   [[17, 0, 18, 1], [18, 2], …]
                              the first move puts tile 0 at place 17 and tile 1 at place 18 of the start picture

A move changes little, and what it changes often looks as it did before: tiles take a tenth of the bytes of whole
frames and half of those of changed boxes. Files are lossless WebP, a third smaller than PNG.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import skia
from numpy.typing import NDArray

from ...games.base import AnyGame, Circle, Label, LpbError, Rect, Scene, Shape, Text, placed, states_along
from ..suite.render import Pixels, Renderer
from ..suite.widgets import PAGE_TOP

TILE = 24  # pixels; smaller ones compress as well and are more to draw
SHEET_COLUMNS = 42
TAG, TAG_SHARE = 11.0, 0.24  # a label's radius: at most so many pixels, and so much of a board unit
MOST_ROWS = 16_383 // TILE  # WebP's limit


@dataclass(frozen=True, slots=True)
class Film:
    """``start``: a WebP file of ``size`` (width, height) pixels; ``sheet``: a WebP file of tiles, ``columns`` a row,
    empty where nothing moves; ``frames``: for each move, place and tile by turns, places counted row by row."""

    start: bytes
    size: tuple[int, int]
    sheet: bytes
    columns: int
    frames: tuple[tuple[int, ...], ...]


class Reel:
    """A film in the making, picture after picture, all of one size."""

    def __init__(self, start: Pixels) -> None:
        self._start = self._before = start
        self._tiles: dict[bytes, int] = {}
        self._frames: list[tuple[int, ...]] = []

    def add(self, picture: Pixels) -> None:
        old, new = _cut(self._before), _cut(picture)
        changed = np.flatnonzero((old != new).any(axis=(1, 2)))
        numbers = [self._tiles.setdefault(new[place].tobytes(), len(self._tiles)) for place in changed]
        self._frames.append(tuple(int(n) for pair in zip(changed, numbers, strict=True) for n in pair))
        self._before = picture

    def film(self) -> Film:
        start, tiles = self._start, self._tiles
        columns = max(SHEET_COLUMNS, -(-len(tiles) // MOST_ROWS))
        sheet = _sheet(list(tiles), columns) if tiles else b""
        return Film(webp(start), (start.shape[1], start.shape[0]), sheet, columns, tuple(self._frames))


class Camera:
    """Takes pictures of one board's states, each fitting a square of ``box`` pixels. ``labelled``: with what moves
    call the parts of the board, which no player sees."""

    def __init__(self, game: AnyGame, board: Any, box: int, *, labelled: bool = False) -> None:
        self._game, self._board = game, board
        self._labels = game.labels if labelled else None
        self._renderer = Renderer()
        scene = game.scene(board, game.start(board), None)
        self._scale = box / max(scene.width, scene.height)
        self._size = max(1, round(scene.width * self._scale)), max(1, round(scene.height * self._scale))

    def picture(self, state: Any) -> Pixels:
        scene = self._game.scene(self._board, state, None)
        items = [_without_cut_shadow(item, scene.height) for item in scene.items]
        paper = Rect(0, 0, *self._size, PAGE_TOP)
        names = self._labels(self._board, state) if self._labels is not None else ()
        tags = [shape for name in names for shape in _tag(name, self._scale)]
        return self._renderer.render(Scene(*self._size, (paper, *placed(items, 0, 0, self._scale), *tags)), self._size)


def _without_cut_shadow(item: Shape, height: float) -> Shape:
    """The picture ends where the board does: of a shadow that falls below it, only scraps would be left at the round
    corners."""
    return replace(item, shadow=0.0) if isinstance(item, Rect) and item.y + item.h >= height - 1e-6 else item


def _tag(label: Label, scale: float) -> tuple[Shape, ...]:
    """A label on a light disc. ``scale``: pixels a board unit; small boards do not get large labels."""
    radius = min(TAG, TAG_SHARE * scale)
    x, y = label.x * scale, label.y * scale
    return (
        Circle(x, y, radius, "#fffdf9e6", "#3d2b1fb0", max(0.5, radius / 10)),
        Text(x, y + 0.45 * radius, label.text, 1.25 * radius, "#3d2b1f", "middle", bold=True, fit=1.6 * radius),
    )


def shoot(game: AnyGame, board: Any, solution: Iterable[Any], box: int) -> Film:
    """The film of a solution in pictures that fit a square of ``box`` pixels. Raises LpbError where the moves do not
    replay to the end (IllegalMove at one that the rules forbid)."""
    camera, moves = Camera(game, board, box, labelled=True), list(solution)
    states = list(states_along(game, board, moves))
    if moves and not game.solved(board, states[-1]):
        raise LpbError("its solution does not solve it", where=game.name, fix="run lpb-gen certify on the boards")
    reel = Reel(camera.picture(states[0]))
    for state in states[1:]:
        reel.add(camera.picture(state))
    return reel.film()


def _cut(picture: Pixels) -> NDArray[np.uint32]:
    """Tiles by place, of shape (places, TILE, TILE); white fills the last row and column."""
    height, width = picture.shape[:2]
    down, across = -(-height // TILE), -(-width // TILE)
    padded = np.full((down * TILE, across * TILE), 0xFFFFFFFF, np.uint32)
    padded[:height, :width] = picture.view(np.uint32)[:, :, 0]
    cut: NDArray[np.uint32] = padded.reshape(down, TILE, across, TILE).swapaxes(1, 2).reshape(-1, TILE, TILE)
    return cut


def _sheet(tiles: list[bytes], columns: int) -> bytes:
    rows = -(-len(tiles) // columns)
    sheet = np.full((rows * columns, TILE, TILE), 0xFFFFFFFF, np.uint32)
    sheet[: len(tiles)] = np.frombuffer(b"".join(tiles), np.uint32).reshape(-1, TILE, TILE)
    whole = sheet.reshape(rows, columns, TILE, TILE).swapaxes(1, 2).reshape(rows * TILE, columns * TILE)
    return webp(np.ascontiguousarray(whole).view(np.uint8).reshape(rows * TILE, columns * TILE, 4))


def webp(pixels: Pixels) -> bytes:
    """A lossless WebP file of an opaque picture of shape (height, width, 4), RGBA."""
    image = skia.Image.fromarray(pixels, colorType=skia.kRGBA_8888_ColorType)
    return bytes(image.encodeToData(skia.kWEBP, 100))  # quality 100 is lossless
