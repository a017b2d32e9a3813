"""A record as it lies on the disk, and its manifest and its result against its events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..agents import AGENTS, HUMAN
from ..metrics import Scorer
from ..plan import configuration_of, episode_key
from ..played import EVENTS
from ..record import RESULT, InvalidRecord, read_events
from .checks import Check

SETTINGS = ("budget_seconds", "seed", "lang", "viewport", "setting")  # that manifest and events both hold
PLAYED_AS = ("episode_key", "attempt")  # the same, beside the settings
WORDS = ("spec", "options", "source_sha256", "label")  # of an agent, as it was asked for
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
    def settings(self) -> Mapping[str, Any]:
        """As the manifest has them; empty where it has none."""
        told = self.manifest.get("settings")
        return told if isinstance(told, Mapping) else {}

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
    return Stored(folder, manifest, events, broken, _read_json(folder / RESULT), scorer)


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
    check, start, manifest, settings = Check("manifest"), record.start, record.manifest, record.settings
    agent = manifest.get("agent")
    check.expect("run_id, by the folder's name", manifest.get("run_id", MISSING), record.folder.resolve().name)
    for key in ("protocol_version", "instruction", "objective", "surface"):
        check.expect(f"{key}, by the events", manifest.get(key, MISSING), start.get(key))
    name = agent.get("name") if isinstance(agent, Mapping) else MISSING
    check.expect("agent, by the events", name, start["agent"].get("name"))
    if isinstance(agent, Mapping):
        _check_agent(check, agent, start)
    ids = [level["id"] for level in start["levels"]]
    check.expect("level_ids, by the events", manifest.get("level_ids", MISSING), ids)
    for key in SETTINGS:
        if key in start:
            check.expect(f"settings.{key}, by the events", settings.get(key, MISSING), start[key])
    for key in PLAYED_AS:
        if key in start and key in manifest:
            check.expect(f"{key}, by the events", manifest[key], start[key])
    if start.get("episode_key") and isinstance(agent, Mapping):  # empty where nobody asked for one
        check.expect("episode_key, by what was played", start["episode_key"], _key(record, agent))
    return check


def _check_agent(check: Check, agent: Mapping[str, Any], start: Mapping[str, Any]) -> None:
    """What was asked for, in the manifest, against what the events say of the agent."""
    kinds = dict.fromkeys(AGENTS, "reference") | {HUMAN: HUMAN}
    if agent.get("spec") in kinds:
        check.expect("agent's kind, by what was asked for", kinds[agent["spec"]], start["agent"].get("kind"))
    shut = agent.get("isolation")
    if start.get("setting") == "code" and isinstance(shut, Mapping):
        check.expect("agent's isolation, by the events", shut.get("label", MISSING), start.get("isolation"))
    if start["agent"].get("configuration"):
        here = configuration_of(_words(agent))
        check.expect("agent's configuration, by what was asked for", start["agent"]["configuration"], here)


def _words(agent: Mapping[str, Any]) -> dict[str, Any]:
    """The agent as it was asked for (``plan.AgentWords``), from the manifest's account of it."""
    return {name: agent[name] for name in WORDS if name in agent}


def _key(record: Stored, agent: Mapping[str, Any]) -> str:
    """As ``plan.Play.key``, from what manifest and events say of the episode."""
    start, pin = record.start, record.manifest.get("snapshot")
    return episode_key(
        protocol_version=start["protocol_version"],
        snapshot=pin.get("digest") if isinstance(pin, Mapping) else None,
        objective=start["objective"],
        level_ids=[level["id"] for level in start["levels"]],
        agent=_words(agent),
        settings={name: start.get(name) for name in ("budget_seconds", "lang", "seed", "setting")}
        | {"surface": start["surface"].get("name")},
    )


def check_result(record: Stored) -> Check:
    """result.json against the grades that the events give."""
    check = Check("result")
    if record.result is None:
        if record.scorer.result()["scored"]:
            check.differs("result.json is missing")
        elif record.finished:  # Ctrl-C once more may end the process before it is written
            check.unchecked = "there is no result.json, and the episode has no grade"
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
