"""What the next snapshot is to be: which cells are made anew, what is retired, and the params.yaml that says so.

Making a plan reads and checks everything, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from math import inf
from typing import Any, Literal

from .. import __version__
from ..games.base import LpbError
from .freeze import check_complete
from .history import arrivals
from .level import Level
from .manifest import sha256
from .params import Cell, CellParams, Params, Parent, UnknownCell
from .params_file import ABSENT, EVEN, edit_params, even_spread, read_params
from .production import Order
from .reasons import check_reason
from .repository import MANIFEST, PARAMS, Repository
from .revisions import require_parent, tag_of
from .snapshot import Snapshot, load_pin
from .stages import check_generator, order
from .strata import replaced

SHORTEST_PREFIX = 4  # hexadecimal digits of a level's id


class UnknownLevel(LpbError):
    """No level of the current snapshot, or several, have an id that begins so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What ``lpb-gen refresh`` was asked for. No ``games`` or no ``tiers``: all of them; ``count`` and ``seed`` replace
    those of params.yaml; ``replace``: how many of the oldest levels of each cell are retired for the ``reason``, and as
    many new ones made."""

    games: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    count: int | None = None
    seed: int | None = None
    replace: int | Literal["all"] | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellPlan:
    """``epoch``: the one to be made, None where no level is made; ``levels``: how many there are; ``retired``: those of
    them that go."""

    cell: Cell
    epoch: int | None
    count: int
    levels: int
    retired: tuple[Level, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "cell": str(self.cell),
            "epoch": self.epoch,
            "count": self.count,
            "levels": self.levels,
            "retire": [level.id for level in self.retired],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """``text``: params.yaml as it will be; ``before``: the snapshot that the next one grows from; ``verb``: what the
    commit calls it; ``files``: what else it writes and commits, by path."""

    cells: tuple[CellPlan, ...]
    text: str
    parent: Parent | None
    before: Snapshot | None
    verb: str = "Refresh"
    files: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "parent": self.parent.to_json() if self.parent else None,
            "cells": [cell.to_json() for cell in self.cells],
        }


Check = Callable[[], None]


def plan_refresh(repository: Repository, wish: Wish, text: str, check: Check) -> Plan:
    """``text``: params.yaml as it is; ``check`` is called before levels are read. Raises LpbError of many kinds."""
    params = read_params(text)
    cells = choose(params, wish)
    reason = None if wish.reason is None else check_reason(wish.reason, where="--reason")
    for cell in cells:
        check_generator(text, cell, params.cells[cell])
    check()
    parent = current_snapshot(repository)
    before = snapshot_before(repository, parent)
    came = arrivals(repository, before.pin) if before and wish.replace is not None else {}
    changes: dict[tuple[str, ...], Any] = {("fresh",): [str(cell) for cell in cells]}
    if wish.seed is not None:
        changes["seed",] = wish.seed
    plans, reasons = [], dict[str, list[str]]()
    for cell in cells:
        key, block = ("cells", cell.game, cell.tier), params.cells[cell]
        levels = before.cells.get(cell, ()) if before else ()
        number = len(levels) if wish.replace == "all" else wish.replace or 0
        gone = oldest(levels, number, came, order(params, cell))
        count = len(gone) or wish.count or block.count
        epoch = block.epoch + 1
        changes[*key, "epoch"] = epoch
        changes[*key, "replace"] = len(gone) or ABSENT
        if wish.count is not None:
            changes[*key, "count"] = wish.count
        reasons.setdefault(reason or f"replaced by refresh, epoch {epoch}", []).extend(level.id for level in gone)
        changes |= form_changes(key, block, levels, gone)
        plans.append(CellPlan(cell=cell, epoch=epoch, count=count, levels=len(levels), retired=tuple(gone)))
    return complete_plan(text, changes, plans, reasons, parent, before)


def form_changes(
    key: tuple[str, ...], block: CellParams, levels: Sequence[Level], gone: Sequence[Level]
) -> dict[tuple[str, ...], Any]:
    """What makes the new levels a parallel form. A block that says nothing of its lengths gets an even spread, written
    down so that its snapshots from before can still be made again; where some of the cell's ``levels`` (rising) are
    replaced, the new ones get the strata of those that are ``gone``."""
    changes: dict[tuple[str, ...], Any] = {(*key, "strata"): ABSENT}
    spread = block.spread
    if "spread" not in block.block and not block.ladder and (spread := even_spread(block.gate)):
        changes[*key, "spread"] = EVEN
    if spread and 0 < len(gone) < len(levels):
        ids = {level.id for level in gone}
        places = [place for place, level in enumerate(levels) if level.id in ids]
        changes[*key, "strata"] = [list(lengths) for lengths in replaced(spread, len(levels), places)]
    return changes


def oldest(levels: Sequence[Level], number: int, came: Mapping[str, int], kinds: Order) -> list[Level]:
    """The levels that go, at most ``number``; of each kind as many as will be made. ``came``: how many snapshots ago a
    level came. Those that came together go in the order of their ids, which says nothing of their difficulty."""
    by_age = sorted(levels, key=lambda level: (-came.get(level.id, inf), level.id))
    if number >= len(by_age):
        return by_age
    left, gone = kinds.shares(number), list[Level]()
    for level in by_age:
        kind = kinds.rung(level.provenance.get("seed_path", (0,))[-1])
        if left[kind]:
            left[kind] -= 1
            gone.append(level)
    return gone


def plan_retirement(repository: Repository, prefixes: Sequence[str], reason: str, text: str, check: Check) -> Plan:
    """Levels of the current snapshot, by the beginnings of their ids, are retired for one reason. Raises UnknownLevel,
    and as ``plan_refresh`` does."""
    read_params(text)
    reason = check_reason(reason, where="--reason")
    check()
    parent = current_snapshot(repository)
    before = snapshot_before(repository, parent)
    found = find_levels(before, prefixes)
    plans = [
        CellPlan(cell=cell, epoch=None, count=0, levels=len(before.cells[cell]) if before else 0, retired=levels)
        for cell in sorted({Cell(level.game, level.tier) for level in found})
        if (levels := tuple(level for level in found if (level.game, level.tier) == cell))
    ]
    return complete_plan(text, {("fresh",): []}, plans, {reason: [level.id for level in found]}, parent, before)


def complete_plan(
    text: str,
    changes: Mapping[tuple[str, ...], Any],
    plans: Sequence[CellPlan],
    reasons: Mapping[str, Sequence[str]],
    parent: Parent | None,
    before: Snapshot | None,
) -> Plan:
    """The plan whose params.yaml names parent, toolchain and what is retired, besides ``changes``. Raises Gap."""
    text = edit_params(
        text,
        {
            ("parent",): parent.to_json() if parent else None,
            ("toolchain",): toolchain(),
            ("imported",): ABSENT,
            ("retire",): [{"reason": why, "levels": sorted(ids)} for why, ids in sorted(reasons.items()) if ids],
            **changes,
        },
    )
    params = read_params(text)
    check_complete(params, before, params.fresh)
    return Plan(cells=tuple(plans), text=text, parent=parent, before=before)


def choose(params: Params, wish: Wish) -> list[Cell]:
    """The cells that are wished for, in the order of params.yaml. Raises UnknownCell: a game or tier that is named has
    to be there, and a game that is named has to have every tier that is named."""
    for game in wish.games:
        for tier in wish.tiers or [next((cell.tier for cell in params.cells if cell.game == game), "")]:
            try:
                params.cell(game, tier)
            except UnknownCell as error:
                fix = f"{error.fix}; --tier without --game takes every game that has such a tier"
                raise UnknownCell(error.what, where=error.where, fix=fix) from None
    tiers = sorted({cell.tier for cell in params.cells})
    for tier in wish.tiers:
        if tier not in tiers:
            raise UnknownCell(f"no game has a tier {tier!r}", where=PARAMS, fix=f"use {', '.join(tiers)}")
    return [
        cell
        for cell in params.cells
        if (not wish.games or cell.game in wish.games) and (not wish.tiers or cell.tier in wish.tiers)
    ]


def find_levels(snapshot: Snapshot | None, prefixes: Sequence[str]) -> list[Level]:
    """The levels whose ids begin so, each once. Raises UnknownLevel where there is none or more than one."""
    levels = [level for many in snapshot.cells.values() for level in many] if snapshot else []
    retired = {str(stone.get("id", "")) for stone in snapshot.manifest["retired"]} if snapshot else set()
    found = dict[str, Level]()
    for prefix in prefixes:
        if len(prefix) < SHORTEST_PREFIX:
            fix = f"give {SHORTEST_PREFIX} digits at least"
            raise UnknownLevel(f"{prefix!r} is too short for a level's id", where="ID", fix=fix)
        same = [level for level in levels if level.id.startswith(prefix.lower())]
        if not same:
            gone = any(number.startswith(prefix.lower()) for number in retired)
            what = f"level {prefix} is retired already" if gone else f"no level's id begins with {prefix!r}"
            raise UnknownLevel(what, where="the current snapshot", fix="lpb-gen show and lpb-gen diff tell ids")
        if len(same) > 1:
            names = ", ".join(level.id[: len(prefix) + 4] + "…" for level in same[:3])
            raise UnknownLevel(f"{len(same)} levels' ids begin with {prefix!r}: {names}", where="ID", fix="give more")
        found[same[0].id] = same[0]
    return list(found.values())


# --- what both look at ------------------------------------------------------------------------------------------------


def current_snapshot(repository: Repository) -> Parent | None:
    """The snapshot that HEAD holds, or None where none was made yet."""
    commit, manifest = repository.snapshot_commit(), repository.blob("HEAD", MANIFEST)
    if commit is None or manifest is None:
        return None
    return Parent(commit, sha256(manifest), tag_of(repository, commit))


def snapshot_before(repository: Repository, parent: Parent | None) -> Snapshot | None:
    """Every byte of the snapshot that HEAD holds, checked."""
    return load_pin(repository, require_parent(repository, parent)) if parent else None


def toolchain() -> dict[str, str]:
    """The installed versions that can change what is made."""
    return {"lpb_gen": __version__, **{tool: version(tool) for tool in ("ortools", "numpy", "numba")}}
