"""Rush Hour on packed integers (numba): search for the minimum, flood of a whole component, distances to the exit.

The vehicles of a row or column, a *line*, never change their order. So a line's arrangement is one small digit (at most
15 of 8 cells), and a state is one 4-bit digit for each occupied line, packed into an int64. For all line types of one
length there is one table: ``[arrangement, cells taken by others] -> list of the digits that one slide leads to``.
Others are the vehicles that stand across, and walls.

Everything is int64, also where bit 63 is used: shifted down, a value is masked before it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np

from ..games.rush import Board

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """numba's ``njit``, cached on disk, typed for mypy. A compiled function calls compiled functions of its own file
    only: numba's cache of a caller does not notice a change in another file."""
    kernel: F = numba.njit(cache=True, nogil=True)(function)
    return kernel


# --- tables -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LineTable:
    """All arrangements of all line types of one length. ``types``: lengths of the vehicles in order -> number of the
    first arrangement; ``places``: for each arrangement, the first cells of its vehicles; ``masks`` int64[A]: the cells
    taken; ``slides`` int64[A, 2 ** length]: the digits that one slide leads to, by the cells that others take: their
    number in the lowest four bits, then four bits for each."""

    types: dict[tuple[int, ...], int]
    places: tuple[tuple[int, ...], ...]
    masks: Any
    slides: Any


@lru_cache(maxsize=16)
def line_table(span: int, unit: bool = False) -> LineTable:
    """The table for lines of ``span`` cells; with ``unit`` for slides by one cell only."""
    types: dict[tuple[int, ...], int] = {}
    places: list[tuple[int, ...]] = []
    masks: list[int] = []
    slides: list[Any] = []
    patterns = np.arange(1 << span)
    for lengths in _line_types(span):
        types[lengths] = len(places)
        own = _arrangements(lengths, span)
        for arrangement in own:
            masks.append(sum(((1 << n) - 1) << at for at, n in zip(arrangement, lengths, strict=True)))
            leads = np.zeros(1 << span, np.int64)
            for after, swept in _slides(arrangement, lengths, span, 1 if unit else span):
                free = patterns & swept == 0
                leads[free] += 1 + (own.index(after) << 4 + 4 * (leads[free] & 15))
            slides.append(leads)
        places += own
    return LineTable(types, tuple(places), np.array(masks, np.int64), np.array(slides, np.int64))


def _line_types(span: int) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for lengths in found:  # grows while it is read
        found += [(*lengths, n) for n in (2, 3) if sum(lengths) + n <= span]
    return found


def _arrangements(lengths: tuple[int, ...], span: int) -> list[tuple[int, ...]]:
    """In rising order."""
    free, count = span - sum(lengths), len(lengths)
    found = []
    for chosen in combinations(range(free + count), count):  # which of the gaps and vehicles are vehicles
        at, place = 0, []
        for i, slot in enumerate(chosen):
            at = slot - i + sum(lengths[:i])
            place.append(at)
        found.append(tuple(place))
    return sorted(found)


def _slides(
    arrangement: tuple[int, ...], lengths: tuple[int, ...], span: int, reach: int
) -> list[tuple[tuple[int, ...], int]]:
    """(arrangement after, cells swept) of all slides of up to ``reach`` cells that the line's own vehicles allow."""
    found = []
    for i, (at, n) in enumerate(zip(arrangement, lengths, strict=True)):
        low = arrangement[i - 1] + lengths[i - 1] if i else 0
        high = (arrangement[i + 1] if i + 1 < len(lengths) else span) - n
        for to in range(low, high + 1):
            if 0 < abs(to - at) <= reach:
                cells = range(to, at) if to < at else range(at + n, to + n)
                found.append(((*arrangement[:i], to, *arrangement[i + 1 :]), sum(1 << c for c in cells)))
    return found


@lru_cache(maxsize=64)
def _grid_table(height: int, width: int, unit: bool) -> tuple[Any, Any]:
    """The arrangements of rows, then those of columns. ``spread`` int64[A]: the cells taken, of row 0 by
    column * height + row, of column 0 by row * width + column: shifted up by the line's number they tell the lines
    across what is taken; ``slides`` int64[A, patterns]."""
    rows, columns = line_table(width, unit), line_table(height, unit)
    spread = [sum(1 << c * height for c in range(width) if mask >> c & 1) for mask in rows.masks.tolist()]
    spread += [sum(1 << r * width for r in range(height) if mask >> r & 1) for mask in columns.masks.tolist()]
    slides = np.zeros((len(spread), 1 << max(height, width)), np.int64)
    slides[: len(rows.masks), : 1 << width] = rows.slides
    slides[len(rows.masks) :, : 1 << height] = columns.slides
    return np.array(spread, np.int64), slides


class Grid(NamedTuple):
    """What the kernels know of a board. ``rows``: how many of the lines are rows (they come first); ``numbers``
    int64[n]: row or column of each line; ``bases`` int64[n]: its type's first arrangement; ``spread``, ``slides``: see
    ``_grid_table``; ``walls``: by row * width + column; ``walls_turned``: by column * height + row; ``goal``: bit d is
    set where digit d of line ``goal_line`` has the target at the exit; ``alone`` bool[n]: the line has one vehicle,
    and a move is a slide of any distance."""

    rows: int
    height: int
    width: int
    numbers: Any
    bases: Any
    spread: Any
    slides: Any
    walls: int
    walls_turned: int
    goal: int
    goal_line: int
    alone: Any


@dataclass(frozen=True, slots=True)
class Packed:
    """A board for the kernels; ``start``: its packed state; ``lines``: for each line the vehicles in it, by number in
    ``board.vehicles``; ``places``: for each line and digit, the first cells of those vehicles."""

    grid: Grid
    start: int
    lines: tuple[tuple[int, ...], ...]
    places: tuple[tuple[tuple[int, ...], ...], ...]


def pack(board: Board, *, unit: bool = False) -> Packed:
    """With ``unit`` a move is a slide by one cell."""
    height, width = board.height, board.width
    rows, columns = line_table(width), line_table(height)
    members: dict[tuple[bool, int], list[int]] = {}
    for n, vehicle in enumerate(board.vehicles):
        members.setdefault((not vehicle.horizontal, vehicle.line), []).append(n)
    bases, lines, places, start, goal, goal_line = [], [], [], 0, 0, 0
    for i, (upright, number) in enumerate(sorted(members)):
        table = columns if upright else rows
        line = sorted(members[upright, number], key=lambda n: board.vehicles[n].first)
        first = table.types[tuple(board.vehicles[n].length for n in line)]
        own = table.places[first : first + _digits(table, first)]
        start |= own.index(tuple(board.vehicles[n].first for n in line)) << 4 * i
        bases.append(first + (len(rows.places) if upright else 0))
        lines.append(tuple(line))
        places.append(own)
        if 0 in line:
            at, exit_at = line.index(0), width - board.vehicles[0].length
            goal_line, goal = i, sum(1 << d for d, place in enumerate(own) if place[at] == exit_at)
    cells = [divmod(i, width) for i, cell in enumerate("".join(board.rows)) if cell == "x"]
    spread, slides = _grid_table(height, width, unit)
    grid = Grid(
        rows=sum(not upright for upright, _ in members),
        height=height,
        width=width,
        numbers=np.array([number for _, number in sorted(members)], np.int64),
        bases=np.array(bases, np.int64),
        spread=spread,
        slides=slides,
        walls=_signed(sum(1 << r * width + c for r, c in cells)),
        walls_turned=_signed(sum(1 << c * height + r for r, c in cells)),
        goal=goal,
        goal_line=goal_line,
        alone=np.array([len(line) == 1 and not unit for line in lines], np.bool_),
    )
    return Packed(grid, _signed(start), tuple(lines), tuple(places))


def _digits(table: LineTable, first: int) -> int:
    """How many arrangements the type has that begins at ``first``."""
    later = [begin for begin in table.types.values() if begin > first]
    return (later[0] if later else len(table.places)) - first


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def unpack(packed: Packed, state: int) -> tuple[int, ...]:
    """The state of ``games.rush`` that a packed one stands for."""
    found: dict[int, int] = {}
    for i, (line, places) in enumerate(zip(packed.lines, packed.places, strict=True)):
        found.update(zip(line, places[state >> 4 * i & 15], strict=True))
    return tuple(found[n] for n in range(len(found)))


# --- search -----------------------------------------------------------------------------------------------------------

NONE, LIMIT = -1, -2
FREE = -1  # in the hash table; no state is -1, for no line has a digit 15


@compiled
def _slot(state: int, bits: int) -> int:
    """A place in a hash table of ``2 ** bits``. Multiplier: 2 ** 64 / golden ratio, as a signed number."""
    mixed = (state ^ (state >> 31)) * -0x61C8864680B583EB
    return (mixed >> (64 - bits)) & ((1 << bits) - 1)


@compiled
def _wider(queue: Any, count: int, bits: int) -> Any:
    """A hash table of ``2 ** bits`` places with the first ``count`` states of the queue; FREE where there is none."""
    last = (1 << bits) - 1
    table = np.full(1 << bits, FREE, np.int64)
    for i in range(count):
        at = _slot(queue[i], bits)
        while table[at] != FREE:
            at = (at + 1) & last
        table[at] = queue[i]
    return table


@compiled
def _longer(array: Any, size: int) -> Any:
    longer = np.empty(size, array.dtype)
    longer[: array.shape[0]] = array
    return longer


@compiled
def search(begin: Any, grid: Any, limit: int, stop: bool) -> Any:
    """Breadth-first from the states ``begin`` int64[k]: with ``stop`` until the target is at the exit, otherwise over
    all that slides lead to, solved states and what lies beyond them included.

    Returns the queue int64[count]; for each state the place of the one before it int32[count], NONE for those of
    ``begin``; and the place of the solved state that ended the search, NONE where all was seen, LIMIT where ``limit``
    states were not enough.
    """
    rows, height, width, numbers, bases, spread, slides, walls, walls_turned, goal, goal_line, alone = grid
    n = numbers.shape[0]
    digits, shifts = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        shifts[i] = numbers[i] * (width if i < rows else height)
    row_cells, column_cells = (1 << width) - 1, (1 << height) - 1
    count, size, bits = begin.shape[0], 2048, 12
    while size < count:
        size, bits = size * 2, bits + 1
    queue, before = np.empty(size, np.int64), np.empty(size, np.int32)
    # the line that the last move was in, if no other vehicle is there: to move on in it leads to what has been seen
    through = np.empty(size, np.int8)
    for i in range(count):
        queue[i], before[i], through[i] = begin[i], NONE, NONE
    table = _wider(queue, count, bits)
    last = (1 << bits) - 1
    head = 0
    while head < count:
        state = queue[head]
        standing, lying = walls, walls_turned
        for i in range(n):
            place = bases[i] + ((state >> (4 * i)) & 15)
            digits[i] = place
            if i < rows:
                lying |= spread[place] << numbers[i]
            else:
                standing |= spread[place] << numbers[i]
        for i in range(n):
            if i == through[head]:
                continue
            others = (standing >> shifts[i]) & row_cells if i < rows else (lying >> shifts[i]) & column_cells
            leads = slides[digits[i], others]
            if leads == 0:
                continue
            rest = state & ~(15 << (4 * i))
            for _ in range(leads & 15):
                leads >>= 4
                digit = leads & 15
                after = rest | (digit << (4 * i))
                at = _slot(after, bits)
                while table[at] != FREE and table[at] != after:
                    at = (at + 1) & last
                if table[at] == after:
                    continue
                if count == limit:
                    return queue[:count], before[:count], LIMIT
                if count == size:
                    size, bits = size * 2, bits + 1
                    queue, before, through = _longer(queue, size), _longer(before, size), _longer(through, size)
                    table = _wider(queue, count, bits)
                    last = (1 << bits) - 1
                    at = _slot(after, bits)
                    while table[at] != FREE:
                        at = (at + 1) & last
                table[at] = after
                queue[count], before[count], through[count] = after, head, i if alone[i] else NONE
                count += 1
                if stop and i == goal_line and (goal >> digit) & 1:
                    return queue[:count], before[:count], count - 1
        head += 1
    return queue[:count], before[:count], NONE


@compiled
def flood(start: int, grid: Any, limit: int) -> Any:
    """The component of ``start``, twice: from it, and from all its solved states.

    Returns its size, LIMIT where it has more than ``limit`` states; its states by rising distance to the exit,
    int64[size], the solved ones first (empty where none is solved); and those distances, in moves, int16[size].
    """
    goal, goal_line = grid[9], grid[10]
    begin = np.empty(1, np.int64)
    begin[0] = start
    queue, before, end = search(begin, grid, limit, False)
    none, nothing = np.empty(0, np.int64), np.empty(0, np.int16)
    if end == LIMIT:
        return LIMIT, none, nothing
    size = queue.shape[0]
    solved, found = np.empty(size, np.int64), 0
    for i in range(size):
        if (goal >> ((queue[i] >> (4 * goal_line)) & 15)) & 1:
            solved[found] = queue[i]
            found += 1
    if not found:
        return size, none, nothing
    queue, before, end = search(solved[:found], grid, size, False)
    distance = np.empty(size, np.int16)
    for i in range(size):
        distance[i] = 0 if before[i] == NONE else distance[before[i]] + 1
    return size, queue, distance


def shortest(packed: Packed, limit: int) -> tuple[list[tuple[int, ...]] | None, int]:
    """The states of a shortest solution, the start first, as ``games.rush`` has them; and how many states were seen.
    None with ``limit`` states: they were not enough; None with fewer: there is no solution."""
    queue, before, place = search(np.array([packed.start], np.int64), packed.grid, limit, True)
    if place < 0:
        return None, limit if place == LIMIT else len(queue)
    path = [place]
    while before[path[-1]] != NONE:
        path.append(int(before[path[-1]]))
    return [unpack(packed, int(queue[i])) for i in reversed(path)], len(queue)


def leads(state: int, grid: Grid) -> list[int]:
    """The packed states that one move leads to."""
    queue, before, _ = search(np.array([state], np.int64), grid, 16 * 16 + 1, False)
    return [int(after) for after, place in zip(queue, before, strict=True) if place == 0]
