"""``lpb-gen run``."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..games.wording import counted
from ..pipeline.commands_catalogue import stoppable
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
    from .attempts import Trial
    from .plan import Play

HUMAN = "human"
WIDEST = 160  # columns of a table where standard output is no terminal


def _pairs(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = []
    for text in values:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{text!r} is not KEY=VALUE")
        pairs.append((name.replace("-", "_"), value))
    return pairs


@click.command()
@snapshot_option
@click.option("--agent", "spec", required=True, metavar="SPEC", help="Who plays; see above.")
@click.option("--game", "games", multiple=True, metavar="GAME", help="The game to play; may be repeated.")
@click.option("--tier", "tiers", multiple=True, metavar="TIER", help="The difficulty; may be repeated.")
@click.option("--all", "whole", is_flag=True, help="Every tier of the games, or of the whole snapshot.")
@click.option("--agent-option", "options", multiple=True, metavar="KEY=VALUE", callback=_pairs, help="For the agent.")
@click.option("--agent-name", "label", metavar="NAME", help="What results call the agent.")
@click.option(
    "--setting",
    type=click.Choice(["native", "code"]),
    default="native",
    show_default=True,
    help="May it run code of its own?",
)
@surface_option
@budget_option("Wall clock of one episode.")
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="Episodes of each objective.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The first seed.")
@click.option("--parallel", type=click.IntRange(min=1), default=1, show_default=True, help="Episodes at once.")
@click.option(
    "--attempts", type=click.IntRange(min=1), default=2, show_default=True, help="At most, after technical failures."
)
@click.option("--resume", is_flag=True, help="Skip the episodes that have a grade below --out.")
@lang_option
@screenshots_option
@out_option
@browser_option
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Where a person's browser finds the suite.")
@click.option("--json", "as_json", is_flag=True, help="Print each result as one JSON line.")
def run(
    ref: str | None,
    games: tuple[str, ...],
    tiers: tuple[str, ...],
    whole: bool,
    out: Path,
    parallel: int,
    attempts: int,
    resume: bool,
    as_json: bool,
    **terms: Any,
) -> None:
    """Let an agent play objectives (a game at a difficulty) of a snapshot and grade it.

    SPEC is oracle, random, greedy, cautious or human; openai:MODEL or anthropic:MODEL; "command:PROGRAM ARGS";
    module:Class or path/to/file.py:Class; or what a package registers as lpb_gen.agents. docs/playing.md tells more.

    Each episode has a process of its own; lpb-gen --debug run plays in this one, for a debugger.

    The exit code is 0 when every episode has a grade, whatever it is, and 1 when a technical failure left one without.

    \b
    Example:
      lpb-gen run --game maze --tier hard --agent oracle
      lpb-gen run --snapshot v2026.12.0 --all --agent my_agent.py:Agent --parallel 4 --resume
      lpb-gen run --game rush --tier easy --tier hard --agent random --seeds 5 --surface direct --json
    """
    from .attempts import Ways
    from .campaign import played

    if not whole and not (games and tiers):
        raise click.UsageError("name what to play: --game and --tier, or --all")
    if whole and tiers:
        raise click.UsageError("--all and --tier exclude one another")
    if terms["spec"] == HUMAN and (parallel > 1 or terms["surface"] == "direct"):
        raise click.UsageError("a person plays one episode at a time, in a browser")
    plays = _plays(ref, games, tiers, whole, **terms)
    here = terms["spec"] == HUMAN or bool((click.get_current_context().find_root().obj or {}).get("debug"))
    ways = Ways(out=out, parallel=parallel, attempts=attempts, resume=resume, here=here)
    found: list[Trial] = []
    try:
        with stoppable(signal.SIGTERM), watching(len(plays)) as watch:  # batch systems send it
            for one in played(plays, ways, watch):
                found.append(one)
                watch.over(one)
                if as_json:
                    _print_json(one)
    except KeyboardInterrupt:
        click.echo(f"{len(found)} of {counted(len(plays), 'episode')} ended; --resume goes on after them", err=True)
        raise
    if not as_json:
        _print(found, out)
    if not all(one.last.scored for one in found):
        raise click.exceptions.Exit(1)


def _plays(
    ref: str | None,
    games: tuple[str, ...],
    tiers: tuple[str, ...],
    whole: bool,
    *,
    spec: str,
    options: list[tuple[str, str]],
    label: str | None,
    seed: int,
    seeds: int,
    surface: str,
    **terms: Any,
) -> list[Play]:
    from ..pipeline.storage import shown
    from .plan import Play, agent_words, chosen

    snapshot = load_snapshot(ref)
    everything = offered(snapshot)
    for game in games if not whole and len(games) == len(tiers) == 1 else ():
        objective_of(snapshot, game, tiers[0])  # raises with what there is instead
    objectives, left_out = chosen(everything, games, tiers, whole)
    for line in left_out:
        click.echo(f"{line}: left out", err=True)
    agent = agent_words(spec, options, label)
    return [
        Play(
            objective=objective,
            offered=tuple(everything),
            pin={"reference": ref and shown(ref), **snapshot.pin.to_json()},
            agent=agent,
            seed=number,
            surface="person" if spec == HUMAN else surface,
            **terms,
        )
        for objective in objectives
        for number in range(seed, seed + seeds)
    ]


# --- while it runs ----------------------------------------------------------------------------------------------------


@contextmanager
def watching(episodes: int) -> Iterator[Any]:
    """Shows on standard error how far everything is."""
    from ..pipeline.progress import counting
    from .attempts import Watching
    from .report import one_line

    with counting("episodes", episodes) as counter:

        class Shown(Watching):
            def update(self) -> None:
                parts = [f"{name} {won}/{of} step {step}" for name, (won, of, step) in self.under_way.items()]
                counter.note = " · ".join(parts)
                counter.update(counter.done)

            def say(self, text: str) -> None:
                counter.say(" ".join(text.split()))

            def over(self, one: Trial) -> None:
                if episodes > 1:
                    self.say(one_line(one.play.name, one.last.result, skipped=one.last.skipped))
                counter.advance()

        yield Shown()


# --- what came of it --------------------------------------------------------------------------------------------------


def _print_json(one: Trial) -> None:
    from ..pipeline.level import canonical_json

    own = {
        "record": str(one.last.record) if one.last.record else None,
        "seed": one.play.seed,
        "setting": one.play.setting,
        "episode_key": one.play.key,
        "attempt": one.last.number,
        "skipped": one.last.skipped,
        "failed_attempts": [str(a.record) for a in one.attempts[:-1] if a.record],
    }
    click.echo(canonical_json({**one.last.result, **own}))


def _print(found: list[Trial], out: Path) -> None:
    from rich.console import Console

    from .report import print_result, print_summary

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDEST)
    if len(found) == 1:
        [one] = found
        print_result(one.last.result, console, where=str(one.last.record or "none"))
        return
    rows = [(one.play.name, one.last.number, one.last.result, one.last.record) for one in found]
    print_summary(rows, console)
    console.print(f"next: lpb-gen score {out}", style="dim", soft_wrap=True)
