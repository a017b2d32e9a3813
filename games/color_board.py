"""Color Connect's boards: their JSON, the text of public solvers, and the form in which symmetric boards are equal.

.A..B     Two equal letters or digits are the dots of one colour, ``#`` is blocked, ``.`` is open. With
.#...     ``"cover": true`` every open cell must be filled in the end.
BA...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_letters, ascii_uppercase, digits
from typing import Any, NamedTuple

from .base import InvalidBoard
from .wording import counted

SIDES = (3, 15)
MOST_PAIRS = 16
LABELS = ascii_letters + digits
OPEN, BLOCKED = ".", "#"
EMPTY_MARKS = "-_*"  # what some solvers write for an open cell


class Pair(NamedTuple):
    """``first``, ``second``: its dots as row * width + column, in reading order."""

    label: str
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Board:
    """``rows``: equally long strings; ``pairs``: by their first dots, in reading order."""

    rows: tuple[str, ...]
    cover: bool
    pairs: tuple[Pair, ...]

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def cells(self) -> int:
        return len(self.rows) * len(self.rows[0])


@lru_cache(maxsize=256)
def colours_of_dots(board: Board) -> dict[int, int]:
    """The number of the pair at each dot."""
    return {dot: k for k, pair in enumerate(board.pairs) for dot in (pair.first, pair.second)}


@lru_cache(maxsize=256)
def blocked_cells(board: Board) -> frozenset[int]:
    return frozenset(i for i, cell in enumerate("".join(board.rows)) if cell == BLOCKED)


@lru_cache(maxsize=64)
def neighbours(height: int, width: int) -> tuple[tuple[int, ...], ...]:
    """For each cell those beside it: above, left, right, below."""

    def beside(cell: int) -> Iterator[int]:
        r, c = divmod(cell, width)
        if r > 0:
            yield cell - width
        if c > 0:
            yield cell - 1
        if c < width - 1:
            yield cell + 1
        if r < height - 1:
            yield cell + width

    return tuple(tuple(beside(cell)) for cell in range(height * width))


# --- JSON -------------------------------------------------------------------------------------------------------------


def load(value: Any) -> Board:
    """A board from ``{"rows": [".A..", ...], "cover": false}``; without ``cover`` nothing need be filled. Raises
    InvalidBoard."""
    if not isinstance(value, dict) or not {"rows"} <= set(value) <= {"rows", "cover", "heading"}:
        raise InvalidBoard('a color board is {"rows": [...], "cover": true or false} and nothing else', where="color")
    rows, cover = value["rows"], value.get("cover", False)
    if not isinstance(rows, list) or not rows or not all(isinstance(r, str) for r in rows):
        raise InvalidBoard('"rows" must be a non-empty list of strings', where="color")
    if not isinstance(cover, bool):
        raise InvalidBoard(f'"cover" is {cover!r}', where="color", fix="write true or false")
    width = len(rows[0])
    if "heading" in value:
        raise InvalidBoard(
            f"the heading says {value['heading']!r} and {len(rows)} rows of {width} cells follow",
            where="color",
            fix="write the width, then the height",
        )
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise InvalidBoard(f"row {number} has {counted(len(row), 'cell')} where row 1 has {width}", where="color")
        for column, cell in enumerate(row, 1):
            if cell not in LABELS and cell not in (OPEN, BLOCKED):
                raise InvalidBoard(
                    f"{cell!r} in row {number}, column {column}",
                    where="color",
                    fix="use '.' open, '#' blocked, a letter or digit twice for the dots of a colour",
                )
    low, high = SIDES
    if not (low <= width <= high and low <= len(rows) <= high):
        raise InvalidBoard(
            f"the board is {len(rows)} by {width} cells", where="color", fix=f"{low} to {high} are allowed each way"
        )
    board = Board(tuple(rows), cover, _pairs(rows))
    _check_ways_out(board)
    return board


def _pairs(rows: list[str]) -> tuple[Pair, ...]:
    width, dots = len(rows[0]), dict[str, list[int]]()
    for i, cell in enumerate("".join(rows)):
        if cell not in (OPEN, BLOCKED):
            dots.setdefault(cell, []).append(i)
    if not dots:
        raise InvalidBoard("there are no dots", where="color", fix="write each colour's letter in two cells")
    for label, places in dots.items():
        where = " and ".join(f"row {i // width + 1}, column {i % width + 1}" for i in places[:4])
        if len(places) == 1:
            raise InvalidBoard(
                f"colour {label} has one end only, or both in the same cell ({where})",
                where="color",
                fix="write its letter in two cells",
            )
        if len(places) > 2:
            raise InvalidBoard(
                f"colour {label} has {len(places)} ends ({where}{' ...' if len(places) > 4 else ''})",
                where="color",
                fix="write its letter in two cells",
            )
    if len(dots) > MOST_PAIRS:
        raise InvalidBoard(f"there are {len(dots)} colours", where="color", fix=f"{MOST_PAIRS} are the most")
    return tuple(Pair(label, *places) for label, places in dots.items())


def _check_ways_out(board: Board) -> None:
    """Raises InvalidBoard where no line can leave a dot."""
    near, colours, blocked = neighbours(board.height, board.width), colours_of_dots(board), blocked_cells(board)
    for dot, colour in sorted(colours.items()):
        if all(cell in blocked or colours.get(cell, colour) != colour for cell in near[dot]):
            raise InvalidBoard(
                f"the end of {board.pairs[colour].label} in row {dot // board.width + 1}, column "
                f"{dot % board.width + 1} is blocked on every side",
                where="color",
                fix="leave a cell beside it open",
            )


def dump(board: Board) -> dict[str, Any]:
    return {"rows": list(board.rows), "cover": board.cover}


# --- text -------------------------------------------------------------------------------------------------------------


def read(text: str) -> dict[str, Any]:
    """Board JSON from rows separated by ``/`` or newlines, as the files of Numberlink and Flow solvers have them: under
    a heading "width height" or without one, cells side by side or apart, numbers of several digits where they are
    apart, ``-``, ``_``, ``*`` (and, where cells are apart, 0) for open cells. ``load`` validates it."""
    lines = [line.split() for line in text.replace("/", "\n").splitlines()]
    lines = [line for line in lines if line and not is_comment(" ".join(line))]
    heading = " ".join(lines.pop(0)) if lines and is_heading(" ".join(lines[0])) else ""
    apart = any(len(line) > 1 for line in lines)
    rows = _joined(lines) if apart else ["".join(line) for line in lines]
    if not any(OPEN in row for row in rows):
        for mark in EMPTY_MARKS:
            rows = [row.replace(mark, OPEN) for row in rows]
    board = {"rows": rows, "cover": False}
    if heading and (not rows or heading.split() != [str(len(rows[0])), str(len(rows))]):
        board["heading"] = heading
    return board


def _joined(lines: list[list[str]]) -> list[str]:
    """Rows of one character a cell from cells that stand apart."""
    cells = {cell for line in lines for cell in line}
    names = {cell: cell for cell in cells}
    if not cells & {OPEN, *EMPTY_MARKS}:
        names["0"] = OPEN
    free = (letter for letter in ascii_uppercase + ascii_letters + digits if letter not in cells)
    for number in sorted((cell for cell in cells if len(cell) > 1 and cell.isdecimal()), key=lambda n: (len(n), n)):
        names[number] = next(free, number)
    return ["".join(names[cell] for cell in line) for line in lines]


def is_heading(line: str) -> bool:
    """Whether a line of text is the "width height" above a board. No board has two columns."""
    words = line.split()
    return len(words) == 2 and all(word.isdecimal() for word in words)


def is_comment(line: str) -> bool:
    """Whether a line of text belongs to no board: words after ``#``, and the "0 0" that ends a file of boards."""
    words = line.split()
    if words == ["0", "0"]:
        return True
    return line.startswith(BLOCKED) and any(len(word) > 1 and not word.isdecimal() for word in words[1:])


# --- symmetry ---------------------------------------------------------------------------------------------------------


def canonical(board: Board) -> tuple[Any, ...]:
    """(rows, columns, cover, cells): of the eight turned and mirrored images the least, its colours numbered as they
    first occur."""
    return min(_image(rows, board.cover) for rows in images(board.rows))


def images(rows: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The eight turned and mirrored images, the board itself first."""
    for image in (rows, tuple("".join(column) for column in zip(*rows, strict=True))):
        for upright in (image, image[::-1]):
            yield upright
            yield tuple(row[::-1] for row in upright)


def _image(rows: tuple[str, ...], cover: bool) -> tuple[Any, ...]:
    numbers: dict[str, int] = {OPEN: 0, BLOCKED: -1}
    cells = tuple(numbers.setdefault(cell, len(numbers)) for cell in "".join(rows))
    return len(rows), len(rows[0]), cover, cells
