"""Collections of levels that people have, as they are found: one reader for each game's usual files.

rush     36 characters a line, with or without counts: "60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332" states the moves
         before the board and the positions after it
nut      water-sort JSON: tubes of colour names or numbers, as a list, an object, a list of levels, or one a line
others   rows, with an empty line, or a line "WIDTH HEIGHT", between boards

All also read what ``certify`` reads: JSON lines, rows separated by "/". A line that begins with ``;`` or ``//`` is a
comment; so is, in games whose boards have no ``#``, what follows one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..games.base import AnyGame
from .boards import DEPTH, Entry, check_depth, read_boards

ORDERS = ("bottom-first", "top-first")
NO_HASH_IN_BOARDS = frozenset({"rush", "nut", "bolt", "truck"})
HEADER = re.compile(r"\d{1,3}\s+\d{1,3}")
LEVELS = ("levels", "puzzles", "games", "boards", "stages")
TUBES = ("tubes", "bolts", "bottles", "vials", "flasks", "stacks", "containers")
CAPACITY = ("capacity", "height", "size", "depth", "tube_capacity", "tubeCapacity", "tube_height", "tubeHeight")
STATED = ("optimal_length", "moves", "optimal", "min_moves", "minMoves")
EMPTY = (None, "")

Order = Literal["bottom-first", "top-first"]


@dataclass(frozen=True, slots=True)
class Brought:
    """One board of a collection. ``unit``: what ``entry.line`` counts; ``moves`` and ``positions``: what the collection
    says of it, None where it says nothing."""

    entry: Entry
    unit: Literal["line", "level"] = "line"
    moves: int | None = None
    positions: int | None = None

    @property
    def place(self) -> str:
        return str(self.entry.line) if self.unit == "line" else f"level {self.entry.line}"


def read_collection(game: AnyGame, text: str, *, order: Order = "bottom-first") -> Iterator[Brought]:
    """The boards of a text in their order, not validated yet. ``order``: which end of a tube is written first."""
    text = text.removeprefix("\ufeff")
    if game.name == "nut" and text.lstrip()[:1] in ("{", "["):
        yield from _tube_levels(text, order)
        return
    lines, counts, errors = _clean(game, text.splitlines())
    found = [_brought(entry, counts) for entry in read_boards(game, lines)]
    found += [Brought(Entry(number, error=error)) for number, error in errors.items()]
    yield from sorted(found, key=lambda one: one.entry.line)


def _brought(entry: Entry, counts: dict[int, tuple[int | None, int | None]]) -> Brought:
    moves, positions = counts.get(entry.line, (_stated(entry.extra), None))
    return Brought(entry, "line", moves, positions)


def _stated(level: dict[str, Any]) -> int | None:
    return next((level[key] for key in STATED if type(level.get(key)) is int), None)


# --- lines ------------------------------------------------------------------------------------------------------------


def _clean(
    game: AnyGame, raw: Sequence[str]
) -> tuple[list[str], dict[int, tuple[int | None, int | None]], dict[int, str]]:
    """As many lines, without comments, headers and counts; the counts and the errors by line number."""
    lines = [_without_comment(game, line) for line in raw]
    counts, errors = dict[int, tuple[int | None, int | None]](), dict[int, str]()
    for i, line in enumerate(lines):
        words = re.split(r"[\s,;]+", line.strip())
        if line.startswith("{") or len(words) == 1:
            continue
        if HEADER.fullmatch(line) and _is_header(lines, i):
            lines[i] = ""
        elif all(len(word) == 1 for word in words):  # cells apart
            lines[i] = "".join(words)
        elif game.is_one_board is not None:
            lines[i], count = _without_counts(game, words)
            if count is None:
                errors[i + 1] = "no board in this line, or more than a board and its counts"
            else:
                counts[i + 1] = count
    return lines, counts, errors


def _without_comment(game: AnyGame, line: str) -> str:
    line = line.strip()
    if line.startswith((";", "//")):
        return ""
    if game.name in NO_HASH_IN_BOARDS and not line.startswith("{"):
        return line.partition("#")[0].strip()
    return line


def _is_header(lines: Sequence[str], i: int) -> bool:
    """Whether line ``i`` gives the width and height of the rows that follow."""
    width, height = map(int, lines[i].split())
    rows = ["".join(line.split()) for line in lines[i + 1 : i + 1 + height]]
    return len(rows) == height and all(len(row) == width for row in rows)


def _without_counts(game: AnyGame, words: list[str]) -> tuple[str, tuple[int | None, int | None] | None]:
    """The board of a line, and the counts before and behind it; no counts where the line is something else. A single
    count is the number of moves."""
    assert game.is_one_board is not None
    boards = [i for i, word in enumerate(words) if "/" in word or (game.is_one_board(word) and not word.isdecimal())]
    if len(boards) != 1:
        return "", None
    at = boards[0]
    before, behind = words[:at], words[at + 1 :]
    if len(before) > 1 or len(behind) > 1 or not all(word.isdecimal() for word in (*before, *behind)):
        return "", None
    first, second = (int(part[0][:18]) if part else None for part in (before, behind))
    return words[at], (first, second) if before else (second, None)


# --- tubes ------------------------------------------------------------------------------------------------------------


def _tube_levels(text: str, order: Order) -> Iterator[Brought]:
    """A file that is one JSON value, or has one on each line."""
    try:
        yield from _levels(_json(text), order)
        return
    except _NotJson as error:
        whole = str(error)
    lines = [(n, line) for n, raw in enumerate(text.splitlines(), 1) if (line := raw.strip()) and line[:2] != "//"]
    if len(lines) == 1 or not any(_is_json(line) for _, line in lines):
        yield Brought(Entry(1, error=f"not JSON: {whole}"))
        return
    for number, line in lines:
        try:
            value = _json(line)
        except _NotJson as error:
            yield Brought(Entry(number, error=f"not JSON: {error}"))
            continue
        for found in _levels(value, order):
            entry = Entry(number, found.entry.board, found.entry.error, found.entry.extra)
            yield Brought(entry, "line", found.moves, found.positions)


class _NotJson(Exception):
    pass


def _json(text: str) -> Any:
    try:
        value = json.loads(text)
        check_depth(value, DEPTH)
    except (ValueError, RecursionError) as error:
        raise _NotJson(str(error).splitlines()[0]) from None
    return value


def _is_json(line: str) -> bool:
    try:
        _json(line)
    except _NotJson:
        return False
    return True


def _levels(value: Any, order: Order) -> Iterator[Brought]:
    for number, level in enumerate(_flat(value), 1):
        extra = {k: v for k, v in level.items() if k != "board"} if isinstance(level, dict) else {}
        try:
            given = isinstance(level, dict) and "board" in level
            board = level["board"] if given else _board(level, order)
        except _NoTubes as error:
            yield Brought(Entry(number, error=str(error), extra=extra), "level")
            continue
        yield Brought(Entry(number, board, extra=extra), "level", _stated(extra))


def _flat(value: Any) -> Iterator[Any]:
    """The levels of a JSON value: itself, or those inside it."""
    if isinstance(value, dict):
        inside = next((value[key] for key in LEVELS if isinstance(value.get(key), list | dict)), None)
        if inside is not None and not any(key in value for key in TUBES):
            yield from _flat(inside)
            return
        named = value and not value.keys() & {"board", *TUBES}
        if named and all(isinstance(part, dict | list) for part in value.values()):
            for part in value.values():
                yield from _flat(part)
            return
    elif isinstance(value, list) and any(_is_level(part) for part in value):
        for part in value:
            yield from _flat(part) if _is_level(part) else (part,)
        return
    yield value


def _is_level(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(p, list | dict) for p in value))


class _NoTubes(Exception):
    pass


def _board(level: Any, order: Order) -> dict[str, Any]:
    """Board JSON of a level of tubes. Raises _NoTubes."""
    capacity = None
    tubes = level
    if isinstance(level, dict):
        tubes = next((level[key] for key in TUBES if key in level), None)
        capacity = next((level[key] for key in CAPACITY if type(level.get(key)) is int), None)
    if not isinstance(tubes, list) or not all(isinstance(tube, list | str | None) for tube in tubes):
        raise _NoTubes(f'no tubes: write a list of lists of colours, or an object with one as "{TUBES[0]}"')
    cells = [list(tube or ()) for tube in tubes]
    if not all(cell in EMPTY or isinstance(cell, str | int) for tube in cells for cell in tube):
        raise _NoTubes("a colour is neither a name nor a number")
    if order == "top-first":
        cells = [tube[::-1] for tube in cells]
    longest = max(map(len, cells), default=0)
    # where every tube is as long as the others, something must stand for the free cells
    padded = all(len(tube) == longest for tube in cells) and not any(c in EMPTY for tube in cells for c in tube)
    empty = (*EMPTY, 0) if padded else EMPTY
    bolts = []
    for number, tube in enumerate(cells, 1):
        filled = [cell for cell in tube if not _is_one_of(cell, empty)]
        if any(_is_one_of(cell, empty) for cell in tube[: len(filled)]):
            other = ORDERS[1 - ORDERS.index(order)]
            raise _NoTubes(f"tube {number} has a free cell below a colour, read {order}; try --order {other}")
        bolts.append(filled)
    return {"capacity": longest if capacity is None else capacity, "bolts": _numbered(bolts)}


def _is_one_of(cell: Any, values: tuple[Any, ...]) -> bool:
    """Equal and of the same type: False is not 0."""
    return any(cell == value and type(cell) is type(value) for value in values)


def _numbered(bolts: list[list[Any]]) -> list[list[int]]:
    """Colours as numbers: their own where all have one, else 1, 2, 3 in the order in which they come up."""
    colours = dict.fromkeys(colour for bolt in bolts for colour in bolt)
    if all(type(colour) is int and 0 <= colour <= 999 for colour in colours):
        return bolts
    number = {colour: n for n, colour in enumerate(colours, 1)}
    return [[number[colour] for colour in bolt] for bolt in bolts]
