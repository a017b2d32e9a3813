"""``lpb-gen score``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .choosing import Choose, choosing_options

if TYPE_CHECKING:
    from .played import Played

VIEW_NAMES = (
    "agent",
    "objective",
    "level",
    "bucket",
)  # score_lines.VIEWS, without loading it for --help; a test compares
WIDEST = 200  # columns of a table where standard output is no terminal


@click.command()
@choosing_options
@click.option(
    "--by", type=click.Choice(VIEW_NAMES), default="agent", show_default=True, help="A line for each of what."
)
@click.option("--compare", nargs=2, metavar="AGENT AGENT", help="Also the difference of two agents, by objective.")
@click.option("--moves", "with_moves", is_flag=True, help="Also judge every move by exact solvers.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON document.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the lines of --by as CSV.")
def score(
    choose: Choose,
    by: str,
    compare: tuple[str, str] | None,
    with_moves: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Compute every metric of recorded runs, always from their events.jsonl.

    RUN is a run's folder, a folder of runs, or a pattern. Runs of several agents and seeds may be mixed; the levels of
    one objective have to be the same in all of them: where a folder has runs of several snapshots, --snapshot chooses.
    docs/metrics.md defines the figures.

    \b
    Example:
      lpb-gen score runs
      lpb-gen score 'runs/*-maze-*' --by objective --csv > objectives.csv
      lpb-gen score runs --snapshot v2026.12.0 --agent greedy
      lpb-gen score runs --moves --by level
      lpb-gen score runs --by bucket
      lpb-gen score runs --compare greedy random --json
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude one another")
    from . import leaderboard, score_lines

    episodes, boards = choose()
    if with_moves:
        episodes = _judged(episodes, boards)
    found = leaderboard.score(episodes)
    if compare:
        found["comparison"] = leaderboard.compare(episodes, *compare)
    if as_json:
        from ..pipeline.level import canonical_json

        click.echo(canonical_json(found))
    elif as_csv:
        click.echo(score_lines.as_csv(found, by), nl=False)
    else:
        _print(found, by)


def _judged(episodes: list[Played], boards: dict[str, Any]) -> list[Played]:
    from ..pipeline.progress import counting
    from .moves import with_moves
    from .solving import Judges

    with counting("episodes judged", len(episodes)) as progress:
        return with_moves(episodes, Judges(boards), progress.advance)


def _print(found: dict[str, Any], by: str) -> None:
    from rich.console import Console

    from .score_tables import print_score

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDEST)
    print_score(found, by, console)
