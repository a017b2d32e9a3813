"""``lpb-gen play`` and ``lpb-gen run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..games.base import LpbError

if TYPE_CHECKING:
    from ..pipeline.snapshot import Snapshot
    from .surface import Surface
    from .view import Objective

LANGUAGE = click.Choice(["en", "zh"])
AGENT_NAMES = ("oracle", "random", "greedy")  # agents.AGENTS, without loading it for --help; a test compares
PORT = 8300
MAX_BUDGET = 7 * 24 * 3600.0  # seconds

snapshot_option = click.option(
    "--snapshot", "ref", default=None, metavar="REF", help="A pin, commit or folder (default: the catalogue here)."
)
lang_option = click.option("--lang", type=LANGUAGE, default="en", show_default=True, help="Language of the labels.")


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
        click.echo(f"{levels} levels at {address}\nPress Ctrl-C to stop.", err=False)
        if open_:
            click.launch(address)

    serve(session, port=port, lang=lang, announce=announce)
    click.echo("stopped", err=True)


# --- run --------------------------------------------------------------------------------------------------------------


@click.command()
@snapshot_option
@click.option("--game", required=True, metavar="GAME", help="The game to play.")
@click.option("--tier", "tiers", required=True, multiple=True, metavar="TIER", help="The difficulty; may be repeated.")
@click.option("--agent", "agent_name", type=click.Choice(AGENT_NAMES), required=True, help="Who plays.")
@click.option(
    "--surface", type=click.Choice(["browser", "direct"]), default="browser", show_default=True, help="Where it plays."
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True, max=MAX_BUDGET),
    default=3600.0,
    show_default=True,
    callback=lambda ctx, param, value: _a_number(value),  # "nan" is in every range
    metavar="SECONDS",
    help="Wall clock of one objective.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="For the random agent.")
@lang_option
@click.option(
    "--screenshots",
    "keep",
    type=click.Choice(["all", "changes", "none"]),
    default="changes",
    show_default=True,
    help="Keep those the agent saw (changes), also those between (all), or none.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("runs"),
    show_default=True,
    help="Where records go.",
)
@click.option("--browser", envvar="LPB_BROWSER", metavar="PATH", help="The browser to use [env: LPB_BROWSER].")
@click.option("--json", "as_json", is_flag=True, help="Print each result as one JSON line.")
def run(ref: str | None, game: str, tiers: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Let an agent play an objective (a game at a difficulty) and grade it.

    The exit code is 0 for every graded episode, whatever the grade, and 1 after a technical failure.

    \b
    Example:
      lpb-gen run --game maze --tier hard --agent oracle
      lpb-gen run --snapshot v2026.12.0 --game maze --tier easy --tier medium --agent greedy --surface direct
    """
    snapshot = load_snapshot(ref)
    objectives = [objective_of(snapshot, game, tier) for tier in dict.fromkeys(tiers)]
    failed = False
    for objective in objectives:
        result, folder = _run_one(snapshot, ref, objective, **options)
        _print_result(result, folder, as_json)
        failed |= not result["scored"]
    if failed:
        raise click.exceptions.Exit(1)


def _a_number(value: float) -> float:
    if value != value:
        raise click.BadParameter("it is not a number")
    return value


def _run_one(
    snapshot: Snapshot,
    ref: str | None,
    objective: Objective,
    *,
    agent_name: str,
    surface: str,
    budget: float,
    seed: int,
    lang: str,
    keep: Any,
    out: Path,
    browser: str | None,
) -> tuple[dict[str, Any], Path]:
    """One episode on a surface of its own: its result and its record's folder."""
    from .agents import AGENTS
    from .episode import Terms
    from .running import Setting, run_episode
    from .session import Session

    setting = Setting(
        terms=Terms(objective=objective, budget=budget, seed=seed, lang=lang, keep=keep),
        agent=AGENTS[agent_name](objective.game, objective.tier, seed),
        surface=make_surface(surface, Session(offered(snapshot), lang=lang), browser),
        pin={"reference": ref, **snapshot.pin.to_json()},
    )
    return run_episode(setting, out)


def _print_result(result: dict[str, Any], folder: Path, as_json: bool) -> None:
    from ..pipeline.level import canonical_json

    if as_json:
        click.echo(canonical_json(result | {"record": str(folder)}))
        return
    from rich.console import Console

    from .report import print_result

    print_result(result, Console(highlight=False), where=str(folder))


# --- what both need ---------------------------------------------------------------------------------------------------


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


def make_surface(name: str, session: Any, browser: str | None) -> Surface:
    if name == "direct":
        from .direct import DirectSurface

        return DirectSurface(session)
    from .browser import BrowserSurface

    return BrowserSurface(session, browser=browser)
