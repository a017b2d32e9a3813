"""Agents that are programs, for tests: made in a folder of their own, begun, and asked."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import levels

from lpb_gen.games.base import Pointer
from lpb_gen.runners.actions import Click, events
from lpb_gen.runners.agents.base import Agent, Decision, Observation
from lpb_gen.runners.episode import Terms
from lpb_gen.runners.running import Setting, run_episode
from lpb_gen.runners.session import Session
from lpb_gen.runners.surface import Surface

PICTURE = b"\x89PNG not really"
ASK = """
import json, os, signal, socket, sys, time
out = sys.stdout.buffer
start = json.loads(sys.stdin.readline())
def see():
    return json.loads(sys.stdin.readline())
def say(**reply):
    out.write(json.dumps(reply).encode() + b"\\n")
    out.flush()
"""


def program(folder: Path, body: str, name: str = "agent.py") -> Path:
    """A Python program: ``start`` is the first message, ``see()`` the next observation, ``say(...)`` a reply."""
    path = folder / "own" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(ASK + body)
    return path


@contextmanager
def begun(agent: Agent, record: Path | None = None) -> Iterator[Agent]:
    if record is not None:
        record.mkdir(parents=True, exist_ok=True)
        agent.keep_in(record)
    try:
        agent.begin("Complete all levels", (1280, 900))
        yield agent
    finally:
        agent.close()


def ask(agent: Agent, step: int = 0, seconds_left: float = 20.0, error: str | None = None) -> Decision:
    seen = Observation(screenshot=PICTURE, step=step, seconds_left=seconds_left, error=error)
    return agent.act(seen)


def told(agent: Agent, **options: Any) -> Any:
    """What the program says in the text of its next reply, which is JSON."""
    return json.loads(ask(agent, **options).text.removeprefix("[told] "))


def played(agent: Agent, terms: Terms, surface: Surface, out: Path) -> tuple[dict[str, Any], Path]:
    """A whole episode: its result and its record."""
    setting = Setting(terms=terms, agent=agent, surface=surface, pin={}, words={})
    return run_episode(setting, out)


def screenshot() -> str:
    return base64.b64encode(PICTURE).decode()


def winning_actions() -> list[dict[str, Any]]:
    """What wins every level of the easy objective of ``levels``, in the JSON form of actions."""
    easy, hard = levels.objectives()
    session = Session((easy, hard))
    names = {"U": "ArrowUp", "D": "ArrowDown", "L": "ArrowLeft", "R": "ArrowRight"}
    plan: list[dict[str, Any]] = []

    def click(target: str) -> None:
        x, y = map(round, session.targets()[target])
        plan.append({"action": "click", "x": x, "y": y})
        for event in events(Click(x, y)):
            session.event(event)

    click("game:maze")
    click("tier:easy")
    for index, level in enumerate(easy.levels):
        for move in level.certificate.solution:
            plan.append({"action": "press", "key": names[move]})
            session.event(Pointer("key", key=names[move]))
        if index < len(easy.levels) - 1:
            click("next")
    return plan
