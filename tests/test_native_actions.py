"""What the services' own computer tools call an action, as one of ours."""

from __future__ import annotations

from typing import Any

import pytest

from lpb_gen.runners.actions import read_action
from lpb_gen.runners.agents.native_actions import Hand, openai_call

# --- OpenAI's ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("native", "ours"),
    [
        ({"type": "click", "button": "left", "x": 1, "y": 2}, {"action": "click", "x": 1, "y": 2}),
        ({"type": "click", "button": "left", "x": 1, "y": 2, "keys": []}, {"action": "click", "x": 1, "y": 2}),
        ({"type": "double_click", "x": 1, "y": 2}, {"action": "doubleclick", "x": 1, "y": 2}),
        (
            {"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}, {"x": 5, "y": 6}]},
            {"action": "drag", "path": [[1, 2], [3, 4], [5, 6]]},
        ),
        ({"type": "keypress", "keys": ["UP"]}, {"action": "press", "key": "ArrowUp"}),
        ({"type": "keypress", "keys": ["ArrowLeft"]}, {"action": "press", "key": "ArrowLeft"}),
        ({"type": "keypress", "keys": ["ENTER"]}, {"action": "press", "key": "Enter"}),
        ({"type": "keypress", "keys": ["ESC"]}, {"action": "press", "key": "Escape"}),
        ({"type": "keypress", "keys": ["SPACE"]}, {"action": "press", "key": " "}),
        ({"type": "keypress", "keys": ["R"]}, {"action": "press", "key": "r"}),
        ({"type": "type", "text": "abc"}, {"action": "type", "text": "abc"}),
        (
            {"type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": -300},
            {"action": "scroll", "x": 1, "y": 2, "dx": 0, "dy": -300},
        ),
        ({"type": "wait"}, {"action": "wait", "seconds": 2.0}),
    ],
    ids=lambda value: str(value.get("type") or value.get("action")),
)
def test_openais_actions(native: dict[str, Any], ours: dict[str, Any]) -> None:
    call = openai_call("1", [native], {})
    assert (call.action, call.refused) == (ours, None)
    read_action(call.action, (1280, 900))


@pytest.mark.parametrize("kind", ["screenshot", "move"])
def test_openais_looks_touch_nothing(kind: str) -> None:
    call = openai_call("1", [{"type": kind, "x": 1, "y": 2}], {})
    assert (call.action, call.refused) == (None, None)


@pytest.mark.parametrize(
    ("native", "reason"),
    [
        ({"type": "keypress", "keys": ["CTRL", "A"]}, "key combinations"),
        ({"type": "keypress", "keys": []}, "key combinations"),
        ({"type": "click", "button": "right", "x": 1, "y": 2}, "only the left mouse button"),
        ({"type": "click", "button": "left", "x": 1, "y": 2, "keys": ["SHIFT"]}, "key combinations"),
        ({"type": "fly"}, "there is no action 'fly'"),
        ({}, "there is no action None"),
    ],
)
def test_what_openais_tool_cannot_do_here(native: dict[str, Any], reason: str) -> None:
    call = openai_call("1", [{"type": "wait"}, native], {})
    assert call.action is None
    assert call.refused is not None
    assert reason in call.refused


def test_several_actions_of_one_call_are_a_batch_without_the_looks() -> None:
    parts: list[dict[str, Any]] = [
        {"type": "click", "x": 1, "y": 2},
        {"type": "screenshot"},
        {"type": "keypress", "keys": ["UP"]},
    ]
    batch = [{"action": "click", "x": 1, "y": 2}, {"action": "press", "key": "ArrowUp"}]
    assert openai_call("1", parts, {}).action == {"action": "batch", "actions": batch}


# --- Anthropic's ------------------------------------------------------------------------------------------------------


def does(hand: Hand, member: str, **given: Any) -> Any:
    call = hand.call("1", member, given, {})
    return call.refused or call.action


@pytest.mark.parametrize(
    ("member", "given", "ours"),
    [
        ("left_click", {"coordinate": [1, 2]}, {"action": "click", "x": 1, "y": 2}),
        ("double_click", {"coordinate": [1, 2]}, {"action": "doubleclick", "x": 1, "y": 2}),
        (
            "left_click_drag",
            {"start_coordinate": [1, 2], "coordinate": [3, 4]},
            {"action": "drag", "path": [[1, 2], [3, 4]]},
        ),
        ("key", {"text": "Return"}, {"action": "press", "key": "Enter"}),
        ("key", {"text": "Up"}, {"action": "press", "key": "ArrowUp"}),
        ("key", {"text": "BackSpace"}, {"action": "press", "key": "Backspace"}),
        ("key", {"text": "r"}, {"action": "press", "key": "r"}),
        ("type", {"text": "abc"}, {"action": "type", "text": "abc"}),
        ("wait", {"duration": 3}, {"action": "wait", "seconds": 3}),
        (
            "scroll",
            {"coordinate": [1, 2], "scroll_direction": "up", "scroll_amount": 3},
            {"action": "scroll", "x": 1, "y": 2, "dx": 0, "dy": -300},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_anthropics_members(member: str, given: dict[str, Any], ours: dict[str, Any]) -> None:
    assert does(Hand(), member, **given) == ours
    read_action(ours, (1280, 900))


def test_a_key_may_be_repeated() -> None:
    assert does(Hand(), "key", text="Left", repeat=3) == {
        "action": "batch",
        "actions": [{"action": "press", "key": "ArrowLeft"}] * 3,
    }


@pytest.mark.parametrize("member", ["screenshot", "mouse_move"])
def test_anthropics_looks_touch_nothing(member: str) -> None:
    assert does(Hand(), member, coordinate=[1, 2]) is None


def test_the_mouse_stays_where_it_was_left() -> None:
    hand = Hand()
    assert "is not a point" in does(hand, "left_click")
    assert hand.call("1", "cursor_position", {}, {}).answer == "The mouse has not been moved yet."
    does(hand, "mouse_move", coordinate=[7, 8])
    assert does(hand, "left_click") == {"action": "click", "x": 7, "y": 8}
    assert hand.call("1", "cursor_position", {}, {}).answer == "X=7,Y=8"


def test_a_button_held_down_drags_along_the_mouses_way() -> None:
    hand = Hand()
    does(hand, "mouse_move", coordinate=[1, 1])
    assert does(hand, "left_mouse_down") is None
    does(hand, "mouse_move", coordinate=[5, 1])
    does(hand, "mouse_move", coordinate=[5, 9])
    assert does(hand, "left_mouse_up") == {"action": "drag", "path": [[1, 1], [5, 1], [5, 9]]}
    assert does(hand, "left_mouse_up") == "the left mouse button is not held down"


def test_a_button_that_goes_down_and_up_clicks() -> None:
    hand = Hand()
    does(hand, "mouse_move", coordinate=[4, 2])
    does(hand, "left_mouse_down")
    assert does(hand, "left_mouse_up") == {"action": "click", "x": 4, "y": 2}


def test_nothing_else_is_done_while_the_button_is_held_down() -> None:
    hand = Hand()
    does(hand, "mouse_move", coordinate=[4, 2])
    does(hand, "left_mouse_down")
    assert "has been let go of" in does(hand, "key", text="r")
    assert does(hand, "key", text="r") == {"action": "press", "key": "r"}


@pytest.mark.parametrize(
    ("member", "given", "reason"),
    [
        ("key", {"text": "ctrl+s"}, "key combinations"),
        ("key", {"text": "r", "repeat": 0}, "repeat is not a number of times"),
        ("left_click", {"coordinate": [1, 2], "text": "shift"}, "key combinations"),
        ("left_click", {"coordinate": [1]}, "coordinate is not a point"),
        ("left_click", {"coordinate": "1,2"}, "coordinate is not a point"),
        ("left_click_drag", {"coordinate": [1, 2]}, "start_coordinate is not a point"),
        ("scroll", {"coordinate": [1, 2], "scroll_direction": "in", "scroll_amount": 3}, "scroll takes"),
        ("right_click", {"coordinate": [1, 2]}, "there is no action 'right_click'"),
        ("hold_key", {"text": "r", "duration": 1}, "there is no action 'hold_key'"),
        ("zoom", {"region": [0, 0, 1, 1]}, "there is no action 'zoom'"),
    ],
)
def test_what_anthropics_tools_cannot_do_here(member: str, given: dict[str, Any], reason: str) -> None:
    refused = does(Hand(), member, **given)
    assert isinstance(refused, str)
    assert reason in refused
