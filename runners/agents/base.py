"""What an agent is. Two kinds, kept apart by their types: players see the screen; references also see the state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

from ..actions import Action

if TYPE_CHECKING:
    from pathlib import Path

    from ...games.base import Pointer
    from ..surface import Pixels
    from ..view import View

StepClass = Literal["native", "other"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The agent's own end of the episode: it says that it is done, or that it gives up."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What an agent is shown before a decision. ``screenshot``: PNG of the whole viewport; ``step``: decisions taken so
    far; ``seconds_left``: of the episode's budget, when it is shown; ``error``: what was wrong with the last action, of
    which nothing was carried out."""

    screenshot: bytes
    step: int
    seconds_left: float
    error: str | None = None

    def pixels(self) -> Pixels:
        """The screenshot as an array, uint8[height, width, 4], RGBA."""
        from ..suite.png import pixels

        return pixels(self.screenshot)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What an agent does next.

    ``action``: an action, its JSON form (see ``actions``), an ``Answer``, or None for a step that touches nothing (the
    agent used a tool of its own). ``text``: its words, for the record. ``usage``: what its model's calls took (see
    ``effort``). ``step_class``: ``other`` where the action was computed in the same step, which NGAR then counts so;
    ``native`` changes nothing, but for our own models' looks at the screen (see ``native_or_other``)."""

    action: Action | Mapping[str, Any] | Answer | None
    text: str = ""
    usage: Mapping[str, float] | None = None
    step_class: StepClass | None = None


class Agent(ABC):
    """A player: it gets what a person gets, and nothing else. One object plays one episode.

    Any method may raise TechnicalFailure where the reason is not the agent's (a model's service is down); whatever else
    it raises is the agent's own failure, which ends the episode as its answer would. ``begin`` and ``act`` are called
    in one thread, which is not the main one."""

    name: str
    kind: ClassVar[str] = "agent"
    isolation: str | None = None  # how its program is shut off from the runner, in words; None where it has none

    def keep_in(self, folder: Path) -> None:  # noqa: B027
        """Called once, before ``begin``: the run's record, for files of the agent's own. Off the clock."""

    def begin(self, instruction: str, viewport: tuple[int, int]) -> None:  # noqa: B027 (not every agent needs it)
        """Called once, before the first observation; ``viewport``: (width, height) in pixels. On the clock."""

    @abstractmethod
    def act(self, observation: Observation) -> Decision:
        """The next decision. It should come within ``observation.seconds_left``; the episode ends without it."""

    def describe(self) -> dict[str, Any]:
        """For the run's manifest: JSON-ready, what one needs to know to run the same agent again; never a key."""
        return {"name": self.name}

    def close(self) -> None:  # noqa: B027
        """Ends everything the agent began. Called once, off the clock, however the episode ended: from another thread
        while ``act`` still runs, where that did not come back by the deadline."""


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


def native_or_other(action: Mapping[str, Any] | Answer | None) -> StepClass:
    """How NGAR counts a step (LongPuzzleBench, appendix A): native if it is coordinate mouse or keyboard input, fixed
    batches included; other if it is an answer, nothing but waiting, or no action. ``action``: in its JSON form."""
    if action is None or isinstance(action, Answer) or action.get("action") == "wait":
        return "other"
    if action.get("action") == "batch":
        return "native" if any(native_or_other(part) == "native" for part in action["actions"]) else "other"
    return "native"
