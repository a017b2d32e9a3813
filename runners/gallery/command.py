"""``lpb-gen gallery``: every level of a snapshot or a file as a picture, on one page that needs no network."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...games.base import LpbError
from ...games.wording import counted
from ...pipeline.commands_levels import find_game
from ...pipeline.options import json_option, only_one, workers_option

if TYPE_CHECKING:
    from .exhibits import Exhibit

LEVELS_A_WORKER = 8  # fewer are drawn sooner than another process would be up


@click.command()
@click.argument("file", required=False, metavar="[FILE|-]")
@click.option(
    "--snapshot", "ref", metavar="REF", help="A pin, commit, folder or URL#TAG.  [default: the catalogue here]"
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to write: new, or a gallery.")
@click.option(
    "--game",
    "game_name",
    metavar="GAME",
    multiple=True,
    callback=only_one,
    help="Only this game; the game of a FILE that does not say it.",
)
@click.option("--tier", metavar="TIER", multiple=True, callback=only_one, help="Only this tier.")
@click.option(
    "--size", default=480, show_default=True, type=click.IntRange(120, 2000), help="Pixels of a picture's longer side."
)
@workers_option
@json_option
def gallery(
    file: str | None,
    ref: str | None,
    out: Path,
    game_name: str | None,
    tier: str | None,
    size: int,
    workers: int,
    as_json: bool,
) -> None:
    """Write one static page that shows every level as a picture with its figures, filters and sorts them, and replays
    each certificate move by move. It needs no network: open DIR/index.html, or put DIR on any web server.

    The levels are those of a snapshot, or of a FILE of JSON lines as generate and certify write them. A DIR that holds
    anything else than a gallery is not overwritten.

    \b
    Example:
      lpb-gen gallery --snapshot v2026.12.0 --out gallery
      lpb-gen generate --game rush --count 5 | lpb-gen gallery - --out rush-levels
    """
    from ...pipeline.progress import counting
    from ...pipeline.workers import executor
    from .site import FOLDER, write_gallery

    if file is not None and ref is not None:
        raise LpbError("a file and a snapshot", where="gallery", fix="name one of them")
    if game_name is not None:
        find_game(game_name)
    FOLDER.require_free(out)
    exhibits, about = _of_file(file, game_name) if file is not None else _of_snapshot(ref)
    found = [e for e in exhibits if (game_name is None or e.game == game_name) and (tier is None or e.tier == tier)]
    if not found:
        raise LpbError("no levels to show", where=file or ref or "gallery", fix="see lpb-gen gallery --help")
    width = max(1, min(workers, len(found) // LEVELS_A_WORKER))
    with executor(width) as pool, counting("levels", len(found)) as progress:
        written = write_gallery(out, found, about, pool, box=size, tick=progress.advance)
    page = out / "index.html"
    if as_json:
        told = {"page": str(page), "levels": written.levels, "files": written.files, "bytes": written.bytes}
        click.echo(json.dumps(told))
    else:
        room = f"{written.bytes / 1e6:.1f} MB in {counted(written.files, 'file')}"
        click.echo(f"{page}: {counted(written.levels, 'level')}, {room}")


def _of_snapshot(ref: str | None) -> tuple[Iterator[Exhibit], dict[str, Any]]:
    from ...pipeline.snapshot import load
    from .exhibits import from_snapshot

    snapshot = load(ref, Path.cwd())
    pin = snapshot.pin
    name = str(snapshot.manifest.get("name") or "levels")
    about = {"title": f"{name} {pin.tag}" if pin.tag else name, "source": str(pin), "snapshot": pin.to_json()}
    return from_snapshot(snapshot), about


def _of_file(file: str, game_name: str | None) -> tuple[Iterator[Exhibit], dict[str, Any]]:
    if file != "-" and not os.path.isfile(file):
        raise LpbError("there is no such file", where=file)
    name = "standard input" if file == "-" else os.path.basename(file)
    return _read(file, name, game_name), {"title": name, "source": name, "snapshot": None}


def _read(file: str, name: str, game_name: str | None) -> Iterator[Exhibit]:
    from .exhibits import from_lines

    if file == "-":
        yield from from_lines(sys.stdin, name, game_name)
        return
    with open(file, encoding="utf-8", errors="replace") as lines:
        yield from from_lines(lines, name, game_name)
