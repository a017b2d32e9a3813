"""Gates on Rush Hour's figures: in params.yaml, and as ``--where`` writes them."""

from __future__ import annotations

from typing import Any

import naive_rush
import pytest

from lpb_gen.generators import rush
from lpb_gen.pipeline.level import Level
from lpb_gen.pipeline.params import Cell
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.pipeline.production import Miss, Order, Proposal, certify, certify_cell, propose_cell
from lpb_gen.pipeline.tiers import failed_band, figure, read_gate, read_where
from lpb_gen.pipeline.workers import InlineExecutor
from lpb_gen.verifiers import rush as verifier

SIXTEEN = "BBCCDEFoGGDEFHIAAEoHIJJJooIoooKKoooo"  # card 16 of the classic set
PARAMS = """\
seed: 5
parent: null
toolchain: {}
fresh: []
cells:
  rush:
    easy:
      epoch: 1
      count: 2
      reserve: 6
      limit: 100
      params: {length: [6, 9]}
      gate: {optimal_length: [6, 9], optimal_steps: [11, 16], greedy_outcome.result: loops}
"""


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    board = naive_rush.board(SIXTEEN)
    return dict(verifier.verify(board, rush.solve(board))[1])


@pytest.mark.parametrize(
    "name",
    [
        "optimal_length",
        "optimal_steps",
        "reachable_states",
        "dead_state_share",
        "fatal_move_share",
        "random_survival",
        "greedy_outcome.moves",
    ],
)
def test_a_band_on_any_number_admits_it_and_no_other(figures: dict[str, Any], name: str) -> None:
    value = figure(figures, name)
    for gate in (read_gate({name: value}, where="params.yaml"), read_where((f"{name}={value}",))):
        assert failed_band(figures, gate) is None
    for gate in (
        read_gate({name: [value + 1, value + 9]}, where="params.yaml"),
        read_where((f"{name}={value + 1}..",)),
    ):
        assert failed_band(figures, gate) == name


def test_a_band_on_a_word_admits_it_and_no_other(figures: dict[str, Any]) -> None:
    assert failed_band(figures, read_where(("greedy_outcome.result=loops",))) is None
    assert failed_band(figures, read_gate({"greedy_outcome.result": "solves"}, where="")) == "greedy_outcome.result"


@pytest.mark.parametrize("name", ["trap_latency.max", "trap_latency.mean", "deception"])
def test_what_has_no_meaning_passes_no_gate(figures: dict[str, Any], name: str) -> None:
    assert failed_band(figures, read_where((f"{name}=0..",))) == name


def test_a_cell_of_params_yaml_takes_only_levels_within_its_gate() -> None:
    block = read_params(PARAMS).cells[Cell("rush", "easy")]
    order = Order("rush", "easy", block.params, block.gate, seed=5, epoch=block.epoch)
    proposals, _ = propose_cell(order, block.count + block.reserve, InlineExecutor(), limit=block.limit)
    levels, tally = certify_cell(order, proposals, InlineExecutor())
    assert levels
    assert all(11 <= level.figures["optimal_steps"] <= 16 for level in levels)
    assert {level.figures["greedy_outcome"]["result"] for level in levels} == {"loops"}
    open_order = Order("rush", "easy", block.params, {}, seed=5, epoch=block.epoch)
    everything = [certify(open_order, proposal) for proposal in proposals]
    passing = [
        level for level in everything if isinstance(level, Level) and failed_band(level.figures, block.gate) is None
    ]
    assert [level.id for level in passing] == [level.id for level in levels]
    assert len(everything) - len(levels) == sum(tally.rejected.values())


def test_a_level_that_misses_in_unit_steps_is_named() -> None:
    board = naive_rush.board(SIXTEEN)
    proposal = Proposal(0, {"rows": list(board.rows)}, rush.solve(board), "")
    order = Order("rush", "hard", {}, read_where(("optimal_steps=42..",)), 0, 0)
    missed = certify(order, proposal)
    assert isinstance(missed, Miss)
    assert "optimal_steps" in missed.reason
