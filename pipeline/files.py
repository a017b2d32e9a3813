"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def sweep(target: Path) -> None:
    """Deletes what a process that was killed while it wrote ``target`` has left beside it."""
    for leftover in target.parent.glob(f".{target.name}.*.part"):
        leftover.unlink(missing_ok=True)


def write_whole(target: Path, data: bytes) -> None:
    """Writes ``data`` beside ``target`` under a temporary name, forces it to the disk, and renames it into place.

    On any error the target is as it was. Raises OSError."""
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        error.filename = str(target)  # not the temporary name, which means nothing to a user
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~current_umask())  # mkstemp makes files for the owner only
        os.replace(name, target)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(target)  # a full disk does not say where
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def current_umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
