"""Scene -> pixels, by skia on the CPU. The only renderer: browser, direct surface and picture files show its output.

A picture depends on its scene and size alone. To be fast, a renderer keeps pictures of the beginnings of scenes:
drawing is one item after the other, so going on from such a picture gives the same pixels as starting anew.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
import skia
from numpy.typing import NDArray

from ...games.base import Circle, Path, Rect, Region, Scene, Shape, Text
from .glyphs import UNITS, outline
from .png import png

__all__ = ["Pixels", "Renderer", "changed_box", "png", "render"]

Pixels = NDArray[np.uint8]
SHADOW = "#5c34142e"
SHADOW_DROP = 0.4  # how far a shadow falls, in blur radii
SHADE = "#2b160866"  # along the edges of a sunken region
BEGINNINGS = 4  # how many a renderer keeps: 4.6 MB each at 1280 by 900
LAYERS = 8


class Renderer:
    """Draws scenes; not for use by two threads at once."""

    def __init__(self) -> None:
        self._beginnings: OrderedDict[int, tuple[tuple[int, int], tuple[Shape, ...], Pixels]] = OrderedDict()
        self._count = 0
        self._last: tuple[Shape, ...] = ()
        self._layers: OrderedDict[Region, tuple[Any, int, int]] = OrderedDict()

    def render(self, scene: Scene, size: tuple[int, int]) -> Pixels:
        """The scene's pixels at ``size`` (width, height): shape (height, width, 4), uint8 RGBA, opaque, writable."""
        width, height = size
        key, done, paper = self._longest_beginning(scene.items, size)
        if paper is None:
            paper = np.full((height, width, 4), 255, np.uint8)
        else:
            paper = paper.copy()
            self._beginnings.move_to_end(key)
        # BGRA is the order that skia draws fast in, several times as fast as RGBA
        surface = skia.Surface.MakeRasterDirect(_info(size, skia.kBGRA_8888_ColorType), paper)
        canvas = surface.getCanvas()
        if (scene.width, scene.height) != size:
            canvas.scale(width / scene.width, height / scene.height)
        shared = _common(scene.items, self._last)
        for place in range(done, len(scene.items)):
            if place == shared and place > done:
                self._keep(scene.items[:place], size, paper)
            self._draw(canvas, scene.items[place])
        self._last = scene.items
        pixels = np.empty_like(paper)
        surface.readPixels(_info(size, skia.kRGBA_8888_ColorType), pixels, 4 * width)
        return pixels

    def _longest_beginning(self, items: tuple[Shape, ...], size: tuple[int, int]) -> tuple[int, int, Pixels | None]:
        best: tuple[int, int, Pixels | None] = (-1, 0, None)
        for key, (its_size, beginning, pixels) in self._beginnings.items():
            count = len(beginning)
            if its_size == size and best[1] < count <= len(items) and items[:count] == beginning:
                best = key, count, pixels
        return best

    def _keep(self, items: tuple[Shape, ...], size: tuple[int, int], pixels: Pixels) -> None:
        self._count += 1
        self._beginnings[self._count] = (size, items, pixels.copy())
        if len(self._beginnings) > BEGINNINGS:
            self._beginnings.popitem(last=False)

    def _draw(self, canvas: Any, item: Shape) -> None:
        match item:
            case Rect(fill=str(), fill2=str(), radius=0.0, stroke=None, shadow=0.0):
                _draw_rows(canvas, item)
            case Rect():
                shape = skia.RRect.MakeRectXY(skia.Rect.MakeXYWH(item.x, item.y, item.w, item.h), *[_radius(item)] * 2)
                if item.shadow:
                    _draw_shadow(canvas, item, shape)
                if item.fill:
                    canvas.drawRRect(shape, _rect_fill(item))
                if item.stroke:
                    canvas.drawRRect(shape, _stroke(item.stroke, item.stroke_width))
            case Circle():
                if item.shadow:
                    canvas.drawCircle(item.x, item.y + item.shadow * SHADOW_DROP, item.r, _shadow(item.shadow))
                if item.fill:
                    canvas.drawCircle(item.x, item.y, item.r, _circle_fill(item))
                if item.stroke:
                    canvas.drawCircle(item.x, item.y, item.r, _stroke(item.stroke, item.stroke_width))
            case Path():
                path = skia.Path.Polygon([skia.Point(*point) for point in item.points], item.closed)
                if item.fill:
                    canvas.drawPath(path, _fill(item.fill))
                if item.stroke:
                    canvas.drawPath(path, _stroke(item.stroke, item.stroke_width))
            case Text():
                _draw_text(canvas, item)
            case Region():
                self._draw_region(canvas, item)

    def _draw_region(self, canvas: Any, item: Region) -> None:
        path = _region_path(item.contours, item.radius)
        if item.fill:
            canvas.drawPath(path, _fill(item.fill))
        if item.depth or item.inset:
            image, left, top = self._relief(item, path)
            canvas.drawImage(image, left, top)

    def _relief(self, item: Region, path: Any) -> tuple[Any, int, int]:
        """The face and the shade of a sunken region as a picture of its own, because blurring is slow."""
        if item in self._layers:
            self._layers.move_to_end(item)
            return self._layers[item]
        bounds = path.getBounds().roundOut()
        surface = skia.Surface.MakeRasterN32Premul(max(1, bounds.width()), max(1, bounds.height()))
        canvas = surface.getCanvas()
        canvas.translate(-bounds.left(), -bounds.top())
        floor = skia.Path(path)
        floor.offset(0, item.depth)
        around = skia.Path()
        around.addRect(skia.Rect.Make(bounds).makeOutset(4 * item.inset + 8, 4 * item.inset + item.depth + 8))
        around.addPath(floor)
        around.setFillType(skia.PathFillType.kEvenOdd)
        if item.inset:
            shade = _fill(SHADE)
            shade.setMaskFilter(skia.MaskFilter.MakeBlur(skia.kNormal_BlurStyle, item.inset / 2))
            canvas.drawPath(around, shade)
        if item.side:
            canvas.drawPath(around, _fill(item.side))
        outside = skia.Path(path)
        outside.toggleInverseFillType()
        canvas.drawPath(outside, skia.Paint(AntiAlias=True, BlendMode=skia.BlendMode.kClear))  # a clip would be slow
        self._layers[item] = (surface.makeImageSnapshot(), bounds.left(), bounds.top())
        if len(self._layers) > LAYERS:
            self._layers.popitem(last=False)
        return self._layers[item]


def _info(size: tuple[int, int], order: Any) -> Any:
    return skia.ImageInfo.Make(*size, order, skia.kPremul_AlphaType)


_thread = threading.local()


def render(scene: Scene, size: tuple[int, int]) -> Pixels:
    """As ``Renderer.render``, with one renderer a thread: it is a memo, the pixels don't depend on what came before."""
    if not hasattr(_thread, "renderer"):
        _thread.renderer = Renderer()
    renderer: Renderer = _thread.renderer
    return renderer.render(scene, size)


def changed_box(before: Pixels, after: Pixels) -> tuple[int, int, int, int] | None:
    """The least rectangle (x, y, width, height) that holds every pixel that differs; None where none does.

    Both pictures have the same shape (height, width, 4) and contiguous rows.
    """
    differs = before.view(np.uint32)[:, :, 0] != after.view(np.uint32)[:, :, 0]
    rows = np.flatnonzero(differs.any(axis=1))
    if not rows.size:
        return None
    top, bottom = int(rows[0]), int(rows[-1])
    columns = np.flatnonzero(differs[top : bottom + 1].any(axis=0))
    left, right = int(columns[0]), int(columns[-1])
    return left, top, right - left + 1, bottom - top + 1


def _common(a: tuple[Shape, ...], b: tuple[Shape, ...]) -> int:
    """How many items two scenes have in common from the beginning."""
    for place, (one, other) in enumerate(zip(a, b, strict=False)):
        if one is not other and one != other:
            return place
    return min(len(a), len(b))


@lru_cache(maxsize=512)
def _colour(text: str) -> int:
    value = int(text[1:], 16)
    if len(text) == 9:
        value, alpha = value >> 8, value & 255
    else:
        alpha = 255
    return alpha << 24 | value


def _fill(colour: str) -> Any:
    return skia.Paint(AntiAlias=True, Color=_colour(colour))


def _stroke(colour: str, width: float) -> Any:
    return skia.Paint(
        AntiAlias=True,
        Color=_colour(colour),
        Style=skia.Paint.kStroke_Style,
        StrokeWidth=width,
        StrokeCap=skia.Paint.kRound_Cap,
        StrokeJoin=skia.Paint.kRound_Join,
    )


def _shadow(blur: float) -> Any:
    paint = _fill(SHADOW)
    paint.setMaskFilter(skia.MaskFilter.MakeBlur(skia.kNormal_BlurStyle, blur / 2))
    return paint


def _radius(item: Rect) -> float:
    return max(0.0, min(item.radius, item.w / 2, item.h / 2))


def _rect_fill(item: Rect) -> Any:
    paint = _fill(item.fill or "")
    if item.fill2:
        ends = [skia.Point(0, item.y), skia.Point(0, item.y + item.h)]
        paint.setShader(skia.GradientShader.MakeLinear(ends, [_colour(item.fill or ""), _colour(item.fill2)]))
    return paint


def _draw_shadow(canvas: Any, item: Rect, shape: Any) -> None:
    """Leaves out what the shape itself will hide: most of a large card."""
    canvas.save()
    if item.fill and len(item.fill) == len("#rrggbb"):
        inset = max(1.0, _radius(item))
        hidden = skia.Rect.MakeXYWH(item.x, item.y, item.w, item.h).makeInset(inset, inset)
        if not hidden.isEmpty():
            canvas.clipRect(skia.Rect.Make(hidden.roundIn()), skia.ClipOp.kDifference)
    canvas.drawRRect(shape.makeOffset(0, item.shadow * SHADOW_DROP), _shadow(item.shadow))
    canvas.restore()


def _draw_rows(canvas: Any, item: Rect) -> None:
    """A gradient without round corners as bands of one colour each: over a whole page much faster than a shader."""
    ends = [np.array([_colour(c or "") >> shift & 255 for shift in (24, 16, 8, 0)]) for c in (item.fill, item.fill2)]
    parts = (np.arange(ceil(item.h))[:, None] + 0.5) / item.h
    rows = np.rint(ends[0] + (ends[1] - ends[0]) * parts).astype(np.int64) @ [1 << 24, 1 << 16, 1 << 8, 1]
    begins = [0, *(np.flatnonzero(np.diff(rows)) + 1).tolist(), item.h]
    for begin, end in pairwise(begins):
        band = skia.Rect.MakeXYWH(item.x, item.y + begin, item.w, end - begin)
        canvas.drawRect(band, skia.Paint(Color=int(rows[begin])))


def _circle_fill(item: Circle) -> Any:
    paint = _fill(item.fill or "")
    if item.fill2:
        light = skia.Point(item.x - 0.35 * item.r, item.y - 0.4 * item.r)
        colours = [_colour(item.fill or ""), _colour(item.fill2)]
        paint.setShader(skia.GradientShader.MakeRadial(light, 1.45 * item.r, colours))
    return paint


def _draw_text(canvas: Any, item: Text) -> None:
    path, width = outline(item.text, item.bold)
    scale = item.size / UNITS
    if item.fit and width * scale > item.fit:
        scale = item.fit / width
    left = item.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[item.anchor] * width * scale
    canvas.save()
    canvas.translate(left, item.y)
    canvas.scale(scale, scale)
    canvas.drawPath(path, _fill(item.fill))
    canvas.restore()


@lru_cache(maxsize=32)
def _region_path(contours: tuple[tuple[tuple[float, float], ...], ...], radius: float) -> Any:
    path = skia.Path()
    path.setFillType(skia.PathFillType.kEvenOdd)
    for points in contours:
        _add_rounded(path, points, radius)
    return path


def _add_rounded(path: Any, points: tuple[tuple[float, float], ...], radius: float) -> None:
    """A closed polygon with arcs for corners, each at most as large as half of the shorter edge at it allows."""
    count = len(points)
    (x0, y0), (x1, y1) = points[-1], points[0]
    path.moveTo((x0 + x1) / 2, (y0 + y1) / 2)
    for i in range(count):
        (ax, ay), (bx, by), (cx, cy) = points[i - 1], points[i], points[(i + 1) % count]
        shorter = min(abs(bx - ax) + abs(by - ay), abs(cx - bx) + abs(cy - by))
        r = min(radius, shorter / 2)
        if r > 0:
            path.arcTo(bx, by, cx, cy, r)
        else:
            path.lineTo(bx, by)
    path.close()
