"""The record of a run: a folder that is only ever added to.

runs/20261201T101500.123Z-maze-hard-oracle-3f9a6c/
    manifest.json    what was played, by whom, on what
    events.jsonl     everything that happened, one line each, on the disk before the next thing happens
    screenshots/     PNG files by content
    result.json      the grades; always derivable again from events.jsonl alone
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any, Literal, Self, get_args

from ..games.base import LpbError
from ..pipeline.files import write_whole
from ..pipeline.level import canonical_json
from .failures import TechnicalFailure

SCHEMA_VERSION = 1
RESULT = "result.json"
EventType = Literal["episode_start", "snapshot", "observation", "decision", "action", "agent_error", "episode_end"]
EVENT_TYPES: tuple[str, ...] = get_args(EventType)


class _NoNumber(ValueError):
    """A number that cannot be reckoned with: not finite, or beyond what a float holds."""


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise _NoNumber(text[:20])
    return value


def _whole(text: str) -> int:
    _finite(text)
    return int(text)


DECODER = json.JSONDecoder(parse_float=_finite, parse_int=_whole, parse_constant=_finite)


class InvalidRecord(LpbError):
    """An events file that cannot be read, or that is not what this version writes."""


def run_id(now: datetime, game: str, tier: str, agent: str, salt: str) -> str:
    """Sorts by time; ``salt`` (hex) keeps runs of one millisecond apart. Any agent's name makes a name of a file."""
    stamp = now.strftime("%Y%m%dT%H%M%S") + f".{now.microsecond // 1000:03d}Z"
    return f"{stamp}-{game}-{tier}-{plain(agent)}-{salt}"


def plain(name: str) -> str:
    """A part of a file's name, on any system."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.")[:60] or "agent"


class Record:
    """Writes one run. Whatever cannot be written raises TechnicalFailure ("logging"): such an episode has no grade."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any], *, now: Callable[[], datetime]) -> None:
        """Makes ``folder``, which must not exist yet."""
        self.folder = folder
        self._now = now
        self._written = (0, 0)  # bytes and events on the disk
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
        except OSError as error:
            raise _logging(error, folder) from None
        try:
            (folder / "screenshots").mkdir()
            write_whole(folder / "manifest.json", pretty(manifest))
            self._events = open(folder / "events.jsonl", "xb", buffering=0)  # noqa: SIM115 (kept open)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)  # nothing half-made
            raise _logging(error, folder) from None

    @classmethod
    def again(cls, folder: Path, events: int, *, now: Callable[[], datetime]) -> Self:
        """The record in ``folder``, which has so many events and whose writer is gone, to be added to."""
        record = cls.__new__(cls)
        record.folder, record._now = folder, now
        try:
            record._events = open(folder / "events.jsonl", "ab", buffering=0)  # noqa: SIM115 (kept open)
            record._written = (record._events.seek(0, os.SEEK_END), events)
        except OSError as error:
            raise _logging(error, folder) from None
        return record

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def event(self, kind: EventType, data: Mapping[str, Any], elapsed: float) -> dict[str, Any]:
        """Appends one event; ``elapsed``: seconds since the episode began. Returns it as a reader will see it."""
        event = {
            "schema_version": SCHEMA_VERSION,
            "seq": self._count(),
            "timestamp": self._now().isoformat(timespec="milliseconds"),
            "elapsed_seconds": round(elapsed, 6),
            "type": kind,
            "data": data,
        }
        line = canonical_json(event)
        try:
            rest = (line + "\n").encode("utf-8")
            while rest:  # a disk that is nearly full takes a part; the next writing says what is wrong
                rest = rest[self._events.write(rest) :]
        except (OSError, ValueError) as error:  # ValueError: closed
            raise _logging(error, self.folder / "events.jsonl") from None
        self._count()
        read: dict[str, Any] = json.loads(line)
        return read

    def _count(self) -> int:
        """How many events are on the disk. Ctrl-C may come between the writing of a line and its counting, so the file
        itself says whether one was written; one assignment keeps both numbers together."""
        with contextlib.suppress(OSError, ValueError):  # of a device, or closed: writing will tell
            size, (known, events) = self._events.tell(), self._written
            if size > known:
                self._written = (size, events + 1)
        return self._written[1]

    def screenshot(self, png: bytes) -> str:
        """Keeps a picture, once; returns its file's name."""
        name = screenshot_name(png)
        path = self.folder / "screenshots" / name
        try:
            if not path.exists():
                write_whole(path, png)
        except OSError as error:
            raise _logging(error, path) from None
        return name

    def close(self) -> None:
        with contextlib.suppress(OSError):  # what could not be flushed has been reported when it was written
            self._events.close()


def write_result(folder: Path, result: Mapping[str, Any]) -> None:
    """The grades of a record, if they can be written: they follow from its events, for whoever needs them later."""
    with contextlib.suppress(OSError):
        write_whole(folder / RESULT, pretty(result))


def screenshot_name(png: bytes) -> str:
    """The name of a picture's file: from its content."""
    return f"{hashlib.sha256(png).hexdigest()[:32]}.png"


def read_events(path: Path) -> Iterator[dict[str, Any]]:
    """The events of an ``events.jsonl``. Raises InvalidRecord, OSError."""
    with open(path, "rb") as file:
        for number, line in enumerate(file):
            where = f"{path}:{number + 1}"
            try:
                event = DECODER.decode(line.decode("utf-8"))
            except _NoNumber as error:
                raise InvalidRecord(f"a number that no episode writes ({error})", where=where) from None
            except (ValueError, RecursionError):
                raise InvalidRecord("not JSON; was the run cut off?", where=where) from None
            if not isinstance(event, dict) or event.get("schema_version") != SCHEMA_VERSION:
                raise InvalidRecord(f"not an event of schema {SCHEMA_VERSION}", where=where)
            if event.get("seq") != number or event.get("type") not in EVENT_TYPES:
                raise InvalidRecord("an event is missing or of an unknown type", where=where)
            yield event


def pretty(value: Mapping[str, Any]) -> bytes:
    """JSON for people to read."""
    return (json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _logging(error: Exception, path: Path) -> TechnicalFailure:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return TechnicalFailure(
        "logging", f"the run's record could not be written ({reason})", where=str(path), fix="the episode has no grade"
    )
