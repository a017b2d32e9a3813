"""The command ``lpb-gen compare``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..games.base import LpbError
from ..pipeline.commands_catalogue import show
from ..pipeline.options import json_option, workers_option

if TYPE_CHECKING:
    from .equating import AgentScores, CellComparison, Comparison

PAGE = "index.html"


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", default=".")
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path, file_okay=False), help="Write a page with plots.")
@workers_option
@json_option
def compare(first: str, second: str, out: Path | None, workers: int, as_json: bool) -> None:
    """Tell whether two snapshots of the same tiers are interchangeable: the distribution of every figure, the scores of
    the reference agents on the direct surface, and a verdict for each cell. A and B are pins, commits or folders; B is
    the work tree's snapshot where it is left out.

    A cell is parallel if the means of optimal_length differ by less than one tier-internal standard error, and every
    agent's LC by less than its interval (95 % bootstrap over levels). --out writes one HTML page that needs no network.

    \b
    Example:
      lpb-gen compare v2026.12.0 v2027.3.0
      lpb-gen compare v2026.12.0 --out report --json
    """
    from ..pipeline.progress import counting
    from ..pipeline.snapshot import load
    from ..pipeline.workers import executor
    from .equating import compare as equate
    from .equating import number_of_plays

    if out is not None and out.exists() and (out / PAGE).exists():
        raise LpbError("there is a page already", where=str(out / PAGE), fix="name another folder, or delete it")
    snapshots = load(first, Path.cwd()), load(second, Path.cwd())
    with executor(workers) as pool, counting("levels played", number_of_plays(*snapshots)) as progress:
        found = equate(*snapshots, pool, progress.update)
    if out is not None:
        _write(out, found)
    if as_json:
        click.echo(json.dumps(found.to_json()))
    else:
        _show(found)


def _write(out: Path, found: Comparison) -> None:
    from ..pipeline.files import write_whole
    from .equating_page import page

    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / PAGE, page(found).encode())


def _show(found: Comparison) -> None:
    from rich.table import Table

    from .equating import PLAYERS

    click.echo(f"A: {found.first}\nB: {found.second}")
    table = Table()
    for title in (
        "cell",
        "levels",
        "optimal length",
        "standard error",
        *(f"LC of {name}" for name in PLAYERS),
        "verdict",
    ):
        table.add_column(title, justify="left" if title in ("cell", "verdict") else "right", overflow="fold")
    for cell, one in found.cells.items():
        error = "-" if one.standard_error is None else f"{one.standard_error:.3g}"
        played = [_scores(one.agents[name]) if name in one.agents else "-" for name in PLAYERS]
        table.add_row(str(cell), "{} | {}".format(*one.levels), _lengths(one), error, *played, one.verdict)
    show(table)
    for cell, one in found.cells.items():
        for reason in one.why:
            click.echo(f"{cell}: {reason}")
    counts = {verdict: sum(one.verdict == verdict for one in found.cells.values()) for verdict in _VERDICTS}
    click.echo(", ".join(f"{number} {verdict}" for verdict, number in counts.items()))


_VERDICTS = ("parallel", "not parallel", "too few levels")


def _lengths(one: CellComparison) -> str:
    """Mean and standard deviation in A and B, and the difference."""
    sides = [side.get("optimal_length") for side in one.figures]
    told = " | ".join(f"{side.mean:.3g} ± {side.sd:.2g}" if side else "-" for side in sides)
    return told if one.difference is None else f"{told} ({one.difference:+.2g})"


def _scores(scores: AgentScores) -> str:
    return f"{scores.first:.0f} | {scores.second:.0f}"
