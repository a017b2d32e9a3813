"""How tests make agents that ask a model, and what they show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from time import sleep as real_sleep
from typing import Any

from fake_models import APIS, KEY, FakeModels, Fault, Model
from fake_wire import Say

from lpb_gen.runners.agents import anthropic, openai
from lpb_gen.runners.agents.base import Agent, Decision, Observation
from lpb_gen.runners.agents.service import Times
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.episode import Episode, Terms
from lpb_gen.runners.record import Record
from lpb_gen.runners.session import Session
from lpb_gen.runners.view import Objective

PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}
Serve = Callable[[Sequence[Say | Fault] | Model], FakeModels]  # the fixture
INSTRUCTION = "Complete all levels of Maze Paint at easy difficulty in the Game Suite"
VIEWPORT = (1280, 900)


class Time:
    """Time that passes only when it is slept through."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self.times = Times(clock=lambda: self.now, sleep=self.sleep, jitter=lambda: 1.0)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def agent(models: FakeModels, api: str, *, time: Time | None = None, model: str = "gpt-6-sol", **options: Any) -> Agent:
    """An agent of that API whose service is ``models``; begun, and closed with that."""
    typed = {name: str(value) for name, value in options.items()}
    times = time.times if time else None
    if api == "messages":
        typed = {"base_url": models.address} | typed
        made = anthropic.make("claude-sonnet-5-5", typed, environ={anthropic.KEY: KEY}, times=times)
    else:
        typed = {"base_url": f"{models.address}/v1", "api": api} | typed
        made = openai.make(model, typed, environ={openai.KEY: KEY}, times=times)
    models.before_closing.append(made.close)
    made.begin(INSTRUCTION, VIEWPORT)
    return made


def play(
    player: Agent, objective: Objective, folder: Path, *, clock: Time | None = None, **terms: Any
) -> dict[str, Any]:
    """Its result in an episode on the direct surface; the record is in ``folder``. Without ``clock``: in real time."""
    now, sleep = (clock.times.clock, clock.sleep) if clock else (monotonic, real_sleep)
    record = Record(folder, {"agent": player.describe()}, now=lambda: datetime(2026, 12, 1, tzinfo=UTC))
    surface, wanted = DirectSurface(Session((objective,))), Terms(objective=objective, **({"keep": "none"} | terms))
    try:
        return Episode(surface, player, wanted, record, clock=now, sleep=sleep).play()
    finally:
        record.close()


def screen(number: int = 0, *, left: float = 100.0, error: str | None = None) -> Observation:
    """The ``number``-th observation, with a picture of its own."""
    return Observation(screenshot=picture(number), step=number, seconds_left=left, error=error)


def picture(number: int) -> bytes:
    """Not really a picture, but one that the services take for one."""
    return b"\x89PNG\r\n\x1a\n" + str(number).encode()


def decisions(player: Agent, count: int) -> list[Decision]:
    """What it does when it is shown one screen after another."""
    return [player.act(screen(number)) for number in range(count)]


def pictures(models: FakeModels, api: str) -> list[list[bytes]]:
    """Those of each request."""
    return [APIS[PATHS[api]].pictures(request) for request in models.requests]
