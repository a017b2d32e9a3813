"""The screens as scenes: where everything is, at any viewport size.

Screens are composed in a design space of 1280 by 900 units and enlarged or reduced as a whole to fit the viewport.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...games import GAMES
from ...games.base import Pointer, Rect, Scene, Shape, placed
from ..view import View
from . import cards, menus, play
from .widgets import PAGE_BOTTOM, PAGE_TOP, Control, Page

__all__ = ["Control", "Frame", "controls", "frame", "scene"]

WIDTH, HEIGHT = 1280, 900


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the open level's board lies, in pixels: board point p is at ``(x, y) + p * scale``; a press inside
    ``area`` (x, y, width, height) is the game's."""

    x: float
    y: float
    scale: float
    area: tuple[float, float, float, float]

    def contains(self, x: float, y: float) -> bool:
        left, top, w, h = self.area
        return left <= x < left + w and top <= y < top + h

    def to_board(self, event: Pointer) -> Pointer:
        return Pointer(event.kind, (event.x - self.x) / self.scale, (event.y - self.y) / self.scale, event.key)

    def to_pixels(self, event: Pointer) -> Pointer:
        """Whole pixels: a browser rounds the position of a mouse event. A key has no position."""
        if event.kind == "key":
            return event
        x, y = round(self.x + event.x * self.scale), round(self.y + event.y * self.scale)
        return Pointer(event.kind, float(x), float(y), event.key)


def fit(viewport: tuple[int, int]) -> tuple[float, float, float]:
    """Scale and offset from design units to pixels."""
    scale = min(viewport[0] / WIDTH, viewport[1] / HEIGHT)
    return scale, (viewport[0] - WIDTH * scale) / 2, (viewport[1] - HEIGHT * scale) / 2


def frame(view: View, viewport: tuple[int, int]) -> Frame:
    """The frame of the open level. The cells are whole pixels wide where the viewport allows it."""
    k, dx, dy = fit(viewport)
    size = GAMES[view.game or ""].scene(view.board, view.state, None)
    box_x, box_y, box_w, box_h = (v * k for v in play.BOARD_BOX)
    scale = min(box_w / size.width, box_h / size.height, play.LARGEST_UNIT * k)
    scale = float(int(scale)) if scale >= 2 else scale
    x = round(dx + box_x + (box_w - size.width * scale) / 2)
    y = round(dy + box_y + (box_h - size.height * scale) / 2)
    left = dx + play.AREA_LEFT * k
    return Frame(x, y, scale, (left, 0.0, viewport[0] - left, float(viewport[1])))


def controls(view: View, viewport: tuple[int, int]) -> tuple[Control, ...]:
    """What can be pressed on this screen, in pixels."""
    k, dx, dy = fit(viewport)
    return tuple(
        Control(c.name, dx + c.x * k, dy + c.y * k, c.w * k, c.h * k, c.enabled)
        for page in _pages(view)
        for c in page.controls
    )


def scene(view: View, viewport: tuple[int, int]) -> Scene:
    """The whole viewport, in pixels. What changes seldom comes first: the renderer keeps pictures of the beginning."""
    k, dx, dy = fit(viewport)
    items: list[Shape] = [Rect(0, 0, *viewport, PAGE_TOP, fill2=PAGE_BOTTOM)]
    if view.board is None:
        for page in _pages(view):
            items.extend(placed(page.items, dx, dy, k))
        return Scene(*viewport, tuple(items))
    items.extend(placed(play.panel(view).items, dx, dy, k))
    at = frame(view, viewport)
    items.extend(placed(GAMES[view.game or ""].scene(view.board, view.state, view.ui).items, at.x, at.y, at.scale))
    items.extend(placed(play.counters(view).items, dx, dy, k))
    if view.screen != "level":
        items.append(Rect(0, 0, *viewport, cards.VEIL))
        for page in _pages(view):
            items.extend(placed(page.items, dx, dy, k))
    return Scene(*viewport, tuple(items))


def _pages(view: View) -> tuple[Page, ...]:
    """What lies on top and takes presses; beneath a card nothing does."""
    match view.screen:
        case "home":
            return (menus.home(view),)
        case "tiers":
            return (menus.tiers(view),)
        case "level":
            return play.panel(view), play.counters(view)
        case "solved":
            return (cards.solved(view),)
        case "complete":
            return (cards.complete(view),)
