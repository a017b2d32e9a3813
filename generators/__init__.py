"""The generators, by game."""

from __future__ import annotations

from .base import AnyGenerator
from .maze import GENERATOR as MAZE
from .nut import GENERATOR as NUT
from .rush import GENERATOR as RUSH
from .truck import GENERATOR as TRUCK

GENERATORS: dict[str, AnyGenerator] = {
    "maze": MAZE,
    "nut": NUT,
    "rush": RUSH,
    "truck": TRUCK,
}
