"""From one snapshot to the next: the parent's levels stay unless they are retired, the fresh cells' levels join them.
Bytes in, bytes out.

A snapshot is never edited. Cells that are not fresh are carried over byte for byte but for their retired levels; a
fresh cell keeps its old levels and gets the new ones among them, in the order of rising difficulty. A retired level
leaves a tombstone, which every later snapshot keeps: id, dedup_key, cell, tag (of the last snapshot that had it) and
reason.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..games.base import LpbError
from .level import Level, read_level
from .manifest import SCHEMA, content_hash, sha256, write_manifest
from .params import Cell, Params
from .snapshot import Snapshot


class Gap(LpbError):
    """A cell that a snapshot must hold has no levels to put into it."""


class NotNew(LpbError):
    """A fresh level is, up to symmetry, one that this catalogue has or once had."""


class Twins(NotNew):
    """Two cells that were made at the same time came upon the same level; ``where`` names the later one."""


class NotThere(LpbError):
    """A level that is to be retired is not in the parent snapshot."""


@dataclass(frozen=True, slots=True)
class FreshCell:
    """A cell made anew: its certified levels' lines, and what that took (a ``production.Tally`` as JSON)."""

    lines: Sequence[str]
    tally: Mapping[str, Any]


def freeze(params: Params, parent: Snapshot | None, fresh: Mapping[Cell, FreshCell]) -> tuple[dict[str, bytes], bytes]:
    """The level files by path below the catalogue folder, and the manifest. Raises Gap, NotNew, NotThere."""
    check_complete(params, parent, fresh)
    retired = _tombstones(params, parent)
    gone = {str(tombstone["id"]) for tombstone in retired}
    shrunk = {tombstone["cell"] for tombstone in retired}
    files, added = {}, []
    taken = {game: parent.taken(game) if parent else frozenset[str]() for game in {cell.game for cell in fresh}}
    made = {game: set[str]() for game in taken}
    for cell in sorted(params.expected()):
        kept = parent.files[cell.path] if parent and cell.path in parent.files else b""
        if cell not in fresh and str(cell) not in shrunk:
            files[cell.path] = kept
            continue
        old = {line: read_level(line, where=cell.path) for line in kept.decode().splitlines()}
        lines = {line: level for line, level in old.items() if level.id not in gone}
        for line in fresh[cell].lines if cell in fresh else ():
            level = read_level(line, where=f"certified {cell}")
            _check_new(level, cell, taken[cell.game], made[cell.game])
            lines[line] = level
            how = "import" if cell in params.imported else "refresh"
            added.append({"id": level.id, "cell": str(cell), "reason": f"{how}, epoch {params.cells[cell].epoch}"})
        ordered = sorted(lines, key=lambda line: (lines[line].certificate.lower, lines[line].id))
        files[cell.path] = "".join(f"{line}\n" for line in ordered).encode()
    return files, write_manifest(_manifest(params, parent, fresh, files, added, retired))


def _tombstones(params: Params, parent: Snapshot | None) -> list[dict[str, str | None]]:
    """One for each level that is retired now, by cell and id. Raises NotThere."""
    levels = {level.id: (cell, level) for cell, many in parent.cells.items() for level in many} if parent else {}
    missing = next((number for number in params.retire if number not in levels), None)
    if missing is not None:
        what = f"level {missing[:12]} is to be retired, but it is not in the parent snapshot"
        raise NotThere(what, where="params.yaml: retire", fix="use lpb-gen retire, which writes that list")
    tag = params.parent.tag if params.parent else None
    stones: list[dict[str, str | None]] = []
    for identity, reason in params.retire.items():
        cell, level = levels[identity]
        key = level.dedup_key
        stones.append({"id": identity, "dedup_key": key, "cell": str(cell), "tag": tag, "reason": reason})
    return sorted(stones, key=lambda stone: (str(stone["cell"]), str(stone["id"])))


def check_complete(params: Params, parent: Snapshot | None, fresh: Collection[Cell]) -> None:
    """Raises Gap where the next snapshot would lack levels that params.yaml asks for, or that the parent has."""
    expected = params.expected()
    if not expected:
        raise Gap("no cell has an epoch above 0", where="params.yaml", fix="run lpb-gen refresh")
    for cell in expected:
        if cell not in fresh and not (parent and cell.path in parent.files):
            what = f"no levels for {cell}: it is neither fresh nor in the parent snapshot"
            raise Gap(what, where="freeze", fix=f"run lpb-gen refresh --game {cell.game} --tier {cell.tier}")
    for cell in parent.cells if parent else ():
        if cell not in expected:
            what = f"the parent snapshot holds {cell}, which params.yaml no longer asks for"
            raise Gap(
                what, where="freeze", fix="put its block back with its epoch: a snapshot never loses levels silently"
            )


def _check_new(level: Level, cell: Cell, taken: Collection[str], made: set[str]) -> None:
    """``taken``: the keys that this catalogue has or had; ``made``: those of the levels made now, to which the level's
    own is added."""
    if (level.game, level.tier) != cell:
        raise NotNew(f"level {level.id[:12]} is one of {level.game}-{level.tier}", where=f"certified {cell}")
    if level.dedup_key in taken:
        what = f"level {level.id[:12]} is, up to symmetry, one that this catalogue has or had"
        raise NotNew(what, where=f"certified {cell}", fix="raise the cell's epoch and run lpb-gen refresh")
    if level.dedup_key in made:
        what = f"level {level.id[:12]} is, up to symmetry, one that was made at the same time"
        fix = "let the gates of the game's cells differ"
        raise Twins(what, where=str(cell), fix=fix)
    made.add(level.dedup_key)


def _manifest(
    params: Params,
    parent: Snapshot | None,
    fresh: Mapping[Cell, FreshCell],
    files: Mapping[str, bytes],
    added: Sequence[Mapping[str, str]],
    retired: Sequence[Mapping[str, str | None]],
) -> dict[str, Any]:
    cells = {}
    for cell in params.expected():
        levels = files[cell.path].count(b"\n")
        if cell in fresh:
            made = {"epoch": params.cells[cell].epoch, **fresh[cell].tally}
        else:
            assert parent is not None
            made = parent.manifest["cells"][str(cell)]["made"]
        cells[str(cell)] = {"levels": levels, "made": made}
    return {
        "schema": SCHEMA,
        "name": params.name,
        "licence": params.licence,
        "parent": params.parent.to_json() if params.parent else None,
        "toolchain": dict(params.toolchain),
        "seed": params.seed,
        "params": {str(cell): params.cells[cell].block for cell in params.expected()},
        "files": {
            path: {"sha256": sha256(data), "bytes": len(data), "rows": data.count(b"\n")}
            for path, data in files.items()
        },
        "cells": cells,
        "added": sorted(added, key=lambda entry: (entry["cell"], entry["id"])),
        "retired": [*(parent.manifest["retired"] if parent else []), *retired],
        "content_hash": content_hash(files),
    }
