"""An episode in a process of its own: what runs there, and what it tells its parent.

Messages to the parent, in this order: ("record", folder) once; ("step", levels solved, steps) and ("log", text) any
number of times; then ("over", result, folder), or ("refused", error) where the episode could not begin.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..games.base import LpbError
from .running import play_once

if TYPE_CHECKING:
    from .metrics import Scorer
    from .plan import Play

INTERRUPTED = 130


class _ToParent(logging.Handler):
    def __init__(self, say: Any) -> None:
        super().__init__()
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say("log", record.getMessage())


def play_in_child(play: Play, attempt: int, out: Path, connection: Connection) -> None:
    """The whole life of the process."""
    lock = threading.Lock()

    def say(*message: Any) -> None:
        with lock:
            connection.send(message)

    _settle_in(say)

    def watch(scorer: Scorer, step: int) -> None:
        say("step", scorer.solved, step + 1)

    code = 0
    try:
        result, folder = play_once(play, attempt, out, watch, begun=lambda folder: say("record", folder))
        say("over", result, folder)
    except LpbError as error:
        say("refused", error)
    except KeyboardInterrupt:
        code = INTERRUPTED
    connection.close()
    sys.stderr.flush()
    os._exit(code)  # a thread of the agent's that never comes back must not keep the process


def _settle_in(say: Any) -> None:
    """Leaves Ctrl-C to the parent, which sends SIGTERM for it; leaves when the parent has gone, however it went; gives
    standard output to nobody, for it belongs to the parent's results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _interrupt)
    os.dup2(2, 1)
    log = logging.getLogger("lpb_gen")
    log.setLevel(logging.INFO)
    log.addHandler(_ToParent(say))
    parent = multiprocessing.parent_process()
    if parent is not None:

        def leave_with(process: Any) -> None:
            process.join()
            os._exit(1)

        threading.Thread(target=leave_with, args=(parent,), daemon=True).start()


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: what follows is the end of the record
    raise KeyboardInterrupt
