"""The default tiers of params.yaml, as the pipeline makes them: each is harder than the one before."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from statistics import median

import pytest

from lpb_gen.games import GAMES
from lpb_gen.pipeline.level import Level
from lpb_gen.pipeline.new_repository import template_text
from lpb_gen.pipeline.params import Cell
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.pipeline.production import make_levels
from lpb_gen.pipeline.stages import order
from lpb_gen.pipeline.tiers import failed_band
from lpb_gen.pipeline.workers import InlineExecutor

PARAMS = read_params(template_text("params.yaml"))
TIERS = {game: [cell for cell in PARAMS.cells if cell.game == game] for game in GAMES}
SEVERAL = [game for game, cells in TIERS.items() if len(cells) > 1]
HANDFUL = 3


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
