"""Calls of our own GUI tool, as the services bring them; and screenshots as the services take them."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from ..tool_schema import GUI_TOOL, gui_tool_action
from .replies import Call

CUT = "the call was cut off in the middle; keep it short"


def gui_call(call_id: str, name: str, arguments: str | dict[str, Any], *, cut: bool = False) -> Call:
    """A call by its name and arguments (an object, or its JSON); ``cut``: the reply was stopped at its longest."""
    if name != GUI_TOOL:
        return Call(id=call_id, refused=f"there is no tool {name!r}; call {GUI_TOOL}")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return Call(id=call_id, refused=CUT if cut else "the arguments are not JSON")
    action = gui_tool_action(arguments)
    if not isinstance(action, dict):
        return Call(id=call_id, refused="the arguments are not an object")
    return Call(id=call_id, action=action)


def picture_data(png: bytes) -> str:
    """Base64."""
    return b64encode(png).decode("ascii")


def picture_url(png: bytes) -> str:
    return f"data:image/png;base64,{picture_data(png)}"
