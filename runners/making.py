"""From a plan to the things that play it: the agent and its surface."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..games.base import LpbError
from .agents import AGENTS, HUMAN, agent_from
from .person import Human, PersonSurface

if TYPE_CHECKING:
    from .agents.base import AnyAgent
    from .plan import Play
    from .session import Session
    from .surface import Surface


def make_agent(play: Play) -> AnyAgent:
    """A fresh agent for this episode. Raises LpbError."""
    spec, options, objective = play.agent.spec, dict(play.agent.options), play.objective
    if spec == HUMAN and not options and play.setting == "native":
        agent: AnyAgent = Human()
    elif play.setting == "code":
        from .isolation import isolated_agent

        if spec in AGENTS or spec == HUMAN:
            raise LpbError("it plays in the native setting only", where=spec, fix="leave out --setting code")
        agent = isolated_agent(spec, options, seed=play.seed)
    else:
        agent = agent_from(spec, options, game=objective.game, tier=objective.tier, seed=play.seed)
    if play.agent.label is not None:
        agent.name = play.agent.label
    return agent


def make_surface(play: Play, folder: Path | None = None) -> Surface:
    """Not started yet, with a session of its own; ``folder``: as BrowserSurface has it. Raises LpbError where the
    levels are none that a suite can offer."""
    from .session import Session

    session = Session(play.offered, lang=play.lang)
    if play.surface == "person":
        return PersonSurface(session, port=play.port, lang=play.lang, announce=lambda address: _invite(play, address))
    return programs_surface(play.surface, session, play.browser, folder)


def programs_surface(name: str, session: Session, browser: str | None, folder: Path | None = None) -> Surface:
    """A surface for a program: ``browser`` or ``direct``; ``browser``: as ``--browser``."""
    if name == "direct":
        from .direct import DirectSurface

        return DirectSurface(session)
    from .browser import BrowserSurface

    return BrowserSurface(session, browser=browser, folder=folder)


def _invite(play: Play, address: str) -> None:
    lines = (
        play.terms(1).instruction,
        f"Open {address} in your browser: the clock of {play.budget:g} seconds begins when you see the suite.",
        "Ctrl-C here ends the episode.",
    )
    print(*lines, sep="\n", file=sys.stderr, flush=True)
