"""The verifiers, by game."""

from __future__ import annotations

from .base import AnyVerifier
from .maze import VERIFIER as MAZE
from .rush import VERIFIER as RUSH

VERIFIERS: dict[str, AnyVerifier] = {
    "maze": MAZE,
    "rush": RUSH,
}
