"""A run: one episode from nothing to a record on the disk."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..games.base import LpbError
from .agents.base import Agent
from .agents.broken import tell
from .episode import PROTOCOL_VERSION, Episode, Terms
from .failures import TechnicalFailure
from .person import Human, PersonEpisode
from .record import Record, run_id
from .turns import OutOfTime, within

if TYPE_CHECKING:
    from .agents.base import AnyAgent
    from .metrics import Scorer
    from .plan import Play
    from .surface import Surface

TOOLS = ("playwright", "websockets", "skia-python", "numpy")
FAREWELL_SECONDS = 10.0  # for an agent to end what it began
Watch = Callable[["Scorer", int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """``surface``: not started yet; ``pin``: which snapshot the levels are of, JSON-ready; ``words``: the agent as it
    was asked for."""

    terms: Terms
    agent: AnyAgent
    surface: Surface
    pin: Mapping[str, Any]
    words: Mapping[str, Any] = field(default_factory=dict)


def play_once(
    play: Play,
    attempt: int,
    out: Path,
    watch: Watch,
    begun: Callable[[Path], None] = lambda folder: None,
    folder: Path | None = None,
) -> tuple[dict[str, Any], Path]:
    """Makes the agent and its surface, and runs the episode. What the agent prints goes to standard error. ``folder``:
    a name for the browser's temporary folder. Raises LpbError where the episode could not begin: then there is no
    record."""
    from .making import make_agent, make_surface

    with contextlib.redirect_stdout(sys.stderr):
        setting = Setting(
            terms=play.terms(attempt),
            agent=make_agent(play),
            surface=make_surface(play, folder),
            pin=play.pin,
            words=play.agent.to_json(),
        )
        return run_episode(setting, out, watch, begun)


def run_episode(
    setting: Setting, out: Path, watch: Watch | None = None, begun: Callable[[Path], None] = lambda folder: None
) -> tuple[dict[str, Any], Path]:
    """Plays and records one episode below ``out``; returns its result and its folder. Closes surface and agent in any
    case. ``watch``: called after each step; ``begun``: gets the record's folder once it is there.

    Raises LpbError where the episode could not begin: then there is no record."""
    terms, surface, agent = setting.terms, setting.surface, setting.agent
    record: Record | None = None
    try:
        broken = _start(surface)
        identity = run_id(_now(), terms.objective.game, terms.objective.tier, agent.name, os.urandom(3).hex())
        record = Record(out / identity, manifest(setting, identity), now=_now)
        begun(record.folder)
        try:
            broken = broken or _settle(agent, record.folder)
            kind = PersonEpisode if isinstance(agent, Human) else Episode
            episode = kind(surface, agent, terms, record, clock=time.monotonic, sleep=time.sleep, watch=watch)
            return episode.play(broken), record.folder
        finally:
            record.close()
    finally:
        surface.close()
        if isinstance(agent, Agent):
            _dismiss(agent, record)


def _start(surface: Surface) -> TechnicalFailure | None:
    """What went wrong, where it may go better another time. Raises TechnicalFailure where it will not."""
    try:
        surface.start()
    except TechnicalFailure as failure:
        if failure.kind == "configuration":
            raise
        return failure
    return None


def _settle(agent: AnyAgent, folder: Path) -> TechnicalFailure | None:
    """What went wrong with the agent's own files."""
    try:
        if isinstance(agent, Agent):
            agent.keep_in(folder)
    except TechnicalFailure as failure:
        return failure
    except Exception as error:
        return TechnicalFailure("configuration", f"its keep_in() failed ({type(error).__name__}: {error})")
    return None


def _dismiss(agent: Agent, record: Record | None) -> None:
    failed = within(agent.close, FAREWELL_SECONDS)
    if failed is not None:
        how = "did not come back" if isinstance(failed, OutOfTime) else f"{type(failed).__name__}: {failed}"
        if record is not None:
            tell(failed, record.folder)
        logging.getLogger("lpb_gen.agents").info(f"{agent.name}: its end failed ({how})")


# --- the manifest -----------------------------------------------------------------------------------------------------


def manifest(setting: Setting, identity: str) -> dict[str, Any]:
    """What was played, by whom, on what."""
    terms = setting.terms
    return {
        "schema_version": 1,
        "run_id": identity,
        "protocol_version": PROTOCOL_VERSION,
        "episode_key": terms.key,
        "attempt": terms.attempt,
        "snapshot": dict(setting.pin),
        "objective": {"game": terms.objective.game, "tier": terms.objective.tier},
        "level_ids": [level.id for level in terms.objective.levels],
        "instruction": terms.instruction,
        "agent": described(setting.agent) | dict(setting.words),
        "settings": {
            "setting": terms.setting,
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


def described(agent: AnyAgent) -> dict[str, Any]:
    """What the agent says of itself. Raises LpbError where that is nothing one could write down."""
    if not isinstance(agent, Agent):
        return {"name": agent.name}
    try:
        told: Any = json.loads(json.dumps(agent.describe(), allow_nan=False))
    except Exception as error:
        raise LpbError(f"its describe() failed ({type(error).__name__}: {error})", where=agent.name) from None
    if not isinstance(told, dict):
        raise LpbError("its describe() returned no dict", where=agent.name)
    return told | {"name": agent.name}


def _now() -> datetime:
    return datetime.now(UTC)


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
