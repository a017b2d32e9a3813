"""``lpb-gen mcp``: an objective for any MCP client to play."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..games.base import LpbError
from .commands import (
    browser_option,
    budget_option,
    lang_option,
    load_snapshot,
    objective_of,
    offered,
    out_option,
    screenshots_option,
    snapshot_option,
    surface_option,
)

if TYPE_CHECKING:
    from .plan import Play


class NoMcp(LpbError):
    """The packages of the extra are not installed."""


@click.command()
@snapshot_option
@click.option("--game", required=True, metavar="GAME", help="The game to play.")
@click.option("--tier", required=True, metavar="TIER", help="The difficulty.")
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65535),
    default=None,
    metavar="PORT",
    help="Serve streamable HTTP on 127.0.0.1 instead of standard input and output; 0: any free port.",
)
@click.option("--agent-name", "label", default="mcp", show_default=True, metavar="NAME", help="What results call it.")
@click.option(
    "--setting",
    type=click.Choice(["native", "code"]),
    default="native",
    show_default=True,
    help="May the client run code of its own? It is recorded, not enforced.",
)
@surface_option
@budget_option("Wall clock of the objective, from the first action.")
@lang_option
@screenshots_option
@out_option
@browser_option
def mcp(ref: str | None, game: str, tier: str, port: int | None, label: str, out: Path, **terms: Any) -> None:
    """Let any MCP client play an objective: a server with one tool, the GUI action.

    The client starts this command itself (standard input and output), or connects over HTTP. Every call is a step of a
    normal run record; that the client disconnects is its own end of the episode. Records and grades are told on
    standard error.

    \b
    Example:
      claude mcp add game-suite -- lpb-gen mcp --snapshot v2026.12.0 --game maze --tier hard
      lpb-gen mcp --game maze --tier hard --http 8400
    """
    try:
        from . import mcp_serving
    except ModuleNotFoundError as error:
        fix = "pip install 'lpb-gen[mcp]'"
        raise NoMcp(f"it needs the package {error.name}", where="mcp", fix=fix) from None
    from ..pipeline.storage import shown
    from .plan import AgentWords, Play

    snapshot = load_snapshot(ref)
    play = Play(
        objective=objective_of(snapshot, game, tier),
        offered=tuple(offered(snapshot)),
        pin={"reference": ref and shown(ref), **snapshot.pin.to_json()},
        agent=AgentWords(spec="mcp", label=label),
        **terms,
    )
    _serve(mcp_serving, play, port, out)


def _serve(serving: Any, play: Play, port: int | None, out: Path) -> None:
    import asyncio

    from .agents.called import Awaiting, CalledAgent
    from .making import make_surface
    from .mcp_server import Table
    from .running import Setting, run_episode

    agent = CalledAgent(play.agent.label or "mcp")
    terms, surface = play.terms(1), make_surface(play)
    setting = Setting(
        terms=terms, agent=agent, surface=Awaiting(surface, agent), pin=play.pin, words=play.agent.to_json()
    )
    table = Table(agent, terms, surface.session.viewport, "stdio" if port is None else "http")
    playing = serving.Playing(lambda: _told(run_episode(setting, out)))
    try:
        surface.start()
        if port is None:
            asyncio.run(serving.serve_stdio(table, agent, playing))
        else:
            asyncio.run(serving.serve_http(table, agent, playing, port, announce=_announce))
    finally:
        surface.close()
    if playing.error is not None:
        raise playing.error
    if not playing.result["scored"]:
        raise click.exceptions.Exit(1)


def _told(played: tuple[dict[str, Any], Path]) -> dict[str, Any]:
    """Says on standard error how it ended, as soon as it has."""
    from rich.console import Console

    from .report import print_result

    result, folder = played
    print_result(result, Console(stderr=True, highlight=False), where=str(folder))
    return result


def _announce(address: str) -> None:
    print(f"serving one episode at {address}", file=sys.stderr, flush=True)
