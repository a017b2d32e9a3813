"""The Maze Paint prover of the generator side: minimum, witness, potential, arguments of unsolvability."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from naive_maze import States, board

from lpb_gen.games.base import Unproven, Unsolvable, states_along
from lpb_gen.games.maze import GAME, Board, floor_mask, slides
from lpb_gen.generators import maze_flow, maze_graph, maze_potential, maze_walk
from lpb_gen.generators.maze_graph import SlideGraph, refutation, slide_graph

from strategies import maze_boards

# the relaxation proves 40 slides, 41 are needed
LOOSE = (
    ".........######/.####.##.######/.##.#.##.##..../###.#.##.#####./###............/#####.##.###.#./......##.###.#./"
    ".####.#......../.####.##.#.#.#./.####.##.#.#.../...........#.##/.###.###.#...##/.....###.###.../##.#.##.S....../"
    "##......######."
)


def graph_of(level: Board) -> tuple[Any, Any]:
    graph = slide_graph(level)
    return graph, maze_potential.arrays(graph)


# --- the minimum ------------------------------------------------------------------------------------------------------


def test_known_minima_come_out(known_values: Callable[[str], list[dict[str, Any]]]) -> None:
    rows = known_values("maze.jsonl")
    assert len(rows) == 20
    for row in rows:
        level = board(row["board"])
        claim = maze_flow.prove(level)
        assert len(claim.solution) == claim.lower == maze_flow.minimum(level) == row["slides"]
        assert maze_flow.lower_bound(level) <= row["slides"]
        *_, last = states_along(GAME, level, claim.solution)
        assert GAME.solved(level, last)


@given(maze_boards())
def test_flow_and_brute_force_agree(value: Any) -> None:
    level = GAME.board(value)
    states = States(level)
    if states.optimum is None:
        with pytest.raises(Unsolvable):
            maze_flow.prove(level)
    else:
        claim = maze_flow.prove(level)
        assert claim.lower == states.optimum
        assert claim.solution == states.least_solution()
        assert maze_flow.lower_bound(level) <= states.optimum


def multicommodity_value(level: Board) -> float:
    """The relaxation in another form, by a library: a unit of flow to each required cell, within the slides' x."""
    from ortools.linear_solver import pywraplp

    graph = slide_graph(level)
    solver = pywraplp.Solver.CreateSolver("GLOP")
    edges, nodes = range(len(graph.tails)), range(len(graph.stops))
    x = [solver.NumVar(0, solver.infinity(), "") for _ in edges]
    ends = [solver.NumVar(0, 1, "") for _ in nodes]
    for v in nodes:
        out = solver.Sum([x[e] for e in edges if graph.tails[e] == v])
        into = solver.Sum([x[e] for e in edges if graph.heads[e] == v])
        solver.Add(out - into + ends[v] == (v == 0))
    for c in range(len(graph.required)):
        flow = [solver.NumVar(0, solver.infinity(), "") for _ in edges]
        for e in edges:
            solver.Add(flow[e] <= x[e])
        for v in nodes:
            out = solver.Sum([flow[e] for e in edges if graph.tails[e] == v])
            into = solver.Sum([flow[e] for e in edges if graph.heads[e] == v and not graph.paints[e] >> c & 1])
            solver.Add(out - into == (v == 0))
    solver.Minimize(solver.Sum(x))
    assert solver.Solve() == solver.OPTIMAL
    return solver.Objective().Value()


def test_the_relaxation_has_the_value_that_a_library_finds(known_values: Callable[[str], list[dict[str, Any]]]) -> None:
    for text in (*(row["board"] for row in known_values("maze.jsonl")), "S../.#./..."):
        assert maze_flow.lower_bound(board(text)) == ceil(multicommodity_value(board(text)) - 1e-6)


# --- the witness ------------------------------------------------------------------------------------------------------


@given(maze_boards())
def test_the_witness_does_not_depend_on_the_bounds(value: Any) -> None:
    level = GAME.board(value)
    try:
        claim = maze_flow.prove(level)
    except Unsolvable:
        assume(False)
    graph, a = graph_of(level)
    relaxation = maze_potential.relax(a, 0, range(len(graph.required)))
    nothing = maze_potential.Potential(1, np.zeros(a.nodes, np.int64), np.zeros((a.nodes, a.paints.shape[1]), np.int64))
    assert maze_walk.least_walk(graph, a, relaxation, nothing, claim.lower)[0] == claim.solution
    assert maze_walk.least_walk(graph, a, relaxation, nothing, claim.lower - 1)[0] is None


def test_learning_potentials_and_a_growing_table_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    level = board(LOOSE)
    graph, a = graph_of(level)
    relaxation = maze_potential.relax(a, 0, range(len(graph.required)))
    nothing = maze_potential.Potential(1, np.zeros(a.nodes, np.int64), np.zeros((a.nodes, a.paints.shape[1]), np.int64))
    solution, potentials = maze_walk.least_walk(graph, a, relaxation, nothing, 41)
    assert len(potentials) > 1
    assert solution == maze_flow.prove(level).solution
    monkeypatch.setattr(maze_walk, "STATES", 500)
    with pytest.raises(Unproven, match="500 states"):
        maze_walk.least_walk(graph, a, relaxation, nothing, 41)


def test_a_claim_is_the_same_in_another_process() -> None:
    code = (
        "from lpb_gen.games.maze import GAME; from lpb_gen.generators import maze_flow; import sys;"
        "c = maze_flow.prove(GAME.board(GAME.read(sys.argv[1]))); print(c.lower, c.solution, dict(c.evidence))"
    )
    run = subprocess.run([sys.executable, "-c", code, LOOSE], capture_output=True, text=True, check=True, timeout=120)
    claim = maze_flow.prove(board(LOOSE))
    assert run.stdout.strip() == f"{claim.lower} {claim.solution} {dict(claim.evidence)}"


# --- potentials -------------------------------------------------------------------------------------------------------


def height(potential: Any, state: Any) -> int:
    """h of the module ``maze_potential``, from its JSON."""
    row = potential["stops"].index(state.ball)
    return potential["pi"][row] + sum(
        w for cell, w in zip(potential["cells"], potential["w"][row], strict=True) if not state.painted >> cell & 1
    )


@given(maze_boards())
def test_no_potential_claims_more_than_is_left_in_any_state(value: Any) -> None:
    level = GAME.board(value)
    try:
        claim = maze_flow.prove(level)
    except Unsolvable:
        assume(False)
    states = States(level)
    for potential in (claim.evidence["potential"], *claim.evidence.get("guides", ())):
        assert all(height(potential, state) <= potential["D"] * left for state, left in states.left.items())
        assert -(-height(potential, states.start) // potential["D"]) == potential["bound"]
    assert claim.evidence["potential"]["bound"] == maze_flow.lower_bound(level)


def test_a_loose_bound_comes_with_guides() -> None:
    claim = maze_flow.prove(board(LOOSE))
    assert claim.lower == 41
    assert claim.evidence["potential"]["bound"] == 40
    assert claim.evidence["guides"]


@given(maze_boards(), st.data())
def test_rounding_at_any_scale_keeps_a_potential(value: Any, data: st.DataObject) -> None:
    level = GAME.board(value)
    try:
        maze_flow.prove(level)
    except Unsolvable:
        assume(False)
    graph, a = graph_of(level)
    cells = range(len(graph.required))
    relaxation = maze_potential.relax(a, 0, cells)
    potential = maze_potential.rounded(a, relaxation, data.draw(st.integers(1, 10**6)))
    json = maze_flow._evidence(graph, potential)
    assert all(height(json, state) <= potential.scale * left for state, left in States(level).left.items())


# --- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("S.#.", "no slide reaches the cell in row 1, column 4"),
        ("S#./#..", "no slide reaches the cell in row 1, column 3"),
        ("...../####./S.#..", "no slide reaches the cell in row 1, column 1"),
        ("#.#/.S./#.#", "cannot come back from painting row 1, column 2 to paint row 2, column 1"),
    ],
)
def test_an_unsolvable_board_is_refused_with_the_argument(text: str, words: str) -> None:
    level = board(text)
    assert States(level).optimum is None
    with pytest.raises(Unsolvable, match=words):
        maze_flow.prove(level)
    with pytest.raises(Unsolvable, match=words):
        maze_flow.minimum(level)


def test_three_cells_of_which_any_two_can_be_painted_are_refused_too() -> None:
    moves: tuple[Any, ...] = ("U", "L", "R")
    graph = SlideGraph((0, 1, 2, 3), (0, 0, 0), (1, 2, 3), moves, (0b011, 0b110, 0b101), (1, 2, 3), 4)
    assert refutation(graph) == "no way through the 4 regions that the ball cannot come back from paints every cell"
    assert refutation(replace(graph, paints=(0b011, 0b110, 0b111))) is None


@given(maze_boards())
def test_one_way_regions_decide_solvability(value: Any) -> None:
    level = GAME.board(value)
    try:
        refuted = refutation(slide_graph(level)) is not None
    except Unsolvable:
        refuted = True
    assert refuted == (States(level).optimum is None)


@given(maze_boards())
def test_required_cells_stand_for_all(value: Any) -> None:
    level = GAME.board(value)
    try:
        graph = slide_graph(level)
    except Unsolvable:
        assume(False)
    required = sum(1 << cell for cell in graph.required)
    assert not required >> level.start & 1
    assert list(graph.required) == sorted(graph.required)
    for state in States(level).distance:
        assert (state.painted & required == required) == (state.painted == floor_mask(level))


@given(maze_boards())
def test_the_slide_graph_has_the_slides_of_the_rules(value: Any) -> None:
    level = GAME.board(value)
    try:
        graph = slide_graph(level)
    except Unsolvable:
        assume(False)
    expected = [
        (cell, stop, move, sum(1 << i for i, c in enumerate(graph.required) if passed >> c & 1))
        for cell in graph.stops
        for move, (stop, passed) in slides(level)[cell].items()
    ]
    ends = ((graph.stops[tail], graph.stops[head]) for tail, head in zip(graph.tails, graph.heads, strict=True))
    assert expected == [(*e, m, p) for e, m, p in zip(ends, graph.moves, graph.paints, strict=True)]


# --- limits -----------------------------------------------------------------------------------------------------------


def test_limits_say_unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    level = board("..#.../....../....../.....#/....../S..#..")
    with monkeypatch.context() as patch:
        patch.setattr(maze_flow, "DETERMINISTIC_TIME", 0.0)
        with pytest.raises(Unproven, match="CP-SAT"):
            maze_flow.prove(level)
    maze_flow._relaxed.cache_clear()
    monkeypatch.setattr(maze_potential, "WORK", 100_000)
    with pytest.raises(Unproven, match="linear relaxation"):
        maze_flow.lower_bound(level)
    maze_flow._relaxed.cache_clear()


def test_all_models_of_a_board_share_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    from ortools.sat.python import cp_model

    limits: list[float] = []
    solve = cp_model.CpSolver.solve

    def watched(solver: Any, model: Any) -> Any:
        limits.append(solver.parameters.max_deterministic_time)
        return solve(solver, model)

    monkeypatch.setattr(cp_model.CpSolver, "solve", watched)
    assert maze_flow.minimum(board("....../.#..../.#..../.#..../.#..../...S.#")) == 9
    assert len(limits) > 1
    assert all(later < earlier for earlier, later in pairwise(limits))


def test_all_relaxations_of_a_board_share_one_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, a = graph_of(board(LOOSE))
    allowance = maze_potential.Allowance(10**9)
    relaxation = maze_potential.relax(a, 0, range(len(graph.required)), allowance=allowance)
    assert 0 < allowance.left < 10**9
    nothing = maze_potential.Potential(1, np.zeros(a.nodes, np.int64), np.zeros((a.nodes, a.paints.shape[1]), np.int64))
    asked: list[int] = []

    def watched(arrays: Any, start: int, *rest: Any) -> Any:
        asked.append(start)
        return maze_potential.relax(arrays, start, *rest)

    monkeypatch.setattr(maze_walk, "relax", watched)
    monkeypatch.setattr(maze_walk, "STATES", 20_000)
    assert maze_walk.least_walk(graph, a, relaxation, nothing, 40, allowance)[0] is None
    assert asked
    asked.clear()
    with pytest.raises(Unproven, match="20,000 states"):
        maze_walk.least_walk(graph, a, relaxation, nothing, 40, maze_potential.Allowance(0))
    assert not asked


def test_one_way_regions_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maze_graph, "COMPARISONS", 0)
    with pytest.raises(Unproven, match="one-way regions"):
        maze_flow.prove(board(".S./#.#"))
