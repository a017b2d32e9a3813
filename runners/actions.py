"""What an agent may do: the action vocabulary, its JSON form, its validation, and the input events that it means.

    {"action": "click", "x": 640, "y": 300}             {"action": "type", "text": "abc"}
    {"action": "doubleclick", "x": 640, "y": 300}       {"action": "scroll", "x": 640, "y": 300, "dx": 0, "dy": 120}
    {"action": "drag", "path": [[10, 20], [90, 20]]}    {"action": "wait", "seconds": 1.5}
    {"action": "press", "key": "ArrowUp"}               {"action": "batch", "actions": [...]}

Coordinates are viewport pixels from the upper left; they are rounded to whole pixels. A batch is fixed when it is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from numbers import Real
from string import ascii_letters
from typing import Any, Literal

from ..games import GAMES
from ..games.base import LpbError, Pointer

MAX_WAIT = 60.0  # seconds
MAX_TEXT = 200
MAX_PATH = 500
MAX_BATCH = 100
MAX_SCROLL = 10_000

# no modifiers, no function keys: nothing that a browser could take for itself
KEYS = (
    frozenset(ascii_letters)
    | {"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter", "Escape", "Backspace", " "}
    | frozenset().union(*(game.keys for game in GAMES.values()))
)
KEY_NAMES = {  # what agents also call them
    "Space": " ",
    "Up": "ArrowUp",
    "Down": "ArrowDown",
    "Left": "ArrowLeft",
    "Right": "ArrowRight",
}


class InvalidAction(LpbError):
    """An action that the vocabulary does not know, or with a value out of its range. Nothing of it is carried out."""


@dataclass(frozen=True, slots=True)
class Click:
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class DoubleClick:
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Drag:
    """Press at the first point, move over the others, release at the last."""

    path: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Press:
    """``key`` is a DOM key name ("ArrowUp", "r", " ")."""

    key: str


@dataclass(frozen=True, slots=True)
class Type:
    text: str


@dataclass(frozen=True, slots=True)
class Scroll:
    """Turns the wheel. Nothing in the suite scrolls: it is legal and changes nothing."""

    x: int
    y: int
    dx: int
    dy: int


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float


@dataclass(frozen=True, slots=True)
class Batch:
    actions: tuple[Click | DoubleClick | Drag | Press | Type | Scroll | Wait, ...]


Single = Click | DoubleClick | Drag | Press | Type | Scroll | Wait
Action = Single | Batch

FIELDS: dict[str, tuple[type, tuple[str, ...]]] = {
    "click": (Click, ("x", "y")),
    "doubleclick": (DoubleClick, ("x", "y")),
    "drag": (Drag, ("path",)),
    "press": (Press, ("key",)),
    "type": (Type, ("text",)),
    "scroll": (Scroll, ("x", "y", "dx", "dy")),
    "wait": (Wait, ("seconds",)),
    "batch": (Batch, ("actions",)),
}
NAMES = {kind: name for name, (kind, _) in FIELDS.items()}


# --- JSON -------------------------------------------------------------------------------------------------------------


def read_action(value: Any, viewport: tuple[int, int]) -> Action:
    """A valid action from its JSON form; ``viewport``: (width, height) in pixels. Raises InvalidAction."""
    if not isinstance(value, dict) or not isinstance(name := value.get("action"), str) or name not in FIELDS:
        raise InvalidAction(f"no such action: {_short(value)}", where="action", fix=f"use one of {', '.join(FIELDS)}")
    names = FIELDS[name][1]
    if set(value) != {"action", *names}:
        raise InvalidAction(f"it takes {', '.join(names)} and nothing else, not {_short(value)}", where=name)
    match name:
        case "click":
            return Click(*_point((value["x"], value["y"]), viewport, name))
        case "doubleclick":
            return DoubleClick(*_point((value["x"], value["y"]), viewport, name))
        case "drag":
            path = value["path"]
            if not isinstance(path, list | tuple) or not 2 <= len(path) <= MAX_PATH:
                raise InvalidAction(f"a path has 2 to {MAX_PATH} points", where=name)
            return Drag(tuple(_point(point, viewport, name) for point in path))
        case "press":
            return Press(_key(value["key"], name))
        case "type":
            text = value["text"]
            if not isinstance(text, str) or not 1 <= len(text) <= MAX_TEXT:
                raise InvalidAction(f"a text has 1 to {MAX_TEXT} letters", where=name)
            return Type("".join(_key(letter, name) for letter in text))
        case "scroll":
            turns = [_number(value[key], name, -MAX_SCROLL, MAX_SCROLL) for key in ("dx", "dy")]
            return Scroll(*_point((value["x"], value["y"]), viewport, name), *(round(turn) for turn in turns))
        case "wait":
            return Wait(_number(value["seconds"], name, 0, MAX_WAIT))
        case _:
            parts = value["actions"]
            if not isinstance(parts, list | tuple) or not 1 <= len(parts) <= MAX_BATCH:
                raise InvalidAction(f"a batch has 1 to {MAX_BATCH} actions", where=name)
            return Batch(tuple(_part(part, viewport) for part in parts))


def write_action(action: Action) -> dict[str, Any]:
    """The JSON form."""
    name = NAMES[type(action)]
    if isinstance(action, Batch):
        return {"action": name, "actions": [write_action(part) for part in action.actions]}
    if isinstance(action, Drag):
        return {"action": name, "path": [list(point) for point in action.path]}
    return {"action": name} | {field: getattr(action, field) for field in FIELDS[name][1]}


def validated(action: Any, viewport: tuple[int, int]) -> Action:
    """The same action, once it is known to be valid. Raises InvalidAction."""
    try:
        value = write_action(action)
    except (KeyError, TypeError, RecursionError):
        fix = "return an action or an answer"
        raise InvalidAction(f"an agent returned {_short(action)}", where="action", fix=fix) from None
    return read_action(value, viewport)


def _part(value: Any, viewport: tuple[int, int]) -> Single:
    action = read_action(value, viewport)
    if isinstance(action, Batch):
        raise InvalidAction("a batch inside a batch", where="batch")
    return action


def _point(value: Any, viewport: tuple[int, int], where: str) -> tuple[int, int]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise InvalidAction(f"{_short(value)} is not a point [x, y]", where=where)
    x, y = (round(_number(coordinate, where, -1e6, 1e6)) for coordinate in value)
    if not (0 <= x < viewport[0] and 0 <= y < viewport[1]):
        raise InvalidAction(f"({x}, {y}) is outside the {viewport[0]}x{viewport[1]} screen", where=where)
    return x, y


def _number(value: Any, where: str, low: float, high: float) -> float:
    number = float(value) if isinstance(value, Real) and not isinstance(value, int | float) else value  # numpy's
    if not isinstance(number, int | float) or isinstance(number, bool) or not low <= number <= high:
        raise InvalidAction(f"{_short(value)} is not a number from {low:g} to {high:g}", where=where)
    return number


def _key(value: Any, where: str) -> str:
    key = KEY_NAMES.get(value, value) if isinstance(value, str) else value
    if not isinstance(key, str) or key not in KEYS:
        raise InvalidAction(
            f"the key {_short(value)} is not allowed", where=where, fix="use letters, arrows, Enter, Escape or Space"
        )
    return key


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # an agent may return anything, and an int of 5,000 digits has no repr
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


# --- input events -----------------------------------------------------------------------------------------------------


def events(action: Single) -> list[Pointer]:
    """The input events of one action, in viewport pixels; none for a wait or a scroll."""
    match action:
        case Click(x, y):
            return [_at("down", x, y), _at("up", x, y)]
        case DoubleClick(x, y):
            return [_at("down", x, y), _at("up", x, y)] * 2
        case Drag(path):
            steps = [_at("move", *after) for before, after in pairwise(path) if after != before]
            return [_at("down", *path[0]), *steps, _at("up", *path[-1])]
        case Press(key):
            return [Pointer("key", key=key)]
        case Type(text):
            return [Pointer("key", key=letter) for letter in text]
        case _:
            return []


def _at(kind: Literal["down", "move", "up"], x: int, y: int) -> Pointer:
    return Pointer(kind, float(x), float(y))


def gesture(pointers: Sequence[Pointer]) -> Action:
    """The action that means these input events (as ``Session.pointers`` gives them); positions are rounded."""
    actions = tuple(_strokes(pointers))
    return actions[0] if len(actions) == 1 else Batch(actions)


def _strokes(pointers: Sequence[Pointer]) -> Iterator[Single]:
    path: list[tuple[int, int]] = []
    for pointer in pointers:
        if pointer.kind == "key":
            yield Press(pointer.key)
            continue
        point = (round(pointer.x), round(pointer.y))
        path = [point] if pointer.kind == "down" else [*path, point]
        if pointer.kind == "up":
            yield _stroke(path)
            path = []
    if path:  # the button is still down: the last level was won before its release
        yield _stroke(path)


def _stroke(path: Sequence[tuple[int, int]]) -> Single:
    return Click(*path[0]) if len(set(path)) == 1 else Drag(tuple(point for point, _ in groupby(path)))
