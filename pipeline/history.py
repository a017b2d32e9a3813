"""The snapshots that one has grown from: their manifests, newest first, each compared with the digest that the next one
names. Only Git is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .params import Parent
from .repository import Repository
from .revisions import Pin, require_parent, tag_of
from .snapshot import pinned_manifest


@dataclass(frozen=True, slots=True)
class Frozen:
    """One snapshot of a history: its name for good, and what its manifest says."""

    pin: Pin
    manifest: Mapping[str, Any]


def history(repository: Repository, newest: Pin) -> Iterator[Frozen]:
    """``newest`` and its ancestors. Raises UnknownSnapshot where an ancestor's commit is not in this clone,
    NoCatalogue, SnapshotCorrupt."""
    pin = newest
    while True:
        _, manifest = pinned_manifest(repository, pin)
        yield Frozen(pin, manifest)
        parent = manifest["parent"]
        if parent is None:
            return
        named = require_parent(repository, Parent(parent["commit"], str(parent["digest"]), parent["tag"]))
        pin = Pin(tag_of(repository, str(named.commit)), named.commit, named.digest)  # it may be pinned since


def arrivals(repository: Repository, newest: Pin) -> dict[str, int]:
    """For the id of every level that a snapshot's history has added: how many snapshots ago that was."""
    came: dict[str, int] = {}
    for steps_back, snapshot in enumerate(history(repository, newest)):
        for entry in snapshot.manifest.get("added", ()):
            came.setdefault(str(entry["id"]), steps_back)
    return came
