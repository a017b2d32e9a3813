"""Reading boards that people have."""

from __future__ import annotations

import pytest

from lpb_gen.games import GAMES
from lpb_gen.games.base import InvalidBoard
from lpb_gen.pipeline.boards import Entry, parse, read_boards

MAZE = GAMES["maze"]
BOARD = {"rows": ["..#", "S.."]}


def entries(text: str) -> list[Entry]:
    return list(read_boards(MAZE, text.splitlines(keepends=True)))


def test_a_line_of_json_a_line_with_slashes_and_a_block_of_rows_are_boards() -> None:
    text = '{"board": {"rows": ["..#", "S.."]}, "name": "a"}\n..#/S..\n\n..#\nS..\n\n\n..#\r\nS..'
    found = entries(text)
    assert [entry.board for entry in found] == [BOARD] * 4
    assert [entry.line for entry in found] == [1, 2, 4, 8]
    assert found[0].extra == {"name": "a"}


def test_a_block_ends_where_another_kind_of_line_begins() -> None:
    assert [entry.board for entry in entries('..#\nS..\n..#/S..\n..#\nS..\n{"board": "..#/S.."}')] == [
        BOARD,
        BOARD,
        BOARD,
        "..#/S..",
    ]


def test_a_board_may_be_text_inside_json() -> None:
    (entry,) = entries('{"board": "..#/S.."}')
    assert MAZE.dump(parse(MAZE, entry)) == BOARD


def test_nothing_is_no_board() -> None:
    assert entries("") == entries("\n  \n") == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"board": ', "not JSON"),
        ('{"rows": ["S."]}', 'no key "board"'),
        ('{"board": 7}', "a maze board is"),
        ("{" + '"a":{' * 5000, "not JSON"),
        ('{"board": "S.", "n": ' + "[" * 60 + "]" * 60 + "}", "not JSON: more than 50 brackets"),
        ('{"board": "S.", "n": NaN}', "not JSON: NaN is not a number"),
        ('{"board": "S.", "n": -Infinity}', "not JSON: -Infinity is not a number"),
        ('{"board": "S.", "n": 1e999}', "not JSON: 1e999 is not a number"),
        ("S./...", "row 2 has 3 cells"),
    ],
)
def test_a_bad_line_says_what_is_wrong(line: str, message: str) -> None:
    (entry,) = entries(line)
    with pytest.raises(InvalidBoard, match=message):
        parse(MAZE, entry)


def test_a_level_of_another_game_is_not_read_as_one_of_this() -> None:
    entry = Entry(1, {"rows": ["AA..", "..B.", "..B.", "...."]}, extra={"game": "rush"})
    with pytest.raises(InvalidBoard, match="this line is a rush level, not one of color; use --game rush"):
        parse(GAMES["color"], entry)
    assert parse(GAMES["rush"], entry).rows[0] == "AA.."
