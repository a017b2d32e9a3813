"""Reading a snapshot: certified levels by game and tier, every file checked against the manifest before it is used.

    snapshot = load("v2026.12.0", Path.cwd())      # a tag, a commit, a catalogue folder, or None: the work tree's own
    snapshot = load("https://example.org/levels.git#v2026.12.0", Path.cwd())      # elsewhere.py says what else
    for level in snapshot.levels("maze", "hard"): ...

A level file comes from the work tree, from DVC's cache, or from the DVC remote, whichever has the right bytes. Only the
last starts DVC; nothing here imports it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..games.base import LpbError
from .elsewhere import InStore, locate, open_repository
from .level import Level
from .manifest import FileRecord, SnapshotCorrupt, check_bytes, check_file, file_records, read_manifest, sha256
from .params import Cell, UnknownCell, find_cell
from .params_file import read_params
from .published import read_published
from .repository import MANIFEST, PARAMS, NoGit, NotARepository, Repository
from .revisions import MAKE_ONE, NoCatalogue, Pin, no_snapshot, resolve, tag_of
from .storage import (
    MissingObject,
    Objects,
    StorageFailed,
    cache_folder,
    default_remote,
    fetch_levels,
    levels_object,
    shown,
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """``cells``: the levels in catalogue order by (game, tier); ``manifest``: its content; ``pin``: its name for good;
    ``files``: the level files' bytes by path below the catalogue folder; ``manifest_bytes``: the manifest as it lies;
    ``repository``: where it comes from, None for a folder from elsewhere.
    """

    cells: Mapping[Cell, tuple[Level, ...]]
    manifest: Mapping[str, Any]
    pin: Pin
    files: Mapping[str, bytes]
    manifest_bytes: bytes
    repository: Repository | None = field(default=None, compare=False)

    def levels(self, game: str, tier: str) -> tuple[Level, ...]:
        """Raises UnknownCell with what there is instead, or with the refresh that makes such levels."""
        where = f"snapshot {self.pin.tag or ''}".strip()
        try:
            levels: tuple[Level, ...] = find_cell(self.cells, game, tier, where=where)
        except UnknownCell as error:
            if not self._asked_for(game, tier):
                raise
            what = f"it has no levels of {game} {tier}: params.yaml asks for them, but they were not made"
            fix = f"run lpb-gen refresh --game {game} --tier {tier}, or {error.fix}"
            raise UnknownCell(what, where=where, fix=fix) from None
        return levels

    def _asked_for(self, game: str, tier: str) -> bool:
        """Whether the params.yaml of the work tree, from which refresh would make it, has a block for a cell."""
        if self.repository is None:
            return False
        try:
            return (game, tier) in read_params((self.repository.root / PARAMS).read_bytes()).cells
        except (OSError, LpbError):
            return False

    def taken(self, game: str) -> frozenset[str]:
        """The dedup keys of a game that no new level may have: its levels and every retired one of its ancestors."""
        active = {level.dedup_key for cell, levels in self.cells.items() if cell.game == game for level in levels}
        return frozenset(active | {str(tombstone["dedup_key"]) for tombstone in self.manifest["retired"]})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A snapshot's files, their bytes checked against the manifest; the levels in them have not been looked at.

    ``where`` and ``fix``: for errors; the other fields as in ``Snapshot``."""

    files: Mapping[str, bytes]
    manifest: Mapping[str, Any]
    manifest_bytes: bytes
    pin: Pin
    where: str
    fix: str
    repository: Repository | None

    def opened(self) -> Snapshot:
        """The snapshot, every level checked. Raises SnapshotCorrupt."""
        snapshot = check_files(self.files, self.manifest, self.manifest_bytes, self.pin, where=self.where, fix=self.fix)
        return replace(snapshot, repository=self.repository)


def load(reference: str | None, repo_dir: Path) -> Snapshot:
    """The snapshot that ``reference`` names: a pin's tag ("v2026.12.0", "catalogue@v2026.12.0"), a commit, the path of
    a catalogue folder or of a repository's work tree, or what elsewhere.py lists; None or "." is the work tree's
    current one.

    Raises SnapshotCorrupt, UnknownSnapshot, NoCatalogue, MovedTag, MissingObject, StorageUnreachable, NotARepository.
    """
    return load_sealed(reference, repo_dir).opened()


def load_sealed(reference: str | None, repo_dir: Path) -> Sealed:
    """As ``load``, but no level is parsed: for those who read a hundred thousand of them in another way."""
    folder = repo_dir if reference in (None, ".", "") else Path(repo_dir, str(reference))
    if reference in (None, ".", "") or _catalogue_folder(folder) is not None:
        unsettled = _unsettled(folder)
        return _sealed_pin(*unsettled) if unsettled else _sealed_folder(folder)
    elsewhere = locate(str(reference), repo_dir)
    if isinstance(elsewhere, InStore):
        return sealed_in_store(elsewhere)
    if elsewhere is not None:
        return replace(_sealed_pin(*open_repository(elsewhere), name=shown(str(reference))), repository=None)
    try:
        repository = Repository.find(repo_dir)
    except NotARepository as error:
        if folder.is_dir():
            what = "there is no snapshot in this folder (no manifest.json, and no Git repository around it)"
            raise NoCatalogue(what, where=str(folder), fix="name the folder that holds manifest.json") from None
        fix = f"name the catalogue as well: PATH#{reference} or URL#{reference}; or go into its repository"
        raise NotARepository(error.what, where=error.where, fix=fix) from None
    return _sealed_pin(repository, resolve(repository, str(reference)))


def sealed_in_store(found: InStore, manifest: bytes | None = None) -> Sealed:
    """The snapshot of a DVC store. ``manifest``: a copy of it, for a store that may not have it. Raises as ``load``."""
    read = read_published(found, manifest)
    where = shown(f"{found.store}#{found.name}")
    return Sealed(
        files=read.files,
        manifest=read.manifest,
        manifest_bytes=read.manifest_bytes,
        pin=read.pin,
        where=where,
        fix="name another store",
        repository=None,
    )


# --- from a folder ----------------------------------------------------------------------------------------------------


def _catalogue_folder(folder: Path) -> Path | None:
    return next((place for place in (folder, folder / "catalogue") if (place / "manifest.json").is_file()), None)


def is_catalogue_folder(folder: Path) -> bool:
    """Whether a snapshot can be read from the folder itself, without Git."""
    return _catalogue_folder(folder) is not None


def _unsettled(folder: Path) -> tuple[Repository, Pin] | None:
    """HEAD's snapshot, to be read instead of the folder's while a refresh is changing that: what it is about to commit
    may yet be put back."""
    try:
        repository = Repository.find(folder)
    except (NotARepository, NoGit):
        return None
    if not repository.journal.exists() or not _is_own(repository, _catalogue_folder(folder)):
        return None
    made, manifest = repository.snapshot_commit(), repository.blob("HEAD", MANIFEST)
    if made is None or manifest is None:
        return None
    return repository, Pin(tag_of(repository, made), made, sha256(manifest))


def _is_own(repository: Repository, place: Path | None) -> bool:
    """Whether a catalogue folder is that of the repository's work tree; None is where there is none yet."""
    return place is None or place.resolve() == (repository.root / "catalogue").resolve()


def load_folder(folder: Path) -> Snapshot:
    """The snapshot of a catalogue folder, or of the work tree that ``folder`` lies in. Where a clone has the manifest
    but no level files yet, they come from DVC."""
    return _sealed_folder(folder).opened()


def _sealed_folder(folder: Path) -> Sealed:
    place = _catalogue_folder(folder)
    repository = None
    try:
        repository = Repository.find(folder)
    except NotARepository:
        pass
    except NoGit:  # a plain folder can be read without
        if place is None:
            raise
    if place is None and repository is not None:
        place = _catalogue_folder(repository.root)
    if place is None:
        fix = "name a snapshot: --snapshot REF"
        if repository is not None:
            frozen = repository.blob("HEAD", MANIFEST) is not None
            fix = "lpb-gen restore HEAD" if frozen else MAKE_ONE
        raise NoCatalogue("there is no snapshot here (no catalogue/manifest.json)", where=str(folder), fix=fix)
    text = (place / "manifest.json").read_bytes()
    pin = Pin(None, None, sha256(text))
    if repository is not None and _is_own(repository, place) and repository.blob("HEAD", MANIFEST) == text:
        made = repository.snapshot_commit()
        pin = Pin(tag_of(repository, made) if made else None, made, pin.digest)
        if not (place / "levels").exists():
            return _sealed_pin(repository, pin)
    manifest = read_manifest(text, where=str(place / "manifest.json"))
    files = {}
    for record in file_records(manifest):
        data = _read(place, record)
        if data is None:
            fix = "lpb-gen restore HEAD" if repository else "copy the whole catalogue folder"
            raise MissingObject(f"{record.path} is missing", where=str(place), fix=fix)
        files[record.path] = data
    listed = {p.relative_to(place).as_posix() for p in (place / "levels").rglob("*") if p.is_file()}
    if listed - files.keys():
        stray = min(listed - files.keys())
        raise SnapshotCorrupt(f"{stray} is not in the manifest", where=str(place), fix="delete it")
    sealed = Sealed(
        files=files,
        manifest=manifest,
        manifest_bytes=text,
        pin=pin,
        where=str(place),
        fix="lpb-gen restore HEAD brings it back",
        repository=repository if repository and _is_own(repository, place) else None,
    )
    for record in file_records(manifest):
        try:
            check_bytes(record, files[record.path], where=sealed.where)
        except SnapshotCorrupt as error:
            raise SnapshotCorrupt(error.what, where=error.where, fix=sealed.fix) from None
    return sealed


def _read(place: Path, record: FileRecord) -> bytes | None:
    """A level file below a catalogue folder, to be checked; None where there is none. Of a longer file it reads one
    byte too much, which is enough to tell, and of what is not a file nothing: a folder from elsewhere may hold links to
    devices and pipes that never end."""
    path = place / record.path
    if not path.is_file():
        return None
    with open(path, "rb") as file:
        return file.read(max(record.bytes, 0) + 1)


def check_files(
    files: Mapping[str, bytes], manifest: Mapping[str, Any], text: bytes, pin: Pin, *, where: str, fix: str = ""
) -> Snapshot:
    """The snapshot of a manifest and its files, every byte and every level checked. Raises SnapshotCorrupt."""
    cells = {}
    for record in file_records(manifest):
        try:
            cells[record.cell] = check_file(record, files[record.path], where=where)
        except SnapshotCorrupt as error:
            raise SnapshotCorrupt(error.what, where=error.where, fix=fix) from None
    return Snapshot(cells, manifest, pin, dict(files), text)


# --- by commit --------------------------------------------------------------------------------------------------------


def pinned_manifest(repository: Repository, pin: Pin) -> tuple[bytes, dict[str, Any]]:
    """The manifest of a resolved pin: its bytes and its content. Raises NoCatalogue, SnapshotCorrupt."""
    where = pin.tag or str(pin.commit)[:12]
    text = repository.blob(str(pin.commit), MANIFEST)
    if text is None:
        raise no_snapshot(repository, where)
    if sha256(text) != pin.digest:
        raise SnapshotCorrupt("the manifest is not the pinned one", where=where, fix="fetch the repository anew")
    return text, read_manifest(text, where=where)


def load_pin(repository: Repository, pin: Pin) -> Snapshot:
    """The snapshot of a resolved pin. What the remote had to give is kept in the cache. Raises as ``load`` does."""
    return _sealed_pin(repository, pin).opened()


def _sealed_pin(repository: Repository, pin: Pin, name: str = "") -> Sealed:
    """``name``: that of a snapshot elsewhere, as it was given."""
    text, manifest = pinned_manifest(repository, pin)
    where = name or pin.tag or str(pin.commit)[:12]
    restore = f"lpb-gen restore {where}{' --out DIR' if name else ''}"
    fix = f"{restore} brings it back"
    records = file_records(manifest)
    files, damaged = _nearby(repository, pin, records)
    if damaged:
        names = f"{', '.join(damaged)}: damaged in DVC's cache (not the bytes that the manifest names)"
        raise SnapshotCorrupt(names, where=where, fix=fix)
    missing = [record.path for record in records if record.path not in files]
    if missing:
        if default_remote(repository) is None:
            what = f"{', '.join(missing)}: neither in the cache nor, for want of a DVC remote, anywhere else"
            raise MissingObject(what, where=where, fix=fix)
        files = _from_remote(repository, pin, records, where, f"{restore} makes it again")
    sealed = Sealed(
        files=files, manifest=manifest, manifest_bytes=text, pin=pin, where=where, fix=fix, repository=repository
    )  # both ways have checked them
    if missing:
        with contextlib.suppress(OSError):  # a repository that we may only read is read all the same
            keep_cached(repository, sealed)
    return sealed


def _is(record: FileRecord, data: bytes) -> bool:
    return len(data) == record.bytes and sha256(data) == record.sha256


def _nearby(repository: Repository, pin: Pin, records: list[FileRecord]) -> tuple[dict[str, bytes], list[str]]:
    """The files that the work tree or the cache has with the right bytes; those that the cache has with wrong ones."""
    files, damaged = {}, []
    objects = Objects(cache_folder(repository))
    name = levels_object(repository, str(pin.commit))
    listing = (objects.listing(name) if name else None) or {}
    for record in records:
        here = None
        with contextlib.suppress(OSError):
            here = _read(repository.root / "catalogue", record)
        md5 = listing.get(record.path.removeprefix("levels/"))
        cached = objects.read(md5) if md5 else None
        if cached is None and not (here is not None and _is(record, here)):
            cached = _of_another(objects, record)
        if here is not None and _is(record, here):
            files[record.path] = here
        elif cached is not None and _is(record, cached):
            files[record.path] = cached
        elif cached is not None:
            damaged.append(record.path)
    return files, damaged


def _of_another(objects: Objects, record: FileRecord) -> bytes | None:
    """A file as the cache has it from another snapshot: what was carried over is the same there, and a clone may lack
    this snapshot's own listing."""
    for _, listing in objects.listings():
        md5 = listing.get(record.path.removeprefix("levels/"))
        data = objects.read(md5) if md5 else None
        if data is not None and _is(record, data):
            return data
    return None


def _from_remote(repository: Repository, pin: Pin, records: list[FileRecord], where: str, fix: str) -> dict[str, bytes]:
    try:
        fetched = fetch_levels(repository, str(pin.commit))
    except StorageFailed as error:
        raise type(error)(
            error.what, where=f"{where}: {error.where}", fix=f"{error.fix or 'check the remote'}, or {fix}"
        ) from None
    files = {f"levels/{path}": data for path, data in fetched.items()}
    for record in records:
        if record.path not in files:
            raise MissingObject(f"{record.path} is not in the DVC remote", where=where, fix=fix)
        if not _is(record, files[record.path]):
            what = f"{record.path}: damaged in the DVC remote (not the bytes that the manifest names)"
            raise SnapshotCorrupt(what, where=where, fix=fix)
    return {record.path: files[record.path] for record in records}


def keep_cached(repository: Repository, snapshot: Snapshot | Sealed) -> dict[str, bytes]:
    """Puts the level files into DVC's cache, under the names that dvc.lock has for them, and returns the objects as
    ``Objects.keep_folder`` does."""
    levels = {path.removeprefix("levels/"): data for path, data in snapshot.files.items()}
    return Objects(cache_folder(repository)).keep_folder(levels)
