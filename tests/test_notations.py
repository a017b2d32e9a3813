"""Collections of levels as people have them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lpb_gen.games import GAMES
from lpb_gen.games.base import InvalidBoard
from lpb_gen.pipeline.boards import parse
from lpb_gen.pipeline.notations import Brought, read_collection

RUSH, NUT, MAZE = (GAMES[name] for name in ("rush", "nut", "maze"))
HARDEST = "IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM"
TUBES = [["red", "blue", "red"], ["blue", "red", "blue"], []]
BOARD = {"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], []]}


def boards(game: Any, text: str, **options: Any) -> list[Any]:
    return [game.dump(parse(game, one.entry)) for one in read_collection(game, text, **options)]


def only(game: Any, text: str, **options: Any) -> Brought:
    (found,) = read_collection(game, text, **options)
    return found


# --- Rush Hour --------------------------------------------------------------------------------------------------------


def test_a_line_of_36_characters_may_state_moves_and_positions() -> None:
    text = f"""\
# from the database of all boards

60 {HARDEST} 2332
{HARDEST}   # no counts
60 {HARDEST}
{HARDEST} 60
60,{HARDEST},2332
{{"board": "{HARDEST}", "moves": 60}}
; another comment
// and another
"""
    found = list(read_collection(RUSH, text))
    assert [one.entry.line for one in found] == [3, 4, 5, 6, 7, 8]
    assert [(one.moves, one.positions) for one in found] == [
        (60, 2332),
        (None, None),
        (60, None),
        (60, None),
        (60, 2332),
        (60, None),
    ]
    assert len({json.dumps(board) for board in boards(RUSH, text)}) == 1


def test_rows_and_boards_in_a_line_may_follow_each_other() -> None:
    rows = [HARDEST[i : i + 6] for i in range(0, 36, 6)]
    text = "\n".join([*rows, "", "/".join(rows), "60 " + HARDEST, *(" ".join(row) for row in rows)])
    found = boards(RUSH, text)
    assert len(found) == 4
    assert all(board == found[0] for board in found)


@pytest.mark.parametrize(
    "line", [f"60 {HARDEST[:-1]} 2332", f"sixty {HARDEST}", f"1 2 {HARDEST}", f"{HARDEST} {HARDEST}"]
)
def test_a_line_that_is_no_board_is_told_and_does_not_spoil_its_neighbours(line: str) -> None:
    found = list(read_collection(RUSH, f"{HARDEST}\n{line}\n{HARDEST}\n"))
    assert [one.entry.line for one in found] == [1, 2, 3]
    assert [one.entry.error for one in found] == ["", "no board in this line, or more than a board and its counts", ""]


# --- rows -------------------------------------------------------------------------------------------------------------


def test_rows_are_one_board_up_to_an_empty_line_or_a_comment() -> None:
    text = "..#\nS..\n\n; the second\n#..\n..S\n// the third\n..#/S..\n\n\n"
    assert boards(MAZE, text) == [{"rows": ["..#", "S.."]}, {"rows": ["#..", "..S"]}, {"rows": ["..#", "S.."]}]


def test_a_line_of_width_and_height_begins_a_board_and_cells_may_stand_apart() -> None:
    text = "3 2\n..#\nS..\n3 2\n. . #\nS . .\n0 0\n"
    assert boards(MAZE, text) == [{"rows": ["..#", "S.."]}] * 2
    (first, second) = read_collection(MAZE, text)
    assert (first.entry.line, second.entry.line) == (2, 5)


def test_two_numbers_that_are_no_size_are_not_taken_away() -> None:
    assert "3" in str(only(MAZE, "3 3\n..#\nS..\n").entry.board)


def test_a_byte_order_mark_and_foreign_line_ends_do_not_matter() -> None:
    assert boards(MAZE, "\ufeff..#\r\nS..\r\n\r\n") == [{"rows": ["..#", "S.."]}]


# --- tubes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        TUBES,
        [TUBES],
        {"tubes": TUBES},
        {"bottles": TUBES, "level": 7},
        {"levels": [{"tubes": TUBES}]},
        {"levels": {"first": {"vials": TUBES}}},
        {"first": TUBES},
        [{"tubes": ["rbr", "brb", ""]}],
        {"tubes": [["red", "blue", "red"], ["blue", "red", "blue"], [None, None, None]]},
        [["red", "blue", "red"], ["blue", "red", "blue"], ["", "", ""]],
        [[1, 2, 1], [2, 1, 2], [0, 0, 0]],
        [[1, 2, 1], [2, 1, 2], None],
        {"board": BOARD},
        {"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], []]},
    ],
)
def test_the_usual_shapes_of_water_sort_levels(value: Any) -> None:
    assert boards(NUT, json.dumps(value)) == [BOARD]
    assert boards(NUT, json.dumps(value, indent=2)) == [BOARD]


def test_zero_is_a_colour_where_free_cells_are_told_otherwise() -> None:
    assert boards(NUT, "[[0, 2, 0], [2, 0, 2], []]") == [{"capacity": 3, "bolts": [[0, 2, 0], [2, 0, 2], []]}]


def test_tubes_are_read_from_either_end() -> None:
    lower, upper = [["a", "a", "b"], ["b", "b", "a"], []], [["b", "a", "a"], ["a", "b", "b"], []]
    wanted = [[1, 1, 2], [2, 2, 1], []]
    assert boards(NUT, json.dumps(lower)) == boards(NUT, json.dumps(upper), order="top-first")
    assert boards(NUT, json.dumps(lower))[0]["bolts"] == wanted


def test_free_cells_below_a_colour_ask_for_the_other_order() -> None:
    text = json.dumps([["a", "b", "b"], [None, "a", "a"], [None, None, "b"], [None, None, None]])
    assert (
        "tube 2 has a free cell below a colour, read bottom-first; try --order top-first" in only(NUT, text).entry.error
    )
    assert boards(NUT, text, order="top-first") == [{"capacity": 3, "bolts": [[1, 1, 2], [2, 2], [1], []]}]


def test_a_capacity_that_is_written_counts() -> None:
    tubes = [["a", "b", "a", "b"], ["b", "a", "b"], ["a"], []]
    assert only(NUT, json.dumps({"tubes": tubes, "capacity": 4})).entry.board["capacity"] == 4
    assert only(NUT, json.dumps({"tubes": tubes, "height": 5, "moves": 9})).moves == 9


def test_levels_of_a_file_are_counted_and_those_of_lines_have_the_lines_number() -> None:
    whole = list(read_collection(NUT, json.dumps([TUBES, {"tubes": 3}, TUBES])))
    assert [one.place for one in whole] == ["level 1", "level 2", "level 3"]
    assert 'no tubes: write a list of lists of colours, or an object with one as "tubes"' in whole[1].entry.error
    lines = list(read_collection(NUT, f"{json.dumps(TUBES)}\n\n{{\n{json.dumps({'board': BOARD})}\n"))
    assert [one.place for one in lines] == ["1", "3", "4"]
    assert lines[1].entry.error.startswith("not JSON: ")


@pytest.mark.parametrize(
    "text", ['{"tubes": [[1, 2.5]]}', "[[[1, [2]]]]", "{", "[" * 60 + "]" * 60, '{"tubes": "rbr"}']
)
def test_what_is_no_level_of_tubes_is_one_error(text: str) -> None:
    with pytest.raises(InvalidBoard):
        parse(NUT, only(NUT, text).entry)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_an_empty_file_has_no_levels(game: Any) -> None:
    assert list(read_collection(game, "\n; nothing\n\n")) == []
