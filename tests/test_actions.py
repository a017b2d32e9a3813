"""The action vocabulary: what is valid, what is refused and why, and the input that each action means."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpb_gen.games.base import Pointer
from lpb_gen.runners import actions
from lpb_gen.runners.actions import Batch, Click, DoubleClick, Drag, InvalidAction, Press, Scroll, Type, Wait

SCREEN = (1280, 900)
xs, ys = st.integers(0, 1279), st.integers(0, 899)
points = st.tuples(xs, ys)
keys = st.sampled_from(sorted(actions.KEYS))
singles = st.one_of(
    st.builds(Click, xs, ys),
    st.builds(DoubleClick, xs, ys),
    st.builds(Drag, st.lists(points, min_size=2, max_size=6).map(tuple)),
    st.builds(Press, keys),
    st.builds(Type, st.text(st.sampled_from("abcXYZ "), min_size=1, max_size=20)),
    st.builds(Scroll, xs, ys, st.integers(-500, 500), st.integers(-500, 500)),
    st.builds(Wait, st.floats(0, 60)),
)
every_action = st.one_of(singles, st.builds(Batch, st.lists(singles, min_size=1, max_size=5).map(tuple)))


@given(every_action)
def test_every_action_survives_its_json_form(action: actions.Action) -> None:
    assert actions.read_action(actions.write_action(action), SCREEN) == action
    assert actions.validated(action, SCREEN) == action


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("click", "no such action"),
        ({"action": "hover", "x": 1, "y": 1}, "use one of click, doubleclick"),
        ({"action": ["click"]}, "no such action"),
        ({"action": "click", "x": 1}, "takes x, y"),
        ({"action": "click", "x": 1, "y": 2, "button": "right"}, "nothing else"),
        ({"action": "click", "x": 1280, "y": 0}, "outside the 1280x900 screen"),
        ({"action": "click", "x": 0, "y": -1}, "outside"),
        ({"action": "click", "x": "10", "y": 0}, "not a number"),
        ({"action": "click", "x": True, "y": 0}, "not a number"),
        ({"action": "click", "x": float("nan"), "y": 0}, "not a number"),
        ({"action": "click", "x": float("inf"), "y": 0}, "not a number"),
        ({"action": "doubleclick", "x": None, "y": 0}, "not a number"),
        ({"action": "drag", "path": [[1, 1]]}, "2 to 500 points"),
        ({"action": "drag", "path": [[1, 1]] * 501}, "2 to 500 points"),
        ({"action": "drag", "path": [[1, 1], [2]]}, "not a point"),
        ({"action": "drag", "path": "1,1,2,2"}, "points"),
        ({"action": "press", "key": "F5"}, "not allowed"),
        ({"action": "press", "key": "Control+r"}, "not allowed"),
        ({"action": "press", "key": "Tab"}, "not allowed"),
        ({"action": "press", "key": ["a"]}, "not allowed"),
        ({"action": "type", "text": ""}, "1 to 200 letters"),
        ({"action": "type", "text": "a1"}, "'1' is not allowed"),
        ({"action": "type", "text": "a\n"}, "not allowed"),
        ({"action": "type", "text": 5}, "letters"),
        ({"action": "scroll", "x": 1, "y": 1, "dx": 0, "dy": 1e9}, "number from"),
        ({"action": "wait", "seconds": -1}, "number from 0 to 60"),
        ({"action": "wait", "seconds": 61}, "number from 0 to 60"),
        ({"action": "batch", "actions": []}, "1 to 100 actions"),
        ({"action": "batch", "actions": [{"action": "batch", "actions": []}]}, "1 to 100"),
        (
            {"action": "batch", "actions": [{"action": "batch", "actions": [{"action": "press", "key": "a"}]}]},
            "a batch inside a batch",
        ),
    ],
)
def test_a_bad_action_is_refused_with_its_reason(value: Any, reason: str) -> None:
    with pytest.raises(InvalidAction) as caught:
        actions.read_action(value, SCREEN)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


class Without:
    """A thing that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError


def endless() -> Batch:
    """A batch that holds itself."""
    batch = Batch(())
    object.__setattr__(batch, "actions", (batch,))
    return batch


@pytest.mark.parametrize(
    "value",
    [
        *(None, 5, "click", {"action": "click"}, Click("left", 1), Drag(((0, 0),)), Drag((1, 2)), Without()),
        *(Click(10**400, 1), Click(10**6000, 1), Wait(float("nan")), Batch((Click(5, 5),) * 1000), endless()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_an_agent_returns_is_checked_even_if_it_looks_like_an_action(value: Any) -> None:
    with pytest.raises(InvalidAction):
        actions.validated(value, SCREEN)


def test_positions_are_whole_pixels() -> None:
    assert actions.read_action({"action": "click", "x": 10.6, "y": 9.4}, SCREEN) == Click(11, 9)


def test_common_names_of_keys_are_understood() -> None:
    assert actions.read_action({"action": "press", "key": "Space"}, SCREEN) == Press(" ")
    assert actions.read_action({"action": "press", "key": "Left"}, SCREEN) == Press("ArrowLeft")


@pytest.mark.parametrize(
    ("action", "events"),
    [
        (Click(3, 4), ["down 3 4", "up 3 4"]),
        (DoubleClick(3, 4), ["down 3 4", "up 3 4", "down 3 4", "up 3 4"]),
        (Drag(((0, 0), (5, 0), (5, 0), (5, 7))), ["down 0 0", "move 5 0", "move 5 7", "up 5 7"]),
        (Press("ArrowUp"), ["key ArrowUp"]),
        (Type("ab"), ["key a", "key b"]),
        (Scroll(1, 1, 0, 100), []),
        (Wait(1), []),
    ],
)
def test_an_action_means_these_inputs(action: Any, events: list[str]) -> None:
    said = [f"key {e.key}" if e.kind == "key" else f"{e.kind} {e.x:g} {e.y:g}" for e in actions.events(action)]
    assert said == events


@given(st.one_of(st.builds(Click, xs, ys), st.builds(Drag, st.tuples(points, points)), st.builds(Press, keys)))
def test_a_gesture_is_the_action_of_its_inputs(action: actions.Single) -> None:
    events = actions.events(action)
    assert actions.events(actions.gesture(events)) == events  # type: ignore[arg-type]


def test_a_press_that_is_still_held_is_told_as_far_as_it_went() -> None:
    """A level may be won before the release."""
    down, move = Pointer("down", 1, 1), Pointer("move", 9, 1)
    assert actions.gesture([down, move]) == actions.Drag(((1, 1), (9, 1)))
    assert actions.gesture([down]) == Click(1, 1)


def test_a_gesture_of_several_strokes_is_a_batch() -> None:
    strokes = [Pointer("down", 1.4, 1), Pointer("up", 1.4, 1), Pointer("down", 9, 9), Pointer("up", 9, 9)]
    assert actions.gesture(strokes) == Batch((Click(1, 1), Click(9, 9)))
