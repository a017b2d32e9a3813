"""The code setting: an agent that may compute, in a process of its own that reaches nothing but its actions."""

from __future__ import annotations

from collections.abc import Mapping

from ..games.base import LpbError
from .agents.base import Agent


class NoCodeSetting(LpbError):
    """The code setting cannot be had for this agent, or not on this machine."""


def isolated_agent(spec: str, options: Mapping[str, str], *, seed: int) -> Agent:
    """The agent of ``spec`` behind a process boundary: what it is given is the instruction and pictures, what it gives
    are actions. ``options``: as they were typed. Raises NoCodeSetting."""
    raise NoCodeSetting("this lpb-gen has no code setting yet", where=spec, fix="use --setting native")
