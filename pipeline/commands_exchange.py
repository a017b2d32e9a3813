"""``lpb-gen import`` and ``export``: levels that come from elsewhere, and levels that go elsewhere."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..games.base import LpbError
from ..games.wording import counted
from .commands_catalogue import current_repository, note, stoppable
from .commands_levels import AUTO_PARALLEL, find_game, game_option
from .notations import ORDERS
from .options import json_option, only_one, workforce_options

if TYPE_CHECKING:
    from .collection import Collection, Doors, Report
    from .export import About
    from .importing import Examine
    from .refresh import Refreshed
    from .snapshot import Snapshot
    from .workers import Workforce

MOST_BYTES = 1 << 30  # of a collection
FORMATS = ("jsonl", "parquet", "hf")
EXAMPLES = {  # of what a dataset states beside its snapshot
    "url": "https://huggingface.co/datasets/me/levels",
    "creator": "'A Maintainer'",
    "date": "2026-12-01",
}


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
@workforce_options
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
    workforce: Workforce,
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
    from .collection import Collection
    from .importing import Wish, import_levels, intended_import

    find_game(game_name)
    if any_difficulty and tier is None:
        raise click.UsageError("--any-difficulty needs --tier.")
    for name, text in (("--source", source), ("--licence", licence)):
        if not text.isprintable():
            raise LpbError("it is not one line of text", where=name)
    named, data = _collection(file)
    collection = Collection(game=game_name, name=named, data=data, source=source, licence=licence, order=order)
    wish = Wish(collection=collection, tier=tier, gated=not any_difficulty)
    look = _looking(workforce)
    if dry_run:
        report, done = intended_import(current_repository(), wish, look), None
    else:
        with stoppable():
            done, report = import_levels(current_repository(), wish, look, workforce=workforce, note=note)
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


def _looking(workforce: Workforce) -> Examine:
    """``importing.examine`` with as many workers, telling people what it finds as it ends."""
    from .collection import examine
    from .progress import counting
    from .workers import executor

    def look(collection: Collection, doors: Doors) -> Report:
        with counting("boards", None) as progress:

            def tick(done: int, total: int) -> None:
                progress.total = total
                progress.update(done)

            report = examine(collection, doors, lambda boards: executor(*_fitting(workforce, boards)), tick)
        for line in (*(f"{one.place}: {one.what}" for one in report.skipped), *map(str, report.differs)):
            note(line)
        return report

    return look


def _fitting(workforce: Workforce, boards: int) -> Workforce:
    """As many of the processes as are worth starting."""
    return workforce._replace(processes=max(1, min(workforce.processes, boards // AUTO_PARALLEL)))


def _show(report: Report, done: Refreshed | None) -> None:
    counts = "".join(f", {number} {reason.replace('_', ' ')}" for reason, number in report.counts().items())
    number = sum(map(len, report.cells.values()))
    click.echo(f"{counted(report.read, 'board')} read: {number} {'imported' if done else 'can be imported'}{counts}")
    now = {cell.cell: cell for cell in done.cells} if done else {}
    for cell, boards in report.cells.items():
        made = now.get(cell)
        ends = dict.fromkeys((made.optimal_length if made else None) or ())
        lengths = " to ".join(map(str, ends))
        more = f", optimal length {lengths}; it has {counted(made.levels, 'level')} now" if made else ""
        click.echo(f"  {cell.game} {cell.tier}: {len(boards)}{more}")
    if done:
        click.echo(f"commit {done.commit}, manifest sha256 {done.snapshot.pin.digest}")
    else:
        click.echo("nothing was changed")


# --- export -----------------------------------------------------------------------------------------------------------


@click.command()
@click.option(
    "--snapshot", "ref", metavar="REF", help="A pin, commit, folder or URL#TAG.  [default: the catalogue here]"
)
@click.option("--format", "format_", type=click.Choice(FORMATS), required=True, help="What to write.")
@click.option("--out", required=True, metavar="FILE|DIR|-", help="A file, for hf a folder; - is standard output.")
@click.option("--game", metavar="GAME", multiple=True, callback=only_one, help="Only this game.")
@click.option("--tier", metavar="TIER", multiple=True, callback=only_one, help="Only this tier.")
@click.option("--url", help="For hf: the dataset's page.  [default: the web address of the Git remote]")
@click.option("--creator", help="For hf: who made it.  [default: the author of the snapshot's commit]")
@click.option("--date", help="For hf: when it was published, YYYY-MM-DD.  [default: the date of the snapshot's commit]")
@json_option
def export(
    ref: str | None,
    format_: str,
    out: str,
    game: str | None,
    tier: str | None,
    url: str | None,
    creator: str | None,
    date: str | None,
    as_json: bool,
) -> None:
    """Write a snapshot's levels for others: JSON lines (byte for byte as in the snapshot), one Parquet file with the
    figures as columns, or a dataset folder for the Hugging Face Hub with dataset card and Croissant metadata. The last
    two need pyarrow: pip install 'lpb-gen[parquet]'.

    \b
    Example:
      lpb-gen export --snapshot v2026.12.0 --format jsonl --out levels.jsonl
      lpb-gen export --format hf --out dataset --url https://huggingface.co/datasets/me/levels
    """
    from .export import jsonl_bytes, select, table_bytes, write_dataset, write_file
    from .parquet import require_pyarrow
    from .snapshot import load

    if format_ != "jsonl":
        require_pyarrow(where=f"--format {format_}")
    if out == "-" and format_ == "hf":
        raise LpbError("a folder cannot be written to standard output", where="--out", fix="name a folder: --out DIR")
    snapshot = load(ref, Path.cwd())
    cells = select(snapshot, game, tier)
    if format_ == "hf":
        done = write_dataset(Path(out), snapshot, cells, _about(snapshot, url, creator, date))
    else:
        data = jsonl_bytes(snapshot, cells) if format_ == "jsonl" else table_bytes(snapshot, cells)
        if out == "-":
            sys.stdout.buffer.write(data)
            return
        done = write_file(Path(out), data, cells)
    told = {"out": out, "levels": done.levels, "bytes": done.bytes, **snapshot.pin.to_json()}
    click.echo(
        json.dumps(told)
        if as_json
        else f"{out}: {counted(done.levels, 'level')}, {counted(done.bytes, 'byte')}, {snapshot.pin}"
    )


def _about(snapshot: Snapshot, url: str | None, creator: str | None, date: str | None) -> About:
    """What the dataset says of itself. Raises LpbError where it is neither given nor known."""
    from .export import About, licence_of

    known = _known(snapshot)
    found = {
        "url": url or known.get("url"),
        "creator": creator or known.get("creator"),
        "date": date or known.get("date"),
    }
    missing = [name for name, value in found.items() if not value]
    if missing:
        what = f"a dataset states its {' and '.join(missing)}, which this snapshot does not say"
        fix = " ".join(f"--{name} {EXAMPLES[name]}" for name in missing)
        raise LpbError(what, where="--format hf", fix=f"add {fix}")
    if not re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])", str(found["date"])):
        raise LpbError(f"{found['date']!r} is not a date", where="--date", fix="write YYYY-MM-DD")
    if not re.fullmatch(r"https?://\S+", str(found["url"])):
        raise LpbError(f"{found['url']!r} is not a web address", where="--url", fix="write https://…")
    tag = snapshot.pin.tag
    version = re.fullmatch(r"v?([0-9]+\.[0-9]+\.[0-9]+)", tag or "")
    name = str(snapshot.manifest.get("name") or "lpb-gen levels")
    return About(
        name=f"{name} {tag}" if tag else name,
        version=version[1] if version else None,
        licence=licence_of(snapshot),
        cite=str(snapshot.pin),
        url=str(found["url"]),
        creator=str(found["creator"]),
        date=str(found["date"]),
    )


def _known(snapshot: Snapshot) -> dict[str, str]:
    """What the snapshot's repository knows: its web address, and the snapshot's author and day."""
    repository, commit = snapshot.repository, snapshot.pin.commit
    if repository is None or commit is None:
        return {}
    words = ("-c", "log.showSignature=false", "show", "--no-patch", "--format=%an%n%cs", commit)
    creator, date = repository.git(*words).splitlines()[:2]
    known = {"creator": creator, "date": date}
    remotes = repository.git("remote").splitlines()
    if remotes:
        address = repository.git("remote", "get-url", "origin" if "origin" in remotes else remotes[0])
        if re.fullmatch(r"https?://[^@\s]+", address):  # one with a password in it is nobody's business
            known["url"] = address.removesuffix(".git")
    return known
