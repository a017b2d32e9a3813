"""Writing files and folders whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..games.base import LpbError


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


class FolderTaken(LpbError):
    """A folder that would be written holds something else."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of folder that a command writes. ``made_by``: what its ``marker``, a JSON file, says under that key;
    ``names``: everything that may lie at its top."""

    made_by: str
    marker: str
    names: frozenset[str]

    def require_free(self, target: Path) -> None:
        """Raises FolderTaken where ``target`` is there, and neither empty nor of this kind with nothing added."""
        fix = "name a new folder: --out DIR"
        if target.exists() and not target.is_dir():
            raise FolderTaken("there is a file of that name", where=str(target), fix=fix)
        names = {path.name for path in target.iterdir()} if target.is_dir() else set()
        if not names:
            return
        try:
            ours = json.loads((target / self.marker).read_bytes())["made_by"] == self.made_by
        except (OSError, ValueError, KeyError, TypeError):
            ours = False
        strangers = sorted(names - self.names)
        if not ours or strangers:
            what = f"it holds {strangers[0]}" if strangers else f"it has no {self.marker}"
            what = f"the folder is not overwritten: {what}, so it is not what {self.made_by} has made"
            raise FolderTaken(what, where=str(target), fix=fix)


def write_inside(folder: Path, path: str, data: bytes) -> None:
    """Writes a file below a folder that is being made, and the folders that it needs."""
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


def current_umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
