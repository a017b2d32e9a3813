"""The verifiers, by game."""

from __future__ import annotations

from .base import AnyVerifier
from .bolt import VERIFIER as BOLT
from .color import VERIFIER as COLOR
from .maze import VERIFIER as MAZE
from .nut import VERIFIER as NUT
from .rush import VERIFIER as RUSH
from .truck import VERIFIER as TRUCK

VERIFIERS: dict[str, AnyVerifier] = {
    "bolt": BOLT,
    "color": COLOR,
    "maze": MAZE,
    "nut": NUT,
    "rush": RUSH,
    "truck": TRUCK,
}
