"""An agent whose decisions are calls from outside, from another thread: each is answered with the screen after it. The
episode waits for the first call, so that its clock begins when somebody plays."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from ...games.base import LpbError
from ..failures import TechnicalFailure
from ..isolation import NOT_ISOLATED
from .base import Agent, Answer, Decision, Observation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...games.base import Pointer
    from ..session import Note, Session
    from ..surface import Pixels, Surface

MOST_WAITING = 16  # calls


class NobodyPlayed(LpbError):
    """The caller left without a first action: there was no episode."""


class EpisodeOver(Exception):
    """Nothing is carried out any more."""


class TooManyCalls(Exception):
    """MOST_WAITING calls are waiting already."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The answer to a call. ``error``: why nothing of it was carried out."""

    screenshot: bytes
    error: str | None


@dataclass(frozen=True, slots=True)
class Call:
    action: Mapping[str, Any]
    shown: Future[Shown] = field(default_factory=Future)


class CalledAgent(Agent):
    """``about``: what the manifest says of whoever calls; it may be added to until the first call."""

    isolation = NOT_ISOLATED  # the caller runs where it was started

    def __init__(self, name: str) -> None:
        self.name = name
        self.about: dict[str, Any] = {}
        self._calls: SimpleQueue[Call | None] = SimpleQueue()
        self._answering: Future[Shown] | None = None
        self._lock = threading.Lock()  # over the next three
        self._waiting = 0
        self._over = False
        self._interrupted = False
        self._first = threading.Event()  # a call, or that none will come

    # --- from the caller's thread -------------------------------------------------------------------------------------

    def call(self, action: Mapping[str, Any]) -> Future[Shown]:
        """Carries out an action, in the order of the calls. The future raises EpisodeOver where the episode ended with
        it or before it. Raises EpisodeOver, TooManyCalls."""
        with self._lock:
            if self._over:
                raise EpisodeOver
            if self._waiting >= MOST_WAITING:
                raise TooManyCalls
            self._waiting += 1
            call = Call(action)
            self._calls.put(call)
        self._first.set()
        return call.shown

    def leave(self) -> None:
        """The caller is gone: the agent's own end of the episode."""
        self._calls.put(None)
        self._first.set()

    def interrupt(self) -> None:
        """Somebody else ended it: that is no fault of the agent's."""
        self._interrupted = True
        self.leave()

    # --- from the episode's thread ------------------------------------------------------------------------------------

    def wait_for_somebody(self) -> None:
        """Returns with the first call, which stays in the queue. Raises NobodyPlayed."""
        self._first.wait()
        if self._waiting == 0:
            self.close()
            raise NobodyPlayed("no action came, so there was no episode", where="mcp")

    def act(self, observation: Observation) -> Decision:
        if self._answering is not None:
            self._answering.set_result(Shown(observation.screenshot, observation.error))
            self._answering = None
        while True:
            try:
                # a moment longer than the episode, which knows best when it is over
                call = self._calls.get(timeout=observation.seconds_left + 1.0)
            except Empty:
                raise TimeoutError("no call came") from None
            if call is None:
                if self._interrupted:
                    raise TechnicalFailure("external", "interrupted by the user")
                return Decision(action=Answer(""))
            with self._lock:
                self._waiting -= 1
            if call.shown.set_running_or_notify_cancel():  # else its caller took it back
                self._answering = call.shown
                return Decision(action=call.action)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, **self.about}

    def close(self) -> None:
        """Whoever still waits is told that the episode is over."""
        with self._lock:
            self._over = True
        if self._answering is not None:
            self._answering.set_exception(EpisodeOver())
            self._answering = None
        while True:
            try:
                call = self._calls.get_nowait()
            except Empty:
                break
            if call is not None and call.shown.set_running_or_notify_cancel():
                call.shown.set_exception(EpisodeOver())
        self._calls.put(None)  # for an ``act`` that nobody waits for any more


class Awaiting:
    """A surface that has been started, and that an episode finds ready once somebody calls."""

    def __init__(self, surface: Surface, agent: CalledAgent) -> None:
        self._surface, self._agent = surface, agent
        self.session: Session = surface.session

    @property
    def name(self) -> str:
        return self._surface.name

    def start(self) -> None:
        """Raises NobodyPlayed."""
        self._agent.wait_for_somebody()

    def dispatch(self, events: Sequence[Pointer]) -> tuple[Note, ...]:
        return self._surface.dispatch(events)

    def screenshot(self) -> bytes:
        return self._surface.screenshot()

    def pixels(self) -> Pixels:
        return self._surface.pixels()

    def rejected(self) -> tuple[str, ...]:
        return self._surface.rejected()

    def describe(self) -> dict[str, Any]:
        return self._surface.describe()

    def close(self) -> None:
        self._surface.close()
