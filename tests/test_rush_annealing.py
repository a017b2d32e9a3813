"""Rush Hour's annealing: the compiled depth of an arrangement against brute force and the other flood, and the changes
it proposes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from naive_rush import distances, random_board

from lpb_gen.games.rush import GAME, Board
from lpb_gen.generators import rush_anneal, rush_depth, rush_growth, rush_kernel, rush_packing
from lpb_gen.generators.stream import Stream

from strategies import rush_boards


def things_of(level: Board) -> Any:
    """The level as an arrangement, walls as things of one cell."""
    things = [(int(v.horizontal), v.line, v.first, v.length) for v in level.vehicles]
    things += [(1, r, c, 1) for r, row in enumerate(level.rows) for c, cell in enumerate(row) if cell == "x"]
    return np.array(things)


def has_a_free_exit_row(level: Board) -> bool:
    """Whether nothing but upright vehicles stands in the target's row, which is what annealing has."""
    target = level.vehicles[0]
    return "x" not in level.rows[target.line] and not any(
        v.horizontal and v.line == target.line for v in level.vehicles[1:]
    )


def depth_and_start(level: Board, cap: int, most_indices: int | None = None) -> tuple[int, int]:
    room = rush_depth.room_for(cap)
    if most_indices is not None:
        room = room._replace(bits=np.zeros(most_indices // 64, np.int64))
    things, lines = things_of(level), rush_depth.lines_of(level.height, level.width)
    row = level.vehicles[0].line
    found = rush_depth.depth(things, len(things), row, lines, cap, room)
    assert found == rush_depth.depth(things, len(things), row, lines, cap, room), "it is remembered"
    assert not room.bits.any(), "what was seen is forgotten"
    return int(found), int(room.start[0])


@settings(max_examples=40)
@given(rush_boards(vehicles=5).filter(lambda value: has_a_free_exit_row(GAME.board(value))))
def test_the_depth_of_an_arrangement_is_that_of_brute_force(value: Any) -> None:
    level = GAME.board(value)
    states = distances(level, [GAME.start(level)])
    left = distances(level, [state for state in states if GAME.solved(level, state)])
    for most_indices in (None, 0):
        found, start = depth_and_start(level, 100_000, most_indices)
        assert found == max(left.values(), default=0)
        if left:
            assert left[rush_packing.unpack(rush_packing.pack(level), start)] == found


@pytest.mark.parametrize(("sides", "vehicles", "cap"), [((5, 6), (8, 14), 3000), ((7, 8), (18, 22), 10_000)])
def test_the_depth_is_that_of_the_other_flood(sides: tuple[int, int], vehicles: tuple[int, int], cap: int) -> None:
    checked = 0
    for seed in range(150):
        level = random_board(seed, sides=sides, vehicles=vehicles)
        if not has_a_free_exit_row(level):
            continue
        packed = rush_packing.pack(level)
        size, states, distance = rush_kernel.flood(packed, cap)
        found, start = depth_and_start(level, cap)
        if size == rush_kernel.LIMIT or not len(states):
            assert found == 0, seed
        else:
            assert found == distance[-1], seed
            assert start == min(states[distance == found]), seed
            checked += 1
    assert checked >= 5


def test_a_change_moves_adds_or_takes_away_one_thing() -> None:
    task = rush_anneal.Task(2, 5, 12, 1, 40, 40, 50, changes=1, cap=1)
    lines, seed = rush_depth.lines_of(6, 6), Stream([3], [0]).words(1)
    now, after = (np.zeros((rush_depth.MOST_THINGS, 4), np.int64) for _ in range(2))
    count, differences = rush_anneal.begin(now, task, lines, seed), set()
    for _ in range(500):
        changed = rush_anneal.change(now, count, after, task, lines, seed)
        if not changed:
            continue
        board = rush_growth.arranged(6, 6, after[:changed].tolist())
        cells = sum(vehicle.length for vehicle in board.vehicles)
        assert 5 <= len(board.vehicles) <= 12
        assert "".join(board.rows).count("x") == 1
        assert len({board.cell(v, v.first + i) for v in board.vehicles for i in range(v.length)}) == cells
        assert has_a_free_exit_row(board)
        assert tuple(after[0]) == (1, 2, 0, 2), "the target stays"
        before, new = ({tuple(thing) for thing in t[:n].tolist()} for t, n in ((now, count), (after, changed)))
        assert len(before - new) <= 1
        assert len(new - before) <= 1
        differences.add(changed - count)
        now, after, count = after, now, changed
    assert differences == {-1, 0, 1}


def test_annealing_finds_what_it_says_and_the_same_again() -> None:
    plan = rush_growth.Plan(height=6, width=6, exit_row=2, vehicles=(9, 13), walls=0, target=25, band=(23, 35))
    grown = [rush_growth.anneal(plan, Stream([4], [0]), evaluations=600, state_cap=3000) for _ in range(2)]
    assert grown[0] == grown[1]
    assert rush_growth.minimum(grown[0].board) == grown[0].length > 5


def test_an_arrangement_whose_columns_keep_the_exit_row_closed_has_no_depth() -> None:
    level = GAME.board(GAME.read("..B.../..B.../AAB.../..C.../..C.../..C..."))
    assert depth_and_start(level, 1000) == (0, 0)
