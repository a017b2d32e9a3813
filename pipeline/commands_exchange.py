"""``lpb-gen import`` and ``export``: levels that come from elsewhere, and levels that go elsewhere."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from ..games.base import LpbError
from .commands_catalogue import current_repository, json_option, note, stoppable, workers_option
from .commands_levels import find_game, game_option
from .notations import ORDERS

if TYPE_CHECKING:
    from .importing import Collection, Doors, Examine, Report
    from .refresh import Refreshed

MOST_BYTES = 1 << 30  # of a collection


# --- import -----------------------------------------------------------------------------------------------------------


@click.command("import")
@game_option
@click.argument("file", metavar="FILE|-")
@click.option("--tier", help="The tier to import to.  [default: for each board the first tier whose gate admits it]")
@click.option("--any-difficulty", is_flag=True, help="Import to --tier whatever its gate says.")
@click.option("--source", default="", help="Where the levels come from; every level keeps it.")
@click.option("--licence", default="", help="Under which licence they come; every level keeps it.")
@click.option("--order", type=click.Choice(ORDERS), default=ORDERS[0], show_default=True, help="How tubes are written.")
@click.option("--dry-run", is_flag=True, help="Prove the boards and say what would be imported; change nothing.")
@workers_option
@json_option
def import_(
    game_name: str,
    file: str,
    tier: str | None,
    any_difficulty: bool,
    source: str,
    licence: str,
    order: Any,
    dry_run: bool,
    workers: int,
    as_json: bool,
) -> None:
    """Certify levels that people have and add them to the catalogue, in a new snapshot, committed.

    FILE: Rush Hour boards of 36 characters a line, with or without counts before and behind them; water-sort JSON; rows
    with an empty line between boards; or what certify reads. Boards that are malformed, unsolvable or unproven are told
    one a line, the others are imported, and the exit code is 1 then. No board comes in that, turned or mirrored, the
    catalogue has or ever had.

    \b
    Example:
      lpb-gen import --game rush --tier hard rush.txt --source https://example.org/rush --licence MIT
      lpb-gen import --game nut water-sort.json --order top-first --dry-run
    """
    from .importing import Collection, Wish, import_levels, intended_import

    find_game(game_name)
    if any_difficulty and tier is None:
        raise click.UsageError("--any-difficulty needs --tier.")
    for name, text in (("--source", source), ("--licence", licence)):
        if not text.isprintable():
            raise LpbError("it is not one line of text", where=name)
    named, data = _collection(file)
    collection = Collection(game=game_name, name=named, data=data, source=source, licence=licence, order=order)
    wish = Wish(collection=collection, tier=tier, gated=not any_difficulty)
    look = _looking(workers)
    if dry_run:
        report, done = intended_import(current_repository(), wish, look), None
    else:
        with stoppable():
            done, report = import_levels(current_repository(), wish, look, workers=workers, note=note)
    if as_json:
        click.echo(json.dumps({**report.to_json(), **(done.to_json() if done else {})}))
    else:
        _show(report, done)
    sys.exit(1 if report.has_faults else 0)


def _collection(file: str) -> tuple[str, bytes]:
    """The name without the folder, and the bytes. Raises LpbError."""
    if file == "-":
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        if not os.path.isfile(file):
            raise LpbError("there is no such file", where=file)
        with open(file, "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise LpbError("more than 1 GiB", where=file, fix="split it")
    return ("standard input" if file == "-" else os.path.basename(file)), data


def _looking(workers: int) -> Examine:
    """``importing.examine`` with as many workers, telling people what it finds as it ends."""
    from .importing import examine
    from .progress import counting
    from .workers import executor

    def look(collection: Collection, doors: Doors) -> Report:
        with executor(workers) as pool, counting("boards", None) as progress:

            def tick(done: int, total: int) -> None:
                progress.total = total
                progress.update(done)

            report = examine(collection, doors, pool, tick)
        for line in (*(f"{one.place}: {one.what}" for one in report.skipped), *map(str, report.differs)):
            note(line)
        return report

    return look


def _show(report: Report, done: Refreshed | None) -> None:
    counts = "".join(f", {number} {reason.replace('_', ' ')}" for reason, number in report.counts().items())
    number = sum(map(len, report.cells.values()))
    click.echo(f"{report.read} boards read: {number} {'imported' if done else 'can be imported'}{counts}")
    now = {cell.cell: cell for cell in done.cells} if done else {}
    for cell, boards in report.cells.items():
        made = now.get(cell)
        low, high = (made.optimal_length if made else None) or (0, 0)
        more = f", optimal length {low} to {high}; it has {made.levels} levels now" if made else ""
        click.echo(f"  {cell.game} {cell.tier}: {len(boards)}{more}")
    if done:
        click.echo(f"commit {done.commit}, manifest sha256 {done.snapshot.pin.digest}")
    else:
        click.echo("nothing was changed")
