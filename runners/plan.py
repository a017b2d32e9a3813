"""What is to be played: one episode as a value that can be sent to another process, and its key.

The key is a digest of what makes an episode the same one again: the snapshot's content, the objective with its level
ids, the agent with its options (and the content of its file), settings, seed and protocol; no time, no path.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..games.base import LpbError
from ..pipeline.level import digest
from .agents.starting import source_of, without_secrets
from .episode import BUDGET_SECONDS, PROTOCOL_VERSION, Keep, PlaySetting, Terms
from .view import Objective

SECRET = re.compile(r"(^|[_-])(api_?key|key|secret|password|token)$", re.IGNORECASE)
COMMAND = "command:"


class NothingToPlay(LpbError):
    """No objective of the snapshot is what was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWords:
    """An agent as it was asked for. ``source``: sha256 of its file or files; ``label``: the user's name for it."""

    spec: str
    options: tuple[tuple[str, str], ...] = ()
    label: str | None = None
    source: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Without secrets."""
        options = {name: "(not recorded)" if SECRET.search(name) else value for name, value in self.options}
        told: dict[str, Any] = {"spec": self.spec, "options": options}
        if self.spec.startswith(COMMAND):
            told["spec"] = COMMAND + without_secrets(self.spec.removeprefix(COMMAND))
        elif self.source is not None:
            told["spec"] = _without_folder(self.spec)
        if self.source is not None:
            told["source_sha256"] = self.source
        return told | ({"label": self.label} if self.label is not None else {})


def configuration_of(words: Mapping[str, Any]) -> str:
    """What tells agents of one name apart: a digest of how one was asked for (``AgentWords.to_json``)."""
    return digest(words)[:16]


def episode_key(
    *,
    protocol_version: int,
    snapshot: str | None,
    objective: Mapping[str, str],
    level_ids: Sequence[str],
    agent: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> str:
    """An episode's content, as a digest: equal for what need not be played again. ``snapshot``: its manifest's."""
    told = {
        "protocol_version": protocol_version,
        "snapshot": snapshot,
        "objective": objective,
        "level_ids": level_ids,
        "agent": agent,
        "settings": settings,
    }
    return digest(told)[:32]


def agent_words(spec: str, options: Sequence[tuple[str, str]], label: str | None) -> AgentWords:
    """Raises LpbError where an option is given twice."""
    names = [name for name, _ in options]
    for name in names:
        if names.count(name) > 1:
            raise LpbError(f"{name} is given twice", where="--agent-option", fix="give each option once")
    path = Path(spec.rpartition(":")[0])
    source = hashlib.sha256(path.read_bytes()).hexdigest() if path.suffix == ".py" and path.is_file() else None
    if spec.startswith(COMMAND):
        source = source_of(spec.removeprefix(COMMAND))
    return AgentWords(spec=spec, options=tuple(sorted(options)), label=label, source=source)


def _without_folder(spec: str) -> str:
    path, _, name = spec.rpartition(":")
    return f"{Path(path).name}:{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """One episode. ``offered``: every objective of the snapshot, which the suite's menus offer; ``pin``: which snapshot
    that is, JSON-ready, with its ``digest``; ``browser``, ``port``: as the
    options of ``lpb-gen run``."""

    objective: Objective
    offered: tuple[Objective, ...]
    pin: Mapping[str, Any]
    agent: AgentWords
    seed: int = 0
    budget: float = BUDGET_SECONDS
    setting: PlaySetting = "native"
    surface: str = "browser"
    lang: str = "en"
    keep: Keep = "changes"
    browser: str | None = None
    port: int = 0

    @property
    def name(self) -> str:
        """For people; the same for no two episodes of one command."""
        seed = f" seed {self.seed}" if self.seed else ""
        return f"{self.objective.game} {self.objective.tier}{seed}"

    @property
    def key(self) -> str:
        return episode_key(
            protocol_version=PROTOCOL_VERSION,
            snapshot=self.pin["digest"],
            objective={"game": self.objective.game, "tier": self.objective.tier},
            level_ids=[level.id for level in self.objective.levels],
            agent=self.agent.to_json(),
            settings={
                "budget_seconds": self.budget,
                "lang": self.lang,
                "seed": self.seed,
                "setting": self.setting,
                "surface": self.surface,
            },
        )

    def terms(self, attempt: int) -> Terms:
        return Terms(
            objective=self.objective,
            budget=self.budget,
            seed=self.seed,
            lang=self.lang,
            keep=self.keep,
            setting=self.setting,
            key=self.key,
            configuration=configuration_of(self.agent.to_json()),
            attempt=attempt,
        )


def chosen(
    offered: Sequence[Objective], games: Sequence[str], tiers: Sequence[str], whole: bool
) -> tuple[list[Objective], list[str]]:
    """The objectives that these games and tiers mean, in the order they were named, and a line for each pair that does
    not exist; ``whole``: all of the named games, or of the snapshot. Raises NothingToPlay."""
    if whole:
        found = [o for o in offered if not games or o.game in games]
        missing = [game for game in games if game not in {o.game for o in found}]
        if missing or not found:
            raise _nothing(offered, where=", ".join(missing) or "the snapshot")
        return found, []
    found, left_out = [], []
    for game in dict.fromkeys(games):
        for tier in dict.fromkeys(tiers):
            match = [o for o in offered if (o.game, o.tier) == (game, tier)]
            found += match
            if not match:
                has = ", ".join(o.tier for o in offered if o.game == game)
                left_out.append(f"{game} has no tier {tier!r}" + (f" (it has {has})" if has else ""))
    for kind, words in (("game", games), ("tier", tiers)):
        for word in words:
            if not any(getattr(o, kind) == word for o in found):
                raise _nothing(offered, where=f"--{kind} {word}")
    return found, left_out


def _nothing(offered: Sequence[Objective], where: str) -> NothingToPlay:
    there = ", ".join(f"{o.game} {o.tier}" for o in offered) or "nothing"
    return NothingToPlay("no level of this snapshot is of it", where=where, fix=f"there is {there}")
