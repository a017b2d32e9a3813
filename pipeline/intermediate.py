"""The pipeline's intermediate files of the current snapshot (candidates and certified levels in ``build/``): brought
back with it, so that DVC finds everything as dvc.lock has it. No snapshot needs them: what nobody has is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .files import write_whole
from .published import in_remote, object_path
from .repository import LOCK, Repository
from .storage import Objects, StorageFailed, cache_folder, default_remote, locked_outs, md5_of

_FILE = re.compile(r"build/(candidates|certified)/[a-z]+-[a-z][a-z0-9_]*\.jsonl")


def bring_back(repository: Repository, made: Mapping[str, bytes]) -> None:
    """From the work tree, DVC's cache, ``made`` (by path) or the remote into the work tree and the cache. Raises
    OSError."""
    objects = Objects(cache_folder(repository))
    outs = locked_outs(repository.blob("HEAD", LOCK) or b"")
    wanted = {path: md5 for path, md5 in outs.items() if _is_inside(repository, path)}
    found = {}
    for path, md5 in wanted.items():
        place = repository.root / path
        for data in (place.read_bytes() if place.is_file() else None, objects.read(md5), made.get(path)):
            if data is not None and md5_of(data) == md5:
                found[path] = data
                break
    missing = {path: md5 for path, md5 in wanted.items() if path not in found}
    if missing and default_remote(repository) is not None:
        try:
            there = in_remote(repository, [object_path(md5) for md5 in missing.values()])
        except StorageFailed:
            there = {}
        for path, md5 in missing.items():
            data = there.get(object_path(md5))
            if data is not None and md5_of(data) == md5:
                found[path] = data
    for path, data in found.items():
        objects.keep(data)
        place = repository.root / path
        if not place.is_file() or place.read_bytes() != data:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, data)


def _is_inside(repository: Repository, path: str) -> bool:
    """Whether a path of a dvc.lock, which whoever has committed it has chosen, is that of an intermediate file, and no
    link leads it out of the work tree."""
    place = repository.root / path
    return _FILE.fullmatch(path) is not None and place.resolve().is_relative_to(repository.root.resolve())
