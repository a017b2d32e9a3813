"""``lpb-gen score``: which runs it reads, what it counts, who is ranked, and how it prints."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import levels
import pytest
from records import agent, command, end, finished, seen, start, step, write_run

from lpb_gen.runners import leaderboard
from lpb_gen.runners.commands_score import VIEW_NAMES
from lpb_gen.runners.paper_metrics import BENCHMARK, METRICS
from lpb_gen.runners.played import Chosen, MixedRuns, NoRuns, find_runs, read_run, read_runs
from lpb_gen.runners.record import InvalidRecord
from lpb_gen.runners.score_lines import LINES, VIEWS
from lpb_gen.runners.score_tables import TABLES

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def score(folder: Path) -> dict[str, Any]:
    return leaderboard.score(read_runs(find_runs([str(folder)])))


def entry(folder: Path) -> dict[str, Any]:
    [only] = score(folder)["agents"]
    return dict(only)


def whole_benchmark(folder: Path, name: str, share: float = 1.0, **values: Any) -> None:
    """A run of each of the 16 objectives, that won a share of its ten levels."""
    for game, tiers in BENCHMARK.items():
        for tier in tiers:
            finished(folder / f"{name}-{game}-{tier}", round(10 * share), 10, name=name, game=game, tier=tier, **values)


# --- which runs -------------------------------------------------------------------------------------------------------


def test_a_run_a_folder_of_runs_an_events_file_and_a_pattern_are_found(tmp_path: Path) -> None:
    runs = [finished(tmp_path / "all" / name, 1, 3) for name in ("a-maze", "b-maze", "c-rush")]
    for words, wanted in (
        ([runs[0]], runs[:1]),
        ([runs[0] / "events.jsonl"], runs[:1]),
        ([tmp_path], runs),
        ([tmp_path / "all" / "*-maze"], runs[:2]),
        ([runs[1], tmp_path / "all", runs[1]], runs),
    ):
        assert find_runs(map(str, words)) == wanted


@pytest.mark.parametrize("word", ["nowhere", "no-*", "."])
def test_where_no_run_is_it_says_so(word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoRuns):
        find_runs([word])


def test_one_episode_counts_once(tmp_path: Path) -> None:
    shutil.copytree(finished(tmp_path / "a", 1, 3), tmp_path / "b")
    with pytest.raises(MixedRuns, match="the same episode"):
        read_runs(find_runs([str(tmp_path)]))


def test_runs_of_different_levels_are_not_mixed(tmp_path: Path) -> None:
    finished(tmp_path / "a", 1, 3)
    finished(tmp_path / "b", 1, 4)
    with pytest.raises(MixedRuns, match=r"other levels of maze easy .* --snapshot REF, or some with --agent, --game"):
        read_runs(find_runs([str(tmp_path)]))


def test_the_runs_of_one_snapshot_agent_game_or_tier_are_chosen(tmp_path: Path) -> None:
    first = finished(tmp_path / "a", 1, 3)
    second = finished(tmp_path / "b", 1, 4, name="another")
    third = finished(tmp_path / "c", 1, 3, game="rush", tier="hard")

    def chosen(**which: Any) -> list[str]:
        return [episode.run for episode in read_runs(find_runs([str(tmp_path)]), chosen=Chosen(**which))]

    levels = {("maze", "easy"): tuple(f"maze-easy-{n}" for n in range(4)), ("rush", "hard"): ("rush-hard-0",)}
    assert chosen(levels=levels) == [str(second)]
    assert chosen(agents=("another",)) == [str(second)]
    assert chosen(games=("rush",), agents=("someone", "another")) == chosen(tiers=("hard",)) == [str(third)]
    assert chosen(agents=("someone",)) == [str(first), str(third)]
    with pytest.raises(NoRuns, match="no run of 3 is chosen by --snapshot, --agent, --game and --tier"):
        chosen(agents=("nobody",))


# --- technical failures -----------------------------------------------------------------------------------------------


def test_a_technical_failure_is_counted_and_enters_no_figure(tmp_path: Path) -> None:
    finished(tmp_path / "a", 3, 3)
    write_run(tmp_path / "b", [start(), seen(None, input=None), end("technical", kind="provider")])
    found = entry(tmp_path)
    assert found["metrics"]["LC"] == 100.0
    assert (found["episodes"]["scored"], found["episodes"]["technical"]) == (1, 1)
    assert found["episodes"]["technical_kinds"] == {"provider": 1}


def test_an_objective_with_nothing_but_failures_is_missing_and_not_zero(tmp_path: Path) -> None:
    finished(tmp_path / "a", 3, 3)
    write_run(tmp_path / "b", [start(tier="hard"), seen(None, input=None), end("technical", kind="browser")])
    found = entry(tmp_path)
    assert (found["coverage"], found["metrics"]["OSR"]) == ("partial 1/16", 100.0)
    assert [(o["tier"], o["metrics"] is None) for o in found["objectives"]] == [("easy", False), ("hard", True)]


@pytest.mark.parametrize("damage", [b"", b'{"schema_version":1,"seq"', b'{"type":"decision"}\n'], ids=str)
def test_a_record_that_breaks_off_is_a_failure_of_logging(damage: bytes, tmp_path: Path) -> None:
    run = finished(tmp_path / "a", 3, 3)
    lines = (run / "events.jsonl").read_bytes().splitlines(keepends=True)
    (run / "events.jsonl").write_bytes(b"".join(lines[:-1]) + damage)
    episode = read_run(run)
    assert (episode.row, episode.result["failure"]["kind"]) == (None, "logging")


def test_a_record_without_a_beginning_is_refused(tmp_path: Path) -> None:
    run = finished(tmp_path / "a", 3, 3)
    (run / "events.jsonl").write_bytes(b"")
    with pytest.raises(InvalidRecord):
        read_run(run)
    (run / "events.jsonl").write_bytes(b"{}\n")
    with pytest.raises(InvalidRecord):
        read_run(run)


@pytest.mark.parametrize(
    "damage",
    [
        {"agent": {"name": "someone"}},
        {"agent": {"name": ["someone"], "kind": "agent"}},
        {"budget_seconds": "an hour"},
        {"seed": None},
        {"lang": 1},
        {"setting": {}},
        {"levels": [{"id": 1, "optimal_length": 1}]},
        {"levels": [{"id": "x", "optimal_length": "1"}]},
        {"levels": [{"id": "x", "optimal_length": []}]},
        {"isolation": {"isolated": True}},
    ],
    ids=str,
)
def test_a_beginning_of_other_types_is_refused(damage: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InvalidRecord, match="not what an episode writes"):
        read_run(write_run(tmp_path / "run", [start(**damage), end()]))


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 400], ids=lambda text: text[:5])
@pytest.mark.parametrize("field", ["elapsed_seconds", "progress", "x"])
def test_a_number_that_nobody_can_reckon_with_is_damage(number: str, field: str, tmp_path: Path) -> None:
    press = {"kind": "down", "x": 0.125, "y": 1}
    run = write_run(tmp_path / "run", [start(), seen(input=press, progress=0.125), end()], [0.0, 0.125, 1.0])
    old, new = f'"{field}": 0.125', f'"{field}": {number}'
    text = (run / "events.jsonl").read_text()
    assert old in text
    (run / "events.jsonl").write_text(text.replace(old, new))
    episode = read_run(run)
    assert (episode.row, episode.result["failure"]["kind"]) == (None, "logging")
    assert "a number that no episode writes" in episode.result["failure"]["what"]


def test_a_level_is_reached_or_not_and_nothing_between(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [start(), seen(ready=7), end()])
    assert read_run(run).result["failure"]["kind"] == "logging"


# --- what a row is made of --------------------------------------------------------------------------------------------


def row(tmp_path: Path, *parts: Any, **values: Any) -> Any:
    return read_run(write_run(tmp_path / "run", [start(**values), seen(None, input=None), *parts])).row


def test_reached_levels_are_those_seen_ready(tmp_path: Path) -> None:
    parts = seen(0), seen(0, won=[0], ready=False, progress=1.0), seen(1, won=[0], ready=False), end()
    assert row(tmp_path / "a", *parts).ready == 1
    assert row(tmp_path / "b", *parts[1:]).ready == 1  # and those that were won, wherever the record begins


def test_play_in_another_tier_is_a_mismatch_and_its_menu_is_none(tmp_path: Path) -> None:
    assert row(tmp_path / "a", seen(None, tier="hard"), end()).mismatched is False
    assert row(tmp_path / "b", seen(0, tier="hard"), end()).mismatched is True
    assert row(tmp_path / "c", seen(0, game="rush"), end()).mismatched is True


def test_an_answer_before_success_is_an_exit_and_a_deadline_is_none(tmp_path: Path) -> None:
    assert row(tmp_path / "a", seen(0), end("answer", "done")).exited is True
    assert row(tmp_path / "b", seen(0), end("deadline")).exited is False
    assert row(tmp_path / "c", seen(0, won=[0, 1, 2], progress=1.0), end("complete")).exited is False


def test_native_and_other_steps_are_counted_where_they_are_told_apart(tmp_path: Path) -> None:
    steps = [step(step_class=kind) for kind in ("native", "other", "native")]
    found = row(tmp_path / "a", *steps, end(), setting="code")
    assert (found.setting, found.native_steps, found.other_steps) == ("code", 2, 1)
    for unknown in (
        row(tmp_path / "b", *steps, step(), end(), setting="code"),
        row(tmp_path / "c", *steps, end(), setting="native"),
    ):
        assert (unknown.native_steps, unknown.other_steps) == (None, None)


# --- ranks ------------------------------------------------------------------------------------------------------------


def test_full_coverage_is_ranked_and_part_of_it_is_not(tmp_path: Path) -> None:
    whole_benchmark(tmp_path, "good", 1.0)
    whole_benchmark(tmp_path, "fair", 0.5)
    whole_benchmark(tmp_path, "same", 0.5)
    whole_benchmark(tmp_path, "some", 1.0)
    shutil.rmtree(tmp_path / "some-maze-hard")
    ranks = {e["agent"]: (e["coverage"], e["rank"]) for e in score(tmp_path)["agents"]}
    assert ranks == {"good": ("full", 1), "fair": ("full", 2), "same": ("full", 2), "some": ("partial 15/16", None)}


def test_a_reference_agent_has_no_rank(tmp_path: Path) -> None:
    whole_benchmark(tmp_path, "oracle", **agent("oracle", "reference"))
    assert entry(tmp_path)["coverage"] == "full"
    assert entry(tmp_path)["rank"] is None


def test_who_was_a_reference_once_has_no_rank(tmp_path: Path) -> None:
    whole_benchmark(tmp_path, "someone")
    assert entry(tmp_path)["rank"] == 1
    finished(tmp_path / "more", 1, 10, seed=1, **agent("someone", "reference"))
    assert entry(tmp_path)["rank"] is None


def test_agents_are_ranked_among_those_of_the_same_conditions(tmp_path: Path) -> None:
    whole_benchmark(tmp_path, "hour", 1.0)
    whole_benchmark(tmp_path, "minute", 0.1, budget_seconds=60.0)
    whole_benchmark(tmp_path, "code", 0.1, setting="code")
    assert {e["agent"]: e["rank"] for e in score(tmp_path)["agents"]} == {"hour": 1, "minute": 1, "code": 1}


def test_the_code_setting_is_ranked_by_its_isolation_and_says_it(tmp_path: Path) -> None:
    for name, osr, label in (("behind", 0.1, "isolated"), ("open", 1.0, "not isolated")):
        whole_benchmark(tmp_path, name, osr, setting="code", isolation=label)
    assert {e["agent"]: e["rank"] for e in score(tmp_path)["agents"]} == {"behind": 1, "open": 1}
    printed = command("score", str(tmp_path))
    assert "behind/code: isolated" in printed
    assert "open/code: not isolated" in printed


def test_the_native_setting_says_whether_a_program_was_isolated_and_ranks_it_with_the_others(tmp_path: Path) -> None:
    for name, osr, label in (("service", 0.5, None), ("open", 1.0, "not isolated"), ("behind", 0.1, "isolated")):
        whole_benchmark(tmp_path, name, osr, isolation=label)
    assert {e["agent"]: e["rank"] for e in score(tmp_path)["agents"]} == {"open": 1, "service": 2, "behind": 3}
    printed = command("score", str(tmp_path))
    assert "open/native: not isolated" in printed
    assert "behind/native: isolated" in printed
    assert "service/native:" not in printed


def test_an_agent_of_mixed_conditions_has_no_rank(tmp_path: Path) -> None:
    whole_benchmark(tmp_path, "someone")
    finished(tmp_path / "more", 1, 10, seed=1, budget_seconds=60.0)
    assert entry(tmp_path)["rank"] is None
    assert entry(tmp_path)["conditions"]["budget_seconds"] == [60.0, 3600.0]


def test_an_agent_of_mixed_configurations_has_no_rank(tmp_path: Path) -> None:
    def configured(as_: str) -> dict[str, Any]:
        return {"agent": agent("someone")["agent"] | {"configuration": as_}}

    whole_benchmark(tmp_path, "someone", **configured("a"))
    assert entry(tmp_path)["rank"] == 1
    whole_benchmark(tmp_path / "old", "someone", seed=1)  # these records tell of none
    assert (entry(tmp_path)["rank"], entry(tmp_path)["configurations"]) == (1, ["a"])
    finished(tmp_path / "more", 1, 10, seed=2, **configured("b"))
    found = entry(tmp_path)
    assert (found["rank"], found["configurations"]) == (None, ["a", "b"])
    assert "mixed configurations" in found["unranked"]


def test_one_objective_more_often_than_the_others_has_no_rank(tmp_path: Path) -> None:
    """Who may choose which seeds of an objective count, chooses the good ones."""
    whole_benchmark(tmp_path / "0", "someone")
    whole_benchmark(tmp_path / "1", "someone", seed=1)
    whole_benchmark(tmp_path / "other", "other", 0.5)
    assert {e["agent"]: (e["rank"], e["unranked"]) for e in score(tmp_path)["agents"]} == {
        "someone": (1, []),
        "other": (2, []),
    }
    assert "no rank" not in command("score", str(tmp_path))
    shutil.rmtree(tmp_path / "1" / "someone-maze-hard")
    why = "seeds that do not cover every objective"
    assert {e["agent"]: (e["rank"], e["unranked"]) for e in score(tmp_path)["agents"]} == {
        "someone": (None, [why]),
        "other": (1, []),
    }
    assert f"someone/native: no rank: {why}" in command("score", str(tmp_path))


def test_the_same_seed_of_one_objective_again_has_no_rank(tmp_path: Path) -> None:
    whole_benchmark(tmp_path, "someone")
    finished(tmp_path / "again", 10, 10, name="someone", instruction="once more")
    assert (entry(tmp_path)["coverage"], entry(tmp_path)["rank"]) == ("full", None)


def test_a_seed_that_failed_technically_once_is_missing_and_has_no_rank(tmp_path: Path) -> None:
    whole_benchmark(tmp_path / "0", "someone")
    whole_benchmark(tmp_path / "1", "someone", seed=1)
    shutil.rmtree(tmp_path / "1" / "someone-rush-easy")
    begun = start("rush", "easy", 10, seed=1, **agent("someone"))
    write_run(tmp_path / "1" / "failed", [begun, seen(None, input=None), end("technical", kind="provider")])
    assert entry(tmp_path)["rank"] is None
    finished(tmp_path / "1" / "again", 10, 10, game="rush", seed=1, name="someone")
    assert entry(tmp_path)["rank"] == 1


def test_a_seed_of_which_every_episode_failed_technically_costs_the_rank(tmp_path: Path) -> None:
    """Who may call a whole seed a technical failure, chooses the good seeds."""
    whole_benchmark(tmp_path / "0", "someone")
    for game, tier in (("rush", "easy"), ("maze", "hard")):
        begun = start(game, tier, 10, seed=1, **agent("someone"))
        write_run(tmp_path / "1" / game, [begun, seen(None, input=None), end("technical", kind="external")])
    found = entry(tmp_path)
    assert (found["seeds"]["count"], found["seeds"]["incomplete"]) == (1, 1)
    assert (found["rank"], found["unranked"]) == (None, ["seeds that do not cover every objective"])
    whole_benchmark(tmp_path / "again", "someone", seed=1)
    assert (entry(tmp_path)["rank"], entry(tmp_path)["seeds"]["incomplete"]) == (1, 0)


def test_a_technical_failure_beside_the_benchmark_costs_no_rank(tmp_path: Path) -> None:
    whole_benchmark(tmp_path, "someone")
    begun = start("maze", "expert", 10, seed=1, **agent("someone"))
    write_run(tmp_path / "failed", [begun, seen(None, input=None), end("technical", kind="provider")])
    assert (entry(tmp_path)["rank"], entry(tmp_path)["seeds"]["incomplete"]) == (1, 0)


def test_more_episodes_beside_the_benchmark_cost_no_rank(tmp_path: Path) -> None:
    whole_benchmark(tmp_path, "someone")
    finished(tmp_path / "expert", 1, 10, tier="expert", seed=1)
    assert (entry(tmp_path)["rank"], entry(tmp_path)["seeds"]["incomplete"]) == (1, 0)


def test_a_person_has_no_rank(tmp_path: Path) -> None:
    whole_benchmark(tmp_path, "anna", **agent("anna", "human"))
    assert (entry(tmp_path)["coverage"], entry(tmp_path)["rank"]) == ("full", None)


def test_an_objective_of_which_every_attempt_failed_is_missing_and_no_zero(tmp_path: Path) -> None:
    finished(tmp_path / "a", 10, 10)
    for number in (1, 2):
        parts = [start(tier="hard", attempt=number), seen(None, input=None), end("technical", kind="provider")]
        write_run(tmp_path / f"attempt-{number}", parts)
    found = entry(tmp_path)
    assert (found["coverage"], found["metrics"]["LC"], len(found["missing"])) == ("partial 1/16", 100.0, 15)
    assert {"game": "maze", "tier": "hard", "technical": 2} in found["missing"]
    assert {"game": "maze", "tier": "medium", "technical": 0} in found["missing"]
    printed = command("score", str(tmp_path))
    assert "someone: missing, every attempt was a technical failure: maze hard (2)" in printed


# --- seeds ------------------------------------------------------------------------------------------------------------


def test_seeds_give_a_mean_and_a_standard_deviation(tmp_path: Path) -> None:
    for seed, count in enumerate((0, 5, 10)):
        finished(tmp_path / str(seed), count, 10, seed=seed)
    seeds = entry(tmp_path)["seeds"]
    assert seeds["count"] == 3
    assert seeds["spread"]["LC"] == {"mean": 50.0, "sd": 50.0}


def test_episodes_of_one_seed_are_told_apart_by_their_order(tmp_path: Path) -> None:
    for name, count in (("a", 0), ("b", 10)):
        finished(tmp_path / name, count, 10)
    assert entry(tmp_path)["seeds"]["count"] == 2


def test_a_seed_that_lacks_an_objective_is_left_out_of_the_spread_and_counted(tmp_path: Path) -> None:
    finished(tmp_path / "a", 10, 10)
    finished(tmp_path / "b", 10, 10, tier="hard")
    finished(tmp_path / "c", 0, 10, seed=1)
    seeds = entry(tmp_path)["seeds"]
    assert (seeds["count"], seeds["incomplete"]) == (1, 1)
    assert seeds["spread"]["OSR"] == {"mean": 100.0, "sd": None}
    assert entry(tmp_path)["metrics"]["OSR"] == 75.0


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    finished(tmp_path / "runs" / "1", 3, 3, name="first")
    finished(tmp_path / "runs" / "2", 1, 3, name="second")
    finished(tmp_path / "runs" / "3", 2, 3, name="second", tier="hard")
    return tmp_path / "runs"


def test_json_holds_everything_and_is_the_same_every_time(lpb_gen: Command, runs: Path) -> None:
    done = lpb_gen("score", "runs", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stdout == command("score", "runs", "--json")
    found = json.loads(done.stdout)
    assert [e["agent"] for e in found["agents"]] == ["first", "second"]
    assert found["bootstrap"]["unit"] == "objectives within games"


@pytest.mark.parametrize(("by", "count"), [("agent", 2), ("objective", 3), ("level", 9), ("bucket", 2)])
def test_csv_has_a_line_for_each(by: str, count: int, runs: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(command("score", "runs", "--csv", "--by", by))))
    assert len(rows) == count
    assert rows[0]["agent"] == "first"
    assert {row["agent"] for row in rows} == {"first", "second"}


def test_csv_leaves_cells_empty_that_are_not_defined(runs: Path) -> None:
    first, second = csv.DictReader(io.StringIO(command("score", "runs", "--csv")))
    assert (float(first["LC"]), first["NGAR"], first["LC_low"], first["effort.usd"]) == (100.0, "", "", "")
    assert float(second["LC_low"]) == pytest.approx(100 / 3)


def test_tables_show_coverage_and_failures(runs: Path) -> None:
    write_run(runs / "4", [start(), seen(None, input=None), end("technical", kind="provider")])
    told = command("score", "runs")
    assert "partial 2/16" in told
    assert "someone/native: not scored, technical: 1 provider" in told
    assert "bootstrap interval, 10,000 draws of objectives within games" in told


@pytest.mark.parametrize("by", VIEWS)
def test_every_view_is_a_table(by: str, runs: Path) -> None:
    told = command("score", "runs", "--by", by)
    assert "second" in told
    assert "Effort" in told


def test_seeds_have_a_table_where_there_are_several(runs: Path) -> None:
    assert "Over seeds" not in command("score", "runs")
    finished(runs / "4", 0, 3, name="first", seed=1)
    assert "50 ± 70.71" in command("score", "runs")


def test_an_agent_s_name_steers_no_terminal(runs: Path) -> None:
    finished(runs / "4", 1, 3, name="[red]\x1b[2Jx")
    assert "[red]\ufffd[2Jx" in command("score", "runs")


def test_two_agents_are_compared_on_what_both_played(runs: Path) -> None:
    found = json.loads(command("score", "runs", "--json", "--compare", "first", "second"))["comparison"]
    assert found["paired"] == 1
    assert found["metrics"]["LC"]["difference"] == pytest.approx(100 * 2 / 3)
    assert "first - second" in command("score", "runs", "--compare", "first", "second")


def test_an_agent_that_is_not_there_is_one_clear_line(lpb_gen: Command, runs: Path) -> None:
    done = lpb_gen("score", "runs", "--compare", "first", "third")
    assert done.returncode == 1
    assert "third: no run is of this agent; use one of first/native, second/native" in done.stderr


def test_json_and_csv_exclude_one_another(lpb_gen: Command, runs: Path) -> None:
    assert lpb_gen("score", "runs", "--json", "--csv").returncode == 2


def test_the_command_names_the_views() -> None:
    assert VIEW_NAMES == VIEWS == tuple(LINES) == tuple(TABLES)


def test_real_runs_are_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    catalogue = levels.write_catalogue(tmp_path / "mine", levels.objectives())
    for name in ("oracle", "greedy"):
        words = ("run", "--snapshot", catalogue.name, "--game", "maze", "--tier", "easy", "--tier", "hard")
        command(*words, "--agent", name, "--surface", "direct", "--screenshots", "none")
    found = {e["agent"]: e for e in json.loads(command("score", "runs", "--json"))["agents"]}
    assert command("score", "runs", "--json", "--snapshot", catalogue.name) == command("score", "runs", "--json")
    assert {name: found["oracle"]["metrics"][name] for name in METRICS} == {
        **dict.fromkeys(METRICS, 100.0),
        "H50": None,
        "PER": 0.0,
        "SMR": 0.0,
        "NGAR": None,
    }
    assert found["greedy"]["metrics"]["PER"] == 100.0
    assert found["greedy"]["metrics"]["LC"] == pytest.approx(100 / 3)
    assert found["greedy"]["failures"]["loop"]["episodes"] == 2
    assert found["greedy"]["failures"]["abandonment"]["episodes"] == 2
    assert not any(kind["count"] for kind in found["oracle"]["failures"].values())
