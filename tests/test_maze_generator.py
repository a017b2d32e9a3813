"""The Maze Paint generator: its compiled loops against the rules in games/, and the levels that come out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpb_gen.games.base import states_along
from lpb_gen.games.maze import GAME, Board, State, floor_mask, slides
from lpb_gen.generators import maze, maze_growth, maze_kernel, maze_search
from lpb_gen.generators.base import Candidate, InvalidParams, Rejected
from lpb_gen.generators.stream import Stream

from strategies import maze_boards


def stream(index: int) -> Stream:
    return Stream([20261129], [0, index])


def board(text: str) -> Board:
    return GAME.board(GAME.read(text))


def reachable(start: Board) -> dict[State, int]:
    """Every state that play can reach, with its distance, by breadth-first search over the rules."""
    distance = {GAME.start(start): 0}
    queue = list(distance)
    for state in queue:
        for move in GAME.moves(start, state):
            after = GAME.apply(start, state, move)
            if after not in distance:
                distance[after] = distance[state] + 1
                queue.append(after)
    return distance


def unsolvable(start: Board) -> set[State]:
    """The reachable states from which the board cannot be solved."""
    states = reachable(start)
    alive = {state for state in states if GAME.solved(start, state)}
    grew = True
    while grew:
        more = {
            s for s in states if s not in alive and any(GAME.apply(start, s, m) in alive for m in GAME.moves(start, s))
        }
        grew = bool(more)
        alive |= more
    return set(states) - alive


# --- compiled loops and rules agree -----------------------------------------------------------------------------------


@given(maze_boards())
def test_the_compiled_slide_graph_is_that_of_the_rules(value: Any) -> None:
    start = GAME.board(value)
    grid, stride, first = maze_growth.padded(start)
    number, stops = np.empty(grid.size, np.int32), np.empty(grid.size, np.int32)
    to = np.empty(4 * grid.size, np.int32)
    n = maze_kernel.slide_graph(grid, stride, first, number, stops, to)

    def cell(padded: int) -> int:
        row, column = divmod(padded, stride)
        return (row - 1) * start.width + column - 1

    table = slides(start)
    reached = {start.start}
    queue = [start.start]
    for at in queue:
        for stop, _ in table[at].values():
            if stop not in reached:
                reached.add(stop)
                queue.append(stop)
    assert {cell(stop) for stop in stops[:n]} == reached
    for u in range(n):
        found = {"UDLR"[d]: cell(stops[to[4 * u + d]]) for d in range(4) if to[4 * u + d] >= 0}
        assert found == {move: stop for move, (stop, _) in table[cell(stops[u])].items()}


@given(maze_boards())
def test_exhaustive_search_finds_the_minimum_of_the_rules(value: Any) -> None:
    start = GAME.board(value)
    depths = [depth for state, depth in reachable(start).items() if GAME.solved(start, state)]
    result = maze_growth.minimum(start, 10**6)
    assert not result.capped
    assert result.length == min(depths, default=None)
    if result.moves is not None:
        assert len(result.moves) == result.length
        assert GAME.solved(start, [*states_along(GAME, start, result.moves)][-1])


@given(maze_boards())
def test_the_dead_end_test_is_exact(value: Any) -> None:
    start = GAME.board(value)
    assert maze_growth.has_dead_end(start) == bool(unsolvable(start))


def test_known_minima_come_out_right(known_values: Callable[[str], list[dict[str, Any]]]) -> None:
    rows = known_values("maze.jsonl")
    assert [maze_growth.minimum(board(row["board"]), 10**6).length for row in rows] == [row["slides"] for row in rows]


def test_capped_is_not_unsolvable() -> None:
    solvable, hopeless = board("##../##../..../S..."), board("S.#/..#/##.")
    assert maze_growth.minimum(solvable, 10**6).length is not None
    capped = maze_growth.minimum(solvable, 3)
    assert capped.capped
    assert capped.length is None
    assert capped.states == 3
    unreachable = maze_growth.minimum(hopeless, 10**6)
    assert not unreachable.capped
    assert unreachable.length is None


def test_a_search_that_sees_every_state_without_a_solution_says_unsolvable() -> None:
    one_way = board("##.#/#.S./##.#")  # leaving the middle for one arm loses another
    result = maze_growth.minimum(one_way, 10**6)
    assert (result.length, result.capped) == (None, False)


@given(maze_boards())
def test_search_keys_of_several_words_change_nothing(value: Any) -> None:
    n, to, cover, cells = maze_growth.slide_masks(*maze_growth.padded(GAME.board(value)))
    masks, goal, required = maze_search.required_masks(n, to, cover, cells)
    if required < 1:
        return
    spread = np.zeros((4 * n, 4), np.uint64)  # required cell b moves to a position far up, in one of four words
    aim = np.zeros(4, np.uint64)
    for b in range(required):
        at = maze_search.STOP_BITS + b
        bit = np.uint64(1) << np.uint64(63 - b)
        aim[b % 4] |= bit
        spread[:, b % 4] |= ((masks[:, at >> 6] >> np.uint64(at & 63)) & np.uint64(1)) * bit
    length, moves, states = maze_search.shortest(to, masks, goal, 10**6)
    wide_length, wide_moves, wide_states = maze_search.shortest(to, spread, aim, 10**6)
    assert (wide_length, list(wide_moves), wide_states) == (length, list(moves), states)


def test_texture_counts_what_makes_a_board_look_like_noise() -> None:
    def texture(text: str) -> tuple[int, int, int]:
        grid, stride, _ = maze_growth.padded(board(text))
        return tuple(int(n) for n in maze_kernel.texture(grid, stride))  # type: ignore[return-value]

    assert texture("S../.../...") == (4, 0, 0)
    assert texture("S../.#./...") == (0, 1, 0)
    assert texture("#S#/.../#.#") == (0, 0, 1)


def test_unused_finds_the_largest_solid_square_and_the_empty_borders() -> None:
    grid, _, _ = maze_growth.padded(board("####S/####./####./#####"))
    assert tuple(maze_kernel.unused(grid, 4, 5)) == (4, 2)


# --- levels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("low", "high", "count"), [(7, 12, 12), (13, 16, 8), (18, 25, 6)])
def test_levels_hit_the_band_fill_their_grid_and_have_no_dead_end(low: int, high: int, count: int) -> None:
    p = maze.params({"length": [low, high]})
    results = [maze.generate(p, stream(i)) for i in range(count)]
    levels = [result for result in results if isinstance(result, Candidate)]
    assert len(levels) >= count // 2
    for level in levels:
        assert low <= len(level.claim.solution) == level.claim.lower <= high
        assert maze_growth.minimum(level.board, 10**6).length == level.claim.lower
        assert not maze_growth.has_dead_end(level.board)
        assert sum(mask for mask, _ in _painted_by_some_slide(level.board)) == floor_mask(level.board)
        for line in (level.board.rows[0], level.board.rows[-1], *zip(*level.board.rows, strict=True)):
            assert "." in line
        assert level.claim.evidence  # tight levels by preference
    assert len({level.board for level in levels}) == len(levels)


def _painted_by_some_slide(start: Board) -> list[tuple[int, int]]:
    """(bit of a cell, the cell) for all that slides between stops of the start's component paint."""
    table, seen, queue, painted = slides(start), {start.start}, [start.start], 1 << start.start
    for at in queue:
        for stop, passed in table[at].values():
            painted |= passed
            if stop not in seen:
                seen.add(stop)
                queue.append(stop)
    return [(1 << cell, cell) for cell in range(start.width * start.height) if painted >> cell & 1]


@given(st.integers(3, 7), st.integers(3, 7), st.integers(1, 14), st.integers(0, 5), st.integers(0, 10**6))
def test_every_grown_board_is_sound(height: int, width: int, target: int, squares: int, seed: int) -> None:
    look = maze_growth.style(height, width, squares)
    grown = maze_growth.grow(height, width, target, look, stream(seed), steps=20, state_cap=30_000)
    assert GAME.board(GAME.dump(grown.board)) == grown.board
    assert (grown.board.height, grown.board.width) == (height, width)
    assert grown.exact
    assert grown.length == maze_growth.minimum(grown.board, 10**6).length
    assert not maze_growth.has_dead_end(grown.board)
    counts = maze_kernel.texture(*maze_growth.padded(grown.board)[:2])
    assert all(n <= most for n, most in zip(counts, (look.squares, look.pillars, look.crossings), strict=True))


def test_targets_spread_over_the_band() -> None:
    p = maze.params({"length": [7, 12]})
    results = [maze.generate(p, stream(i)) for i in range(60)]
    assert {len(r.claim.solution) for r in results if isinstance(r, Candidate)} == set(range(7, 13))


def test_a_candidate_depends_on_params_and_stream_only() -> None:
    p = maze.params({"length": [10, 20], "size": [[7, 9], 8]})
    forwards = [maze.generate(p, stream(i)) for i in range(6)]
    backwards = [maze.generate(p, stream(i)) for i in reversed(range(6))]
    assert forwards == backwards[::-1]


def test_the_growth_of_a_stream_never_changes() -> None:
    """Level bytes are for ever: a change here is a new generator version."""
    grown = maze_growth.grow(6, 7, 10, maze_growth.style(6, 7, 2), stream(0), steps=100, state_cap=30_000)
    assert (grown.board.rows, grown.board.start, grown.length) == GOLDEN


GOLDEN = ((".......", ".#.##..", ".#.##.#", "...##.#", "#####..", "####..."), 39, 10)


def test_long_levels_are_grown_and_proven() -> None:
    p = maze.params({"length": [40, 60], "require_potential": False})
    level = next(r for i in range(5) if isinstance(r := maze.generate(p, stream(i)), Candidate))
    assert 40 <= len(level.claim.solution) == level.claim.lower <= 60


def test_a_length_out_of_reach_is_rejected_with_the_length_that_came_out() -> None:
    p = maze.params({"length": [60, 62], "size": [6, 6]})
    result = maze.generate(p, stream(0))
    assert isinstance(result, Rejected)
    assert result.reason == "too_short"
    assert result.optimal_length is not None
    assert 5 <= result.optimal_length < 40


def test_a_board_that_leaves_its_grid_empty_is_rejected() -> None:
    result = maze.generate(maze.params({"length": [7, 7], "size": [20, 20]}), stream(0))
    assert isinstance(result, Rejected)
    assert result.reason == "unused_grid"


def test_a_disagreement_of_search_and_proof_is_a_fault_that_names_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = maze.solve

    def one_longer(start: Board) -> Any:
        claim = honest(start)
        return type(claim)(claim.solution + claim.solution[-1:], claim.lower + 1, claim.method, claim.evidence)

    monkeypatch.setattr(maze, "solve", one_longer)
    with pytest.raises(AssertionError, match="rows"):
        maze.generate(maze.params({"length": [8, 10]}), stream(1))


def test_reading_parameters_loads_neither_compiler_nor_solver() -> None:
    words = "import sys, lpb_gen.generators as g; g.GENERATORS['maze'].params({'length': [7, 12]}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numba", "ortools"} & set(loaded)


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({}, "'length' is missing"),
        ({"length": [7, 12], "colour": 3}, "unknown parameter 'colour'"),
        ({"length": [12, 7]}, "smaller number first"),
        ({"length": 12}, r"write a range \[low, high\]"),
        ({"length": [0, 12]}, "an integer from 1"),
        ({"length": [7, True]}, "an integer from 1"),
        ({"length": [7.0, 12]}, "an integer from 1"),
        ({"length": [7, 12], "size": 6}, "auto, or"),
        ({"length": [7, 12], "size": [6, 99]}, "an integer from 3 to 24"),
        ({"length": [7, 12], "size": [[6, 7, 8], 6]}, "a range"),
        ({"length": [7, 12], "attempts": 0}, "an integer from 1"),
        ({"length": [7, 12], "require_potential": 1}, "true or false"),
        ({"length": [7, 12], "open_squares": -1}, "an integer from 0"),
    ],
)
def test_a_broken_block_is_refused_in_words(block: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParams, match=message):
        maze.params(block)


@pytest.mark.parametrize(
    ("wish", "length"),
    [
        ({"optimal_length": (18, 25)}, [18, 25]),
        ({"optimal_length": (18.5, 25.5)}, [19, 25]),
        ({"optimal_length": (30, float("inf"))}, [30, 40]),
        ({"optimal_length": (float("-inf"), 25)}, [7, 25]),
        ({"optimal_length": (float("-inf"), 5)}, [5, 5]),
        ({"optimal_length": (50, 500)}, [50, 105]),
        ({"optimal_length": (900, 910)}, [900, 910]),
        ({"optimal_length": (10**9, 10**9)}, [10_000, 10_000]),
        ({"optimal_length": (-5, 0)}, [1, 1]),
        ({"optimal_length": (18.2, 18.8)}, [19, 19]),
        ({"optimal_length": (float("inf"), float("inf"))}, [10_000, 10_000]),
        ({"floor_cells": (30, 40)}, [18, 25]),
        ({}, [18, 25]),
    ],
)
def test_a_wish_becomes_parameters_that_are_valid(wish: dict[str, tuple[float, float]], length: list[int]) -> None:
    block = maze.ask(wish)
    assert block["length"] == length
    assert maze.params(block).length == tuple(length)


def test_unreachable_wishes_end_with_the_nearest_length() -> None:
    result = maze.generate(maze.params(maze.ask({"optimal_length": (900, 910)})), stream(0))
    assert isinstance(result, Rejected)
    assert result.reason == "too_short"
