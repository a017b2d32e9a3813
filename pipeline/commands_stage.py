"""``lpb-gen stage``: one step of the DVC pipeline, as dvc.yaml calls it in the top folder of a catalogue repository."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .commands_catalogue import current_repository, note
from .options import workforce_options

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .feed import Feed
    from .params import Cell, CellParams
    from .repository import Repository
    from .stages import FindParent
    from .workers import Workforce


@click.group(hidden=True)
@click.option("--feed", envvar="LPB_FEED", type=click.Path(path_type=Path), help="Where to tell progress and errors.")
@click.option("--refresh-pid", envvar="LPB_REFRESH_PID", type=int, help="End when that process has ended.")
@click.pass_context
def stage(ctx: click.Context, feed: Path | None, refresh_pid: int | None) -> None:
    """One step of the DVC pipeline: what dvc.yaml runs, in the top folder of a catalogue repository."""
    from .feed import Feed, end_with

    if refresh_pid is not None:
        end_with(refresh_pid)
    ctx.obj = Feed(feed)


@stage.command("generate")
@click.argument("game")
@click.argument("tier")
@workforce_options
@click.pass_obj
def stage_generate(feed: Feed, game: str, tier: str, workforce: Workforce) -> None:
    """Propose levels for a cell: build/candidates/GAME-TIER.jsonl."""
    from .stages import run_generate
    from .workers import executor

    with feed.failures(f"{game}-{tier}"):
        repository, cell, block = _cell(game, tier)
        total = block.wanted + block.reserve
        with executor(*workforce) as pool, feed.counting(f"propose {cell}", total) as progress:
            run_generate(repository, cell, pool, progress.tally, _parent_with(pool))


@stage.command("verify")
@click.argument("game")
@click.argument("tier")
@workforce_options
@click.pass_obj
def stage_verify(feed: Feed, game: str, tier: str, workforce: Workforce) -> None:
    """Certify a cell's proposals: build/certified/GAME-TIER.jsonl."""
    from .stages import run_verify
    from .workers import executor

    with feed.failures(f"{game}-{tier}"):
        repository, cell, block = _cell(game, tier)
        with executor(*workforce) as pool, feed.counting(f"certify {cell}", block.wanted) as progress:
            run_verify(repository, cell, pool, progress.tally)


@stage.command("import")
@click.argument("game")
@click.argument("tier")
@workforce_options
@click.pass_obj
def stage_import(feed: Feed, game: str, tier: str, workforce: Workforce) -> None:
    """Certify the boards that were brought to a cell: build/certified/GAME-TIER.jsonl."""
    from .stages import run_import
    from .workers import executor

    with feed.failures(f"{game}-{tier}"):
        repository, cell, _ = _cell(game, tier)
        with executor(*workforce) as pool, feed.counting(f"certify {cell}", None) as progress:
            run_import(repository, cell, pool, progress.tally)


@stage.command("freeze")
@workforce_options
@click.pass_obj
def stage_freeze(feed: Feed, workforce: Workforce) -> None:
    """Freeze all cells: catalogue/levels and catalogue/manifest.json."""
    from .stages import run_freeze
    from .workers import executor

    with feed.failures(), executor(*workforce) as pool:
        run_freeze(current_repository(), _parent_with(pool))


def _parent_with(pool: Executor) -> FindParent:
    """The parent snapshot as restore finds it: DVC has deleted the work tree's levels before freeze begins, and a
    remote need not have those of a parent that was never pinned."""
    from .restore import recover_parent

    return lambda repository, params: recover_parent(repository, params, pool, note)


def _cell(game: str, tier: str) -> tuple[Repository, Cell, CellParams]:
    from .params_file import read_params
    from .repository import PARAMS

    repository = current_repository()
    params = read_params((repository.root / PARAMS).read_bytes())
    cell = params.cell(game, tier)
    return repository, cell, params.cells[cell]
