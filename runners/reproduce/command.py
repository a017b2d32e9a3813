"""``lpb-gen reproduce``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from .checks import Check, Reproduction


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--from",
    "place",
    metavar="DIR|URL|STORE",
    help="Where to take snapshots from, as --snapshot does.  [default: the repository here]",
)
@click.option(
    "--surface", type=click.Choice(["direct", "browser"]), default="direct", show_default=True, help="Where to replay."
)
@click.option("--browser", envvar="LPB_BROWSER", metavar="PATH", help="The browser to use [env: LPB_BROWSER].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line for each run.")
def reproduce(runs: tuple[str, ...], place: str | None, surface: str, browser: str | None, as_json: bool) -> None:
    """Reproduce recorded runs and say exactly what is equal and what is not.

    The snapshot is taken by the pin in the run's manifest.json, and every digest, level and board is checked. The
    events are scored again and compared with result.json. All inputs are replayed, and every settled state and every
    screenshot is compared. Nothing is written. The exit code is 1 where anything differs. docs/report.md tells more.

    \b
    Example:
      lpb-gen reproduce runs/20261201T101500.123Z-maze-hard-oracle-3f9a6c
      lpb-gen reproduce runs --from https://example.org/catalogue.git --json
    """
    from ..making import programs_surface
    from ..played import find_runs
    from .reproduction import reproduce as again
    from .source import Source

    folders = find_runs(runs)
    failed, source = False, Source(place, Path.cwd())
    for folder in folders:
        with _progress(folder.name) as begun:
            found = again(folder, source, partial(programs_surface, surface, browser=browser), begun=begun)
        _print(found, as_json)
        failed |= not found.reproduced
    if failed:
        raise click.exceptions.Exit(1)


@contextmanager
def _progress(name: str) -> Iterator[Callable[[int], Callable[[], None]]]:
    from ...pipeline.progress import counting

    with counting(f"{name}: events replayed", None) as progress:
        yield lambda events: progress.advance


def _print(found: Reproduction, as_json: bool) -> None:
    from ...pipeline.level import canonical_json

    if as_json:
        click.echo(canonical_json(found.to_json()))
        return
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    print_reproduction(found, console)


def print_reproduction(found: Reproduction, console: Console) -> None:
    """A line for each part, and below it the first differences."""
    from rich.text import Text

    from ..report import visible

    def say(text: str, style: str = "") -> None:
        console.print(Text(visible(text), style=style), soft_wrap=True)

    say(found.run, "bold")
    say(f"  {found.snapshot}", "dim")
    for check in found.checks:
        style = {"equal": "green", "differs": "red", "not compared": "yellow"}[check.status]
        say(f"  {check.name:<12}{_told(check)}", style)
        for difference in check.differences:
            say(f"    {_where(difference)}{difference['what']}")
            for side in ("recorded", "here"):
                if side in difference:
                    say(f"      {side:<10}{_short(difference[side])}", "dim")
        if check.compared - check.equal > len(check.differences):
            say(f"    … {check.compared - check.equal - len(check.differences)} more")
    for remark in found.remarks:
        say(f"  note: {remark}", "dim")
    say("  reproduced" if found.reproduced else "  NOT reproduced", "bold green" if found.reproduced else "bold red")


def _told(check: Check) -> str:
    if not check.compared:
        return f"not compared: {check.unchecked or 'there is none'}"
    count = f"all {check.equal} equal" if check.equal > 1 else "equal"
    if check.equal < check.compared:
        count = f"{check.equal} of {check.compared} equal" if check.equal else "differs"
    return f"{count}; {check.unchecked}" if check.unchecked else count


def _where(difference: dict[str, Any]) -> str:
    parts = [f"{name} {difference[name]}" for name in ("step", "event", "file") if name in difference]
    return f"{', '.join(parts)}: " if parts else ""


def _short(value: Any) -> str:
    from ...pipeline.level import canonical_json

    text = value if isinstance(value, str) else canonical_json(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
