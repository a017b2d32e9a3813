"""A record as it lies on the disk, and what can be checked of it without any level: manifest, events, result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from ...games.base import LpbError
from .. import actions
from ..agents import AGENTS
from ..metrics import Scorer
from ..played import EVENTS
from ..record import InvalidRecord, read_events
from .checks import Check

SETTINGS = ("budget_seconds", "seed", "lang", "viewport", "setting")  # that manifest and events both hold
PLAYED_AS = ("episode_key", "attempt")  # the same, beside the settings
MISSING = "(missing)"


@dataclass(slots=True)
class Stored:
    """``events``: as far as they can be read and belong to one episode; ``broken``: why no further, or empty."""

    folder: Path
    manifest: Mapping[str, Any]
    events: list[dict[str, Any]]
    broken: str
    result: Mapping[str, Any] | None  # None where there is no result.json
    scorer: Scorer = field(repr=False)

    @property
    def start(self) -> Mapping[str, Any]:
        data: Mapping[str, Any] = self.events[0]["data"]
        return data

    @property
    def finished(self) -> bool:
        return bool(self.events[-1]["type"] == "episode_end")


def read_stored(folder: Path) -> Stored:
    """Raises InvalidRecord where the manifest or the beginning of the events cannot be read, OSError."""
    manifest = _read_json(folder / "manifest.json")
    if manifest is None:
        raise InvalidRecord("there is no manifest.json: nothing says which snapshot it is of", where=str(folder))
    scorer, events, broken = Scorer(), list[dict[str, Any]](), ""
    try:
        for event in read_events(folder / EVENTS):
            scorer.add(event)
            events.append(event)
    except InvalidRecord as error:
        broken = str(error)
    if not events:
        raise InvalidRecord(broken or "there is no event", where=str(folder / EVENTS))
    return Stored(folder, manifest, events, broken, _read_json(folder / "result.json"), scorer)


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError):
        raise InvalidRecord("not JSON", where=str(path)) from None
    if not isinstance(value, dict):
        raise InvalidRecord("not a JSON object", where=str(path))
    return value


# --- the parts --------------------------------------------------------------------------------------------------------


def check_manifest(record: Stored) -> Check:
    """What manifest and events both say."""
    check, start, manifest = Check("manifest"), record.start, record.manifest
    settings = manifest.get("settings")
    settings = settings if isinstance(settings, Mapping) else {}
    agent = manifest.get("agent")
    check.expect("run_id, by the folder's name", manifest.get("run_id", MISSING), record.folder.resolve().name)
    for key in ("protocol_version", "instruction", "objective", "surface"):
        check.expect(f"{key}, by the events", manifest.get(key, MISSING), start.get(key))
    name = agent.get("name") if isinstance(agent, Mapping) else MISSING
    check.expect("agent, by the events", name, start["agent"].get("name"))
    if isinstance(agent, Mapping) and agent.get("spec") in AGENTS:
        check.expect("agent's kind, by what was asked for", "reference", start["agent"].get("kind"))
    shut = agent.get("isolation") if isinstance(agent, Mapping) else None
    if start.get("isolation") is not None and isinstance(shut, Mapping):
        check.expect("agent's isolation, by the events", shut.get("label", MISSING), start["isolation"])
    ids = [level["id"] for level in start["levels"]]
    check.expect("level_ids, by the events", manifest.get("level_ids", MISSING), ids)
    for key in SETTINGS:
        if key in start:
            check.expect(f"settings.{key}, by the events", settings.get(key, MISSING), start[key])
    for key in PLAYED_AS:
        if key in start and key in manifest:
            check.expect(f"{key}, by the events", manifest[key], start[key])
    return check


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
    for event, what, recorded, here in (*_inputs(record), *_steps(record), *_ending(record)):
        check.differs(what, event=event["seq"], step=event["data"].get("step"), recorded=recorded, here=here)
    return check


def _inputs(record: Stored) -> Iterator[tuple[dict[str, Any], str, Any, Any]]:
    """Where the inputs of a step are not those that its decision means: the event, what, as recorded, as it should be.
    The deadline, the last win and a failure cut a batch off, so that the first inputs of it are enough there."""
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


def _steps(record: Stored) -> Iterator[tuple[dict[str, Any], str, Any, Any]]:
    """Where the number of a step is not how many decisions came before it."""
    decided = 0
    for event in record.events:
        if "step" not in event["data"]:
            continue
        decided += event["type"] == "decision"
        step = decided if event["type"] == "observation" else max(0, decided - 1)
        if event["data"]["step"] != step:
            yield event, "the number of its step", event["data"]["step"], step


def _ending(record: Stored) -> Iterator[tuple[dict[str, Any], str, Any, Any]]:
    """Where the end is not what the events before it lead to. A person's Ctrl-C is an answer without a decision."""
    answered: dict[str, Any] | None = None
    for event in record.events:
        if event["type"] == "decision":
            if answered is not None:
                yield event, "a decision after the final answer", None, None
            answered = event if "answer" in event["data"] else None
    end = record.events[-1]
    reason, answer = end["data"].get("reason"), end["data"].get("answer")
    if not record.finished or reason == "technical":  # which may come at any moment
        return
    won = record.scorer.solved == len(record.start["levels"])
    in_time = end["elapsed_seconds"] < record.start["budget_seconds"]
    if won != (reason == "complete"):
        yield end, "its end, by the levels that were won", reason, "complete" if won else MISSING
    if reason == "deadline" and in_time:
        yield end, "a deadline before the budget was used up", end["elapsed_seconds"], record.start["budget_seconds"]
    if record.start["agent"].get("kind") == "human":
        return
    if answered is not None and in_time and reason != "answer":
        yield end, "its end, by the final answer", reason, "answer"
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
    return [
        {"kind": "key", "key": given.key} if given.kind == "key" else {"kind": given.kind, "x": given.x, "y": given.y}
        for part in parts
        for given in actions.events(part)
    ]


def check_result(record: Stored) -> Check:
    """result.json against the grades that the events give."""
    check = Check("result")
    if record.result is None:
        if record.finished:
            check.differs("result.json is missing")
        else:
            check.unchecked = "there is no result.json, and the record ends before the episode does"
        return check
    here = record.scorer.result()
    for path in sorted({*_leaves(record.result), *_leaves(here)}):
        check.expect(".".join(path), _at(record.result, path), _at(here, path))
    return check


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key)))
    elif isinstance(value, list) and value:
        for place, inner in enumerate(value):
            yield from _leaves(inner, (*path, str(place)))
    else:
        yield path


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, ValueError, TypeError):
            return MISSING
    return value
