"""Grades: from the events of an episode, and from nothing else, to its result.

Definitions: LongPuzzleBench, section 4.1 and appendix A. Of one objective: OSR is 100 if every level was won, LC the
share of won levels, FGP the mean over the levels of the largest potential that was seen (1 where won), all in %.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .record import InvalidRecord

RESULT_SCHEMA = 1
OUTCOMES = {
    "complete": "solved",
    "deadline": "timeout",
    "answer": "exit",
    "agent_failed": "exit",  # an agent that breaks down has left, and keeps what it has won
    "technical": "technical",
}


def score_events(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The result of an episode. Raises InvalidRecord where the events are not those of one episode."""
    scorer = Scorer()
    for event in events:
        scorer.add(event)
    return scorer.result()


class Scorer:
    """Grades while the episode goes on; ``add`` takes the events in their order."""

    def __init__(self) -> None:
        self._start: Mapping[str, Any] | None = None
        self._end: Mapping[str, Any] | None = None
        self._elapsed = 0.0
        self._levels: list[dict[str, Any]] = []
        self._open: int | None = None  # the target level that is open, by the last snapshot
        self._counts = {"steps": 0, "inputs": 0, "rejected_inputs": 0, "agent_errors": 0}

    @property
    def begun(self) -> bool:
        return self._start is not None

    @property
    def solved(self) -> int:
        return sum(level["solved"] for level in self._levels)

    def add(self, event: Mapping[str, Any]) -> None:
        """Raises InvalidRecord."""
        try:
            self._add(event)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            what = f"not what an episode writes ({type(error).__name__}: {error})"
            raise InvalidRecord(what, where=f"event {event.get('seq')}") from None

    def _add(self, event: Mapping[str, Any]) -> None:
        data = event["data"]
        if (event["type"] == "episode_start") != (self._start is None) or self._end is not None:
            raise InvalidRecord(
                "not the events of one episode from its start to its end", where=f"event {event['seq']}"
            )
        self._elapsed = event["elapsed_seconds"]
        match event["type"]:
            case "episode_start":
                self._start = data
                self._levels = [_unvisited(number, level) for number, level in enumerate(data["levels"], 1)]
                if not self._levels:
                    raise ValueError("no levels")
                if not all(isinstance(data[part], Mapping) for part in ("objective", "agent", "surface")):
                    raise TypeError("who played what, and where, is missing")
            case "snapshot":
                self._snapshot(data)
            case "decision":
                self._counts["steps"] += 1
                if self._open is not None:
                    self._levels[self._open]["steps"] += 1
            case "agent_error":
                self._counts["agent_errors"] += 1
            case "episode_end":
                OUTCOMES[data["reason"]], data["failure"], data["answer"]
                self._end = data
                self._counts["rejected_inputs"] += len(data["rejected"])

    def _snapshot(self, data: Mapping[str, Any]) -> None:
        assert self._start is not None
        self._counts["inputs"] += data["input"] is not None
        self._counts["rejected_inputs"] += len(data["rejected"])
        objective = self._start["objective"]
        here = (data["game"], data["tier"]) == (objective["game"], objective["tier"]) and data[
            "level_index"
        ] is not None
        self._open = data["level_index"] if here else None
        if not isinstance(data["ready"], bool):
            raise TypeError("ready is true or false")
        if not 0 <= data["progress"] <= 1 or min([self._open or 0, *data["won"]]) < 0:
            raise ValueError("out of range")
        if self._open is not None:
            level = self._levels[self._open]
            level["reached"] |= data["ready"]
            level["progress"] = max(level["progress"], data["progress"])
            level["progress_by"] = data.get("progress_by")
            level["attempts"] = data["attempt"]
            for kind, note in data["notes"]:
                level["moves"] += kind == "move"
                level["invalid_moves"] += kind == "invalid"
                if kind == "solved" and level["winning_moves"] is None:
                    level["winning_moves"] = note["moves"]
        for index in data["won"]:
            self._levels[index] |= {"solved": True, "progress": 1.0}

    def result(self) -> dict[str, Any]:
        if self._start is None:
            raise InvalidRecord("there is no event")
        end = self._end or {
            "reason": "technical",
            "failure": {"kind": "logging", "what": "the record ends before the episode does"},
            "answer": None,
        }
        scored = end["reason"] != "technical"
        count = len(self._levels)
        return {
            "schema_version": RESULT_SCHEMA,
            "objective": self._start["objective"],
            "agent": self._start["agent"],
            "surface": self._start["surface"],
            "scored": scored,
            "outcome": OUTCOMES[end["reason"]],
            "reason": end["reason"],
            "failure": end["failure"],
            "answer": end["answer"],
            "agent_failure": end.get("agent_failure"),
            "seconds": self._elapsed,
            **self._counts,
            "metrics": {
                "OSR": 100.0 * (self.solved == count),
                "LC": round(100 * self.solved / count, 6),
                "FGP": round(100 * sum(level["progress"] for level in self._levels) / count, 6),
            }
            if scored
            else None,
            "levels": self._levels,
        }


def _unvisited(number: int, level: Mapping[str, Any]) -> dict[str, Any]:
    """``progress``: the potential, ``progress_by``: how it was measured; ``steps``: decisions taken while the level was
    open; ``moves``: in all attempts; ``winning_moves``: of the first win."""
    return {
        "level": number,
        "id": level["id"],
        "optimal_length": level["optimal_length"],
        "solved": False,
        "reached": False,
        "progress": 0.0,
        "progress_by": None,
        "steps": 0,
        "moves": 0,
        "winning_moves": None,
        "invalid_moves": 0,
        "attempts": 0,
    }
