"""Getting the snapshot that a record was played on: by the pin in its manifest, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...games.base import LpbError
from ...pipeline.elsewhere import InRepository, InStore, locate
from ...pipeline.repository import NotARepository
from ...pipeline.revisions import Pin
from ...pipeline.snapshot import Snapshot, is_catalogue_folder, load
from ..record import InvalidRecord


class NoSource(LpbError):
    """The snapshot of a record cannot be had from where one looked."""


def pin_of(manifest: Mapping[str, Any]) -> Pin:
    """Raises InvalidRecord where the manifest names no snapshot, or one by something else than a commit."""
    told = manifest.get("snapshot")
    if not isinstance(told, Mapping) or not isinstance(told.get("digest"), str):
        raise InvalidRecord("it does not say which snapshot it is of", where="manifest.json")
    tag, commit = told.get("tag"), told.get("commit")
    if commit is not None and not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", str(commit)):  # it is looked up
        raise InvalidRecord("the commit of its snapshot is not one", where="manifest.json")
    return Pin(tag if isinstance(tag, str) else None, commit, told["digest"])


class Source:
    """Where snapshots are taken from: ``place``, which is whatever ``--snapshot`` takes (a folder, the address of a Git
    repository, a DVC store), or else the repository of the folder ``here``. The record says which snapshot; what
    follows ``#`` counts where it does not, as of a run on a folder. The last one is kept: the next record is of it."""

    def __init__(self, place: str | None, here: Path) -> None:
        """Raises NoSource where ``place`` is a folder that is not there, UnknownSnapshot where it is no address."""
        self._given = place is not None
        self._base = here
        self._address, self._in_store = "", False  # of a repository or a store that is not read in place
        self._folder, self._name = here, ""
        self._last: tuple[tuple[str, str | None], Snapshot | Exception] | None = None
        if place is None:
            return
        if not Path(here, place).is_dir():
            place, _, self._name = place.partition("#")
        found = locate(place, here)
        if isinstance(found, InStore) or (isinstance(found, InRepository) and isinstance(found.place, str)):
            self._address, self._in_store = place, isinstance(found, InStore)
            return
        self._folder = Path(found.place if found is not None else Path(here, place.removeprefix("file://")))
        if not self._folder.is_dir():
            raise NoSource("there is no such folder", where=place, fix="give --from a catalogue's folder or its URL")

    def snapshot(self, manifest: Mapping[str, Any]) -> Snapshot:
        """The snapshot of a record. Raises what ``snapshot.load`` raises, NoSource, InvalidRecord."""
        pin = pin_of(manifest)
        reference: str | None = None
        if pin.commit is None:
            reference = self._name or None if self._given else _folder_of(manifest)
        key = pin.digest, pin.commit or reference
        if self._last is None or self._last[0] != key:
            try:
                self._last = key, self._load(pin, reference)
            except (LpbError, OSError) as error:
                self._last = key, error
        if isinstance(self._last[1], Exception):
            raise self._last[1]
        return self._last[1]

    def _load(self, pin: Pin, reference: str | None) -> Snapshot:
        if self._address:
            name = f"sha256:{pin.digest}" if self._in_store else pin.commit or reference
            return load(f"{self._address}#{name}" if name else self._address, self._base)
        if pin.commit is None:
            return load(reference, self._folder)
        try:
            return load(pin.commit, self._folder)
        except NotARepository as error:
            if is_catalogue_folder(self._folder):
                return load(None, self._folder)
            fix = "run it inside the catalogue's repository, or name that: --from URL"
            raise NoSource(error.what, where=error.where, fix=fix) from None


def _folder_of(manifest: Mapping[str, Any]) -> str | None:
    """Where a run says that it found a snapshot of no commit: a place on this machine. Other addresses are for the user
    to give, and not for a record to send us to."""
    told = manifest["snapshot"].get("reference")
    return told if isinstance(told, str) and "://" not in told and "@" not in told.partition("/")[0] else None
