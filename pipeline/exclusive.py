"""One writer at a time, and a sound state after every one, however it ended.

``exclusive`` holds a kernel lock that dies with its process. ``Journal`` notes on disk, before a refresh changes
anything, what it is about to change: whoever comes after a killed one finds the note and puts the files back.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..games.base import LpbError
from .feed import is_alive
from .files import sweep, write_whole
from .manifest import sha256
from .repository import (
    LEVELS,
    LOCK,
    MANIFEST,
    PARAMS,
    PINS,
    PIPELINE,
    DirtyWorkTree,
    NotARepository,
    Repository,
)
from .revisions import Pin
from .snapshot import load_folder, load_pin
from .storage import Busy, forget_broken_lock, replace_folder

CHANGED = (PARAMS, PIPELINE, LOCK, MANIFEST)  # what a refresh changes in Git
ORPHAN_SECONDS = 30.0  # what a killed refresh leaves running ends by itself within a second or two


def workspace(repository: Repository) -> Path:
    """The repository's workspace, which exists then."""
    repository.workspace.mkdir(parents=True, exist_ok=True)
    return repository.workspace


@contextmanager
def exclusive(repository: Repository) -> Iterator[int]:
    """Holds the repository's lock and yields its file descriptor, which a child process may inherit and so keep it
    locked. Raises Busy where another command works here, NotARepository where it would write elsewhere."""
    for name in (".dvc", ".dvc/tmp", "build", "catalogue"):
        if (repository.root / name).is_symlink():
            what = f"{name} is a link: what is written there would land outside the repository"
            raise NotARepository(what, where=str(repository.root), fix="put a folder in its place")
    handle = os.open(workspace(repository) / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _acquire(handle, repository)
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield handle
    finally:
        os.close(handle)


def _acquire(handle: int, repository: Repository) -> None:
    patience = time.monotonic() + ORPHAN_SECONDS
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
        if not holder.isdigit() or is_alive(int(holder)) or time.monotonic() > patience:
            raise Busy(
                f"another lpb-gen command works in this repository (process {holder or 'unknown'})",
                where=str(repository.root),
                fix="wait for it to end and run the command again",
            )
        time.sleep(0.1)


class Journal:
    """What a refresh or a pin is doing to the work tree, on disk for as long as it is doing it."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        workspace(repository)
        self.path = repository.journal

    def write(self, texts: Mapping[str, str]) -> None:
        """Notes that the files that people edit are about to become ``texts``."""
        kept = [sha256(text.encode()) for text in texts.values()]
        written = [*self._noted("written"), *kept]
        others = dict.fromkeys([*self._noted("others"), *(name for name in texts if name not in (*CHANGED, PINS))])
        write_whole(self.path, json.dumps({"written": written, "others": list(others)}).encode())

    def close(self) -> None:
        self.path.unlink(missing_ok=True)

    def _noted(self, key: str) -> list[str]:
        """``written``: what the files were about to become, by sha256; ``others``: those beside CHANGED and PINS."""
        try:
            return list(json.loads(self.path.read_bytes()).get(key, ()))
        except FileNotFoundError:
            return []
        except (ValueError, AttributeError, TypeError):  # cut short by a full disk: it protects nothing then
            return []

    def recover(self, note: Callable[[str], None]) -> None:
        """Puts the work tree back to HEAD's snapshot if a refresh was cut off, and notes it. Raises DirtyWorkTree where
        somebody has edited its files since."""
        forget_broken_lock(self.repository)  # a DVC that was interrupted may leave one, whoever started it
        if not self.path.exists():
            return
        written = self._noted("written")
        for name in (PARAMS, PIPELINE):
            path, head = self.repository.root / name, self.repository.blob("HEAD", name)
            if path.exists() and path.read_bytes() != head and sha256(path.read_bytes()) not in written:
                raise DirtyWorkTree(
                    f"{name} was edited after a refresh had been cut off",
                    where=str(self.repository.root),
                    fix=f"commit your changes, or drop them with git checkout {name}, and run the command again",
                )
        self.repository.forget_stale_locks()
        self.roll_back()
        note("an earlier command was cut off; its changes were put back")

    def roll_back(self) -> None:
        """The work tree as HEAD has it: params, pipeline, lock, manifest, levels. Closes the journal at the end, so
        that a roll-back that fails is tried again by the next command."""
        repository = self.repository
        repository.put_back(CHANGED)
        written, others = self._noted("written"), self._noted("others")
        for name in (PINS, *others):
            path = repository.root / name
            if path.is_file() and sha256(path.read_bytes()) in written:  # else it is somebody's own work
                repository.put_back([name])
        for name in (*CHANGED, *others):
            sweep(repository.root / name)
        restore_levels(repository)
        self.close()


def restore_levels(repository: Repository) -> None:
    """Puts HEAD's level files into the work tree, from where they can be read; removes them where HEAD has none or they
    cannot be read (a later command fetches or makes them again)."""
    target = repository.root / LEVELS
    made = repository.snapshot_commit()
    manifest = repository.blob("HEAD", MANIFEST)
    try:
        if made is None or manifest is None:
            raise LpbError("no snapshot yet")
        snapshot = load_pin(repository, Pin(None, made, sha256(manifest)))
    except LpbError:
        shutil.rmtree(target, ignore_errors=True)
        return
    replace_folder(target, {path.removeprefix("levels/"): data for path, data in snapshot.files.items()})


def require_clean_levels(repository: Repository) -> None:
    """Raises DirtyWorkTree where the level files are not HEAD's: DVC would overwrite them without a word. A clone that
    has none yet is clean."""
    if not (repository.root / LEVELS).exists():
        return
    if repository.snapshot_commit() is None:
        fix = "move it away: a new repository has no levels yet"
        raise DirtyWorkTree(f"{LEVELS} is not part of any snapshot", where=str(repository.root), fix=fix)
    try:
        load_folder(repository.root)
    except LpbError as error:
        fix = "drop the change: lpb-gen restore HEAD"
        raise DirtyWorkTree(f"{LEVELS} was changed ({error.what})", where=str(repository.root), fix=fix) from None
