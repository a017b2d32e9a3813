"""Nut and Bolt proven: A* and border tables, the verifier's searches, against each other and the rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import naive_nut
import numpy as np
import pytest
from hypothesis import given, settings

from lpb_gen.games.base import Claim, InvalidBoard, Unsolvable
from lpb_gen.games.nut import GAME, Board
from lpb_gen.generators import nut_solver as solver
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers import nut as verifier
from lpb_gen.verifiers import nut_graph, nut_search, nut_tables
from lpb_gen.verifiers.base import replay
from lpb_gen.verifiers.certificate import ProofFailed

from strategies import nut_boards

BOARD = GAME.board(
    {"capacity": 4, "bolts": [[1, 2, 5, 1], [4, 1, 3, 4], [3, 3, 5, 3], [5, 2, 1, 5], [4, 4, 2, 2], [], []]}
)
DEAD = GAME.board({"capacity": 3, "bolts": [[1, 2, 3], [1, 2, 3], [1, 2, 3], []]})


def board_of(row: dict[str, Any]) -> Board:
    return GAME.board({"capacity": row["capacity"], "bolts": row["bolts"]})


def optimum_of(row: dict[str, Any]) -> int | None:
    """null in most rows, -1 in those with dead-end counts, stands for a proof that there is no solution."""
    return None if row["optimal"] in (None, -1) else row["optimal"]


# --- right answers from outside ---------------------------------------------------------------------------------------


def test_every_known_optimum_comes_out(known_values: Callable[[str], list[dict[str, Any]]]) -> None:
    rows = known_values("nut.jsonl")
    wrong = []
    for row in rows:
        board = board_of(row)
        try:
            claim = solver.solve(board)
        except Unsolvable:
            got = None
        else:
            got = replay(verifier.GAME, board, claim, moves="transfers", unsolved="some")
        if got != optimum_of(row):
            wrong.append((row, got))
    assert wrong == []
    assert len(rows) == 230


def test_every_known_count_of_dead_ends_comes_out(known_values: Callable[[str], list[dict[str, Any]]]) -> None:
    rows = [row for row in known_values("nut.jsonl") if "dead_states" in row]
    wanted = [
        tuple(row[k] for k in ("reachable_states", "dead_states", "fatal_moves", "moves_from_solvable")) for row in rows
    ]
    counts = [solver.dead_ends(board_of(row)) for row in rows]
    assert [(n.states, n.dead, n.fatal, n.transfers) for n in counts] == wanted
    assert len(rows) == 30
    told = "states modulo stack order; move = (source content,dest content) pair, null moves excluded"
    assert {row["metric"] for row in rows} == {told}, "state level, as ours"


def test_the_verifier_refutes_every_known_unsolvable_board(known_values: Callable[[str], list[dict[str, Any]]]) -> None:
    rows = [row for row in known_values("nut.jsonl") if optimum_of(row) is None]
    assert [row for row in rows if verifier.refute(board_of(row)) is None] == []
    assert len(rows) >= 30


# --- two methods ------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(nut_boards())
def test_solver_verifier_and_rules_agree_on_every_state_of_small_levels(value: Any) -> None:
    board = GAME.board(value)
    graph = naive_nut.reachable(board)
    left = naive_nut.distances(board, graph)
    found = nut_search.explore(verifier.packed(board), board.capacity, 10**6)
    assert found.outcome == nut_search.COMPLETE
    assert len(found.states) == len(graph)
    assert len(found.successors) == sum(map(len, graph.values()))
    alive = nut_graph.solvable_states(found.ends, found.successors, found.goal)
    assert int(alive.sum()) == len(left)
    for state in list(graph)[:: max(1, len(graph) // 40)]:
        assert solver.is_dead(board, state) == (state not in left)
        held = verifier.packed(board, state)
        assert nut_tables.count_tables(held, board.capacity, 10**5).solvable == (state in left)
    counts = solver.dead_ends(board)
    moves = [(state, after) for state, reached in graph.items() if state in left for after in reached]
    assert counts.states == len(graph)
    assert counts.dead == len(graph) - len(left)
    assert counts.transfers == len(moves)
    assert counts.fatal == sum(after not in left for _, after in moves)
    start = next(iter(graph))
    if start not in left:
        assert found.depth < 0
        assert verifier.refute(board) is not None
        with pytest.raises(Unsolvable):
            solver.solve(board)
        return
    claim = solver.solve(board)
    assert claim.lower == left[start] == found.depth
    _, figures = verifier.verify(board, claim)
    exact = naive_nut.figures(board)
    assert {name: figures[name] for name in exact} == exact
    assert figures["random_survival"] == pytest.approx(_survival(board, graph, left)[start], rel=1e-5)
    assert solver.borders(board).fatal_share == pytest.approx(exact["fatal_border_share"], abs=1e-6)


def _survival(board: Board, graph: Any, left: Any) -> dict[Any, float]:
    """By a dense linear solver: an absorbing chain, dead states worth nothing."""
    rows = [state for state in graph if state in left and not GAME.solved(board, state)]
    place = {state: i for i, state in enumerate(rows)}
    matrix, gain = np.eye(len(rows)), np.zeros(len(rows))
    for state in rows:
        for after in graph[state]:
            if GAME.solved(board, after):
                gain[place[state]] += 1 / len(graph[state])
            elif after in place:
                matrix[place[state], place[after]] -= 1 / len(graph[state])
    values = np.linalg.solve(matrix, gain)
    return {state: float(values[i]) for state, i in place.items()}


def shuffled(colours: int, capacity: int, spares: int, index: int) -> Board:
    stream = Stream([7, colours, capacity, spares], (0, index))
    nuts = [colour for colour in range(1, colours + 1) for _ in range(capacity)]
    stream.shuffle(nuts)
    bolts = [nuts[i : i + capacity] for i in range(0, len(nuts), capacity)]
    return GAME.board({"capacity": capacity, "bolts": [*bolts, *([] for _ in range(spares))]})


def disagreements(boards: list[Board]) -> list[Board]:
    wrong = []
    for board in boards:
        found = nut_search.explore(verifier.packed(board), board.capacity, 10**6)
        assert found.outcome == nut_search.COMPLETE
        try:
            length = solver.solve(board).lower
        except Unsolvable:
            length = -1
        counts = solver.dead_ends(board)
        alive = nut_graph.solvable_states(found.ends, found.successors, found.goal)
        if (length, counts.states, counts.dead) != (found.depth, len(alive), int((alive == 0).sum())):
            wrong.append(board)
    return wrong


SIZES = ((4, 3, 1), (5, 3, 2), (4, 4, 1), (4, 5, 1), (5, 4, 2), (6, 4, 1))


def test_two_methods_agree_on_random_levels() -> None:
    assert disagreements([shuffled(*size, index) for size in SIZES for index in range(10)]) == []


ODD_SIZES = ((3, 16, 1), (3, 5, 4), (4, 3, 4), (2, 16, 2), (5, 3, 3), (7, 3, 1))


def scattered(colours: int, capacity: int, spares: int, index: int) -> Board | None:
    """Nuts anywhere, so that most bolts are partly filled; None where they come out sorted."""
    stream = Stream([8, colours, capacity, spares], (0, index))
    nuts = [colour for colour in range(1, colours + 1) for _ in range(capacity)]
    stream.shuffle(nuts)
    bolts: list[list[int]] = [[] for _ in range(colours + spares)]
    for nut in nuts:
        stream.choice([bolt for bolt in bolts if len(bolt) < capacity]).append(nut)
    try:
        return GAME.board({"capacity": capacity, "bolts": bolts})
    except InvalidBoard:
        return None


def test_two_methods_agree_on_levels_of_odd_shapes() -> None:
    made = [scattered(*size, index) for size in ODD_SIZES for index in range(8)]
    boards = [board for board in made if board is not None]
    assert disagreements(boards) == []
    assert any(solver.is_dead(board, board.bolts) for board in boards)
    assert len(boards) > 40


@pytest.mark.slow
def test_two_methods_agree_on_a_thousand_random_levels() -> None:
    boards = [shuffled(*size, index) for size in SIZES for index in range(180)]
    assert disagreements(boards) == []
    assert len(boards) >= 1_000


# --- certificates -----------------------------------------------------------------------------------------------------


def test_a_certificate_names_its_methods_and_figures() -> None:
    certificate, figures = verifier.verify(BOARD, solver.solve(BOARD))
    assert certificate.proofs[0] == "exhaustive search"
    assert certificate.lower == certificate.upper == figures["optimal_length"] == 14
    assert "state level" in certificate.methods["fatal_move_share"]


def test_a_level_without_a_search_of_all_its_states_is_proven_too(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = solver.solve(BOARD)
    exact = verifier.verify(BOARD, claim)[1]
    monkeypatch.setattr(verifier, "STATE_LIMIT", 10)
    certificate, figures = verifier.verify(BOARD, claim)
    assert certificate.proofs[0] in ("bounded search", "block bound")
    assert figures["reachable_states"] is None
    assert "unknown" in certificate.methods["reachable_states"]
    assert figures["fatal_move_share"] is None
    assert "border level" in certificate.methods["fatal_border_share"]
    assert figures["fatal_border_share"] == exact["fatal_border_share"]
    assert figures["fatal_border_share"] == pytest.approx(solver.borders(BOARD).fatal_share, abs=1e-6)
    assert (figures["fatal_border_share"] > 0) == (exact["fatal_move_share"] > 0)


def test_the_bounded_search_proves_and_refutes() -> None:
    board = GAME.board({"capacity": 4, "bolts": [[3, 1, 3, 2], [4, 4, 4, 1], [2, 1, 4, 1], [3, 2, 2, 3], []]})
    start = verifier.packed(board)
    assert verifier._bounded(board, start, 10) == "bounded search"
    with pytest.raises(ProofFailed, match="10 transfers suffice"):
        verifier._bounded(board, start, 11)


def test_a_false_claim_is_rejected() -> None:
    claim = solver.solve(BOARD)
    back_and_forth = Claim(
        (*claim.solution[:1], claim.solution[0][::-1], *claim.solution), claim.lower + 2, claim.method
    )
    for false in (
        dataclasses.replace(claim, lower=claim.lower - 1),
        dataclasses.replace(claim, lower=claim.lower + 1),
        dataclasses.replace(claim, solution=claim.solution[:-1], lower=claim.lower - 1),
        dataclasses.replace(claim, solution=((0, 1), *claim.solution[1:])),
        back_and_forth,
    ):
        with pytest.raises(ProofFailed):
            verifier.verify(BOARD, false)


def test_an_unsolvable_board_is_proven_so_by_both_sides() -> None:
    with pytest.raises(Unsolvable):
        solver.solve(DEAD)
    assert "states that can be reached is solved" in (verifier.refute(DEAD) or "")


def test_a_search_that_meets_its_limit_says_so() -> None:
    from lpb_gen.games.base import Unproven

    with pytest.raises(Unproven, match="not proven within 5 states"):
        solver.prove(
            GAME.board({"capacity": 4, "bolts": [[3, 1, 3, 2], [4, 4, 4, 1], [2, 1, 4, 1], [3, 2, 2, 3], []]}), 5
        )
