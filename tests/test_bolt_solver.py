"""Bolt Unscrew proven: A*, orders and plans, the verifier's searches, against each other and the rules."""

from __future__ import annotations

import dataclasses
from typing import Any

import naive_bolt
import numpy as np
import pytest
from hypothesis import given, settings

from lpb_gen.games.base import Claim, Unproven, Unsolvable
from lpb_gen.games.bolt import GAME, State
from lpb_gen.games.bolt_board import Board
from lpb_gen.generators import bolt as generator
from lpb_gen.generators import bolt_growth
from lpb_gen.generators.base import Candidate, InvalidParams, Rejected
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers import bolt as verifier
from lpb_gen.verifiers import bolt_figures, bolt_plans
from lpb_gen.verifiers.bolt_orders import Orders
from lpb_gen.verifiers.certificate import ProofFailed
from lpb_gen.verifiers.state_graph import from_which

from strategies import bolt_boards

PARAMS: dict[str, Any] = {"screws": [5, 8], "boards": [3, 5], "size": [[5, 6], [6, 7]], "free": [2, 7]}
HARD: dict[str, Any] = {
    "screws": [11, 13], "boards": [7, 9], "size": [[7, 8], [9, 10]], "free": [4, 12],
    "dead": [0.3, 0.8], "finisher": [0, 0.9], "latency": 1.5, "stumbles": True,
}  # fmt: skip

# One screw, two moves: the only free hole at first is in the lane of the slanting board; when the upright one has
# fallen, its upper hole is free as well.
TWICE = GAME.board(
    {
        "size": [2, 2],
        "holes": [[0, 1], [1, 0], [0, 0], [1, 1]],
        "screws": [0],
        "boards": [{"a": [0, 1], "b": [1, 0], "holes": [0, 1]}, {"a": [0, 1], "b": [0, 0], "holes": [0, 2]}],
    }
)
# The screws below stop the board above, and its holes are of no use while it hangs there.
DEAD = GAME.board(
    {
        "size": [5, 4],
        "holes": [[0, 0], [1, 0], [0, 1], [4, 1], [2, 3], [4, 3], [0, 3]],
        "screws": [2, 3, 4, 5, 6],
        "boards": [{"a": [0, 1], "b": [4, 1], "holes": [2, 3]}, {"a": [0, 3], "b": [4, 3], "holes": [4, 5, 6]}],
    }
)


def grown(index: int, params: dict[str, Any] = PARAMS) -> Board | None:
    """A random layout with some free holes, whatever they make of it."""
    p, stream = generator.params(params), Stream([11], (0, index))
    columns, rows = (stream.between(*side) for side in p.size)
    layout = bolt_growth.grow(bolt_growth.Plan(columns, rows, p.boards, p.screws), stream)
    if layout is None:
        return None
    places = layout.free_places(stream)
    return GAME.board(layout.finished(places[: stream.between(*p.free)]))


@pytest.fixture(scope="module")
def hard() -> Candidate[Board]:
    """A level of 11 to 13 screws that a player may well lose."""
    p = generator.params(HARD)
    made = (generator.generate(p, Stream([5], (0, i))) for i in range(400))
    return next(one for one in made if isinstance(one, Candidate))


# --- two methods ------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(bolt_boards())
def test_solver_verifier_and_rules_agree_on_every_state_of_small_levels(value: Any) -> None:
    board = GAME.board(value)
    graph = naive_bolt.reachable(board)
    if graph is None:
        return
    left = naive_bolt.distances(graph)
    kinds = {naive_bolt.alike(board, state) for state in graph}
    found = verifier.explored(board, 10**6)
    assert found[0]
    assert len(found[1]) == len(kinds)
    alive = from_which((found[1] == 0).astype(np.uint8), found[5], found[6])
    assert int(alive.sum()) == len({naive_bolt.alike(board, state) for state in left})
    ways = {naive_bolt.alike(board, s): {naive_bolt.alike(board, t) for t in after} for s, after in graph.items()}
    assert len(found[6]) >= sum(len(after - {kind}) for kind, after in ways.items()), "a move that changes something"
    for state in list(graph)[:: max(1, len(graph) // 40)]:
        assert generator.is_dead(board, state) == (state not in left)
        assert Orders(board, state).is_solvable() == (state in left)
    start = GAME.start(board)
    assert generator.count_plans(board).solvable == (start in left)
    assert tuple(bolt_plans.count_plans(board, 10**5)) == dataclasses.astuple(generator.count_plans(board))
    if start not in left:
        assert found[-1] < 0
        assert verifier.refute(board) is not None
        with pytest.raises(Unsolvable):
            generator.solve(board)
        return
    claim = generator.solve(board)
    assert claim.lower == left[start] == found[-1]
    assert verifier.refute(board) is None
    _, figures = verifier.verify(board, claim)
    assert figures["reachable_states"] == len(kinds)
    assert figures["random_survival"] == pytest.approx(_survival(graph, left)[start], rel=1e-5)


def _survival(graph: naive_bolt.Graph, left: dict[State, int]) -> dict[State, float]:
    """By a dense linear solver over hole-to-hole moves: an absorbing chain, dead states worth nothing."""
    rows = [state for state in graph if left.get(state, 0) > 0]
    place = {state: i for i, state in enumerate(rows)}
    matrix, gain = np.eye(len(rows)), np.zeros(len(rows))
    for state in rows:
        for after in graph[state]:
            if not after.planks:
                gain[place[state]] += 1 / len(graph[state])
            elif after in place:
                matrix[place[state], place[after]] -= 1 / len(graph[state])
    values = np.linalg.solve(matrix, gain)
    return {state: float(values[i]) for state, i in place.items()}


def disagreements(boards: list[Board]) -> list[Board]:
    """Levels where A*, orders or plans differ from the search of all states."""
    wrong = []
    for board in boards:
        found = verifier.explored(board, 10**6)
        assert found[0]
        try:
            length = generator.solve(board).lower
        except Unsolvable:
            length = -1
        plans = generator.count_plans(board)
        if (length, plans.solvable, Orders(board, GAME.start(board)).is_solvable()) != (
            found[-1],
            found[-1] >= 0,
            found[-1] >= 0,
        ) or tuple(bolt_plans.count_plans(board, 10**6)) != dataclasses.astuple(plans):
            wrong.append(board)
    return wrong


def test_two_methods_agree_on_random_levels() -> None:
    boards = [board for board in map(grown, range(60)) if board is not None]
    assert disagreements(boards) == []
    assert len(boards) >= 40


@pytest.mark.slow
def test_two_methods_agree_on_a_thousand_random_levels() -> None:
    boards = [board for board in map(grown, range(1000, 2600)) if board is not None]
    assert len(boards) >= 1000
    assert disagreements(boards) == []


def test_every_dead_state_of_a_hard_level_is_dead_by_all_methods(hard: Candidate[Board]) -> None:
    board = hard.board
    state, seen = GAME.start(board), []
    stream = Stream([3], ())
    for _ in range(60):  # walks that go wrong sooner or later
        moves = list(GAME.moves(board, state))
        state = GAME.apply(board, state, stream.choice(moves)) if moves else GAME.start(board)
        seen.append(state)
    dead = [generator.is_dead(board, state) for state in seen]
    assert dead == [not Orders(board, state).is_solvable() for state in seen]
    assert len(set(dead)) == 2


# --- the verifier -----------------------------------------------------------------------------------------------------


def test_a_screw_may_have_to_move_twice() -> None:
    claim = generator.solve(TWICE)
    assert claim.solution == ((0, 3), (3, 2))
    certificate, figures = verifier.verify(TWICE, claim)
    assert certificate.proofs[0] == "exhaustive search"
    assert "screw bound" not in certificate.proofs
    assert figures["fatal_move_share"] == 0
    assert figures["trap_latency"] is None
    assert figures["random_survival"] == 1


def test_a_hard_level_has_all_figures(hard: Candidate[Board]) -> None:
    certificate, figures = verifier.verify(hard.board, hard.claim)
    assert certificate.lower == certificate.upper == figures["optimal_length"] == len(hard.claim.solution)
    assert certificate.proofs[0] == "exhaustive search"
    assert 0 < figures["dead_state_share"] < 1
    assert 0 < figures["fatal_move_share"] < 1
    assert 0 <= figures["deception"] <= 1
    assert figures["trap_latency"]["max"] >= figures["trap_latency"]["mean"] >= 1
    assert figures["greedy_outcome"]["result"] in ("dead_end", "loops")
    assert 0 < figures["random_survival"] < 1
    assert figures["finisher_survival"] == pytest.approx(generator.finisher_survival(hard.board), rel=1e-5)
    assert figures["finisher_survival"] <= 0.9


def test_a_level_with_too_many_states_is_certified_by_plans(hard: Candidate[Board]) -> None:
    certificate, figures = verifier.verify(hard.board, hard.claim, limit=10)
    plans = generator.count_plans(hard.board)
    assert certificate.proofs[0] in ("bounded search", "screw bound")
    assert figures["dead_plan_share"] == pytest.approx(plans.dead_share, abs=1e-6)
    assert figures["fatal_plan_share"] == pytest.approx(plans.fatal_share, abs=1e-6)
    assert figures["plan_latency_mean"] == pytest.approx(plans.latency, abs=1e-6)
    assert "plan level" in certificate.methods["dead_plan_share"]
    states = ("dead_state_share", "fatal_move_share", "trap_latency")
    for name in (*states, "reachable_states", "deception", "random_survival"):
        assert figures[name] is None
        assert "unknown" in certificate.methods[name]


def test_the_plan_level_has_its_own_figures_also_where_all_states_are_known(hard: Candidate[Board]) -> None:
    _, whole = verifier.verify(hard.board, hard.claim)
    _, part = verifier.verify(hard.board, hard.claim, limit=10)
    assert whole["dead_state_share"] is not None
    for name in ("dead_plan_share", "fatal_plan_share", "plan_latency_max", "plan_latency_mean", "finisher_survival"):
        assert whole[name] == part[name] is not None


def test_the_bounded_search_proves_and_refutes() -> None:
    assert verifier._bounded(TWICE, 2) > 0
    with pytest.raises(ProofFailed, match="2 moves suffice, not 3"):
        verifier._bounded(TWICE, 3)


def test_a_false_claim_is_rejected() -> None:
    claim = generator.solve(TWICE)
    longer = Claim(((0, 3), (3, 2)), 1, claim.method)
    roundabout = Claim(((0, 3), *claim.solution[1:], (2, 0)), 3, claim.method)
    for false in (
        longer,
        roundabout,
        dataclasses.replace(claim, lower=3),
        dataclasses.replace(claim, solution=claim.solution[:-1], lower=1),
        dataclasses.replace(claim, solution=((0, 2), *claim.solution[1:])),
    ):
        with pytest.raises(ProofFailed):
            verifier.verify(TWICE, false)


def test_a_solution_that_is_not_the_shortest_is_rejected(hard: Candidate[Board]) -> None:
    state = GAME.start(hard.board)
    (source, target), *rest = hard.claim.solution
    free = [t for s, t in GAME.moves(hard.board, state) if s == source and t != target]
    detour = ((source, free[0]), (free[0], target), *rest)
    with pytest.raises(ProofFailed, match="moves are the minimum"):
        verifier.verify(hard.board, Claim(detour, len(detour), "detour"))


def test_an_unsolvable_board_is_proven_so_by_both_sides() -> None:
    with pytest.raises(Unsolvable, match="no order of taking screws out"):
        generator.solve(DEAD)
    assert "boards are left in all" in (verifier.refute(DEAD) or "")
    assert "none of the orders" in (verifier.refute(DEAD, limit=2) or "")


def test_searches_that_meet_their_limits_say_so(hard: Candidate[Board]) -> None:
    start = GAME.start(hard.board)
    with pytest.raises(Unproven, match="not proven within 5 states"):
        generator.solve(hard.board, 5)
    with pytest.raises(Unproven, match="not decided within"):
        generator.is_dead(hard.board, start, 1)
    with pytest.raises(Unproven, match="not counted within 5 plans"):
        generator.count_plans(hard.board, 5)
    with pytest.raises(Unproven, match="more than 5 plans"):
        bolt_plans.count_plans(hard.board, 5)
    with pytest.raises(Unproven, match="more than 1 sets"):
        Orders(hard.board, start, limit=1).is_solvable()


def test_the_greedy_player_is_followed_on_the_board_itself() -> None:
    assert bolt_figures.greedy(TWICE) == {"result": "solves", "moves": 2}
    assert bolt_figures.greedy(DEAD)["result"] == "dead_end"


# --- the generator ----------------------------------------------------------------------------------------------------


def test_a_candidate_lies_in_its_bands_and_depends_on_its_stream_alone() -> None:
    p = generator.params(PARAMS | {"fatal": [0.01, 0.3], "length": [5, 8]})
    made = [generator.generate(p, Stream([3], (0, i))) for i in range(40)]
    assert made == [generator.generate(p, Stream([3], (0, i))) for i in range(40)]
    kept = [one for one in made if isinstance(one, Candidate)]
    assert kept
    for one in kept:
        assert 5 <= one.claim.lower <= 8
        assert 0.01 <= generator.count_plans(one.board).fatal_share <= 0.3
        assert 5 <= len(one.board.screws) <= 8
    assert {one.reason for one in made if isinstance(one, Rejected)} <= {
        "no_layout", "unsolvable", "too_safe", "too_risky", "too_short", "too_long", "unproven"
    }  # fmt: skip


def test_no_hole_of_a_generated_level_lies_half_under_a_board_and_no_screw_goes_through_wood() -> None:
    for board in filter(None, map(grown, range(30))):
        for hole, point in enumerate(board.holes):
            owners = board.relations.owners[hole]
            for number, plank in enumerate(board.planks):
                distance = naive_bolt.distance_squared(point, plank.a, plank.b)
                assert distance == 0 or distance * 10_000 >= 58**2
                if distance == 0 and hole in board.screws and number < owners.bit_length():
                    assert owners >> number & 1, "a board below the uppermost one that a screw goes through has a hole"


@pytest.mark.parametrize("band", [(5, 7), (12, 14), (22, 24), (1, 3), (39, 60)])
def test_a_wish_becomes_parameters(band: tuple[float, float]) -> None:
    p = generator.params(generator.ask({"optimal_length": band}))
    assert p.length is not None
    assert p.length[0] == band[0]
    assert generator.params(generator.ask({"dead_state_share": (0.3, 0.7)})).dead is not None
    assert generator.params(generator.ask({})).length is None


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"boards": 4, "size": [6, 8]}, "'screws' is missing"),
        ({"screws": 6, "boards": 4}, "'size' is missing"),
        (PARAMS | {"screws": [6, 50]}, "integer from 2 to 40"),
        (PARAMS | {"boards": [5, 4]}, "smaller number first"),
        (PARAMS | {"size": 7}, r"write \[columns, rows\]"),
        (PARAMS | {"dead": [0.5, 0.1]}, "two shares"),
        (PARAMS | {"finisher": 0.5}, "two shares"),
        (PARAMS | {"latency": "long"}, "'latency' is 'long'"),
        (PARAMS | {"stumbles": 1}, "true or false"),
        (PARAMS | {"planks": 4}, "unknown parameter 'planks'"),
    ],
)
def test_a_bad_parameter_says_what_is_wrong(block: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParams, match=message):
        generator.params(block)
