"""The verifiers, by game."""

from __future__ import annotations

from .base import AnyVerifier
from .bolt import VERIFIER as BOLT
from .maze import VERIFIER as MAZE
from .nut import VERIFIER as NUT
from .rush import VERIFIER as RUSH

VERIFIERS: dict[str, AnyVerifier] = {
    "bolt": BOLT,
    "maze": MAZE,
    "nut": NUT,
    "rush": RUSH,
}
