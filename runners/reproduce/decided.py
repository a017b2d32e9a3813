"""The decisions of a record: how NGAR counts each step, and what was said to be wrong with it.

What an agent returned that was no action is not in the record, so that the text of its error cannot be checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..agents import ADAPTERS, AGENTS, HUMAN
from ..agents.base import Answer, native_or_other
from ..decisions import BESIDE

if TYPE_CHECKING:
    from .stored import Stored

MODELS = tuple(f"{name}:" for name in ADAPTERS if name != "command")
SAY_NOTHING = (*AGENTS, HUMAN, "mcp")  # who cannot say that a step is other than its action


def check_decisions(record: Stored) -> Iterator[tuple[dict[str, Any], str, Any, Any]]:
    """Where the class of a step does not fit its action and who played, or an error does not fit its decision."""
    for event, errors in _with_errors(record.events):
        data, wrong = event["data"], [e for e in errors if not e["data"]["error"].startswith(BESIDE)]
        does = data.get("action") is not None or "answer" in data
        for error in wrong[0 if does else 1 :]:
            yield error, "an error of a step that has none", error["data"]["error"], None
        if "step_class" not in data:  # records of the first version
            continue
        allowed = _classes(data, _asked_for(record), failed=bool(wrong))
        if data["step_class"] not in allowed:
            yield event, "the class of the step, by its action", data["step_class"], " or ".join(allowed)


def _with_errors(events: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each decision with the errors that were written down of it."""
    found: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    for event in events:
        if event["type"] == "decision":
            found.append((event, []))
        elif event["type"] == "agent_error" and found:
            found[-1][1].append(event)
    yield from found


def _classes(data: Mapping[str, Any], spec: str, *, failed: bool) -> list[str]:
    """Those that the step may have. A model of ours has looked at the screen where it says so of a step without an
    action; programs and classes may say that a step of theirs was mixed with computation."""
    given = Answer("") if "answer" in data else data.get("action")
    here = native_or_other(given)
    is_model = spec.startswith(MODELS)
    if here == "native":
        return ["native"] if is_model or spec in SAY_NOTHING else ["native", "other"]
    return ["other", "native"] if is_model and given is None and not failed else ["other"]


def _asked_for(record: Stored) -> str:
    """The agent's spec; empty where the manifest names none."""
    agent = record.manifest.get("agent")
    spec = agent.get("spec") if isinstance(agent, Mapping) else None
    return spec if isinstance(spec, str) else ""
