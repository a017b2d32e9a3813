"""Running ``dvc repro`` under a refresh: progress and errors through the feed, an end to it on Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

from ..games.base import LpbError
from . import freeze as freezing
from .exclusive import workspace
from .feed import WATCH_SECONDS, FeedDisplay, FeedReader
from .repository import Repository
from .stages import CellShort
from .storage import StorageFailed, default_remote, dvc_complaint, dvc_environment
from .workers import Workforce

POLL_SECONDS = 0.1
GRACE_SECONDS = 1.5  # for DVC and the stage to end by themselves when Ctrl-C reached them too
LAST_SECONDS = 20.0
_DOMAIN: dict[str, type[LpbError]] = {
    error.__name__: error for error in (CellShort, freezing.Gap, freezing.NotNew, freezing.NotThere, freezing.Twins)
}


def run_repro(repository: Repository, workforce: Workforce, lock: int, seconds: dict[str, float]) -> None:
    """``dvc repro --pull freeze``. Never with ``--downstream``: in a fresh clone that froze some of the cells and
    exited with 0. ``lock``: a file descriptor that DVC keeps open; ``seconds``: by cell's name, to which the wall time
    of its stages is added. Raises what the failing stage raised, Busy, StorageFailed."""
    if shutil.which("lpb-gen", path=dvc_environment()["PATH"]) is None:
        raise LpbError("the command lpb-gen is not on the path", fix="install the package: pip install lpb-gen")
    feed, log = workspace(repository) / "feed.jsonl", workspace(repository) / "dvc.log"
    feed.unlink(missing_ok=True)
    environment = dvc_environment(
        LPB_WORKERS=str(workforce.processes),
        DASK_SCHEDULER_ADDRESS=workforce.cluster or "",
        LPB_FEED=str(feed),
        LPB_REFRESH_PID=str(os.getpid()),
    )
    pull = ["--pull"] if default_remote(repository) else []
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "dvc", "repro", *pull, "freeze"],
            cwd=repository.root,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            pass_fds=(lock,),
        )
        events = _follow(process, FeedReader(feed), seconds)
    if process.returncode == 0:
        return
    if process.returncode < 0:  # DVC was killed: let the stage notice before anything is put back
        time.sleep(3 * WATCH_SECONDS)
    failure = next((event for event in reversed(events) if "error" in event), None)
    raise failure_of(failure) if failure else _unknown_failure(log.read_text("utf-8", "replace"), process.returncode)


def _follow(process: subprocess.Popen[bytes], reader: FeedReader, seconds: dict[str, float]) -> list[dict[str, Any]]:
    """Shows the feed until DVC ends; returns its events that are not progress. A cell's stages last from the beginning
    of one to that of the next."""
    display, told = FeedDisplay(), list[dict[str, Any]]()
    cell, since = "", 0.0
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(POLL_SECONDS)
            for event in reader.poll():
                if "stage" in event or "say" in event:
                    display.show(event)
                else:
                    told.append(event)
                if "cell" in event:
                    now = time.monotonic()
                    if cell:
                        seconds[cell] = seconds.get(cell, 0.0) + now - since
                    cell, since = event["cell"], now
            if process.returncode is not None:
                if cell:
                    seconds[cell] = seconds.get(cell, 0.0) + time.monotonic() - since
                return told
    except BaseException:
        display.close()
        _end(process, [event["pid"] for event in [*told, *reader.poll()] if "pid" in event])
        raise
    finally:
        display.close()


def _end(process: subprocess.Popen[bytes], stages: list[int]) -> None:
    """Ends DVC and its running stage. A Ctrl-C of the terminal has reached them already; another signal has not."""
    for patience, sign in ((GRACE_SECONDS, signal.SIGINT), (LAST_SECONDS, signal.SIGKILL), (LAST_SECONDS, None)):
        deadline = time.monotonic() + patience
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(KeyboardInterrupt):  # pressing again does not make it faster or less clean
                time.sleep(POLL_SECONDS)
        if process.poll() is not None or sign is None:
            return
        for pid in [*stages[-1:], process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, sign)


def failure_of(event: dict[str, Any]) -> LpbError:
    """The error that a stage posted."""
    words = {"where": event["where"], "fix": event["fix"]}
    if event["error"] == "CellShort":
        return CellShort(event["what"], **words, can_grow=event["can_grow"])
    return _DOMAIN.get(event["error"], LpbError)(event["what"], **words)


def _unknown_failure(output: str, returncode: int) -> LpbError:
    """What DVC's own output says of a failure that no stage told: the stage was killed, or DVC failed itself."""
    stage = [line.removeprefix("lpb-gen: ") for line in output.splitlines() if line.startswith("lpb-gen: ")]
    if stage:
        return StorageFailed(stage[-1], where="dvc repro")
    if returncode < 0:
        return StorageFailed(f"DVC was ended by signal {-returncode}", fix="run the command again")
    return dvc_complaint(output)
