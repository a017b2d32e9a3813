"""What the services' own computer tools call an action, as an action of ours, or the reason why there is none.

Only what ``actions`` knows can be done: no key combinations, no other mouse button. Moving the mouse and taking a
screenshot touch nothing: the next screenshot is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..actions import MAX_BATCH
from .replies import Call

WHEEL_CLICK = 100  # pixels
PAUSE = 2.0  # seconds of a wait without a length
KEYS = {  # the names of X11 and of OpenAI's tool; the DOM's own pass as they are
    "return": "Enter",
    "enter": "Enter",
    "kp_enter": "Enter",
    "esc": "Escape",
    "escape": "Escape",
    "space": " ",
    "backspace": "Backspace",
    **{
        f"{prefix}{side}": f"Arrow{side.capitalize()}"
        for prefix in ("", "arrow")
        for side in ("up", "down", "left", "right")
    },
}
NO_COMBINATIONS = "key combinations and held keys are not allowed; press one key at a time"
ONLY_LEFT = "only the left mouse button can be used"


class Impossible(ValueError):
    """An action that cannot be done here, with the reason for the model."""


def openai_call(call_id: str, parts: Sequence[Mapping[str, Any]], wire: Mapping[str, Any]) -> Call:
    """A ``computer_call`` with its actions: one action of ours, a batch if there are several."""
    try:
        actions = [action for part in parts if (action := _openai(part)) is not None]
    except Impossible as error:
        return Call(id=call_id, refused=str(error), wire=wire)
    return Call(id=call_id, action=_together(actions), wire=wire)


def _openai(part: Mapping[str, Any]) -> dict[str, Any] | None:
    kind = part.get("type")
    if part.get("keys") and kind != "keypress":
        raise Impossible(NO_COMBINATIONS)
    match kind:
        case "click":
            if part.get("button", "left") != "left":
                raise Impossible(ONLY_LEFT)
            return {"action": "click", "x": part.get("x"), "y": part.get("y")}
        case "double_click":
            return {"action": "doubleclick", "x": part.get("x"), "y": part.get("y")}
        case "drag":
            points = [[p.get("x"), p.get("y")] if isinstance(p, Mapping) else p for p in part.get("path") or ()]
            return {"action": "drag", "path": points}
        case "keypress":
            keys = list(part.get("keys") or [])
            if len(keys) != 1:
                raise Impossible(NO_COMBINATIONS)
            return _press(str(keys[0]))
        case "type":
            return {"action": "type", "text": part.get("text")}
        case "scroll":
            turns = {"dx": part.get("scroll_x"), "dy": part.get("scroll_y")}
            return {"action": "scroll", "x": part.get("x"), "y": part.get("y"), **turns}
        case "wait":
            return {"action": "wait", "seconds": PAUSE}
        case "move" | "screenshot":
            return None
        case _:
            raise Impossible(f"there is no action {kind!r} here")


class Hand:
    """Anthropic's computer tools, whose members may leave the position out: where the mouse is, and what it drags."""

    def __init__(self) -> None:
        self._at: tuple[float, float] | None = None
        self._path: list[tuple[float, float]] | None = None  # since the button went down
        self._members: dict[str, Callable[[Mapping[str, Any]], dict[str, Any] | None]] = {
            "left_click": lambda given: self._pointed("click", given),
            "double_click": lambda given: self._pointed("doubleclick", given),
            "left_click_drag": self._drag,
            "left_mouse_down": self._down,
            "left_mouse_up": self._up,
            "mouse_move": self._move,
            "key": self._key,
            "type": lambda given: {"action": "type", "text": given.get("text")},
            "scroll": self._scroll,
            "wait": lambda given: {"action": "wait", "seconds": given.get("duration", PAUSE)},
            "screenshot": lambda given: None,
            "cursor_position": lambda given: None,
        }

    @property
    def served(self) -> frozenset[str]:
        """The members that do something here."""
        return frozenset(self._members)

    def call(self, call_id: str, member: str, given: Mapping[str, Any], wire: Mapping[str, Any]) -> Call:
        """The call of a member; ``given``: its input."""
        try:
            if member not in self._members:
                raise Impossible(f"there is no action {member!r} here")
            if self._path is not None and member not in (
                "mouse_move",
                "left_mouse_up",
                "screenshot",
                "cursor_position",
            ):
                self._path = None
                raise Impossible("the left mouse button was held down; it has been let go of without any effect")
            action = self._members[member](given)
        except Impossible as error:
            return Call(id=call_id, refused=str(error), wire=wire)
        call = Call(id=call_id, action=action, wire=wire)
        if member == "cursor_position":
            call.answer = f"X={self._at[0]:g},Y={self._at[1]:g}" if self._at else "The mouse has not been moved yet."
        return call

    def _point(self, given: Mapping[str, Any], name: str = "coordinate") -> tuple[float, float]:
        value = given.get(name)
        if value is None and name == "coordinate" and self._at is not None:
            return self._at
        if (
            not isinstance(value, Sequence)
            or len(value) != 2
            or not all(isinstance(part, int | float) for part in value)
        ):
            raise Impossible(f"{name} is not a point [x, y]")
        return value[0], value[1]

    def _go(self, given: Mapping[str, Any]) -> tuple[float, float]:
        if given.get("text"):
            raise Impossible(NO_COMBINATIONS)
        self._at = self._point(given)
        return self._at

    def _pointed(self, action: str, given: Mapping[str, Any]) -> dict[str, Any]:
        x, y = self._go(given)
        return {"action": action, "x": x, "y": y}

    def _drag(self, given: Mapping[str, Any]) -> dict[str, Any]:
        start = self._point(given, "start_coordinate")
        return {"action": "drag", "path": [list(start), list(self._go(given))]}

    def _down(self, given: Mapping[str, Any]) -> None:
        self._path = [self._go(given)]

    def _move(self, given: Mapping[str, Any]) -> None:
        at = self._go(given)
        if self._path is not None:
            self._path.append(at)

    def _up(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if self._path is None:
            raise Impossible("the left mouse button is not held down")
        path, self._path = self._path, None
        if len(set(path)) == 1:
            return {"action": "click", "x": path[0][0], "y": path[0][1]}
        return {"action": "drag", "path": [list(point) for point in path]}

    def _key(self, given: Mapping[str, Any]) -> dict[str, Any] | None:
        times = 1 if given.get("repeat") is None else given["repeat"]
        if not isinstance(times, int) or not 1 <= times <= MAX_BATCH:
            raise Impossible(f"repeat is not a number of times from 1 to {MAX_BATCH}")
        return _together([_press(str(given.get("text", "")))] * times)

    def _scroll(self, given: Mapping[str, Any]) -> dict[str, Any]:
        steps = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
        amount, step = given.get("scroll_amount"), steps.get(str(given.get("scroll_direction")))
        if step is None or not isinstance(amount, int | float):
            raise Impossible("scroll takes scroll_direction (up, down, left, right) and scroll_amount")
        x, y = self._go(given)
        return {
            "action": "scroll",
            "x": x,
            "y": y,
            "dx": step[0] * amount * WHEEL_CLICK,
            "dy": step[1] * amount * WHEEL_CLICK,
        }


def _press(name: str) -> dict[str, Any]:
    if "+" in name:
        raise Impossible(NO_COMBINATIONS)
    letter = name.lower() if len(name) == 1 else name  # OpenAI's tool writes single letters large
    return {"action": "press", "key": KEYS.get(name.lower(), letter)}


def _together(actions: list[dict[str, Any]]) -> dict[str, Any] | None:
    if len(actions) > 1:
        return {"action": "batch", "actions": actions}
    return actions[0] if actions else None
