"""Getting the snapshot that a record was played on: by the pin in its manifest, and nothing else."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...games.base import LpbError
from ...pipeline.repository import NotARepository, complaint, run_git
from ...pipeline.revisions import Pin
from ...pipeline.snapshot import Snapshot, load
from ..record import InvalidRecord


class NoSource(LpbError):
    """The snapshot of a record cannot be had from where one looked."""


def pin_of(manifest: Mapping[str, Any]) -> Pin:
    """Raises InvalidRecord where the manifest names no snapshot."""
    told = manifest.get("snapshot")
    if not isinstance(told, Mapping) or not isinstance(told.get("digest"), str):
        raise InvalidRecord("it does not say which snapshot it is of", where="manifest.json")
    tag, commit = told.get("tag"), told.get("commit")
    return Pin(tag if isinstance(tag, str) else None, commit if isinstance(commit, str) else None, told["digest"])


@contextmanager
def source(place: str | None, here: Path) -> Iterator[Path]:
    """The folder to take snapshots from: ``here``, the folder that ``place`` names, or a clone of the repository at the
    address ``place``, which is deleted afterwards. What follows ``#`` is left out: the record says which snapshot.
    Raises NoSource."""
    if place is None:
        yield here
        return
    if not os.path.isdir(place):
        place = place.partition("#")[0]
    folder = place.removeprefix("file://")
    if os.path.isdir(folder) and (folder == place or Path(folder, ".git").exists()):
        yield Path(folder)  # a work tree has levels in its cache that a clone would not get
        return
    with tempfile.TemporaryDirectory(prefix="lpb-gen-") as clone:
        done = run_git(Path(clone), "clone", "--quiet", "--", place, "catalogue")
        if done.returncode != 0:
            raise NoSource(
                f"it cannot be cloned ({complaint(done.stderr)})", where=place, fix="give --from a catalogue"
            )
        made = Path(clone, "catalogue")
        empty = all(path.name == ".git" for path in made.iterdir())  # its HEAD is a branch that is not there
        if empty and (newest := _newest_branch(made)):
            run_git(made, "checkout", "--quiet", "--detach", newest)
        yield made


def _newest_branch(clone: Path) -> str:
    """The commit of the branch that was committed to last, or empty. The HEAD of a bare repository that ``git init``
    made may name a branch that nobody ever pushed."""
    words = ("for-each-ref", "--sort=-committerdate", "--count=1", "--format=%(objectname)", "refs/remotes")
    return run_git(clone, *words).stdout.decode().strip()


def find_snapshot(manifest: Mapping[str, Any], place: Path, *, given: bool) -> Snapshot:
    """The snapshot of a record in the folder ``place``; ``given``: the user named that folder. Raises what
    ``snapshot.load`` raises, InvalidRecord."""
    pin = pin_of(manifest)
    if pin.commit is not None:
        try:
            return load(pin.commit, place)
        except NotARepository as error:
            if (place / "manifest.json").is_file() or (place / "catalogue" / "manifest.json").is_file():
                return load(None, place)
            fix = "run it inside the catalogue's repository, or name that: --from URL"
            raise NoSource(error.what, where=error.where, fix=fix) from None
    reference = manifest["snapshot"].get("reference")
    if given or not isinstance(reference, str):
        return load(None, place)
    return load(reference, place)
