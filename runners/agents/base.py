"""What an agent is. Two kinds, kept apart by their types: players see the screen; references also see the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..actions import Action

if TYPE_CHECKING:
    from ...games.base import Pointer
    from ..view import View


@dataclass(frozen=True, slots=True)
class Answer:
    """The agent's own end of the episode: it says that it is done, or that it gives up."""

    text: str


@runtime_checkable
class Agent(Protocol):
    """A player: it gets what a person gets, and nothing else."""

    name: str

    def act(self, instruction: str, screenshot: bytes) -> Action | Answer:
        """The next action, from the instruction and the screen (PNG)."""


class Insight(Protocol):
    """The reference agents' window on a session: everything to read, nothing to change."""

    @property
    def view(self) -> View: ...

    def targets(self) -> Mapping[str, tuple[float, float]]: ...

    def pointers(self, move: Any) -> list[Pointer]: ...


@runtime_checkable
class ReferenceAgent(Protocol):
    """An agent that reads the state beside the screen: a yardstick, never an entry. It still acts through the GUI."""

    name: str

    def act_knowing(self, instruction: str, insight: Insight) -> Action | Answer:
        """The next action, from the instruction and the session."""


AnyAgent = Agent | ReferenceAgent
