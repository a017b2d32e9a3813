"""Truck Escape's rules, boards and input, by hand-checked boards."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_truck import lot

from lpb_gen.games.base import IllegalMove, InvalidBoard, Pointer
from lpb_gen.games.truck import GAME, Bumped, Pressed, can_leave, empty_cells, is_there
from lpb_gen.games.truck_board import images, route
from lpb_gen.games.truck_scene import MARGIN

from strategies import positions, truck_boards

BOARD = lot("..a..", "b>a..", "..v.^", "....c")  # 0 drives against 1; 1 and 2 can leave
START = GAME.start(BOARD)
BOARD_OF_ROADS = lot(
    "......", "......", "......", "r>..^.", "....l.", roads={"rows": [1], "columns": [2, 4]}
)  # 0 turns down into column 2, 1 turns left into row 1


# --- rules ------------------------------------------------------------------------------------------------------------


def test_a_vehicle_leaves_where_every_cell_up_to_the_edge_is_empty() -> None:
    assert list(GAME.moves(BOARD, START)) == [1, 2]
    after = GAME.apply(BOARD, START, 1)
    assert [is_there(after, n) for n in range(3)] == [True, False, True]
    assert list(GAME.moves(BOARD, after)) == [0, 2]


def test_how_far_a_blocked_vehicle_drives_is_up_to_what_stands_in_its_way() -> None:
    board = lot("a>..^", "....b", "....#", "c>...")
    start = GAME.start(board)
    assert [empty_cells(board, start, n) for n in range(3)] == [2, 0, 3]
    assert [can_leave(board, start, n) for n in range(3)] == [False, True, True]
    walled = lot("a>..#", ".....")
    assert list(GAME.moves(walled, GAME.start(walled))) == []


@pytest.mark.parametrize("move", [0, 3, -1, True, "1", None, 1.0])
def test_a_move_that_is_blocked_or_none_is_refused(move: Any) -> None:
    with pytest.raises(IllegalMove):
        GAME.apply(BOARD, START, move)


def test_who_has_left_cannot_leave_again() -> None:
    with pytest.raises(IllegalMove, match=r"vehicle 2 .* has left already"):
        GAME.apply(BOARD, GAME.apply(BOARD, START, 1), 1)


def test_solved_means_the_lot_is_empty_and_progress_is_the_share_that_left() -> None:
    state, shares = START, []
    for move in (1, 0, 2):
        shares.append(GAME.progress(BOARD, state))
        assert not GAME.solved(BOARD, state)
        state = GAME.apply(BOARD, state, move)
    assert GAME.solved(BOARD, state)
    assert [*shares, GAME.progress(BOARD, state)] == pytest.approx([0, 1 / 3, 2 / 3, 1])


@given(st.data())
def test_a_departure_makes_no_other_one_illegal_and_takes_one_vehicle_away(data: st.DataObject) -> None:
    board, state = data.draw(positions(GAME))
    legal = list(GAME.moves(board, state))
    for move in legal:
        after = GAME.apply(board, state, move)
        assert after.bit_count() == state.bit_count() - 1
        assert set(legal) - {move} <= set(GAME.moves(board, after))


@given(st.data())
def test_every_order_of_departures_leaves_the_same_vehicles_in_the_end(data: st.DataObject) -> None:
    board, ends = GAME.board(data.draw(truck_boards())), set()
    for _ in range(3):
        state = GAME.start(board)
        while moves := list(GAME.moves(board, state)):
            state = GAME.apply(board, state, data.draw(st.sampled_from(moves)))
        ends.add(state)
    assert len(ends) == 1


# --- roads ------------------------------------------------------------------------------------------------------------


def test_a_turning_vehicle_follows_the_first_road_that_crosses_its_way() -> None:
    right, left = BOARD_OF_ROADS.vehicles
    assert (right.turn, left.turn) == ("R", "L")
    assert route(BOARD_OF_ROADS, right) == ((3, 2), (4, 2))
    assert route(BOARD_OF_ROADS, left) == ((2, 4), (1, 4), (1, 3), (1, 2), (1, 1), (1, 0)), "it stands along column 4"


def test_a_vehicle_round_the_corner_blocks_a_turning_one() -> None:
    board = lot("......", ".a>...", "......", "....^.", "....l.", roads={"rows": [1], "columns": []})
    assert list(GAME.moves(board, GAME.start(board))) == [0]
    assert empty_cells(board, GAME.start(board), 1) == 3


@given(st.data())
def test_a_route_ends_at_the_edge_and_never_crosses_its_own_vehicle(data: st.DataObject) -> None:
    board = GAME.board(data.draw(truck_boards()))
    for vehicle in board.vehicles:
        cells = route(board, vehicle)
        assert len(set(cells)) == len(cells)
        assert not set(cells) & set(vehicle.body)
        row, column = (*vehicle.body[:1], *cells)[-1]
        assert row in (0, board.rows - 1) or column in (0, board.columns - 1)


# --- boards -----------------------------------------------------------------------------------------------------------


def test_the_terminal_shows_arrows_bodies_walls_and_roads() -> None:
    assert GAME.write(BOARD, START).splitlines() == ["..|..", "-→|..", "..↓.↑", "....|"]
    assert GAME.write(BOARD, GAME.apply(BOARD, START, 1)).splitlines() == [".....", "-→...", "....↑", "....|"]
    rows = GAME.write(BOARD_OF_ROADS, GAME.start(BOARD_OF_ROADS)).splitlines()
    assert rows == ["..:.:.", "::::::", "..:.:.", "R→:.↑.", "..:.L."]


def test_a_board_is_read_from_compact_json_and_walls_and_roads_may_be_left_out() -> None:
    value = {"size": [2, 3], "vehicles": [{"front": [0, 0], "dir": "L", "len": 2}]}
    board = GAME.board(GAME.read(json.dumps(value)))
    assert GAME.dump(board) == {**value, "walls": []}
    assert GAME.board({**value, "walls": [], "roads": {}}) == board


CAR = {"front": [1, 1], "dir": "U", "len": 2}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vehicles": [CAR, {"front": [2, 2], "dir": "R", "len": 3}]}, r"vehicle 2 .* overlaps vehicle 1 .* in row 3"),
        ({"vehicles": [CAR, CAR]}, r"vehicle 2 \(row 2, column 2, facing up\) overlaps"),
        ({"walls": [[2, 1]]}, "vehicle 1 .* overlaps a wall in row 3, column 2"),
        ({"walls": [[4, 0]]}, "the wall in row 5, column 1 is off the lot"),
        ({"walls": [[0]]}, r'"walls" is \[\[0\]\]'),
        ({"vehicles": [{**CAR, "front": [3, 0]}]}, "vehicle 1 .* is off the lot of 4 by 5 cells"),
        ({"vehicles": [{**CAR, "front": [-1, 0], "dir": "D"}]}, "is off the lot"),
        ({"vehicles": [{**CAR, "dir": "N"}]}, "\"dir\" of vehicle 1 is 'N'; write U, D, L or R"),
        ({"vehicles": [{**CAR, "dir": "UD"}]}, '"dir" of vehicle 1'),
        ({"vehicles": [{**CAR, "len": 4}]}, '"len" of vehicle 1 is 4; write 2 or 3'),
        ({"vehicles": [{**CAR, "len": True}]}, '"len" of vehicle 1 is True'),
        ({"vehicles": [{**CAR, "front": [1.5, 1]}]}, '"front" of vehicle 1'),
        ({"vehicles": [{**CAR, "turn": "U"}]}, '"turn" of vehicle 1'),
        ({"vehicles": [{**CAR, "turn": "L"}]}, "turns, but no road crosses its way"),
        ({"roads": {"rows": [1], "columns": []}, "vehicles": [{**CAR, "turn": "L"}]}, "no road crosses its way"),
        ({"vehicles": [{**CAR, "colour": "red"}]}, "vehicle 1 is"),
        ({"vehicles": [7]}, "vehicle 1 is 7"),
        ({"vehicles": []}, "0 vehicles; give a list of 1 to 60"),
        ({"vehicles": [CAR] * 61}, "61 vehicles"),
        ({"vehicles": {}}, '"vehicles" is {}'),
        ({"size": [4, 21]}, r'"size" is \[4, 21\]; write \[rows, columns\], 2 to 20'),
        ({"size": 4}, '"size" is 4'),
        ({"roads": [1]}, '"roads" is'),
        ({"roads": {"rows": [4]}}, '"roads" is .* rows from 0 to 3'),
        ({"exit": 1}, 'a truck board has "size"'),
    ],
)
def test_a_bad_board_says_what_is_wrong_in_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidBoard, match=message) as caught:
        GAME.board({"size": [4, 5], "walls": [], "vehicles": [CAR], **change})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["a>..", "", "..\n..", "{"])
def test_text_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(InvalidBoard, match="there is no text notation"):
        GAME.board(GAME.read(text))


@given(truck_boards())
def test_canonical_ignores_the_eight_symmetries_and_the_order_of_vehicles(value: dict[str, Any]) -> None:
    board = GAME.board(value)
    shuffled = GAME.board({**value, "vehicles": value["vehicles"][::-1]})
    same = [*images(board), shuffled]
    assert len(same) == 9
    assert {GAME.canonical(GAME.board(GAME.dump(image))) for image in same} == {GAME.canonical(board)}


@given(truck_boards())
def test_the_images_of_a_board_play_alike(value: dict[str, Any]) -> None:
    board = GAME.board(value)
    wanted = list(GAME.moves(board, GAME.start(board)))
    for image in images(board):
        assert list(GAME.moves(image, GAME.start(image))) == wanted
        assert [len(route(image, v)) for v in image.vehicles] == [len(route(board, v)) for v in board.vehicles]


def test_canonical_tells_different_boards_apart() -> None:
    boards = [
        lot("a>...", "....."),
        lot("<a...", "....."),
        lot(".a>..", "....."),
        lot("aa>..", "....."),
        lot("a>..#", "....."),
        lot("a>...", ".....", "....."),
        lot("a>...", ".....", roads={"rows": [], "columns": [3]}),
        lot("r>...", ".....", roads={"rows": [], "columns": [3]}),
        lot("l>...", ".....", roads={"rows": [], "columns": [3]}),
    ]
    assert len({GAME.canonical(board) for board in boards}) == len(boards)


# --- input ------------------------------------------------------------------------------------------------------------


def at(row: float, column: float, kind: Any) -> Pointer:
    return Pointer(kind, MARGIN + column + 0.5, MARGIN + row + 0.5)


def click(*where: tuple[float, float]) -> tuple[Any, list[int]]:
    """A press at the first place and a release at the last one: the ui after it, and the moves that it meant."""
    ui, moves = None, []
    kinds = ["down", *["move"] * (len(where) - 1), "up"]
    for kind, place in zip(kinds, (*where, where[-1]), strict=True):
        ui, move = GAME.touch(BOARD, START, ui, at(*place, kind))
        moves += [] if move is None else [move]
    return ui, moves


@pytest.mark.parametrize(
    ("where", "moves"),
    [
        ([(0, 2)], [1]),
        ([(2, 2)], [1]),  # any cell of it
        ([(0, 2), (2, 2)], [1]),  # press and release on the same vehicle
        ([(1, 0)], [0]),  # blocked: a move that the rules forbid
        ([(0, 2), (0, 3)], []),  # released elsewhere
        ([(3, 0)], []),  # an empty cell
        ([(-1, 2)], []),  # the lane
        ([(9, 9)], []),
    ],
)
def test_a_click_sends_the_vehicle_under_it_off(where: list[tuple[float, float]], moves: list[int]) -> None:
    assert click(*where)[1] == moves


def test_nothing_happens_before_the_pointer_goes_up() -> None:
    ui, move = GAME.touch(BOARD, START, None, at(0, 2, "down"))
    assert (ui, move) == (Pressed(1), None)
    assert GAME.scene(BOARD, START, ui) != GAME.scene(BOARD, START, None), "being held shows"


def test_a_bump_is_marked_until_the_next_press() -> None:
    ui, _ = click((1, 0))
    assert ui == Bumped(0)
    assert GAME.scene(BOARD, START, ui) != GAME.scene(BOARD, START, None)
    assert GAME.touch(BOARD, START, ui, at(3, 0, "up")) == (ui, None)
    assert GAME.touch(BOARD, START, ui, at(3, 0, "down")) == (None, None)
    assert click((0, 2))[0] is None, "a departure leaves no mark"


def test_a_bump_shows_where_the_vehicle_was_stopped() -> None:
    near, far = lot("a>^..", "..b.."), lot("a>.^.", "...b.")
    pictures = [GAME.scene(board, GAME.start(board), Bumped(0)).items for board in (near, far)]
    assert pictures[0][-1] != pictures[1][-1]
