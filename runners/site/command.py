"""``lpb-gen report``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ...games.wording import counted
from ...pipeline.options import json_option, workers_option
from ..choosing import Choose, choosing_options


@click.command()
@choosing_options
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to write: new, or a report.")
@click.option(
    "--screenshots",
    type=click.Choice(["link", "copy", "none"]),
    default="link",
    show_default=True,
    help="Point to the records' pictures, copy them (to publish the folder), or draw the boards alone.",
)
@click.option("--title", help="The heading of the page.")
@click.option(
    "--moves/--no-moves", "solvers", default=True, show_default=True, help="Judge every move by exact solvers."
)
@click.option(
    "--size", default=320, show_default=True, type=click.IntRange(120, 1000), help="Pixels of a board's longer side."
)
@click.option("--open", "open_", is_flag=True, help="Open the page in your browser.")
@workers_option
@json_option
def report(
    choose: Choose,
    out: Path,
    screenshots: Any,
    title: str | None,
    solvers: bool,
    size: int,
    open_: bool,
    workers: int,
    as_json: bool,
) -> None:
    """Write a static site of recorded runs: leaderboard, heat maps, effort, failures, and a replay of every episode
    with the pointer, the agent's words, the board, and where it was lost. It needs no network: open DIR/index.html.

    RUN is a run's folder, a folder of runs, or a pattern; --snapshot and others choose among them. Everything comes
    from each run's events.jsonl. A DIR that holds anything else than a report is not overwritten.

    \b
    Example:
      lpb-gen report runs --out report --open
      lpb-gen report 'runs/*-maze-*' --out report --screenshots copy --title "Maze Paint, December"
    """
    from ...pipeline.progress import counting
    from ...pipeline.workers import executor
    from .replays import EPISODES_A_JOB
    from .site import FOLDER, Options, write_report

    FOLDER.require_free(out)
    episodes, boards = choose()
    options = Options(title=title, screenshots=screenshots, box=size, solvers=solvers, boards=boards)
    width = max(1, min(workers, -(-len(episodes) // EPISODES_A_JOB)))
    with executor(width) as pool, counting("episodes shown", len(episodes)) as progress:
        written = write_report(out, episodes, pool, options, progress.advance)
    page = out / "index.html"
    if as_json:
        click.echo(json.dumps({"page": str(page), **asdict(written)}))
    else:
        copied = (
            f", {counted(written.screenshots, 'screenshot')} of {written.copied / 1e6:.1f} MB"
            if written.screenshots
            else ""
        )
        told = f"{counted(written.episodes, 'episode')}, {counted(written.steps, 'step')}"
        click.echo(f"{page}: {told}, {written.bytes / 1e6:.1f} MB{copied}")
    if open_:
        click.launch(page.resolve().as_uri())
