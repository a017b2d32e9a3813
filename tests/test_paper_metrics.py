"""The paper's metrics: the published table from its episodes, every figure; rows by hand; what holds of any rows."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpb_gen.runners.paper_metrics import (
    BENCHMARK,
    METRICS,
    Row,
    coverage_label,
    covered,
    figures,
    pooled,
    printed,
)

KNOWN = Path(__file__).parent / "known_values"


def table(name: str) -> list[dict[str, str]]:
    with open(KNOWN / name, newline="") as file:
        return list(csv.DictReader(file))


def paper_row(outcome: dict[str, str]) -> Row:
    levels = int(outcome["levels"])
    return Row(
        agent=outcome["agent"],
        setting=outcome["setting"],
        game=outcome["game"],
        tier=outcome["tier"],
        levels=levels,
        won=round(float(outcome["lc"]) * levels / 100),
        potential=float(outcome["fgp"]) * levels / 100,
        exited=outcome["premature_exit"] == "1",
        mismatched=outcome["setting_mismatch"] == "1",
    )


OUTCOMES = table("paper_outcomes.csv")
PUBLISHED = table("paper_table2.csv")


def episodes(line: dict[str, str]) -> list[dict[str, str]]:
    return [o for o in OUTCOMES if (o["agent"], o["setting"]) == (line["agent"], line["setting"])]


# --- the published table ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", PUBLISHED, ids=lambda line: f"{line['agent']} {line['setting']}")
def test_the_published_line_comes_out_to_the_printed_decimal(line: dict[str, str]) -> None:
    rows = [paper_row(outcome) for outcome in episodes(line)]
    found = figures(pooled(rows))
    ours = {name.lower(): printed(name, found[name]) for name in METRICS}
    assert {key: ours[key] for key in ("osr", "lc", "fgp", "h50", "lc_hard", "per")} == {
        key: line[key] for key in ("osr", "lc", "fgp", "h50", "lc_hard", "per")
    }
    assert len(rows) == len(covered(rows)) == 16


def test_the_published_episodes_are_whole() -> None:
    assert len(PUBLISHED) == 24
    assert len(OUTCOMES) == 24 * 16
    assert all((outcome["solved"] == "1") == (outcome["lc"] == "100.0") for outcome in OUTCOMES)


@pytest.mark.parametrize(
    "line", [line for line in PUBLISHED if line["ngar"]], ids=lambda line: f"{line['agent']} {line['setting']}"
)
def test_ngar_comes_out_of_the_step_counts_and_lies_between_those_of_the_episodes(line: dict[str, str]) -> None:
    """The episodes tell their own NGAR, but not their steps, which the pooled figure weighs them by: from the episodes
    alone it cannot be computed, only bounded. The table has the sums of the steps, and from those it follows."""
    first, *rest = (paper_row(outcome) for outcome in episodes(line))
    first = replace(first, native_steps=int(line["native_steps"]), other_steps=int(line["other_steps"]))
    rows = [first, *(replace(row, native_steps=0, other_steps=0) for row in rest)]
    assert printed("NGAR", figures(pooled(rows))["NGAR"]) == line["ngar"]
    shares = [float(outcome["ngar"]) for outcome in episodes(line)]
    assert min(shares) <= float(line["ngar"]) <= max(shares)


def test_the_mean_of_the_episodes_ngar_is_another_figure() -> None:
    means = {}
    for line in PUBLISHED:
        if line["ngar"]:
            shares = [float(outcome["ngar"]) for outcome in episodes(line)]
            means[line["agent"]] = f"{sum(shares) / len(shares):.1f}" == line["ngar"]
    assert not any(means.values())


def test_native_episodes_have_no_ngar() -> None:
    assert all(not outcome["ngar"] for outcome in OUTCOMES if outcome["setting"] == "native")
    assert all(outcome["ngar"] for outcome in OUTCOMES if outcome["setting"] == "code")


# --- by hand ----------------------------------------------------------------------------------------------------------


def row(game: str = "maze", tier: str = "easy", **values: Any) -> Row:
    return Row(
        **{"agent": "a", "setting": "native", "game": game, "tier": tier, "levels": 10, "won": 0, "potential": 0.0}
        | values
    )


def of(*rows: Row) -> dict[str, float | None]:
    return figures(pooled(rows))


def test_games_weigh_the_same_however_many_objectives_and_episodes_they_have() -> None:
    mazes = [row(tier=tier, won=10, potential=10.0) for tier in ("easy", "easy", "medium", "hard")]
    assert of(*mazes, row("truck", "default", levels=5))["LC"] == 50.0


def test_the_episodes_of_an_objective_are_averaged_first() -> None:
    rows = [row(won=10), *[row()] * 3, row(tier="hard", won=10)]
    assert of(*rows)["OSR"] == (25 + 100) / 2


def test_lc_hard_leaves_out_the_easiest_tier_and_games_with_one() -> None:
    rows = [row(won=10), row(tier="hard", won=4), row("truck", "default", levels=5, won=5)]
    assert of(*rows)["LC_hard"] == 40.0
    assert of(row(won=10), row("truck", "default", levels=5, won=5))["LC_hard"] is None


def test_lpr_divides_what_was_won_by_what_was_reached() -> None:
    assert of(row(won=2, ready=3), row(won=0, ready=1))["LPR"] == 50.0


def test_lpr_is_undefined_where_nothing_was_reached() -> None:
    assert of(row(won=2, ready=2), row(tier="hard", ready=0))["LPR"] is None
    assert of(row(won=2, ready=2), row(won=2, ready=None))["LPR"] is None


def test_h50_is_the_most_levels_that_half_the_episodes_win() -> None:
    assert of(row(won=7), row(tier="hard", won=3))["H50"] == 7
    assert of(row(won=7), row(tier="medium", won=5), row(tier="hard", won=3))["H50"] == 5
    assert printed("H50", of(row(won=10), row(won=3))["H50"]) == "10+"
    assert of(row("truck", "default", levels=5, won=5))["H50"] is None


def test_h50_averages_over_objectives_and_not_over_episodes() -> None:
    assert of(row(won=8), *[row(tier="hard", won=2)] * 9)["H50"] == 8


def test_per_and_smr_are_pooled_over_episodes() -> None:
    rows = [row(exited=True, mismatched=True), row(), row(), row(tier="hard", exited=True)]
    assert (of(*rows)["PER"], of(*rows)["SMR"]) == (50.0, 25.0)


def test_ngar_is_pooled_over_steps_and_unknown_where_an_episode_does_not_tell() -> None:
    one = row(native_steps=90, other_steps=10)
    assert of(one, row(tier="hard", native_steps=0, other_steps=100))["NGAR"] == 45.0
    assert of(one, row(tier="hard"))["NGAR"] is None


def test_rows_of_other_objectives_enter_no_figure() -> None:
    assert of(row(won=10), row(tier="expert")) == of(row(won=10))
    assert covered([row(), row(tier="expert"), row("chess")]) == {("maze", "easy")}


def test_nothing_gives_nothing() -> None:
    assert of() == dict.fromkeys(METRICS)


def test_part_of_the_objectives_is_called_so() -> None:
    assert (coverage_label(16), coverage_label(3)) == ("full", "partial 3/16")


# --- of any rows ------------------------------------------------------------------------------------------------------

OBJECTIVES = [(game, tier) for game, tiers in BENCHMARK.items() for tier in tiers]


@st.composite
def any_rows(draw: st.DrawFn) -> list[Row]:
    return list(_drawn(draw))


def _drawn(draw: st.DrawFn) -> Iterator[Row]:
    for game, tier in draw(st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=12)):
        levels = draw(st.sampled_from([1, 3, 10]))
        won = draw(st.integers(0, levels))
        ready = draw(st.integers(max(1, won), levels))
        potential = won + draw(st.floats(0, 1)) * (levels - won)
        steps = {"native_steps": draw(st.integers(0, 9)), "other_steps": draw(st.integers(0, 9))}
        exited = won < levels and draw(st.booleans())
        mismatched = draw(st.booleans())
        yield row(
            game,
            tier,
            levels=levels,
            won=won,
            ready=ready,
            potential=potential,
            exited=exited,
            mismatched=mismatched,
            **steps,
        )


@given(any_rows())
def test_every_figure_lies_in_its_bounds(rows: list[Row]) -> None:
    found = of(*rows)
    for name, value in found.items():
        assert value is None or 0 <= value <= (10 if name == "H50" else 100 + 1e-9)
    osr, lc, fgp = (found[name] or 0.0 for name in ("OSR", "LC", "FGP"))
    assert osr <= lc + 1e-9 <= fgp + 2e-9
    assert found["LPR"] is not None


@given(any_rows(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_says_nothing(rows: list[Row], random: Any) -> None:
    shuffled = random.sample(rows, len(rows))
    assert of(*shuffled) == pytest.approx(of(*rows))


@given(any_rows(), st.integers(2, 3))
def test_every_episode_repeated_changes_nothing(rows: list[Row], times: int) -> None:
    assert of(*rows * times) == pytest.approx(of(*rows))


@given(any_rows(), st.data())
def test_winning_one_more_level_lowers_nothing(rows: list[Row], data: st.DataObject) -> None:
    better = [i for i, r in enumerate(rows) if r.won < r.levels]
    if not better:
        return
    i = data.draw(st.sampled_from(better))
    r = rows[i]
    won = replace(r, won=r.won + 1, potential=max(r.potential, r.won + 1), ready=max(r.ready or 0, r.won + 1))
    before, after = of(*rows), of(*rows[:i], won, *rows[i + 1 :])
    for name in ("OSR", "LC", "FGP", "H50", "LC_hard"):
        was, now = before[name], after[name]
        assert (was is None) == (now is None)
        assert was is None or now is None or now >= was - 1e-9


@given(any_rows())
def test_the_macro_mean_is_that_of_the_games_alone(rows: list[Row]) -> None:
    games = dict.fromkeys(r.game for r in rows)
    alone = [of(*(r for r in rows if r.game == game))["LC"] for game in games]
    assert of(*rows)["LC"] == pytest.approx(sum(value or 0.0 for value in alone) / len(alone))
