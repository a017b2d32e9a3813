"""The default tiers of params.yaml, as the pipeline makes them: each is harder than the one before."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise
from statistics import mean, median

import pytest

from lpb_gen.games import GAMES
from lpb_gen.pipeline.level import Level
from lpb_gen.pipeline.new_repository import template_text
from lpb_gen.pipeline.params import Cell
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.pipeline.production import make_levels
from lpb_gen.pipeline.stages import certify, order, propose
from lpb_gen.pipeline.strata import Strata
from lpb_gen.pipeline.tiers import failed_band
from lpb_gen.pipeline.workers import InlineExecutor
from lpb_gen.runners.equating import FEWEST, Play, play_level, scores, standard_error

PARAMS = read_params(template_text("params.yaml"))
TIERS = {game: [cell for cell in PARAMS.cells if cell.game == game] for game in GAMES}
SEVERAL = [game for game, cells in TIERS.items() if len(cells) > 1]
SPREAD = [cell for cell, block in PARAMS.cells.items() if block.count > 1]
HANDFUL = 3
EPOCHS = 3


@cache
def handful(cell: Cell) -> list[Level]:
    """The first levels of the cell's first epoch, one of each kind where it has several."""
    block = PARAMS.cells[cell]
    wanted = replace(order(PARAMS, cell), epoch=1)
    count = max(HANDFUL, len(block.ladder))
    return list(make_levels(wanted, count, InlineExecutor(), patience=block.limit * count))


def test_the_template_has_tiers_to_compare() -> None:
    assert set(SEVERAL) == set(GAMES)


@pytest.mark.slow
@pytest.mark.parametrize("game", SEVERAL)
def test_the_median_optimal_length_rises_from_tier_to_tier(game: str) -> None:
    medians = {}
    for cell in TIERS[game]:
        levels = handful(cell)
        assert [failed_band(level.figures, PARAMS.cells[cell].gate) for level in levels] == [None] * len(levels)
        medians[cell.tier] = median(level.figures["optimal_length"] for level in levels)
    assert all(easier < harder for easier, harder in pairwise(medians.values())), medians


@pytest.mark.slow
def test_nut_tiers_are_deadlier_from_tier_to_tier() -> None:
    shares = [median(level.figures["fatal_border_share"] for level in handful(cell)) for cell in TIERS["nut"]]
    assert all(safer < riskier for safer, riskier in pairwise(shares)), shares


# --- parallel forms ---------------------------------------------------------------------------------------------------


def form(cell: Cell, epoch: int) -> list[Level]:
    """The levels of one refresh."""
    params, pool = replace(PARAMS, cells={cell: replace(PARAMS.cells[cell], epoch=epoch)}), InlineExecutor()
    proposals, tally = propose(params, cell, frozenset(), pool, lambda tally: None)
    levels, total = certify(params, cell, proposals, tally, pool, lambda tally: None)
    assert not total.missed, f"of epoch {epoch}: its spread asks for what its generator makes"
    return levels


def lengths(levels: list[Level]) -> list[int]:
    return [level.certificate.lower for level in levels]


def apart(first: list[Level], second: list[Level]) -> float:
    """The mean optimal lengths, in standard errors."""
    gap = abs(mean(lengths(first)) - mean(lengths(second)))
    return gap / standard_error(lengths(first), lengths(second)) if gap else 0.0


def test_every_default_tier_states_its_form() -> None:
    assert [cell for cell, block in PARAMS.cells.items() if not (block.spread or block.ladder)] == []


def test_refreshes_of_a_tier_differ_by_less_than_a_standard_error() -> None:
    cell = Cell("maze", "easy")
    forms = [form(cell, epoch) for epoch in range(1, EPOCHS + 1)]
    assert len({level.dedup_key for levels in forms for level in levels}) == EPOCHS * 10, "they are independent"
    for levels in forms:
        strata = Strata(PARAMS.cells[cell].targets)
        assert all(strata.take(length) for length in lengths(levels))
    assert max(apart(*pair) for pair in combinations(forms, 2)) < 0.5


ODD = {  # known not to hold: one refresh is odd, and misses in both of its pairs
    Cell("maze", "hard"): "the random player's LC leaves its interval in two of three pairs",
}


@pytest.mark.timeout(1200)  # bolt expert is minutes of work, on a machine that has other work, too
@pytest.mark.slow
@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(
            cell,
            id=str(cell),
            marks=pytest.mark.xfail(raises=AssertionError, strict=True, reason=ODD[cell]) if cell in ODD else (),
        )
        for cell in SPREAD
    ],
)
def test_refreshes_of_a_tier_are_parallel_forms(cell: Cell) -> None:
    """The mean of optimal lengths always; an LC but for the one time in twenty that its interval misses by its law."""
    forms = [form(cell, epoch) for epoch in range(1, EPOCHS + 1)]
    assert max(apart(*pair) for pair in combinations(forms, 2)) < 1
    for agent in ("greedy", "random") if PARAMS.cells[cell].count >= FEWEST else ():
        shares = [{level.id: play_level(Play(level, agent)) for level in levels} for levels in forms]
        held = [scores(*pair).agrees for pair in combinations(shares, 2)]
        assert sum(held) >= len(held) - 1, agent


@pytest.mark.slow
@pytest.mark.parametrize("cell", ODD, ids=str)
def test_means_agree_also_where_an_lc_is_odd(cell: Cell) -> None:
    forms = [form(cell, epoch) for epoch in range(1, EPOCHS + 1)]
    assert max(apart(*pair) for pair in combinations(forms, 2)) < 1
