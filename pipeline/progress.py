"""Progress on standard error: a bar for people at a terminal, a line every few seconds for a log."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from ..games.wording import counted

if TYPE_CHECKING:
    from .production import Tally
    from .tiers import Gate

LOG_SECONDS = 5.0
STILL_LOOKS = 12  # looks after which a line that has not changed is said again


class Counter:
    """Counts things that are being made, and says so as it goes."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total, self.done, self.note = what, total, 0, ""

    def advance(self, n: int = 1) -> None:
        self.update(self.done + n)

    def tally(self, tally: Tally, gate: Gate | None = None) -> None:
        """Shows a production's count: levels accepted (or proposals found), candidates tried, and, where none of them
        met a band of ``gate``, how near they came."""
        near = tally.near(gate) if gate else ""
        self.note = counted(tally.candidates, "candidate") + (f"; {near}" if near else "")
        self.update(tally.accepted or tally.proposed)

    def update(self, done: int) -> None:
        self.done = done

    def say(self, text: str) -> None:
        """Shows a line of text between."""
        with contextlib.suppress(OSError):
            print(text, file=sys.stderr, flush=True)


class _Saying(logging.Handler):
    """Says what is logged."""

    def __init__(self, counter: Counter) -> None:
        super().__init__()
        self._counter = counter

    def emit(self, record: logging.LogRecord) -> None:
        self._counter.say(record.getMessage())
        if record.name == "lpb_gen.kernels" and not self._counter.note:  # what comes first waits for that
            self._counter.note = "compiling"
            self._counter.update(self._counter.done)


@contextmanager
def saying_what_is_logged(counter: Counter) -> Iterator[None]:
    """While the block runs, the counter shows what the package logs for people (level INFO)."""
    log, handler = logging.getLogger("lpb_gen"), _Saying(counter)
    level = log.level
    log.setLevel(logging.INFO)
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


class _Log(Counter):
    """Says how far things are every LOG_SECONDS; where they do not advance, every minute."""

    def __init__(self, what: str, total: int | None) -> None:
        super().__init__(what, total)
        self._said = ""  # the line that was looked at last
        self._over = threading.Event()
        self._clock = threading.Thread(target=self._speak, daemon=True)

    def __enter__(self) -> Self:
        self._clock.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._clock.join()
        if self._said not in ("", self._line()):  # else the last line of a log would be one of the middle
            self.say(self._line())

    def _line(self) -> str:
        of = f" of {self.total}" if self.total is not None else ""
        return f"{self.what}: {self.done}{of}{', ' + self.note if self.note else ''}"

    def _speak(self) -> None:
        still = 0
        while not self._over.wait(LOG_SECONDS):
            line, said = self._line(), self._said
            still = still + 1 if line == said else 0
            if still % STILL_LOOKS == 0:
                self.say(line)
            self._said = line


@contextmanager
def counting(what: str, total: int | None) -> Iterator[Counter]:
    """A counter whose state is shown on standard error while the block runs."""
    if not sys.stderr.isatty():
        with _Log(what, total) as log, saying_what_is_logged(log):
            yield log
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, TextColumn("{task.fields[note]}"), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total, note="")

        class Bar(Counter):
            def update(self, done: int) -> None:
                self.done = done
                bar.update(task, completed=done, note=self.note)

            def say(self, text: str) -> None:
                bar.console.print(text, markup=False, highlight=False)

        counter = Bar(what, total)
        with saying_what_is_logged(counter):
            yield counter
