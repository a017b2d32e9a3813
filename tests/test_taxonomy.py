"""Each kind of failure: episodes by hand that have it, and their neighbours that do not; and real ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import levels
import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import end, events, finished, seen, start, step, won, write_run

from lpb_gen.runners import leaderboard
from lpb_gen.runners.actions import Click, Drag
from lpb_gen.runners.actions import events as inputs_of
from lpb_gen.runners.played import find_runs, read_runs
from lpb_gen.runners.session import Session
from lpb_gen.runners.taxonomy import BY_EVENTS, KINDS, Taxonomy, by_solvers, claims_success, tally


def counted(*parts: Any, seconds: list[float] | None = None, **values: Any) -> dict[str, int]:
    """The kinds that happened."""
    taxonomy = Taxonomy()
    for event in events([start(**values), seen(None, input=None), *parts], seconds):
        taxonomy.add(event)
    return {kind: count for kind, count in taxonomy.result().items() if count}


# --- how it ended -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    ["Done.", "All levels are completed!", "I have solved every level", "任务已完成", "Success: 10/10", "FINISHED"],
)
def test_a_wrong_claim_of_success_is_one(answer: str) -> None:
    assert claims_success(answer)
    assert counted(seen(0), end("answer", answer)) == {"premature_claim": 1}


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I give up.",
        "I completed levels 1 to 3 but could not solve level 4",
        "I didn't finish",
        "No move is left on this level.",
        "无法完成剩余关卡",
        "The objective is incomplete.",
    ],
)
def test_an_answer_that_claims_nothing_is_an_abandonment(answer: str) -> None:
    assert not claims_success(answer)
    assert counted(seen(0), end("answer", answer)) == {"abandonment": 1}


def test_an_agent_that_broke_down_is_a_failure_of_its_own_and_an_exit() -> None:
    broken = end("agent_failed")
    broken[1]["agent_failure"] = "the agent failed (RuntimeError: oops)"
    assert counted(seen(0), broken) == {"agent_failure": 1}


def test_an_episode_that_did_not_end_itself_claims_and_abandons_nothing() -> None:
    assert counted(seen(0), end("deadline")) == {}
    assert counted(won(0), won(0, 1), won(0, 1, 2), end("complete")) == {}


@given(st.text())
def test_every_exit_is_the_one_or_the_other(answer: str) -> None:
    assert sum(counted(seen(0), end("answer", answer)).values()) == 1


# --- the protocol -----------------------------------------------------------------------------------------------------


def test_invalid_actions_and_foreign_inputs_violate_the_protocol() -> None:
    error = ("agent_error", {"step": 0, "error": "no such action"})
    late = ("episode_end", end()[1] | {"rejected": ["a late key"]})
    assert counted(step(), error, seen(0, rejected=["a key", "a message"]), late) == {"protocol_violation": 4}


# --- the pointer ------------------------------------------------------------------------------------------------------


def pointer(kind: str, x: float, y: float, *notes: Any, level: int | None = 0) -> Any:
    return seen(level, *notes, input={"kind": kind, "x": x, "y": y})


def missed(target: str) -> tuple[str, dict[str, Any]]:
    return "miss", {"x": 0, "y": 0, "target": target}


@pytest.mark.parametrize("target", ["", "board", "level:2"])
def test_a_click_on_nothing_is_a_grounding_miss(target: str) -> None:
    parts = pointer("down", 10, 10), pointer("up", 10, 10, missed(target))
    assert counted(*parts, end()) == {"grounding_miss": 1}


@pytest.mark.parametrize(
    ("target", "kind"), [("board", "missed_drag_end"), ("next", "missed_drag_end"), ("", "grounding_miss")]
)
def test_a_drag_that_ends_nowhere_is_another_miss_unless_it_began_nowhere(target: str, kind: str) -> None:
    parts = pointer("down", 10, 10), pointer("move", 90, 10), pointer("up", 90, 10, missed(target))
    assert counted(*parts, end()) == {kind: 1}


def test_a_trembling_hand_drags_nothing() -> None:
    parts = pointer("down", 10, 10), pointer("move", 13, 12), pointer("up", 13, 12, missed("board"))
    assert counted(*parts, end()) == {"grounding_miss": 1}


def test_the_next_press_begins_anew() -> None:
    drag = pointer("down", 10, 10), pointer("move", 90, 10), pointer("up", 90, 10)
    click = pointer("down", 90, 10), pointer("up", 90, 10, missed("board"))
    assert counted(*drag, *click, end()) == {"grounding_miss": 1}


def test_real_misses_are_told_apart() -> None:
    """On a real screen: a click beside the tiles, a drag off a tile, a click and a short drag on the board."""
    session = Session(levels.objectives())
    x, y = map(round, session.targets()["game:maze"])

    def done(*gestures: Any) -> dict[str, int]:
        taxonomy = Taxonomy()
        parts = [start(), seen(None, input=None)]
        for event in (event for gesture in gestures for event in inputs_of(gesture)):
            notes = [(note.kind, dict(note.data)) for note in session.event(event)]
            parts.append(pointer(event.kind, event.x, event.y, *notes, level=session.view.level_index))
        for event in events([*parts, end()]):
            taxonomy.add(event)
        return {kind: count for kind, count in taxonomy.result().items() if count}

    assert done(Click(3, 3)) == {"grounding_miss": 1}
    assert done(Drag(((x, y), (3, 3)))) == {"missed_drag_end": 1}
    assert done(Click(x, y)) == {}
    tier = Click(*map(round, session.targets()["tier:easy"]))
    middle = (640, 450)
    assert done(tier, Click(*middle)) == {"grounding_miss": 1}
    assert done(Drag((middle, (650, 450)))) == {"missed_drag_end": 1}


# --- moves ------------------------------------------------------------------------------------------------------------


def rejected(move: str = "U") -> tuple[str, dict[str, Any]]:
    return "invalid", {"reason": "the ball cannot move", "move": move}


MOVE = ("move", {"move": "U", "moves": 1})


def test_the_same_rejected_move_again_is_a_repetition() -> None:
    assert counted(seen(0, rejected()), seen(0, rejected()), seen(0, rejected()), end()) == {
        "repeated_rejected_move": 2
    }


@pytest.mark.parametrize(
    "between", [seen(0, MOVE), seen(0, ("undo", {})), seen(0, ("restart", {}))], ids=["move", "undo", "restart"]
)
def test_after_the_board_has_changed_it_is_no_repetition(between: Any) -> None:
    assert counted(seen(0, rejected()), between, seen(0, rejected()), end()) == {}


def test_another_rejected_move_is_no_repetition() -> None:
    assert counted(seen(0, rejected("U")), seen(0, rejected("L")), end()) == {}


def at(state: str, *notes: Any, **values: Any) -> Any:
    return seen(0, *(notes or (MOVE,)), state_hash=state, **values)


def test_three_returns_to_a_state_are_a_loop() -> None:
    there_and_back = [at("a"), at("b")]
    assert counted(*there_and_back * 3, end()) == {}
    assert counted(*there_and_back * 3, at("a"), end()) == {"loop": 1}
    assert counted(*there_and_back * 9, end()) == {"loop": 2}  # one for each state, however often


def test_looking_at_a_state_for_long_is_no_loop() -> None:
    assert counted(at("a"), *[at("a", ("ignored", {"key": "x"}))] * 9, end()) == {}


def test_a_new_attempt_loops_anew() -> None:
    assert counted(*(at("a", ("restart", {}), attempt=n) for n in range(9)), end()) == {}


def test_a_press_in_between_makes_no_visit() -> None:
    press = [
        seen(0, MOVE, state_hash="a", input={"kind": "down", "x": 1, "y": 1}),
        seen(0, state_hash="a", input={"kind": "up", "x": 1, "y": 1}),
    ]
    assert counted(*press * 3, end()) == {}
    assert counted(*press * 4, end()) == {"loop": 1}


# --- the deadline -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("when", "count"), [(89.0, 0), (90.0, 1), (99.0, 1)])
def test_who_made_progress_in_the_last_tenth_was_still_progressing(when: float, count: int) -> None:
    parts = seen(0, progress=0.2), seen(0, progress=0.4), seen(0, progress=0.3), end()
    found = counted(*parts, seconds=[0.0, 0.0, 1.0, when, 99.0, 100.0], budget_seconds=100.0)
    assert found.get("progressing_at_deadline", 0) == count


def test_a_late_win_is_progress_and_the_same_potential_again_is_none() -> None:
    times = [0.0, 0.0, 1.0, 95.0, 100.0]
    late = seen(1, won=[0, 1], ready=False)
    assert counted(seen(0, progress=0.5), late, end(), seconds=times, budget_seconds=100.0) == {
        "progressing_at_deadline": 1
    }
    assert counted(seen(0, progress=0.5), seen(0, progress=0.5), end(), seconds=times, budget_seconds=100.0) == {}


def test_who_ends_the_episode_was_not_stopped_by_the_deadline() -> None:
    found = counted(seen(0, progress=0.5), end("answer", ""), seconds=[0.0, 0.0, 99.0, 99.5], budget_seconds=100.0)
    assert found == {"abandonment": 1}


# --- dead ends --------------------------------------------------------------------------------------------------------


def test_dead_ends_come_from_the_moves() -> None:
    assert by_solvers([{"delays": [4, 5, 6], "rebuilt": 1}, {"delays": [9], "rebuilt": 1}]) == {
        "dead_end_unnoticed": 3,
        "dead_end_rebuilt": 2,
    }
    assert set(by_solvers(None).values()) == {None}
    assert set(by_solvers([{"delays": None, "rebuilt": None}]).values()) == {None}


# --- tallies ----------------------------------------------------------------------------------------------------------


def test_a_tally_counts_episodes_and_times_and_says_what_it_does_not_know() -> None:
    nothing = dict.fromkeys(KINDS, 0)
    found = tally([nothing, nothing | {"loop": 2, "dead_end_rebuilt": None}, nothing | {"loop": 1}])
    assert found["loop"] == {"episodes": 2, "count": 3}
    assert found["abandonment"] == {"episodes": 0, "count": 0}
    assert found["dead_end_rebuilt"] == {"episodes": None, "count": None}


def test_technical_failures_enter_no_tally(tmp_path: Path) -> None:
    error = ("agent_error", {"step": 0, "error": "no such action"})
    write_run(tmp_path / "a", [start(), seen(None, input=None), error, end("technical", kind="provider")])
    finished(tmp_path / "b", 1, 3)
    [entry] = leaderboard.score(read_runs(find_runs([str(tmp_path)])))["agents"]
    assert entry["failures"]["protocol_violation"] == {"episodes": 0, "count": 0}
    assert set(entry["failures"]) == set(KINDS) > set(BY_EVENTS)
