"""Which recorded runs a command is about: the options that say so, and reading what they choose."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from .played import Played

R = TypeVar("R")
OPTIONS = (
    click.argument("runs", nargs=-1, required=True, metavar="RUN..."),
    click.option(
        "--snapshot",
        "ref",
        metavar="REF",
        help="Only the runs that played the levels of this snapshot; the boards of old records are found in it, too.",
    ),
    click.option("--agent", "agents", multiple=True, help="Only the runs of this agent; may be repeated."),
    click.option("--game", "games", multiple=True, help="Only the runs of this game; may be repeated."),
    click.option("--tier", "tiers", multiple=True, help="Only the runs of this tier; may be repeated."),
)


def choosing_options(command: Callable[..., R]) -> Callable[..., R]:
    """RUN..., ``--snapshot``, ``--agent``, ``--game`` and ``--tier``, which the command gets as ``choose``: a function
    that reads the episodes that they choose, and returns them with the boards that are known by level id."""

    @wraps(command)
    def choosing(*args: Any, runs: Any, ref: Any, agents: Any, games: Any, tiers: Any, **options: Any) -> R:
        return command(*args, choose=lambda: _chosen(runs, ref, agents, games, tiers), **options)

    decorated: Callable[..., R] = choosing
    for option in reversed(OPTIONS):
        decorated = option(decorated)
    return decorated


Choose = Callable[[], "tuple[list[Played], dict[str, Any]]"]


def _chosen(
    runs: tuple[str, ...], ref: str | None, agents: tuple[str, ...], games: tuple[str, ...], tiers: tuple[str, ...]
) -> tuple[list[Played], dict[str, Any]]:
    """Raises NoRuns, MixedRuns, InvalidRecord, and as ``snapshot.load``."""
    from ..pipeline.progress import counting
    from ..pipeline.snapshot import load
    from .played import Chosen, find_runs, read_runs

    folders = find_runs(runs)
    cells = load(ref, Path.cwd()).cells if ref is not None else {}
    levels = {(cell.game, cell.tier): tuple(level.id for level in own) for cell, own in cells.items()}
    chosen = Chosen(agents=agents, games=games, tiers=tiers, levels=levels if ref is not None else None)
    with counting("episodes read", len(folders)) as progress:
        episodes = read_runs(folders, progress.advance, chosen)
    return episodes, {level.id: level.board for own in cells.values() for level in own}
