"""``lpb-gen log``: what became of the catalogue, from one snapshot back to the first. Their manifests in Git say it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from .history import Frozen, history
from .repository import Repository
from .revisions import Pin


@dataclass(slots=True)
class CellChange:
    """``added`` and ``retired``: how many levels, by reason; ``levels``: how many the cell had then."""

    added: Counter[str] = field(default_factory=Counter)
    retired: Counter[str] = field(default_factory=Counter)
    levels: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"added": _by_reason(self.added), "retired": _by_reason(self.retired), "levels": self.levels}


def _by_reason(counts: Counter[str]) -> list[dict[str, Any]]:
    return [{"reason": reason, "levels": number} for reason, number in sorted(counts.items())]


@dataclass(frozen=True, slots=True)
class Change:
    """One snapshot: what it added to its parent and what it retired, by cell. ``date``: the day of its commit."""

    pin: Pin
    date: str
    cells: Mapping[str, CellChange]
    levels: int

    def to_json(self) -> dict[str, Any]:
        cells = {cell: change.to_json() for cell, change in self.cells.items()}
        return {**self.pin.to_json(), "date": self.date, "levels": self.levels, "cells": cells}


def changes(repository: Repository, newest: Pin) -> Iterator[Change]:
    """Newest first. Raises as ``history`` does."""
    for snapshot, parent in pairwise([*history(repository, newest), None]):
        assert snapshot is not None
        yield _change(repository, snapshot, parent)


def _change(repository: Repository, snapshot: Frozen, parent: Frozen | None) -> Change:
    manifest, cells = snapshot.manifest, dict[str, CellChange]()
    before = {str(stone["dedup_key"]) for stone in parent.manifest["retired"]} if parent else set[str]()
    for entry in manifest.get("added", ()):
        cells.setdefault(entry["cell"], CellChange()).added[entry["reason"]] += 1
    for stone in manifest["retired"]:
        if str(stone["dedup_key"]) not in before:
            cells.setdefault(stone.get("cell", "?"), CellChange()).retired[stone.get("reason", "")] += 1
    for cell, change in cells.items():
        change.levels = manifest["cells"].get(cell, {}).get("levels", 0)
    return Change(
        pin=snapshot.pin,
        date=repository.date_of(str(snapshot.pin.commit)),
        cells=dict(sorted(cells.items())),
        levels=sum(entry["levels"] for entry in manifest["cells"].values()),
    )
