"""An agent whose decisions come from elsewhere: whoever has the other end is shown what it sees and says what it does.

The episode calls ``act`` in its own thread, which waits for ``decide``; the other end waits in ``seen``.
"""

from __future__ import annotations

from collections.abc import Mapping
from queue import SimpleQueue
from typing import Any

from ..failures import TechnicalFailure
from .base import Agent, Decision, Observation


class Queued(Agent):
    """``about``: what the manifest says of it, beside its name."""

    def __init__(self, name: str, about: Mapping[str, Any]) -> None:
        self.name = name
        self.instruction = ""
        self._about = dict(about)
        self._seen: SimpleQueue[Observation | None] = SimpleQueue()
        self._decided: SimpleQueue[Decision | TechnicalFailure] = SimpleQueue()

    # --- the episode's end --------------------------------------------------------------------------------------------

    def begin(self, instruction: str, viewport: tuple[int, int]) -> None:
        self.instruction = instruction

    def act(self, observation: Observation) -> Decision:
        self._seen.put(observation)
        decided = self._decided.get()
        if isinstance(decided, TechnicalFailure):
            raise decided
        return decided

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, **self._about}

    def close(self) -> None:
        self._seen.put(None)
        self._decided.put(TechnicalFailure("external", "the episode is over"))

    # --- the other end ------------------------------------------------------------------------------------------------

    def seen(self) -> Observation | None:
        """What the agent is shown next, waited for; None once the episode is over. To be asked once for the beginning,
        and once after each decision."""
        return self._seen.get()

    def decide(self, decision: Decision | TechnicalFailure) -> None:
        """What the agent does now; a failure ends the episode without a grade."""
        self._decided.put(decision)
