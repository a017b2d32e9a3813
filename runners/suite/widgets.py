"""What every screen is made of: buttons, badges, bars, chips and icons, and the colours they share.

All sizes are in design units: a screen is 1280 by 900 of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Literal

from ...games.base import Circle, Path, Rect, Scene, Shape, Text, placed

PAGE_TOP, PAGE_BOTTOM = "#fff7ea", "#fde4cb"
CARD, CARD_EDGE = "#fffdf9", "#f3e2cf"
INK, MUTED, FAINT = "#4b3526", "#9b8370", "#ecdcc9"
ACCENT, ACCENT_LOW, ACCENT_EDGE = "#ff8a5c", "#f5643d", "#d94f2b"
QUIET, QUIET_LOW, QUIET_EDGE = "#fff3e3", "#fbe6cf", "#ecd3b6"
DONE = "#5bb974"
TIER_COLOURS = {
    "default": "#3aa6b9",
    "easy": "#55b57a",
    "medium": "#f0a132",
    "hard": "#ea5f55",
    "extreme": "#b657c9",
    "nightmare": "#4f4a86",
    "expert": "#7b61d6",
}
OTHER_TIER = "#5f8fd0"


@dataclass(frozen=True, slots=True)
class Control:
    """A part of the screen that a press acts on, and its name for agents and tests. Locked ones are not ``enabled``."""

    name: str
    x: float
    y: float
    w: float
    h: float
    enabled: bool = True

    def contains(self, x: float, y: float) -> bool:
        return self.x <= x < self.x + self.w and self.y <= y < self.y + self.h

    def centre(self) -> tuple[float, float]:
        """Whole numbers: a browser rounds the position of a mouse event."""
        return float(round(self.x + self.w / 2)), float(round(self.y + self.h / 2))


class Page:
    """A screen in the making: what is drawn, what can be pressed, and which control is being ``pressed``."""

    def __init__(self, pressed: str = "") -> None:
        self.pressed = pressed
        self.items: list[Shape] = []
        self.controls: list[Control] = []

    def add(self, *items: Shape) -> None:
        self.items.extend(items)

    def text(
        self,
        x: float,
        middle: float,
        text: str,
        size: float,
        fill: str = INK,
        anchor: Literal["start", "middle", "end"] = "middle",
        *,
        bold: bool = True,
        fit: float = 0,
    ) -> None:
        """A line of text with its capitals centred on the height ``middle``."""
        self.add(Text(x, middle + 0.355 * size, text, size, fill, anchor, bold, fit))

    def place(self, scene: Scene, x: float, y: float, w: float, h: float) -> None:
        """A picture as large as fits in the box, in its centre."""
        scale = min(w / scene.width, h / scene.height)
        left, top = x + (w - scene.width * scale) / 2, y + (h - scene.height * scale) / 2
        self.items.extend(placed(scene.items, left, top, scale))

    def card(self, x: float, y: float, w: float, h: float, *, radius: float = 28, shadow: float = 22) -> None:
        self.add(Rect(x, y, w, h, CARD, radius, CARD_EDGE, 1.5, shadow=shadow))

    def button(
        self,
        name: str,
        x: float,
        y: float,
        w: float,
        h: float,
        text: str,
        *,
        main: bool = False,
        icon: str = "",
        enabled: bool = True,
    ) -> None:
        """A raised key that sinks while it is held down; pale where it is not ``enabled``."""
        self.controls.append(Control(name, x, y, w, h, enabled))
        face, low, edge = (ACCENT, ACCENT_LOW, ACCENT_EDGE) if main else (QUIET, QUIET_LOW, QUIET_EDGE)
        ink, radius, lift = ("#ffffff" if main else INK if enabled else "#cdb9a3"), h * 0.36, 5.0
        sunk = lift - 1 if self.pressed == name and enabled else 0
        self.add(Rect(x, y + sunk, w, h - sunk, edge, radius))
        self.add(Rect(x, y + sunk, w, h - lift, face, radius, fill2=low))
        middle, size = y + sunk + (h - lift) / 2, min(26.0, h * 0.4)
        if icon and text:
            # the words are centred in what the icon leaves
            self.add(*icon_items(icon, x + h * 0.56, middle, size * 0.95, ink))
            self.text(x + (w + h * 0.56) / 2, middle, text, size, ink, fit=w - h * 1.2)
        elif icon:
            self.add(*icon_items(icon, x + w / 2, middle, size * 1.1, ink))
        else:
            self.text(x + w / 2, middle, text, size, ink, fit=w - 28)

    def badge(self, x: float, y: float, w: float, h: float, text: str, colour: str) -> None:
        self.add(Rect(x, y, w, h, colour, h / 2))
        self.text(x + w / 2, y + h / 2, text, h * 0.54, "#ffffff", fit=w - h * 0.7)

    def bar(self, x: float, y: float, w: float, h: float, share: float, colour: str) -> None:
        """A progress bar; a share above zero always shows as at least a dot."""
        self.add(Rect(x, y, w, h, FAINT, h / 2))
        if share > 0:
            self.add(Rect(x, y, max(h, w * share), h, colour, h / 2))
            self.add(Rect(x + h * 0.35, y + h * 0.2, max(h, w * share) - h * 0.7, h * 0.22, "#ffffff66", h * 0.11))


def tier_colour(tier: str) -> str:
    return TIER_COLOURS.get(tier, OTHER_TIER)


def arc(x: float, y: float, r: float, start: float, end: float, steps: int = 20) -> tuple[tuple[float, float], ...]:
    """Points along a circle, angles in turns from three o'clock, clockwise."""
    turns = (start + (end - start) * i / steps for i in range(steps + 1))
    return tuple((x + r * cos(2 * pi * t), y + r * sin(2 * pi * t)) for t in turns)


def star(x: float, y: float, r: float, points: int = 5, inner: float = 0.5) -> tuple[tuple[float, float], ...]:
    radii = (r, r * inner)
    return tuple(
        (x + radii[i % 2] * sin(pi * i / points), y - radii[i % 2] * cos(pi * i / points)) for i in range(2 * points)
    )


def arrowhead(base: tuple[float, float], way: tuple[float, float], size: float, colour: str) -> Path:
    """A triangle on the end of a line that leaves in the direction ``way`` (of length one)."""
    (x, y), (dx, dy) = base, way
    corners = (
        (x + dy * size, y - dx * size),
        (x + dx * size * 1.3, y + dy * size * 1.3),
        (x - dy * size, y + dx * size),
    )
    return Path(corners, colour, colour, size * 0.3, closed=True)


def icon_items(name: str, x: float, y: float, size: float, colour: str) -> Iterable[Shape]:
    """An icon of about ``size`` by ``size`` round (x, y)."""
    r, pen = size / 2, size * 0.15
    match name:
        case "back":
            yield Path(((x + r * 0.4, y - r * 0.8), (x - r * 0.4, y), (x + r * 0.4, y + r * 0.8)), None, colour, pen)
        case "next":
            yield Path(((x - r * 0.4, y - r * 0.8), (x + r * 0.4, y), (x - r * 0.4, y + r * 0.8)), None, colour, pen)
        case "tick":
            yield Path(
                ((x - r * 0.75, y), (x - r * 0.2, y + r * 0.55), (x + r * 0.8, y - r * 0.6)), None, colour, pen * 1.2
            )
        case "lock":
            yield Path(
                ((x - r * 0.42, y), *arc(x, y - r * 0.35, r * 0.42, 0.5, 1.0), (x + r * 0.42, y)), None, colour, pen
            )
            yield Rect(x - r * 0.72, y - r * 0.15, r * 1.44, r * 1.05, colour, r * 0.25)
        case "restart":
            turn = arc(x, y + r * 0.08, r * 0.78, 0.02, 0.76)
            yield Path(turn, None, colour, pen)
            yield arrowhead(turn[-1], (1.0, 0.08), r * 0.5, colour)
        case "undo":
            end = (x - r * 0.35, y - r * 0.4)
            bow = arc(x + r * 0.2, y + r * 0.2, r * 0.6, 0.25, -0.25)
            yield Path(((x - r * 0.4, y + r * 0.8), *bow, end), None, colour, pen)
            yield arrowhead(end, (-1.0, 0.0), r * 0.5, colour)
        case "menu":
            half = r * 0.36
            for dx, dy in ((-1, -1), (1, -1), (-1, 1), (1, 1)):
                left, top = x + dx * r * 0.47 - half, y + dy * r * 0.47 - half
                yield Rect(left, top, 2 * half, 2 * half, colour, r * 0.14)
        case "home":
            yield Path(((x - r * 0.9, y), (x, y - r * 0.8), (x + r * 0.9, y)), None, colour, pen)
            yield Path(
                ((x - r * 0.58, y), (x - r * 0.58, y + r * 0.75), (x + r * 0.58, y + r * 0.75), (x + r * 0.58, y)),
                None,
                colour,
                pen,
            )
        case "star":
            yield Path(star(x, y, r), colour, colour, pen, closed=True)
        case "stop":
            yield Circle(x, y, r * 0.85, None, colour, pen)
            yield Path(((x - r * 0.55, y + r * 0.55), (x + r * 0.55, y - r * 0.55)), None, colour, pen)
        case _:
            raise ValueError(f"no icon {name!r}")
