"""The games. To add one: a file here, one in ``generators``, one in ``verifiers``, and a line in each registry."""

from __future__ import annotations

from .base import AnyGame
from .bolt import GAME as BOLT
from .maze import GAME as MAZE
from .nut import GAME as NUT
from .rush import GAME as RUSH

GAMES: dict[str, AnyGame] = {
    "bolt": BOLT,
    "maze": MAZE,
    "nut": NUT,
    "rush": RUSH,
}
