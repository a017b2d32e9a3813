"""Reading boards that people have: JSON lines or a game's text notation, from a file, standard input or the shell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from ..games import GAMES
from ..games.base import AnyGame, InvalidBoard

DEPTH = 50  # of lists and objects inside each other: far more than a board has, far less than Python's own limit


@dataclass(frozen=True, slots=True)
class Entry:
    """One board as it was found. ``board`` is board JSON, not validated yet; ``error`` says why there is none;
    ``extra`` holds the other keys of a JSON line, to be passed through."""

    line: int
    board: Any = None
    error: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


def read_boards(game: AnyGame, lines: Iterable[str]) -> Iterator[Entry]:
    """The boards of a text, as they come. A line that begins with ``{`` is JSON; a line with ``/``, or one that the
    game calls a board (such as 36 characters of Rush Hour), is one board; other lines up to a blank one, or to a
    heading such as "8 8" where the game has headings, are the rows of one board."""
    block: list[str] = []
    first = 0
    for number, raw in enumerate(lines, 1):
        line = raw.strip().removeprefix("\ufeff")
        single = line.startswith("{") or "/" in line or (game.is_one_board is not None and game.is_one_board(line))
        if game.is_comment is not None and game.is_comment(line):
            continue
        heading = game.is_heading is not None and game.is_heading(line)
        if block and (single or heading or not line):
            yield Entry(first, game.read("\n".join(block)))
            block = []
        if line.startswith("{"):
            yield _json_entry(number, line)
        elif single:
            yield Entry(number, game.read(line))
        elif line:
            if not block:
                first = number
            block.append(line)
    if block:
        yield Entry(first, game.read("\n".join(block)))


def _json_entry(number: int, line: str) -> Entry:
    try:
        data = json.loads(line, parse_constant=_no_number, parse_float=_finite)
        check_depth(data, DEPTH)
    except (ValueError, RecursionError) as error:
        return Entry(number, error=f"not JSON: {str(error).splitlines()[0]}")
    extra = {key: value for key, value in data.items() if key != "board"}
    if "board" not in data:
        return Entry(number, error='the JSON object has no key "board"', extra=extra)
    return Entry(number, data["board"], extra=extra)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not a number")


def _finite(digits: str) -> float:
    """Python reads 1e999 as infinity, which JSON cannot say when the line is passed on."""
    number = float(digits)
    return number if isfinite(number) else _no_number(digits)


def check_depth(value: Any, left: int) -> None:
    """What is read must be written and sent to a worker again: both recurse more deeply than reading does."""
    if isinstance(value, dict | list):
        if not left:
            raise ValueError(f"more than {DEPTH} brackets inside each other")
        for inner in value.values() if isinstance(value, dict) else value:
            check_depth(inner, left - 1)


def parse(game: AnyGame, entry: Entry) -> Any:
    """The validated board of an entry; a board given as a string is text notation. Raises InvalidBoard."""
    if entry.error:
        raise InvalidBoard(entry.error)
    said = entry.extra.get("game", game.name)
    if said != game.name and said in GAMES:
        raise InvalidBoard(f"this line is a {said} level, not one of {game.name}", fix=f"use --game {said}")
    return game.board(game.read(entry.board) if isinstance(entry.board, str) else entry.board)
