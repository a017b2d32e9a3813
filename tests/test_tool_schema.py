"""The GUI tool's schema and the action vocabulary say the same."""

from __future__ import annotations

from typing import Any

import pytest

from lpb_gen.runners.actions import FIELDS, read_action
from lpb_gen.runners.tool_schema import PURPOSE, gui_tool_action, gui_tool_description, gui_tool_schema

SAMPLES: list[dict[str, Any]] = [
    {"action": "click", "x": 640, "y": 300},
    {"action": "doubleclick", "x": 640, "y": 300},
    {"action": "drag", "path": [[10, 20], [90, 20]]},
    {"action": "press", "key": "ArrowUp"},
    {"action": "type", "text": "abc"},
    {"action": "scroll", "x": 640, "y": 300, "dx": 0, "dy": 120},
    {"action": "wait", "seconds": 1.5},
    {"action": "batch", "actions": [{"action": "click", "x": 1, "y": 2}, {"action": "wait", "seconds": 0}]},
]


def test_the_schema_names_every_action_and_every_argument() -> None:
    schema = gui_tool_schema()
    assert schema["properties"]["action"]["enum"] == list(FIELDS) == list(PURPOSE)
    assert set(schema["properties"]) == {"action"} | {field for _, fields in FIELDS.values() for field in fields}


def test_a_batch_holds_no_batch() -> None:
    part = gui_tool_schema()["properties"]["actions"]["items"]
    assert "batch" not in part["properties"]["action"]["enum"]
    assert "actions" not in part["properties"]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample["action"]))
def test_what_the_schema_allows_is_an_action(sample: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(sample, gui_tool_schema())
    read_action(sample, (1280, 900))


def test_the_description_says_what_goes_with_which_action() -> None:
    text = gui_tool_description()
    assert "- scroll (x, y, dx, dy): " in text
    assert all(f"- {name} (" in text for name in FIELDS)


def test_null_arguments_are_arguments_not_given() -> None:
    call = {"action": "batch", "x": None, "actions": [{"action": "press", "key": "r", "y": None}]}
    assert gui_tool_action(call) == {"action": "batch", "actions": [{"action": "press", "key": "r"}]}
    assert gui_tool_action("click") == "click"
