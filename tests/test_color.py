"""Color Connect's rules, notation and input, by hand-checked boards."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpb_gen.games.base import IllegalMove, InvalidBoard, Pointer
from lpb_gen.games.color import GAME, VIOLATIONS, Board, Refused, State, rows_of
from lpb_gen.games.color_board import images
from lpb_gen.games.color_scene import middle
from lpb_gen.pipeline.boards import parse, read_boards

from strategies import color_boards, positions

ROWS = ["A..B", ".##.", "B..A", "...."]
BOARD = GAME.board({"rows": ROWS, "cover": False})
START = GAME.start(BOARD)


def after(*clicks: tuple[int, int], board: Board = BOARD) -> State:
    state = GAME.start(board)
    for click in clicks:
        state = GAME.apply(board, state, click)
    return state


def shown(*clicks: tuple[int, int], board: Board = BOARD) -> list[str]:
    return rows_of(board, after(*clicks, board=board))


# --- what a click does ------------------------------------------------------------------------------------------------


def test_a_line_is_drawn_by_its_dot_its_corners_and_its_other_dot() -> None:
    assert after((0, 0)) == State(((0,), ()), 0)
    assert after((0, 0), (1, 0)) == State(((0, 4), ()), 0)
    board = GAME.board({"rows": ["A...", ".##.", "...A", "B.B."], "cover": False})
    state = after((0, 0), (0, 3), (2, 3), board=board)
    assert state == State(((0, 1, 2, 3, 7, 11), ()), -1)
    assert not GAME.solved(board, state)
    assert GAME.progress(board, state) == 0.5
    assert GAME.solved(board, after((0, 0), (0, 3), (2, 3), (3, 0), (3, 2), board=board))


@pytest.mark.parametrize(
    ("clicks", "move", "name"),
    [
        ((), (1, 0), "input without an active line"),
        ((), (1, 1), "input without an active line"),
        (((0, 0), (0, 1)), (1, 1), "entered blocked cell"),
        (((0, 0), (0, 1)), (2, 1), "entered blocked cell"),
        (((0, 0), (1, 0)), (3, 0), "entered foreign dot"),
        (((0, 0),), (1, 3), "non-adjacent jump"),
        (((0, 0),), (3, 3), "non-adjacent jump"),
        (((0, 0),), (4, 0), "outside the board"),
        (((0, 0),), (0, -1), "outside the board"),
        (((0, 0),), ("overlap", 1, 1), "overlap"),
    ],
)
def test_a_click_that_breaks_a_rule_is_refused_by_name(clicks: Any, move: Any, name: str) -> None:
    with pytest.raises(IllegalMove, match=f"^color: {name}"):
        GAME.apply(BOARD, after(*clicks), move)


def test_a_line_does_not_pass_its_own_dot_nor_another_line() -> None:
    board = GAME.board({"rows": ["A.A.", "....", "B..B"], "cover": False})
    with pytest.raises(IllegalMove, match="its own dot"):
        GAME.apply(board, after((0, 0), board=board), (0, 3))
    state = after((2, 0), (1, 0), (1, 2), (0, 0), board=board)
    assert state.lines[1] == (8, 4, 5, 6)
    wall = GAME.board({"rows": ["A..", ".B.", ".B.", "..A"], "cover": False})
    drawn = after((1, 1), (1, 2), (0, 0), (0, 2), board=wall)
    with pytest.raises(IllegalMove, match="overlap: row 3, column 3"):
        GAME.apply(wall, drawn, (2, 2))


def test_a_line_does_not_cross_itself() -> None:
    board = GAME.board({"rows": ["A....", ".....", ".....", "....A"], "cover": False})
    state = after((0, 0), (0, 3), (2, 3), (2, 1), (1, 1), board=board)
    with pytest.raises(IllegalMove, match="self-crossing: row 2, column 5"):
        GAME.apply(board, state, (1, 4))


def test_a_click_on_a_drawn_cell_cuts_the_line_back_to_it() -> None:
    state = after((0, 0), (0, 2), (0, 1))
    assert state == State(((0, 1), ()), 0)
    board = GAME.board({"rows": ["A..A", "....", "B..B"], "cover": False})
    joined = after((0, 0), (0, 3), board=board)
    assert GAME.apply(board, joined, (0, 2)) == State(((0, 1, 2), ()), 0), "and it can be drawn on"


def test_a_click_on_a_dot_erases_its_colour() -> None:
    assert after((0, 0), (0, 2), (0, 0)) == State(((0,), ()), 0)
    assert after((0, 0), (0, 2), (2, 3)) == State(((11,), ()), 0), "the other dot begins it anew"
    assert after((0, 0), (0, 0)) == START, "a second click leaves it"
    board = GAME.board({"rows": ["A..A", "....", "B..B"], "cover": False})
    assert after((0, 0), (0, 3), (0, 3), board=board) == State(((3,), ()), 0)


def test_a_line_that_was_left_is_taken_up_by_its_tip() -> None:
    state = after((0, 0), (0, 2), (2, 0))
    assert state == State(((0, 1, 2), (8,)), 1)
    assert GAME.apply(BOARD, state, (0, 2)) == State(((0, 1, 2), ()), 0)


def test_a_line_can_be_begun_anew_at_a_dot_that_a_click_would_join() -> None:
    board = GAME.board({"rows": ["A..A", "....", "B..B"], "cover": False})
    state = after((0, 0), board=board)
    assert ("restart", 0, 3) in list(GAME.moves(board, state))
    assert GAME.apply(board, state, ("restart", 0, 3)) == State(((3,), ()), 0)
    with pytest.raises(IllegalMove):
        GAME.apply(board, START, ("restart", 0, 3))


def test_every_open_cell_must_be_filled_where_the_board_demands_it() -> None:
    rows = ["A..", "..A", "B.B"]
    free, full = (GAME.board({"rows": rows, "cover": cover}) for cover in (False, True))
    short = ((0, 0), (0, 2), (1, 2), (2, 0), (2, 2))
    assert GAME.solved(free, after(*short, board=free))
    state = after(*short, board=full)
    assert not GAME.solved(full, state)
    assert GAME.progress(full, state) == 0.99
    board = GAME.board({"rows": ["A..", "A..", "B.B"], "cover": True})
    state = after((0, 0), (0, 2), (1, 2), (1, 0), (2, 0), (2, 2), board=board)
    assert GAME.solved(board, state)
    assert list(GAME.moves(board, state)) == []
    with pytest.raises(IllegalMove, match="solved"):
        GAME.apply(board, state, (0, 0))


# --- notation ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "/".join(ROWS),
        "\n".join(ROWS),
        "4 4\n" + "\n".join(ROWS),
        "# from a collection\n4 4\n" + "\n".join(ROWS) + "\n",
        "\n".join(" ".join(row) for row in ROWS),
        "\n".join(ROWS).replace(".", "-"),
        "\n".join(ROWS).replace(".", "_"),
        "\n".join(" ".join(row).replace(".", "0") for row in ROWS),
        "\n".join(" ".join(row).replace("A", "12").replace("B", "7") for row in ROWS),
    ],
)
def test_the_files_of_public_solvers_are_read_as_they_are(text: str) -> None:
    board = GAME.board(GAME.read(text))
    if "12" in text:
        assert board.rows == ("A..7", ".##.", "7..A", "....")
    else:
        assert board == BOARD
        assert GAME.write(board, START) == "\n".join(ROWS)


def test_a_file_of_boards_is_parted_by_headings_comments_and_blank_lines() -> None:
    text = "# Some Author\n\n3 3\nA..\n...\n..A\n5 3\nB...B\n.....\nC...C\n\n0 0\n"
    found = [(entry.line, parse(GAME, entry).rows) for entry in read_boards(GAME, text.splitlines())]
    assert found == [(3, ("A..", "...", "..A")), (7, ("B...B", ".....", "C...C"))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A../...", "the board is 2 by 3 cells"),
        ("/".join(["A" + "." * 15] * 2 + ["." * 16] * 2), "the board is 4 by 16 cells"),
        ("A..A/.../....", "row 2 has 3 cells where row 1 has 4"),
        ("A../.!./..A", "'!' in row 2, column 2"),
        (".../.../...", "there are no dots"),
        ("A../.../...", r"colour A has one end only, or both in the same cell \(row 1, column 1\)"),
        ("A.A/.../..A", "colour A has 3 ends .row 1, column 1 and row 1, column 3 and row 3, column 3"),
        ("A#./##./..A", "the end of A in row 1, column 1 is blocked on every side"),
        ("AB./B../..A", "the end of A in row 1, column 1 is blocked on every side"),
        ("5 4\nA..\n...\n..A", "the heading says '5 4' and 3 rows of 3 cells follow"),
        ("3 3", "a non-empty list"),
        ("abcdefghi/........./........./ABCDEFGHI/........./abcdefghi/........./ABCDEFGHI", "there are 18 colours"),
    ],
)
def test_a_bad_board_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InvalidBoard, match=message):
        GAME.board(GAME.read(text))


@pytest.mark.parametrize(
    "value",
    [
        {"rows": ["A..", 7]},
        {"rows": "A.."},
        {"rows": ["A..", "...", "..A"], "cover": 1},
        {"rows": ["A..", "...", "..A"], "size": 3},
        {"cover": True},
        [],
    ],
)
def test_json_of_the_wrong_shape_is_refused(value: Any) -> None:
    with pytest.raises(InvalidBoard):
        GAME.board(value)


# --- invariants -------------------------------------------------------------------------------------------------------


@given(st.data())
def test_no_moves_make_lines_cross_or_leave_their_way(data: st.DataObject) -> None:
    board, state = data.draw(positions(GAME, max_moves=40))
    cells = [cell for line in state.lines for cell in line]
    assert len(cells) == len(set(cells)), "no cell is shared or visited twice"
    for pair, line in zip(board.pairs, state.lines, strict=True):
        assert not line or line[0] in (pair.first, pair.second), "a line begins at a dot of its own"
        dots = {dot for p in board.pairs for dot in (p.first, p.second)}
        assert set(line[1:-1]).isdisjoint(dots), "and passes none"
        for a, b in pairwise(line):
            assert abs(a % board.width - b % board.width) + abs(a // board.width - b // board.width) == 1
        assert all("".join(board.rows)[cell] != "#" for cell in line)


@given(st.data())
def test_every_state_leads_back_to_the_start(data: st.DataObject) -> None:
    board, state = data.draw(positions(GAME))
    if GAME.solved(board, state):
        return
    for pair, line in zip(board.pairs, state.lines, strict=True):
        if line:
            other = pair.second if line[0] == pair.first else pair.first
            dot = other if line[-1] == other else line[0]
            while state.lines[board.pairs.index(pair)]:
                state = GAME.apply(board, state, divmod(dot, board.width))
    assert state == GAME.start(board)


@settings(max_examples=50)
@given(color_boards())
def test_canonical_ignores_turns_mirrors_and_letters(value: dict[str, Any]) -> None:
    rows = tuple(row.translate(str.maketrans("ABC", "xBA")) for row in value["rows"])
    forms = {GAME.canonical(GAME.board({**value, "rows": list(image)})) for image in (*images(rows), value["rows"])}
    assert len(forms) == 1


def test_canonical_tells_different_boards_apart() -> None:
    values = [
        {"rows": rows, "cover": cover} for rows in (ROWS, [*ROWS[:3], "...#"], ROWS[:3]) for cover in (True, False)
    ]
    assert len({GAME.canonical(GAME.board(value)) for value in values}) == len(values)


# --- input ------------------------------------------------------------------------------------------------------------

WIDE = GAME.board({"rows": ["A...B", ".....", "..#..", ".....", "B...A"], "cover": False})


def played(board: Board, *strokes: list[tuple[int, int]]) -> tuple[State, list[Any], list[str]]:
    """The state after pressing at the first cell of each stroke, moving over the others, letting go at the last; the
    moves that it meant, refused ones included; and the remarks."""
    state, ui, moves, remarks = GAME.start(board), None, [], []
    for stroke in strokes:
        kinds = ["down", *["move"] * (len(stroke) - 1), "up"]
        for kind, (r, c) in zip(kinds, [*stroke, stroke[-1]], strict=True):
            x, y = middle(board.width, 0)
            event = Pointer(kind, x + c, y + r)  # type: ignore[arg-type]
            assert GAME.remark is not None
            remark = GAME.remark(board, state, ui, event)
            ui, move = GAME.touch(board, state, ui, event)
            if move is not None:
                moves.append(move)
                if move[0] in VIOLATIONS:
                    with pytest.raises(IllegalMove, match=move[0]):
                        GAME.apply(board, state, move)
                else:
                    state = GAME.apply(board, state, move)
                    remarks += [remark] if remark else []
        assert ui is None or isinstance(ui, Refused)
    return state, moves, remarks


@pytest.mark.parametrize(
    ("strokes", "moves"),
    [
        ([[(0, 0)], [(4, 0)]], [(0, 0), (4, 0)]),  # a click on a foreign dot begins its line
        ([[(0, 0)], [(1, 0)], [(1, 3)]], [(0, 0), (1, 0), (1, 3)]),
        ([[(0, 0), (1, 0)], [(1, 0), (1, 3)]], [(0, 0), (1, 0), (1, 3)]),  # straight drags
        ([[(0, 0), (1, 0), (1, 3)]], [(0, 0), (1, 0), (1, 3)]),  # one drag round a corner
        ([[(0, 0), (0, 1), (1, 2)]], [(0, 0), (0, 2), (1, 2)]),  # a corner that the pointer cuts
        ([[(0, 0), (0, 9)]], [(0, 0), ("outside the board", -1, -1)]),
        ([[(0, 0), (0, 2), (0, 1)]], [(0, 0), (0, 1)]),  # back again before letting go
        ([[(0, 0), (0, 2)], [(0, 2), (0, 1)]], [(0, 0), (0, 2), (0, 1)]),  # and after: cut back
        ([[(0, 0), (0, 1), (0, 0)]], [(0, 0)]),
        ([[(1, 1), (1, 3)]], [("start from a non-endpoint", 1, 1)]),
        ([[(1, 1)]], [("input without an active line", 1, 1)]),
        ([[(0, 0), (2, 3)]], [(0, 0), ("non-adjacent jump", 2, 3)]),
        ([[(0, 0), (0, 2)], [(0, 2), (2, 2)]], [(0, 0), (0, 2), (1, 2)]),
        ([[(0, 0), (0, 2), (1, 2)], [(1, 2), (2, 2)]], [(0, 0), (0, 2), (1, 2), ("entered blocked cell", 2, 2)]),
        ([[(0, 0), (0, 3)], [(0, 3), (0, 4)]], [(0, 0), (0, 3), ("entered foreign dot", 0, 4)]),
        ([[(0, 4), (1, 4)], [(0, 0), (1, 0)], [(1, 0), (1, 3)], [(1, 3), (1, 4)]],
         [(0, 4), (1, 4), (0, 0), (1, 0), (1, 3), ("overlap", 1, 4)]),
        ([[(0, 0), (0, 2), (1, 2), (1, 1)], [(1, 1), (0, 1)]],
         [(0, 0), (0, 2), (1, 2), (1, 1), ("self-crossing", 0, 1)]),
        ([[(-1, 0)]], [("outside the board", -1, -1)]),
    ],
)  # fmt: skip
def test_clicks_and_drags_draw_lines(strokes: Any, moves: list[Any]) -> None:
    assert played(WIDE, *strokes)[1] == moves


def test_clicks_and_drags_come_to_the_same_state_in_as_many_moves() -> None:
    clicks = played(WIDE, [(0, 0)], [(0, 3)], [(4, 3)], [(4, 4)])
    drags = played(WIDE, [(0, 0), (0, 3)], [(0, 3), (4, 3)], [(4, 3), (4, 4)])
    drag = played(WIDE, [(0, 0), (0, 3), (4, 3), (4, 4)])
    cells = played(WIDE, [(0, 0), *((0, c) for c in range(1, 4)), *((r, 3) for r in range(1, 5)), (4, 4)])
    assert clicks[0] == drags[0] == drag[0] == cells[0]
    assert clicks[1] == drags[1] == drag[1] == cells[1]


def test_a_line_that_is_let_go_before_its_dot_or_stops_before_the_pointer_is_remarked_upon() -> None:
    assert played(WIDE, [(0, 0), (0, 3)])[2] == ["released before connection"]
    assert played(WIDE, [(0, 0), (0, 4)])[2] == ["entered foreign dot"]
    assert played(WIDE, [(0, 0)], [(0, 2)], [(3, 2)])[2] == ["entered blocked cell"]
    assert played(WIDE, [(0, 0)], [(0, 3)], [(4, 3)], [(4, 4)])[2] == []
    assert played(WIDE, [(0, 0), (0, 3), (4, 3), (4, 4)])[2] == []


def test_a_drag_from_a_dot_that_a_click_would_join_begins_there() -> None:
    board = GAME.board({"rows": ["A..A", "....", "B..B"], "cover": False})
    assert played(board, [(0, 0)], [(0, 3), (0, 0)])[1] == [(0, 0), ("restart", 0, 3), (0, 0)]
    assert played(board, [(0, 0)], [(0, 3), (0, 0)])[0].lines[0] == (3, 2, 1, 0)


def test_what_is_being_drawn_and_what_was_refused_can_be_seen() -> None:
    x, y = middle(WIDE.width, 0)
    state = GAME.apply(WIDE, GAME.start(WIDE), (0, 0))
    ui, _ = GAME.touch(WIDE, state, None, Pointer("down", x, y))
    pictures = [GAME.scene(WIDE, state, None)]
    for cells in (1, 2, 3, 4):
        ui, _ = GAME.touch(WIDE, state, ui, Pointer("move", x + cells, y))
        pictures.append(GAME.scene(WIDE, state, ui))
    assert len(set(pictures)) == 4, "it stops before the foreign dot"
    assert GAME.scene(WIDE, state, Refused(7)) != GAME.scene(WIDE, state, None)
