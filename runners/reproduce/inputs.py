"""An input event from the form in which a record holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...games.base import Pointer

KINDS = ("down", "move", "up", "key")


def pointer(given: Mapping[str, Any]) -> Pointer:
    """Raises ValueError, KeyError."""
    if given["kind"] not in KINDS:
        raise ValueError(f"an input of kind {given['kind']!r}")
    if given["kind"] == "key":
        return Pointer("key", key=str(given["key"]))
    x, y = given["x"], given["y"]
    if not all(isinstance(value, int | float) for value in (x, y)):
        raise ValueError(f"an input at {x!r}, {y!r}")
    return Pointer(given["kind"], x, y)
