"""Rush Hour's rules, notation and input, by hand-checked boards."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpb_gen.games.base import IllegalMove, InvalidBoard, Pointer
from lpb_gen.games.rush import GAME, Drag, rows_of
from lpb_gen.games.rush_scene import MARGIN

from strategies import positions, rush_boards

ROWS = ["..BBBC", ".....C", ".AA..C", "......", "..x...", "......"]
BOARD = GAME.board({"rows": ROWS})
START = GAME.start(BOARD)  # A at column 1, B at column 2, C at row 0


def test_a_vehicle_slides_any_distance_up_to_the_first_obstacle() -> None:
    assert list(GAME.moves(BOARD, START)) == ["A-1", "A+1", "A+2", "B-1", "B-2", "C+1", "C+2", "C+3"]
    assert GAME.apply(BOARD, START, "C+3") == (1, 2, 3)


def test_walls_stop_vehicles() -> None:
    board = GAME.board({"rows": ["AA..", "B...", "B...", "x..."]})
    assert list(GAME.moves(board, GAME.start(board))) == ["A+1", "A+2"]


@pytest.mark.parametrize("move", ["A+3", "A+4", "B+1", "C-1", "C+4", "A+0", "Z+1", "x+1", "A", "A+10", 3, None])
def test_a_move_that_is_blocked_or_none_is_refused(move: Any) -> None:
    with pytest.raises(IllegalMove):
        GAME.apply(BOARD, START, move)


def test_solved_means_the_target_touches_the_exit_edge() -> None:
    state = GAME.apply(BOARD, START, "C+3")
    assert not GAME.solved(BOARD, state)
    state = GAME.apply(BOARD, state, "A+3")
    assert GAME.solved(BOARD, state)
    assert GAME.progress(BOARD, state) == 1
    with pytest.raises(IllegalMove, match="solved"):
        GAME.apply(BOARD, state, "A-1")


def test_progress_counts_the_way_and_what_stands_in_it() -> None:
    assert GAME.progress(BOARD, START) == 0
    assert GAME.progress(BOARD, GAME.apply(BOARD, START, "C+3")) == pytest.approx(0.2)
    assert GAME.progress(BOARD, GAME.apply(BOARD, START, "A+2")) == pytest.approx(0.8 * 2 / 3)
    assert GAME.progress(BOARD, GAME.apply(BOARD, START, "A-1")) == 0


def test_text_notation_takes_36_characters_slashes_and_newlines() -> None:
    line = "ooBBBCoooooCoAAooCooooooooxooooooooo"
    for text in (line, line.replace("o", "."), "/".join(ROWS), "\n".join(ROWS)):
        assert GAME.read(text) == {"rows": ROWS}
    assert GAME.write(BOARD, START) == "\n".join(ROWS)


def test_labels_are_kept() -> None:
    board = GAME.board({"rows": ["Z..7", "Z..7", "AA.7", "...."]})
    assert list(GAME.moves(board, GAME.start(board))) == ["A+1", "7+1"]
    assert rows_of(board, GAME.apply(board, GAME.start(board), "7+1")) == ["Z...", "Z..7", "AA.7", "...7"]


@pytest.mark.parametrize("line", ["AA..", "x" * 35, "x" * 9, "x" * 81])
def test_a_row_is_not_taken_for_a_board(line: str) -> None:
    assert GAME.is_one_board is not None
    assert not GAME.is_one_board(line)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AA../...", "row 2 has 3 cells"),
        ("AA../..../....", "the board is 3 by 4 cells"),
        ("AA......./........./........./.........", "the board is 4 by 9 cells"),
        ("..../..../..../....", "there is no target"),
        ("A.../A.../..../....", "the target A stands upright"),
        ("AA../..../AA../....", "two targets are called A, in row 1 and row 3"),
        ("AA../.BB./..../.BB.", "two vehicles are called B"),
        ("AA../.BB./..B./....", "vehicle B is bent, broken or overlapped"),
        ("AA../B..B/..../....", "vehicle B is bent, broken or overlapped"),
        ("AA../.B.C/.BBC/....", "vehicle B is bent, broken or overlapped"),
        ("AA../.B../..../....", "vehicle B has 1 cell"),
        ("AA../BBBB/..../....", "vehicle B has 4 cells"),
        ("AA.#/..../..../....", "'#' in row 1, column 4"),
        ("..AA/..../..../....", "touches the exit already"),
    ],
)
def test_a_bad_board_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InvalidBoard, match=message):
        GAME.board(GAME.read(text))


@pytest.mark.parametrize("value", [{"rows": ["AA..", 7]}, {"rows": "AA.."}, {"rows": ["AA.."], "exit": 2}, []])
def test_json_of_the_wrong_shape_is_refused(value: Any) -> None:
    with pytest.raises(InvalidBoard):
        GAME.board(value)


# --- invariants -------------------------------------------------------------------------------------------------------


@given(st.data())
def test_no_moves_break_the_vehicles_or_the_walls(data: st.DataObject) -> None:
    board, state = data.draw(positions(GAME, max_moves=30))
    rows = rows_of(board, state)
    assert sorted("".join(rows)) == sorted("".join(board.rows)), "no cell is lost, none doubled"
    again = GAME.board({"rows": rows}) if not GAME.solved(board, state) else None
    if again:
        kept = {(v.label, v.horizontal, v.line, v.length) for v in again.vehicles}
        assert kept == {(v.label, v.horizontal, v.line, v.length) for v in board.vehicles}
        assert [c == "x" for c in "".join(rows)] == [c == "x" for c in "".join(board.rows)]


@given(st.data())
def test_every_move_can_be_taken_back(data: st.DataObject) -> None:
    board, state = data.draw(positions(GAME))
    for move in GAME.moves(board, state):
        after = GAME.apply(board, state, move)
        if not GAME.solved(board, after):
            back = move.replace("+", "*").replace("-", "+").replace("*", "-")
            assert GAME.apply(board, after, back) == state


@given(st.data())
def test_all_positions_of_a_board_are_one_family(data: st.DataObject) -> None:
    board, state = data.draw(positions(GAME))
    if not GAME.solved(board, state):
        assert GAME.canonical(GAME.board({"rows": rows_of(board, state)})) == GAME.canonical(board)


@given(rush_boards())
def test_canonical_ignores_labels_and_the_mirror(value: dict[str, list[str]]) -> None:
    rows = value["rows"]
    renamed = [row.translate(str.maketrans("BCDEFG", "GFEDCB")) for row in rows]
    forms = {GAME.canonical(GAME.board({"rows": image})) for image in (rows, renamed, rows[::-1], renamed[::-1])}
    assert len(forms) == 1


def test_canonical_tells_different_boards_apart() -> None:
    texts = [
        "AA../..B./..B./....",
        "AA../..B./..B./..B.",
        "AA../.BB./..../....",
        "..../AA../..B./..B.",
        "AA../..B./..B./x...",
    ]
    assert len({GAME.canonical(GAME.board(GAME.read(text))) for text in texts}) == len(texts)


# --- input ------------------------------------------------------------------------------------------------------------


def drag(column: float, row: float, dx: float, dy: float) -> list[str]:
    x, y = MARGIN + column + 0.5, MARGIN + row + 0.5
    ui, moves = None, []
    for kind, at_x, at_y in (("down", x, y), ("move", x + dx, y + dy), ("up", x + dx, y + dy)):
        ui, move = GAME.touch(BOARD, START, ui, Pointer(kind, at_x, at_y))
        moves += [] if move is None else [move]
    assert ui is None
    return moves


@pytest.mark.parametrize(
    ("where", "delta", "moves"),
    [
        ((5, 0), (0, 2), ["C+2"]),
        ((5, 2), (0.4, 1.3), ["C+1"]),
        ((5, 1), (0, 9), ["C+3"]),  # stops at the edge
        ((1, 2), (5, 0), ["A+2"]),  # stops at the obstacle
        ((2, 2), (-0.6, 3), ["A-1"]),
        ((2, 2), (0.3, 0), []),  # ends where it began
        ((2, 2), (0, 3), []),  # across the axis
        ((0, 5), (3, 0), []),  # no vehicle there
        ((5, 0), (0, -1), ["C-1"]),  # blocked: a move that the rules forbid
    ],
)
def test_a_drag_slides_the_vehicle_under_it(
    where: tuple[float, float], delta: tuple[float, float], moves: list[str]
) -> None:
    assert drag(*where, *delta) == moves


def test_a_dragged_vehicle_follows_the_pointer_up_to_the_obstacle() -> None:
    still = GAME.scene(BOARD, START, None)
    pictures = [GAME.scene(BOARD, START, Drag(0, 0.0, way)) for way in (0.0, 0.7, 1.4, 2.0, 3.0, -1.0, -4.0)]
    assert len({still, *pictures}) == 6, "2 and 3 cells look alike, so do -1 and -4; being held shows"
    assert pictures[3] == pictures[4]
    assert pictures[5] == pictures[6]
