"""What an episode cost, from its events: steps, inputs, model calls, tokens, money, seconds; in all and by level.

Everything goes to the level that is open when it happens, the time between two events to the level that was open at the
first; what happens in the menus counts for the episode only.

A ``decision`` may carry ``usage``, what the agent's model says of its calls. All of it may be left out:

    {"calls": 1, "input_tokens": 5120, "cached_tokens": 4096, "output_tokens": 230, "usd": 0.0123}
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

USAGE = {
    "calls": "model_calls",
    "input_tokens": "input_tokens",
    "cached_tokens": "cached_tokens",
    "output_tokens": "output_tokens",
    "usd": "usd",
}
COUNTED = ("steps", "inputs", "seconds")
MOST = 1e15  # of anything, in one step
EFFORT = (*COUNTED, *USAGE.values())


class Effort:
    """``add`` takes the events of one episode in their order."""

    def __init__(self) -> None:
        self._whole = _nothing()
        self._levels: list[dict[str, float | None]] = []
        self._objective: tuple[str, str] = ("", "")
        self._open: int | None = None
        self._then = 0.0

    def add(self, event: Mapping[str, Any]) -> None:
        data = event["data"]
        self._book("seconds", event["elapsed_seconds"] - self._then)
        self._then = event["elapsed_seconds"]
        match event["type"]:
            case "episode_start":
                self._objective = data["objective"]["game"], data["objective"]["tier"]
                self._levels = [_nothing() for _ in data["levels"]]
            case "decision":
                self._book("steps", 1)
                for name, value in (data.get("usage") or {}).items():
                    if name in USAGE and value is not None:
                        self._book(USAGE[name], amount(value))
            case "snapshot":
                self._book("inputs", int(data["input"] is not None))
                here = (data["game"], data["tier"]) == self._objective
                self._open = data["level_index"] if here else None

    def _book(self, name: str, amount: float) -> None:
        accounts = [self._whole] if self._open is None else [self._whole, self._levels[self._open]]
        for account in accounts:
            account[name] = (account[name] or 0) + amount

    def whole(self) -> dict[str, float | None]:
        """Of the episode; None where nothing was logged."""
        return self._whole

    def levels(self) -> list[dict[str, float | None]]:
        """Of each target level, in their order."""
        return self._levels


def _nothing() -> dict[str, float | None]:
    return {name: 0 if name in COUNTED else None for name in EFFORT}


def amount(value: Any) -> float:
    """The same number. Raises ValueError where it is none that can be added up: not finite, negative or absurd."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST or not isfinite(value):
        raise ValueError(f"{type(value).__name__} is not an amount")
    return value
