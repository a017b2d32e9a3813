"""The games. To add one: a file here, one in ``generators``, one in ``verifiers``, and a line in each registry."""

from __future__ import annotations

from .base import AnyGame
from .bolt import GAME as BOLT
from .color import GAME as COLOR
from .maze import GAME as MAZE
from .nut import GAME as NUT
from .rush import GAME as RUSH
from .truck import GAME as TRUCK

GAMES: dict[str, AnyGame] = {
    "bolt": BOLT,
    "color": COLOR,
    "maze": MAZE,
    "nut": NUT,
    "rush": RUSH,
    "truck": TRUCK,
}
