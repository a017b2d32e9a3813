"""Writing files and folders whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
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


@contextlib.contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A new folder beside ``target`` to write into. When the block ends well it takes the place of ``target`` and of
    whatever was there; on any error the target is as it was. Raises OSError."""
    target = Path(os.path.abspath(target))
    target.parent.mkdir(parents=True, exist_ok=True)
    for leftover in target.parent.glob(f".{target.name}.*.part*"):  # of a process that was killed
        shutil.rmtree(leftover, ignore_errors=True)
    try:
        fresh = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part"))
    except OSError as error:
        error.filename = str(target)  # not the temporary name, which means nothing to a user
        raise
    try:
        fresh.chmod(0o777 & ~current_umask())
        yield fresh
        old = fresh.with_name(fresh.name + ".old")
        if target.exists():
            target.rename(old)
        fresh.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(target)  # a full disk does not say where
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def write_inside(folder: Path, path: str, data: bytes) -> None:
    """Writes a file below a folder that is being made, and the folders that it needs."""
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


def current_umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
