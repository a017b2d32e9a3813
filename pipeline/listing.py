"""``lpb-gen snapshots``: what is pinned here, and what the current snapshot holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from ..games.base import LpbError
from .manifest import sha256
from .repository import MANIFEST, Repository
from .revisions import Pin, known_pins, resolve, tag_of
from .snapshot import pinned_manifest
from .tiers import read_gate


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """``date``: the day of the commit; ``levels``: how many each cell holds, a game's tiers by rising difficulty;
    ``parent``: a tag, the start of a commit id, or None; ``problem``: why a pin cannot be read, or empty."""

    pin: Pin
    date: str
    levels: Mapping[str, int]
    parent: str | None
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        told = {**self.pin.to_json(), "date": self.date, "levels": dict(self.levels), "parent": self.parent}
        return {**told, "problem": self.problem} if self.problem else told


def list_snapshots(repository: Repository) -> list[Listed]:
    """Every pin in the order of versions (v9 before v10), then the current snapshot where it is not pinned. A pin that
    cannot be resolved (its tag was moved, its commit is not here) is listed with its problem."""
    names = list(dict.fromkeys([*repository.tags(), *known_pins(repository)]))
    rows = []
    for name in names:
        try:
            rows.append(_listed(repository, resolve(repository, name)))
        except LpbError as error:
            pin = known_pins(repository).get(name) or Pin(name, repository.commit_of(f"refs/tags/catalogue@{name}"), "")
            rows.append(Listed(pin=pin, date="", levels={}, parent=None, problem=str(error)))
    rows.sort(key=lambda row: _version(str(row.pin.tag)))
    current, manifest = repository.snapshot_commit(), repository.blob("HEAD", MANIFEST)
    if current is not None and manifest is not None and tag_of(repository, current) is None:
        rows.append(_listed(repository, Pin(None, current, sha256(manifest))))
    return rows


def _listed(repository: Repository, pin: Pin) -> Listed:
    _, manifest = pinned_manifest(repository, pin)
    parent = manifest["parent"]
    return Listed(
        pin=pin,
        date=repository.date_of(str(pin.commit)),
        levels={
            cell: entry["levels"]
            for cell, entry in sorted(manifest["cells"].items(), key=lambda cell: _difficulty(manifest, cell[0]))
        },
        parent=(parent["tag"] or parent["commit"][:12]) if parent else None,
    )


def _version(tag: str) -> list[tuple[int, str]]:
    """Numbers inside a tag compare as numbers."""
    return [(int(number or -1), word) for number, word in re.findall(r"([0-9]+)|([^0-9]+)", tag)]


def _difficulty(manifest: Mapping[str, Any], cell: str) -> tuple[str, float, str]:
    """A game's cells by the optimal length that their gates ask for; those that ask for none come last."""
    try:
        band = read_gate(manifest["params"][cell]["gate"], where=cell).get("optimal_length")
    except (LpbError, KeyError, TypeError):  # of an older or newer version; listing needs no more than the name
        band = None
    return cell.partition("-")[0], band.low if band else inf, cell
