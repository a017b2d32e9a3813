"""Many episodes: several at once, in processes that may die; attempts; resuming; the record of who is gone."""

from __future__ import annotations

import contextlib
import itertools
import json
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import agents_of_users
import levels
import pytest

from lpb_gen.games.base import LpbError
from lpb_gen.runners import crew, running
from lpb_gen.runners.agents.python_class import UnusableAgent
from lpb_gen.runners.attempts import Trial, Watching, Ways
from lpb_gen.runners.campaign import played
from lpb_gen.runners.closing import end_record
from lpb_gen.runners.episode import Ending
from lpb_gen.runners.failures import TechnicalFailure
from lpb_gen.runners.metrics import score_events
from lpb_gen.runners.plan import Play, agent_words, chosen
from lpb_gen.runners.played import find_runs, read_runs
from lpb_gen.runners.record import read_events

OBJECTIVES = levels.objectives()
FILE = str(Path(agents_of_users.__file__))
PIN = {"reference": None, "tag": None, "commit": None, "digest": "ab" * 32}


class Listening(Watching):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


def plan(agent: str, *, seeds: int = 1, tiers: Sequence[str] = ("easy", "hard"), **values: Any) -> list[Play]:
    """The objectives of these tiers, for an agent of ``agents_of_users`` or a reference agent."""
    spec = f"{FILE}:{agent}" if agent[0].isupper() else agent
    terms = {"surface": "direct", "keep": "none", "budget": 60.0} | values
    words = agent_words(spec, terms.pop("options", []), terms.pop("label", None))
    return [
        Play(objective=o, offered=OBJECTIVES, pin=PIN, agent=words, seed=seed, **terms)
        for o in OBJECTIVES
        if o.tier in tiers
        for seed in range(seeds)
    ]


def run(plays: Sequence[Play], out: Path, **ways: Any) -> tuple[list[Trial], list[str]]:
    watching = Listening()
    return list(played(plays, Ways(out=out, **ways), watching)), watching.said


def endings(found: Sequence[Trial]) -> list[str]:
    return [one.last.result["reason"] for one in found]


def begun(out: Path) -> int:
    """How many episodes of Endless have their first event."""
    return sum(path.stat().st_size > 0 for path in out.glob("*Endless*/events.jsonl"))


def last_event(folder: Path) -> dict[str, Any]:
    return list(read_events(folder / "events.jsonl"))[-1]["data"]


# --- several at once --------------------------------------------------------------------------------------------------


def test_results_come_in_the_order_of_the_plan_whoever_is_first(tmp_path: Path) -> None:
    plays = plan("oracle", seeds=2)
    found, _ = run(plays, tmp_path, parallel=4)
    assert [one.play for one in found] == plays
    assert endings(found) == ["complete"] * 4
    for one in found:
        assert one.last.record is not None
        start = next(read_events(one.last.record / "events.jsonl"))["data"]
        assert (start["seed"], start["attempt"], start["episode_key"]) == (one.play.seed, 1, one.play.key)
        assert start["objective"]["tier"] == one.play.objective.tier


def test_a_killed_process_is_an_environment_failure_and_the_others_go_on(tmp_path: Path) -> None:
    found, _ = run(plan("Killed"), tmp_path, parallel=2, attempts=1)
    assert endings(found) == ["answer", "technical"]
    lost = found[1].last
    assert lost.record is not None
    assert lost.result["failure"]["kind"] == "environment"
    assert "SIGKILL" in lost.result["failure"]["what"]
    assert last_event(lost.record)["failure"] == lost.result["failure"]
    assert json.loads((lost.record / "result.json").read_text()) == lost.result
    assert score_events(read_events(lost.record / "events.jsonl")) == lost.result


def test_an_agent_that_takes_its_process_with_it_is_tried_as_often_as_was_said(tmp_path: Path) -> None:
    found, said = run(plan("Leaving", tiers=["easy"]), tmp_path, attempts=3)
    assert [attempt.number for attempt in found[0].attempts] == [1, 2, 3]
    assert not found[0].last.scored
    assert len(list(tmp_path.iterdir())) == 3
    assert [line.partition(" failed")[0] for line in said] == ["maze easy: attempt 1", "maze easy: attempt 2"]


def test_an_agent_that_holds_the_interpreter_is_ended_from_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "OVERTIME_SECONDS", 0.5)
    found, _ = run(plan("Holding", tiers=["easy"], budget=0.5), tmp_path)
    assert endings(found) == ["deadline"]
    assert found[0].last.result["outcome"] == "timeout"
    assert found[0].last.result["metrics"] == {"OSR": 0.0, "LC": 0.0, "FGP": 0.0}


@pytest.mark.parametrize("agent", ["NeverMade", "Stopped"])
def test_an_agent_that_is_never_made_is_a_wrong_configuration(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "BEGINNING_SECONDS", 6.0)
    options = [("begun", str(tmp_path / "begun"))]
    found, _ = run(plan(agent, tiers=["easy"], options=options, budget=1.0), tmp_path / "runs", attempts=3)
    assert (tmp_path / "begun").exists()
    [attempt] = found[0].attempts
    assert (attempt.scored, attempt.record) == (False, None)
    assert attempt.result["failure"]["kind"] == "configuration"
    assert "did not begin within 6 seconds" in attempt.result["failure"]["what"]
    assert not (tmp_path / "runs").exists()


def test_an_agent_has_as_long_to_be_made_as_to_play_and_ten_minutes_at_least() -> None:
    [play] = plan("Actor", tiers=["easy"], budget=1.0)
    assert [crew.beginning_seconds(replace(play, budget=b)) for b in (1.0, 3600.0)] == [600.0, 3600.0]


@pytest.mark.parametrize("agent", ["NeverMade", "Stopped"])
def test_nobody_who_stops_waits_for_an_agent_that_is_never_made(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "ENDING_SECONDS", 100_000.0)  # what a record would be given
    options = [("begun", str(tmp_path / "begun"))]
    work = crew.Crew(
        [Trial(p) for p in plan(agent, tiers=["easy"], options=options)], [0], [1], Ways(out=tmp_path), Listening()
    )

    def stop() -> None:
        if (tmp_path / "begun").exists():
            raise KeyboardInterrupt

    monkeypatch.setattr(work._watching, "update", stop)
    with pytest.raises(KeyboardInterrupt):
        list(work)
    assert [worker.process.is_alive() for worker in work._workers] == [False]


def test_a_stopped_process_still_writes_its_end(tmp_path: Path) -> None:
    episodes = played(
        [*plan("oracle", tiers=["easy"]), *plan("Endless", tiers=["hard"])], Ways(out=tmp_path, parallel=2), Listening()
    )
    next(episodes)
    soon(lambda: begun(tmp_path) == 1)
    [child] = [p for p in multiprocessing.active_children() if p.name == "maze hard"]
    assert child.pid is not None
    os.kill(child.pid, signal.SIGSTOP)
    episodes.close()
    [folder] = tmp_path.glob("*Endless*")
    assert last_event(folder)["failure"]["kind"] == "external"
    assert (folder / "result.json").exists()


@pytest.mark.browser
@pytest.mark.parametrize("agent", ["Actor", "Killed", "Unlucky"], ids=["whole", "killed", "refused"])
def test_nothing_of_a_browser_stays_in_the_temporary_folder(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory() as temporary:  # a short name: a browser makes sockets there
        monkeypatch.setenv("TMPDIR", temporary)
        monkeypatch.setattr(tempfile, "tempdir", None)
        plays = plan(agent, tiers=["hard"], surface="browser", browser=os.environ.get("LPB_BROWSER"))
        with contextlib.suppress(UnusableAgent):
            run(plays, tmp_path, attempts=1)
        assert os.listdir(temporary) == []


@pytest.mark.parametrize("agent", ["Unlucky", "Neither", "Nobody"])
def test_an_agent_that_cannot_be_made_ends_everything_before_a_record(agent: str, tmp_path: Path) -> None:
    with pytest.raises(LpbError, match=agent):
        run(plan(agent), tmp_path / "runs", parallel=2)
    assert not (tmp_path / "runs").exists()


def test_the_same_things_happen_in_this_process(tmp_path: Path) -> None:
    found, _ = run(plan("Crashing"), tmp_path, here=True)
    assert endings(found) == ["agent_failed", "agent_failed"]


def test_who_stops_early_leaves_ended_records(tmp_path: Path) -> None:
    episodes = played(
        [*plan("oracle", tiers=["easy"]), *plan("Endless", seeds=2)], Ways(out=tmp_path, parallel=3), Listening()
    )
    next(episodes)
    soon(lambda: begun(tmp_path) == 2)
    time.sleep(0.3)
    episodes.close()
    ends = [last_event(folder) for folder in tmp_path.glob("*Endless*")]
    assert [end["failure"]["kind"] for end in ends] == ["external"] * 2
    assert len(list(tmp_path.glob("*/result.json"))) == 3


def soon(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)


# --- attempts ---------------------------------------------------------------------------------------------------------


def test_a_provider_that_comes_back_gets_a_new_attempt_and_all_are_kept(tmp_path: Path) -> None:
    options = [("counter", str(tmp_path / "count"))]
    found, said = run(plan("Unserved", tiers=["easy"], options=options), tmp_path / "runs")
    first, second = found[0].attempts
    assert (first.result["failure"]["kind"], first.scored) == ("provider", False)
    assert (second.result["reason"], second.scored, second.number) == ("answer", True, 2)
    assert said == ["maze easy: attempt 1 failed (provider: the model's service is down); trying again"]
    [scored] = [e for e in read_runs(find_runs([str(tmp_path / "runs")])) if e.row]
    assert scored.start["attempt"] == 2


def test_a_wrong_configuration_is_not_tried_again(tmp_path: Path) -> None:
    found, _ = run(plan("Misconfigured", tiers=["easy"]), tmp_path, attempts=5)
    assert len(found[0].attempts) == 1
    assert found[0].last.result["failure"]["kind"] == "configuration"


def test_an_agents_own_failure_is_graded_and_not_tried_again(tmp_path: Path) -> None:
    found, _ = run(plan("Crashing", tiers=["easy"]), tmp_path, attempts=5)
    assert (len(found[0].attempts), found[0].last.scored, endings(found)) == (1, True, ["agent_failed"])


# --- resuming ---------------------------------------------------------------------------------------------------------


def test_resuming_skips_what_has_a_grade_and_plays_the_rest_anew(tmp_path: Path) -> None:
    out, counter = tmp_path / "runs", str(tmp_path / "count")
    plays = plan("Unserved", options=[("counter", counter), ("until", "3")])
    first, _ = run(plays, out, attempts=2)  # the counter goes: fail, fail (easy); fail, answer (hard)
    assert [one.last.scored for one in first] == [False, True]
    again, _ = run(plays, out, resume=True, attempts=2)
    assert [one.last.scored for one in again] == [True, True]
    assert [one.last.skipped for one in again] == [False, True]
    assert again[0].last.number == 3
    assert again[1].last.record == first[1].last.record
    third, _ = run(plays, out, resume=True)
    assert all(one.last.skipped for one in third)
    assert len(list(out.iterdir())) == 5


def test_a_record_that_broke_off_is_played_anew(tmp_path: Path) -> None:
    plays = plan("Actor", tiers=["easy"])
    [one], _ = run(plays, tmp_path)
    assert one.last.record is not None
    (one.last.record / "result.json").unlink()
    events = one.last.record / "events.jsonl"
    events.write_bytes(events.read_bytes()[:-20])
    [two], _ = run(plays, tmp_path, resume=True)
    assert (two.last.skipped, two.last.number, two.last.scored) == (False, 2, True)


def test_an_episode_that_lacks_only_its_result_is_not_played_twice(tmp_path: Path) -> None:
    plays = plan("Actor", tiers=["easy"])
    [one], _ = run(plays, tmp_path)
    assert one.last.record is not None
    (one.last.record / "result.json").unlink()
    [two], _ = run(plays, tmp_path, resume=True)
    assert (two.last.skipped, two.last.number, two.last.result) == (True, 1, one.last.result)
    assert json.loads((one.last.record / "result.json").read_text()) == one.last.result
    assert len(list(tmp_path.iterdir())) == 1


def test_a_process_that_takes_its_record_with_it_is_an_environment_failure(tmp_path: Path) -> None:
    found, said = run(plan("Vanishing", tiers=["easy"], options=[("out", str(tmp_path))]), tmp_path, attempts=1)
    assert endings(found) == ["technical"]
    assert found[0].last.result["failure"]["kind"] == "environment"
    assert any("its end could not be written" in line for line in said)


def test_a_clock_that_is_set_back_changes_no_elapsed_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hours = itertools.count()
    monkeypatch.setattr(running, "_now", lambda: datetime(2026, 12, 1, tzinfo=UTC) - timedelta(hours=next(hours)))
    plays = plan("oracle", tiers=["easy"])
    [one], _ = run(plays, tmp_path, here=True)
    assert endings([one]) == ["complete"]
    assert one.last.record is not None
    events = list(read_events(one.last.record / "events.jsonl"))
    elapsed = [event["elapsed_seconds"] for event in events]
    assert elapsed == sorted(elapsed)
    assert 0 <= one.last.result["seconds"] < one.play.budget
    stamps = [event["timestamp"] for event in events]
    assert stamps == sorted(stamps, reverse=True)
    [two], _ = run(plays, tmp_path, here=True, resume=True)
    assert two.last.skipped


@pytest.mark.parametrize("kept", [0, 30], ids=["nothing", "half a line"])
def test_a_record_that_broke_off_before_its_first_event_is_left_out(
    kept: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "lpb_gen")
    run(plan("Actor"), tmp_path)
    one, two = find_runs([str(tmp_path)])
    (one / "events.jsonl").write_bytes((one / "events.jsonl").read_bytes()[:kept])
    assert [episode.run for episode in read_runs([one, two])] == [str(two)]
    assert f"{one}/events.jsonl: it was cut off before its first event" in caplog.text


def test_the_key_is_of_the_content(tmp_path: Path) -> None:
    [play] = plan("Actor", tiers=["easy"])
    copy = tmp_path / "agents_of_users.py"
    copy.write_bytes(Path(FILE).read_bytes())
    assert replace(play, agent=agent_words(f"{copy}:Actor", [], None)).key == play.key  # not of the path
    copy.write_bytes(copy.read_bytes() + b"\n# a change\n")
    others = [
        replace(play, agent=agent_words(f"{copy}:Actor", [], None)),
        replace(play, agent=agent_words(f"{FILE}:Crashing", [], None)),
        replace(play, agent=agent_words(f"{FILE}:Actor", [("n", "1")], None)),
        replace(play, agent=agent_words(f"{FILE}:Actor", [], "another")),
        replace(play, objective=OBJECTIVES[1]),
        replace(play, objective=replace(OBJECTIVES[0], levels=OBJECTIVES[0].levels[:2])),
        replace(play, pin=PIN | {"digest": "cd" * 32}),
        replace(play, seed=1),
        replace(play, budget=61.0),
        replace(play, lang="zh"),
        replace(play, surface="browser"),
        replace(play, setting="code"),
    ]
    assert len({play.key, *(other.key for other in others)}) == 1 + len(others)
    same = [
        replace(play, keep="all"),
        replace(play, browser="/usr/bin/chromium"),
        replace(play, pin=PIN | {"tag": "x"}),
    ]
    assert {other.key for other in same} == {play.key}


def test_secrets_among_the_options_are_not_recorded(tmp_path: Path) -> None:
    words = agent_words("x:Y", [("api_key", "sk-1"), ("max_tokens", "5"), ("auth-token", "t")], None)
    assert words.to_json()["options"] == {
        "api_key": "(not recorded)",
        "max_tokens": "5",
        "auth-token": "(not recorded)",
    }


# --- choosing ---------------------------------------------------------------------------------------------------------


def test_games_and_tiers_are_combined_and_what_is_not_there_is_told() -> None:
    easy, hard = OBJECTIVES
    rush = replace(easy, game="rush", levels=())
    offered = [easy, hard, rush]
    assert chosen(offered, [], [], True) == (offered, [])
    assert chosen(offered, ["maze"], [], True) == ([easy, hard], [])
    found, lines = chosen(offered, ["rush", "maze"], ["easy", "hard"], False)
    assert (found, lines) == ([rush, easy, hard], ["rush has no tier 'hard' (it has easy)"])
    for games, tiers, where in (
        (["maze"], ["easy", "expert"], "--tier expert"),
        (["maze", "go"], ["easy"], "--game go"),
    ):
        with pytest.raises(LpbError, match=f"{where}.*there is maze easy, maze hard, rush easy"):
            chosen(offered, games, tiers, False)
    with pytest.raises(LpbError, match="go: no level"):
        chosen(offered, ["go"], [], True)


# --- ending another's record ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tail", ["", '{"seq": 3, "da', "\n"], ids=["whole", "torn", "no end of line"])
def test_a_record_whose_writer_is_gone_is_ended_once(tail: str, tmp_path: Path) -> None:
    [one], _ = run(plan("Actor", tiers=["easy"]), tmp_path)
    folder = one.last.record
    assert folder is not None
    lines = (folder / "events.jsonl").read_text().splitlines()[:-1]
    text = "\n".join(lines) + ("" if tail == "\n" else f"\n{tail}")
    (folder / "events.jsonl").write_text(text)
    ending = Ending("technical", failure=TechnicalFailure("environment", "it is gone"))
    result = end_record(folder, ending, now=lambda: datetime.now(UTC))
    assert result["failure"] == {"kind": "environment", "what": "environment: it is gone"}
    assert len(list(read_events(folder / "events.jsonl"))) == len(lines) + 1
    assert end_record(folder, Ending("deadline"), now=lambda: datetime.now(UTC)) == result


def test_an_agent_that_was_held_at_its_deadline_has_used_its_whole_budget(tmp_path: Path) -> None:
    [one], _ = run(plan("Actor", tiers=["easy"]), tmp_path)
    folder = one.last.record
    assert folder is not None
    lines = (folder / "events.jsonl").read_text().splitlines()[:-1]
    (folder / "events.jsonl").write_text("\n".join(lines) + "\n")
    result = end_record(folder, Ending("deadline"), now=lambda: datetime.now(UTC))
    assert (result["outcome"], result["seconds"]) == ("timeout", one.play.budget)


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_plays_everything_and_says_what_to_type_next(tmp_path: Path, lpb_gen: Any) -> None:
    levels.write_catalogue(tmp_path / "mine", OBJECTIVES)
    words = ("run", "--snapshot", "mine", "--all", "--surface", "direct", "--screenshots", "none", "--parallel", "2")
    done = lpb_gen(*words, "--agent", f"{FILE}:Predictor", "--agent-option", "count=1")
    assert done.returncode == 0, done.stderr
    assert [line.split()[:2] for line in done.stdout.splitlines() if line.startswith(" maze")] == [
        ["maze", "easy"],
        ["maze", "hard"],
    ]
    assert done.stdout.splitlines()[-1] == "next: lpb-gen score runs"
    assert "an agent may print" in done.stderr
    again = lpb_gen(*words, "--agent", f"{FILE}:Predictor", "--agent-option", "count=1", "--resume", "--json")
    results = [json.loads(line) for line in again.stdout.splitlines()]
    assert [result["skipped"] for result in results] == [True, True]
    assert again.stderr.count("has a grade already, skipped") == 2
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_a_whole_command_without_a_grade_fails(tmp_path: Path, lpb_gen: Any) -> None:
    levels.write_catalogue(tmp_path / "mine", OBJECTIVES)
    words = ("--game", "maze", "--tier", "easy", "--tier", "hard", "--surface", "direct", "--parallel", "2")
    done = lpb_gen("run", "--snapshot", "mine", *words, "--agent", f"{FILE}:Killed", "--attempts", "1")
    assert done.returncode == 1
    assert "maze hard: no grade (environment: the episode's process was ended (by SIGKILL))" in done.stderr
    scored = lpb_gen("score", "runs")
    assert "maze hard (1)" in scored.stdout
    assert "partial 1/16" in scored.stdout
    assert "technical: 1 environment" in scored.stdout
