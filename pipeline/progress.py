"""Progress on standard error: a bar for people at a terminal, a line every few seconds for a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .production import Tally

LOG_SECONDS = 5.0


class Counter:
    """Counts things that are being made, and says so as it goes."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total, self.done, self.note = what, total, 0, ""

    def advance(self, n: int = 1) -> None:
        self.update(self.done + n)

    def tally(self, tally: Tally) -> None:
        """Shows a production's count: levels accepted (or proposals found) and candidates tried."""
        self.note = f"{tally.candidates} candidates"
        self.update(tally.accepted or tally.proposed)

    def update(self, done: int) -> None:
        self.done = done


class _Log(Counter):
    def __init__(self, what: str, total: int | None) -> None:
        super().__init__(what, total)
        self._next = time.monotonic() + LOG_SECONDS

    def update(self, done: int) -> None:
        self.done = done
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LOG_SECONDS
            of = f" of {self.total}" if self.total is not None else ""
            print(f"{self.what}: {done}{of}{', ' + self.note if self.note else ''}", file=sys.stderr, flush=True)


@contextmanager
def counting(what: str, total: int | None) -> Iterator[Counter]:
    """A counter whose state is shown on standard error while the block runs."""
    if not sys.stderr.isatty():
        yield _Log(what, total)
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

        yield Bar(what, total)
