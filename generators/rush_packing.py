"""Rush Hour boards as the compiled search has them: a state is one 4-bit digit for each line that has vehicles.

A state is packed into an int64, rows in the lowest bits, then columns. Its *index* is the mixed-radix number of the
same digits: as dense as can be, so that one bit can stand for a state while the product of the radices is small.

Everything is int64, also where bit 63 is used: shifted down, a value is masked before it is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..games.rush import Board
from .rush_lines import Places, line_table

MOST_INDICES = 1 << 31  # a bit for each is 256 MiB


class Grid(NamedTuple):
    """What the compiled search knows of a board and of what a move is. Of its n lines the first ``rows`` are rows.

    ``row_cells``, ``column_cells``: a bit for each cell of a line; ``shifts`` int64[n]: where a line begins in the
    masks of what stands across it; ``bases`` int64[n]: its type's first arrangement; ``taken`` int64[n, 16]: by digit,
    the cells that it takes, for the lines across; ``walls``, ``walls_turned``: by row * width + column, and by column *
    height + row; ``leads`` int64[A, patterns]: see ``LineTable.slides``; ``weights`` int64[n]: of the digits in the
    index; ``goal``: bit d is set where digit d of line ``goal_line`` has the target at the exit; ``hashed``: a search
    marks what it has seen in a hash table."""

    rows: int
    row_cells: int
    column_cells: int
    shifts: Any
    bases: Any
    taken: Any
    walls: int
    walls_turned: int
    leads: Any
    weights: Any
    goal: int
    goal_line: int
    hashed: bool = False


@dataclass(frozen=True, slots=True)
class Packed:
    """A board for the search. ``start``: its packed state; ``slides``, ``steps``: the board where a move is a slide of
    any distance, and of one cell; ``indices``: the product of the radices; ``lines``: for
    each line its vehicles, by number in ``board.vehicles``; ``places``: for each line and digit where those begin."""

    start: int
    slides: Grid
    steps: Grid
    indices: int
    lines: tuple[tuple[int, ...], ...]
    places: tuple[tuple[Places, ...], ...]


def pack(board: Board) -> Packed:
    height, width, vehicles = board.height, board.width, board.vehicles
    members: dict[tuple[bool, int], list[tuple[int, int]]] = {}
    for n, vehicle in enumerate(vehicles):
        members.setdefault((not vehicle.horizontal, vehicle.line), []).append((vehicle.first, n))
    rows, columns = line_table(width), line_table(height)
    bases, lines, places, weights, indices, goal, goal_line = [], [], [], [], 1, 0, 0
    keys = sorted(members)
    for i, (upright, number) in enumerate(keys):
        line = tuple(n for _, n in sorted(members[upright, number]))
        lengths = tuple([vehicles[n].length for n in line])
        table = columns if upright else rows
        own = table.digits[lengths]
        bases.append(table.types[lengths] + (len(rows.masks) if upright else 0))
        lines.append(line)
        places.append(own)
        weights.append(indices if indices <= MOST_INDICES else 0)
        indices *= len(own)
        if 0 in line:
            at, exit_at = line.index(0), width - vehicles[0].length
            goal_line, goal = i, sum(1 << d for d, place in enumerate(own) if place[at] == exit_at)
    across = np.array(bases)[:, None] + np.arange(16)
    spread, slides, steps = grid_table(height, width)
    numbers = np.array([number for _, number in keys])
    cells = [divmod(i, width) for i, cell in enumerate("".join(board.rows)) if cell == "x"]
    by_slides = Grid(
        rows=sum(not upright for upright, _ in keys),
        row_cells=(1 << width) - 1,
        column_cells=(1 << height) - 1,
        shifts=np.array([number * (height if upright else width) for upright, number in keys]),
        bases=np.array(bases),
        taken=spread[across] << numbers[:, None],
        walls=_signed(sum(1 << r * width + c for r, c in cells)),
        walls_turned=_signed(sum(1 << c * height + r for r, c in cells)),
        leads=slides,
        weights=np.array(weights),
        goal=goal,
        goal_line=goal_line,
    )
    by_steps = by_slides._replace(leads=steps)
    packed = Packed(0, by_slides, by_steps, indices, tuple(lines), tuple(places))
    return replace(packed, start=pack_state(packed, tuple([vehicle.first for vehicle in vehicles])))


@lru_cache(maxsize=64)
def grid_table(height: int, width: int) -> tuple[Any, Any, Any]:
    """The arrangements of rows, then those of columns. ``spread`` int64[A + 16]: the cells taken, of row 0 by column *
    height + row, of column 0 by row * width + column: shifted up by the line's number they tell the lines across what
    is taken; ``slides`` and ``steps`` int64[A, patterns]: see ``LineTable``."""
    rows, columns = line_table(width), line_table(height)
    spread = [sum(1 << c * height for c in range(width) if mask >> c & 1) for mask in rows.masks.tolist()]
    spread += [sum(1 << r * width for r in range(height) if mask >> r & 1) for mask in columns.masks.tolist()]
    tables = []
    for of_rows, of_columns in ((rows.slides, columns.slides), (rows.steps, columns.steps)):
        table = np.zeros((len(spread), 1 << max(height, width)), np.int64)
        table[: len(rows.masks), : 1 << width] = of_rows
        table[len(rows.masks) :, : 1 << height] = of_columns
        tables.append(table)
    return np.array(spread + [0] * 16), tables[0], tables[1]


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def unpack(packed: Packed, state: int) -> tuple[int, ...]:
    """The state of ``games.rush`` that a packed one stands for."""
    found: dict[int, int] = {}
    for i, (line, places) in enumerate(zip(packed.lines, packed.places, strict=True)):
        found.update(zip(line, places[state >> 4 * i & 15], strict=True))
    return tuple(found[n] for n in range(len(found)))


def pack_state(packed: Packed, state: tuple[int, ...]) -> int:
    """The packed state of one of ``games.rush``."""
    digits = [
        places.index(tuple([state[n] for n in line])) for line, places in zip(packed.lines, packed.places, strict=True)
    ]
    return _signed(sum(digit << 4 * i for i, digit in enumerate(digits)))
