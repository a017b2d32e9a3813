"""The generators, by game."""

from __future__ import annotations

from .base import AnyGenerator
from .bolt import GENERATOR as BOLT
from .color import GENERATOR as COLOR
from .maze import GENERATOR as MAZE
from .nut import GENERATOR as NUT
from .rush import GENERATOR as RUSH
from .truck import GENERATOR as TRUCK

GENERATORS: dict[str, AnyGenerator] = {
    "bolt": BOLT,
    "color": COLOR,
    "maze": MAZE,
    "nut": NUT,
    "rush": RUSH,
    "truck": TRUCK,
}
