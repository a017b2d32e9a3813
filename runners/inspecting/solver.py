"""Playing a sample: an episode in a thread of its own, and the model at its other end.

The evaluator stays outside the model's reach: the episode is the same as ``lpb-gen run`` plays, with its record.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio.to_thread import run_sync
from inspect_ai.model import Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError, concurrency

from ...games.base import LpbError
from ..agents.queued import Queued
from ..commands import objective_of, offered
from ..episode import Terms
from ..failures import FailureKind, TechnicalFailure
from ..making import programs_surface
from ..plan import configuration_of
from ..running import Setting, run_episode
from ..session import Session
from ..view import LANGUAGES
from .conversation import Conversation

if TYPE_CHECKING:
    from ...pipeline.snapshot import Snapshot

SURFACES = ("browser", "direct")
RECORD = "record"  # the sample's metadata: the folder of its run record


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What all samples have in common; see ``task.objective``. Raises LpbError where a value is no such thing."""

    snapshot: Snapshot
    reference: str | None
    budget: float
    surface: str
    lang: str
    images: int
    parallel: int
    runs: str
    browser: str | None

    def __post_init__(self) -> None:
        if self.surface not in SURFACES:
            raise _wrong(f"there is no surface {self.surface!r}", f"use {' or '.join(SURFACES)}")
        if self.lang not in LANGUAGES:
            raise _wrong(f"there is no language {self.lang!r}", f"use {' or '.join(LANGUAGES)}")
        if isinstance(self.budget, bool) or not isinstance(self.budget, int | float) or not 0 < self.budget < inf:
            raise _wrong(f"budget={self.budget!r}", "give a number of seconds above 0")
        for name in ("images", "parallel"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise _wrong(f"{name}={value!r}", "give a whole number from 1")

    def setting(self, game: str, tier: str, agent: Queued) -> Setting:
        """Raises UnknownCell, InvalidSession."""
        pin = {"reference": self.reference, **self.snapshot.pin.to_json()}
        config = agent.describe().get("config", {})  # what the model is asked with makes it the agent that it is
        words = {"spec": agent.name, "options": {"images": str(self.images), "config": config}}
        terms = Terms(
            objective=objective_of(self.snapshot, game, tier),
            budget=self.budget,
            lang=self.lang,
            configuration=configuration_of(words),
        )
        surface = programs_surface(self.surface, Session(offered(self.snapshot), lang=self.lang), self.browser)
        return Setting(terms=terms, agent=agent, surface=surface, pin=pin, words=words)


def _wrong(what: str, fix: str) -> LpbError:
    return LpbError(what, where="objective", fix=fix)


@solver
def play(stage: Stage) -> Solver:
    """Plays the sample's objective to its end. A technical failure is raised: Inspect marks the sample as an error."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with concurrency("lpb_gen/episodes", stage.parallel):
            await _play(stage, state, get_model())
        return state

    return solve


async def _play(stage: Stage, state: TaskState, model: Model) -> None:
    agent = Queued(f"inspect:{model}", _about(model))
    setting = stage.setting(state.metadata["game"], state.metadata["tier"], agent)
    conversation = Conversation(agent, model, state, images=stage.images, viewport=setting.surface.session.viewport)
    raised: list[Exception] = []
    ended: list[dict[str, Any]] = []

    def begun(folder: Path) -> None:
        state.metadata[RECORD] = str(folder)

    async def converse() -> None:
        try:
            await conversation.hold()
        except Exception as error:  # not the agent's doing
            raised.append(error)
            kind: FailureKind = "configuration" if isinstance(error, LimitExceededError) else "provider"
            agent.decide(TechnicalFailure(kind, f"{type(error).__name__}: {error}"))
        except anyio.get_cancelled_exc_class():
            agent.decide(TechnicalFailure("external", "Inspect cancelled the sample"))
            raise

    async def episode() -> None:
        try:
            work = partial(run_episode, setting, Path(stage.runs), lambda scorer, step: None, begun)
            result, _ = await run_sync(work, limiter=anyio.CapacityLimiter(1))  # the common ones are for shorter work
            ended.append(result)
        except Exception as error:
            raised.insert(0, error)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(episode)
        tasks.start_soon(converse)
    result = ended[0] if ended else None
    if result is None or not result["scored"]:
        if result is not None and not raised:
            failure = result["failure"]
            raised.append(TechnicalFailure(failure["kind"], failure["what"], where=state.metadata[RECORD]))
        raise raised[0]
    state.completed = True


def _about(model: Model) -> dict[str, Any]:
    from importlib.metadata import version

    config = model.config.model_dump(exclude_none=True, mode="json")
    about = {"service": "inspect_ai", "model": str(model), "config": config}
    return about | {"inspect_ai": version("inspect-ai")}
