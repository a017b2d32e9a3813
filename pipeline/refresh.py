"""``lpb-gen refresh`` and ``retire``: a plan becomes the next snapshot, and one commit.

The order of things: check everything, note in the journal what is about to change, write params.yaml, let DVC run once
for all cells, read the new snapshot back, commit. Whatever goes wrong puts the work tree back.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..games.base import LpbError
from ..games.wording import counted
from .exclusive import CHANGED, Journal, exclusive, require_clean_levels
from .files import write_whole
from .freeze import Twins
from .level import Level
from .params import Cell, Parent
from .params_file import BrokenParams, edit_params, read_params
from .pipeline_file import render_pipeline
from .plan import Check, Plan, Wish, plan_refresh, plan_retirement
from .repository import PARAMS, PIPELINE, Repository
from .repro import run_repro
from .snapshot import Snapshot, load_folder
from .stages import CellShort
from .workers import ONE_PROCESS, Workforce

MOST_PROPOSALS = 16  # for each wanted level; a gate that so few proposals pass asks for other parameters
MOST_EPOCHS = 8  # tried in a row where a cell comes upon levels that another one makes at the same time
DEAD_ENDS = {
    "dead_state_share": "dead states",
    "fatal_move_share": "fatal moves",
    "fatal_border_share": "fatal borders",
}

Note = Callable[[str], None]


def silent(text: str) -> None:
    """A ``Note`` that nobody reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellDone:
    """What became of one cell. ``levels``: how many it has now; ``made``: how many candidates were looked at for the
    new ones, and what became of them; ``seconds``: wall time, None where no level was made."""

    cell: Cell
    added: tuple[Level, ...]
    retired: tuple[Level, ...]
    levels: int
    made: Mapping[str, Any]
    seconds: float | None

    @property
    def optimal_length(self) -> tuple[int, int] | None:
        """The least and the largest of the new levels."""
        lengths = [level.certificate.lower for level in self.added]
        return (min(lengths), max(lengths)) if lengths else None

    def band(self, figure: str) -> tuple[float, float] | None:
        """The least and the largest value of a figure that the new levels have, None where none has it."""
        values = [value for level in self.added if (value := level.figures.get(figure)) is not None]
        return (min(values), max(values)) if values else None

    def to_json(self) -> dict[str, Any]:
        bands = {"optimal_length": self.optimal_length, **{figure: self.band(figure) for figure in DEAD_ENDS}}
        return {
            "added": [level.id for level in self.added],
            "retired": [level.id for level in self.retired],
            "levels": self.levels,
            **{name: list(band) if band else None for name, band in bands.items()},
            "made": dict(self.made) if self.added else None,
            "seconds": None if self.seconds is None else round(self.seconds, 2),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """``snapshot``: the whole new snapshot; ``parent``: the one before."""

    cells: tuple[CellDone, ...]
    snapshot: Snapshot
    parent: Parent | None
    commit: str

    @property
    def added(self) -> list[Level]:
        return [level for cell in self.cells for level in cell.added]

    @property
    def retired(self) -> list[Level]:
        return [level for cell in self.cells for level in cell.retired]

    def to_json(self) -> dict[str, Any]:
        return {
            "commit": self.commit,
            "digest": self.snapshot.pin.digest,
            "parent": self.parent.to_json() if self.parent else None,
            "added": [level.id for level in self.added],
            "retired": [level.id for level in self.retired],
            "levels": sum(map(len, self.snapshot.cells.values())),
            "cells": {str(cell.cell): cell.to_json() for cell in self.cells},
        }


def refresh(
    repository: Repository, wish: Wish, *, workforce: Workforce = ONE_PROCESS, note: Note = silent
) -> Refreshed:
    """Makes the next snapshot and commits it. ``note`` is told what a person would want to know meanwhile.

    Raises LpbError of many kinds, each before anything was changed or after everything was put back."""
    return carry_out(repository, lambda text, check: plan_refresh(repository, wish, text, check), workforce, note)


def retire(repository: Repository, prefixes: Sequence[str], reason: str, *, note: Note = silent) -> Refreshed:
    """Makes a snapshot without the levels whose ids begin so, and commits it. Raises as ``refresh`` does."""
    return carry_out(
        repository, lambda text, check: plan_retirement(repository, prefixes, reason, text, check), ONE_PROCESS, note
    )


def intended(repository: Repository, wish: Wish) -> Plan:
    """What ``refresh`` would do, after the checks that it would make. Changes nothing: where an earlier command was cut
    off, or one is at work, that is HEAD's params.yaml and snapshot. Raises as ``refresh`` does before it starts."""
    if repository.journal.exists():
        return plan_refresh(repository, wish, (repository.blob("HEAD", PARAMS) or b"").decode(), lambda: None)
    return plan_refresh(repository, wish, params_text(repository), lambda: require_settled(repository))


def require_settled(repository: Repository, *more: str) -> None:
    """Raises NoIdentity, ShallowClone or DirtyWorkTree where a snapshot could not be committed; ``more``: paths that
    would be, beside those of every snapshot."""
    repository.require_ready((*CHANGED, *more))
    require_clean_levels(repository)


def params_text(repository: Repository) -> str:
    """The work tree's params.yaml. Raises BrokenParams."""
    try:
        data = (repository.root / PARAMS).read_bytes()
    except FileNotFoundError:
        fix = "restore it from Git, or make a repository: lpb-gen init DIR"
        raise BrokenParams("there is no such file", where=str(repository.root / PARAMS), fix=fix) from None
    read_params(data)
    return data.decode("utf-8")


def carry_out(
    repository: Repository, make_plan: Callable[[str, Check], Plan], workforce: Workforce, note: Note
) -> Refreshed:
    """Makes the snapshot of a plan that is made under the repository's lock, and commits it. Whatever ends it before
    that puts the work tree back."""
    with exclusive(repository) as lock:
        journal = Journal(repository)
        journal.recover(note)
        plan = make_plan(params_text(repository), lambda: require_settled(repository))
        work = _Work(repository, journal, plan, workforce, lock, note)
        try:
            work.produce()
            snapshot = load_folder(repository.root)
            cells = tuple(work.done(snapshot))
            commit = repository.commit((*CHANGED, *plan.files), _message(cells, snapshot, plan.verb))
        except BaseException:
            with contextlib.suppress(LpbError, OSError):  # else the journal stays and the next command tries again
                journal.roll_back()
            raise
        journal.close()
        return Refreshed(cells=cells, snapshot=snapshot, parent=plan.parent, commit=commit)


@dataclass(slots=True)
class _Work:
    repository: Repository
    journal: Journal
    plan: Plan
    workforce: Workforce
    lock: int
    note: Note
    seconds: dict[str, float] = field(default_factory=dict)

    def produce(self) -> None:
        """Writes params.yaml and dvc.yaml and runs DVC; again, with more proposals or another epoch for one cell, while
        one falls short. What the other cells have made is kept."""
        text, twins = self.plan.text, dict[str, int]()
        while True:
            params = read_params(text)
            texts = {PARAMS: text, PIPELINE: render_pipeline(params), **self.plan.files}
            self.journal.write(texts)
            for name, content in texts.items():
                (self.repository.root / name).parent.mkdir(parents=True, exist_ok=True)
                write_whole(self.repository.root / name, content.encode())
            try:
                run_repro(self.repository, self.workforce, self.lock, self.seconds)
                return
            except (CellShort, Twins) as short:
                cell = next(cell for cell in params.fresh if str(cell) == short.where)
                key, block = ("cells", cell.game, cell.tier), params.cells[cell]
                if isinstance(short, Twins):
                    twins[short.where] = twins.get(short.where, 1) + 1
                    if twins[short.where] > MOST_EPOCHS:
                        raise
                    self.note(f"{short.where}: {short.what}; trying epoch {block.epoch + 1}")
                    text = edit_params(text, {(*key, "epoch"): block.epoch + 1})
                    continue
                proposals = block.wanted + block.reserve
                if not short.can_grow or proposals >= MOST_PROPOSALS * block.wanted:
                    raise
                more = min(2 * proposals, MOST_PROPOSALS * block.wanted)
                self.note(f"{short.what}; trying {more} proposals instead of {proposals}")
                text = edit_params(text, {(*key, "reserve"): more - block.wanted})

    def done(self, snapshot: Snapshot) -> list[CellDone]:
        """What became of the plan's cells."""
        before = self.plan.before.cells if self.plan.before else {}
        found = []
        for plan in self.plan.cells:
            known = {level.id for level in before.get(plan.cell, ())}
            levels = snapshot.cells[plan.cell]
            found.append(
                CellDone(
                    cell=plan.cell,
                    added=tuple(level for level in levels if level.id not in known),
                    retired=plan.retired,
                    levels=len(levels),
                    made=snapshot.manifest["cells"][str(plan.cell)]["made"],
                    seconds=self.seconds.get(str(plan.cell), 0.0) if plan.epoch is not None else None,
                )
            )
        return found


def _message(cells: Sequence[CellDone], snapshot: Snapshot, verb: str) -> str:
    """The commit's message: its first line names the cell where there is one, and counts them where there are more."""
    added, retired = (sum(len(getattr(cell, kind)) for cell in cells) for kind in ("added", "retired"))
    one = f"{cells[0].cell.game} {cells[0].cell.tier}" if len(cells) == 1 else f"{len(cells)} cells"
    if added:
        kind = "fresh " if verb == "Refresh" else ""
        head = f"{verb} {one}: {_levels(added, kind)}" + (f", {retired} retired" if retired else "")
    else:
        head = f"Retire {_levels(retired)} of {one}"
    lines = [f"{cell.cell}: {len(cell.added)} added, {len(cell.retired)} retired" for cell in cells]
    total = sum(len(levels) for levels in snapshot.cells.values())
    told = "\n".join(lines) + "\n\n" if len(cells) > 1 else ""
    return f"{head}\n\n{told}The snapshot holds {counted(total, 'level')} now.\nmanifest sha256: {snapshot.pin.digest}"


def _levels(number: int, kind: str = "") -> str:
    return counted(number, f"{kind}level")
