"""``lpb-gen show``: boards by id, text or file, in the terminal or as a picture."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import click

from ..games import GAMES
from ..games.base import AnyGame, LpbError
from ..pipeline.boards import Entry, parse, read_boards
from ..pipeline.commands_levels import find_game
from ..verifiers import VERIFIERS
from ..verifiers.certificate import FIGURES

ID = re.compile(r"[0-9a-f]{4,64}")


@dataclass(frozen=True, slots=True)
class Shown:
    """A board to show, what it is called, and the figures that are known of it."""

    game: AnyGame
    board: Any
    name: str
    figures: dict[str, Any] = field(default_factory=dict)


def find_shown(what: str, game_name: str | None, ref: str | None) -> Iterator[Shown]:
    """The boards that ``what`` names. Raises LpbError where it names none."""
    if what == "-":
        yield from _from_lines(sys.stdin, "standard input", game_name)
    elif _is_file(what):
        with open(what, encoding="utf-8", errors="replace") as file:
            yield from _from_lines(file, what, game_name)
    elif ID.fullmatch(what) and (ref is not None or game_name is None):
        yield _from_snapshot(what, ref)
    elif "/" in what or "." in what or what.startswith("{") or _is_one_board(what, game_name):
        if what.endswith((".jsonl", ".json", ".txt")):
            raise LpbError("there is no such file", where=what)
        yield from _from_lines([what], "the board", game_name or _only_game())
    else:
        raise LpbError(f"{what!r} is no file, level id or board", where="show", fix="see lpb-gen show --help")


def _is_file(what: str) -> bool:
    try:
        return Path(what).is_file()
    except OSError:  # longer than a file's name can be
        return False


def _is_one_board(what: str, game_name: str | None) -> bool:
    """Whether the game whose name is given reads these letters alone as a board."""
    game = GAMES.get(game_name or "")
    return game is not None and game.is_one_board is not None and game.is_one_board(what)


def _only_game() -> str | None:
    return next(iter(GAMES)) if len(GAMES) == 1 else None


def _from_lines(lines: Any, where: str, game_name: str | None) -> Iterator[Shown]:
    reader = find_game(game_name or _only_game() or next(iter(GAMES)))  # only the text notation depends on it
    for entry in read_boards(reader, lines):
        name = entry.extra.get("game", game_name or _only_game())
        if not isinstance(name, str):
            raise LpbError("the line does not say which game", where=f"{where}:{entry.line}", fix="give --game")
        game = find_game(name)
        try:
            board = parse(game, entry)
        except LpbError as error:
            raise LpbError(str(error), where=f"{where}:{entry.line}") from None
        yield Shown(game, board, _name(entry), _figures(entry, name))


def _name(entry: Entry) -> str:
    level_id = entry.extra.get("id")
    return level_id[:12] if isinstance(level_id, str) else f"line {entry.line}"


def _figures(entry: Entry, game: str) -> dict[str, Any]:
    nested = entry.extra.get("figures")
    source = nested if isinstance(nested, dict) else entry.extra
    return {name: source[name] for name in (*FIGURES, *VERIFIERS[game].figures) if name in source}


def _from_snapshot(prefix: str, ref: str | None) -> Shown:
    from ..pipeline import snapshot as snapshots

    snapshot = snapshots.load(ref, Path.cwd())
    found = [level for levels in snapshot.cells.values() for level in levels if level.id.startswith(prefix)]
    if not found:
        raise LpbError(
            f"no level's id begins with {prefix}", where="show", fix="give --snapshot, or see the level files"
        )
    if len(found) > 1:
        raise LpbError(f"{len(found)} levels' ids begin with {prefix}", where="show", fix="give more of the id")
    level = found[0]
    game = GAMES[level.game]
    return Shown(game, game.board(level.board), f"{level.id[:12]} ({level.game} {level.tier})", dict(level.figures))


def print_shown(shown: Sequence[Shown]) -> None:
    """Boards in the terminal, in colour where it has any, with their figures."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    inks = {"#": "on grey37", ".": "on grey93", "o": "on dark_orange", "@": "bold blue on dark_orange"}
    for item in shown:
        drawing = Text()
        lines = item.game.write(item.board, item.game.start(item.board)).splitlines()
        painted = console.is_terminal and "NO_COLOR" not in os.environ and set().union(*lines) <= inks.keys()
        for line in lines:
            for cell in line:
                if painted:  # a board of floor and walls only: cells as squares
                    drawing.append({"@": "● "}.get(cell, "  "), style=inks[cell])
                else:
                    drawing.append(cell)
            drawing.append("\n")
        table = Table.grid(padding=(0, 2))
        for name, value in item.figures.items():
            table.add_row(name, told(value))
        console.print(Text(f"{item.game.title['en']}  {item.name}", style="bold"))
        console.print(drawing, end="")
        console.print(table)


def told(value: Any) -> str:
    """A figure in words: "-" for one that is unknown or has no meaning."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {told(one)}" for name, one in value.items())
    return " ".join(map(told, value)) if isinstance(value, list | tuple) else str(value)


def write_picture(shown: Sequence[Shown], target: Path) -> None:
    """One board, or a sheet of several, as a PNG file, written whole or not at all."""
    from ..pipeline.files import write_whole
    from .suite import picture

    if len(shown) == 1:
        data = picture.board_png(shown[0].game, shown[0].board)
    else:
        data = picture.sheet_png([(item.game, item.board, _caption(item)) for item in shown])
    write_whole(target, data)


def _caption(item: Shown) -> str:
    length = item.figures.get("optimal_length")
    return item.name if length is None else f"{item.name}  ·  {length}"


@click.command()
@click.argument("level", metavar="LEVEL|FILE|-")
@click.option("--game", "game_name", default=None, metavar="GAME", help="The game, where the input does not say it.")
@click.option("--png", type=click.Path(dir_okay=False, path_type=Path), help="Write a picture instead.")
@click.option("--snapshot", "ref", default=None, metavar="REF", help="Where to look a level id up (default: here).")
@click.option(
    "--limit", default=12, show_default=True, type=click.IntRange(min=1), help="Show at most so many boards of a file."
)
def show(level: str, game_name: str | None, png: Path | None, ref: str | None, limit: int) -> None:
    """Show boards in the terminal, or as a picture with --png.

    LEVEL is the beginning of a level's id in the snapshot, a board in text notation, a FILE of boards, or "-".

    \b
    Example:
      lpb-gen generate --game maze | lpb-gen show -
      lpb-gen show --game maze "S..#/.#../...." --png board.png
      lpb-gen show 3f9a6c
    """
    shown = find_shown(level, game_name, ref)
    found = list(islice(shown, limit + 1))
    if not found:
        raise LpbError("no boards", where=level, fix="give JSON lines or the game's text notation")
    if png is not None:
        write_picture(found[:limit], png)
        click.echo(f"wrote {png}")
    else:
        print_shown(found[:limit])
    if len(found) > limit:
        first = "the first board" if limit == 1 else f"the first {limit} boards"
        click.echo(f"these are {first} of more; --limit {2 * limit} takes up to {2 * limit}", err=True)
