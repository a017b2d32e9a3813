"""How a stage that DVC runs tells the ``lpb-gen refresh`` above it how far it is, and why it failed.

DVC passes on neither progress nor errors, so a stage appends JSON lines to a file that refresh reads as it grows. A
stage that somebody runs by hand (``dvc repro``) has no feed and shows its own progress.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..games.base import LpbError
from .progress import Counter, counting, saying_what_is_logged

POST_SECONDS = 0.1
WATCH_SECONDS = 0.25


class Feed:
    """The stage's end. A post that cannot be written is dropped: the work matters more."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def post(self, **event: Any) -> None:
        if self.path is not None:
            with contextlib.suppress(OSError), open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(event) + "\n")

    @contextmanager
    def counting(self, what: str, total: int | None) -> Iterator[Counter]:
        """A counter that refresh shows, or that shows itself where there is no refresh above."""
        if self.path is None:
            with counting(what, total) as counter:
                yield counter
            return
        posted = _Posted(self, what, total)
        posted.post()
        with saying_what_is_logged(posted):
            yield posted
        posted.post()

    @contextmanager
    def failures(self, cell: str = "") -> Iterator[None]:
        """Posts that a stage has begun, for which cell, and the error that ends the block, and lets it go on."""
        self.post(pid=os.getpid(), cell=cell)
        try:
            yield
        except LpbError as error:
            extra = {"can_grow": getattr(error, "can_grow", False)}
            self.post(error=type(error).__name__, what=error.what, where=error.where, fix=error.fix, **extra)
            raise
        except OSError as error:
            self.post(error="OSError", what=error.strerror or str(error), where=str(error.filename or ""), fix="")
            raise


class _Posted(Counter):
    def __init__(self, feed: Feed, what: str, total: int | None) -> None:
        super().__init__(what, total)
        self.feed, self._next = feed, 0.0

    def update(self, done: int) -> None:
        self.done = done
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + POST_SECONDS
            self.post()

    def post(self) -> None:
        self.feed.post(stage=self.what, total=self.total, done=self.done, note=self.note)

    def say(self, text: str) -> None:
        self.feed.post(say=text)


class FeedReader:
    """Refresh's end."""

    def __init__(self, path: Path) -> None:
        self.path, self._offset, self._rest = path, 0, b""

    def poll(self) -> list[dict[str, Any]]:
        """The events that came since the last call."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return []
        self._offset += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        events = []
        for line in lines:
            with contextlib.suppress(ValueError):  # a full disk cuts lines short
                events.append(json.loads(line))
        return events


class FeedDisplay:
    """Shows a feed's counters on standard error, one after another, and what is said between, each text once."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._what = ""
        self._counter: Counter | None = None
        self._said = set[str]()

    def show(self, event: Mapping[str, Any]) -> None:
        if "say" in event:
            if self._counter is not None and event["say"] not in self._said:
                self._said.add(event["say"])
                self._counter.say(event["say"])
            return
        if event["stage"] != self._what:
            self.close()
            self._what = event["stage"]
            self._counter = self._stack.enter_context(counting(event["stage"], event["total"]))
        assert self._counter is not None
        self._counter.note = event["note"]
        self._counter.update(event["done"])

    def close(self) -> None:
        self._stack.close()
        self._what, self._counter = "", None


def end_with(pid: int) -> None:
    """Ends this process soon after process ``pid`` has ended, however that went: a stage must not write on behalf of a
    refresh that was killed."""

    def watch() -> None:
        while is_alive(pid):
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def is_alive(pid: int) -> bool:
    """Whether a process of that id exists (a zombie does)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
