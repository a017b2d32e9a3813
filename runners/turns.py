"""The agent's turns: its code runs in a thread of its own, and whoever waits for it stops waiting at the deadline.

A thread cannot be ended from outside. One that never comes back is left behind; it ends with the process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")
LOOK_SECONDS = 0.2  # a system may hand Ctrl-C to another thread than the one that waits


class OutOfTime(Exception):
    """The agent was not back in time."""


class AgentRaised(Exception):
    """What the agent raised, as ``cause``: any exception, even the one that would end a program."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(type(cause).__name__))
        self.cause = cause


class Turns:
    """Every call of one agent, all in the same thread."""

    def __init__(self) -> None:
        self._work: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._given_up = False

    def take(self, work: Callable[[], T], seconds: float) -> T:
        """What ``work`` returns, within so many seconds. Raises OutOfTime, AgentRaised."""
        if self._given_up:
            raise OutOfTime
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="lpb-gen agent", daemon=True)
            self._thread.start()
        self._work.put(work)
        self._given_up = True  # unless it comes back; Ctrl-C may end the waiting, too
        value, error = self._await(monotonic() + max(0.0, seconds))
        self._given_up = False
        if error is not None:
            raise AgentRaised(error)
        result: T = value
        return result

    def _await(self, deadline: float) -> tuple[Any, BaseException | None]:
        while True:
            left = deadline - monotonic()
            try:
                return self._done.get(timeout=min(max(0.0, left), LOOK_SECONDS))
            except Empty:
                if monotonic() >= deadline:
                    raise OutOfTime from None

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            try:
                self._done.put((work(), None))
            except BaseException as error:  # sys.exit() is the agent's failure, too
                self._done.put((None, error))

    def end(self) -> None:
        """Lets the thread go, as soon as it comes back."""
        self._work.put(None)


def within(work: Callable[[], object], seconds: float) -> BaseException | None:
    """Does ``work`` in a thread of its own; what it raised, or OutOfTime where it was not back."""
    turns = Turns()
    try:
        turns.take(work, seconds)
    except AgentRaised as error:
        return error.cause
    except OutOfTime as error:
        return error
    finally:
        turns.end()
    return None
