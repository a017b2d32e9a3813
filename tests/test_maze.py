"""Maze Paint, by hand-checked boards."""

from __future__ import annotations

import pytest
from hypothesis import given

from lpb_gen.games.base import IllegalMove, InvalidBoard, Pointer
from lpb_gen.games.maze import GAME, MARGIN, Drag, State

from strategies import maze_boards


def mask(*cells: int) -> int:
    return sum(1 << c for c in cells)


BOARD = GAME.board({"rows": ["..#.", "S..#", "...."]})  # cells 0-3, 4-7, 8-11


def test_the_start_is_painted() -> None:
    assert GAME.start(BOARD) == State(4, mask(4))


def test_a_slide_paints_every_cell_up_to_the_wall() -> None:
    assert GAME.apply(BOARD, GAME.start(BOARD), "R") == State(6, mask(4, 5, 6))


def test_a_slide_ends_at_the_edge() -> None:
    assert GAME.apply(BOARD, State(8, mask(4, 8)), "R") == State(11, mask(4, 8, 9, 10, 11))


def test_a_swipe_against_a_wall_or_the_edge_is_no_move() -> None:
    assert list(GAME.moves(BOARD, State(6, mask(4, 5, 6)))) == ["D", "L"]
    with pytest.raises(IllegalMove, match="'R'"):
        GAME.apply(BOARD, State(6, mask(4, 5, 6)), "R")
    with pytest.raises(IllegalMove, match="'L'"):
        GAME.apply(BOARD, GAME.start(BOARD), "L")


def test_solved_means_every_floor_cell_painted() -> None:
    corridor = GAME.board({"rows": ["S..", "##."]})
    bend = GAME.apply(corridor, GAME.start(corridor), "R")
    assert not GAME.solved(corridor, bend)
    assert GAME.progress(corridor, bend) == pytest.approx(2 / 3)
    end = GAME.apply(corridor, bend, "D")
    assert GAME.solved(corridor, end)
    assert GAME.progress(corridor, end) == 1


def test_text_notation_takes_slashes_and_newlines() -> None:
    assert GAME.read("..#./S..#/....") == GAME.read("..#.\nS..#\n....\n") == GAME.dump(BOARD)


def test_a_terminal_drawing_shows_ball_paint_and_walls() -> None:
    assert GAME.write(BOARD, GAME.apply(BOARD, GAME.start(BOARD), "R")) == "..#.\noo@#\n...."


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["..#.", "S.."], "row 2 has 3 cells where row 1 has 4"),
        (["S..", "..S"], "2 starts"),
        (["...", "..."], "0 starts"),
        (["S.X"], "'X' in row 1, column 3"),
        (["S##"], "no floor cell"),
        ([""], "0 cells|1 by 0"),
        (["S." + "." * 70], "1 by 72"),
        (["S.", 7], "list of strings"),
    ],
)
def test_a_bad_board_says_what_is_wrong(rows: list[object], message: str) -> None:
    with pytest.raises(InvalidBoard, match=message):
        GAME.board({"rows": rows})


def quarter_turn(rows: list[str]) -> list[str]:
    return ["".join(column) for column in zip(*rows[::-1], strict=True)]


@given(maze_boards())
def test_canonical_is_the_same_for_all_eight_symmetries(value: dict[str, list[str]]) -> None:
    rows, forms = value["rows"], set()
    for _ in range(4):
        rows = quarter_turn(rows)
        forms |= {GAME.canonical(GAME.board({"rows": image})) for image in (rows, rows[::-1])}
    assert len(forms) == 1


@given(maze_boards())
def test_canonical_ignores_walls_around_the_board(value: dict[str, list[str]]) -> None:
    rows = value["rows"]
    framed = ["#" * (len(rows[0]) + 3), *(f"#{row}##" for row in rows), "#" * (len(rows[0]) + 3)]
    assert GAME.canonical(GAME.board({"rows": framed})) == GAME.canonical(GAME.board(value))


def test_canonical_tells_different_starts_and_shapes_apart() -> None:
    boards = [["S..", "..."], [".S.", "..."], ["S..", "..#"], ["S.", "..", ".."], ["S..."]]
    forms = [GAME.canonical(GAME.board({"rows": rows})) for rows in boards]
    assert forms[0] == forms[3]  # a quarter turn
    assert len(set(forms)) == 4


def drag(x0: float, y0: float, x1: float, y1: float) -> object:
    state, ui, moves = GAME.start(BOARD), None, []
    for kind, x, y in (("down", x0, y0), ("move", x1, y1), ("up", x1, y1)):
        ui, move = GAME.touch(BOARD, state, ui, Pointer(kind, x, y))
        moves += [] if move is None else [move]
    assert not isinstance(ui, Drag)
    return moves


@pytest.mark.parametrize(
    ("delta", "moves"),
    [((1, 0), ["R"]), ((-1, 0.2), ["L"]), ((0.3, 2), ["D"]), ((0, -0.6), ["U"]), ((0.1, 0.2), [])],
)
def test_a_drag_is_a_swipe_in_its_main_direction(delta: tuple[float, float], moves: list[str]) -> None:
    x, y = MARGIN + 1.5, MARGIN + 1.5
    assert drag(x, y, x + delta[0], y + delta[1]) == moves


def test_arrow_keys_swipe_and_other_keys_do_nothing() -> None:
    state = GAME.start(BOARD)
    keys = {"ArrowUp": "U", "ArrowDown": "D", "ArrowLeft": "L", "ArrowRight": "R", "w": None, "Enter": None}
    for key, move in keys.items():
        assert GAME.touch(BOARD, state, None, Pointer("key", key=key))[1] == move
