"""Rush Hour's generator and verifier: known answers, brute force, each other; and what must be rejected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import naive_rush
import pytest
from hypothesis import given, settings
from naive_rush import board, distances, neighbours, random_board
from playing import made

from lpb_gen.games.base import Claim, Unproven, Unsolvable
from lpb_gen.games.rush import GAME, Board
from lpb_gen.generators import rush, rush_growth, rush_kernel, rush_packing
from lpb_gen.generators.base import InvalidParams, Rejected
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers import rush as verifier
from lpb_gen.verifiers.certificate import FIGURES, ProofFailed
from lpb_gen.verifiers.rush_search import explore

from strategies import rush_boards

SIXTEEN = "BBCCDEFoGGDEFHIAAEoHIJJJooIoooKKoooo"  # card 16 of the classic set
TWENTY_THREE = "IoBBCCIoKoooAAKoLMDDEELMoJFFFMoJGGHH"
BLOCKED = "....BB/AA..C./....C./....xx"
Rows = Callable[[str], list[dict[str, Any]]]


def solved_or_none(level: Board) -> Claim | None:
    try:
        return rush.solve(level)
    except Unsolvable:
        return None


# --- known answers ----------------------------------------------------------------------------------------------------


def test_every_known_minimum_and_component_is_met_by_both_methods(known_values: Rows) -> None:
    rows = known_values("rush.jsonl")
    assert len(rows) == 200
    for row in rows:
        level = board(row["board"])
        packed = rush_packing.pack(level)
        path, _ = rush_kernel.shortest(packed, 10**7)
        size, _, _ = rush_kernel.flood(packed, 10**7)
        found = explore(level, 10**7, count_to=10**7)
        assert path is not None
        assert len(path) - 1 == found.solved_after == row["moves"], row
        assert size == found.states, row
        assert row["states"] in (None, size), row


def test_the_minima_in_slides_and_in_steps_need_different_solutions() -> None:
    level = board(SIXTEEN)
    claim = rush.solve(level)
    assert len(claim.solution) == 21
    assert claim.evidence["optimal_steps"] == 41
    assert sum(abs(int(move[1:])) for move in claim.solution) == 43
    assert verifier.verify(level, claim)[1]["optimal_steps"] == 41


# --- the kernel is the game -------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(rush_boards(vehicles=7))
def test_the_kernel_moves_as_the_game_does_in_every_state(value: Any) -> None:
    level = GAME.board(value)
    packed = rush_packing.pack(level)
    for unit in (False, True):
        queue, _, _ = rush_kernel.search(packed, 3000, unit=unit)
        for state in queue[:100]:
            leads = rush_kernel.leads(packed, int(state), unit=unit)
            plain = rush_packing.unpack(packed, int(state))
            after = [rush_packing.unpack(packed, int(other)) for other in leads]
            assert sorted(after) == sorted(neighbours(level, plain, unit=unit))


@settings(max_examples=40)
@given(rush_boards(vehicles=5))
def test_both_methods_agree_with_brute_force(value: Any) -> None:
    level = GAME.board(value)
    claim = solved_or_none(level)
    best, states = naive_rush.minimum(level), distances(level, [GAME.start(level)])
    found = explore(level, 10**6, count_to=10**6)
    assert (best is None) == (claim is None) == (verifier.refute(level) is not None)
    assert (found.solved_after, found.states) == (-1 if best is None else best, len(states))
    if claim:
        certificate, figures = verifier.verify(level, claim)
        assert certificate.lower == figures["optimal_length"] == best == len(claim.solution)
        assert figures["optimal_steps"] == naive_rush.minimum(level, unit=True)
        assert figures["reachable_states"] == len(states)


@settings(max_examples=25)
@given(rush_boards(vehicles=5))
def test_a_flood_tells_every_state_of_the_component_how_far_it_is_from_the_exit(value: Any) -> None:
    level = GAME.board(value)
    packed = rush_packing.pack(level)
    states = distances(level, [GAME.start(level)])
    goals = [state for state in states if GAME.solved(level, state)]
    size, order, distance = rush_kernel.flood(packed, 10**6)
    assert size == len(states)
    left = distances(level, goals)
    assert [left[rush_packing.unpack(packed, int(s))] for s in order] == list(distance)
    assert len(order) == (size if goals else 0)


def test_an_eight_by_eight_board_uses_every_bit() -> None:
    level = board(".K.MCC../JK.M..DD/J.....EE/AAL.NP../FFL.NPQB/..GG..QB/HH.....R/...II..R")
    packed = rush_packing.pack(level)
    assert len(packed.lines) == 16
    assert packed.start < 0, "bit 63 is set"
    path, _ = rush_kernel.shortest(packed, 10**6)
    found = explore(level, 10**6)
    assert path is not None
    assert path[0] == GAME.start(level)
    assert GAME.solved(level, path[-1])
    assert len(path) - 1 == found.solved_after == 4


# --- limits and bad boards --------------------------------------------------------------------------------------------


def test_a_target_that_can_never_get_out_is_proven_so_by_both_sides() -> None:
    for text in (BLOCKED, "AAx./..../..../....", "AABB/..../..../....", "xxxx/..../AA.B/...B/xxxx"):
        with pytest.raises(Unsolvable, match="positions that moves reach"):
            rush.solve(board(text))
        assert "exhaustive search" in str(verifier.refute(board(text)))
    assert verifier.refute(board(TWENTY_THREE)) is None


def test_a_search_that_meets_its_limit_says_so() -> None:
    level, claim = board(TWENTY_THREE), rush.solve(board(TWENTY_THREE))
    with pytest.raises(Unproven, match="not proven within 1,000 states"):
        rush.solve(level, limit=1000)
    with pytest.raises(Unproven, match="not proven within 1,000 states"):
        verifier.verify(level, claim, limit=1000)
    with pytest.raises(Unproven, match="not proven within 2 states"):
        verifier.refute(board(BLOCKED), limit=2)


def test_a_component_that_is_too_large_leaves_its_size_unknown_but_the_minimum_proven() -> None:
    level = board("AA../..../..../.BB.")
    certificate, figures = verifier.verify(level, rush.solve(level), limit=8)
    assert figures["reachable_states"] is None
    assert "more than 8" in certificate.methods["reachable_states"]
    assert certificate.lower == 1


# --- corrupted claims -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: replace(c, lower=22), "proves 22 moves and shows a solution of 23"),
        (lambda c: replace(c, lower=24), "bound of 24 moves is refuted"),
        (lambda c: replace(c, solution=c.solution[:-1]), "leaves the target away from the exit"),
        (lambda c: replace(c, solution=(*c.solution, "A-1")), "does not replay"),
        (lambda c: replace(c, solution=("A+4", *c.solution[1:])), "does not replay"),
        (lambda c: replace(c, solution=("B-1", "B+1", *c.solution), lower=25), "23 moves suffice, not 25"),
        (lambda c: replace(c, evidence={"optimal_steps": 32}), "33 unit steps are the minimum, not 32"),
    ],
)
def test_a_wrong_claim_is_rejected(change: Callable[[Claim], Claim], message: str) -> None:
    level = board(TWENTY_THREE)
    with pytest.raises(ProofFailed, match=message):
        verifier.verify(level, change(rush.solve(level)))


def test_the_certificate_says_that_nothing_can_be_lost() -> None:
    level = board(TWENTY_THREE)
    certificate, figures = verifier.verify(level, rush.solve(level))
    assert set(FIGURES) <= set(figures)
    assert "every slide can be taken back" in certificate.dead_ends
    assert figures["fatal_move_share"] == figures["dead_state_share"] == 0
    assert figures["trap_latency"] is figures["deception"] is None
    assert {"trap_latency", "deception"} <= set(certificate.methods)
    assert figures["random_survival"] == 1
    assert certificate.proofs == ("exhaustive search", "line-digit breadth-first search")


def test_the_greedy_player_solves_what_progress_leads_to_and_loops_elsewhere() -> None:
    for text, outcome in (("AA../..../..../....", {"result": "solves", "moves": 1}), (TWENTY_THREE, None)):
        level = board(text)
        figures = verifier.verify(level, rush.solve(level))[1]
        assert figures["greedy_outcome"] == outcome or figures["greedy_outcome"]["result"] == "loops"


# --- generation -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("band", [(5, 12), (13, 22), (23, 30)])
def test_a_level_has_a_length_in_the_band_and_no_vehicle_too_many(band: tuple[int, int]) -> None:
    found = made(rush.GENERATOR, rush.ask({"optimal_length": band}), 3)
    length = len(found.claim.solution)
    assert band[0] <= length <= band[1]
    assert verifier.verify(found.board, found.claim)[0].lower == length
    assert found.board.vehicles[0].label == "A"
    for vehicle in found.board.vehicles[1:]:
        assert rush_growth.minimum(rush_growth.without(found.board, vehicle.label)) != length


@pytest.mark.parametrize(
    "block",
    [
        {"length": [4, 12], "size": [4, 5], "exit_row": 0, "vehicles": [4, 7]},
        {"length": [4, 12], "size": [[7, 8], 8], "exit_row": 6, "vehicles": [4, 8], "walls": [1, 2], "trim": False},
        {"length": [4, 12], "walls": [2, 3]},
    ],
)
def test_sizes_walls_and_exit_rows_are_as_asked(block: dict[str, Any]) -> None:
    p = rush.params(block)
    found = made(rush.GENERATOR, block, 5).board
    assert p.size[0][0] <= found.height <= p.size[0][1]
    assert p.size[1][0] <= found.width <= p.size[1][1]
    assert p.walls[0] <= "".join(found.rows).count("x") <= p.walls[1]
    assert found.vehicles[0].line == (p.exit_row if p.exit_row is not None else (found.height - 1) // 2)


def test_the_same_stream_makes_the_same_level() -> None:
    p = rush.params({"length": [5, 12]})
    assert [rush.generate(p, Stream([7], [0, i])) for i in range(3)] == [
        rush.generate(p, Stream([7], [0, i])) for i in range(3)
    ]


def test_an_impossible_length_is_rejected_with_what_was_reached() -> None:
    found = rush.generate(rush.params({"length": [900, 900], "evaluations": 30}), Stream([1], [0]))
    assert isinstance(found, Rejected)
    assert found.reason == "too_short"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({}, "'length' is missing"),
        ({"length": [5]}, "'length' is"),
        ({"length": [9, 5]}, "smaller number first"),
        ({"length": [5, 9], "size": [3, 6]}, "'size' is 3"),
        ({"length": [5, 9], "size": 6}, "'size' is 6"),
        ({"length": [5, 9], "exit_row": 6}, "'exit_row' is 6"),
        ({"length": [5, 9], "trim": 1}, "'trim' is 1"),
        ({"length": [5, 9], "colour": 1}, "unknown parameter 'colour'"),
        ({"length": [5, 9], "vehicles": [True, 9]}, "'vehicles' is True"),
    ],
)
def test_a_bad_parameter_says_what_is_wrong(block: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParams, match=message):
        rush.params(block)


# --- large samples ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_methods_agree_on_a_thousand_random_boards() -> None:
    solvable = 0
    for seed in range(1200):
        level = random_board(seed)
        claim = solved_or_none(level)
        found = explore(level, 10**7, count_to=10**7)
        packed = rush_packing.pack(level)
        assert rush_kernel.flood(packed, 10**7)[0] == found.states, level
        assert found.solved_after == (len(claim.solution) if claim else -1), level
        if claim:
            solvable += 1
            steps = explore(level, 10**7, unit=True).solved_after
            assert steps == claim.evidence["optimal_steps"], level
    assert 300 < solvable < 1150


@pytest.mark.slow
def test_no_plan_is_shorter_than_the_minimum_by_cp_sat() -> None:
    checked = 0
    for seed in range(600):
        level = random_board(seed, sides=(4, 5), vehicles=(4, 9))
        claim = solved_or_none(level)
        if claim and 3 <= len(claim.solution) <= 9:
            assert naive_rush.can_be_planned(level, len(claim.solution)), level
            assert not naive_rush.can_be_planned(level, len(claim.solution) - 1), level
            checked += 1
    assert checked >= 20
