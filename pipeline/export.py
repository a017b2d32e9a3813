"""``lpb-gen export``: a snapshot for those who work without lpb-gen, as JSON lines, Parquet, or a dataset folder.

JSON lines are the snapshot's own lines, byte for byte. The dataset folder is what the Hugging Face Hub shows and loads:

README.md                 the dataset card: licence, one configuration a cell, what the columns mean
croissant.json            the same for programs (MLCommons Croissant 1.0), with the sha256 of every file
data/GAME/TIER.parquet    the levels
manifest.json             the snapshot's manifest
export.json               what this folder is
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import __version__
from ..games import GAMES
from ..games.base import LpbError
from .columns import row
from .croissant import croissant
from .dataset_card import dataset_card
from .files import Kind, whole_folder, write_inside, write_whole
from .level import Level
from .manifest import sha256
from .params import Cell
from .parquet import parquet_bytes
from .snapshot import Snapshot

FOLDER = Kind(
    "lpb-gen export", "export.json", frozenset({"README.md", "croissant.json", "data", "manifest.json", "export.json"})
)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a dataset says of itself. ``date``: of publication, YYYY-MM-DD; ``cite``: the snapshot's pin."""

    name: str
    version: str | None
    url: str
    creator: str
    date: str
    licence: str
    cite: str


@dataclass(frozen=True, slots=True)
class Part:
    """The levels of a cell and the file that holds them."""

    cell: Cell
    levels: tuple[Level, ...]
    rows: Sequence[Mapping[str, str | int | float | None]]
    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Exported:
    levels: int
    bytes: int


def select(snapshot: Snapshot, game: str | None, tier: str | None) -> dict[Cell, tuple[Level, ...]]:
    """The cells to export that have levels: the games in the order of the registry, a game's tiers by rising
    difficulty. Raises UnknownCell, LpbError where there is none."""
    if game is not None and tier is not None:
        snapshot.levels(game, tier)  # says what there is instead
    games = list(GAMES)
    chosen = [
        (cell, levels)
        for cell, levels in snapshot.cells.items()
        if levels and game in (None, cell.game) and tier in (None, cell.tier)
    ]
    if not chosen:
        there = ", ".join(map(str, sorted(snapshot.cells))) or "none"
        raise LpbError("no such levels in this snapshot", where="export", fix=f"its cells are {there}")
    return dict(sorted(chosen, key=lambda one: (games.index(one[0].game), _difficulty(one[1]), one[0].tier)))


def _difficulty(levels: Sequence[Level]) -> int:
    lengths = sorted(level.certificate.lower for level in levels)
    return lengths[len(lengths) // 2]


def jsonl_bytes(snapshot: Snapshot, cells: Mapping[Cell, tuple[Level, ...]]) -> bytes:
    return b"".join(snapshot.files[cell.path] for cell in cells)


def table_bytes(snapshot: Snapshot, cells: Mapping[Cell, tuple[Level, ...]]) -> bytes:
    """All cells as one Parquet file. Raises MissingExtra."""
    rows = [one for levels in cells.values() for one in _rows(levels, licence_of(snapshot))]
    return parquet_bytes(rows, _origin(snapshot))


def _rows(levels: Sequence[Level], licence: str) -> list[dict[str, str | int | float | None]]:
    return [row(level, number, licence) for number, level in enumerate(levels, 1)]


def licence_of(snapshot: Snapshot) -> str:
    return str(snapshot.manifest.get("licence") or "unknown")


def _origin(snapshot: Snapshot) -> dict[str, str | None]:
    return {**snapshot.pin.to_json(), "made_by": f"lpb-gen {__version__}"}


def write_file(target: Path, data: bytes, cells: Mapping[Cell, tuple[Level, ...]]) -> Exported:
    """Writes one file, whole or not at all."""
    if target.is_dir():
        raise LpbError("this is a folder", where=str(target), fix="name a file: --out FILE")
    write_whole(target, data)
    return Exported(sum(map(len, cells.values())), len(data))


def write_dataset(target: Path, snapshot: Snapshot, cells: Mapping[Cell, tuple[Level, ...]], about: About) -> Exported:
    """Makes ``target`` a dataset folder, whole or not at all. Raises MissingExtra, FolderTaken."""
    FOLDER.require_free(target)
    parts = []
    for cell, levels in cells.items():
        rows = _rows(levels, about.licence)
        data = parquet_bytes(rows, {**_origin(snapshot), "cell": str(cell)})
        parts.append(Part(cell, levels, rows, f"data/{cell.game}/{cell.tier}.parquet", data))
    files = {part.path: part.data for part in parts}
    files["manifest.json"] = snapshot.manifest_bytes
    files["croissant.json"] = _json(croissant(about, parts))
    files["README.md"] = dataset_card(about, parts).encode()
    sums = {path: {"sha256": sha256(data), "bytes": len(data)} for path, data in sorted(files.items())}
    files[FOLDER.marker] = _json({"schema": 1, **_origin(snapshot), "made_by": FOLDER.made_by, "files": sums})
    with whole_folder(target) as folder:
        for path, data in files.items():
            write_inside(folder, path, data)
    return Exported(sum(len(part.levels) for part in parts), sum(map(len, files.values())))


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
