"""Bolt Unscrew, by hand-checked boards and by properties that hold on all."""

from __future__ import annotations

from typing import Any

import naive_bolt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpb_gen.games.base import IllegalMove, InvalidBoard, Pointer
from lpb_gen.games.bolt import GAME, Picked, Refused, State, is_admissible, is_released, is_touchable, is_visible
from lpb_gen.games.bolt_geometry import is_covered, is_in_lane, is_nearer
from lpb_gen.games.bolt_scene import to_picture

from strategies import bolt_boards, positions

#     o o . o o     0 1 . 2 3     a plank across the frame, and one below that its fall must pass
#     O a a a O     4       5
#     . . . . .
#     . . O b O         6   7
TWO: dict[str, Any] = {
    "size": [5, 4],
    "holes": [[0, 0], [1, 0], [3, 0], [4, 0], [0, 1], [4, 1], [2, 3], [4, 3]],
    "screws": [4, 5, 6, 7],
    "boards": [{"a": [0, 1], "b": [4, 1], "holes": [4, 5]}, {"a": [2, 3], "b": [4, 3], "holes": [6, 7]}],
}
BOARD = GAME.board(TWO)
START = GAME.start(BOARD)


def play(*moves: tuple[int, int], board: Any = BOARD) -> State:
    state: State = GAME.start(board)
    for move in moves:
        state = GAME.apply(board, state, move)
    return state


# --- geometry ---------------------------------------------------------------------------------------------------------

small = st.tuples(st.integers(0, 9), st.integers(0, 9))


@given(small, small, small)
def test_covering_and_lanes_are_what_fractions_say(p: Any, a: Any, b: Any) -> None:
    if a == b:
        return
    covered = naive_bolt.distance_squared(p, a, b) * 10_000 < 58**2
    assert is_covered(p, a, b) == covered
    assert is_covered(p, b, a) == covered
    assert is_in_lane(p, a, b) == (naive_bolt.is_below(p, a, b) and not covered)
    assert is_in_lane(p, b, a) == is_in_lane(p, a, b)


@pytest.mark.parametrize(
    ("p", "a", "b", "covered"),
    [
        ((2, 1), (0, 0), (4, 3), True),  # 2/5
        ((1, 0), (0, 0), (4, 3), False),  # 3/5
        ((4, 1), (0, 0), (5, 2), True),  # 3/sqrt(29) = 0.557
        ((1, 0), (0, 0), (2, 1), True),  # 1/sqrt(5) = 0.447
        ((1, 0), (0, 0), (3, 3), False),  # 1/sqrt(2) = 0.707
        ((4, 0), (0, 0), (4, 0), True),  # an end
        ((5, 0), (0, 0), (4, 0), False),  # beyond an end
    ],
)
def test_a_hole_nearer_than_58_hundredths_is_covered(p: Any, a: Any, b: Any, covered: bool) -> None:
    assert is_covered(p, a, b) == covered


def test_distances_are_compared_exactly_however_long_the_segment() -> None:
    # cross product 1 over a length of about 10^6: a rounded root would not tell these two apart
    a, b = (0, 0), (10**6, 10**6 - 1)
    assert is_nearer((1, 1), a, b, 1)
    assert not is_nearer((1, 1), a, b, 0)


def test_the_lane_of_a_vertical_plank_is_its_own_column_below_it() -> None:
    assert [p for p in ((1, 0), (1, 4), (0, 4), (2, 9), (1, 9)) if is_in_lane(p, (1, 3), (1, 1))] == [(1, 4), (1, 9)]


def test_the_lane_of_a_slanting_plank_lies_below_it_between_its_ends() -> None:
    a, b = (0, 0), (4, 4)
    assert is_in_lane((0, 2), a, b)
    assert is_in_lane((4, 5), a, b)
    assert not is_in_lane((3, 1), a, b), "above"
    assert not is_in_lane((5, 9), a, b), "beside"
    assert not is_in_lane((2, 2), a, b), "covered"


# --- rules ------------------------------------------------------------------------------------------------------------


def test_every_screw_that_nothing_lies_on_goes_to_every_hole_that_nothing_covers() -> None:
    assert list(GAME.moves(BOARD, START)) == [(s, h) for s in (4, 5, 6, 7) for h in (0, 1, 2, 3)]


def test_a_plank_with_one_screw_left_stays() -> None:
    assert play((6, 0)).planks == 0b11


def test_a_plank_without_screws_and_with_a_free_lane_leaves() -> None:
    state = play((6, 0), (7, 1))
    assert state.planks == 0b01
    assert is_admissible(BOARD, state, 6), "its holes can be used now"
    assert GAME.progress(BOARD, state) == 0.5


def test_a_released_plank_that_a_screw_stops_hangs_there_and_goes_on_covering() -> None:
    state = play((4, 0), (5, 1))
    assert state.planks == 0b11
    assert is_released(BOARD, state, 0)
    assert not is_admissible(BOARD, state, 4), "a vacated hole under a hanging plank is plugged"
    assert GAME.progress(BOARD, state) == 0.25
    with pytest.raises(IllegalMove, match="a board still covers hole 4"):
        GAME.apply(BOARD, state, (6, 4))


def test_planks_leave_all_at_once() -> None:
    assert play((4, 0), (5, 1), (6, 2)).planks == 0b11
    state = play((4, 0), (5, 1), (6, 2), (7, 3))
    assert GAME.solved(BOARD, state)
    assert list(GAME.moves(BOARD, state)) == []


def test_a_parked_screw_in_the_lane_stops_a_plank_until_it_moves_again() -> None:
    state = play((6, 0), (7, 1), (4, 6), (5, 2))
    assert state.planks == 0b01, "the screw in hole 6 stands below it"
    assert GAME.solved(BOARD, GAME.apply(BOARD, state, (6, 3)))


# a plank with three screws, and one across it that hides the middle one
HIDING: dict[str, Any] = {
    "size": [5, 4],
    "holes": [[0, 0], [0, 2], [4, 2], [2, 2], [2, 1], [2, 3]],
    "screws": [1, 2, 3, 4, 5],
    "boards": [{"a": [0, 2], "b": [4, 2], "holes": [1, 2, 3]}, {"a": [2, 1], "b": [2, 3], "holes": [4, 5]}],
}


def test_a_screw_under_a_plank_without_a_hole_there_cannot_be_touched() -> None:
    board = GAME.board(HIDING)
    state = GAME.start(board)
    assert not is_touchable(board, state, 3)
    assert not is_visible(board, state, 3)
    assert {source for source, _ in GAME.moves(board, state)} == {1, 2, 4, 5}
    with pytest.raises(IllegalMove, match="a board lies on the screw in hole 3"):
        GAME.apply(board, state, (3, 0))


def test_a_screw_through_two_planks_holds_both_and_can_be_touched() -> None:
    shared = HIDING["boards"][1] | {"holes": [3, 4, 5]}
    board = GAME.board(HIDING | {"boards": [HIDING["boards"][0], shared]})
    assert is_touchable(board, GAME.start(board), 3)
    assert board.relations.owners[3] == 0b11


@pytest.mark.parametrize("move", [(0, 1), (4, 5), (4, 4), (4, 9), (-1, 0), (4,), "40", (4.0, 0)])
def test_other_moves_are_illegal(move: Any) -> None:
    with pytest.raises(IllegalMove):
        GAME.apply(BOARD, START, move)


@given(position=st.deferred(lambda: positions(GAME, max_moves=25)), data=st.data())
def test_no_sequence_of_moves_breaks_an_invariant(position: tuple[Any, State], data: st.DataObject) -> None:
    board, state = position
    assert state.screws.bit_count() == len(board.screws), "screws neither come nor go, and no two share a hole"
    assert not state.screws >> len(board.holes)
    for plank in range(len(board.planks)):
        if state.planks >> plank & 1 and state != GAME.start(board):
            stops = board.relations.own[plank] | board.relations.lane[plank]
            assert stops & state.screws, "what hangs is held or stopped"
    moves = list(GAME.moves(board, state))
    if moves:
        after = GAME.apply(board, state, data.draw(st.sampled_from(moves)))
        assert after.planks & ~state.planks == 0, "planks only leave"
        assert GAME.progress(board, after) >= 0
    for source, target in moves:
        assert is_visible(board, state, source)
        assert is_visible(board, state, target)


def test_progress_counts_a_hanging_plank_half() -> None:
    assert [GAME.progress(BOARD, s) for s in (START, play((4, 0), (5, 1)), play((6, 0), (7, 1)))] == [0, 0.25, 0.5]


# --- symmetry ---------------------------------------------------------------------------------------------------------


def mirrored(value: dict[str, Any], by: int = 0) -> dict[str, Any]:
    """Left for right, ``by`` columns and rows further in, holes and boards listed backwards."""
    width, height = value["size"]
    last = len(value["holes"]) - 1

    def at(p: list[int]) -> list[int]:
        return [width - 1 - p[0] + by, p[1] + by]

    return {
        "size": [width + 2 * by, height + by],
        "holes": [at(p) for p in reversed(value["holes"])],
        "screws": [last - i for i in value["screws"]],
        "boards": [
            {"a": at(p["b"]), "b": at(p["a"]), "holes": [last - i for i in p["holes"]]}
            for p in reversed(value["boards"])
        ],
    }


@given(bolt_boards(), st.integers(0, 2))
def test_mirror_images_moved_boards_and_other_orders_are_the_same_puzzle(value: dict[str, Any], by: int) -> None:
    assert GAME.canonical(GAME.board(mirrored(value, by))) == GAME.canonical(GAME.board(value))


def test_upside_down_or_with_one_more_hole_it_is_another_puzzle() -> None:
    flipped = TWO | {
        "holes": [[x, 3 - y] for x, y in TWO["holes"]],
        "boards": [p | {"a": [p["a"][0], 3 - p["a"][1]], "b": [p["b"][0], 3 - p["b"][1]]} for p in TWO["boards"]],
    }
    boards = [TWO, flipped, TWO | {"holes": [*TWO["holes"], [2, 0]]}, TWO | {"screws": [4, 5, 6]}]
    assert len({GAME.canonical(GAME.board(value)) for value in boards}) == 4


# --- bad input --------------------------------------------------------------------------------------------------------

A, B = TWO["boards"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            TWO | {"boards": [A | {"b": [5, 1]}, B]},
            r"end b of board 0 at \(5, 1\) is off the frame; x goes from 0 to 4",
        ),
        (TWO | {"holes": [[9, 0], *TWO["holes"][1:]]}, r"hole 0 at \(9, 0\) is off the frame"),
        (TWO | {"screws": [4, 5, 6, 7, 0]}, r"the screw in hole 0 at \(0, 0\) holds nothing, for no board shares"),
        (TWO | {"screws": [4, 5, 6, 8]}, "screw 3 is in hole 8, which is not there; holes are numbered from 0 to 7"),
        (TWO | {"screws": [4, 5, 6, -1]}, "screw 3 is in hole -1, which is not there"),
        (TWO | {"screws": [4, 5, 6, 6]}, "two screws are in hole 6"),
        (TWO | {"screws": [4, 5]}, "no screw holds board 1"),
        (TWO | {"screws": []}, '"screws" must be a non-empty list'),
        (TWO | {"boards": [A | {"holes": [4]}, B]}, "board 0 has fewer than two holes"),
        (TWO | {"boards": [A | {"holes": [4, 4]}, B]}, "board 0 names hole 4 twice"),
        (TWO | {"boards": [A | {"holes": [4, 8]}, B]}, "board 0 names hole 8, which is not there"),
        (
            TWO | {"boards": [A | {"holes": [4, 6]}, B]},
            r"hole 6 at \(2, 3\) is not on board 0 from \(0, 1\) to \(4, 1\)",
        ),
        (TWO | {"boards": [A | {"b": [0, 1]}, B]}, r"both ends of board 0 are at \(0, 1\)"),
        (TWO | {"boards": [A | {"c": 1}, B]}, "board 0 must be"),
        (TWO | {"boards": []}, '"boards" must be a list of 1 to 32'),
        (TWO | {"boards": [A | {"a": [0.5, 1]}, B]}, r"end a of board 0 is \[0.5, 1\]; write a point"),
        (TWO | {"holes": [*TWO["holes"], [0, 1]]}, r"holes 4 and 8 are both at \(0, 1\)"),
        (TWO | {"holes": [[x, y] for x in range(5) for y in range(4)] * 4}, "list of 2 to 64 points"),
        (TWO | {"size": [5]}, r"the size is \[5\]; write \[columns, rows\]"),
        (TWO | {"size": [5, 40]}, "integers from 2 to 32"),
        (TWO | {"size": [True, 5]}, "the size is"),
        ({k: TWO[k] for k in ("size", "holes", "screws")}, "a bolt board is"),
        ([TWO], "a bolt board is"),
    ],
)
def test_a_bad_board_says_what_is_wrong(value: object, message: str) -> None:
    with pytest.raises(InvalidBoard, match=message) as caught:
        GAME.board(value)
    assert "\n" not in str(caught.value)


def test_text_is_compact_json_or_a_clear_error() -> None:
    assert GAME.read('{"size":[5,4]}') == {"size": [5, 4]}
    for text in ("o o/O-O", "", "{"):
        with pytest.raises(InvalidBoard, match="is not a board; there is no text notation; write"):
            GAME.board(GAME.read(text))


def test_a_terminal_drawing_shows_screws_holes_and_boards() -> None:
    assert GAME.write(BOARD, play((4, 0), (5, 1))).splitlines() == [
        "O   O       o   o",
        "",
        "x a a a a a a a x",
        "",
        "",
        "",
        "        O b b b O",
        "a: loose",
        "b: screws at (2,3) (4,3)",
    ]


# --- input ------------------------------------------------------------------------------------------------------------


def press(ui: Any, at: int | tuple[float, float], release: int | None = None, state: State = START) -> Any:
    """What a press on a hole (or at a lattice point) and a release there, or on another hole, lead to."""
    made = []
    for kind, place in (("down", at), ("up", at if release is None else release)):
        x, y = to_picture(BOARD.holes[place] if isinstance(place, int) else place)  # type: ignore[arg-type]
        ui, move = GAME.touch(BOARD, state, ui, Pointer(kind, x, y))  # type: ignore[arg-type]
        made += [] if move is None else [move]
    return ui, made


def test_a_click_picks_a_screw_and_a_second_one_puts_it_down() -> None:
    assert press(None, 4) == (Picked(4), [])
    assert press(Picked(4), 4) == (None, [])
    assert press(None, 0) == (None, []), "an empty hole has nothing to pick"


def test_a_click_on_a_free_hole_is_the_move_there() -> None:
    assert press(Picked(4), 0) == (None, [(4, 0)])
    assert press(None, 4, release=0) == (None, [(4, 0)]), "and so is a drag"


def test_a_click_on_another_screw_picks_that_one() -> None:
    assert press(Picked(4), 5) == (Picked(5), [])


def test_a_click_on_bare_wood_puts_the_screw_down() -> None:
    assert press(Picked(4), (2.0, 1.0)) == (None, [])


def test_a_plugged_hole_is_tried_marked_and_puts_the_screw_down() -> None:
    state = play((4, 0), (5, 1))
    assert press(Picked(6), 4, state=state) == (Refused((6, 4)), [(6, 4)])
    assert press(Refused((6, 4)), 7, state=state) == (Picked(7), [])
    scenes = [GAME.scene(BOARD, state, ui) for ui in (None, Picked(6), Refused((6, 4)))]
    assert len(set(scenes)) == 3


def test_nothing_happens_before_the_pointer_goes_up() -> None:
    x, y = to_picture(BOARD.holes[0])
    assert GAME.touch(BOARD, START, Picked(4), Pointer("down", x, y)) == (Picked(4), None)


# --- looks ------------------------------------------------------------------------------------------------------------


def test_a_hidden_screw_changes_no_pixel() -> None:
    from lpb_gen.runners.suite.render import render

    with_it, without = GAME.board(HIDING), GAME.board(HIDING | {"screws": [1, 2, 4, 5]})
    pictures = [render(GAME.scene(b, GAME.start(b), None), (600, 500)) for b in (with_it, without)]
    assert (pictures[0] == pictures[1]).all()


def test_a_loose_plank_looks_loose() -> None:
    from lpb_gen.games.bolt_scene import LOOSE

    assert LOOSE not in str(GAME.scene(BOARD, play((6, 0)), None))
    assert LOOSE in str(GAME.scene(BOARD, play((4, 0), (5, 1)), None))
