"""``lpb-gen restore``: brings a snapshot back from whatever is left of it: the work tree, DVC's cache, the remote, or
its own params and imported boards, from which it is made again and compared with the manifest byte for byte."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from ..games.base import LpbError
from . import intermediate
from .elsewhere import InRepository, InStore, locate, open_repository
from .exclusive import Journal, exclusive
from .feed import Feed
from .freeze import FreshCell, freeze
from .imports import certify_imports, imports_file, read_imports
from .level import Level
from .manifest import SnapshotCorrupt, file_records, sha256
from .params import Cell, Params
from .params_file import read_params
from .production import Tally
from .published import read_levels
from .repository import LOCK, PARAMS, NotARepository, Repository
from .revisions import Pin, UnknownSnapshot, require_parent, resolve
from .snapshot import Sealed, Snapshot, check_files, keep_cached, load, load_pin, pinned_manifest, sealed_in_store
from .stages import candidates_file, certified_file, certify, proposal_lines, propose, put_in_place, stage_bytes
from .storage import MissingObject, Objects, StorageFailed, cache_folder, levels_object, replace_folder


class NotReproduced(LpbError):
    """A snapshot that was made again is not the one that was frozen."""


@dataclass(frozen=True, slots=True)
class Restored:
    """``how``: "read" from the work tree, the cache or the remote, or "made again"; ``place``: where it was put."""

    snapshot: Snapshot
    how: str
    place: Path


def restore(
    repository: Repository,
    reference: str,
    executor: Executor,
    *,
    out: Path | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Restored:
    """Puts the snapshot into the work tree's catalogue, or writes a copy of it to the new folder ``out``. Whatever
    DVC's cache lacks of it is put there too. Raises as ``snapshot.load``, and NotReproduced."""
    with exclusive(repository):
        Journal(repository).recover(note)
        pin = resolve(repository, reference)
        if out is not None:
            _require_empty(out)
        made: dict[str, bytes] = {}
        snapshot, how = recover_snapshot(repository, pin, executor, note, made)
        if out is None:
            put_in_place(repository, snapshot.files, snapshot.manifest_bytes)
            if pin.commit == repository.snapshot_commit():
                intermediate.bring_back(repository, made)
        else:
            replace_folder(out, {**snapshot.files, "manifest.json": snapshot.manifest_bytes})
        return Restored(snapshot, how, out or repository.root / "catalogue")


def restore_elsewhere(
    reference: str, base: Path, executor: Executor, *, out: Path | None, note: Callable[[str], None]
) -> Restored:
    """A copy, in the new folder ``out``, of a snapshot that is not in the repository at hand (``elsewhere.locate``).
    Raises as ``restore`` does."""
    target = _required(out, reference)
    try:
        snapshot, how = load(reference, base), "read"
    except (SnapshotCorrupt, MissingObject, StorageFailed):
        found = locate(reference, base)
        if not isinstance(found, InRepository):
            raise
        repository, pin = open_repository(found)
        with exclusive(repository):
            snapshot, how = recover_snapshot(repository, pin, executor, note)
    replace_folder(target, {**snapshot.files, "manifest.json": snapshot.manifest_bytes})
    return Restored(snapshot, how, target)


def restore_from_store(
    reference: str,
    store: str,
    base: Path,
    executor: Executor,
    *,
    out: Path | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Restored:
    """As ``restore``, with the levels from a store that need not be a remote of the repository that ``base`` lies in.
    Where that has no such snapshot, or ``base`` lies in none, ``reference`` is a tag of the store, "sha256:" and the
    manifest's sha256, or the path of a copy of the manifest; then it goes to ``out``. Raises as ``restore`` does."""
    found = locate(f"dvc+{store.removeprefix('dvc+')}", base) if "://" in store else None
    shelf = found.store if isinstance(found, InStore) else base / store
    copy = base / reference
    if copy.is_file():
        manifest = copy.read_bytes()
        return _copy(sealed_in_store(InStore(shelf, f"sha256:{sha256(manifest)}"), manifest), out, reference)
    try:
        repository = Repository.find(base)
        pin = resolve(repository, reference)
    except (NotARepository, UnknownSnapshot):
        return _copy(sealed_in_store(InStore(shelf, reference)), out, reference)
    with exclusive(repository):
        name = levels_object(repository, str(pin.commit))
        if name is None:
            what = f"no {LOCK} at this revision names the levels"
            raise MissingObject(what, where=reference, fix="leave --store out: it is made again")
        levels = read_levels(shelf, name, file_records(pinned_manifest(repository, pin)[1]))
        Objects(cache_folder(repository)).keep_folder(
            {path.removeprefix("levels/"): data for path, data in levels.items()}
        )
    return restore(repository, reference, executor, out=out, note=note)


def _copy(sealed: Sealed, out: Path | None, reference: str) -> Restored:
    """A snapshot from elsewhere in the new folder ``out``."""
    target = _required(out, reference)
    snapshot = sealed.opened()
    replace_folder(target, {**snapshot.files, "manifest.json": snapshot.manifest_bytes})
    return Restored(snapshot, "read", target)


def _required(out: Path | None, reference: str) -> Path:
    if out is None:
        what = "a snapshot from elsewhere is not put into this work tree"
        raise LpbError(what, where=reference, fix="add --out DIR")
    _require_empty(out)
    return out


def _require_empty(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise LpbError("the folder is not empty", where=str(out), fix="name a new or an empty one")


def recover_snapshot(
    repository: Repository,
    pin: Pin,
    executor: Executor,
    note: Callable[[str], None],
    made: dict[str, bytes] | None = None,
) -> tuple[Snapshot, str]:
    """The snapshot, read where it can be read and else made again; its parents too, where that needs them. DVC's cache
    has it afterwards. ``made``: gets the intermediate files, by path, if it is made again."""
    _drop_damaged(repository, pin)
    try:
        snapshot, how = load_pin(repository, pin), "read"
    except (SnapshotCorrupt, MissingObject, StorageFailed) as error:
        note(f"{error.what}; making {pin.tag or str(pin.commit)[:12]} again from its params")
        snapshot, how = make_again(repository, pin, executor, note, {} if made is None else made), "made again"
    with contextlib.suppress(OSError):  # the levels matter more than the cache
        keep_cached(repository, snapshot)
    return snapshot, how


def recover_parent(
    repository: Repository, params: Params, executor: Executor, note: Callable[[str], None]
) -> Snapshot | None:
    """The snapshot that these params grow from, read or made again; None where they grow from none."""
    if params.parent is None:
        return None
    return recover_snapshot(repository, require_parent(repository, params.parent), executor, note)[0]


def make_again(
    repository: Repository, pin: Pin, executor: Executor, note: Callable[[str], None], files_made: dict[str, bytes]
) -> Snapshot:
    """The snapshot from its own params.yaml and its parent. ``files_made``: gets the intermediate files, by path.
    Raises NotReproduced where other bytes come out."""
    where = pin.tag or str(pin.commit)[:12]
    text, manifest = pinned_manifest(repository, pin)
    params_text = repository.blob(str(pin.commit), PARAMS)
    if params_text is None:
        raise MissingObject(f"no {PARAMS} at this revision", where=where)
    params = read_params(params_text, where=f"{PARAMS} at {where}")
    parent = recover_parent(repository, params, executor, note)
    fresh = {}
    for cell in params.fresh:
        block = params.cells[cell]
        if cell in params.imported:
            boards = read_imports(repository.blob(str(pin.commit), imports_file(cell)), cell, block.epoch)
            with Feed(None).counting(f"certify {cell}", len(boards)) as progress:
                levels, total = certify_imports(cell, boards, executor, progress.tally)
            fresh[cell] = _fresh(cell, levels, total, files_made)
            continue
        with Feed(None).counting(f"propose {cell}", block.wanted + block.reserve) as progress:
            taken = parent.taken(cell.game) if parent else frozenset[str]()
            proposals, tally = propose(params, cell, taken, executor, progress.tally)
        with Feed(None).counting(f"certify {cell}", block.wanted) as progress:
            levels, total = certify(params, cell, proposals, tally, executor, progress.tally)
        files_made[candidates_file(cell).as_posix()] = stage_bytes(tally, proposal_lines(proposals))
        fresh[cell] = _fresh(cell, levels, total, files_made)
    files, made = freeze(params, parent, fresh)
    if made != text:
        wrong = [r.path for r in file_records(manifest) if sha256(files.get(r.path, b"")) != r.sha256]
        tools = ", ".join(f"{tool} {version}" for tool, version in manifest["toolchain"].items())
        raise NotReproduced(
            f"{', '.join(wrong) or 'the manifest'} did not come out the same when made again",
            where=where,
            fix=f"it was made with {tools}: install these and run lpb-gen restore again",
        )
    return check_files(files, manifest, text, pin, where=where)


def _fresh(cell: Cell, levels: Sequence[Level], total: Tally, files_made: dict[str, bytes]) -> FreshCell:
    lines = [level.to_line() for level in levels]
    files_made[certified_file(cell).as_posix()] = stage_bytes(total, lines)
    return FreshCell(lines, total.to_json())


def _drop_damaged(repository: Repository, pin: Pin) -> None:
    """Deletes objects of this snapshot from the cache whose bytes are not those that their name says."""
    objects = Objects(cache_folder(repository))
    name = levels_object(repository, str(pin.commit))
    if name is not None and not objects.drop_damaged(name):
        for md5 in (objects.listing(name) or {}).values():
            objects.drop_damaged(md5)
