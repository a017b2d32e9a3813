"""What a pin leaves in a DVC store, so that its snapshot can be read from the store alone, without Git.

    files/md5/…                        the levels, as DVC keeps them
    snapshots/v2026.12.0.json          the pin: tag, commit, digest, and the md5 of the levels' folder object
    snapshots/<digest>/pin.json        the same without the tag
    snapshots/<digest>/manifest.json   the manifest; <digest> is its sha256

Every byte is checked against the manifest, and the manifest against the digest, before it is used. ``dvc gc`` leaves
these files alone.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from ..games.base import LpbError
from .elsewhere import InStore, cache_key, user_cache
from .files import sweep, write_whole
from .manifest import FileRecord, SnapshotCorrupt, file_records, read_manifest, sha256
from .repository import TAG_PREFIX, Repository
from .revisions import Pin, UnknownSnapshot
from .storage import (
    MissingObject,
    Objects,
    StorageUnreachable,
    default_remote,
    folder_of_remote,
    listing_of,
    md5_of,
    shown,
    transfer,
)

READERS = 8  # requests at a time to a web server
MOST_BYTES = 2**30  # of a file: many times what a cell of a hundred thousand levels takes
PATIENCE = 60  # seconds without a byte from it
Right = Callable[[bytes], bool]


class TakenInStore(LpbError):
    """The store has another catalogue's snapshot under that tag."""


@dataclass(frozen=True, slots=True)
class Published:
    """A snapshot as a store holds it, checked. ``files``: by path below the catalogue folder."""

    pin: Pin
    manifest_bytes: bytes
    manifest: Mapping[str, Any]
    files: Mapping[str, bytes]


# --- reading ----------------------------------------------------------------------------------------------------------


def read_published(found: InStore, manifest: bytes | None = None) -> Published:
    """The snapshot of a pin. ``manifest``: a copy of it, for a store that may not have it. Raises UnknownSnapshot,
    SnapshotCorrupt, MissingObject, StorageUnreachable."""
    store, shelf = shown(str(found.store)), _shelf(found.store)
    pin, levels = (_scanned(found, manifest) if manifest is not None else None) or _pointed(found, shelf)
    if manifest is None:
        path = f"snapshots/{pin.digest}/manifest.json"
        manifest = shelf([path], {path: lambda data: sha256(data) == pin.digest}).get(path)
        if manifest is None:
            raise MissingObject(f"{path} is missing", where=store, fix="name the Git repository instead")
    if sha256(manifest) != pin.digest:
        raise SnapshotCorrupt("the manifest is not the pinned one", where=store, fix="name another store")
    content = read_manifest(manifest, where=f"{store}#{found.name}")
    return Published(pin, manifest, content, read_levels(found.store, levels, file_records(content)))


def _pointed(found: InStore, shelf: Shelf) -> tuple[Pin, str]:
    """The pin and the name of the levels' folder object, as the store has them."""
    store, name = shown(str(found.store)), found.name.removeprefix(TAG_PREFIX)
    if not re.fullmatch(r"sha256:[0-9a-f]{64}|[A-Za-z0-9][A-Za-z0-9._-]*", name):
        fix = f"name one: {store}#TAG, or {store}#sha256:DIGEST (the manifest's sha256, which a citation gives)"
        raise UnknownSnapshot(f"{name!r} names no snapshot of a store{_tags(found.store)}", where=store, fix=fix)
    digest = name.removeprefix("sha256:") if name.startswith("sha256:") else None
    path = f"snapshots/{name}.json" if digest is None else f"snapshots/{digest}/pin.json"
    data = shelf([path], {path: lambda data: _pointer(data) is not None}).get(path)
    if data is None:
        fix = "only snapshots that lpb-gen pin has sent there can be read without their Git repository"
        raise UnknownSnapshot(f"no snapshot {name!r} in the store{_tags(found.store)}", where=store, fix=fix)
    pointer = _pointer(data)
    if pointer is None or (pointer[0].tag != name if digest is None else pointer[0].digest != digest):
        raise SnapshotCorrupt(f"{path} is not what lpb-gen pin has written", where=store, fix="name another store")
    return pointer


def _scanned(found: InStore, manifest: bytes) -> tuple[Pin, str] | None:
    """The same for a copy of a manifest and a store's folder, by looking at every folder object: a snapshot that was
    never pinned, or by an older version. None where the store has no such levels."""
    if not isinstance(found.store, Path):
        return None
    objects, records = Objects(found.store), file_records(read_manifest(manifest, where=found.name))
    for name, listing in objects.listings():
        named = [(record, listing.get(record.path.removeprefix("levels/"))) for record in records]
        if len(listing) == len(records) and all(
            md5 is not None and sha256(objects.read(md5) or b"") == record.sha256 for record, md5 in named
        ):
            return Pin(None, None, sha256(manifest)), name
    return None


def read_levels(store: Path | str, levels: str, records: Sequence[FileRecord]) -> dict[str, bytes]:
    """The level files, checked. ``levels``: the name of their folder object. Raises SnapshotCorrupt, MissingObject,
    StorageUnreachable."""
    where, shelf = shown(str(store)), _shelf(store)
    path = object_path(levels)
    data = shelf([path], {path: lambda data: md5_of(data) == levels.removesuffix(".dir")}).get(path)
    if data is None:
        raise MissingObject("the list of its level files is missing", where=where, fix="name another store")
    listing = listing_of(data, levels)
    if listing is None:
        raise SnapshotCorrupt("the list of its level files is damaged", where=where, fix="name another store")
    wanted = {record.path: listing.get(record.path.removeprefix("levels/"), "") for record in records}
    absent = next((path for path, md5 in wanted.items() if not re.fullmatch(r"[0-9a-f]{32}", md5)), None)
    if absent is not None:
        raise MissingObject(f"{absent} is missing", where=where, fix="name another store")
    checks = {object_path(wanted[record.path]): partial(_is_whole, record) for record in records}
    found = shelf(list(checks), checks)
    for record in records:
        data = found.get(object_path(wanted[record.path]))
        if data is None:
            raise MissingObject(f"{record.path} is missing", where=where, fix="name another store")
        if sha256(data) != record.sha256:
            what = f"{record.path}: damaged in the store (not the bytes that the manifest names)"
            raise SnapshotCorrupt(what, where=where, fix="name another store")
    return {record.path: found[object_path(wanted[record.path])] for record in records}


def _is_whole(record: FileRecord, data: bytes) -> bool:
    return sha256(data) == record.sha256


def object_path(md5: str) -> str:
    """Where a store has an object."""
    return f"files/md5/{md5[:2]}/{md5[2:]}"


def _pointer(data: bytes) -> tuple[Pin, str] | None:
    """The pin and the levels' folder object that a store's file names, or None where it is no such file."""
    try:
        content = json.loads(data)
        tag, commit, digest, levels = (content[key] for key in ("tag", "commit", "digest", "levels"))
        digits = re.fullmatch(r"[0-9a-f]{40} [0-9a-f]{64} [0-9a-f]{32}\.dir", f"{commit} {digest} {levels}")
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return (Pin(tag, commit, digest), levels) if digits and isinstance(tag, str | None) else None


def _tags(store: Path | str) -> str:
    """The tags of a store that can be listed cheaply, as words."""
    tags = sorted(path.stem for path in (store / "snapshots").glob("*.json")) if isinstance(store, Path) else []
    return f" (it has {', '.join(tags)})" if tags else ""


Shelf = Callable[[Sequence[str], Mapping[str, Right]], dict[str, bytes]]


def _shelf(store: Path | str) -> Shelf:
    """Reads files of a store by their paths; what is not there is left out. Of a store elsewhere, what is ``Right`` is
    kept in the user's cache and read there the next time: pins, manifests and objects never change."""
    if isinstance(store, Path):
        return lambda paths, right: {path: data for path in paths if (data := _read(store / path)) is not None}
    mirror = user_cache() / "stores" / cache_key(store)

    def shelf(paths: Sequence[str], right: Mapping[str, Right]) -> dict[str, bytes]:
        kept = {path: data for path in paths if (data := _read(mirror / path)) is not None and right[path](data)}
        missing = [path for path in paths if path not in kept]
        fetched = _fetch(store, missing) if missing else {}
        for path, data in fetched.items():
            if right[path](data):
                (mirror / path).parent.mkdir(parents=True, exist_ok=True)
                write_whole(mirror / path, data)
        return {**kept, **fetched}

    return shelf


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _fetch(store: str, paths: Sequence[str]) -> dict[str, bytes]:
    if store.startswith(("http://", "https://")):
        with ThreadPoolExecutor(READERS) as pool:
            answers = pool.map(lambda path: _download(f"{store}/{path}"), paths)
            return {path: data for path, data in zip(paths, answers, strict=True) if data is not None}
    with tempfile.TemporaryDirectory(prefix="lpb-gen-") as folder:
        transfer("get", store, folder, paths=paths)
        return {path: data for path in paths if (data := _read(Path(folder, path))) is not None}


def _download(url: str) -> bytes | None:
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import urlopen

    fix = "check the address and the network"
    try:
        with urlopen(url, timeout=PATIENCE) as answer:
            data = bytes(answer.read(MOST_BYTES + 1))
    except HTTPError as error:
        error.close()
        if error.code in (404, 410):
            return None
        raise StorageUnreachable(f"the store answered {error.code} {error.reason}", where=shown(url), fix=fix) from None
    except (OSError, HTTPException) as error:
        why = getattr(error, "reason", None) or error
        raise StorageUnreachable(f"the store cannot be reached ({why})", where=shown(url), fix=fix) from None
    if len(data) > MOST_BYTES:
        what = f"the answer is longer than {MOST_BYTES} bytes, which no file of a snapshot is"
        raise StorageUnreachable(what, where=shown(url), fix="name another store")
    return data


# --- writing ----------------------------------------------------------------------------------------------------------


def publish(
    repository: Repository, pin: Pin, manifest: bytes, levels: Mapping[str, bytes], note: Callable[[str], None]
) -> None:
    """Puts the pin and its manifest into the repository's DVC remote, and reads the levels back from there: DVC pushes
    no object that the remote seems to have, whatever is in it. What is damaged or missing there is written anew.
    ``levels``: the objects of the level files and their folder object, the last, by md5. Raises TakenInStore,
    StorageFailed, OSError."""
    name = f"snapshots/{pin.tag}.json"
    objects = {object_path(md5): data for md5, data in levels.items()}
    there = in_remote(repository, [name, *objects])
    holder = _pointer(there[name]) if name in there else None
    if holder is not None and holder[0] != pin and repository.commit_of(str(holder[0].commit)) is None:
        what = f"the DVC remote has a snapshot {pin.tag} of another catalogue (commit {str(holder[0].commit)[:12]})"
        fix = "choose another tag, or give each catalogue a remote of its own"
        raise TakenInStore(what, where=TAG_PREFIX + str(pin.tag), fix=fix)
    wrong = {path: data for path, data in objects.items() if there.get(path) != data}
    if wrong:
        note(f"{len(wrong)} objects were missing or damaged in the DVC remote; they are sent anew")
    folder_object, nameless = list(levels)[-1], Pin(None, pin.commit, pin.digest)
    files = {
        **wrong,
        f"snapshots/{pin.digest}/manifest.json": manifest,
        f"snapshots/{pin.digest}/pin.json": _pointer_bytes(nameless, folder_object),
        name: _pointer_bytes(pin, folder_object),
    }
    _write(repository, files)


def mend_listing(repository: Repository, levels: Mapping[str, bytes]) -> bool:
    """Writes the folder object of ``levels``, its last, anew where the DVC remote has another under its name (a push
    that was killed leaves an empty one): DVC reads it first, and refuses to push. True where it did."""
    name, data = list(levels.items())[-1]
    path = object_path(name)
    if in_remote(repository, [path]).get(path, data) == data:
        return False
    _write(repository, {path: data})
    return True


def _write(repository: Repository, files: Mapping[str, bytes]) -> None:
    """Puts files, path -> bytes, into the repository's DVC remote."""
    folder = folder_of_remote(repository)
    with tempfile.TemporaryDirectory(prefix="lpb-gen-") as temporary:
        for path, data in files.items():
            target = (folder or Path(temporary)) / PurePosixPath(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            sweep(target)
            if _read(target) != data:
                write_whole(target, data)
        if folder is None:
            transfer("write", str(repository.root), str(default_remote(repository)), temporary)


def _pointer_bytes(pin: Pin, levels: str) -> bytes:
    content = {"schema": 1, **pin.to_json(), "levels": levels}
    return (json.dumps(content, indent=2, sort_keys=True) + "\n").encode()


def in_remote(repository: Repository, paths: Sequence[str]) -> dict[str, bytes]:
    """Those files that the repository's DVC remote has."""
    folder = folder_of_remote(repository)
    with tempfile.TemporaryDirectory(prefix="lpb-gen-") as temporary:
        if folder is None:
            transfer("read", str(repository.root), str(default_remote(repository)), temporary, paths=paths)
        place = folder or Path(temporary)
        return {path: data for path in paths if (data := _read(place / path)) is not None}
