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
SOCKET = "/org.chromium.Chromium.XXXXXX/SingletonSocket"  # what Chromium makes below its temporary folder
LONGEST = 107 - len(SOCKET)  # bytes of a folder's path: a socket's has 107 at most
SHORT = "/tmp"
GONE_SECONDS = 5.0  # a browser that is just being ended may still write
_environment = threading.Lock()


def free_name() -> Path:
    """A folder that is not there yet: below $TMPDIR, or below /tmp where that path is too long for a browser (a batch
    system's may be)."""
    name = f"lpb-gen-{token_hex(4)}"
    try:
        folder = Path(tempfile.gettempdir()) / name
    except FileNotFoundError:  # nothing can be written anywhere: `make` says so, if a browser is asked for at all
        return Path(SHORT) / name
    if len(os.fsencode(folder)) > LONGEST and os.access(SHORT, os.W_OK | os.X_OK):
        return Path(SHORT) / name
    return folder


def make(folder: Path) -> None:
    """For us alone. Raises TechnicalFailure."""
    if len(os.fsencode(folder)) > LONGEST:
        what = f"a temporary folder for a browser has at most {LONGEST} bytes in its path"
        raise TechnicalFailure("configuration", what, where=str(folder), fix="set TMPDIR to a shorter one")
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
