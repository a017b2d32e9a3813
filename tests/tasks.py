"""Work for the tests of executors: what a spawned worker runs must lie in a module that it can import."""

from __future__ import annotations

import os
import signal
import time

from lpb_gen.games.base import Unproven


def square_slowly_at_first(n: int) -> int:
    time.sleep(0.05 if n == 0 else 0)
    return n * n


def fail_at_three(n: int) -> int:
    if n == 3:
        raise Unproven("three", where="here", fix="take another")
    return n


def die(n: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return n
