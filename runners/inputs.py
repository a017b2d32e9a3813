"""Input events in the form in which a record holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..games.base import Pointer

KINDS = ("down", "move", "up", "key")


def write_input(event: Pointer) -> dict[str, Any]:
    if event.kind == "key":
        return {"kind": "key", "key": event.key}
    return {"kind": event.kind, "x": event.x, "y": event.y}


def read_input(given: Mapping[str, Any]) -> Pointer:
    """Raises ValueError, KeyError."""
    if given["kind"] not in KINDS:
        raise ValueError(f"an input of kind {given['kind']!r}")
    if given["kind"] == "key":
        return Pointer("key", key=str(given["key"]))
    x, y = given["x"], given["y"]
    if not all(isinstance(value, int | float) for value in (x, y)):
        raise ValueError(f"an input at {x!r}, {y!r}")
    return Pointer(given["kind"], x, y)
