"""``lpb-gen refresh``: fresh levels for one cell, frozen with all the others into the next snapshot, committed.

The order of things: check everything, note in the journal what is about to change, raise the cell's epoch in
params.yaml, let DVC run, read the new snapshot back, commit. Whatever goes wrong puts the work tree back.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from .. import __version__
from ..games.base import LpbError
from .exclusive import CHANGED, Journal, exclusive, require_clean_levels
from .files import write_whole
from .freeze import check_complete
from .level import Level
from .manifest import sha256
from .params import Cell, CellParams, Params, Parent
from .params_file import BrokenParams, edit_params, read_params
from .pipeline_file import render_pipeline
from .repository import MANIFEST, PARAMS, PIPELINE, Repository
from .repro import run_repro
from .revisions import tag_of
from .snapshot import Snapshot, load_folder
from .stages import CellShort, parent_snapshot

MOST_PROPOSALS = 16  # for each wanted level; a gate that so few proposals pass asks for other parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """``count`` and ``seed`` replace those of params.yaml where given."""

    game: str
    tier: str
    count: int | None = None
    seed: int | None = None
    workers: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """``added``: the new levels; ``snapshot``: the whole new snapshot; ``parent``: the one before."""

    cell: Cell
    added: tuple[Level, ...]
    snapshot: Snapshot
    parent: Parent | None
    commit: str

    @property
    def made(self) -> Mapping[str, Any]:
        """How many candidates were looked at, and what became of them."""
        tally: Mapping[str, Any] = self.snapshot.manifest["cells"][str(self.cell)]["made"]
        return tally

    def to_json(self) -> dict[str, Any]:
        lengths = [level.certificate.lower for level in self.added]
        return {
            "cell": str(self.cell),
            "commit": self.commit,
            "digest": self.snapshot.pin.digest,
            "parent": self.parent.to_json() if self.parent else None,
            "added": [level.id for level in self.added],
            "retired": len(self.snapshot.manifest["retired"]),
            "levels": len(self.snapshot.cells[self.cell]),
            "optimal_length": [min(lengths), max(lengths)],
            "made": dict(self.made),
        }


def refresh(repository: Repository, wish: Wish, note: Callable[[str], None] = lambda text: None) -> Refreshed:
    """Makes the next snapshot and commits it. ``note`` is told what a person would want to know meanwhile.

    Raises LpbError of many kinds, each before anything was changed or after everything was put back."""
    with exclusive(repository) as lock:
        journal = Journal(repository)
        journal.recover(note)
        text, params, cell = _checked_params(repository, wish)
        repository.require_ready(CHANGED)
        require_clean_levels(repository)
        parent = current_snapshot(repository)
        changes: dict[tuple[str, ...], Any] = {
            ("parent",): parent.to_json() if parent else None,
            ("toolchain",): toolchain(),
            ("fresh",): [str(cell)],
            ("cells", cell.game, cell.tier, "epoch"): params.cells[cell].epoch + 1,
        }
        if wish.seed is not None:
            changes["seed",] = wish.seed
        if wish.count is not None:
            changes["cells", cell.game, cell.tier, "count"] = wish.count
        text = edit_params(text, changes)
        params = read_params(text)
        before = parent_snapshot(repository, params)  # every byte of it, before any work
        check_complete(params, before, params.fresh)
        try:
            _produce(repository, journal, text, cell, wish.workers, lock, note)
            snapshot = load_folder(repository.root)
            known = {level.id for level in before.cells.get(cell, ())} if before else set[str]()
            added = tuple(level for level in snapshot.levels(*cell) if level.id not in known)
            commit = repository.commit(CHANGED, _message(cell, len(added), snapshot))
        except BaseException:
            with contextlib.suppress(LpbError, OSError):  # else the journal stays and the next command tries again
                journal.roll_back()
            raise
        journal.close()
        return Refreshed(cell=cell, added=added, snapshot=snapshot, parent=parent, commit=commit)


def _checked_params(repository: Repository, wish: Wish) -> tuple[str, Params, Cell]:
    try:
        text = (repository.root / PARAMS).read_bytes()
    except FileNotFoundError:
        fix = "restore it from Git, or make a repository: lpb-gen init DIR"
        raise BrokenParams("there is no such file", where=str(repository.root / PARAMS), fix=fix) from None
    params = read_params(text)
    cell = params.cell(wish.game, wish.tier)
    check_generator(cell, params.cells[cell])
    return text.decode("utf-8"), params, cell


def check_generator(cell: Cell, block: CellParams) -> None:
    """Raises BrokenParams where the game's generator would not take a cell's parameters."""
    from ..generators import GENERATORS

    try:
        for params in block.rungs:
            GENERATORS[cell.game].params(params)
    except LpbError as error:
        raise BrokenParams(error.what, where=f"{PARAMS}: cells.{cell.game}.{cell.tier}.params", fix=error.fix) from None


def current_snapshot(repository: Repository) -> Parent | None:
    """The snapshot that HEAD holds, or None where none was made yet."""
    commit, manifest = repository.snapshot_commit(), repository.blob("HEAD", MANIFEST)
    if commit is None or manifest is None:
        return None
    return Parent(commit, sha256(manifest), tag_of(repository, commit))


def toolchain() -> dict[str, str]:
    """The installed versions that can change what is made."""
    return {"lpb_gen": __version__, **{tool: version(tool) for tool in ("ortools", "numpy", "numba")}}


def _produce(
    repository: Repository,
    journal: Journal,
    text: str,
    cell: Cell,
    workers: int,
    lock: int,
    note: Callable[[str], None],
) -> None:
    """Writes params.yaml and dvc.yaml and runs DVC, again with more proposals while a gate lets too few pass."""
    while True:
        params = read_params(text)
        texts = {PARAMS: text, PIPELINE: render_pipeline(params)}
        journal.write(texts)
        for name, content in texts.items():
            write_whole(repository.root / name, content.encode())
        try:
            run_repro(repository, workers, lock)
            return
        except CellShort as short:
            block = params.cells[cell]
            proposals = block.count + block.reserve
            if not short.can_grow or proposals >= MOST_PROPOSALS * block.count:
                raise
            more = min(2 * proposals, MOST_PROPOSALS * block.count)
            note(f"{short.what}; trying {more} proposals instead of {proposals}")
            text = edit_params(text, {("cells", cell.game, cell.tier, "reserve"): more - block.count})


def _message(cell: Cell, added: int, snapshot: Snapshot) -> str:
    total = sum(len(levels) for levels in snapshot.cells.values())
    return (
        f"Refresh {cell.game} {cell.tier}: {added} fresh levels\n\n"
        f"The snapshot holds {total} levels now.\nmanifest sha256: {snapshot.pin.digest}"
    )
