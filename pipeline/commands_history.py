"""``lpb-gen diff``, ``log`` and ``verify``: what a catalogue was, is, and whether what it says is true."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..games.wording import counted
from .commands_catalogue import current_repository, show
from .options import json_option, workforce_options

if TYPE_CHECKING:
    from .changelog import Change
    from .diff import CellDiff, Diff, Entry
    from .revisions import Pin
    from .verification import Report
    from .workers import Workforce

SHOWN = 12  # digits of an id


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", default=".")
@json_option
def diff(first: str, second: str, as_json: bool) -> None:
    """Compare two snapshots level by level: what B has that A has not, what was retired and why, what stayed, and every
    figure side by side. A and B are pins, commits, folders or URL#TAG; without B, it is the work tree's snapshot.

    Files are compared with their manifests; `lpb-gen verify` looks into the levels.

    \b
    Example:
      lpb-gen diff v2026.12.0 v2027.3.0
      lpb-gen diff v2026.12.0 --json | jq -r '.cells[].retired[].id'
    """
    from .diff import diff as compare
    from .snapshot import load_sealed

    found = compare(load_sealed(first, Path.cwd()), load_sealed(second, Path.cwd()))
    if as_json:
        for part in found.json():
            click.echo(part, nl=False)
        click.echo()
    else:
        _show_diff(found)


@click.command()
@click.argument("reference", metavar="[REF]", default="HEAD")
@json_option
def log(reference: str, as_json: bool) -> None:
    """Tell what became of the catalogue, newest first: the snapshots that REF (a pin, a commit, URL#TAG; default: the
    current one) has grown from, with what each added and retired, and why.

    \b
    Example:
      lpb-gen log
      lpb-gen log v2026.12.0 --json | jq '.[0].cells[].added'
    """
    from .changelog import changes
    from .elsewhere import InRepository, locate, open_repository
    from .revisions import resolve

    elsewhere = locate(reference, Path.cwd())
    if isinstance(elsewhere, InRepository):
        repository, newest = open_repository(elsewhere)
    else:
        repository = current_repository()
        newest = resolve(repository, reference)
    found = changes(repository, newest)
    if as_json:
        click.echo(json.dumps([change.to_json() for change in found]))
        return
    for change in found:
        for line in _told(change):
            click.echo(line)


@click.command()
@click.option(
    "--snapshot", "ref", metavar="REF", help="A pin, commit, folder or URL#TAG (default: the catalogue here)."
)
@workforce_options
@json_option
def verify(ref: str | None, workforce: Workforce, as_json: bool) -> None:
    """Prove every certificate of a snapshot again, with the verifiers alone: each solution is replayed, each minimum
    established anew, and every figure computed and compared with the stored one. The exit code is 1 where a level
    fails; standard output names it.

    \b
    Example:
      lpb-gen verify
      lpb-gen verify --snapshot v2026.12.0 --workers 8 --json
    """
    from .progress import counting
    from .snapshot import load_sealed
    from .verification import verify as prove
    from .workers import executor

    snapshot = load_sealed(ref, Path.cwd())
    total = sum(data.count(b"\n") for data in snapshot.files.values())
    with executor(*workforce) as pool, counting("levels verified", total) as progress:
        report = prove(snapshot, pool, progress.update)
    if as_json:
        click.echo(json.dumps({"snapshot": snapshot.pin.to_json(), **report.to_json()}))
    else:
        _show_report(report, snapshot.pin)
    if report.failures:
        raise click.exceptions.Exit(1)


def _show_report(report: Report, pin: Pin) -> None:
    from rich.table import Table

    table = Table()
    for title in ("game", "proven", "failed", "minimum established by"):
        table.add_column(title, justify="right" if title in ("proven", "failed") else "left", overflow="fold")
    for game, counts in sorted(report.games.items()):
        methods = ", ".join(f"{method} {number}" for method, number in sorted(report.proofs[game].items()))
        table.add_row(game, str(counts["proven"]), str(counts["failed"]), methods)
    show(table)
    for failure in report.failures:
        click.echo(f"FAILED {failure.id or '(no id)'} {failure.where}: {failure.why}")
    verdict = "every certificate holds" if not report.failures else f"{len(report.failures)} failed"
    click.echo(f"{counted(report.levels, 'level')}, {verdict}: {pin}")


def _told(change: Change) -> Iterator[str]:
    name = change.pin.tag or "(not pinned)"
    yield f"{name}  {change.date}  commit {str(change.pin.commit)[:SHOWN]}  {counted(change.levels, 'level')}"
    for cell, what in change.cells.items():
        parts = [f"+{number} {reason}".rstrip() for reason, number in sorted(what.added.items())]
        parts += [f"-{number} {reason}".rstrip() for reason, number in sorted(what.retired.items())]
        yield f"  {cell}: {'; '.join(parts)} ({what.levels} now)"
    if not change.cells:
        yield "  the same levels as before"
    yield ""


def _show_diff(found: Diff) -> None:
    from rich.table import Table

    click.echo(f"A: {found.first}\nB: {found.second}")
    table = Table()
    titles = ("cell", "levels", "added", "retired", "gone", "changed", "same", "optimal length in A", "in B")
    for title in titles:
        table.add_column(title, justify="left" if title == "cell" else "right", overflow="fold")
    for cell, one in found.cells.items():
        counts = (len(many) for many in (one.added, one.retired, one.gone, one.changed, one.unchanged))
        lengths = (str(side["optimal_length"]) if "optimal_length" in side else "-" for side in one.figures)
        before, after = one.levels
        levels = str(after) if before == after else f"{before} → {after}"
        table.add_row(str(cell), levels, *map(str, counts), *lengths)
    show(table)
    for cell, one in found.cells.items():
        lines = [*_listed(one), *_figures(one)]
        if lines:
            click.echo("\n".join([f"\n{cell}", *lines]))


def _listed(one: CellDiff) -> Iterator[str]:
    kinds: Sequence[tuple[str, str, list[Entry]]] = (
        ("+", "", one.added),
        ("-", "retired", one.retired),
        ("-", "gone, without a tombstone", one.gone),
    )
    for sign, word, entries in kinds:
        for entry in entries:
            why = f"{word}{': ' if word and entry.reason else ''}{entry.reason}"
            if sign == "+" and entry.reason:
                why = f"retired in A: {entry.reason}"
            yield f"  {sign} {entry.id[:SHOWN]}  optimal_length {entry.optimal_length}  {why}".rstrip()
    for number, before, after in one.changed:
        for name in sorted({*before, *after}):
            if before.get(name) != after.get(name):
                yield f"  ~ {number[:SHOWN]}  {name} {before.get(name)} → {after.get(name)}"


def _figures(one: CellDiff) -> Iterator[str]:
    """The distributions that differ."""
    first, second = one.figures
    for name in sorted({*first, *second}):
        before, after = (str(side.get(name, "-")) for side in (first, second))
        if first and second and before != after:
            yield f"    {name}: {before} → {after}"
