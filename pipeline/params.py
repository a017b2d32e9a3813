"""What a catalogue asks for, cell by cell, as params.yaml says it (``params_file.py`` reads and edits that file).

seed: 0
parent: null                       # the snapshot that this one grows from: {tag, commit, digest}
toolchain: {lpb_gen: "0.1.0", …}   # what made it; written by `lpb-gen refresh`
retire: [{reason: …, levels: [id]}] # the parent's levels that this snapshot leaves out; written by refresh and retire
fresh: [maze-hard]                 # the cells that this snapshot makes anew; written by `lpb-gen refresh`
imported: [rush-hard]              # those of them whose new levels were imported; written by `lpb-gen import`
cells:
  maze:
    hard: {epoch: 1, count: 10, reserve: 2, limit: 2000, params: {…}, gate: {optimal_length: [18, 25]}}
  truck:
    default: {…, count: 5, params: {roads: 0}, ladder: [{vehicles: 10}, {vehicles: 20}, …]}   # levels of several kinds
  nut:
    hard: {…, spread: [26, 29, 31, 33, 34, 37], gate: {…}}    # quantiles of the optimal lengths that every epoch has
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..games.base import LpbError
from .strata import Range, Spread
from .tiers import Gate

TOOLS = ("lpb_gen", "ortools", "numpy", "numba")
MAX_COUNT = 1000


class UnknownCell(LpbError):
    """params.yaml, or a snapshot, has no such game or tier."""


class Cell(NamedTuple):
    """A game and a tier; equal to the plain pair. ``str(cell)`` names stages and files."""

    game: str
    tier: str

    def __str__(self) -> str:
        return f"{self.game}-{self.tier}"

    @property
    def path(self) -> str:
        """Where its levels lie in a catalogue folder."""
        return f"levels/{self.game}/{self.tier}.jsonl"

    @classmethod
    def of_path(cls, path: str) -> Cell:
        """The cell whose levels lie there."""
        game, _, tier = path.removeprefix("levels/").removesuffix(".jsonl").partition("/")
        return cls(game, tier)


@dataclass(frozen=True, slots=True)
class Parent:
    """A snapshot named for good: the commit that holds it, its manifest's sha256, and its tag where it has one."""

    commit: str
    digest: str
    tag: str | None = None

    def to_json(self) -> dict[str, str | None]:
        return {"tag": self.tag, "commit": self.commit, "digest": self.digest}


@dataclass(frozen=True, slots=True, kw_only=True)
class CellParams:
    """One block. ``epoch``: how often the cell was made (0: never); ``count``: levels made at each epoch; ``reserve``:
    proposals beyond those, for levels that fail a gate; ``limit``: candidates looked at, for each wanted level, before
    giving up; ``ladder``: what is different for each kind of level, empty where all are of one kind; ``replace``:
    levels that this epoch makes instead of ``count``, because it replaces so many; ``spread``: the optimal lengths that
    every epoch's levels have, None where any will do; ``strata``: those that this epoch's have instead, because the
    levels that it replaces had them; ``block``: all of it as plain data."""

    epoch: int
    count: int
    reserve: int
    limit: int
    params: Mapping[str, Any]
    gate: Gate
    block: Mapping[str, Any]
    ladder: tuple[Mapping[str, Any], ...] = ()
    replace: int | None = None
    spread: Spread | None = None
    strata: tuple[Range, ...] = ()

    @property
    def rungs(self) -> tuple[Mapping[str, Any], ...]:
        """The generator's parameters for each kind of level."""
        return tuple({**self.params, **rung} for rung in self.ladder or ({},))

    @property
    def wanted(self) -> int:
        """How many levels the present epoch makes."""
        return self.count if self.replace is None else self.replace

    @property
    def targets(self) -> tuple[Range, ...]:
        """Ranges of optimal lengths, in each of which the present epoch makes a level; none where any will do."""
        return self.strata or (self.spread.strata(self.wanted) if self.spread else ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """``retire``: why, by id of each of the parent's levels that this snapshot leaves out; ``imported``: the fresh
    cells whose new levels people have brought."""

    name: str
    licence: str
    seed: int
    parent: Parent | None
    toolchain: Mapping[str, str]
    fresh: tuple[Cell, ...]
    cells: Mapping[Cell, CellParams]
    retire: Mapping[str, str] = field(default_factory=dict)
    imported: tuple[Cell, ...] = ()

    def cell(self, game: str, tier: str) -> Cell:
        """Raises UnknownCell with what there is instead."""
        find_cell(self.cells, game, tier, where="params.yaml")
        return Cell(game, tier)

    def expected(self) -> list[Cell]:
        """The cells that a snapshot of these params holds: those made at least once."""
        return [cell for cell, block in self.cells.items() if block.epoch > 0]


def find_cell(cells: Mapping[Cell, Any], game: str, tier: str, *, where: str) -> Any:
    """What ``cells`` holds for a game and tier. Raises UnknownCell with what there is instead."""
    games = sorted({cell.game for cell in cells})
    if game not in games:
        raise UnknownCell(f"there is no game {game!r}", where=where, fix=f"use {', '.join(games)}")
    if (game, tier) not in cells:
        tiers = ", ".join(cell.tier for cell in cells if cell.game == game)
        raise UnknownCell(f"{game} has no tier {tier!r}", where=where, fix=f"use {tiers}")
    return cells[Cell(game, tier)]
