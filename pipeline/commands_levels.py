"""``lpb-gen generate`` and ``certify``: levels without a repository."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from typing import IO, Any

import click

from ..games import GAMES
from ..games.base import AnyGame, LpbError
from .boards import Entry, parse, read_boards
from .options import cluster_option
from .tiers import all_figures

AUTO_PARALLEL = 16  # boards; so many are certified in this process, sooner than workers would be up
OWN_KEYS = frozenset(
    {"line", "error", "unsolvable", "solution", "proof", "certificate", "dedup_key", "game", "rules_version", "figures"}
)  # what certify says of a board beside its figures: never passed through from its input

game_option = click.option("--game", "game_name", required=True, metavar="GAME", help=f"One of: {', '.join(GAMES)}.")


def find_game(name: str) -> AnyGame:
    """Raises LpbError where there is no such game."""
    if name not in GAMES:
        raise LpbError(f"there is no game {name!r}", where="--game", fix=f"use one of {', '.join(GAMES)}")
    return GAMES[name]


@click.command()
@game_option
@click.option("--where", multiple=True, metavar="FIGURE=BAND", help="Bands on certified figures; may be repeated.")
@click.option("--count", default=1, show_default=True, type=click.IntRange(min=1), help="How many levels.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed, the same levels."
)
@click.option("--workers", default=1, show_default=True, help="Processes; they change the speed, never the levels.")
@cluster_option
@click.option("--set", "settings", multiple=True, metavar="PARAM=JSON", help="A generator parameter, instead of ours.")
@click.option(
    "--patience",
    default=200,
    show_default=True,
    type=click.IntRange(min=1),
    help="Give up after so many candidates in a row without a level.",
)
def generate(
    game_name: str,
    where: tuple[str, ...],
    count: int,
    seed: int,
    workers: int,
    cluster: str | None,
    settings: tuple[str, ...],
    patience: int,
) -> None:
    """Make certified levels to order and write them to standard output, one JSON line each.

    \b
    Example:
      lpb-gen generate --game maze --where "optimal_length=18..25" --count 5 > levels.jsonl
      lpb-gen generate --game maze --where "optimal_length=13..16,nearest_ratio=1.4.." --seed 7
    """
    from ..generators import GENERATORS
    from .production import Order, make_levels
    from .progress import counting
    from .reach import require_reachable
    from .tiers import read_where
    from .workers import executor

    find_game(game_name)
    gate = read_where(where, game_name)
    wish = {name: (band.low, band.high) for name, band in gate.items() if band.word is None}
    generator = GENERATORS[game_name]
    params = {**generator.ask(wish), **_settings(settings)}
    require_reachable(game_name, [params], gate)  # what cannot be is told before any work, as is a wrong parameter
    order = Order(game_name, "", params, gate, seed, 0)
    with executor(workers, cluster) as pool, counting("levels", count) as progress:
        for level in make_levels(order, count, pool, patience=patience, tick=partial(progress.tally, gate=gate)):
            click.echo(level.to_line())


def _settings(words: tuple[str, ...]) -> dict[str, Any]:
    """``--set`` words as parameters; a value that is not JSON is a string."""
    params = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise LpbError(f"{word!r} has no '='", where="--set", fix="write --set size=[10,10]")
        try:
            params[name] = json.loads(value)
        except (ValueError, RecursionError):
            params[name] = value
    return params


@click.command()
@game_option
@click.argument("file", metavar="FILE|-", type=click.File("r", encoding="utf-8", errors="replace"))
@click.option("--workers", default=0, help="Processes; by default one, or every core where there are many boards.")
@cluster_option
def certify(game_name: str, file: IO[str], workers: int, cluster: str | None) -> None:
    """Prove the optimum of any boards and compute every figure: one JSON line a board on standard output.

    FILE holds JSON lines ({"board": ...}; other keys are passed through, but for those that certify writes itself) or
    the game's text notation: rows separated by "/", or one row a line with an empty line between boards. A board that
    is malformed or proven unsolvable gets a line with "error"; the exit code is 1 then, and the other boards are still
    certified. With --workers 1 each board is answered before the next is read. A line has the shape of a level, as
    generate prints it, and more: docs/exchange.md.

    \b
    Example:
      echo "..##/..../#.../...#/..../S..." | lpb-gen certify --game maze -
    """
    from .progress import counting

    game = find_game(game_name)
    boards = failures = 0
    with counting("boards", None) as progress:
        for line in _certified(game, read_boards(game, file), workers, cluster):
            boards += 1
            failures += "error" in line
            click.echo(json.dumps(line, allow_nan=False))
            progress.advance()
    if not boards:
        raise LpbError("no boards", where=file.name, fix="give JSON lines or the game's text notation")
    sys.exit(1 if failures else 0)


def _certified(game: AnyGame, entries: Iterator[Entry], workers: int, cluster: str | None) -> Iterator[dict[str, Any]]:
    """The line of each entry, in order; ``workers`` 0: the first few here and at once, the others on every core."""
    from .workers import executor, in_order

    task = partial(certified_line, game.name)
    if not workers and not cluster:
        yield from map(task, islice(entries, AUTO_PARALLEL))
        following = next(entries, None)
        if following is None:
            return
        entries, workers = chain([following], entries), os.cpu_count() or 1
    with executor(workers, cluster) as pool:
        for _, line in in_order(pool, task, entries):
            yield line


def certified_line(game_name: str, entry: Entry) -> dict[str, Any]:
    """What ``certify`` prints of one entry: the certified figures, or ``error``."""
    from .level import make_level
    from .proving import Refuted, prove

    game = GAMES[game_name]
    own = OWN_KEYS.union(all_figures())
    extra = {key: value for key, value in entry.extra.items() if key not in own}
    try:
        board = parse(game, entry)
        certificate, figures = prove(game, board)
    except Refuted as error:
        found = {"error": error.what, "unsolvable": True, "proof": error.proof}
        return {**extra, "line": entry.line, "board": game.dump(board), **found}
    except LpbError as error:
        return {**extra, "line": entry.line, "board": entry.board, "error": str(error)}
    level = make_level(game, board, certificate, figures, provenance={}).to_json()
    ours = {"line": entry.line, "solution": certificate.solution, "proof": certificate.proofs[0], **figures}
    return {**extra, **ours, **level, **{key: extra[key] for key in ("tier", "provenance") if key in extra}}
