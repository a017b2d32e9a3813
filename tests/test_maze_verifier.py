"""The Maze Paint verifier: what it accepts, what it must reject, and its figures against brute force."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from math import sqrt
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_maze import States, board

from lpb_gen.games.base import Claim, Unproven, Unsolvable, states_along
from lpb_gen.games.maze import GAME, Board
from lpb_gen.generators import maze_flow
from lpb_gen.pipeline.level import canonical_json
from lpb_gen.verifiers import maze, maze_figures, maze_graph, maze_search
from lpb_gen.verifiers.certificate import FIGURES, Certificate, ProofFailed
from lpb_gen.verifiers.maze_graph import SlideGraph

from strategies import maze_boards

SIXTEEN = "..###/...../...../....#/.##../..#../S.#.."  # 16 slides, and the potential is tight
SHORT_LOOSE = "...#..../.#.#..##/.....S##/.####.##/.####.##/.####.##/......##/########"  # 10 proven, 11 needed
LONG_LOOSE = (  # 40 proven, 41 needed
    ".........######/.####.##.######/.##.#.##.##..../###.#.##.#####./###............/#####.##.###.#./......##.###.#./"
    ".####.#......../.####.##.#.#.#./.####.##.#.#.../...........#.##/.###.###.#...##/.....###.###.../##.#.##.S....../"
    "##......######."
)
TRAPS = ".S./#.#"  # down first, and the ball can never get back


def proven(text: str) -> tuple[Board, Claim]:
    level = board(text)
    return level, maze_flow.prove(level)


def solvable(value: Any) -> tuple[Board, Claim]:
    level = GAME.board(value)
    try:
        return level, maze_flow.prove(level)
    except Unsolvable:
        assume(False)
        raise


def forged(claim: Claim, **changes: Any) -> Claim:
    """The claim with another potential."""
    return replace(claim, evidence={**claim.evidence, "potential": {**claim.evidence["potential"], **changes}})


# --- what is accepted -------------------------------------------------------------------------------------------------


def test_known_minima_are_proven_by_every_method(known_values: Callable[[str], list[dict[str, Any]]]) -> None:
    for row in known_values("maze.jsonl"):
        level, claim = proven(row["board"])
        certificate, figures = maze.verify(level, claim)
        assert certificate.upper == certificate.lower == figures["optimal_length"] == row["slides"]
        assert certificate.proofs == ("potential", "exhaustive search", "integer flow (CP-SAT)")
        assert certificate.evidence["potential"]["bound"] == row["slides"]
        assert certificate.solution == claim.solution


@given(maze_boards())
def test_verifier_flow_and_brute_force_agree(value: Any) -> None:
    level = GAME.board(value)
    states = States(level)
    argument = maze.refute(level)
    if states.optimum is None:
        assert argument is not None
        with pytest.raises(Unsolvable):
            maze_flow.prove(level)
    else:
        assert argument is None
        certificate, figures = maze.verify(level, maze_flow.prove(level))
        assert certificate.lower == figures["optimal_length"] == states.optimum
        assert "exhaustive search" in certificate.proofs


def test_a_loose_potential_is_no_proof_and_is_not_kept() -> None:
    level, claim = proven(SHORT_LOOSE)
    assert claim.evidence["potential"]["bound"] == 10
    certificate, _ = maze.verify(level, claim)
    assert certificate.lower == 11
    assert certificate.proofs == ("exhaustive search", claim.method)
    assert certificate.evidence == {}


def test_a_long_level_is_searched_under_the_guidance_of_its_potentials() -> None:
    level, claim = proven(LONG_LOOSE)
    certificate, _ = maze.verify(level, claim)
    assert certificate.lower == 41
    assert certificate.proofs == ("potential-guided exhaustive search", claim.method)
    alone = replace(claim, evidence={"potential": claim.evidence["potential"]})
    by_one, _ = maze.verify(level, alone)
    assert by_one.states_examined >= certificate.states_examined > 0
    assert replace(by_one, states_examined=certificate.states_examined) == certificate


def test_a_claim_without_evidence_is_searched() -> None:
    level, claim = proven(SIXTEEN)
    certificate, _ = maze.verify(level, replace(claim, evidence={}))
    assert certificate.proofs == ("exhaustive search", claim.method)


def test_what_a_level_stores_is_json(known_values: Callable[[str], list[dict[str, Any]]]) -> None:
    for text in (SIXTEEN, TRAPS, SHORT_LOOSE, known_values("maze.jsonl")[0]["board"]):
        certificate, figures = maze.verify(*proven(text))
        assert set(FIGURES) <= set(figures)
        canonical_json([figures, {name: getattr(certificate, name) for name in Certificate.__slots__}])


# --- what is rejected -------------------------------------------------------------------------------------------------


def test_corrupted_solutions_are_rejected() -> None:
    level, claim = proven(SIXTEEN)
    for i in range(16):
        shorter = claim.solution[:i] + claim.solution[i + 1 :]
        with pytest.raises(ProofFailed):
            maze.verify(level, replace(claim, solution=shorter))
        with pytest.raises(ProofFailed):
            maze.verify(level, replace(claim, solution=shorter, lower=15))
    for solution in ((), ("X",), (*claim.solution, "U"), (1, None), claim.solution[::-1]):
        with pytest.raises(ProofFailed):
            maze.verify(level, replace(claim, solution=solution))


@pytest.mark.parametrize(
    "changes",
    [
        {"solution": None},
        {"solution": "UDLR"},
        {"lower": None},
        {"lower": "16"},
        {"lower": 16.0},
        {"lower": True},
        {"method": None},
        {"evidence": None},
        {"evidence": [1]},
    ],
)
def test_what_has_not_the_shape_of_a_claim_is_rejected(changes: dict[str, Any]) -> None:
    level, claim = proven(SIXTEEN)
    with pytest.raises(ProofFailed, match="not a claim"):
        maze.verify(level, replace(claim, **changes))


@pytest.mark.parametrize(("lower", "words"), [(15, "proves 15 slides"), (17, "bound of 17 slides is refuted")])
def test_a_bound_that_the_solution_does_not_meet_is_rejected(lower: int, words: str) -> None:
    level, claim = proven(SIXTEEN)
    with pytest.raises(ProofFailed, match=words):
        maze.verify(level, replace(claim, lower=lower))


@pytest.mark.parametrize("text", [SIXTEEN, SHORT_LOOSE, LONG_LOOSE])
def test_a_solution_that_is_not_shortest_is_rejected(text: str) -> None:
    level, claim = proven(text)
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}
    for i, state in enumerate(states_along(GAME, level, claim.solution[:-1])):
        for there in GAME.moves(level, state):
            away = GAME.apply(level, state, there)
            if back[there] in GAME.moves(level, away) and GAME.apply(level, away, back[there]).ball == state.ball:
                solution = (*claim.solution[:i], there, back[there], *claim.solution[i:])
    assert len(solution) == claim.lower + 2
    with pytest.raises(ProofFailed, match=f"{claim.lower} slides suffice"):
        maze.verify(level, replace(claim, solution=solution, lower=len(solution)))


def test_a_potential_that_a_slide_lowers_too_far_is_rejected() -> None:
    level, claim = proven(SIXTEEN)
    potential = claim.evidence["potential"]
    for row in range(len(potential["stops"])):
        for column in range(len(potential["cells"])):
            w = deepcopy(potential["w"])
            w[row][column] += 10 * potential["D"]
            with pytest.raises(ProofFailed, match=r"lowers the potential|proves"):
                maze.verify(level, forged(claim, w=w))
        pi = [p - 10 * potential["D"] * (i == row) for i, p in enumerate(potential["pi"])]
        with pytest.raises(ProofFailed, match=r"lowers the potential|proves"):
            maze.verify(level, forged(claim, pi=pi))


@given(maze_boards(), st.data())
@settings(max_examples=300)
def test_no_tampered_potential_proves_too_much(value: Any, data: st.DataObject) -> None:
    level, claim = solvable(value)
    potential = deepcopy(claim.evidence["potential"])
    for _ in range(data.draw(st.integers(1, 6))):
        change = data.draw(st.integers(-3, 3))
        row = data.draw(st.integers(0, len(potential["stops"]) - 1))
        if potential["cells"] and data.draw(st.booleans()):
            potential["w"][row][data.draw(st.integers(0, len(potential["cells"]) - 1))] += change
        else:
            potential["pi"][row] += change
    potential["D"] = data.draw(st.integers(1, 2 * potential["D"]))
    proven_bounds = []
    for bound in range(claim.lower + 4):
        try:
            proven_bounds.append(maze.potential_bound(SlideGraph(level), {**potential, "bound": bound}))
        except ProofFailed:
            continue
    assert all(bound <= claim.lower for bound in proven_bounds)


@pytest.mark.parametrize("change", [-1, 1, 100])
def test_a_potential_that_claims_another_bound_is_rejected(change: int) -> None:
    level, claim = proven(SIXTEEN)
    with pytest.raises(ProofFailed, match="the potential proves 16 slides"):
        maze.verify(level, forged(claim, bound=16 + change))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cells": [0]}, "w must have an integer for each stop and cell"),
        ({"D": 0}, "D must be a positive integer"),
        ({"D": True}, "D must be a positive integer"),
        ({"D": "2"}, "D must be a positive integer"),
        ({"bound": 16.0}, "bound must be an integer"),
        ({"stops": []}, "stops must be the board's stops"),
        ({"pi": [0.0]}, "pi must be an integer"),
        ({"cells": "12"}, "cells must be integers"),
        ({"w": []}, "w must have a row for each stop"),
        ({"extra": 1}, "it needs D, bound, cells, pi, stops, w"),
    ],
)
def test_a_potential_of_another_shape_is_rejected(changes: dict[str, Any], words: str) -> None:
    level, claim = proven(SIXTEEN)
    with pytest.raises(ProofFailed, match=words):
        maze.verify(level, forged(claim, **changes))


def test_a_potential_on_wrong_cells_and_stops_is_rejected() -> None:
    level, claim = proven(SIXTEEN)
    potential = claim.evidence["potential"]
    wall = level.rows[0].index("#")
    for cell in (wall, -1, 10**6):
        with pytest.raises(ProofFailed, match="floor cells"):
            maze.verify(level, forged(claim, cells=[cell, *potential["cells"][1:]]))
    with pytest.raises(ProofFailed, match="differ"):
        maze.verify(level, forged(claim, cells=[potential["cells"][1], *potential["cells"][1:]]))
    with pytest.raises(ProofFailed, match="stops"):
        maze.verify(level, forged(claim, stops=[wall, *potential["stops"][1:]]))
    with pytest.raises(ProofFailed, match="pi must be an integer <= 0"):
        maze.verify(level, forged(claim, pi=[1] * len(potential["pi"])))
    for other in (0, "D", [], {}):
        with pytest.raises(ProofFailed, match="not a potential"):
            maze.verify(level, replace(claim, evidence={"potential": other}))
    swapped = potential["cells"][::-1]
    with pytest.raises(ProofFailed, match="lowers the potential"):
        maze.verify(level, forged(claim, cells=swapped))


def test_the_start_is_painted_at_first_whatever_a_potential_says() -> None:
    level, claim = proven(SIXTEEN)
    potential = claim.evidence["potential"]
    scale, w = potential["D"] + 50, [[50, *row] for row in potential["w"]]
    bound = -(-16 * potential["D"] // scale)  # not as much as with another 50 on top
    free = forged(claim, D=scale, cells=[level.start, *potential["cells"]], w=w, bound=bound).evidence["potential"]
    assert maze.potential_bound(SlideGraph(level), free) == bound
    with pytest.raises(ProofFailed, match=f"proves {bound} slides, not {bound + 1}"):
        maze.potential_bound(SlideGraph(level), {**free, "bound": bound + 1})


def test_forged_guides_are_rejected() -> None:
    level, claim = proven(LONG_LOOSE)
    guide = deepcopy(claim.evidence["guides"][0])
    guide["w"] = [[10 * n + 1 for n in row] for row in guide["w"]]
    for guides in ([guide], 3, [None]):
        with pytest.raises(ProofFailed):
            maze.verify(level, replace(claim, evidence={**claim.evidence, "guides": guides}))


# --- limits -----------------------------------------------------------------------------------------------------------


def test_a_search_that_meets_its_limit_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maze, "STATE_LIMIT", 50)
    loose, tight = proven(SHORT_LOOSE), proven(SIXTEEN)
    with pytest.raises(Unproven, match="50 states"):
        maze.verify(*loose)
    assert maze.verify(*tight)[0].proofs == ("potential", tight[1].method)


def test_figures_beyond_the_limit_are_null_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maze_figures, "STATE_LIMIT", 5)
    for text in (SIXTEEN, TRAPS):
        certificate, figures = maze.verify(*proven(text))
        names = ["reachable_states", "zero_progress_share"]
        if text == TRAPS:
            monkeypatch.setattr(maze_figures, "STATE_LIMIT", 2)
            certificate, figures = maze.verify(*proven(text))
            names += ["dead_state_share", "fatal_move_share", "deception"]
            assert "not counted" in certificate.dead_ends
        for name in names:
            assert figures[name] is None
            assert certificate.methods[name].startswith("unknown: more than")


def test_a_maze_of_one_way_regions_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maze_graph, "CASES", 0)
    with pytest.raises(Unproven, match="regions"):
        maze.refute(board("#.#/.S./#.#"))


def test_a_search_never_calculates_with_more_than_64_bits() -> None:
    level, claim = proven(LONG_LOOSE)
    graph, potential = SlideGraph(level), claim.evidence["potential"]
    factor = (1 << 40) // potential["D"]
    scaled = {
        "D": factor * potential["D"],
        "pi": [factor * n for n in potential["pi"]],
        "w": [[factor * n for n in row] for row in potential["w"]],
    }
    watched = tuple(maze_search.required_cells(graph))
    guides = [{**potential, **scaled}]
    assert maze._guide(graph, watched, guides, 40).scales.tolist() == [scaled["D"]]
    with pytest.raises(Unproven, match="too large"):
        maze._guide(graph, watched, guides, 1 << 23)


# --- dead ends --------------------------------------------------------------------------------------------------------


@given(maze_boards())
def test_the_dead_end_test_is_exact(value: Any) -> None:
    level = GAME.board(value)
    states = States(level)
    assume(states.optimum is not None)
    assert (maze_graph.trap(SlideGraph(level)) is not None) == (len(states.left) < len(states.distance))


@given(maze_boards(max_side=4))
def test_regions_decide_the_solvability_of_every_state(value: Any) -> None:
    level = GAME.board(value)
    states, graph = States(level), SlideGraph(level)
    for state in states.distance:
        assert maze_graph.is_solvable(graph, graph.stops.index(state.ball), state.painted) == (state in states.left)


def test_no_dead_ends_by_argument_are_not_counted() -> None:
    certificate, figures = maze.verify(*proven(SIXTEEN))
    assert certificate.dead_ends == "no dead ends: the ball can come back from everywhere"
    assert 0 < certificate.states_examined <= figures["reachable_states"]  # of the search for a shorter solution
    assert figures["dead_state_share"] == figures["fatal_move_share"] == 0
    assert figures["trap_latency"] is figures["deception"] is None


def test_dead_ends_are_counted() -> None:
    certificate, figures = maze.verify(*proven(TRAPS))
    assert certificate.dead_ends.startswith("dead ends: the ball can be shut in before it has painted row")
    searched = certificate.states_examined - figures["reachable_states"]
    assert 0 < searched <= figures["reachable_states"]
    assert figures["fatal_move_share"] > 0
    assert "unbounded" in certificate.methods["trap_latency"]


# --- figures ----------------------------------------------------------------------------------------------------------


@given(maze_boards())
@settings(max_examples=300)
def test_figures_are_what_their_definitions_say(value: Any) -> None:
    level, claim = solvable(value)
    _, figures = maze.verify(level, claim)
    expected = States(level).figures()
    assert {name: figures[name] for name in expected} == expected
    assert set(figures) == {*expected, "random_survival", "required_cells"}


@given(maze_boards(max_side=4))
@settings(max_examples=30)
def test_sampled_survival_is_near_the_exact_one(value: Any) -> None:
    level, _ = solvable(value)
    graph = SlideGraph(level)
    packed = maze_search.pack(graph, maze_search.classes(graph))
    for swipes in (3, 10, 40):
        exact = States(level).random_survival(swipes)
        sampled = maze_search.random_wins(packed, 7, 4000, swipes) / 4000
        assert abs(sampled - exact) <= 5 * sqrt(exact * (1 - exact) / 4000) + 1e-9


def test_survival_is_sampled_and_says_so() -> None:
    certificate, figures = maze.verify(*proven(SIXTEEN))
    assert 0 <= figures["random_survival"] <= 1
    assert certificate.methods["random_survival"].startswith("sampled: 2,000 players")
    assert maze.verify(*proven(SIXTEEN)) == (certificate, figures)


@given(maze_boards())
def test_watching_required_cells_gives_the_same_minimum_as_watching_all(value: Any) -> None:
    level, claim = solvable(value)
    graph = SlideGraph(level)
    members = maze_search.classes(graph)
    for watched in (maze_search.required_cells(graph), members, [c for cells in members.values() for c in cells]):
        found = maze_search.explore(maze_search.pack(graph, watched), 10**6, to_the_end=False)
        assert found.solved_after == claim.lower


def test_masks_of_many_words_count_alike() -> None:
    level = board("S" + "." * 63 + "/" + ".#" * 31 + "..")
    graph = SlideGraph(level)
    packed = maze_search.pack(graph, [cell for cell in range(128) if graph.floor >> cell & 1 and cell != level.start])
    assert packed.everything.size == 2
    found = maze_search.explore(packed, 10**6, to_the_end=True)
    assert found.states == len(States(level).distance)


# --- many boards ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_thousand_boards_without_a_disagreement() -> None:
    draw, solved, refuted = random.Random(20261129), 0, 0
    while solved < 1000:
        height, width = draw.randint(2, 7), draw.randint(2, 7)
        rows = [[draw.choice("..#") for _ in range(width)] for _ in range(height)]
        row, column = draw.randrange(height), draw.randrange(width)
        rows[row][column] = "S"
        if sum(line.count(".") for line in rows) == 0:
            continue
        level = GAME.board({"rows": ["".join(line) for line in rows]})
        states = States(level)
        if states.optimum is None:
            assert maze.refute(level) is not None
            with pytest.raises(Unsolvable):
                maze_flow.prove(level)
            refuted += 1
            continue
        claim = maze_flow.prove(level)
        assert (claim.lower, claim.solution) == (states.optimum, states.least_solution())
        _, figures = maze.verify(level, claim)
        expected = states.figures()
        assert {name: figures[name] for name in expected} == expected
        solved += 1
    assert refuted > 1000
