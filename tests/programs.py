"""Agents that are programs, for tests: made in a folder of their own, begun, and asked."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lpb_gen.runners.agents.base import Agent, Decision, Observation

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


def screenshot() -> str:
    return base64.b64encode(PICTURE).decode()
