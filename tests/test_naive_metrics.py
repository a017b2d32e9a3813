"""Everything that ``score`` says of messy runs is what the plain definitions give: two computations, one answer."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import messy_runs
import naive_metrics
import pytest
from records import command

NEVER_JUDGED = ("bolt", "color")  # no solver knows their distances
SUMS = ("attempts", "moves", "undos", "invalid", "revisits", *naive_metrics.LOSSES)


def close(value: float | None, exact: Fraction | None) -> bool:
    if value is None or exact is None:
        return value is exact
    return value == pytest.approx(float(exact), abs=1e-6)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))])
def test_the_score_of_real_runs_is_what_the_definitions_give(seed: int, tmp_path: Path) -> None:
    runs = messy_runs.runs(tmp_path, seed)
    found = json.loads(command("score", str(tmp_path), "--moves", "--json"))["agents"]
    compare_metrics(found, runs)
    for entry in found:
        for objective in entry["objectives"]:
            compare_moves(objective, runs[entry["agent"], entry["setting"]])


@pytest.mark.parametrize("seed", range(20))
def test_the_score_of_any_records_is_what_the_definitions_give(seed: int, tmp_path: Path) -> None:
    runs = messy_runs.invented(tmp_path, seed)
    compare_metrics(json.loads(command("score", str(tmp_path), "--json"))["agents"], runs)


def compare_metrics(entries: list[dict[str, Any]], runs: dict[tuple[str, str], list[Any]]) -> None:
    assert {(entry["agent"], entry["setting"]) for entry in entries} == set(runs)
    for entry in entries:
        plain = naive_metrics.metrics(runs[entry["agent"], entry["setting"]])
        found, horizon = dict(entry["metrics"]), plain.pop("H50")
        assert found.pop("H50") == (10 if horizon == "10+" else horizon)
        for name, value in found.items():
            assert close(value, plain[name]), (entry["agent"], entry["setting"], name, value, plain[name])


def compare_moves(objective: dict[str, Any], runs: list[Any]) -> None:
    game, tier = objective["game"], objective["tier"]
    scored = [run for run in runs if naive_metrics.is_scored(run) and naive_metrics.objective_of(run) == (game, tier)]
    for index, level in enumerate(objective["by_level"]):
        parts = [naive_metrics.moves_of(run, messy_runs.graphs())[index] for run in scored]
        if not parts:
            assert level["moves"] is None
            continue
        here, plain = level["moves"], {name: sum(part[name] for part in parts) for name in parts[0]}
        compared = list(SUMS if game != "color" else SUMS[:5])
        compared += ["productive", "zero_progress"] if game == "maze" else []
        compared += ["regret", "optimal"] if game not in NEVER_JUDGED else []
        for name in compared:
            assert here[name] == plain[name], (game, tier, index, name, here, plain)
        if game != "color":
            assert sum(here["delays"]) == plain["delays"]
            assert max(here["delays"], default=0) == max(part["longest"] for part in parts)
