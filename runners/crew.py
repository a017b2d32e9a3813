"""Episodes in processes: each attempt in one of its own, several at once.

A process that dies takes nothing with it but its own attempt, which counts as a technical failure (environment). One
that hangs beyond its episode's deadline is ended, and its record says that the deadline ended it.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from ..games.base import LpbError
from . import scratch
from .attempts import Attempt, Trial, Watching, Ways, again, is_open
from .child import play_in_child
from .closing import end_record
from .episode import Ending
from .failures import TechnicalFailure
from .plan import Play

OVERTIME_SECONDS = 120.0  # after the deadline, for the last input and for closing the browser
BEGINNING_SECONDS = 600.0  # at least, for making the agent and starting the browser
ENDING_SECONDS = 60.0  # after Ctrl-C
LEAVING_SECONDS = 3.0  # after Ctrl-C, for a process that has no record yet
LOOK_SECONDS = 0.5


@dataclass(slots=True)
class Worker:
    """A process at work on one attempt. ``deadline``: by the monotonic clock, of the beginning and then of the episode;
    ``folder``: the name of its browser's temporary folder."""

    index: int
    number: int
    process: BaseProcess
    connection: Connection
    folder: Path
    deadline: float
    record: Path | None = None
    overtime: bool = False


class Crew:
    """Plays in processes; iterating gives the index of each episode when it is over."""

    def __init__(
        self,
        trials: Sequence[Trial],
        to_do: Sequence[int],
        numbers: Sequence[int],
        ways: Ways,
        watching: Watching,
        target: Callable[..., None] = play_in_child,
    ) -> None:
        self._all, self._numbers, self._ways, self._watching = trials, numbers, ways, watching
        self._target = target
        self._waiting = deque(to_do)
        self._workers: list[Worker] = []
        self._refusal: LpbError | None = None

    def __iter__(self) -> Iterator[int]:
        try:
            while self._waiting or self._workers:
                while self._waiting and len(self._workers) < self._ways.parallel:
                    self._begin(self._waiting.popleft())
                yield from self._look()
        except BaseException:
            self._end_all()
            raise

    def _begin(self, index: int) -> None:
        one = self._all[index]
        number = self._numbers[index] + len(one.attempts)
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        folder = scratch.free_name()
        words = one.play, number, self._ways.out, theirs, folder
        process = context.Process(target=self._target, args=words, name=one.play.name, daemon=False)
        process.start()
        theirs.close()
        deadline = time.monotonic() + beginning_seconds(one.play)
        self._workers.append(Worker(index, number, process, ours, folder, deadline))
        self._watching.under_way[one.play.name] = 0, len(one.play.objective.levels), 0
        self._watching.update()

    def _look(self) -> Iterator[int]:
        """Waits a little; gives what is over."""
        wait([worker.connection for worker in self._workers], timeout=LOOK_SECONDS)
        for worker in list(self._workers):
            attempt = self._attend(worker)
            if attempt is None:
                self._guard(worker)
                continue
            self._workers.remove(worker)
            one = self._all[worker.index]
            one.attempts.append(attempt)
            self._watching.under_way.pop(one.play.name, None)
            if is_open(one, self._ways):
                self._watching.say(again(one))
                self._waiting.appendleft(worker.index)
            else:
                yield worker.index
        self._watching.update()

    def _attend(self, worker: Worker) -> Attempt | None:
        """Takes up what it has said; its attempt once that is over. Raises what it was refused with."""
        while worker.connection.poll():
            try:
                message = worker.connection.recv()
            except (EOFError, OSError):
                return self._lost(worker)
            match message:
                case ("record", folder):
                    worker.record = folder
                    worker.deadline = time.monotonic() + self._all[worker.index].play.budget + OVERTIME_SECONDS
                case ("step", solved, steps):
                    play = self._all[worker.index].play
                    self._watching.under_way[play.name] = solved, len(play.objective.levels), steps
                case ("log", text):
                    self._watching.say(f"{self._all[worker.index].play.name}: {text}")
                case ("refused", error):
                    _join(worker)
                    raise error
                case ("over", result, folder):
                    _join(worker)
                    return Attempt(number=worker.number, result=result, record=folder)
        return None

    def _guard(self, worker: Worker) -> None:
        """Ends a process that hangs: an agent can hold it so that even its own deadline does not come through, or never
        be made."""
        if time.monotonic() > worker.deadline and not worker.overtime:
            worker.overtime = True
            worker.process.kill()

    def _lost(self, worker: Worker) -> Attempt:
        """The process is gone without a word."""
        _join(worker)
        code = worker.process.exitcode or 0
        how = f"by {_signal(-code)}" if code < 0 else f"with code {code}"
        failure = TechnicalFailure("environment", f"the episode's process was ended ({how})")
        if worker.overtime and worker.record is None:
            seconds = beginning_seconds(self._all[worker.index].play)
            what = (
                f"the episode did not begin within {seconds:g} seconds: the agent could not be made, or no browser came"
            )
            failure = TechnicalFailure("configuration", what)
        ending = Ending("deadline") if worker.overtime else Ending("technical", failure=failure)
        cause = {"kind": failure.kind, "what": str(failure)}
        result: dict[str, Any] = {"scored": False, "outcome": "technical", "reason": "technical", "failure": cause}
        if worker.record is not None:
            try:
                result = end_record(worker.record, ending, now=lambda: datetime.now(UTC))
            except (LpbError, OSError) as error:  # the folder may be gone, or the disk full
                self._watching.say(f"{worker.record}: its end could not be written ({error})")
        return Attempt(number=worker.number, result=result, record=worker.record)

    def _end_all(self) -> None:
        """Lets every process write down that it was interrupted; ends those that do not."""
        for worker in self._workers:
            worker.process.terminate()
            _wake(worker)
        now = time.monotonic()
        try:
            for worker in self._workers:
                _drain(worker)
                deadline = now + (LEAVING_SECONDS if worker.record is None else ENDING_SECONDS)
                while worker.process.is_alive() and time.monotonic() < deadline:
                    _drain(worker)
                    worker.process.join(0.05)
        finally:
            for worker in self._workers:
                if worker.process.is_alive():
                    worker.process.kill()
            for worker in self._workers:
                worker.process.join(LEAVING_SECONDS)
                scratch.remove(worker.folder)


def beginning_seconds(play: Play) -> float:
    """How many seconds there are until the record is there: a model may have to be loaded."""
    return max(BEGINNING_SECONDS, play.budget)


def _wake(worker: Worker) -> None:
    """A process that somebody has stopped (SIGSTOP) hears of nothing else."""
    if hasattr(signal, "SIGCONT") and worker.process.pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker.process.pid, signal.SIGCONT)


def _drain(worker: Worker) -> None:
    """Nobody may wait for a full pipe."""
    try:
        while worker.connection.poll():
            match worker.connection.recv():
                case ("record", folder):
                    worker.record = folder
    except (EOFError, OSError):
        pass


def _join(worker: Worker) -> None:
    worker.process.join(ENDING_SECONDS)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()
    worker.connection.close()
    scratch.remove(worker.folder)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
