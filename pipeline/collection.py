"""A collection of boards that somebody has: every board proven, and which of them may come into which cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from .. import __version__
from ..games import GAMES
from ..games.base import AnyGame, LpbError, Unproven
from ..games.wording import counted
from ..verifiers.base import Figures
from .boards import parse
from .imports import Imported
from .level import dedup_key
from .manifest import sha256
from .notations import Brought, Order, read_collection
from .params import Cell, Params
from .proving import Refuted, prove
from .tiers import failed_band, figure
from .workers import in_order

Reason = Literal["malformed", "unsolvable", "unproven", "duplicate", "other_tier"]
FAULTS: frozenset[str] = frozenset({"malformed", "unsolvable", "unproven"})  # of the collection, not of the catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A file of boards. ``name``: the file's, without its folder; ``source`` and ``licence``: what the user says of its
    origin, empty where nothing."""

    game: str
    name: str
    data: bytes
    source: str = ""
    licence: str = ""
    order: Order = "bottom-first"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A board that does not come in; ``place``: where it is in its file, ``reason``: one word, ``what``: for people."""

    place: str
    reason: Reason
    what: str

    def to_json(self) -> dict[str, str]:
        return {"place": self.place, "reason": self.reason, "what": self.what}


@dataclass(frozen=True, slots=True)
class Differs:
    """A board whose collection states another number of moves than is proven."""

    place: str
    stated: int
    proven: int

    def __str__(self) -> str:
        return f"{self.place}: {counted(self.stated, 'move')} stated, {self.proven} proven to be the minimum"


@dataclass(slots=True, kw_only=True)
class Report:
    """What became of a collection's boards. ``cells``: those that come in, by cell."""

    read: int = 0
    cells: dict[Cell, list[Imported]] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    differs: list[Differs] = field(default_factory=list)

    @property
    def has_faults(self) -> bool:
        return any(one.reason in FAULTS for one in self.skipped)

    def counts(self) -> dict[str, int]:
        reasons = [one.reason for one in self.skipped]
        return {reason: reasons.count(reason) for reason in sorted(set(reasons))}

    def to_json(self) -> dict[str, Any]:
        return {
            "read": self.read,
            "imported": {str(cell): len(boards) for cell, boards in self.cells.items()},
            "skipped": [one.to_json() for one in self.skipped],
            "differs": [{"place": d.place, "stated": d.stated, "proven": d.proven} for d in self.differs],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """Which boards may come in where. ``cells``: in this order, the first one that takes a board gets it; ``gated``:
    whether a cell takes only what its gate admits; ``taken``: what is there or ever was, in words, by dedup key."""

    params: Params
    cells: tuple[Cell, ...]
    gated: bool
    taken: Mapping[str, str]

    def cell(self, figures: Figures) -> Cell | None:
        for cell in self.cells:
            if not self.gated or failed_band(figures, self.params.cells[cell].gate) is None:
                return cell
        return None

    def refusal(self, figures: Figures) -> str:
        """Why no cell takes a board with these figures."""
        if len(self.cells) > 1:
            return f"no tier's gate admits it (optimal_length {figures['optimal_length']})"
        gate = self.params.cells[self.cells[0]].gate
        name = str(failed_band(figures, gate))
        value = figure(figures, name)
        return f"{name} is {'unknown' if value is None else value}, the gate of {self.cells[0]} is {gate[name]}"


def find_doors(params: Params, game: str, tier: str | None, *, gated: bool, taken: Mapping[str, str]) -> Doors:
    """The cell of a tier, or all of the game. Raises UnknownCell."""
    cells = [cell for cell in params.cells if cell.game == game]
    chosen = [params.cell(game, tier or (cells[0].tier if cells else ""))]
    return Doors(params=params, cells=tuple(chosen if tier else cells), gated=gated, taken=taken)


# --- what becomes of the boards ---------------------------------------------------------------------------------------


def examine(
    collection: Collection,
    doors: Doors,
    pool_for: Callable[[int], AbstractContextManager[Executor]],
    tick: Callable[[int, int], None] = lambda done, of: None,
) -> Report:
    """Proves every board of the collection that is new. ``pool_for``: an executor for so many boards; ``tick`` is told
    how many are done, and of how many."""
    game, report = GAMES[collection.game], Report()
    candidates = _new_boards(game, collection, doors.taken, report)
    tick(0, len(candidates))
    with pool_for(len(candidates)) as pool:
        outcomes = in_order(pool, partial(_outcome, game.name), [board for _, board in candidates])
        for done, ((brought, board), (_, outcome)) in enumerate(zip(candidates, outcomes, strict=True), 1):
            if isinstance(outcome, Skipped):
                place = f"{collection.name}:{brought.place}"
                report.skipped.append(Skipped(place, outcome.reason, outcome.what))
            else:
                _let_in(brought, board, outcome, collection, doors, report)
            tick(done, len(candidates))
    report.skipped.sort(key=lambda one: _natural(one.place))
    return report


def _natural(place: str) -> tuple[int, str]:
    digits = place.rpartition(":")[2].rpartition(" ")[2]
    return (int(digits) if digits.isdecimal() else 0), place


def _new_boards(
    game: AnyGame, collection: Collection, taken: Mapping[str, str], report: Report
) -> list[tuple[Brought, Any]]:
    """The boards that are valid and new, as JSON; the others go to the report."""
    seen, found = dict[str, str](), []
    for brought in read_collection(game, collection.data.decode("utf-8", "replace"), order=collection.order):
        report.read += 1
        place = f"{collection.name}:{brought.place}"
        try:
            board = parse(game, brought.entry)
        except LpbError as error:
            report.skipped.append(Skipped(place, "malformed", str(error)))
            continue
        key = dedup_key(game, board)
        if key in taken:
            report.skipped.append(Skipped(place, "duplicate", f"it is {taken[key]}, up to symmetry"))
        elif key in seen:
            report.skipped.append(Skipped(place, "duplicate", f"it is {seen[key]} again, up to symmetry"))
        else:
            seen[key] = place
            found.append((brought, game.dump(board)))
    return found


def _outcome(game_name: str, board: Any) -> Figures | Skipped:
    """In a worker: the proven figures of a board, or why there are none."""
    game = GAMES[game_name]
    try:
        return prove(game, game.board(board))[1]
    except Refuted as error:
        return Skipped("", "unsolvable", f"{error.what} ({error.proof})")
    except Unproven as error:
        return Skipped("", "unproven", error.what)


def _let_in(
    brought: Brought, board: Any, figures: Figures, collection: Collection, doors: Doors, report: Report
) -> None:
    place, length = f"{collection.name}:{brought.place}", figures["optimal_length"]
    if brought.moves is not None and brought.moves != length:
        report.differs.append(Differs(place, brought.moves, length))
    cell = doors.cell(figures)
    if cell is None:
        report.skipped.append(Skipped(place, "other_tier", doors.refusal(figures)))
        return
    provenance: dict[str, Any] = {
        "imported_by": f"lpb-gen {__version__}",
        "file": collection.name,
        brought.unit: brought.entry.line,
        "sha256": sha256(collection.data),
        "source": collection.source,
        "licence": collection.licence,
    }
    stated = {"stated_moves": brought.moves, "stated_positions": brought.positions}
    provenance |= {name: value for name, value in stated.items() if value is not None}
    epoch = doors.params.cells[cell].epoch + 1
    report.cells.setdefault(cell, []).append(Imported(board, epoch, provenance))
