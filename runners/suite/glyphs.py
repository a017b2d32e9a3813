"""Text as outlines of the bundled font: no system font, no hinting, so the same shapes on every machine."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any

import skia

UNITS = 1000  # per em, in all faces
FACES = {
    False: ("latin-regular.ttf", "han-regular.otf"),
    True: ("latin-bold.ttf", "han-bold.otf"),
}
UNKNOWN = "?"


@lru_cache(maxsize=4)
def _font(name: str) -> Any:
    data = (files(__package__) / "font" / name).read_bytes()
    no_system_fonts = skia.FontMgr.New_Custom_Empty()
    font = skia.Font(no_system_fonts.makeFromData(skia.Data.MakeWithCopy(data)), UNITS)
    font.setHinting(skia.FontHinting.kNone)
    font.setLinearMetrics(True)
    font.setSubpixel(True)
    return font


@lru_cache(maxsize=4096)
def _glyph(character: str, bold: bool) -> tuple[Any, float]:
    """Outline and advance in font units; a character that no face has is drawn as a question mark."""
    for name in FACES[bold]:
        font = _font(name)
        if glyph := font.unicharToGlyph(ord(character)):
            return font.getPath(glyph), font.getWidths([glyph])[0]
    return _glyph(UNKNOWN, bold)


def has_glyph(character: str, *, bold: bool = False) -> bool:
    """Whether the bundled font can draw the character."""
    return any(_font(name).unicharToGlyph(ord(character)) for name in FACES[bold])


@lru_cache(maxsize=1024)
def outline(text: str, bold: bool) -> tuple[Any, float]:
    """A skia path of the line of text, from (0, 0) on the baseline to the right, and its width; in font units."""
    path, x = skia.Path(), 0.0
    for character in text:
        glyph, advance = _glyph(character, bold)
        if glyph is not None:
            path.addPath(glyph, x, 0)
        x += advance
    return path, x
