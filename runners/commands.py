"""``lpb-gen play``, and what it shares with the other commands that let somebody play."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..games.base import LpbError
from ..games.wording import counted

if TYPE_CHECKING:
    from ..pipeline.snapshot import Snapshot
    from .view import Objective

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
LANGUAGE = click.Choice(["en", "zh"])
PORT = 8300
MAX_BUDGET = 7 * 24 * 3600.0  # seconds

snapshot_option = click.option(
    "--snapshot",
    "ref",
    default=None,
    metavar="REF",
    help="A pin, commit, folder or URL#TAG (default: the catalogue here).",
)
lang_option = click.option("--lang", type=LANGUAGE, default="en", show_default=True, help="Language of the labels.")
surface_option = click.option(
    "--surface", type=click.Choice(["browser", "direct"]), default="browser", show_default=True, help="Where it plays."
)
screenshots_option = click.option(
    "--screenshots",
    "keep",
    type=click.Choice(["all", "changes", "none"]),
    default="changes",
    show_default=True,
    help="Keep those the agent saw (changes), also those between (all), or none.",
)
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("runs"),
    show_default=True,
    help="Where records go.",
)
browser_option = click.option(
    "--browser", envvar="LPB_BROWSER", metavar="PATH", help="The browser to use [env: LPB_BROWSER]."
)


def budget_option(text: str) -> Callable[[Decorated], Decorated]:
    """``--budget``; ``text``: its help."""
    return click.option(
        "--budget",
        type=click.FloatRange(min=0, min_open=True, max=MAX_BUDGET),
        default=3600.0,
        show_default=True,
        callback=_a_number,
        metavar="SECONDS",
        help=text,
    )


def _a_number(ctx: click.Context, param: click.Parameter, value: float) -> float:
    if value != value:  # "nan" is in every range
        raise click.BadParameter("it is not a number")
    return value


# --- play -------------------------------------------------------------------------------------------------------------


@click.command()
@snapshot_option
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: any free port.")
@lang_option
@click.option("--open", "open_", is_flag=True, help="Open the address in your browser.")
def play(ref: str | None, port: int, lang: str, open_: bool) -> None:
    """Serve the suite on this machine for a person with a browser. Ctrl-C ends it.

    \b
    Example:
      lpb-gen play
      lpb-gen play --snapshot v2026.12.0 --lang zh --open
    """
    from .playing import serve
    from .session import Session

    objectives = offered(load_snapshot(ref))
    session = Session(objectives, lang=lang)
    levels = sum(len(objective.levels) for objective in objectives)

    def announce(address: str) -> None:
        click.echo(f"{counted(levels, 'level')} at {address}\nPress Ctrl-C to stop.", err=False)
        if open_:
            click.launch(address)

    serve(session, port=port, lang=lang, announce=announce)
    click.echo("stopped", err=True)


# --- what they share --------------------------------------------------------------------------------------------------


def load_snapshot(ref: str | None) -> Snapshot:
    from ..pipeline.snapshot import load

    return load(ref, Path.cwd())


def objective_of(snapshot: Snapshot, game: str, tier: str) -> Objective:
    """Raises UnknownCell with what there is instead, LpbError where the cell is empty."""
    from .view import Objective

    levels = snapshot.levels(game, tier)
    if not levels:
        raise LpbError("it has no levels", where=f"{game} {tier}", fix=f"lpb-gen refresh --game {game} --tier {tier}")
    return Objective(game, tier, tuple(levels))


def offered(snapshot: Snapshot) -> list[Objective]:
    """Every cell of the snapshot, as the suite's menus offer them: a game's tiers by rising difficulty."""
    from ..games import GAMES
    from .view import Objective

    games = list(GAMES)
    objectives = [Objective(cell.game, cell.tier, tuple(levels)) for cell, levels in snapshot.cells.items() if levels]
    return sorted(objectives, key=lambda o: (games.index(o.game), _difficulty(o), o.tier))


def _difficulty(objective: Objective) -> float:
    """The median optimal length."""
    lengths = sorted(level.figures.get("optimal_length") or 0 for level in objective.levels)
    return float(lengths[len(lengths) // 2])
