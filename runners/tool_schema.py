"""The one GUI tool as models are offered it: its name, its description, and a JSON schema of its arguments.

The arguments are the JSON form of an action (see ``actions``). The schema is one flat object: several services refuse a
choice (``oneOf``) at its top, so what goes with which action is said in words, and ``read_action`` checks it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .actions import FIELDS, MAX_BATCH, MAX_PATH, MAX_SCROLL, MAX_TEXT, MAX_WAIT

GUI_TOOL = "gui"
NAMED_KEYS = "ArrowUp, ArrowDown, ArrowLeft, ArrowRight, Enter, Escape, Backspace, Space"

PURPOSE = {
    "click": "click at (x, y)",
    "doubleclick": "click twice at (x, y)",
    "drag": "press at the first point of path, move over the others, release at the last",
    "press": "press one key",
    "type": "press a key for each letter of text",
    "scroll": "turn the wheel by (dx, dy) at (x, y)",
    "wait": "do nothing for so many seconds",
    "batch": "do several actions, one after the other, before the next screenshot",
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "x": {"type": "number", "minimum": 0, "description": "Pixels from the left edge of the screen."},
    "y": {"type": "number", "minimum": 0, "description": "Pixels from the top edge of the screen."},
    "path": {
        "type": "array",
        "items": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        "minItems": 2,
        "maxItems": MAX_PATH,
        "description": "Points [x, y] in pixels.",
    },
    "key": {"type": "string", "description": f"A letter, or one of {NAMED_KEYS}. No combinations."},
    "text": {"type": "string", "minLength": 1, "maxLength": MAX_TEXT, "description": "Letters and spaces."},
    "dx": {"type": "number", "minimum": -MAX_SCROLL, "maximum": MAX_SCROLL, "description": "Pixels to the right."},
    "dy": {"type": "number", "minimum": -MAX_SCROLL, "maximum": MAX_SCROLL, "description": "Pixels down."},
    "seconds": {"type": "number", "minimum": 0, "maximum": MAX_WAIT},
}


def gui_tool_schema() -> dict[str, Any]:
    """JSON schema of the tool's arguments: ``{"action": "click", "x": 640, "y": 300}`` and its like."""
    singles = [name for name in FIELDS if name != "batch"]
    batch = {
        "type": "array",
        "items": _flat(singles, {}),
        "minItems": 1,
        "maxItems": MAX_BATCH,
        "description": "Actions of a batch, in their order.",
    }
    return _flat(list(FIELDS), {"actions": batch})


def gui_tool_description() -> str:
    """What the tool does, and which arguments go with which action."""
    lines = [f"- {name} ({', '.join(fields)}): {PURPOSE[name]}" for name, (_, fields) in FIELDS.items()]
    head = "Act on the screen with mouse and keyboard; a screenshot of the screen afterwards is returned."
    return "\n".join([f"{head} Give `action` and exactly the arguments that it takes:", *lines])


def gui_tool_action(arguments: Any) -> Any:
    """The action that a call of the tool means, for ``read_action``: arguments given as null are not given."""
    if not isinstance(arguments, Mapping):
        return arguments
    given = {name: value for name, value in arguments.items() if value is not None}
    if isinstance(given.get("actions"), list):
        given["actions"] = [gui_tool_action(part) for part in given["actions"]]
    return given


def _flat(names: list[str], more: dict[str, Any]) -> dict[str, Any]:
    fields = {field for name in names for field in FIELDS[name][1]}
    known = {field: schema for field, schema in (ARGUMENTS | more).items() if field in fields}
    return {
        "type": "object",
        "properties": {"action": {"type": "string", "enum": names}, **known},
        "required": ["action"],
        "additionalProperties": False,
    }
