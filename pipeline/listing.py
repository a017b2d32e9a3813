"""``lpb-gen snapshots``: what is pinned here, and what the current snapshot holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..games.base import LpbError
from .manifest import sha256
from .repository import MANIFEST, Repository
from .revisions import Pin, known_pins, resolve, tag_of
from .snapshot import pinned_manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """``date``: the day of the commit; ``levels``: how many each cell holds; ``parent``: a tag, the start of a commit
    id, or "-"; ``problem``: why a pin cannot be read, or empty."""

    pin: Pin
    date: str
    levels: Mapping[str, int]
    parent: str
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        told = {**self.pin.to_json(), "date": self.date, "levels": dict(self.levels), "parent": self.parent}
        return {**told, "problem": self.problem} if self.problem else told


def list_snapshots(repository: Repository) -> list[Listed]:
    """Every pin, oldest first, then the current snapshot where it is not pinned. A pin that cannot be resolved (its tag
    was moved, its commit is not here) is listed with its problem."""
    names = list(dict.fromkeys([*repository.tags(), *known_pins(repository)]))
    rows = []
    for name in names:
        try:
            rows.append(_listed(repository, resolve(repository, name)))
        except LpbError as error:
            pin = known_pins(repository).get(name) or Pin(name, repository.commit_of(f"refs/tags/catalogue@{name}"), "")
            rows.append(Listed(pin=pin, date="", levels={}, parent="-", problem=str(error)))
    rows.sort(key=lambda row: (row.date, row.pin.tag or ""))
    current, manifest = repository.snapshot_commit(), repository.blob("HEAD", MANIFEST)
    if current is not None and manifest is not None and tag_of(repository, current) is None:
        rows.append(_listed(repository, Pin(None, current, sha256(manifest))))
    return rows


def _listed(repository: Repository, pin: Pin) -> Listed:
    _, manifest = pinned_manifest(repository, pin)
    parent = manifest["parent"]
    return Listed(
        pin=pin,
        date=repository.git("-c", "log.showSignature=false", "show", "--no-patch", "--format=%cs", str(pin.commit)),
        levels={cell: entry["levels"] for cell, entry in sorted(manifest["cells"].items())},
        parent=(parent["tag"] or parent["commit"][:12]) if parent else "-",
    )
