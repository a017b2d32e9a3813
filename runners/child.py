"""An episode in a process of its own: what runs there, and what it tells its parent.

Messages to the parent, in this order: ("record", folder) once; ("step", levels solved, steps) and ("log", text) any
number of times; then ("over", result, folder), or ("refused", error) where the episode could not begin.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..games.base import LpbError
from ..pipeline.workers import settle_in
from .running import play_once

if TYPE_CHECKING:
    from .metrics import Scorer
    from .plan import Play

INTERRUPTED = 130


def play_in_child(play: Play, attempt: int, out: Path, connection: Connection, folder: Path) -> None:
    """The whole life of the process. ``folder``: a name for the browser's temporary folder, which the parent knows so
    that it can remove it when nobody is left here to do so."""
    lock = threading.Lock()

    def say(*message: Any) -> None:
        with lock:
            connection.send(message)

    settle_in(lambda logged: say("log", logged[1]))
    signal.signal(signal.SIGTERM, _interrupt)  # the parent sends it for Ctrl-C
    os.dup2(2, 1)  # standard output belongs to the parent's results

    def watch(scorer: Scorer, step: int) -> None:
        say("step", scorer.solved, step + 1)

    code = 0
    try:
        result, record = play_once(play, attempt, out, watch, lambda record: say("record", record), folder)
        say("over", result, record)
    except LpbError as error:
        say("refused", error)
    except KeyboardInterrupt:
        code = INTERRUPTED
    connection.close()
    sys.stderr.flush()
    os._exit(code)  # a thread of the agent's that never comes back must not keep the process


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: what follows is the end of the record
    raise KeyboardInterrupt
