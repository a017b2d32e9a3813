"""The generators, by game."""

from __future__ import annotations

from .base import AnyGenerator
from .bolt import GENERATOR as BOLT
from .maze import GENERATOR as MAZE
from .nut import GENERATOR as NUT
from .rush import GENERATOR as RUSH

GENERATORS: dict[str, AnyGenerator] = {
    "bolt": BOLT,
    "maze": MAZE,
    "nut": NUT,
    "rush": RUSH,
}
