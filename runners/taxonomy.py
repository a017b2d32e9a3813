"""How an episode went wrong, counted from its events by rule. Several kinds may apply; docs/metrics.md defines them.

A press is *dragged* if the pointer was moved more than SLACK pixels from where it went down. A snapshot is *settled*
after a key or a release.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from math import hypot
from typing import Any

from ..pipeline.level import canonical_json

BY_EVENTS = (
    "premature_claim",
    "abandonment",
    "agent_failure",
    "protocol_violation",
    "grounding_miss",
    "missed_drag_end",
    "repeated_rejected_move",
    "loop",
    "progressing_at_deadline",
)
BY_SOLVERS = ("dead_end_unnoticed", "dead_end_rebuilt")
KINDS = (*BY_EVENTS, *BY_SOLVERS)
SLACK = 5.0  # pixels
RETURNS = 3  # to one state: a loop
UNNOTICED = 5  # moves on a lost board
LAST_TENTH = 0.9  # of the budget

# an answer claims success if it has a word of the first kind and none of the second
CLAIM = re.compile(r"\b(complet\w+|done|finish\w*|solved|won|beat\w*|success\w*)\b|完成|通关|成功|解决", re.IGNORECASE)
NO_CLAIM = re.compile(
    r"\b(not|cannot|unable|fail\w*|giv\w+ up|gave up|stuck|impossible|incomplete|unfinished|unsolved|partial\w*|except)"
    r"\b|n['’]t\b|没|未|无法|不能|放弃|失败|卡住|除了",
    re.IGNORECASE,
)


def claims_success(answer: str) -> bool:
    return bool(CLAIM.search(answer)) and not NO_CLAIM.search(answer)


class Taxonomy:
    """``add`` takes the events of one episode in their order."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._objective: tuple[str, str] = "", ""
        self._levels = 0
        self._budget = 0.0
        self._pressed: tuple[float, float] | None = None
        self._dragged = False
        self._rejected: set[str] = set()  # moves, since the board last changed
        self._changed = False  # the board, since the last settled snapshot
        self._visits: Counter[tuple[Any, ...]] = Counter()
        self._won: set[int] = set()
        self._best: dict[int, float] = {}
        self._gained = 0.0  # when a level's best potential last rose

    def add(self, event: Mapping[str, Any]) -> None:
        data = event["data"]
        match event["type"]:
            case "episode_start":
                self._objective = data["objective"]["game"], data["objective"]["tier"]
                self._levels = len(data["levels"])
                self._budget = data["budget_seconds"]
            case "agent_error":
                self._counts["protocol_violation"] += 1
            case "snapshot":
                self._counts["protocol_violation"] += len(data["rejected"])
                self._snapshot(data, event["elapsed_seconds"])
            case "episode_end":
                self._counts["protocol_violation"] += len(data["rejected"])
                self._end(data)

    def _snapshot(self, data: Mapping[str, Any], elapsed: float) -> None:
        self._follow_pointer(data["input"])
        self._won |= set(data["won"])
        for kind, note in data["notes"]:
            if kind == "miss":
                held = self._dragged and note["target"] != ""  # a press on nothing cannot end anywhere
                self._counts["missed_drag_end" if held else "grounding_miss"] += 1
            elif kind == "invalid":
                move = canonical_json([note["reason"], note["move"]])
                self._counts["repeated_rejected_move"] += move in self._rejected
                self._rejected.add(move)
            elif kind in ("move", "undo", "restart", "enter"):
                self._rejected.clear()
                self._changed = True
        if (data["game"], data["tier"]) == self._objective and data["level_index"] is not None:
            self._look_at_level(data, elapsed)
        if data["input"] is None or data["input"]["kind"] in ("key", "up"):
            self._changed = False

    def _follow_pointer(self, given: Mapping[str, Any] | None) -> None:
        if given is None or given["kind"] == "key":
            return
        here = given["x"], given["y"]
        if given["kind"] == "down":
            self._pressed, self._dragged = here, False
        elif self._pressed is not None:
            self._dragged |= hypot(here[0] - self._pressed[0], here[1] - self._pressed[1]) > SLACK

    def _look_at_level(self, data: Mapping[str, Any], elapsed: float) -> None:
        level = data["level_index"]
        potential = 1.0 if level in data["won"] else data["progress"]
        if potential > self._best.get(level, 0.0):
            self._best[level], self._gained = potential, elapsed
        settled = data["input"] is None or data["input"]["kind"] in ("key", "up")
        if settled and self._changed and data["ready"]:
            place = level, data["attempt"], data["state_hash"]
            self._visits[place] += 1
            self._counts["loop"] += self._visits[place] == 1 + RETURNS

    def _end(self, data: Mapping[str, Any]) -> None:
        if data["reason"] == "answer" and len(self._won) < self._levels:
            self._counts["premature_claim" if claims_success(data["answer"]) else "abandonment"] += 1
        self._counts["agent_failure"] += data["reason"] == "agent_failed"
        if data["reason"] == "deadline" and self._gained > 0:
            self._counts["progressing_at_deadline"] += self._gained >= LAST_TENTH * self._budget

    def result(self) -> dict[str, int]:
        """How often each kind of BY_EVENTS happened."""
        return {kind: self._counts[kind] for kind in BY_EVENTS}


def by_solvers(moves: Iterable[Mapping[str, Any]] | None) -> dict[str, int | None]:
    """The kinds of BY_SOLVERS from the counts of each level's moves; None where a level's are not known."""
    levels = None if moves is None else list(moves)
    if levels is None or any(level["delays"] is None for level in levels):
        return dict.fromkeys(BY_SOLVERS)
    return {
        "dead_end_unnoticed": sum(delay >= UNNOTICED for level in levels for delay in level["delays"]),
        "dead_end_rebuilt": sum(level["rebuilt"] for level in levels),
    }


def tally(episodes: Iterable[Mapping[str, int | None]]) -> dict[str, dict[str, int | None]]:
    """By kind: in how many ``episodes`` it happened, and how often (``count``); None where one does not know."""
    known = list(episodes)
    found: dict[str, dict[str, int | None]] = {}
    for kind in KINDS:
        counts = [episode[kind] for episode in known]
        told = [count for count in counts if count is not None]
        whole = len(told) == len(counts)
        found[kind] = {
            "episodes": sum(count > 0 for count in told) if whole else None,
            "count": sum(told) if whole else None,
        }
    return found
