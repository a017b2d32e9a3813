"""Boards that people have brought, one file a cell in Git: what imported levels are made from, each time they are made.

catalogue/imports/rush/hard.jsonl      one line a board, the oldest import first
{"board": {…}, "epoch": 2, "provenance": {"file": "rush.txt", "line": 17, "sha256": …, "source": …, "licence": …, …}}

A generator can propose its levels again; these boards nobody can. So they are kept, and their certificates are proven
again from them wherever a snapshot is made again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..games import GAMES
from ..games.base import LpbError
from .level import Level, canonical_json, make_level
from .params import Cell
from .production import Tally
from .proving import prove
from .workers import in_order

IMPORTS = "catalogue/imports"


class BrokenImports(LpbError):
    """A file of imported boards is missing, or not what ``lpb-gen import`` wrote."""


@dataclass(frozen=True, slots=True)
class Imported:
    """``board`` is board JSON; ``epoch``: the one of its cell that it came in; ``provenance``: as its level has it."""

    board: Any
    epoch: int
    provenance: Mapping[str, Any]

    def to_line(self) -> str:
        return canonical_json({"board": self.board, "epoch": self.epoch, "provenance": self.provenance})


def imports_file(cell: Cell) -> str:
    return f"{IMPORTS}/{cell.game}/{cell.tier}.jsonl"


def read_imports(data: bytes | None, cell: Cell, epoch: int) -> list[Imported]:
    """The boards that came in an epoch. Raises BrokenImports."""
    where, fix = imports_file(cell), "restore it from Git"
    if data is None:
        raise BrokenImports("there is no such file, but the snapshot has levels from it", where=where, fix=fix)
    found = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        try:
            entry = json.loads(line)
            imported = Imported(entry["board"], entry["epoch"], dict(entry["provenance"]))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BrokenImports(f"not an imported board ({error})", where=f"{where}:{number}", fix=fix) from None
        if imported.epoch == epoch:
            found.append(imported)
    if not found:
        raise BrokenImports(f"no board of epoch {epoch}", where=where, fix=fix)
    return found


def certify_imports(
    cell: Cell, boards: Sequence[Imported], executor: Executor, tick: Callable[[Tally], None]
) -> tuple[list[Level], Tally]:
    """The level of every board, in order. Raises LpbError where one cannot be proven: it could when it was imported."""
    levels, tally = list[Level](), Tally()
    for _, level in in_order(executor, partial(certified, cell), boards):
        levels.append(level)
        tally.candidates += 1
        tally.proposed += 1
        tally.accepted += 1
        tick(tally)
    return levels, tally


def certified(cell: Cell, imported: Imported) -> Level:
    """The level of one board. Raises LpbError."""
    game = GAMES[cell.game]
    try:
        board = game.board(imported.board)
        certificate, figures = prove(game, board)
    except LpbError as error:
        where = f"{imports_file(cell)}: line {imported.provenance.get('line')} of {imported.provenance.get('file')}"
        raise LpbError(error.what, where=where, fix=error.fix) from None
    return make_level(game, board, certificate, figures, tier=cell.tier, provenance=imported.provenance)
