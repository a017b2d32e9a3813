"""A temporary folder of a browser's own: what the browser and its driver leave there goes with it, however they end."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

from .failures import TechnicalFailure

NAMES = ("TMPDIR", "TEMP", "TMP")  # where programs of all systems look
GONE_SECONDS = 5.0  # a browser that is just being ended may still write
_environment = threading.Lock()


def free_name() -> Path:
    """A folder that is not there yet. The name is short: a browser makes sockets below it, whose paths have a limit."""
    return Path(tempfile.gettempdir()) / f"lpb-gen-{token_hex(4)}"


def make(folder: Path) -> None:
    """For us alone. Raises TechnicalFailure."""
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        what = f"the browser's temporary folder cannot be made ({error.strerror or error})"
        raise TechnicalFailure("environment", what, where=str(folder)) from None


@contextlib.contextmanager
def used_by_new_programs(folder: Path) -> Iterator[None]:
    """Programs that are started meanwhile have their temporary files there. We ourselves do not: Python has asked
    for its own folder before."""
    with _environment:
        before = {name: os.environ.get(name) for name in NAMES}
        os.environ.update(dict.fromkeys(NAMES, str(folder)))
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def remove(folder: Path, seconds: float = GONE_SECONDS) -> None:
    """Takes it away with all that is in it, if it is there; for so long, where somebody still writes."""
    until = time.monotonic() + seconds
    while True:
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists() or time.monotonic() >= until:
            return
        time.sleep(0.05)
