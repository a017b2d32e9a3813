"""``lpb-gen import``: levels that people have, proven and put into cells of the catalogue.

Every board of the collection is proven before anything is changed. Those that may come in are written to the cell's
file of imports in Git, and the pipeline makes the levels from there: a snapshot always comes out of what is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..games.base import LpbError
from .collection import Collection, Doors, Report, find_doors
from .imports import IMPORTS, imports_file
from .params import Params, Parent
from .params_file import ABSENT, read_params
from .plan import CellPlan, Check, Plan, complete_plan, current_snapshot, snapshot_before
from .refresh import Note, Refreshed, carry_out, params_text, require_settled, silent
from .repository import Repository
from .snapshot import Snapshot
from .workers import ONE_PROCESS, Workforce


class NothingToImport(LpbError):
    """No board of the collection can come in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """``tier``: the one to import to; without, every board goes to the first tier of its game that takes it."""

    collection: Collection
    tier: str | None = None
    gated: bool = True


Examine = Callable[[Collection, Doors], Report]


def import_levels(
    repository: Repository, wish: Wish, look: Examine, *, workforce: Workforce = ONE_PROCESS, note: Note = silent
) -> tuple[Refreshed, Report]:
    """Makes the next snapshot of what ``look`` lets in, and commits it. Raises NothingToImport, and as ``refresh``
    does."""
    reports = []

    def plan(text: str, check: Check) -> Plan:
        made, report = plan_import(repository, wish, look, text, check)
        reports.append(report)
        return made

    done = carry_out(repository, plan, workforce, note)
    return done, reports[0]


def intended_import(repository: Repository, wish: Wish, look: Examine) -> Report:
    """What ``import_levels`` would let in. Changes nothing."""
    return look(wish.collection, _ground(repository, wish, params_text(repository), lambda: None).doors(wish))


@dataclass(frozen=True, slots=True)
class _Ground:
    """What an import starts from."""

    params: Params
    parent: Parent | None
    before: Snapshot | None

    def doors(self, wish: Wish) -> Doors:
        """Raises UnknownCell."""
        taken = _taken(self.before, wish.collection.game) if self.before else {}
        return find_doors(self.params, wish.collection.game, wish.tier, gated=wish.gated, taken=taken)


def _ground(repository: Repository, wish: Wish, text: str, check: Check) -> _Ground:
    params = read_params(text)
    _Ground(params, None, None).doors(wish)  # a wrong tier is told before anything is read
    check()
    parent = current_snapshot(repository)
    return _Ground(params, parent, snapshot_before(repository, parent))


def _taken(before: Snapshot, game: str) -> dict[str, str]:
    """By dedup key, which level it is, in words."""
    taken = dict.fromkeys(before.taken(game), "a level that was retired")
    for cell, levels in before.cells.items():
        if cell.game == game:
            taken |= {level.dedup_key: f"level {level.id[:12]} of {cell}" for level in levels}
    return taken


def plan_import(repository: Repository, wish: Wish, look: Examine, text: str, check: Check) -> tuple[Plan, Report]:
    """As ``plan.plan_refresh``, for boards that are there already. Raises NothingToImport."""

    def check_all() -> None:
        check()
        require_settled(repository, IMPORTS)

    ground = _ground(repository, wish, text, check_all)
    params, parent, before = ground.params, ground.parent, ground.before
    report = look(wish.collection, ground.doors(wish))
    if not report.cells:
        why = ", ".join(f"{number} {reason}" for reason, number in report.counts().items()) or "there is none"
        raise NothingToImport(f"no board of {report.read} can come in ({why})", where=wish.collection.name)
    cells = sorted(report.cells, key=list(params.cells).index)
    names = [str(cell) for cell in cells]
    changes: dict[tuple[str, ...], Any] = {("fresh",): names, ("imported",): names}
    plans, files = [], {}
    for cell in cells:
        key, block = ("cells", cell.game, cell.tier), params.cells[cell]
        changes[*key, "epoch"] = block.epoch + 1
        changes |= {(*key, name): ABSENT for name in ("replace", "strata")}
        levels = len(before.cells.get(cell, ())) if before else 0
        number = len(report.cells[cell])
        plans.append(CellPlan(cell=cell, epoch=block.epoch + 1, count=number, levels=levels, retired=()))
        path = imports_file(cell)
        kept = repository.blob("HEAD", path) or b""
        files[path] = kept.decode() + "".join(f"{board.to_line()}\n" for board in report.cells[cell])
    made = complete_plan(text, changes, plans, {}, parent, before)
    return replace(made, verb="Import", files=files), report
