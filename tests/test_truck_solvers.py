"""Truck Escape's generator and verifier: brute force, each other; and what must be rejected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from naive_truck import can_be_solved, expected_clicks, lot, random_board, reachable
from playing import made

from lpb_gen.games.base import Claim, Unsolvable
from lpb_gen.games.truck import GAME, Board, can_leave, empty_cells
from lpb_gen.games.truck_board import MOST_VEHICLES
from lpb_gen.generators import truck, truck_kernel
from lpb_gen.generators.base import InvalidParams, Rejected
from lpb_gen.generators.stream import Stream
from lpb_gen.pipeline.new_repository import template_text
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.verifiers import truck as verifier
from lpb_gen.verifiers.certificate import FIGURES, ProofFailed
from lpb_gen.verifiers.truck_figures import random_clicks
from lpb_gen.verifiers.truck_graph import departures

from strategies import truck_boards

CHAIN = lot("a>b>c>..", "........", "..^.....", "..d.....")  # 3 waits for 1; 0 for 1 and 2; 1 for 2
CYCLE = lot("...b..", "a>.v<e", "......", ".^.<c.", ".d....")  # 0 for 1, 1 for 4, 4 for 3, 3 for 0; 2 for 1
WALLED = lot("a>.#", "b>..")
FACINGS, TURNS = "URDL", {"": 0, "R": 1, "L": -1}


def solved_or_none(level: Board) -> Claim | None:
    try:
        return truck.solve(level)
    except Unsolvable:
        return None


# --- the kernel is the game -------------------------------------------------------------------------------------------


def packed(board: Board) -> tuple[Any, Any, Any]:
    grid = np.full((board.rows, board.columns), truck_kernel.EMPTY, np.int64)
    for row, column in board.walls:
        grid[row, column] = truck_kernel.WALL
    roads = np.zeros((2, max(grid.shape)), np.bool_)
    for marked, lines in zip(roads, board.roads, strict=True):
        marked[list(lines)] = True
    vehicles = np.zeros((len(board.vehicles), 5), np.int64)
    for n, v in enumerate(board.vehicles):
        vehicles[n] = *v.front, FACINGS.index(v.facing), v.length, TURNS[v.turn]
        for row, column in v.body:
            grid[row, column] = n
    return grid, roads, vehicles


@settings(max_examples=150)
@given(truck_boards())
def test_the_kernel_measures_what_the_rules_play(value: Any) -> None:
    board = GAME.board(value)
    waits = np.zeros(len(board.vehicles), np.int64)
    depth, free, bait = truck_kernel.figures(*packed(board), waits)
    start = GAME.start(board)
    everybody = range(len(board.vehicles))
    assert [int(w) == 0 for w in waits] == [can_leave(board, start, n) for n in everybody]
    assert free == len(list(GAME.moves(board, start)))
    assert bait == sum(not can_leave(board, start, n) and empty_cells(board, start, n) > 0 for n in everybody)
    claim = solved_or_none(board)
    assert depth == (claim.evidence["depth"] if claim else 0)


# --- brute force ------------------------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(truck_boards(vehicles=7))
def test_both_methods_and_every_figure_agree_with_brute_force(value: Any) -> None:
    board = GAME.board(value)
    claim = solved_or_none(board)
    assert can_be_solved(board) == (claim is not None) == (verifier.refute(board) is None)
    if claim:
        certificate, figures = verifier.verify(board, claim)
        assert certificate.lower == figures["optimal_length"] == len(claim.solution) == len(board.vehicles)
        assert figures["reachable_states"] == len(reachable(board))
        assert figures["expected_clicks"] == pytest.approx(float(expected_clicks(board)), rel=1e-5)
        assert {name: figures[name] for name in ("depth", "free", "bait")} == claim.evidence


def test_figures_of_a_hand_checked_board() -> None:
    figures = verifier.verify(CHAIN, truck.solve(CHAIN))[1]
    assert (figures["optimal_length"], figures["depth"], figures["free"], figures["bait"]) == (4, 3, 1, 1)
    # only 2 can leave of four, then 1 of three, then 0 or 3 of two, then the last one
    assert figures["reachable_states"] == 6
    assert figures["expected_clicks"] == 4 + 3 + 1 + 1
    assert truck.solve(CHAIN).solution == (2, 1, 0, 3)


def test_a_sample_of_plays_lies_by_the_exact_expectation() -> None:
    for seed in range(3):
        board = made(truck.GENERATOR, {"vehicles": [12, 16], "free": [2, 4]}, seed).board
        graph = departures(board).graph
        waits = [sum(1 << b for b in graph.successors(a)) for a in range(len(board.vehicles))]
        exact, sampled = random_clicks(waits, 10**6), random_clicks(waits, 5)
        assert (exact.error, sampled.states) == (0, None)
        assert sampled == random_clicks(waits, 5), "the same plays every time"
        assert abs(exact.expected - sampled.expected) < 4 * sampled.error


def test_beyond_the_limit_of_states_the_certificate_says_sampled() -> None:
    certificate, figures = verifier.verify(CHAIN, truck.solve(CHAIN), limit=5)
    assert figures["reachable_states"] is None
    assert "more than 5" in certificate.methods["reachable_states"]
    assert "sampled" in certificate.methods["expected_clicks"]
    assert figures["expected_clicks"] == 9, "one order of equals only"


# --- no solution ------------------------------------------------------------------------------------------------------


def test_a_cycle_is_named_by_both_sides() -> None:
    with pytest.raises(Unsolvable, match="a cycle of vehicles, each of which waits for the next") as caught:
        truck.solve(CYCLE)
    proof = verifier.refute(CYCLE)
    assert proof is not None
    assert "a cycle, vehicle" in proof
    for text in (str(caught.value), proof):
        assert "\n" not in text
        assert all(f"vehicle {n + 1} " in text for n in (0, 1, 3, 4)), text
        assert "vehicle 3 " not in text, "it only waits for the cycle"


def test_a_wall_on_the_way_is_named_by_both_sides() -> None:
    with pytest.raises(Unsolvable, match=r"vehicle 1 .* can never leave: there is a wall in row 1, column 4"):
        truck.solve(WALLED)
    assert "vehicle 1 (row 1, column 2, facing right) leads through the wall at 1, 4" in str(verifier.refute(WALLED))


def test_a_solvable_board_is_not_refuted() -> None:
    assert verifier.refute(CHAIN) is None


# --- corrupted claims -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: replace(c, lower=3), "proves 3 moves and shows a solution of 4"),
        (lambda c: replace(c, lower=5), "bound of 5 moves is refuted by a solution of 4"),
        (lambda c: replace(c, solution=c.solution[:-1], lower=3), "leaves vehicles on the lot"),
        (lambda c: replace(c, solution=(*c.solution, 0)), "does not replay"),
        (lambda c: replace(c, solution=(0, 2, 1, 3)), "does not replay"),
        (lambda c: replace(c, solution=(2, 2, 1, 0)), "does not replay"),
        (lambda c: replace(c, solution=("2", 1, 0, 3)), "does not replay"),
        (lambda c: replace(c, evidence={**c.evidence, "depth": 4}), "depth is 3, not 4"),
        (lambda c: replace(c, evidence={**c.evidence, "bait": 0}), "bait is 1, not 0"),
        (lambda c: replace(c, evidence={"free": 2}), "free is 1, not 2"),
        (lambda c: replace(c, evidence={"beauty": 2}), "beauty is None, not 2"),
        (lambda c: replace(c, evidence=[1]), "not a claim"),
    ],
)
def test_a_wrong_claim_is_rejected(change: Callable[[Claim], Claim], message: str) -> None:
    with pytest.raises(ProofFailed, match=message):
        verifier.verify(CHAIN, change(truck.solve(CHAIN)))


@pytest.mark.parametrize("board", [CYCLE, WALLED])
def test_a_claim_for_a_board_without_a_solution_is_rejected(board: Board) -> None:
    with pytest.raises(ProofFailed, match="a board without a solution"):
        verifier.verify(board, Claim((0,), 1, "wish"))


def test_the_certificate_says_that_nothing_can_be_lost() -> None:
    certificate, figures = verifier.verify(CHAIN, truck.solve(CHAIN))
    assert set(FIGURES) | set(verifier.VERIFIER.figures) == set(figures)
    assert "a departure only frees cells" in certificate.dead_ends
    assert figures["fatal_move_share"] == figures["dead_state_share"] == 0
    assert figures["trap_latency"] is figures["deception"] is None
    assert {"trap_latency", "deception"} <= set(certificate.methods)
    assert figures["random_survival"] == 1
    assert figures["greedy_outcome"] == {"result": "solves", "moves": 4}
    assert certificate.proofs == ("departure graph: one departure for each vehicle", "click-by-click replay")


# --- generation -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vehicles", "size", "figures"),
    [
        (8, [6, 6], {"depth": 5, "free": 2, "bait": 2}),
        (14, [8, 8], {"depth": 10, "free": 2}),
        (32, [12, 12], {"depth": 20, "free": 2, "bait": 12}),
        (10, [4, 9], {"depth": 3, "free": 5}),
        (1, [2, 3], {"depth": 1, "free": 1, "bait": 0}),
    ],
)
def test_a_level_has_exactly_the_figures_asked_for(vehicles: int, size: list[int], figures: dict[str, int]) -> None:
    for key in range(3):
        found = made(truck.GENERATOR, {"vehicles": vehicles, "size": size, **figures}, key)
        certified = verifier.verify(found.board, found.claim)[1]
        assert {name: certified[name] for name in figures} == figures
        assert certified["optimal_length"] == vehicles
        assert [found.board.rows, found.board.columns] == size


def test_walls_roads_and_turning_vehicles_are_as_many_as_asked() -> None:
    found = made(truck.GENERATOR, {"vehicles": 20, "walls": [2, 3], "roads": 3, "turning": [5, 7], "depth": [6, 9]}, 4)
    board = found.board
    assert 2 <= len(board.walls) <= 3
    assert sum(map(len, board.roads)) == 3
    assert 5 <= sum(v.turn != "" for v in board.vehicles) <= 7
    assert GAME.board(GAME.dump(board)) == board, "it is a board that people could have written"


def test_vehicles_come_in_reading_order() -> None:
    bodies = [min(v.body) for v in made(truck.GENERATOR, {"vehicles": 15}, 1).board.vehicles]
    assert bodies == sorted(bodies)


def test_the_same_stream_makes_the_same_level() -> None:
    p = truck.params({"vehicles": [20, 30], "depth": [9, 12], "roads": 2, "turning": 5})
    first, again = ([truck.generate(p, Stream([7], [0, i])) for i in range(3)] for _ in range(2))
    assert first == again
    assert len({str(candidate) for candidate in first}) == 3


def test_what_cannot_be_is_rejected_with_a_reason() -> None:
    crowded = truck.generate(truck.params({"vehicles": 8, "size": [4, 4]}), Stream([1], [0]))
    assert crowded == Rejected("crowded")
    missed = truck.params({"vehicles": 20, "size": [12, 12], "depth": 20, "free": 1, "evaluations": 300})
    near = truck.generate(missed, Stream([1], [0]))
    assert isinstance(near, Rejected)
    assert (near.reason, near.optimal_length) == ("missed", None), (
        "its length would enter manifests, and change old ones"
    )
    assert near.figures["optimal_length"] == 20
    assert 0 < near.figures["depth"] < 20
    assert truck.generate(truck.params({"vehicles": 5, "size": [9, 2], "roads": 12}), Stream([1], [0])) != crowded
    roadless = truck.params({"vehicles": 2, "size": [2, 2], "roads": 1, "turning": 1})
    assert truck.generate(roadless, Stream([1], [0])) == Rejected("crowded")


def test_every_kind_of_the_default_tier_and_the_expert_tier_come_out_within_their_gates() -> None:
    cells = {
        cell.tier: block
        for cell, block in read_params(template_text("params.yaml")).cells.items()
        if cell[0] == "truck"
    }
    assert [rung["vehicles"] for rung in cells["default"].rungs] == [10, 20, 30, 40, 50]
    depths = []
    for block in cells.values():
        for rung in block.rungs:
            found = made(truck.GENERATOR, rung, 5)
            figures = verifier.verify(found.board, found.claim)[1]
            assert all(band.admits(figures[name]) for name, band in block.gate.items())
            depths.append(figures["depth"])
    assert depths == sorted(depths)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({}, "'vehicles' is missing"),
        ({"vehicles": [5]}, "'vehicles' is"),
        ({"vehicles": [9, 5]}, "smaller number first"),
        ({"vehicles": 61}, "'vehicles' is 61"),
        ({"vehicles": True}, "'vehicles' is True"),
        ({"vehicles": 9, "size": [1, 6]}, "'size' is 1"),
        ({"vehicles": 9, "size": 6}, "'size' is 6"),
        ({"vehicles": 9, "depth": 10}, "'depth' begins at 10, above the number of vehicles"),
        ({"vehicles": 9, "turning": 3}, "'turning' without roads"),
        ({"vehicles": 9, "evaluations": 0}, "'evaluations' is 0"),
        ({"vehicles": [8, 9], "depth": 8, "free": 3}, "with 3 of 9 vehicles free, 7 can wait for one another"),
        ({"vehicles": 9, "free": [5, 6], "bait": [5, 6]}, "different vehicles, of 9 at most"),
        ({"vehicles": [9, 20], "size": [4, [3, 4]]}, "'size' has 16 cells at most, 9 vehicles take two each"),
        ({"vehicles": 9, "colour": 1}, "unknown parameter 'colour'"),
    ],
)
def test_a_bad_parameter_says_what_is_wrong(block: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParams, match=message):
        truck.params(block)


@pytest.mark.parametrize(
    ("wish", "block"),
    [
        ({}, {"vehicles": [15, 20]}),
        ({"optimal_length": (10, 12)}, {"vehicles": [10, 12]}),
        ({"optimal_length": (20, float("inf"))}, {"vehicles": [20, 25]}),
        ({"optimal_length": (-float("inf"), 30)}, {"vehicles": [25, 30]}),
        ({"optimal_length": (50, 200)}, {"vehicles": [50, MOST_VEHICLES]}),
        ({"depth": (10, 12)}, {"vehicles": [20, 20], "depth": [10, 12]}),
        ({"depth": (20, 20), "free": (2, 2), "bait": (-float("inf"), 3)}, None),
        ({"expected_clicks": (50, 60)}, {"vehicles": [15, 20]}),
    ],
)
def test_a_wish_becomes_parameters_that_the_generator_takes(wish: Any, block: dict[str, Any] | None) -> None:
    asked = truck.ask(wish)
    assert truck.params(asked)
    assert block in (None, asked)


@pytest.mark.parametrize("figure", ["optimal_length", "depth", "free", "bait"])
def test_a_wish_beyond_any_lot_is_refused_at_once(figure: str) -> None:
    with pytest.raises(InvalidParams, match=f"no lot has such a {figure}; ask for one from . to {MOST_VEHICLES}"):
        truck.ask({figure: (100, 110)})


def test_figures_as_far_as_a_count_allows_are_found() -> None:
    assert made(truck.GENERATOR, {"vehicles": 5, "depth": 3, "free": 3}, 0).claim.evidence["depth"] == 3


# --- large samples ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_methods_agree_on_a_thousand_random_boards() -> None:
    solvable = cyclic = walled = 0
    for seed in range(2000):
        board = random_board(seed)
        claim, argument = solved_or_none(board), verifier.refute(board)
        assert (claim is None) == (argument is not None), board
        if claim:
            figures = verifier.verify(board, claim)[1]
            assert {name: figures[name] for name in ("depth", "free", "bait")} == claim.evidence, board
            solvable += 1
        cyclic += argument is not None and "cycle" in argument
        walled += argument is not None and "wall" in argument
    assert min(solvable, cyclic, walled) > 100, (solvable, cyclic, walled)


@pytest.mark.slow
def test_generated_levels_of_every_size_hold_what_they_promise() -> None:
    for count in range(1, MOST_VEHICLES + 1, 3):
        for key in range(8):
            found = made(truck.GENERATOR, {"vehicles": count, "roads": [0, 3]}, key)
            figures = verifier.verify(found.board, found.claim, limit=2000)[1]
            assert {name: figures[name] for name in ("depth", "free", "bait")} == found.claim.evidence
            assert figures["expected_clicks"] >= count
