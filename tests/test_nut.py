"""Nut and Bolt, by hand-checked boards."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpb_gen.games.base import IllegalMove, InvalidBoard, Pointer
from lpb_gen.games.nut import GAME, Picked, Refused
from lpb_gen.games.nut_faces import PAINTS, mark
from lpb_gen.games.nut_scene import bolt_middle, picture

from strategies import nut_boards, positions

BOARD = GAME.board({"capacity": 3, "bolts": [[1, 1, 2], [2, 1, 3], [3, 3, 2], []]})


def test_a_transfer_takes_the_whole_top_run() -> None:
    state = GAME.apply(BOARD, ((1, 2, 2), (1, 1, 3), (3, 3), ()), (0, 3))
    assert state == ((1,), (1, 1, 3), (3, 3), (2, 2))


def test_a_transfer_takes_as_many_as_fit() -> None:
    assert GAME.apply(BOARD, ((1, 2), (2, 2), (1, 1, 3), (3, 3)), (1, 0)) == ((1, 2, 2), (2,), (1, 1, 3), (3, 3))


def test_nuts_go_onto_their_own_colour_or_an_empty_bolt_only() -> None:
    assert list(GAME.moves(BOARD, BOARD.bolts)) == [(0, 3), (1, 3), (2, 3)]
    for move in ((0, 1), (3, 0), (0, 0), (0, 9)):
        with pytest.raises(IllegalMove):
            GAME.apply(BOARD, BOARD.bolts, move)


def test_solved_means_every_bolt_full_of_one_colour_or_empty() -> None:
    assert GAME.solved(BOARD, ((1, 1, 1), (), (2, 2, 2), (3, 3, 3)))
    assert not GAME.solved(BOARD, ((1, 1), (1,), (2, 2, 2), (3, 3, 3)))


def test_progress_is_the_largest_stacks_over_all_nuts() -> None:
    assert GAME.progress(BOARD, BOARD.bolts) == pytest.approx((2 + 1 + 2) / 9)


@given(position=st.deferred(lambda: positions(GAME, max_moves=30)))
def test_every_colour_keeps_its_nuts(position: tuple[Any, Any]) -> None:
    board, state = position
    assert set(Counter(nut for bolt in state for nut in bolt).values()) == {board.capacity}
    assert max(map(len, state)) <= board.capacity


@given(nut_boards(), st.randoms(use_true_random=False))
def test_canonical_ignores_bolt_order_and_colour_names(value: dict[str, Any], source: random.Random) -> None:
    names = list(range(100))
    source.shuffle(names)
    bolts = [[names[nut] for nut in bolt] for bolt in value["bolts"]]
    source.shuffle(bolts)
    assert GAME.canonical(GAME.board(value | {"bolts": bolts})) == GAME.canonical(GAME.board(value))


def test_canonical_tells_different_boards_apart() -> None:
    boards = [
        [[1, 1, 2], [2, 2, 1], []],
        [[1, 2, 1], [2, 1, 2], []],
        [[1, 1, 2], [1, 2, 2], []],
        [[1, 1, 2], [2, 2, 1], [], []],
        [[1, 1, 2], [2, 2], [1]],
    ]
    assert len({GAME.canonical(GAME.board({"capacity": 3, "bolts": bolts})) for bolts in boards}) == 5


def test_a_board_of_like_parts_has_its_canonical_form_at_once() -> None:
    pairs = [bolt for c in range(0, 14, 2) for bolt in ([c, c + 1, c], [c + 1, c, c + 1])]
    board = GAME.board({"capacity": 3, "bolts": [*pairs, []]})
    assert len(set(GAME.canonical(board)[2])) == 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"capacity": 4, "bolts": [[1, 1, 1], [1, 2, 2], [2], []]}, "colour 2 has 3 nuts; each colour needs .* 4"),
        ({"capacity": 3, "bolts": [[c] * 3 for c in range(16)] + [[]]}, "there are 16 colours; 15 are the most"),
        ({"capacity": 0, "bolts": [[], []]}, "the capacity is 0; write an integer from 3 to 16"),
        ({"capacity": True, "bolts": [[], []]}, "the capacity is True"),
        ({"capacity": 3, "bolts": [[], []]}, "there are no nuts"),
        ({"capacity": 3, "bolts": [[1, 2, 1, 2], [1, 2], []]}, "bolt 1 holds 4 nuts"),
        ({"capacity": 3, "bolts": [[1, 2, "x"], []]}, "bolt 1 holds 'x'"),
        ({"capacity": 3, "bolts": [1, 2]}, "list of lists"),
        ({"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2]]}, "2 bolts for 2 colours; give 1 to 4 bolts more"),
        ({"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], [], [], [], [], []]}, "7 bolts for 2 colours"),
        ({"capacity": 3, "bolts": [[1, 1, 1], []]}, "solved already"),
        ({"bolts": [[1, 2, 1], [2, 1, 2], []]}, "a nut board is"),
        ([[1, 2, 1], [2, 1, 2], []], "a nut board is"),
    ],
)
def test_a_bad_board_says_what_is_wrong(value: object, message: str) -> None:
    with pytest.raises(InvalidBoard, match=message):
        GAME.board(value)


def test_text_is_compact_json_or_a_clear_error() -> None:
    value = GAME.dump(BOARD)
    assert GAME.read('{"capacity":3,"bolts":[[1,1,2],[2,1,3],[3,3,2],[]]}') == value
    for text in ("112/213/332/", "", "{"):
        with pytest.raises(InvalidBoard, match="is not a board; there is no text notation; write"):
            GAME.board(GAME.read(text))


def test_a_terminal_drawing_shows_columns() -> None:
    assert GAME.write(BOARD, BOARD.bolts) == "2 3 2 .\n1 1 3 .\n1 2 3 ."


def press(ui: Any, bolt: int, release: int | None = None) -> Any:
    made = []
    for kind, at in (("down", bolt), ("up", bolt if release is None else release)):
        x, y = bolt_middle(3, 4, at)
        ui, move = GAME.touch(BOARD, BOARD.bolts, ui, Pointer(kind, x, y))  # type: ignore[arg-type]
        made += [] if move is None else [move]
    return ui, made


def test_a_click_picks_a_bolt_and_a_second_one_puts_it_down() -> None:
    assert press(None, 0) == (Picked(0), [])
    assert press(Picked(0), 0) == (None, [])
    assert press(None, 3) == (None, []), "an empty bolt has nothing to pick"


def test_a_click_on_another_bolt_is_the_transfer_there() -> None:
    assert press(Picked(0), 3) == (None, [(0, 3)])


def test_a_drag_from_bolt_to_bolt_is_a_transfer_too() -> None:
    assert press(None, 0, release=3) == (None, [(0, 3)])


def test_a_destination_that_cannot_take_the_nuts_is_tried_and_marked() -> None:
    refused = Refused((0, 1))
    assert press(Picked(0), 1) == (refused, [(0, 1)])
    plain = GAME.scene(BOARD, BOARD.bolts, None)
    assert len({plain, GAME.scene(BOARD, BOARD.bolts, refused), GAME.scene(BOARD, BOARD.bolts, Picked(0))}) == 3
    assert press(refused, 2) == (Picked(2), [])


@pytest.mark.parametrize(("capacity", "bolts"), [(3, 2), (4, 19), (16, 19), (16, 3), (8, 12)])
def test_every_bolt_is_inside_the_picture_and_found_where_it_stands(capacity: int, bolts: int) -> None:
    scene = picture(capacity, ((0,) * capacity,) * bolts)
    for bolt in range(bolts):
        x, y = bolt_middle(capacity, bolts, bolt)
        assert 0 < x < scene.width
        assert 0 < y < scene.height
        board = GAME.board({"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], []]})
        assert GAME.touch(board, ((1,),) * 3, None, Pointer("down", -1, -1)) == (None, None)


def test_no_two_colours_share_a_mark_or_a_face() -> None:
    assert len({paint.face for paint in PAINTS}) == 15
    assert len({tuple(mark(0, 0, i, "#000000")) for i in range(15)}) == 15
