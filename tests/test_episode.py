"""Episodes on the direct surface: how they end, what is written down, and that the result follows from it."""

from __future__ import annotations

import errno
import itertools
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import levels
import numpy as np
import pytest

from lpb_gen.games.base import Pointer
from lpb_gen.runners import actions
from lpb_gen.runners.actions import Batch, Click, Press, Wait
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.agents.base import Agent, Answer, AnyAgent, Decision, Observation
from lpb_gen.runners.agents.broken import STDERR
from lpb_gen.runners.agents.command import make
from lpb_gen.runners.agents.python_class import from_class
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.episode import Episode, Terms
from lpb_gen.runners.failures import TechnicalFailure
from lpb_gen.runners.metrics import score_events
from lpb_gen.runners.record import InvalidRecord, Record, read_events, run_id
from lpb_gen.runners.session import Session
from lpb_gen.runners.view import Objective

NOW = datetime(2026, 12, 1, 10, 15, tzinfo=UTC)
EASY, HARD = levels.objectives()


class Clock:
    """Time that passes only when it is looked at (a second each) or slept through."""

    def __init__(self, tick: float = 1.0) -> None:
        self.time, self.tick, self.slept = 0.0, tick, []

    def __call__(self) -> float:
        self.time += self.tick
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


class Script(Agent):
    """An ordinary agent that does what it is told, then answers."""

    name = "script"

    def __init__(self, *decisions: Any) -> None:
        self._decisions = iter(decisions)
        self.seen: list[tuple[str, bytes]] = []
        self.errors: list[str | None] = []

    def begin(self, instruction: str, viewport: tuple[int, int]) -> None:
        self.instruction = instruction

    def act(self, observation: Observation) -> Any:
        self.seen.append((self.instruction, observation.screenshot))
        self.errors.append(observation.error)
        decision = next(self._decisions, Answer("that is all"))
        return decision() if callable(decision) else decision


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    record = Record(tmp_path / "run", {}, now=lambda: NOW)
    yield record
    record.close()


def play(
    agent: AnyAgent,
    record: Record,
    objective: Objective = EASY,
    clock: Clock | None = None,
    surface: DirectSurface | None = None,
    **terms: Any,
) -> dict[str, Any]:
    clock = clock or Clock(0.0)
    surface = surface or DirectSurface(Session((EASY, HARD)))
    terms = {"keep": "none"} | terms
    return Episode(surface, agent, Terms(objective=objective, **terms), record, clock=clock, sleep=clock.sleep).play()


def events_of(record: Record, *kinds: str) -> list[dict[str, Any]]:
    return [e for e in read_events(record.folder / "events.jsonl") if not kinds or e["type"] in kinds]


def opening(session: Session, *targets: str) -> list[Click]:
    """The clicks on these controls, one after another, found on a session of its own."""
    clicks = []
    for target in targets:
        x, y = session.targets()[target]
        clicks.append(Click(round(x), round(y)))
        for event in actions.events(clicks[-1]):
            session.event(event)
    return clicks


def solution(objective: Objective, index: int) -> list[Press]:
    names = {"U": "ArrowUp", "D": "ArrowDown", "L": "ArrowLeft", "R": "ArrowRight"}
    return [Press(names[move]) for move in objective.levels[index].certificate.solution]


# --- reference agents -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", [EASY, HARD], ids=["easy", "hard"])
def test_the_oracle_solves_everything_in_the_minimum(objective: Objective, record: Record) -> None:
    result = play(AGENTS["oracle"]("maze", objective.tier, 0), record, objective)
    assert result["metrics"] == {"OSR": 100.0, "LC": 100.0, "FGP": 100.0}
    assert all(level["winning_moves"] == level["optimal_length"] for level in result["levels"])
    assert all(level["moves"] == level["optimal_length"] for level in result["levels"])
    assert result["outcome"] == "solved"


def test_the_oracle_recovers_wherever_it_finds_the_suite(record: Record) -> None:
    session = Session((EASY, HARD))
    opening(session, "game:maze", "tier:hard")  # the wrong tier is open
    session.event(Pointer("key", key="ArrowDown"))
    result = play(AGENTS["oracle"]("maze", "easy", 0), record, surface=DirectSurface(session))
    assert result["metrics"]["OSR"] == 100.0


def test_the_oracle_restarts_a_level_that_is_off_its_way(record: Record) -> None:
    session = Session((EASY, HARD))
    opening(session, "game:maze", "tier:hard")
    detour = next(
        key
        for key, move in {"ArrowUp": "U", "ArrowDown": "D", "ArrowLeft": "L", "ArrowRight": "R"}.items()
        if move != HARD.levels[0].certificate.solution[0] and session.event(Pointer("key", key=key))[0].kind == "move"
    )
    assert detour
    result = play(AGENTS["oracle"]("maze", "hard", 0), record, HARD, surface=DirectSurface(session))
    assert result["metrics"]["OSR"] == 100.0
    assert result["levels"][0]["attempts"] == 2


def test_the_greedy_agent_gives_up_where_it_goes_round_in_circles(record: Record) -> None:
    result = play(AGENTS["greedy"]("maze", "easy", 0), record)
    assert result["outcome"] == "exit"
    assert "same position" in result["answer"]
    assert [level["solved"] for level in result["levels"]] == [True, True, False]
    hashes = [e["data"]["state_hash"] for e in events_of(record, "snapshot") if e["data"]["input"]]
    assert max(hashes.count(h) for h in hashes[-1:]) == 4  # the third return


def test_the_random_agent_plays_the_same_game_with_the_same_seed(tmp_path: Path) -> None:
    def hashes(seed: int, name: str) -> list[str]:
        record = Record(tmp_path / name, {}, now=lambda: NOW)
        play(AGENTS["random"]("maze", "hard", seed), record, HARD, Clock(), budget=400)
        record.close()
        return [e["data"]["state_hash"] for e in events_of(record, "snapshot")]

    first = hashes(7, "a")
    assert len(first) > 50
    assert hashes(7, "b") == first
    assert hashes(8, "c") != first


def test_the_random_agent_never_gives_up(record: Record) -> None:
    result = play(AGENTS["random"]("maze", "hard", 3), record, HARD, Clock(), budget=3000)
    assert result["outcome"] in ("timeout", "solved")


# --- what an ordinary agent gets, and how it ends ---------------------------------------------------------------------


def test_an_agent_sees_the_instruction_and_the_screen_and_nothing_else(record: Record) -> None:
    agent = Script()
    play(agent, record)
    [(instruction, screenshot)] = agent.seen
    assert instruction == "Complete all levels of Maze Paint at easy difficulty in the Game Suite"
    assert screenshot == DirectSurface(Session((EASY, HARD))).screenshot()


def test_an_agent_that_plays_by_keys_wins(record: Record) -> None:
    session = Session((EASY, HARD))
    script: list[Any] = opening(session, "game:maze", "tier:easy")
    for index in range(3):
        keys = solution(EASY, index)
        for key in keys:
            session.event(Pointer("key", key=key.key))
        script.append(Batch(tuple(keys)))
        script += opening(session, "next") if index < 2 else []
    result = play(Script(*script), record)
    assert result["outcome"] == "solved"
    assert result["steps"] == 2 + 3 + 2


def test_completion_ends_the_episode_in_the_middle_of_a_batch(record: Record) -> None:
    one = Objective("maze", "easy", EASY.levels[:1])
    session = Session((one,))
    clicks = opening(session, "game:maze", "tier:easy")
    batch = Batch((*clicks, *solution(one, 0), *[Press("ArrowUp")] * 20))
    result = play(Script(batch), record, one, surface=DirectSurface(Session((one,))))
    assert result["outcome"] == "solved"
    assert result["inputs"] == 4 + 3


def test_an_answer_ends_the_episode(record: Record) -> None:
    result = play(Script(Press("a"), Answer("I am done")), record)
    assert (result["outcome"], result["answer"], result["scored"]) == ("exit", "I am done", True)
    assert result["metrics"] == {"OSR": 0.0, "LC": 0.0, "FGP": 0.0}


def test_the_deadline_ends_the_episode(record: Record) -> None:
    result = play(Script(*[Press("a")] * 1000), record, clock=Clock(), budget=100)
    assert (result["outcome"], result["scored"]) == ("timeout", True)


def test_a_decision_after_the_deadline_is_not_carried_out(record: Record) -> None:
    clock = Clock(0.0)

    def think() -> Press:
        clock.time += 101
        return Press("a")

    result = play(Script(think), record, clock=clock, budget=100)
    assert result["outcome"] == "timeout"
    assert events_of(record, "action") == []


def test_the_deadline_cuts_a_batch_off(record: Record) -> None:
    result = play(Script(Batch((Press("a"),) * 100)), record, clock=Clock(), budget=60)
    assert 0 < result["inputs"] < 100


def test_a_wait_takes_its_time_but_not_more_than_there_is(record: Record) -> None:
    clock = Clock(0.0)
    play(Script(Wait(2.5), Wait(60)), record, clock=clock, budget=10)
    assert clock.slept == [2.5, 7.5]


def test_an_invalid_action_costs_a_step_and_changes_nothing(record: Record) -> None:
    result = play(Script(Click(5000, 1), "click", Press("F5"), Answer("enough")), record)
    assert (result["agent_errors"], result["steps"], result["inputs"]) == (3, 4, 0)
    assert result["outcome"] == "exit"


def test_play_at_another_tier_is_seen_but_earns_nothing(record: Record) -> None:
    clicks = opening(Session((EASY, HARD)), "game:maze", "tier:hard")
    result = play(Script(*clicks, Batch(tuple(solution(HARD, 0)))), record)
    assert events_of(record, "snapshot")[-1]["data"]["tier"] == "hard"
    assert result["metrics"] == {"OSR": 0.0, "LC": 0.0, "FGP": 0.0}


# --- technical failures -----------------------------------------------------------------------------------------------


def failing(error: BaseException) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TechnicalFailure("provider", "the model's service is down"), "provider"),
        (TechnicalFailure("configuration", "no such model"), "configuration"),
    ],
    ids=["provider", "configuration"],
)
def test_what_an_adapter_calls_technical_is_no_grade(error: BaseException, kind: str, record: Record) -> None:
    result = play(Script(Press("a"), failing(error)), record)
    assert (result["scored"], result["outcome"], result["metrics"]) == (False, "technical", None)
    assert result["failure"]["kind"] == kind
    assert json.loads((record.folder / "result.json").read_text()) == result


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("a bug in the agent"),
        ValueError("\ud800 cannot be written"),
        ValueError("long" * 10**6),
        SystemExit(0),
        GeneratorExit(),
        KeyboardInterrupt(),
    ],
    ids=["bug", "surrogate", "long", "sys.exit", "close", "interrupt"],
)
def test_an_agent_that_fails_by_itself_has_left_and_is_graded(error: BaseException, record: Record) -> None:
    clicks = opening(Session((EASY, HARD)), "game:maze", "tier:easy")
    result = play(Script(*clicks, Batch(tuple(solution(EASY, 0))), failing(error)), record)
    assert (result["scored"], result["outcome"], result["reason"]) == (True, "exit", "agent_failed")
    assert result["agent_failure"].startswith(f"the agent failed ({type(error).__name__}")
    assert (result["failure"], result["answer"]) == (None, None)
    assert round(result["metrics"]["LC"], 3) == 33.333
    assert json.loads((record.folder / "result.json").read_text()) == result == score_events(events_of(record))
    assert (record.folder / "events.jsonl").stat().st_size < 50_000


class OfOurBase(Script):
    """Breaks at a call of its own, as a class that inherits from ours."""

    def act(self, observation: Observation) -> Decision:
        return self.look_up("colour")

    def look_up(self, name: str) -> Decision:
        decisions: dict[str, Decision] = {}
        return decisions[name]


class OfItsOwn:
    """The same, as a class that inherits from nothing."""

    name = "own"
    predict = OfOurBase.act
    look_up = OfOurBase.look_up


class OfItsBeginning(Script):
    def begin(self, instruction: str, viewport: tuple[int, int]) -> None:
        OfOurBase().look_up("colour")


@pytest.mark.parametrize("kind", [OfOurBase, OfItsOwn, OfItsBeginning])
def test_where_an_agents_own_code_broke_is_in_its_record_and_on_standard_error(
    kind: type[Any], record: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    result = play(from_class(kind, {}, 0, "own.py:Own"), record)
    assert result["agent_failure"] == "the agent failed (KeyError: 'colour')"
    kept = (record.folder / STDERR).read_text()
    assert kept == capsys.readouterr().err
    begun, first, *_ = kept.splitlines()
    assert begun == "Traceback (most recent call last):"
    assert "test_episode.py" in first  # nothing of ours before it
    assert "return decisions[name]" in kept
    assert kept.endswith("KeyError: 'colour'\n")


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("error", [ValueError("\ud800"), ValueError("long" * 10**6), Unprintable()])
def test_a_traceback_is_kept_of_any_exception_and_bounded(error: BaseException, record: Record) -> None:
    play(Script(failing(error)), record)
    kept = (record.folder / STDERR).read_text(encoding="utf-8")
    assert kept.startswith("Traceback (most recent call last):")
    assert "in fail" in kept
    assert len(kept) < 110_000


def test_what_an_agent_of_ours_says_of_its_program_is_no_traceback(record: Record) -> None:
    play(make(f"{sys.executable} -c pass", {}), record)
    assert not (record.folder / STDERR).exists()


def test_an_agent_that_fails_at_its_beginning_is_graded_with_nothing(record: Record) -> None:
    class Late(Script):
        def begin(self, instruction: str, viewport: tuple[int, int]) -> None:
            raise actions.InvalidAction("not an action at all")

    result = play(Late(), record)
    assert (result["reason"], result["metrics"]["FGP"], result["steps"]) == ("agent_failed", 0.0, 0)


def test_an_agent_that_fails_after_the_deadline_is_out_of_time(record: Record) -> None:
    clock = Clock(0.0)

    def late() -> Any:
        clock.time += 101
        raise RuntimeError("too late")

    assert play(Script(late), record, clock=clock, budget=100)["reason"] == "deadline"


# --- an agent that does not come back, or never stops -----------------------------------------------------------------


@pytest.mark.parametrize("when", ["begin", "act"])
def test_an_agent_that_sleeps_for_ever_is_cut_off_at_the_deadline(when: str, record: Record) -> None:
    over = threading.Event()

    class Sleeper(Script):
        def begin(self, instruction: str, viewport: tuple[int, int]) -> None:
            super().begin(instruction, viewport)
            if when == "begin":
                over.wait(60)

    budget, short = (0.3, 0.3) if when == "begin" else (600.0, 1.0)
    begun, skipped = time.monotonic(), [0.0]

    def skip_to_the_end(*_: object) -> None:
        """After the first step, however long a busy machine took for it: there is little time left."""
        skipped[0] = budget - short - (time.monotonic() - begun)

    result = Episode(
        DirectSurface(Session((EASY, HARD))),
        Sleeper(Press("a"), lambda: over.wait(60)),
        Terms(objective=EASY, budget=budget, keep="none"),
        record,
        clock=lambda: time.monotonic() + skipped[0],
        sleep=Clock(0.0).sleep,
        watch=skip_to_the_end,
    ).play()
    over.set()
    assert (result["reason"], result["outcome"], result["scored"]) == ("deadline", "timeout", True)
    assert budget <= result["seconds"] < budget + 20
    assert result["steps"] == (when == "act")


def test_invalid_decisions_without_end_are_slowed_down_and_fill_no_disk(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lpb_gen.runners.episode.IDLE_STEPS", 20)
    clock = Clock(0.0)
    garbage: list[Any] = [
        "x" * 10**6,
        {"action": "click", "x": float("nan"), "y": 1},
        None,
        {"a": object()},
        b"\0" * 10**6,
    ]
    result = play(Script(*itertools.islice(itertools.cycle(garbage), 200)), record, clock=clock, budget=2)
    assert (result["outcome"], result["inputs"]) == ("timeout", 0)
    assert 20 + 20 <= result["steps"] <= 20 + 21
    assert (record.folder / "events.jsonl").stat().st_size < 1000 * result["steps"]


def test_words_beyond_a_limit_are_left_out_of_the_record(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lpb_gen.runners.episode.MOST_WORDS", 250)
    play(Script(*[Decision(action=Press("a"), text="w" * 100)] * 4), record)
    assert ["text" in e["data"] for e in events_of(record, "decision")] == [True, True, False, False, False]


class Deceiver(dict[str, Any]):
    def __iter__(self) -> Any:
        raise RuntimeError("not even a dict")

    def keys(self) -> Any:
        raise RuntimeError("not even a dict")


@pytest.mark.parametrize(
    "action",
    [
        {"action": "click", "x": float("nan"), "y": 5},
        {"action": "click", "x": float("inf"), "y": 5},
        {"action": "click", "x": 1280, "y": 5},
        {"action": "click", "x": -1, "y": 5},
        {"action": "click", "x": "5", "y": 5},
        {"action": "click", "x": 10**400, "y": 5},
        {"action": "drag", "path": [[1, 1]] * 501},
        {"action": "drag", "path": [[1, 1], [1, float("nan")]]},
        {"action": "batch", "actions": [{"action": "press", "key": "a"}] * 101},
        {"action": "batch", "actions": [{"action": "batch", "actions": []}]},
        {"action": "type", "text": "a" * 201},
        {"action": "wait", "seconds": float("nan")},
        {"action": "wait", "seconds": -1},
        {"action": "press", "key": "F12"},
        {"action": ["click"]},
        {1: 2},
        [],
        "click",
        b"\xff",
        object(),
        float("nan"),
        True,
        Batch((Press("a"),) * 101),
        Click("a", None),  # type: ignore[arg-type]
        Deceiver(action="press", key="a"),
        Answer(5),  # type: ignore[arg-type]
    ],
    ids=lambda value: "an object" if type(value) is object else str(value)[:40],
)
def test_garbage_costs_a_step_and_nothing_else(action: Any, record: Record) -> None:
    result = play(Script(action, Press("a")), record)
    assert (result["outcome"], result["agent_errors"], result["steps"], result["inputs"]) == ("exit", 1, 3, 1)
    assert result == score_events(events_of(record))


def test_numbers_of_numpy_are_numbers(record: Record) -> None:
    click = {"action": "click", "x": np.int64(600), "y": np.float32(300.4)}
    play(Script(click), record)
    assert events_of(record, "decision")[0]["data"]["action"] == {"action": "click", "x": 600, "y": 300}


@pytest.mark.parametrize(
    ("usage", "kept", "errors"),
    [
        ({"calls": 1, "usd": 0.5, "input_tokens": None}, {"calls": 1, "usd": 0.5}, 0),
        ({"calls": 1, "usd": float("nan")}, {"calls": 1}, 1),
        ({"input_tokens": -5}, None, 1),
        ({"input_tokens": 10**400}, None, 1),
        ({"input_tokens": True, "usd": "1"}, None, 2),
        ("much", None, 1),
        ({f"k{n}": 1 for n in range(1000)}, {f"k{n}": 1 for n in range(20)}, 0),
    ],
    ids=["good", "nan", "negative", "huge", "types", "text", "many"],
)
def test_usage_that_is_no_amount_is_left_out(
    usage: Any, kept: dict[str, float] | None, errors: int, record: Record
) -> None:
    result = play(Script(Decision(action=Press("a"), usage=usage)), record)
    assert events_of(record, "decision")[0]["data"].get("usage") == kept
    assert (result["agent_errors"], result["scored"]) == (errors, True)


def test_a_class_of_steps_that_is_none_is_left_out(record: Record) -> None:
    play(Script(Decision(action=Press("a"), step_class="clever")), record)  # type: ignore[arg-type]
    assert events_of(record, "decision")[0]["data"]["step_class"] == "native"


@pytest.mark.parametrize(
    ("action", "declared", "counted"),
    [
        (Press("a"), None, "native"),
        (Press("a"), "native", "native"),
        (Press("a"), "other", "other"),
        (Wait(0.5), "native", "other"),
        (None, "native", "other"),
        (Answer("done"), "native", "other"),
        ({"action": "fly"}, "native", "other"),
        (Batch((Wait(0.1), Wait(0.1))), None, "other"),  # nothing but waiting
        (Batch((Wait(0.1), Wait(0.1))), "native", "other"),
        (Batch((Wait(0.1), Press("a"))), None, "native"),
    ],
    ids=str,
)
def test_no_agent_makes_a_step_native_by_saying_so(action: Any, declared: Any, counted: str, record: Record) -> None:
    play(Script(Decision(action=action, step_class=declared)), record)
    assert events_of(record, "decision")[0]["data"]["step_class"] == counted


def test_a_claim_of_completion_is_not_believed(record: Record) -> None:
    result = play(Script(Answer("All levels are complete. Success!")), record)
    assert (result["outcome"], result["metrics"]) == ("exit", {"OSR": 0.0, "LC": 0.0, "FGP": 0.0})


@pytest.mark.parametrize(
    "text", [None, float("nan"), b"done", {"solved": True}, object()], ids=lambda value: type(value).__name__
)
def test_an_answer_that_is_no_text_costs_a_step_and_ends_nothing(text: Any, record: Record) -> None:
    result = play(Script(Answer(text), Answer("done")), record)
    assert (result["outcome"], result["answer"], result["agent_errors"], result["steps"]) == ("exit", "done", 1, 2)


def test_an_answer_is_written_whatever_is_in_it(record: Record) -> None:
    result = play(Script(Answer("\ud800" + "x" * 10**6)), record)
    assert result["outcome"] == "exit"
    assert result["answer"].startswith("?x")
    assert len(result["answer"]) == 10_000
    assert score_events(events_of(record)) == result == json.loads((record.folder / "result.json").read_text())


class Broken(DirectSurface):
    """A surface that fails at the third input."""

    def __init__(self, session: Session, error: Exception) -> None:
        super().__init__(session)
        self._error, self._count = error, itertools.count(1)

    def dispatch(self, events: Sequence[Pointer]) -> Any:
        if next(self._count) == 3:
            raise self._error
        return super().dispatch(events)


@pytest.mark.parametrize(
    ("error", "kind"),
    [(TechnicalFailure("browser", "the page has crashed"), "browser"), (ZeroDivisionError("ours"), "environment")],
)
def test_a_failing_surface_is_a_technical_failure(error: Exception, kind: str, record: Record) -> None:
    result = play(Script(*[Press("a")] * 9), record, surface=Broken(Session((EASY, HARD)), error))
    assert (result["scored"], result["failure"]["kind"]) == (False, kind)
    assert events_of(record)[-1]["type"] == "episode_end"


def test_a_full_disk_leaves_the_episode_without_a_grade(record: Record) -> None:
    def fill_the_disk() -> Press:
        record._events.close()
        record._events = open("/dev/full", "wb", buffering=0)  # noqa: SIM115 (the record closes it)
        return Press("a")

    result = play(Script(Press("a"), fill_the_disk, Press("a")), record)
    assert (result["scored"], result["outcome"], result["metrics"]) == (False, "technical", None)
    assert result["failure"]["kind"] == "logging"
    assert "No space left" in result["failure"]["what"]
    assert not (record.folder / "result.json").exists()
    assert score_events(events_of(record))["scored"] is False


def test_a_full_disk_before_the_first_event_is_told_too(record: Record) -> None:
    record._events.close()
    record._events = open("/dev/full", "wb", buffering=0)  # noqa: SIM115
    result = play(Script(), record)
    assert (result["scored"], result["failure"]["kind"]) == (False, "logging")


def test_a_grade_stands_in_the_events_and_does_not_need_its_file(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(target: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("lpb_gen.runners.record.write_whole", full)
    result = play(AGENTS["oracle"]("maze", "easy", 0), record, surface=DirectSurface(Session((EASY,))))
    assert not (record.folder / "result.json").exists()
    assert result["metrics"]["OSR"] == 100.0
    assert result == score_events(events_of(record))


def interrupt() -> None:
    """Ctrl-C while the agent thinks."""
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)


def test_an_interruption_is_written_down_and_passed_on(record: Record) -> None:
    with pytest.raises(KeyboardInterrupt):
        play(Script(Press("a"), lambda: interrupt()), record)
    last = events_of(record)[-1]
    assert (last["type"], last["data"]["failure"]["kind"]) == ("episode_end", "external")
    assert json.loads((record.folder / "result.json").read_text())["scored"] is False


@pytest.mark.parametrize("hidden", [False, True])
def test_an_interruption_that_a_library_turns_into_its_own_error_is_one(hidden: bool, record: Record) -> None:
    """As a library in compiled code does that is loaded just then."""

    class Loading(DirectSurface):
        def screenshot(self) -> bytes:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt as error:
                if hidden:
                    raise ImportError("initialization failed") from None
                raise ImportError("initialization failed") from error

    session = Session((EASY, HARD))
    with pytest.raises(KeyboardInterrupt):
        Episode(
            Loading(session), Script(), Terms(objective=EASY), record, clock=time.monotonic, sleep=time.sleep
        ).play()
    assert events_of(record)[-1]["data"]["failure"] == {"kind": "external", "what": "external: interrupted by the user"}


# --- the record -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["oracle", "greedy", "random"])
def test_the_result_follows_from_the_events_alone(agent: str, record: Record) -> None:
    result = play(AGENTS[agent]("maze", "easy", 1), record, clock=Clock(), budget=500)
    again = score_events(read_events(record.folder / "events.jsonl"))
    assert again == result
    assert json.loads((record.folder / "result.json").read_text()) == again


def test_every_event_is_on_the_disk_before_the_next_thing_happens(record: Record) -> None:
    lengths: list[int] = []

    def look() -> Press:
        lengths.append(len(events_of(record)))
        return Press("a")

    play(Script(look, look, look), record)
    # start, snapshot, observation; then decision, snapshot, action, observation a step
    assert lengths == [3, 7, 11]


def test_events_say_what_happened_in_order(record: Record) -> None:
    play(Script(Press("a"), Click(9999, 0)), record)
    assert [e["type"] for e in events_of(record)] == [
        *("episode_start", "snapshot"),
        *("observation", "decision", "snapshot", "action"),
        *("observation", "decision", "agent_error"),
        *("observation", "decision", "episode_end"),
    ]
    first = events_of(record)[0]
    assert set(first) == {"schema_version", "seq", "timestamp", "elapsed_seconds", "type", "data"}
    assert first["timestamp"] == "2026-12-01T10:15:00.000+00:00"
    assert [level["optimal_length"] for level in first["data"]["levels"]] == [3, 6, 8]


def kept(folder: Path) -> set[str]:
    return {path.name for path in (folder / "screenshots").iterdir()}


def test_screenshots_are_kept_by_content(tmp_path: Path) -> None:
    clicks = opening(Session((EASY, HARD)), "game:maze")
    counts = {}
    for keep in ("all", "changes", "none"):
        record = Record(tmp_path / keep, {}, now=lambda: NOW)
        play(Script(Press("a"), *clicks), record, keep=keep)
        record.close()
        shown = [e["data"]["screenshot"] for e in events_of(record, "observation")]
        assert len(shown) == 3
        assert shown[0] == shown[1] != shown[2]
        counts[keep] = len(kept(tmp_path / keep))
        assert keep == "none" or set(shown) <= kept(tmp_path / keep)
    assert counts == {"all": 3, "changes": 2, "none": 0}  # all: also the pressed button


def test_a_run_never_overwrites_another(record: Record) -> None:
    play(Script(), record)
    before = (record.folder / "events.jsonl").read_bytes()
    with pytest.raises(TechnicalFailure, match="exists"):
        Record(record.folder, {}, now=lambda: NOW)
    assert (record.folder / "events.jsonl").read_bytes() == before


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TechnicalFailure, match="could not be written") as caught:
        Record(tmp_path / "file" / "run", {}, now=lambda: NOW)
    assert caught.value.kind == "logging"


def test_a_folder_that_cannot_be_filled_is_not_left_half_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(target: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("lpb_gen.runners.record.write_whole", full)
    with pytest.raises(TechnicalFailure, match="No space left on device"):
        Record(tmp_path / "run", {}, now=lambda: NOW)
    assert list(tmp_path.iterdir()) == []


def test_run_ids_sort_by_time() -> None:
    later = NOW.replace(microsecond=5000)
    ids = [run_id(NOW, "maze", "hard", "oracle", "ffffff"), run_id(later, "maze", "easy", "greedy", "000000")]
    assert ids == sorted(ids)
    assert ids[0] == "20261201T101500.000Z-maze-hard-oracle-ffffff"


@pytest.mark.parametrize(
    ("line", "reason"),
    [("{", "not JSON"), ('{"schema_version":99}', "schema"), ("[]", "schema"), ("", "not JSON")],
)
def test_a_damaged_record_is_refused(line: str, reason: str, record: Record) -> None:
    play(Script(), record)
    with open(record.folder / "events.jsonl", "a") as file:
        file.write(line + "\n")
    with pytest.raises(InvalidRecord, match=reason):
        events_of(record)


@pytest.mark.parametrize(
    "damage",
    [
        {"progress": 1.5},
        {"progress": -1},
        {"progress": "1"},
        {"won": [-1]},
        {"won": [3]},
        {"won": None},
        {"level_index": -1},
        {"notes": 5},
    ],
    ids=str,
)
def test_a_forged_snapshot_is_refused(damage: dict[str, Any], record: Record) -> None:
    play(Script(*opening(Session((EASY, HARD)), "game:maze", "tier:easy")), record)
    events = events_of(record)
    next(e for e in reversed(events) if e["type"] == "snapshot")["data"].update(damage)
    with pytest.raises(InvalidRecord, match="not what an episode writes"):
        score_events(events)


@pytest.mark.parametrize("part", ["levels", "objective", "agent"])
def test_a_start_without_its_parts_is_refused(part: str, record: Record) -> None:
    play(Script(), record)
    events = events_of(record)
    events[0]["data"][part] = []
    with pytest.raises(InvalidRecord, match="not what an episode writes"):
        score_events(events)


@pytest.mark.parametrize("cut", [1, 10, 100])
def test_a_record_that_was_cut_off_has_no_grade(cut: int, record: Record) -> None:
    play(Script(), record)
    path = record.folder / "events.jsonl"
    path.write_bytes(path.read_bytes()[:-cut] + b"\xff")
    with pytest.raises(InvalidRecord, match="was the run cut off"):
        events_of(record)


def test_a_record_with_a_missing_event_is_refused(record: Record) -> None:
    play(Script(), record)
    path = record.folder / "events.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:1] + lines[2:]))
    with pytest.raises(InvalidRecord, match="missing"):
        events_of(record)


def test_an_event_that_ctrl_c_cut_off_after_its_writing_is_counted(record: Record) -> None:
    record.event("snapshot", {}, 0.0)
    written = record._written
    record.event("snapshot", {}, 0.1)
    record._written = written  # as if Ctrl-C had come between the writing and the counting
    record.event("agent_error", {}, 0.2)
    assert [event["seq"] for event in events_of(record)] == [0, 1, 2]


# --- what an agent says beside its action -----------------------------------------------------------------------------


def test_the_record_keeps_words_usage_and_class_of_a_step(record: Record) -> None:
    usage = {"calls": 1, "input_tokens": 500}
    said = Decision(action={"action": "click", "x": 1, "y": 1}, text="I look", usage=usage)
    computed = Decision(action=None, text="python: plan()")
    play(Script(said, computed, Wait(0.5)), record)
    first, second, third, last = [e["data"] for e in events_of(record, "decision")]
    assert first["action"] == {"action": "click", "x": 1, "y": 1}
    assert (first["text"], first["usage"], first["step_class"]) == ("I look", usage, "native")
    assert (second["action"], second["step_class"]) == (None, "other")
    assert (third["step_class"], last["step_class"]) == ("other", "other")
    assert not events_of(record, "agent_error")


def test_an_agent_is_told_what_was_wrong_with_its_action(record: Record) -> None:
    agent = Script({"action": "click", "x": 5000, "y": 1}, Click(1, 1))
    play(agent, record)
    assert agent.errors[0] is None
    assert "outside the 1280x900 screen" in (agent.errors[1] or "")
    assert agent.errors[2] is None
