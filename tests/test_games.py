"""What holds for every game: the contract of ``games.base.Game``."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpb_gen.games import GAMES
from lpb_gen.games.base import AnyGame, IllegalMove, InvalidBoard, Pointer, decode_move, states_along

from strategies import BOARDS, missing_games, positions

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)


def test_every_game_has_a_strategy() -> None:
    assert missing_games() == set()


@every_game
@given(data=st.data())
def test_a_level_starts_unsolved(game: AnyGame, data: st.DataObject) -> None:
    board = game.board(data.draw(BOARDS[game.name]()))
    assert not game.solved(board, game.start(board))


@every_game
@given(data=st.data())
def test_every_listed_move_applies_and_changes_the_state(game: AnyGame, data: st.DataObject) -> None:
    board, state = data.draw(positions(game))
    for move in game.moves(board, state):
        assert game.apply(board, state, move) != state


@every_game
@given(data=st.data())
def test_moves_are_json_values_and_read_back(game: AnyGame, data: st.DataObject) -> None:
    board, state = data.draw(positions(game))
    for move in game.moves(board, state):
        assert decode_move(game, board, state, json.loads(json.dumps(move))) == move


@every_game
@given(data=st.data())
def test_a_move_that_is_not_listed_raises(game: AnyGame, data: st.DataObject) -> None:
    board, state = data.draw(positions(game))
    with pytest.raises(IllegalMove):
        game.apply(board, state, "no such move")
    with pytest.raises(IllegalMove):
        decode_move(game, board, state, ["no", "such", "move"])


@every_game
@given(data=st.data())
def test_progress_is_one_exactly_where_solved(game: AnyGame, data: st.DataObject) -> None:
    board, state = data.draw(positions(game, max_moves=40))
    assert 0 <= game.progress(board, state) <= 1
    assert (game.progress(board, state) == 1) == game.solved(board, state)


@every_game
@given(data=st.data())
def test_no_move_is_left_where_solved(game: AnyGame, data: st.DataObject) -> None:
    board, state = data.draw(positions(game, max_moves=60))
    if game.solved(board, state):
        assert list(game.moves(board, state)) == []


@every_game
@given(data=st.data())
def test_states_are_hashable_and_moves_are_listed_in_a_fixed_order(game: AnyGame, data: st.DataObject) -> None:
    board, state = data.draw(positions(game))
    assert len({state, state}) == 1
    assert list(game.moves(board, state)) == list(game.moves(board, state))


@every_game
@given(data=st.data())
def test_a_board_reads_back_from_its_json(game: AnyGame, data: st.DataObject) -> None:
    value = data.draw(BOARDS[game.name]())
    assert game.dump(game.board(value)) == value
    assert game.board(json.loads(json.dumps(value))) == game.board(value)


@every_game
@pytest.mark.parametrize("junk", [None, 3, "rows", [], {}, {"rows": 3}, {"rows": []}, {"rows": [[]]}, {"board": {}}])
def test_a_value_of_the_wrong_shape_is_an_invalid_board(game: AnyGame, junk: object) -> None:
    with pytest.raises(InvalidBoard):
        game.board(junk)


@every_game
@given(data=st.data())
def test_the_gesture_of_a_move_is_read_as_that_move(game: AnyGame, data: st.DataObject) -> None:
    board, state = data.draw(positions(game))
    for move in game.moves(board, state):
        ui, read = None, []
        for pointer in game.gesture(board, state, move):
            ui, got = game.touch(board, state, ui, pointer)
            read += [] if got is None else [got]
        assert read == [move]


@every_game
@given(data=st.data())
def test_a_scene_is_finite_and_the_same_for_the_same_state(game: AnyGame, data: st.DataObject) -> None:
    board, state = data.draw(positions(game))
    scene = game.scene(board, state, None)
    assert scene == game.scene(board, state, None)
    assert scene.width > 0
    assert scene.height > 0
    assert scene.items


@every_game
@given(data=st.data())
def test_every_move_can_be_seen(game: AnyGame, data: st.DataObject) -> None:
    board, state = data.draw(positions(game))
    for move in game.moves(board, state):
        assert game.scene(board, state, None) != game.scene(board, game.apply(board, state, move), None)


@every_game
@given(data=st.data())
def test_no_pointer_event_breaks_touch(game: AnyGame, data: st.DataObject) -> None:
    board, state = data.draw(positions(game))
    coordinate = st.floats(-50, 50)
    ui = None
    for kind in data.draw(st.lists(st.sampled_from(["down", "move", "up", "key"]), max_size=8)):
        key = data.draw(st.sampled_from(["a", "Enter", "", *sorted(game.keys)])) if kind == "key" else ""
        ui, _ = game.touch(board, state, ui, Pointer(kind, data.draw(coordinate), data.draw(coordinate), key))
        game.scene(board, state, ui)


@every_game
@given(data=st.data())
def test_a_walk_replays(game: AnyGame, data: st.DataObject) -> None:
    board, state, walk = game.board(data.draw(BOARDS[game.name]())), None, []
    state = game.start(board)
    while (moves := list(game.moves(board, state))) and len(walk) < 20:
        walk.append(data.draw(st.sampled_from(moves)))
        state = game.apply(board, state, walk[-1])
    assert list(states_along(game, board, walk))[-1] == state


@every_game
def test_titles_and_hints_are_in_both_languages(game: AnyGame) -> None:
    assert set(game.title) == set(game.hint) == {"en", "zh"}


@pytest.mark.parametrize(("name", "move", "odd"), [("nut", [0, 2], [0.0, 2]), ("nut", [0, 2], [False, 2])])
def test_a_move_of_another_type_is_none(name: str, move: Any, odd: Any) -> None:
    game = GAMES[name]
    board = game.board({"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], []]})
    assert decode_move(game, board, game.start(board), move) == (0, 2)
    with pytest.raises(IllegalMove):
        decode_move(game, board, game.start(board), odd)


def test_an_error_does_not_quote_without_end() -> None:
    with pytest.raises(InvalidBoard) as caught:
        GAMES["nut"].board({"capacity": "A" * 100_000, "bolts": [[1]]})
    assert len(str(caught.value)) < 800
