"""Grades from events: hand-made episodes with hand-computed results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from lpb_gen.runners.metrics import score_events
from lpb_gen.runners.record import InvalidRecord

LEVELS = [{"id": "a", "optimal_length": 4}, {"id": "b", "optimal_length": 6}]


def episode(*parts: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"seq": seq, "elapsed_seconds": float(seq), "type": kind, "data": data}
        for seq, (kind, data) in enumerate([start(), *parts])
    ]


def start() -> tuple[str, dict[str, Any]]:
    return "episode_start", {
        "objective": {"game": "maze", "tier": "hard"},
        "levels": LEVELS,
        "agent": {"name": "someone", "kind": "agent"},
        "surface": {"name": "direct"},
    }


def seen(
    level: int | None,
    progress: float = 0.0,
    won: Sequence[int] = (),
    *notes: tuple[str, dict[str, Any]],
    tier: str | None = "hard",
    ready: bool = True,
    attempt: int = 1,
    rejected: Sequence[str] = (),
) -> tuple[str, dict[str, Any]]:
    """A snapshot after an input; ``level`` None is a menu."""
    return "snapshot", {
        "input": {"kind": "key", "key": "ArrowUp"},
        "game": "maze",
        "tier": tier,
        "level_index": level,
        "ready": ready and level is not None,
        "progress": progress,
        "won": list(won),
        "attempt": attempt,
        "notes": [list(note) for note in notes],
        "rejected": list(rejected),
    }


MOVE = ("move", {"move": "U", "moves": 1})
STEP = ("decision", {})


def end(reason: str, failure: dict[str, str] | None = None) -> tuple[str, dict[str, Any]]:
    answer = "done" if reason == "answer" else None
    return "episode_end", {"reason": reason, "failure": failure, "answer": answer, "rejected": ["a late key"]}


def test_a_completed_objective() -> None:
    won_first = seen(0, 1.0, [0], MOVE, ("solved", {"moves": 5}), ready=False)
    won_second = seen(1, 1.0, [0, 1], MOVE, ("solved", {"moves": 6}), ready=False)
    result = score_events(episode(seen(0), STEP, won_first, seen(1, 0.0, [0]), STEP, won_second, end("complete")))
    assert result["metrics"] == {"OSR": 100.0, "LC": 100.0, "FGP": 100.0}
    assert result["outcome"] == "solved"
    assert [level["winning_moves"] for level in result["levels"]] == [5, 6]


def test_progress_is_the_best_that_was_seen_and_not_the_last() -> None:
    result = score_events(episode(seen(0, 0.2), seen(0, 0.7), seen(0, 0.1), end("deadline")))
    assert result["metrics"] == {"OSR": 0.0, "LC": 0.0, "FGP": 35.0}
    assert result["outcome"] == "timeout"


def test_a_won_level_keeps_its_credit_after_a_restart() -> None:
    won = seen(0, 1.0, [0], ("solved", {"moves": 4}), ready=False)
    again = seen(0, 0.0, [0], ("restart", {}), attempt=2)
    result = score_events(episode(seen(0), won, again, end("answer")))
    assert result["metrics"] == {"OSR": 0.0, "LC": 50.0, "FGP": 50.0}
    assert result["outcome"] == "exit"
    assert result["answer"] == "done"
    assert result["levels"][0]["attempts"] == 2


def test_the_first_win_counts() -> None:
    first, second = (seen(0, 1.0, [0], ("solved", {"moves": moves}), ready=False) for moves in (9, 4))
    result = score_events(episode(seen(0), first, seen(0, 0.0, [0]), second, end("deadline")))
    assert result["levels"][0]["winning_moves"] == 9


def test_play_at_another_tier_earns_nothing() -> None:
    result = score_events(episode(STEP, seen(0, 0.9, [], MOVE, tier="easy"), STEP, seen(None), end("deadline")))
    assert result["metrics"] == {"OSR": 0.0, "LC": 0.0, "FGP": 0.0}
    assert [level["reached"] for level in result["levels"]] == [False, False]
    assert [level["moves"] for level in result["levels"]] == [0, 0]
    assert result["steps"] == 2


def test_effort_is_booked_to_the_level_that_is_open() -> None:
    parts = (STEP, seen(None), STEP, seen(0), STEP, seen(0, 0.1, [], MOVE), STEP, seen(0, 0.1, [], ("invalid", {})))
    level = score_events(episode(*parts, end("deadline")))["levels"][0]
    assert (level["steps"], level["moves"], level["invalid_moves"]) == (2, 1, 1)


def test_a_technical_failure_is_never_graded() -> None:
    failure = {"kind": "browser", "what": "the page has crashed"}
    result = score_events(episode(seen(0, 0.9), end("technical", failure)))
    assert result["metrics"] is None
    assert result["scored"] is False
    assert result["failure"] == failure


def test_a_record_that_breaks_off_is_a_failure_of_logging() -> None:
    result = score_events(episode(seen(0, 1.0, [0, 1])))
    assert (result["scored"], result["failure"]["kind"]) == (False, "logging")


def test_foreign_inputs_are_counted() -> None:
    result = score_events(episode(seen(0, rejected=["a key 'a'", "a message"]), end("deadline")))
    assert result["rejected_inputs"] == 3


@pytest.mark.parametrize(
    "events",
    [
        [],
        episode(end("deadline"))[1:],
        [*episode(), *episode()],
        [*episode(end("deadline")), {"seq": 9, "elapsed_seconds": 1.0, "type": "decision", "data": {}}],
    ],
    ids=["nothing", "no start", "two starts", "after the end"],
)
def test_events_that_are_no_episode_are_refused(events: list[dict[str, Any]]) -> None:
    with pytest.raises(InvalidRecord):
        score_events(events)
