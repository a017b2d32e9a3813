"""Attempts at an episode: those of this command, and those that are recorded already."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .metrics import score_events
from .plan import Play
from .record import RESULT, InvalidRecord, read_events, write_result

TRIED_AGAIN = ("provider", "browser", "environment", "external")  # the others would fail in the same way


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """``record``: None where the process ended before there was one; ``number``: counts from 1, those of earlier
    commands included; ``skipped``: it is of an earlier command."""

    number: int
    result: Mapping[str, Any]
    record: Path | None
    skipped: bool = False

    @property
    def scored(self) -> bool:
        return bool(self.result["scored"])


@dataclass(slots=True)
class Trial:
    """An episode and its attempts of this command, the last of which counts."""

    play: Play
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def last(self) -> Attempt:
        return self.attempts[-1]


@dataclass(frozen=True, slots=True)
class Ways:
    """``out``: where records go; ``parallel``: episodes at once; ``attempts``: at most, of each episode; ``resume``:
    skip what has a grade below ``out``; ``here``: in this process, one after the other, for a person or a debugger."""

    out: Path
    parallel: int = 1
    attempts: int = 2
    resume: bool = False
    here: bool = False


class Watching:
    """What is told while episodes run. ``note``: for each that is under way, by name: (won, levels, steps)."""

    def __init__(self) -> None:
        self.under_way: dict[str, tuple[int, int, int]] = {}

    def update(self) -> None:
        """Something has changed."""

    def say(self, text: str) -> None:
        """A line for the user."""


# --- what is there already --------------------------------------------------------------------------------------------


def attempts_below(out: Path) -> dict[str, list[Attempt]]:
    """Every attempt that is recorded directly below ``out``, by the key of its episode, the oldest first."""
    found: dict[str, list[Attempt]] = {}
    for path in sorted(out.glob("*/manifest.json")):
        try:
            manifest = json.loads(path.read_bytes())
            key, number = manifest["episode_key"], int(manifest["attempt"])
        except (OSError, ValueError, KeyError, TypeError):  # not of this version, or not a record
            continue
        attempt = Attempt(number=number, result=_result_of(path.parent), record=path.parent, skipped=True)
        found.setdefault(key, []).append(attempt)
    return found


def _result_of(folder: Path) -> Mapping[str, Any]:
    """Its result. Who was killed between the end of the events and the result has an episode with a grade, as everybody
    sees who reads the events: it is not played again, and gets its result now."""
    try:
        result: dict[str, Any] = json.loads((folder / RESULT).read_bytes())
        result["scored"], result["outcome"]
        return result
    except (OSError, ValueError, KeyError, TypeError):
        pass
    try:
        result = score_events(read_events(folder / "events.jsonl"))
    except (OSError, InvalidRecord):  # it never came to its end
        return {"scored": False, "outcome": "technical"}
    if result["scored"]:
        write_result(folder, result)
    return result


# --- trying again ----------------------------------------------------------------------------------------------------


def is_open(one: Trial, ways: Ways) -> bool:
    """Whether it is to be tried, or tried again."""
    if not one.attempts:
        return True
    failure = one.last.result.get("failure") or {}
    return not one.last.scored and failure.get("kind") in TRIED_AGAIN and len(one.attempts) < ways.attempts


def again(one: Trial) -> str:
    return f"{one.play.name}: attempt {one.last.number} failed ({one.last.result['failure']['what']}); trying again"
