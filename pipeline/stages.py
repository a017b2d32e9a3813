"""The steps that DVC runs: propose levels for a cell, certify them, freeze all cells into the next snapshot.

``propose``, ``certify`` and ``freeze`` compute; ``run_generate``, ``run_verify``, ``run_import`` and ``run_freeze`` do
the same from file to file. What a step writes depends on params.yaml and the parent snapshot only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from ..games.base import LpbError
from .files import sweep, write_whole
from .freeze import FreshCell, freeze
from .imports import certify_imports, imports_file, read_imports
from .level import Level, canonical_json
from .params import Cell, CellParams, Params
from .params_file import BrokenParams, line_of, read_params
from .production import Exhausted, Order, Proposal, Tally, certify_cell, propose_cell, stand_ins, take_wanted
from .reach import OutOfReach, require_reachable
from .repository import LEVELS, MANIFEST, PARAMS, Repository
from .revisions import require_parent
from .snapshot import Snapshot, load_pin
from .storage import replace_folder

MOST_FOR_STRATA = 4  # proposals for each wanted level, before another may stand in for one that certification drops

Tick = Callable[[Tally], None]
FindParent = Callable[[Repository, Params], Snapshot | None]


class CellShort(LpbError):
    """A cell, which ``where`` names, came out with too few levels. ``can_grow``: more proposals could still be had
    within the limit."""

    def __init__(self, what: str, *, where: str = "", fix: str = "", can_grow: bool = False) -> None:
        super().__init__(what, where=where, fix=fix)
        self.can_grow = can_grow


def order(params: Params, cell: Cell) -> Order:
    block = params.cells[cell]
    rungs = block.rungs if block.ladder else ()
    return Order(cell.game, cell.tier, block.params, block.gate, params.seed, block.epoch, rungs, block.targets)


def check_generator(text: str | bytes, cell: Cell, block: CellParams) -> None:
    """Raises BrokenParams where the game's generator would not take the parameters of a cell of params.yaml, whose
    ``text`` this is, or where no level of such parameters can pass the gate; with the line."""
    from ..generators import GENERATORS

    key = ("cells", cell.game, cell.tier)
    for number, params in enumerate(block.rungs):
        try:
            GENERATORS[cell.game].params(params)
        except LpbError as error:
            named = [name for name in params if repr(name) in error.what]  # the parameter that the message is about
            own = block.ladder[number] if block.ladder else {}
            place = ("ladder", number) if named and named[0] in own else ("params",)
            line = line_of(text, (*key, *place, *named[:1]))
            what = f"{'.'.join(key)}.{place[0]}: {error.what}"
            raise BrokenParams(what, where=f"{PARAMS}:{line}", fix=error.fix) from None
    try:
        require_reachable(cell.game, block.rungs, block.gate)
    except OutOfReach as error:
        line = line_of(text, (*key, "gate", error.figure))
        what = f"{'.'.join(key)}.gate: {error.what}"
        raise BrokenParams(what, where=f"{PARAMS}:{line}", fix=error.fix) from None


def parent_snapshot(repository: Repository, params: Params) -> Snapshot | None:
    """The snapshot that the next one grows from. Raises as ``snapshot.load`` does."""
    return load_pin(repository, require_parent(repository, params.parent)) if params.parent else None


# --- what the steps compute -------------------------------------------------------------------------------------------


def propose(
    params: Params, cell: Cell, taken: frozenset[str], executor: Executor, tick: Tick
) -> tuple[list[Proposal], Tally]:
    """Proposals for the cell's wanted levels and ``reserve`` more, or as many as its limit of candidates gives. Raises
    CellShort where they cannot be enough."""
    block, wanted = params.cells[cell], order(params, cell)
    if block.epoch == 0:
        fix = f"run lpb-gen refresh --game {cell.game} --tier {cell.tier}"
        raise CellShort(f"{cell} has epoch 0: it was never asked for", where="params.yaml", fix=fix)
    number, most = block.wanted + block.reserve, block.limit * block.wanted
    proposals, tally = propose_cell(wanted, number, executor, limit=most, taken=taken, tick=tick)
    if len(proposals) < block.wanted:
        raise _short(tally.shortfall(len(proposals), block.wanted, wanted.gate), cell)
    return proposals, tally


def certify(
    params: Params, cell: Cell, proposals: Sequence[Proposal], tally: Tally, executor: Executor, tick: Tick
) -> tuple[list[Level], Tally]:
    """The first proposals that become levels, as many as are wanted and of each kind, or in each stratum, its share;
    for a stratum that none fills the nearest of the others. With them the tally of both steps. Raises CellShort where
    there are fewer, or where more proposals could still fill a stratum."""
    block, wanted = params.cells[cell], order(params, cell)
    levels: list[Level] = []
    total, left = _copy(tally), list(proposals)

    def certified(some: Sequence[Proposal]) -> list[Level]:
        def shown(step: Tally, before: int = len(levels)) -> None:
            tick(Tally(candidates=total.candidates, accepted=before + step.accepted))

        more, step = certify_cell(wanted, some, executor, tick=shown)
        levels.extend(more)
        step.candidates = 0  # they were counted when they were proposed
        total.merge(step, wanted.gate)
        return more

    places = wanted.places(block.wanted)
    while True:  # no more than could be needed at a time
        some, left = take_wanted(places, left)
        if not some:
            break
        certified(some)
        places = wanted.places(block.wanted)
        for level in levels:
            places.take(_index(level), level.certificate.lower)
    number = block.wanted + block.reserve
    can_grow = len(proposals) >= number
    if wanted.strata:
        lost = len(take_wanted(wanted.places(block.wanted), proposals)[0]) - len(levels)
        if lost and can_grow and number < MOST_FOR_STRATA * block.wanted:
            what = f"{cell}: certification left {lost} of {block.wanted} strata empty"
            raise CellShort(what, where=str(cell), fix=f"raise cells.{cell.game}.{cell.tier}.reserve", can_grow=True)
        missing = total.missed = places.open_strata()
        while missing and left:
            some, left = stand_ins(missing, left)
            made = {_index(level) for level in certified(some)}
            failed = [lengths for lengths, proposal in zip(missing, some, strict=False) if proposal.index not in made]
            missing = failed + missing[len(some) :]
    if len(levels) < block.wanted:
        raise _short(total.shortfall(len(levels), block.wanted, wanted.gate), cell, can_grow=can_grow)
    return levels, total


def _index(level: Level) -> int:
    """Which candidate it was."""
    return int(level.provenance["seed_path"][-1])


def _short(shortfall: Exhausted, cell: Cell, *, can_grow: bool = False) -> CellShort:
    key = f"cells.{cell.game}.{cell.tier}"
    fix = f"widen {key}.gate, or raise its {'reserve' if can_grow else 'limit'}"
    return CellShort(shortfall.what, where=str(cell), fix=fix, can_grow=can_grow)


def _copy(tally: Tally) -> Tally:
    copy = Tally()
    copy.merge(tally)
    return copy


# --- from file to file ------------------------------------------------------------------------------------------------


def candidates_file(cell: Cell) -> Path:
    return Path("build/candidates", f"{cell}.jsonl")


def certified_file(cell: Cell) -> Path:
    return Path("build/certified", f"{cell}.jsonl")


def run_generate(
    repository: Repository, cell: Cell, executor: Executor, tick: Tick, find: FindParent = parent_snapshot
) -> None:
    text = (repository.root / PARAMS).read_bytes()
    params = read_params(text)
    check_generator(text, cell, params.cells[cell])
    parent = find(repository, params)
    taken = parent.taken(cell.game) if parent else frozenset[str]()
    proposals, tally = propose(params, cell, taken, executor, tick)
    _write(repository.root / candidates_file(cell), tally, proposal_lines(proposals))


def run_import(repository: Repository, cell: Cell, executor: Executor, tick: Tick) -> None:
    params = read_params((repository.root / PARAMS).read_bytes())
    path = repository.root / imports_file(cell)
    boards = read_imports(path.read_bytes() if path.exists() else None, cell, params.cells[cell].epoch)
    levels, tally = certify_imports(cell, boards, executor, tick)
    _write(repository.root / certified_file(cell), tally, (level.to_line() for level in levels))


def run_verify(repository: Repository, cell: Cell, executor: Executor, tick: Tick) -> None:
    params = read_params((repository.root / PARAMS).read_bytes())
    tally, lines = _read(repository.root / candidates_file(cell))
    proposals = [Proposal.from_json(json.loads(line)) for line in lines]
    levels, total = certify(params, cell, proposals, Tally(**tally), executor, tick)
    _write(repository.root / certified_file(cell), total, (level.to_line() for level in levels))


def run_freeze(repository: Repository, find: FindParent = parent_snapshot) -> None:
    """Writes the level files, then the manifest, each whole or not at all."""
    params = read_params((repository.root / PARAMS).read_bytes())
    parent = find(repository, params)
    fresh = {}
    for cell in params.fresh:
        tally, lines = _read(repository.root / certified_file(cell))
        fresh[cell] = FreshCell(lines, tally)
    files, manifest = freeze(params, parent, fresh)
    put_in_place(repository, files, manifest)


def put_in_place(repository: Repository, files: Mapping[str, bytes], manifest: bytes) -> None:
    """Makes the work tree's catalogue this snapshot. Raises OSError, and what was there is still there then."""
    levels = {path.removeprefix("levels/"): data for path, data in files.items()}
    replace_folder(repository.root / LEVELS, levels)
    sweep(repository.root / MANIFEST)
    write_whole(repository.root / MANIFEST, manifest)


def stage_bytes(tally: Tally, lines: Iterable[str]) -> bytes:
    """What a step writes: a first line with the tally and one line for each record."""
    return "".join(f"{line}\n" for line in (canonical_json({"tally": tally.to_json()}), *lines)).encode()


def proposal_lines(proposals: Sequence[Proposal]) -> Iterator[str]:
    return (canonical_json(proposal.to_json()) for proposal in proposals)


def _write(target: Path, tally: Tally, lines: Iterable[str]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, stage_bytes(tally, lines))


def _read(source: Path) -> tuple[dict[str, Any], list[str]]:
    try:
        first, *lines = source.read_text("utf-8").splitlines()
        return dict(json.loads(first)["tally"]), lines
    except FileNotFoundError:
        raise LpbError("this step's input is missing", where=str(source), fix="run: dvc repro freeze") from None
    except (ValueError, KeyError, TypeError) as error:
        raise LpbError(
            f"not what the step before writes ({error})", where=str(source), fix="run: dvc repro -f"
        ) from None
