"""The manifest: what a snapshot holds, down to the byte, and where it came from.

``catalogue/manifest.json`` lies in Git; the level files that it names lie in DVC's storage. It has no timestamp, host
name or worker count: the same params make the same manifest.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..games.base import LpbError
from ..games.wording import counted
from .level import InvalidLevel, Level, digest, read_level
from .params import Cell

SCHEMA = 1
_LEVEL_FILE = re.compile(r"levels/([a-z][a-z0-9_]*)/([a-z][a-z0-9_]*)\.jsonl")


class SnapshotCorrupt(LpbError):
    """A snapshot whose bytes are not those that its manifest names."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One level file of a manifest; ``path`` is relative to the catalogue folder, ``bytes`` and ``rows`` are counts."""

    path: str
    sha256: str
    bytes: int
    rows: int

    @property
    def cell(self) -> Cell:
        match = _LEVEL_FILE.fullmatch(self.path)
        assert match is not None
        return Cell(match[1], match[2])


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def content_hash(files: Mapping[str, bytes]) -> str:
    """sha256 of the canonical JSON of the sorted list of [path, sha256]: two snapshots with the same levels, the same
    hash, whatever their history."""
    return digest(sorted([path, sha256(data)] for path, data in files.items()))


def write_manifest(content: Mapping[str, Any]) -> bytes:
    """Readable in a diff, and the same bytes for the same content."""
    return (json.dumps(content, indent=2, sort_keys=True, allow_nan=False) + "\n").encode()


def read_manifest(data: bytes, *, where: str) -> dict[str, Any]:
    """Raises SnapshotCorrupt where it is none, or one that this version cannot read."""
    try:
        manifest = json.loads(data)
        schema = manifest["schema"]
        if schema == SCHEMA:
            _check_content(manifest)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SnapshotCorrupt(f"not a manifest ({error})", where=where, fix="restore it from Git") from None
    if schema != SCHEMA:
        fix = "install the version of lpb-gen that its toolchain names, or a newer one"
        raise SnapshotCorrupt(f"a manifest of schema {schema}, this version reads {SCHEMA}", where=where, fix=fix)
    return dict(manifest)


def _check_content(manifest: Mapping[str, Any]) -> None:
    """Raises ValueError, KeyError, TypeError or AttributeError where a part that is read later is not what it must
    be."""
    for path, record in manifest["files"].items():
        _require(_LEVEL_FILE.fullmatch(path) and type(record["sha256"]) is str, f"files: {path}")
        _require(all(type(record[count]) is int for count in ("bytes", "rows")), f"files: {path}")
    for cell, entry in manifest["cells"].items():
        _require(type(entry["levels"]) is int and isinstance(entry["made"], Mapping), f"cells: {cell}")
    parent = manifest["parent"]
    if parent is not None:
        _require(all(type(parent[key]) is str for key in ("commit", "digest")), "parent")
        _require(isinstance(parent["tag"], str | None), "parent")
    _require(isinstance(manifest["retired"], list), "retired")
    _require(all(type(tombstone["dedup_key"]) is str for tombstone in manifest["retired"]), "retired")
    for entry in manifest.get("added", ()):
        _require(all(type(entry[key]) is str for key in ("id", "cell", "reason")), "added")
    _require(isinstance(manifest.get("toolchain", {}), Mapping), "toolchain")


def _require(condition: object, part: str) -> None:
    if not condition:
        raise ValueError(part)


def file_records(manifest: Mapping[str, Any]) -> list[FileRecord]:
    """The level files, in the order of their paths."""
    return [
        FileRecord(path, record["sha256"], record["bytes"], record["rows"])
        for path, record in sorted(manifest["files"].items())
    ]


def check_bytes(record: FileRecord, data: bytes, *, where: str) -> None:
    """Raises SnapshotCorrupt where a file's bytes are not those that the manifest names."""
    if len(data) != record.bytes or sha256(data) != record.sha256:
        raise SnapshotCorrupt(
            f"{record.path} is not what the manifest says ({record.bytes} bytes with sha256 {record.sha256[:12]}…)",
            where=where,
        )


def check_file(record: FileRecord, data: bytes, *, where: str) -> tuple[Level, ...]:
    """The levels of a file, every one checked: the file's sha256, the number of lines, each level's id and place.
    Raises SnapshotCorrupt."""
    check_bytes(record, data, where=where)
    levels = []
    try:
        for number, line in enumerate(data.decode("utf-8").splitlines(), 1):
            levels.append(read_level(line, where=f"{record.path}:{number}"))
    except (UnicodeDecodeError, InvalidLevel) as error:
        raise SnapshotCorrupt(str(error), where=where) from None
    if len(levels) != record.rows:
        raise SnapshotCorrupt(f"{record.path} has {counted(len(levels), 'level')}, not {record.rows}", where=where)
    strangers = [level.id[:12] for level in levels if (level.game, level.tier) != record.cell]
    if strangers or len({level.id for level in levels}) != len(levels):
        raise SnapshotCorrupt(f"{record.path} holds levels of other cells, or one twice", where=where)
    return tuple(levels)
