"""Requests that no level can meet are refused before any work; of others the search says how near it came."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from small_levels import SMALL

from lpb_gen.generators import GENERATORS
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.stream import Stream
from lpb_gen.pipeline.new_repository import template_text
from lpb_gen.pipeline.params import Cell
from lpb_gen.pipeline.params_file import BrokenParams, read_params
from lpb_gen.pipeline.production import Exhausted, Order, Tally, make_levels
from lpb_gen.pipeline.reach import OutOfReach, require_reachable
from lpb_gen.pipeline.stages import check_generator
from lpb_gen.pipeline.tiers import all_figures, figure, read_where
from lpb_gen.pipeline.workers import InlineExecutor
from lpb_gen.verifiers import VERIFIERS

PARAMS = read_params(template_text("params.yaml"))


@pytest.mark.parametrize(
    ("game", "block", "where", "says"),
    [
        (
            "color",
            {"size": [15, 15], "pairs": [15, 16], "length": [500, 500]},
            "optimal_length=500",
            "color: no color level of these parameters can have optimal_length=500: 15 lines or more take two "
            "clicks each, and all lines no more than there are cells, 225; ask for 30..225",
        ),
        ("color", {"size": [5, 9], "square": True, "pairs": 4}, "min_clicks=26..", "than there are cells, 25; "),
        ("color", {"size": [5, 5], "pairs": 4}, "pairs=5", "the generator's pairs is 4; ask for 4"),
        ("bolt", {"screws": [9, 10], "boards": 4, "size": [6, 6]}, "optimal_length=..8", "all screws move, 9 or more"),
        ("bolt", {"screws": [9, 10], "boards": 4, "size": [6, 6]}, "optimal_length=51", "ask for 9..50"),
        ("maze", {"length": [7, 12]}, "optimal_length=13..", "the generator's length is 7 to 12; ask for 7..12"),
        ("maze", {"length": [7, 12]}, "optimal_length=..0", "it is never below 1; ask for 1.."),
        ("rush", {"length": [7, 12]}, "optimal_length=500", "the generator's length is 7 to 12; ask for 7..12"),
        ("nut", {"colours": 3}, "fatal_move_share=1.5..", "it is a share, from 0 to 1; ask for 0..1"),
        ("truck", {"vehicles": [20, 30]}, "depth=31", "of 30 vehicles 1 or more are free and wait for none"),
        ("truck", {"vehicles": [20, 30], "free": [4, 5]}, "bait=27", "of 30 vehicles 4 or more are free"),
        ("truck", {"vehicles": [20, 30]}, "optimal_length=19", "there are 20 to 30 vehicles, and each departs once"),
    ],
)
def test_what_a_count_shows_to_be_impossible_is_refused(
    game: str, block: Mapping[str, Any], where: str, says: str
) -> None:
    with pytest.raises(OutOfReach) as caught:
        require_reachable(game, [block], read_where((where,), game))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("game", "block", "where"),
    [
        ("color", {"size": [5, 9], "square": True, "pairs": 4}, "min_clicks=25"),
        ("color", {"size": [[5, 9], [3, 3]], "square": True, "pairs": 4}, "min_clicks=81"),  # columns are the rows
        ("bolt", {"screws": [9, 10], "boards": 4, "size": [6, 6]}, "optimal_length=9"),
        ("maze", {"length": [7, 12]}, "optimal_length=12..99"),
        ("truck", {"vehicles": [20, 30]}, "depth=30"),
        ("truck", {"vehicles": [10, 40], "depth": [20, 20]}, "depth=10"),  # a lot of ten draws no more than ten
        ("nut", {"colours": 3}, "fatal_move_share=1,greedy_outcome.result=loops"),
    ],
)
def test_what_may_be_is_looked_for(game: str, block: Mapping[str, Any], where: str) -> None:
    require_reachable(game, [block], read_where((where,), game))


@pytest.mark.parametrize(
    ("game", "where"),
    [
        ("bolt", "optimal_length=2"),  # two screws in one board
        ("color", "optimal_length=2"),
        ("color", "optimal_length=12,pairs=6"),  # six straight lines; 4 by 4 cells have room for five
        ("truck", "optimal_length=1..,bait=10.."),
        ("truck", "optimal_length=20..,depth=24..,free=3.."),
        ("truck", "optimal_length=20..30,free=..25,bait=..50"),
        ("truck", "free=..60,bait=..30"),
    ],
)
def test_a_wish_gets_parameters_that_can_meet_it(game: str, where: str) -> None:
    gate = read_where((where,), game)
    wish = {name: (band.low, band.high) for name, band in gate.items()}
    require_reachable(game, [GENERATORS[game].ask(wish)], gate)


def test_a_small_length_that_is_not_refused_is_found() -> None:
    gate = read_where(("optimal_length=2",), "bolt")
    order = Order("bolt", "", GENERATORS["bolt"].ask({"optimal_length": (2, 2)}), gate, 0, 0)
    (level,) = make_levels(order, 1, InlineExecutor(), patience=200)
    assert level.certificate.lower == 2


def test_a_wish_of_a_truck_lot_that_needs_more_vehicles_is_found() -> None:
    gate = read_where(("optimal_length=2..,bait=8..",), "truck")
    wish = {name: (band.low, band.high) for name, band in gate.items()}
    (level,) = make_levels(
        Order("truck", "", GENERATORS["truck"].ask(wish), gate, 0, 0), 1, InlineExecutor(), patience=200
    )
    assert level.certificate.lower >= 9  # one is free


def test_of_several_kinds_of_levels_one_that_can_is_enough() -> None:
    kinds = [{"vehicles": 10}, {"vehicles": 20}]
    require_reachable("truck", kinds, read_where(("optimal_length=20..25",)))
    with pytest.raises(
        OutOfReach, match=r"no truck level of these parameters can have optimal_length=21\.\.25: .*; ask for 10\.\.20"
    ):
        require_reachable("truck", kinds, read_where(("optimal_length=21..25",)))


@pytest.mark.parametrize("cell", PARAMS.cells, ids=str)
def test_the_default_tiers_are_within_reach(cell: Cell) -> None:
    check_generator(template_text("params.yaml"), cell, PARAMS.cells[cell])


def test_a_gate_of_params_yaml_that_nothing_can_pass_is_told_with_its_line() -> None:
    text = template_text("params.yaml").replace("gate: {optimal_length: [40, 60]}", "gate: {optimal_length: [70, 80]}")
    cell = Cell("maze", "expert")
    line = next(number for number, row in enumerate(text.splitlines(), 1) if "[70, 80]" in row)
    with pytest.raises(BrokenParams) as caught:
        check_generator(text, cell, replace(PARAMS.cells[cell], gate=read_where(("optimal_length=70..80",))))
    says = "no maze level of these parameters can have optimal_length=70..80: the generator's length is 40 to 60"
    assert str(caught.value) == f"params.yaml:{line}: cells.maze.expert.gate: {says}; ask for 40..60"


@pytest.mark.parametrize("game", GENERATORS)
def test_no_level_lies_outside_the_bounds_of_its_parameters(game: str) -> None:
    generator, found = GENERATORS[game], 0
    params = generator.params(SMALL[game])
    bounds = generator.bounds(params)
    assert bounds
    for index in range(20):
        candidate = generator.generate(params, Stream((5, 5), (0, index)))
        if isinstance(candidate, Candidate) and found < 3:
            found += 1
            _, figures = VERIFIERS[game].verify(candidate.board, candidate.claim)
            for bound in bounds:
                assert bound.low <= figures[bound.figure] <= bound.high, bound
            for name in all_figures(game):  # what holds in every game holds here
                value = figure(figures, name)
                if isinstance(value, int | float):
                    require_reachable(game, [SMALL[game]], read_where((f"{name}={value!r}",), game))
    assert found


# --- what the search says ---------------------------------------------------------------------------------------------


def test_what_came_nearest_to_each_band_that_nothing_met_is_told() -> None:
    gate = read_where(("optimal_length=5..9,depth=60,free=2..",), "truck")
    tally = Tally(candidates=3, rejected={"missed": 3})
    tally.met(9, gate["optimal_length"])
    for depth in (41, 55, 50):
        tally.met_figures({"depth": depth, "free": 3, "bait": 7}, gate)
    assert tally.near(gate) == "the nearest depth found was 55"
    assert "; the nearest depth found was 55; widen" in str(tally.shortfall(0, 1, gate))
    more = Tally()
    more.merge(tally, gate)
    assert more.closest == {"depth": 55, "free": 3}
    assert "closest" not in json.dumps(tally.to_json()), "manifests stay as they are"


def test_where_no_candidate_had_a_length_that_is_told() -> None:
    gate = read_where(("optimal_length=500",), "bolt")
    assert Tally(candidates=2, rejected={"no_layout": 2}).near(gate) == "no candidate came as far as an optimal_length"
    assert Tally().near(gate) == ""


@pytest.mark.parametrize(
    ("game", "block", "where", "says"),
    [
        ("truck", {"vehicles": [12, 12], "depth": [12, 12], "evaluations": 50}, "depth=12", "the nearest depth found"),
        ("maze", {"length": [7, 9]}, "nearest_ratio=90..", "the nearest nearest_ratio found was "),
    ],
)
def test_the_search_names_the_nearest_figure(game: str, block: Mapping[str, Any], where: str, says: str) -> None:
    order = Order(game, "", block, read_where((where,), game), 0, 0)
    with pytest.raises(Exhausted, match=says):
        list(make_levels(order, 1, InlineExecutor(), patience=4))
