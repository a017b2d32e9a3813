"""``lpb-gen refresh`` and ``retire``: the commands that make the next snapshot."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from ..games.wording import counted
from .commands_catalogue import current_repository, note, show, stoppable
from .options import json_option, workforce_options

if TYPE_CHECKING:
    from rich.table import Table

    from .plan import Plan
    from .refresh import CellDone, Refreshed
    from .workers import Workforce

SHOWN = 12  # digits of a level's id


def _number_or_all(ctx: click.Context, param: click.Parameter, value: str | None) -> int | Literal["all"] | None:
    if value is None:
        return None
    if value == "all":
        return "all"
    if not value.isdecimal() or not int(value):
        raise click.BadParameter(f"{value!r} is neither a number from 1 nor the word all")
    return int(value)


@click.command()
@click.option("--game", "games", multiple=True, help="A game of params.yaml; may be repeated.  [default: all games]")
@click.option("--tier", "tiers", multiple=True, help="A tier; may be repeated.  [default: all tiers of the games]")
@click.option("--all", "every", is_flag=True, help="Every cell of params.yaml.")
@click.option("--count", type=click.IntRange(min=1), help="Levels to make of each, instead of what params.yaml says.")
@click.option(
    "--replace",
    metavar="N|all",
    callback=_number_or_all,
    help="Retire the N oldest levels of each, and make as many new ones.",
)
@click.option("--reason", help="Why they are retired; their tombstones keep it.")
@click.option("--seed", type=click.IntRange(min=0, max=2**63 - 1), help="A new root seed for params.yaml.")
@click.option("--dry-run", is_flag=True, help="Say what would be made and retired, and change nothing.")
@workforce_options
@json_option
def refresh(
    games: tuple[str, ...],
    tiers: tuple[str, ...],
    every: bool,
    count: int | None,
    replace: int | Literal["all"] | None,
    reason: str | None,
    seed: int | None,
    dry_run: bool,
    workforce: Workforce,
    as_json: bool,
) -> None:
    """Make fresh certified levels for one cell (a game and a tier), several or all, freeze them with all others in one
    new snapshot, and commit it.

    The levels that are there stay, but for those that --replace retires; no new one is, up to symmetry, one that the
    catalogue has or ever had. Stop it with Ctrl-C at any time: the repository is then as it was.

    \b
    Example:
      lpb-gen refresh --game maze --tier hard
      lpb-gen refresh --game maze --game rush --tier hard --replace 5 --reason "seen in a training set"
      lpb-gen refresh --all --dry-run
    """
    from .plan import Wish
    from .refresh import intended
    from .refresh import refresh as make

    if every == bool(games or tiers):
        raise click.UsageError("Say which cells: --game and --tier (each may be repeated), or --all.")
    if reason is not None and replace is None:
        raise click.UsageError("--reason says why levels are retired: it needs --replace.")
    if count is not None and replace is not None:
        raise click.UsageError("--replace makes as many levels as it retires: leave out --count.")
    wish = Wish(games=games, tiers=tiers, count=count, seed=seed, replace=replace, reason=reason)
    if dry_run:
        plan = intended(current_repository(), wish)
        if as_json:
            click.echo(json.dumps(plan.to_json()))
        else:
            _show_plan(plan)
        return
    began = time.monotonic()
    with stoppable():
        done = make(current_repository(), wish, workforce=workforce, note=note)
    if as_json:
        click.echo(json.dumps(done.to_json()))
    else:
        _show_refreshed(done, time.monotonic() - began)


@click.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why; the levels' tombstones keep it.")
@json_option
def retire(ids: tuple[str, ...], reason: str, as_json: bool) -> None:
    """Take levels out of the catalogue for good: a new snapshot without them, with a tombstone for each, committed.

    ID is a level's id or its beginning (four digits or more) where that names one level only. A retired level stays in
    the snapshots that have it, and never comes back, turned or mirrored, in a later one. A cell whose last level is
    retired stays, empty, until it is refreshed.

    \b
    Example:
      lpb-gen retire 3f9a0c 71be22 --reason "solved by a screenshot that leaked"
    """
    from .refresh import retire as make

    with stoppable():
        done = make(current_repository(), ids, reason, note=note)
    if as_json:
        click.echo(json.dumps(done.to_json()))
        return
    for level in done.retired:
        click.echo(f"retired: {level.id} ({level.game} {level.tier}, {counted(level.certificate.lower, 'move')})")
    for cell in done.cells:
        if not cell.levels:
            words = shlex.join(["lpb-gen", "refresh", "--game", cell.cell.game, "--tier", cell.cell.tier])
            click.echo(f"{cell.cell} has no levels now; make new ones: {words}")
    click.echo(f"commit {done.commit}, manifest sha256 {done.snapshot.pin.digest}")


def _show_plan(plan: Plan) -> None:
    from rich.table import Table

    table = Table(title="What refresh would do")
    for title in ("cell", "epoch", "levels now", "to be made", "to be retired"):
        table.add_column(title, overflow="fold", justify="left" if title in ("cell", "to be retired") else "right")
    for cell in plan.cells:
        ids = " ".join(level.id[:SHOWN] for level in cell.retired)
        gone = f"{len(cell.retired)}: {ids}" if ids else "0"
        table.add_row(str(cell.cell), str(cell.epoch), str(cell.levels), str(cell.count), gone)
    show(table)
    click.echo("nothing was changed")


def refreshed_table(done: Refreshed, seconds: float) -> Table:
    """What ``lpb-gen refresh`` prints of all cells; ``seconds``: the whole command's wall time."""
    from rich.table import Table

    from .refresh import DEAD_ENDS

    table = Table(show_footer=len(done.cells) > 1)
    sums = {
        "added": len(done.added),
        "retired": len(done.retired),
        "levels": sum(cell.levels for cell in done.cells),
        "candidates": sum(cell.made["candidates"] for cell in done.cells),
        "time": f"{seconds:.0f} s",
    }
    titles = ("cell", "epoch", "added", "retired", "levels", "optimum")
    for title in (*titles, *DEAD_ENDS.values(), "candidates", "time"):
        left = title == "cell"
        footer = str(sums.get(title, "all" if title == "cell" else ""))
        table.add_column(
            title,
            footer,
            justify="left" if left else "right",
            overflow="fold",
            no_wrap=title in ("cell", "time"),
            min_width=len(title) if title == "candidates" else None,
        )
    for cell in done.cells:
        table.add_row(
            f"{cell.cell.game} {cell.cell.tier}",
            str(cell.made["epoch"]),
            str(len(cell.added)),
            str(len(cell.retired)),
            str(cell.levels),
            _range(cell.optimal_length),
            *(_range(cell.band(figure)) for figure in DEAD_ENDS),
            str(cell.made["candidates"]),
            f"{cell.seconds or 0:.0f} s",
        )
    return table


def _show_refreshed(done: Refreshed, seconds: float) -> None:
    show(refreshed_table(done, seconds))
    for cell in done.cells:
        rejected = ", ".join(f"{number} {reason}" for reason, number in cell.made["rejected"].items())
        if rejected:
            click.echo(f"{cell.cell.game} {cell.cell.tier}, candidates turned away: {rejected}")
    for cell in done.cells:
        if cell.added and cell.made.get("missed"):
            click.echo(_missed(cell))
    click.echo(f"commit {done.commit}, manifest sha256 {done.snapshot.pin.digest}")


def _missed(cell: CellDone) -> str:
    """Which strata others stand in for, and what a maintainer can do about it."""
    missed = cell.made["missed"]
    ranges = ", ".join(str(low) if low == high else f"{low} to {high}" for low, high in missed)
    stand = "1 of its levels stands" if len(missed) == 1 else f"{len(missed)} of its levels stand"
    key = f"cells.{cell.cell.game}.{cell.cell.tier}"
    return (
        f"{cell.cell.game} {cell.cell.tier}: {stand} in for lengths that did not come up ({ranges}); "
        f"if that happens often, let {key}.spread ask for what its generator makes, or raise {key}.reserve"
    )


def _range(band: Sequence[float] | None) -> str:
    """ "18 to 25", one value where all are the same, a dash where there is none."""
    if band is None:
        return "-"
    low, high = (f"{end:.3g}" for end in band)
    return low if low == high else f"{low} to {high}"
