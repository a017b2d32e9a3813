"""The generators, by game."""

from __future__ import annotations

from .base import AnyGenerator
from .maze import GENERATOR as MAZE

GENERATORS: dict[str, AnyGenerator] = {
    "maze": MAZE,
}
