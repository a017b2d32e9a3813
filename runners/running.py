"""A run: one episode from nothing to a record on the disk, with progress on standard error."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from .agents.base import Agent
from .episode import PROTOCOL_VERSION, Episode, Terms
from .record import Record, run_id

if TYPE_CHECKING:
    from .agents.base import AnyAgent
    from .metrics import Scorer
    from .surface import Surface

TOOLS = ("playwright", "websockets", "skia-python", "numpy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """``surface``: not started yet; ``pin``: which snapshot the levels are of, JSON-ready."""

    terms: Terms
    agent: AnyAgent
    surface: Surface
    pin: Mapping[str, Any]


def run_episode(setting: Setting, out: Path) -> tuple[dict[str, Any], Path]:
    """Plays and records one episode below ``out``; returns its result and its folder. Closes the surface in any case.

    Raises LpbError where the episode could not begin: then there is no record."""
    from ..pipeline.progress import counting

    terms, surface = setting.terms, setting.surface
    count = len(terms.objective.levels)
    name = f"{terms.objective.game} {terms.objective.tier} · {setting.agent.name}"
    try:
        surface.start()
        identity = run_id(_now(), terms.objective.game, terms.objective.tier, setting.agent.name, os.urandom(3).hex())
        record = Record(out / identity, manifest(setting, identity), now=_now)
        try:
            with counting(f"{name}: levels solved", count) as progress:

                def watch(scorer: Scorer, step: int) -> None:
                    progress.note = f"step {step + 1}"
                    progress.update(scorer.solved)

                episode = Episode(
                    surface, setting.agent, terms, record, clock=time.monotonic, sleep=time.sleep, watch=watch
                )
                return episode.play(), record.folder
        finally:
            record.close()
    finally:
        surface.close()
        if isinstance(setting.agent, Agent):
            setting.agent.close()


def manifest(setting: Setting, identity: str) -> dict[str, Any]:
    """What was played, by whom, on what."""
    terms = setting.terms
    return {
        "schema_version": 1,
        "run_id": identity,
        "protocol_version": PROTOCOL_VERSION,
        "snapshot": dict(setting.pin),
        "objective": {"game": terms.objective.game, "tier": terms.objective.tier},
        "level_ids": [level.id for level in terms.objective.levels],
        "instruction": terms.instruction,
        "agent": setting.agent.describe() if isinstance(setting.agent, Agent) else {"name": setting.agent.name},
        "settings": {
            "budget_seconds": terms.budget,
            "seed": terms.seed,
            "lang": terms.lang,
            "screenshots": terms.keep,
            "viewport": list(setting.surface.session.viewport),
        },
        "surface": setting.surface.describe(),
        "toolchain": {
            "lpb_gen": __version__,
            "python": platform.python_version(),
            "system": f"{sys.platform} {platform.machine()}",
            **{tool: _version(tool) for tool in TOOLS},
        },
    }


def _now() -> datetime:
    return datetime.now(UTC)


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
