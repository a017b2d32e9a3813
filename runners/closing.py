"""Ending the record of an episode whose process is gone: it can no longer do so itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from .episode import Ending
from .metrics import score_events
from .record import Record, read_events, write_result


def end_record(folder: Path, ending: Ending, *, now: Callable[[], datetime]) -> dict[str, Any]:
    """Writes the end that is missing, and the result; returns that. A line that broke off in its middle goes. A record
    that has its end is only read. Raises TechnicalFailure, InvalidRecord."""
    path = folder / "events.jsonl"
    cut_broken_line(path)
    events = list(read_events(path))
    if not events or events[-1]["type"] != "episode_end":
        last = events[-1]["elapsed_seconds"] if events else 0.0
        if events and ending.reason == "deadline":  # it was held until then, and longer
            last = max(last, float(events[0]["data"]["budget_seconds"]))
        with Record.again(folder, len(events), now=now) as record:
            record.event("episode_end", ending.to_json() | {"rejected": []}, last)
        events = list(read_events(path))
    result = score_events(events)
    write_result(folder, result)
    return result


def cut_broken_line(path: Path) -> None:
    """Takes away what follows the last whole line."""
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    tail = data[whole:]
    if not tail:
        return
    try:
        json.loads(tail)
    except ValueError:
        with open(path, "r+b") as file:
            file.truncate(whole)
    else:  # only its end of line is missing
        with open(path, "ab") as file:
            file.write(b"\n")
