"""The session: what every input does, what it remembers, and that it is a function of its inputs."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import levels
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpb_gen.games import GAMES
from lpb_gen.games.base import InvalidBoard, Pointer
from lpb_gen.pipeline.level import Level
from lpb_gen.runners.session import InvalidSession, Note, Objective, Session
from lpb_gen.runners.suite import labels

from strategies import positions

OBJECTIVES = levels.objectives()
GAME = GAMES["maze"]
ARROWS = {"U": "ArrowUp", "D": "ArrowDown", "L": "ArrowLeft", "R": "ArrowRight"}


def press(session: Session, target: str) -> tuple[Note, ...]:
    x, y = session.targets()[target]
    return session.event(Pointer("down", x, y)) + session.event(Pointer("up", x, y))


def key(session: Session, name: str) -> tuple[Note, ...]:
    return session.event(Pointer("key", key=name))


def swipe(session: Session, move: str) -> tuple[Note, ...]:
    return tuple(note for event in session.pointers(move) for note in session.event(event))


def opened(tier: str = "easy", **options: Any) -> Session:
    """A session with the first level of a tier open."""
    session = Session(OBJECTIVES, **options)
    for target in ("game:maze", f"tier:{tier}"):
        press(session, target)
    return session


def solution(session: Session) -> tuple[str, ...]:
    level = session.view.level
    assert level is not None
    return level.certificate.solution


def solve(session: Session) -> tuple[Note, ...]:
    return tuple(note for move in solution(session) for note in swipe(session, move))


def blocked_key(session: Session) -> str:
    legal = GAME.moves(session.view.board, session.view.state)
    return next(name for move, name in ARROWS.items() if move not in legal)


def kinds(notes: tuple[Note, ...]) -> list[str]:
    return [note.kind for note in notes]


# --- the way through the suite ----------------------------------------------------------------------------------------


def test_the_way_from_the_home_screen_to_the_completion_card() -> None:
    session = Session(OBJECTIVES)
    assert session.view.screen == "home"
    assert press(session, "game:maze") == (
        Note("enter", {"screen": "tiers", "game": "maze", "tier": None, "level": None}),
    )
    assert press(session, "tier:easy") == (
        Note("enter", {"screen": "level", "game": "maze", "tier": "easy", "level": 0}),
    )
    count = len(OBJECTIVES[0].levels)
    for index in range(count):
        view = session.view
        assert (view.screen, view.ready, view.level_index, view.moves_made) == ("level", True, index, 0)
        assert view.level == OBJECTIVES[0].levels[index]
        length = len(solution(session))
        notes = solve(session)
        assert kinds(notes[:length]) == ["move"] * length
        won = {"game": "maze", "tier": "easy", "level": index, "moves": length}
        assert notes[length] == Note("solved", won)
        assert session.view.won["maze", "easy"] == frozenset(range(index + 1))
        assert not session.view.ready
        if index < count - 1:
            assert session.view.screen == "solved"
            press(session, "next")
    assert notes[-1] == Note("complete", {"game": "maze", "tier": "easy"})
    assert session.view.screen == "complete"
    assert kinds(press(session, "menu")) == ["enter"]
    assert session.view.screen == "tiers"
    press(session, "back")
    assert session.view.screen == "home"
    assert session.view.won == {("maze", "easy"): frozenset({0, 1, 2}), ("maze", "hard"): frozenset()}


def test_the_log_is_every_note_in_order() -> None:
    session = Session(OBJECTIVES)
    notes = press(session, "game:maze") + press(session, "tier:easy") + solve(session) + key(session, "q")
    assert tuple(session.log) == notes


def test_a_tier_goes_on_at_its_first_unsolved_level() -> None:
    session = opened()
    solve(session)
    press(session, "menu")
    press(session, "tier:easy")
    assert session.view.level_index == 1


def test_leaving_a_level_gives_its_attempt_up() -> None:
    session = opened()
    swipe(session, solution(session)[0])
    press(session, "menu")
    assert (session.view.level, session.view.state, session.view.attempts) == (None, None, 0)
    press(session, "tier:easy")
    assert session.view.state == GAME.start(session.view.board)
    assert (session.view.moves_made, session.view.attempts) == (0, 2)


def test_an_unsolved_level_blocks_the_later_ones_and_a_click_on_them_is_seen() -> None:
    session = opened()
    before, picture = session.view, session.scene()
    notes = press(session, "level:1")
    assert kinds(notes) == ["miss"]
    assert notes[0].data["target"] == "level:1"
    assert (session.view.level_index, session.view.state) == (before.level_index, before.state)
    assert session.scene() != picture


def test_a_won_level_may_be_played_again_and_stays_won() -> None:
    session = opened()
    solve(session)
    press(session, "next")
    press(session, "level:0")
    assert session.view.level_index == 0
    press(session, "level:1")  # still open: its predecessor is won
    press(session, "level:0")
    solve(session)
    assert session.view.won["maze", "easy"] == {0}


def test_restart_begins_a_new_attempt() -> None:
    session = opened()
    swipe(session, solution(session)[0])
    assert kinds(press(session, "restart")) == ["restart"]
    view = session.view
    assert (view.state, view.moves_made, view.attempts) == (GAME.start(view.board), 0, 2)


def test_the_solved_card_offers_the_level_again() -> None:
    session = opened()
    solve(session)
    assert kinds(press(session, "again")) == ["restart"]
    assert (session.view.screen, session.view.level_index, session.view.moves_made) == ("level", 0, 0)


def test_people_may_play_by_keyboard_alone() -> None:
    session = opened()
    for move in solution(session):
        key(session, ARROWS[move])
    assert session.view.screen == "solved"
    assert kinds(key(session, "Enter")) == ["enter"]
    assert session.view.level_index == 1
    key(session, ARROWS[solution(session)[0]])
    assert kinds(key(session, "r")) == ["restart"]


def test_the_language_switch_changes_the_words() -> None:
    session = Session(OBJECTIVES)
    english, hash_ = session.scene(), session.state_hash()
    assert press(session, "lang") == (Note("lang", {"lang": "zh"}),)
    assert session.scene() != english
    assert session.state_hash() != hash_
    press(session, "lang")
    assert (session.scene(), session.state_hash()) == (english, hash_)


def test_a_game_without_levels_is_shown_and_locked() -> None:
    session = Session([])
    assert list(session.targets()) == ["lang", *(f"game:{name}" for name in GAMES)]
    assert kinds(press(session, "game:maze")) == ["miss"]
    assert session.view.screen == "home"


def test_a_tier_without_levels_is_locked() -> None:
    session = Session([*OBJECTIVES, Objective("maze", "expert", ())])
    press(session, "game:maze")
    assert kinds(press(session, "tier:expert")) == ["miss"]
    assert session.view.screen == "tiers"


# --- inputs that do nothing -------------------------------------------------------------------------------------------


def test_a_blocked_swipe_changes_no_state_but_is_seen_and_noted() -> None:
    session = opened()
    before, picture = session.view, session.scene()
    notes = key(session, blocked_key(session))
    assert kinds(notes) == ["invalid"]
    assert notes[0].data["reason"]
    assert (session.view.state, session.view.moves_made) == (before.state, before.moves_made)
    marked = session.scene()
    assert marked != picture
    assert session.scene() == marked  # it stays ...
    key(session, "q")
    assert session.scene() == picture  # ... until the next input


def test_the_mark_of_a_blocked_swipe_goes_at_a_press_beside_the_board() -> None:
    session = opened()
    picture = session.scene()
    key(session, blocked_key(session))
    session.event(Pointer("down", 1, 1))
    session.event(Pointer("up", 1, 1))
    assert session.scene() == picture


@pytest.mark.parametrize(("x", "y", "target"), [(5, 5, ""), (800, 400, "board")])
def test_a_click_on_nothing_is_a_miss(x: float, y: float, target: str) -> None:
    session = opened()
    before = session.state_hash()
    assert session.event(Pointer("down", x, y)) == ()
    assert session.event(Pointer("up", x, y)) == (Note("miss", {"x": x, "y": y, "target": target}),)
    assert session.state_hash() == before


def test_a_control_that_is_left_before_the_release_does_nothing() -> None:
    session = opened()
    swipe(session, solution(session)[0])
    x, y = session.targets()["restart"]
    session.event(Pointer("down", x, y))
    session.event(Pointer("move", 5, 5))
    notes = session.event(Pointer("up", 5, 5))
    assert notes == (Note("miss", {"x": 5, "y": 5, "target": "restart"}),)
    assert session.view.moves_made == 1


def test_a_held_control_looks_pressed() -> None:
    session = opened()
    picture = session.scene()
    session.event(Pointer("down", *session.targets()["restart"]))
    assert session.scene() != picture


def test_a_pointer_that_hovers_is_no_input() -> None:
    session = opened()
    before, picture = session.snapshot(), session.scene()
    assert session.event(Pointer("move", 800, 400)) == ()
    assert (session.snapshot(), session.scene()) == (before, picture)


def test_a_release_without_a_press_is_nothing() -> None:
    session = opened()
    before = session.snapshot()
    assert session.event(Pointer("up", 800, 400)) == ()
    assert session.snapshot() == before


@pytest.mark.parametrize("screen", ["home", "tiers", "solved", "complete"])
def test_moves_count_on_an_open_level_only(screen: str) -> None:
    session = Session(OBJECTIVES)
    if screen != "home":
        press(session, "game:maze")
    if screen in ("solved", "complete"):
        press(session, "tier:easy")
        solve(session)
    while screen == "complete" and session.view.screen == "solved":
        press(session, "next")
        solve(session)
    assert session.view.screen == screen
    before = session.state_hash()
    assert kinds(key(session, "ArrowUp")) == ["ignored"]
    assert session.state_hash() == before


# --- targets and gestures ---------------------------------------------------------------------------------------------

VIEWPORTS = [(1280, 900), (640, 480), (1920, 1080), (500, 900)]


@pytest.mark.parametrize("viewport", VIEWPORTS)
def test_controls_lie_inside_the_viewport_and_apart_from_each_other(viewport: tuple[int, int]) -> None:
    session = Session(OBJECTIVES, viewport=viewport)
    for target in ("game:maze", "tier:easy", None):
        spots = list(session.targets().values())
        assert len(set(spots)) == len(spots)
        assert all(0 <= x < viewport[0] and 0 <= y < viewport[1] for x, y in spots)
        if target:
            press(session, target)


@pytest.mark.parametrize("viewport", VIEWPORTS)
@given(position=positions(GAME))
def test_the_gesture_of_a_move_makes_this_move(viewport: tuple[int, int], position: tuple[Any, Any]) -> None:
    board, state = position
    level = dataclasses.replace(OBJECTIVES[0].levels[0], board=GAME.dump(board))
    for move in GAME.moves(board, state):
        session = Session([Objective("maze", "easy", (level,))], viewport=viewport)
        press(session, "game:maze")
        press(session, "tier:easy")
        assert session._attempt is not None
        session._attempt._states = [state]
        events = session.pointers(move)
        assert all(event.x == round(event.x) and event.y == round(event.y) for event in events)
        notes = tuple(note for event in events for note in session.event(event))
        assert notes[0] == Note("move", {"move": move, "moves": 1})
        assert session.view.state == GAME.apply(board, state, move)


def test_a_swipe_may_begin_anywhere_beside_the_panel() -> None:
    session = opened()
    move = solution(session)[0]
    (down, *_, up) = session.pointers(move)
    dx, dy = up.x - down.x, up.y - down.y
    session.event(Pointer("down", 1200, 860))
    assert kinds(session.event(Pointer("up", 1200 + dx, 860 + dy))) == ["move"]


def test_a_long_level_row_shows_the_part_around_the_open_level() -> None:
    session = Session([levels.objective("easy", levels.EASY[:1] * 50)])
    press(session, "game:maze")
    press(session, "tier:easy")
    for _ in range(30):
        solve(session)
        press(session, "next")
    assert session.view.level_index == 30
    shown = [name for name in session.targets() if name.startswith("level:")]
    assert "level:29" in shown
    assert "level:31" in shown
    assert len(shown) == 19
    press(session, "level:21")
    assert session.view.level_index == 21
    assert "level:11" in session.targets()


# --- what a player may know -------------------------------------------------------------------------------------------


def test_no_picture_depends_on_a_certificate_or_a_figure() -> None:
    def without_proof(level: Level) -> Level:
        blank = dataclasses.replace(level.certificate, solution=(), upper=0, lower=0)
        return dataclasses.replace(level, certificate=blank, figures={})

    blind = [dataclasses.replace(o, levels=tuple(map(without_proof, o.levels))) for o in OBJECTIVES]
    seeing, blinded = Session(OBJECTIVES), Session(blind)
    for target in ("game:maze", "tier:easy"):
        press(seeing, target)
        press(blinded, target)
        assert seeing.scene() == blinded.scene()
    for move in solution(seeing):
        swipe(seeing, move)
        swipe(blinded, move)
        assert seeing.scene() == blinded.scene()


# --- memory -----------------------------------------------------------------------------------------------------------

inputs = st.lists(
    st.one_of(
        st.builds(Pointer, st.sampled_from(("down", "move", "up")), st.integers(0, 1279), st.integers(0, 899)),
        st.builds(Pointer, st.just("key"), key=st.sampled_from((*ARROWS.values(), "r", "Enter", "x"))),
        st.sampled_from(("menu", "restart", "next", "again", "back", "game:maze", "tier:easy", "level:0", "level:1")),
        st.just("solve"),
    ),
    max_size=25,
)


def give(session: Session, input_: Pointer | str) -> None:
    if isinstance(input_, Pointer):
        session.event(input_)
    elif input_ == "solve":
        if session.view.ready and session.view.moves_made == 0:
            solve(session)
    elif input_ in session.targets():
        press(session, input_)


@given(before=inputs, after=inputs)
def test_a_restored_session_goes_on_as_the_saved_one(before: list[Any], after: list[Any]) -> None:
    session = opened()
    for input_ in before:
        give(session, input_)
    saved = json.loads(json.dumps(session.snapshot()))
    other = Session(OBJECTIVES, lang="zh")
    other.restore(saved)
    for input_ in [None, *after]:
        if input_ is not None:
            give(session, input_)
            give(other, input_)
        assert other.view == session.view
        assert other.scene() == session.scene()
        assert other.state_hash() == session.state_hash()
        assert other.log == session.log
        assert other.snapshot() == session.snapshot()


@given(given_inputs=inputs)
def test_the_same_inputs_give_the_same_session(given_inputs: list[Any]) -> None:
    one, other = Session(OBJECTIVES), Session(levels.objectives())
    for input_ in given_inputs:
        give(one, input_)
        give(other, input_)
    assert one.snapshot() == other.snapshot()
    assert one.state_hash() == other.state_hash()


def test_a_situation_that_comes_back_has_the_same_hash() -> None:
    session = opened("hard")
    hashes = [session.state_hash()]
    swipe(session, solution(session)[0])
    hashes.append(session.state_hash())
    press(session, "restart")
    hashes.append(session.state_hash())
    assert hashes[0] == hashes[2] != hashes[1]


def test_every_part_of_a_situation_is_in_its_hash() -> None:
    seen = {Session(OBJECTIVES).state_hash(), Session(OBJECTIVES, lang="zh").state_hash()}
    session = opened()
    seen.add(session.state_hash())
    session.event(Pointer("down", 800, 400))  # a press that is being made
    seen.add(session.state_hash())
    session.event(Pointer("up", 800, 400))
    solve(session)
    seen.add(session.state_hash())
    press(session, "level:0" if "level:0" in session.targets() else "again")
    seen.add(session.state_hash())  # as at first, but won
    assert len(seen) == 6


def test_a_snapshot_of_other_levels_is_refused_and_nothing_changes() -> None:
    session = opened()
    before = session.snapshot()
    with pytest.raises(InvalidSession, match="other levels"):
        session.restore(Session(OBJECTIVES[:1]).snapshot())
    assert session.snapshot() == before


@pytest.mark.parametrize(
    "damage",
    [
        {"version": 0},
        {"lang": "tlh"},
        {"attempt": None},
        {"index": 99},
        {"tier": "nightmare"},
        {"log": 1},
        {"screen": "level", "tier": None},
    ],
)
def test_a_damaged_snapshot_is_refused_and_nothing_changes(damage: dict[str, Any]) -> None:
    session = opened()
    before = session.snapshot()
    with pytest.raises(InvalidSession):
        session.restore({**before, **damage})
    assert session.snapshot() == before


@pytest.mark.parametrize("damage", [{"moves": ["X"], "held_from": 1}, {"held": [["down"]]}, {"moves": ["U"]}])
def test_a_damaged_attempt_is_refused_and_nothing_changes(damage: dict[str, Any]) -> None:
    session = opened()
    before = session.snapshot()
    with pytest.raises(InvalidSession):
        session.restore({**before, "attempt": {**before["attempt"], **damage}})
    assert session.snapshot() == before


# --- undo, for the games that have it ---------------------------------------------------------------------------------


@pytest.fixture
def with_undo(monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setitem(GAMES, "maze", dataclasses.replace(GAME, undo=True))
    return opened("hard")


def test_a_game_without_undo_offers_none() -> None:
    assert "undo" not in opened().targets()


def test_undo_goes_back_one_move_at_a_time_and_is_no_move(with_undo: Session) -> None:
    session = with_undo
    states = [session.view.state]
    for move in solution(session)[:3]:
        swipe(session, move)
        states.append(session.view.state)
    assert session.view.can_undo
    for state in reversed(states[:-1]):
        assert kinds(press(session, "undo")) == ["undo"]
        assert session.view.state == state
    assert session.view.moves_made == 3
    assert not session.view.can_undo
    assert kinds(press(session, "undo")) == ["miss"]


def test_undo_survives_saving(with_undo: Session) -> None:
    session = with_undo
    for move in solution(session)[:3]:
        swipe(session, move)
    press(session, "undo")
    other = Session(OBJECTIVES)
    other.restore(json.loads(json.dumps(session.snapshot())))
    press(session, "undo")
    press(other, "undo")
    assert other.view == session.view
    assert other.view.moves_made == 3


# --- what it refuses --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("objectives", "options", "message"),
    [
        ([Objective("chess", "easy", ())], {}, "no game 'chess'"),
        ([Objective("maze", "easy", ()), Objective("maze", "easy", ())], {}, "twice"),
        ([], {"lang": "tlh"}, "no language 'tlh'"),
        ([], {"viewport": (0, 900)}, "viewport"),
    ],
)
def test_what_cannot_be_offered_is_refused(objectives: list[Objective], options: Any, message: str) -> None:
    with pytest.raises(InvalidSession, match=message):
        Session(objectives, **options)


def test_a_level_of_another_game_is_refused() -> None:
    stranger = dataclasses.replace(OBJECTIVES[0].levels[0], game="rush")
    with pytest.raises(InvalidSession, match="level 1 is of the game 'rush'"):
        Session([Objective("maze", "easy", (stranger,))])


def test_a_level_with_a_broken_board_is_refused() -> None:
    broken = dataclasses.replace(OBJECTIVES[0].levels[0], board={"rows": ["S.", "."]})
    with pytest.raises(InvalidBoard):
        Session([Objective("maze", "easy", (broken,))])


def test_a_tier_of_a_users_own_keeps_its_name() -> None:
    assert labels.tier_name("my_own", "zh") == "My own"
