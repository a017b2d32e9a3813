"""What episodes cost, level by level; means and deviations over seeds; levels by difficulty."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import end, events, finished, seen, start, step, won, write_run

from lpb_gen.runners import leaderboard
from lpb_gen.runners.effort import COUNTED, EFFORT, Effort
from lpb_gen.runners.played import find_runs, read_run, read_runs
from lpb_gen.runners.spread import bucket_of, buckets, mean_and_sd


def measured(*parts: Any, seconds: list[float] | None = None) -> Effort:
    effort = Effort()
    for event in events([start(), seen(None, input=None), *parts, end()], seconds):
        effort.add(event)
    return effort


def test_steps_and_inputs_go_to_the_level_that_is_open() -> None:
    effort = measured(step(), seen(0), step(), seen(0), step(), won(0), step(), seen(1))
    assert [level["steps"] for level in effort.levels()] == [3, 0, 0]
    assert [level["inputs"] for level in effort.levels()] == [2 + 1, 0, 0]
    assert (effort.whole()["steps"], effort.whole()["inputs"]) == (4, 4)


def test_seconds_go_to_the_level_that_was_open_meanwhile() -> None:
    times = [0.0, 0.5, 2.0, 2.5, 7.5, 8.0, 8.5]
    effort = measured(seen(0), step(), seen(1), seen(None), seconds=times)
    assert [level["seconds"] for level in effort.levels()] == [5.5, 0.5, 0.0]
    assert effort.whole()["seconds"] == 8.5


def test_what_a_model_says_of_its_calls_is_added_up() -> None:
    usage = {"calls": 1, "input_tokens": 100, "cached_tokens": 60, "output_tokens": 7, "usd": 0.5}
    effort = measured(step(usage=usage), seen(0), step(usage=usage), step(usage={"calls": 2}))
    assert {name: effort.whole()[name] for name in EFFORT if name not in COUNTED} == {
        "model_calls": 4,
        "input_tokens": 200,
        "cached_tokens": 120,
        "output_tokens": 14,
        "usd": 1.0,
    }
    assert (effort.levels()[0]["model_calls"], effort.levels()[0]["usd"]) == (3, 0.5)
    assert effort.levels()[1]["model_calls"] is None


def test_what_nobody_logged_is_unknown_and_not_zero() -> None:
    assert {measured(step()).whole()[name] for name in EFFORT if name not in COUNTED} == {None}


@pytest.mark.parametrize("amount", [-1, True, "1", 1e400, [1]], ids=repr)
def test_an_amount_that_is_none_makes_a_failure_of_logging(amount: Any, tmp_path: Path) -> None:
    parts = [start(), seen(None, input=None), step(usage={"usd": amount}), end()]
    episode = read_run(write_run(tmp_path / "run", parts))
    assert episode.row is None
    assert episode.result["failure"]["kind"] == "logging"


@given(st.lists(st.tuples(st.sampled_from([None, 0, 1, 2]), st.floats(0, 100))))
def test_no_level_costs_more_than_the_episode(visits: list[tuple[int | None, float]]) -> None:
    times = [0.0, 0.0]
    for _, seconds in visits:
        times.append(times[-1] + seconds)
    effort = measured(*(seen(level) for level, _ in visits), seconds=[*times, times[-1]])
    for name in COUNTED:
        levels = [level[name] or 0 for level in effort.levels()]
        assert sum(levels) <= (effort.whole()[name] or 0) + 1e-6
    assert effort.whole()["inputs"] == len(visits)


# --- means, deviations, difficulty ------------------------------------------------------------------------------------


def test_a_mean_needs_every_value_and_a_deviation_two() -> None:
    assert mean_and_sd([1.0, 3.0]) == {"mean": 2.0, "sd": pytest.approx(2**0.5)}
    assert mean_and_sd([1.0]) == {"mean": 1.0, "sd": None}
    assert mean_and_sd([1.0, None]) == mean_and_sd([]) == {"mean": None, "sd": None}


@pytest.mark.parametrize(
    ("length", "band"),
    [(1, "1-9"), (9, "1-9"), (10, "10-19"), (39, "20-39"), (40, "40+"), (999, "40+"), (None, "unproven")],
)
def test_a_level_is_in_the_bucket_of_its_proven_minimum(length: int | None, band: str) -> None:
    assert bucket_of(length) == band


def long_levels(*lengths: int) -> list[Any]:
    return [{"id": f"level-{n}", "optimal_length": n} for n in lengths]


def test_buckets_hold_the_levels_of_all_tiers_of_a_game_and_spread_over_seeds(tmp_path: Path) -> None:
    for seed, last in enumerate((1, 2)):
        parts = [seen(0), *(won(*range(n + 1)) for n in range(last)), end()]
        begin = start(levels=long_levels(5, 7, 30), seed=seed)
        write_run(tmp_path / str(seed), [begin, seen(None, input=None), *parts])
    short, long = buckets(read_runs(find_runs([str(tmp_path)])))
    assert (short["game"], short["bucket"], short["levels"], short["seeds"]) == ("maze", "1-9", 2, 2)
    assert short["spread"]["LC"] == {"mean": 75.0, "sd": pytest.approx(50 / 2**0.5)}
    # five moves where five and seven are the least: 1 for the first seed, (1 + 5/7) / 2 for the second
    assert short["spread"]["moves_ratio"]["mean"] == pytest.approx((1 + (1 + 5 / 7) / 2) / 2)
    assert (long["bucket"], long["spread"]["LC"]["mean"]) == ("20-39", 0.0)


def test_a_seed_that_played_fewer_levels_is_left_out_of_a_bucket_and_counted(tmp_path: Path) -> None:
    finished(tmp_path / "a", 3, 3)
    finished(tmp_path / "b", 3, 3, tier="hard")
    finished(tmp_path / "c", 0, 3, seed=1)
    [bucket] = buckets(read_runs(find_runs([str(tmp_path)])))
    assert (bucket["levels"], bucket["seeds"], bucket["incomplete"]) == (6, 1, 1)
    assert bucket["spread"]["LC"] == {"mean": 100.0, "sd": None}


def test_an_agent_has_sums_and_an_objective_means_over_its_episodes(tmp_path: Path) -> None:
    for seed, steps in enumerate((1, 3)):
        write_run(tmp_path / str(seed), [start(seed=seed), seen(None, input=None), *[step()] * steps, end()])
    write_run(tmp_path / "failed", [start(), seen(None, input=None), step(), end("technical", kind="browser")])
    [entry] = leaderboard.score(read_runs(find_runs([str(tmp_path)])))["agents"]
    assert (entry["effort"]["steps"], entry["effort"]["usd"]) == (4, None)
    assert entry["objectives"][0]["effort"]["steps"] == {"mean": 2, "sd": pytest.approx(2**0.5)}
    assert entry["objectives"][0]["by_level"][0]["effort"]["inputs"] == {"mean": 0, "sd": 0}
