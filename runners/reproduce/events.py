"""The events of a record against one another: what of them follows from the rest, without any level.

Each check yields the event at fault, what is wrong, what was recorded and what it should be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ...games.base import LpbError
from .. import actions
from ..agents import HUMAN
from ..inputs import read_input, write_input
from .checks import Check
from .decided import check_decisions
from .stored import MISSING

if TYPE_CHECKING:
    from ...games.base import Pointer
    from .stored import Stored

Difference = tuple[dict[str, Any], str, Any, Any]


def check_events(record: Stored) -> Check:
    """That the events are whole and in order, and that the inputs are those of the decisions."""
    check = Check("events")
    check.same(len(record.events))
    if record.broken:
        check.differs(f"they cannot be read further: {record.broken}", event=len(record.events))
    elif not record.finished:
        check.unchecked = "the record ends before the episode does; it is compared as far as it goes"
    for before, after in pairwise(record.events):
        if after["elapsed_seconds"] < before["elapsed_seconds"]:
            check.differs("time runs backwards", event=after["seq"], step=after["data"].get("step"))
    found = (_inputs, _steps, _order, check_decisions, _rejected, _ending)
    for event, what, recorded, here in (difference for part in found for difference in part(record)):
        check.differs(what, event=event["seq"], step=event["data"].get("step"), recorded=recorded, here=here)
    return check


def _inputs(record: Stored) -> Iterator[Difference]:
    """Where the inputs of a step are not those that its decision means: the event, what, as recorded, as it should be.
    The deadline, the last win and a failure cut a batch off, so that the first inputs of it are enough there."""
    if record.start["agent"].get("kind") == HUMAN:
        yield from _gestures(record)
        return
    viewport = tuple(record.start.get("viewport", (1280, 900)))
    means: list[Any] = []
    done: list[Any] = []
    for event in record.events:
        data = event["data"]
        match event["type"]:
            case "decision":
                if len(done) < len(means):
                    yield event, "the step before lacks inputs that its decision means", len(done), len(means)
                means, done = _meant(data.get("action"), viewport), []
            case "snapshot" if data["input"] is not None:
                done.append(data["input"])
                if done != means[: len(done)]:
                    should = means[len(done) - 1] if len(done) <= len(means) else None
                    yield event, "an input that its decision does not mean", data["input"], should
            case "action" if data["inputs"] != len(done):
                yield event, "the number of inputs of the action", data["inputs"], len(done)


def _gestures(record: Stored) -> Iterator[Difference]:
    """A person's inputs come first, and what is written down as the decision is the action that they make together."""
    decided: Mapping[str, Any] = {}
    done: list[Pointer] = []
    for event in record.events:
        data = event["data"]
        match event["type"]:
            case "decision":
                decided, done = data, []
            case "snapshot" if data["input"] is not None:
                try:
                    done.append(read_input(data["input"]))
                except (ValueError, KeyError, TypeError):
                    yield event, "an input that is none", data["input"], None
            case "action":
                here = actions.write_action(actions.gesture(done)) if done else None
                if decided.get("action") != here:
                    yield event, "the action, by its inputs", decided.get("action"), here
                if data["inputs"] != len(done):
                    yield event, "the number of inputs of the action", data["inputs"], len(done)


def _steps(record: Stored) -> Iterator[Difference]:
    """Where the number of a step is not how many decisions came before it."""
    decided = 0
    for event in record.events:
        if "step" not in event["data"]:
            continue
        decided += event["type"] == "decision"
        step = decided if event["type"] == "observation" else max(0, decided - 1)
        if event["data"]["step"] != step:
            yield event, "the number of its step", event["data"]["step"], step


def _order(record: Stored) -> Iterator[Difference]:
    """Where an event is missing, or is one too many: a step is a screenshot, a decision, its inputs, and that they were
    carried out. The last step may be cut off."""
    shown = carried_out = looked = False
    decided: Mapping[str, Any] | None = None
    for event in record.events:
        acts = decided is not None and decided.get("action") is not None
        match event["type"]:
            case "observation":
                if acts and not carried_out:
                    yield event, "the step before was never carried out", None, None
                shown = True
            case "decision":
                if not shown:
                    yield event, "a decision without a screenshot before it", None, None
                shown, carried_out, decided = False, False, event["data"]
            case "action":
                if not acts or carried_out:
                    yield event, "nobody decided on this action", None, None
                carried_out = True
            case "snapshot" if event["data"]["input"] is None:
                if looked:
                    yield event, "a snapshot without an input", None, None
                looked = True


def _rejected(record: Stored) -> Iterator[Difference]:
    """Where inputs were rejected that nothing could have sent: the direct surface has no page."""
    if record.start["surface"].get("name") != "direct":
        return
    for event in record.events:
        if event["data"].get("rejected"):
            yield event, "rejected inputs on the direct surface", event["data"]["rejected"], []


def _ending(record: Stored) -> Iterator[Difference]:
    """Where the end is not what the events before it lead to. A person's Ctrl-C is an answer without a decision."""
    answered: dict[str, Any] | None = None
    for event in record.events:
        if event["type"] == "decision":
            if answered is not None:
                yield event, "a decision after the final answer", None, None
            answered = event if "answer" in event["data"] else None
    if not record.finished:
        return
    end = record.events[-1]
    reason, answer = end["data"].get("reason"), end["data"].get("answer")
    for cause, named in (("failure", "technical"), ("agent_failure", "agent_failed")):
        if cause in end["data"] and (end["data"][cause] is not None) != (reason == named):
            yield end, f"its {cause}, by its end", end["data"][cause], None
    won = record.scorer.solved == len(record.start["levels"])
    in_time = end["elapsed_seconds"] < record.start["budget_seconds"]
    if won != (reason == "complete") and (won or reason != "technical"):  # which may come at any moment before
        yield end, "its end, by the levels that were won", reason, "complete" if won else MISSING
    if reason == "deadline" and in_time:
        yield end, "a deadline before the budget was used up", end["elapsed_seconds"], record.start["budget_seconds"]
    if record.start["agent"].get("kind") == HUMAN:
        return
    by_answer = answered is not None and in_time
    if (by_answer and reason != "answer") or (reason == "answer" and answered is None):
        yield end, "its end, by the final answer", reason, "answer" if by_answer else MISSING
    if answer != (answered["data"]["answer"] if answered is not None and reason == "answer" else None):
        yield end, "the answer, by the last decision", answer, answered and answered["data"]["answer"]


def _meant(action: Any, viewport: Any) -> list[Any]:
    if action is None:
        return []
    try:
        read = actions.read_action(action, viewport)
    except LpbError:
        return []
    parts = read.actions if isinstance(read, actions.Batch) else (read,)
    return [write_input(given) for part in parts for given in actions.events(part)]
