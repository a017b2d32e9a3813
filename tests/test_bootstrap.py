"""Bootstrap intervals: what is drawn, and that the intervals are what theory says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpb_gen.runners.bootstrap import differences, intervals, weights
from lpb_gen.runners.paper_metrics import BENCHMARK, METRICS, Pooled, Row, figures, pooled

OBJECTIVES = [(game, tier) for game, tiers in BENCHMARK.items() for tier in tiers]


def rows(won: dict[tuple[str, str], int], **values: Any) -> list[Pooled]:
    return pooled(
        Row(agent="a", setting="native", game=game, tier=tier, levels=10, won=n, potential=n, ready=10, **values)
        for (game, tier), n in won.items()
    )


MIXED = rows({objective: n % 11 for n, objective in enumerate(OBJECTIVES)})


def test_each_game_keeps_its_number_of_objectives_in_every_draw() -> None:
    drawn = weights(MIXED)
    assert drawn.shape == (10_000, 16)
    for game, tiers in BENCHMARK.items():
        own = [i for i, o in enumerate(MIXED) if o.game == game]
        assert set(drawn[:, own].sum(axis=1)) == {float(len(tiers))}


def test_every_objective_is_drawn_as_often_as_any_other() -> None:
    assert np.allclose(weights(MIXED).mean(axis=0), 1, atol=0.05)


def test_the_interval_of_a_mean_has_the_width_that_theory_gives() -> None:
    """Two objectives at 0 and 100 in one game: the mean of two draws is 0, 50, 100 with chances 1/4, 1/2, 1/4."""
    assert intervals(rows({("bolt", "easy"): 0, ("bolt", "hard"): 10}))["LC"] == [0.0, 100.0]
    tiers = BENCHMARK["nut"]
    found = intervals(rows({("nut", tier): 10 * (tier == "hard") for tier in tiers}))["LC"]
    # the hard one is drawn Binomial(5, 1/5) times: P(0) = .33, P(<= 2) = .94, P(<= 3) = .993
    assert found == [0.0, 60.0]
    # Binomial(3, 1/3): P(<= 2) = .963, so that 95 % on one side would end at two of three
    assert intervals(rows({("maze", "easy"): 10, ("maze", "medium"): 0, ("maze", "hard"): 0}))["LC"] == [0.0, 100.0]


def test_equal_objectives_have_an_interval_without_width() -> None:
    assert intervals(rows(dict.fromkeys(OBJECTIVES, 10)))["OSR"] == [100.0, 100.0]


def test_one_objective_a_game_says_nothing_of_its_spread() -> None:
    assert intervals(rows({("maze", "easy"): 3, ("truck", "default"): 5})) == dict.fromkeys(METRICS)


def test_lc_hard_draws_among_hard_objectives() -> None:
    found = intervals(rows({("maze", "easy"): 10, ("maze", "hard"): 4}))
    assert found["LC_hard"] is None  # there is but one
    found = intervals(rows({("maze", "easy"): 10, ("maze", "medium"): 2, ("maze", "hard"): 4}))
    assert found["LC_hard"] == [20.0, 40.0]


def test_the_same_rows_give_the_same_intervals() -> None:
    assert intervals(MIXED) == intervals(list(MIXED))


@given(st.dictionaries(st.sampled_from(OBJECTIVES), st.integers(0, 10), min_size=1))
def test_an_interval_holds_its_figure(won: dict[tuple[str, str], int]) -> None:
    objectives = rows(won)
    found, ends = figures(objectives), intervals(objectives)
    for name in ("OSR", "LC", "FGP", "LPR", "LC_hard"):
        value, interval = found[name], ends[name]
        assert interval is None or value is None or interval[0] - 1e-9 <= value <= interval[1] + 1e-9


def test_a_pair_that_differs_by_the_same_everywhere_differs_for_certain() -> None:
    """Paired draws: what both have in common cancels out, however much it varies."""
    better = rows({objective: n % 10 + 1 for n, objective in enumerate(OBJECTIVES)})
    worse = rows({objective: n % 10 for n, objective in enumerate(OBJECTIVES)})
    found = differences(better, worse)["LC"]
    assert found["difference"] == pytest.approx(10)
    assert found["interval"] == pytest.approx([10, 10])
    assert found["first_ahead"] == 1.0


def test_an_agent_does_not_differ_from_itself() -> None:
    for found in differences(MIXED, MIXED).values():
        assert found["difference"] in (0.0, None)
        assert found["interval"] in ([0.0, 0.0], None)


def test_only_the_same_objectives_are_compared() -> None:
    with pytest.raises(ValueError, match="not the same objectives"):
        differences(MIXED, MIXED[:-1])
