"""What solvers say of the states of a level, against plain search over the rules."""

from __future__ import annotations

import json
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpb_gen.games import GAMES
from lpb_gen.games.base import Unproven
from lpb_gen.generators import maze_flow
from lpb_gen.generators.maze_growth import has_dead_end
from lpb_gen.runners import solving
from lpb_gen.runners.solving import SOLVERS, Judge

import strategies


def lot(rows: int, columns: int, *vehicles: tuple[int, int, str]) -> str:
    """A Truck Escape board of vehicles of length 2: row and column of the front, and the direction."""
    told = [{"front": [row, column], "dir": way, "len": 2} for row, column, way in vehicles]
    return json.dumps({"size": [rows, columns], "vehicles": told})


BOARDS = {
    "bolt": [
        '{"size": [6, 7], "holes": [[2, 0], [1, 1], [3, 1], [4, 1], [1, 2], [4, 3], [5, 3], [0, 4], [5, 6]], '
        '"screws": [3, 4, 5, 6, 8], "boards": [{"a": [4, 1], "b": [5, 3], "holes": [3, 6]}, '
        '{"a": [1, 2], "b": [4, 3], "holes": [4, 5]}, {"a": [4, 3], "b": [5, 6], "holes": [5, 8]}]}',
    ],
    "color": ["A.A/B.B/...", "AB./.../.BA"],
    "maze": ["...S/.###/....", "#../.../..#/S..", "...../.S.##/...../....#/###..", "..#../.#.../...../.#.#./S..#."],
    "rush": ["oooBoo/oooBoo/AAoBoo/oooooo/oooooo/oooooo", "BBoooC/oooooC/AAoDoC/oooDoo/oooEEE/oooooo"],
    "nut": [
        '{"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], []]}',
        '{"capacity": 3, "bolts": [[3, 1, 2], [2, 1, 1], [3, 2, 3], []]}',
        '{"capacity": 4, "bolts": [[1, 2, 1, 2], [2, 1, 2, 1], [], []]}',
    ],
    "truck": [
        lot(4, 5, (0, 1, "R"), (0, 3, "U"), (2, 3, "U")),
        lot(4, 5, (0, 1, "R"), (1, 2, "L"), (1, 4, "U"), (2, 1, "U")),
        lot(4, 4, (0, 1, "R"), (0, 2, "L"), (2, 0, "D")),
    ],
}


def plain_distances(level: Judge, limit: int = 20_000) -> dict[Any, float]:
    """Of every state that play reaches: by the moves backwards from the solved ones."""
    game, board = level.game, level.board
    before: dict[Any, list[Any]] = {game.start(board): []}
    queue = list(before)
    for state in queue:
        for move in game.moves(board, state):
            after = game.apply(board, state, move)
            if after not in before:
                before[after] = []
                queue.append(after)
            before[after].append(state)
        assert len(queue) < limit
    far = dict.fromkeys(queue, inf)
    near = [state for state in queue if game.solved(board, state)]
    far |= dict.fromkeys(near, 0)
    for state in near:
        for earlier in before[state]:
            if far[earlier] == inf:
                far[earlier] = far[state] + 1
                near.append(earlier)
    return far


def level_of(name: str, text: str) -> Judge:
    return Judge(name, GAMES[name].read(text))


def test_every_solver_is_tested() -> None:
    assert set(BOARDS) == set(SOLVERS)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in BOARDS.items() for text in texts])
def test_distances_and_lost_states_are_those_of_plain_search(name: str, text: str) -> None:
    level = level_of(name, text)
    for state, moves in plain_distances(level).items():
        assert level.remaining(state) in ((0, inf, None) if name in ("bolt", "color") else (moves,))
        assert level.is_lost(state) is (moves == inf)


def test_the_boards_here_hold_lost_states() -> None:
    start, *others = plain_distances(level_of("nut", BOARDS["nut"][1])).values()
    assert (start, others.count(inf)) == (6, 5)
    assert inf in plain_distances(level_of("bolt", BOARDS["bolt"][0])).values()


@given(strategies.maze_boards())
@settings(max_examples=60)
def test_any_maze_is_judged_as_plain_search_does(board: Any) -> None:
    level = Judge("maze", board)
    far = plain_distances(level)
    for state, moves in far.items():
        known = level.remaining(state)
        if known is None:  # a cell on no slide at all
            assert moves == inf
        else:
            assert (known, level.is_lost(state)) == (moves, moves == inf)


@given(strategies.maze_boards(), st.data())
@settings(max_examples=40)
def test_the_flow_from_any_state_agrees_with_the_distances(board: Any, data: st.DataObject) -> None:
    level = Judge("maze", board)
    far = plain_distances(level)
    if inf in far.values():
        return
    assert not has_dead_end(level.board)
    state = data.draw(st.sampled_from(sorted(far)))
    assert maze_flow.remaining(level.board, state) == far[state]


def test_where_there_are_too_many_positions_a_maze_is_judged_by_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    far = plain_distances(level_of("maze", BOARDS["maze"][3]))
    monkeypatch.setattr(solving, "POSITIONS", 10)
    monkeypatch.setattr(solving, "FLOWS", 30)
    level = level_of("maze", BOARDS["maze"][3])
    known = {state: level.remaining(state) for state in far}
    told = {state: moves for state, moves in known.items() if moves is not None}
    assert len(told) == 30 + list(far.values()).count(0)  # nobody is asked of solved ones
    assert all(far[state] == moves for state, moves in told.items())
    assert not any(level.is_lost(state) for state in far)


def test_beyond_the_limit_nothing_is_said_of_a_rush(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "POSITIONS", 10)
    level = level_of("rush", BOARDS["rush"][1])
    start = level.game.start(level.board)
    assert (level.remaining(start), level.is_lost(start)) == (None, None)


def test_beyond_the_limit_of_searches_a_nut_level_says_still_what_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "SEARCHES", 1)
    level = level_of("nut", BOARDS["nut"][2])
    far = plain_distances(level)
    assert sum(level.remaining(state) is not None for state, moves in far.items() if 0 < moves < inf) == 1
    assert all(level.is_lost(state) is (moves == inf) for state, moves in far.items())


def test_what_the_border_tables_leave_open_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(board: Any, state: Any) -> bool:
        raise Unproven("not decided")

    monkeypatch.setattr("lpb_gen.generators.nut_solver.is_dead", give_up)
    judge = level_of("nut", BOARDS["nut"][0])
    start = judge.game.start(judge.board)
    assert (judge.remaining(start), judge.is_lost(start)) == (None, None)


def test_a_state_is_asked_for_once() -> None:
    asked: list[Any] = []

    class Counting:
        def remaining(self, state: Any) -> float | None:
            asked.append(state)
            return 1

    level = level_of("maze", BOARDS["maze"][0])
    level._solver = Counting()  # type: ignore[assignment]
    start = level.game.start(level.board)
    assert level.remaining(start) == level.remaining(start) == 1
    assert asked == [start]


def test_the_order_of_bolts_makes_no_other_state() -> None:
    level = level_of("nut", BOARDS["nut"][0])
    assert level.key(((1, 2), (2,), ())) == level.key(((), (2,), (1, 2)))
    assert level.key(((1, 2), (2,), ())) != level.key(((2, 1), (2,), ()))
