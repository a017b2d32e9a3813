"""Finding run records and reading what was played: from ``events.jsonl`` and from nothing else."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

from ..games.base import LpbError
from .effort import Effort
from .metrics import Scorer
from .paper_metrics import Row
from .record import InvalidRecord, read_events
from .taxonomy import Taxonomy

EVENTS = "events.jsonl"
ONE_SNAPSHOT = "choose the runs of one snapshot with --snapshot REF, or some with --agent, --game, --tier"
STEP_CLASSES = ("native", "other")


class NoRuns(LpbError):
    """There is no run record where one was looked for."""


class NotBegun(InvalidRecord):
    """The record of an episode whose process was ended before its first event was on the disk."""


class MixedRuns(LpbError):
    """Runs that cannot be scored together: of other levels, or the same one twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One episode. ``start``: the data of its ``episode_start``; ``result``: as in ``result.json``; ``row``: None after
    a technical failure; ``effort``, ``level_effort``: of the episode and of each level; ``failures``: see
    ``taxonomy.BY_EVENTS``; ``moves``: of each level, as ``moves.moves_of`` counts them, None where nobody looked."""

    run: str
    digest: str
    start: Mapping[str, Any]
    result: Mapping[str, Any]
    row: Row | None
    effort: Mapping[str, float | None]
    level_effort: Sequence[Mapping[str, float | None]]
    failures: Mapping[str, int]
    moves: Sequence[Mapping[str, Any]] | None = None

    @property
    def objective(self) -> tuple[str, str]:
        return self.start["objective"]["game"], self.start["objective"]["tier"]

    @property
    def agent(self) -> str:
        return str(self.start["agent"]["name"])

    @property
    def setting(self) -> str:
        return setting_of(self.start)

    @property
    def level_ids(self) -> tuple[str, ...]:
        return tuple(level["id"] for level in self.start["levels"])


def setting_of(start: Mapping[str, Any]) -> str:
    return str(start.get("setting", "native"))


# --- finding ----------------------------------------------------------------------------------------------------------


def find_runs(words: Iterable[str]) -> list[Path]:
    """The folders of runs, each once and in the order of their names: a word is a run, a folder with runs somewhere
    below it, an ``events.jsonl``, or a pattern of such (``runs/*-maze-*``). Raises NoRuns."""
    found: dict[Path, Path] = {}
    for word in words:
        places = [Path(word)] if Path(word).exists() else [Path(match) for match in sorted(glob(word, recursive=True))]
        runs = [run for place in places for run in _runs_of(place)]
        if not runs:
            raise NoRuns("no run is recorded there", where=word, fix="name a folder with an events.jsonl, or above one")
        found |= {run.resolve(): run for run in runs}
    return sorted(found.values(), key=lambda run: (run.name, str(run)))


def _runs_of(place: Path) -> list[Path]:
    if place.is_file():
        return [place.parent] if place.name == EVENTS else []
    return [place] if (place / EVENTS).is_file() else [events.parent for events in sorted(place.rglob(EVENTS))]


# --- reading ----------------------------------------------------------------------------------------------------------


class Reader:
    """Takes the events of one episode in their order."""

    def __init__(self) -> None:
        self.start: Mapping[str, Any] | None = None
        self._scorer = Scorer()
        self._effort = Effort()
        self._taxonomy = Taxonomy()
        self._mismatched = False
        self._step_classes: Counter[str] = Counter()

    def add(self, event: Mapping[str, Any]) -> None:
        """Raises InvalidRecord."""
        self._scorer.add(event)
        try:
            self._add(event)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            what = f"not what an episode writes ({type(error).__name__}: {error})"
            raise InvalidRecord(what, where=f"event {event.get('seq')}") from None

    def _add(self, event: Mapping[str, Any]) -> None:
        data = event["data"]
        self._effort.add(event)
        self._taxonomy.add(event)
        match event["type"]:
            case "episode_start":
                self.start = _checked(data)
            case "snapshot":
                assert self.start is not None
                asked = self.start["objective"]["game"], self.start["objective"]["tier"]
                self._mismatched |= data["ready"] and (data["game"], data["tier"]) != asked
            case "decision":
                self._step_classes[data.get("step_class", "")] += 1

    def finish(self, run: str, digest: str, broken: InvalidRecord | None = None) -> Played:
        """``broken``: why the rest of the events cannot be read: then it is a technical failure of logging."""
        assert self.start is not None
        result = self._scorer.result()
        if broken is not None:
            failure = {"kind": "logging", "what": str(broken)}
            result |= {"scored": False, "outcome": "technical", "reason": "technical"}
            result |= {"failure": failure, "metrics": None}
        return Played(
            run=run,
            digest=digest,
            start=self.start,
            result=result,
            row=self._row(result) if result["scored"] else None,
            effort=self._effort.whole(),
            level_effort=self._effort.levels(),
            failures=self._taxonomy.result(),
        )

    def _row(self, result: Mapping[str, Any]) -> Row:
        assert self.start is not None
        levels = result["levels"]
        won = sum(level["solved"] for level in levels)
        told = set(self._step_classes) <= set(STEP_CLASSES) and setting_of(self.start) == "code"
        native, other = (self._step_classes[name] if told else None for name in STEP_CLASSES)
        return Row(
            agent=result["agent"]["name"],
            setting=setting_of(self.start),
            game=result["objective"]["game"],
            tier=result["objective"]["tier"],
            levels=len(levels),
            won=won,
            potential=sum(level["progress"] for level in levels),
            ready=sum(level["reached"] or level["solved"] for level in levels),
            exited=result["outcome"] == "exit" and won < len(levels),
            mismatched=self._mismatched,
            native_steps=native,
            other_steps=other,
        )


def _checked(start: Mapping[str, Any]) -> Mapping[str, Any]:
    """Raises TypeError where what the episodes are sorted by is of another type than a run writes."""
    objective, agent = start["objective"], start["agent"]
    words = [objective["game"], objective["tier"], agent["name"], agent["kind"], start["surface"]["name"]]
    words += [start["lang"], start.get("setting", "native"), *(level["id"] for level in start["levels"])]
    numbers = [start["budget_seconds"], start["protocol_version"], start["seed"]]
    numbers += [level["optimal_length"] for level in start["levels"] if level["optimal_length"] is not None]
    words += [] if start.get("isolation") is None else [start["isolation"]]
    for values, kind in ((words, str), (numbers, int | float)):
        for value in values:
            if not isinstance(value, kind) or isinstance(value, bool):
                raise TypeError(f"{str(value)[:40]!r} in its beginning")
    return start


def read_run(folder: Path) -> Played:
    """The episode of a run folder. A record that breaks off or is damaged after its beginning is a technical failure
    (logging), never an error and never a grade. Raises NotBegun, InvalidRecord where not even its beginning can be
    read, OSError."""
    path = folder / EVENTS
    reader, broken = Reader(), None
    try:
        for event in read_events(path):
            reader.add(event)
    except InvalidRecord as error:
        if reader.start is None:
            _require_a_line(path)
            raise
        broken = error
    if reader.start is None:
        _require_a_line(path)
    return reader.finish(str(folder), hashlib.sha256(path.read_bytes()).hexdigest(), broken)


def _require_a_line(path: Path) -> None:
    """Raises NotBegun."""
    with open(path, "rb") as file:
        if not file.readline().endswith(b"\n"):
            raise NotBegun("it was cut off before its first event", where=str(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Which episodes are looked at; of no names, all. ``levels``: the ids that a snapshot has of each objective, in
    order; None for any."""

    agents: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    levels: Mapping[tuple[str, str], tuple[str, ...]] | None = None

    def admits(self, episode: Played) -> bool:
        game, tier = episode.objective
        named = ((episode.agent, self.agents), (game, self.games), (tier, self.tiers))
        if not all(name in names for name, names in named if names):
            return False
        return self.levels is None or self.levels.get(episode.objective) == episode.level_ids


def read_runs(
    folders: Sequence[Path], advance: Callable[[], None] = lambda: None, chosen: Chosen | None = None
) -> list[Played]:
    """Every episode, or every chosen one, checked to be fit for one table; those that never began are told and left
    out. ``advance``: called after each. Raises NoRuns where none is chosen, MixedRuns, InvalidRecord, OSError."""
    episodes = []
    for folder in folders:
        try:
            episode = read_run(folder)
        except NotBegun as error:
            logging.getLogger(__name__).info(f"left out: {error}")
            advance()
            continue
        if chosen is None or chosen.admits(episode):
            episodes.append(episode)
        advance()
    if folders and not episodes:
        raise NoRuns(f"no run of {len(folders)} is chosen by --snapshot, --agent, --game and --tier")
    seen: dict[str, str] = {}
    levels: dict[tuple[str, str], Played] = {}
    for episode in episodes:
        if episode.digest in seen:
            what = f"the same episode as {seen[episode.digest]}"
            raise MixedRuns(what, where=episode.run, fix="name one of the two")
        seen[episode.digest] = episode.run
        first = levels.setdefault(episode.objective, episode)
        if first.level_ids != episode.level_ids:
            what = f"other levels of {' '.join(episode.objective)} than {first.run}"
            raise MixedRuns(what, where=episode.run, fix=ONE_SNAPSHOT)
    return episodes
