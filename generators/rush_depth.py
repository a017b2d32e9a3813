"""How hard a Rush Hour arrangement can get, in one compiled call (numba). Its depth is how far the hardest start
of its component is from the exit. Annealing asks this a million times, for components of a few thousand states.

``rush_kernel.flood`` answers the same for components of any size, and shares only the tables of lines with this: here a
queue entry carries what is taken on the board and the state's index along. An arrangement is an int64[N, 4] of
HORIZONTAL (1 or 0), LINE, FIRST and LENGTH, the target first; length 1 is a wall.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..games.kernels import compiled
from .rush_lines import line_table
from .rush_packing import grid_table

HORIZONTAL, LINE, FIRST, LENGTH = range(4)
MOST_THINGS = 64  # the target, vehicles and walls
STATE, STANDING, LYING, INDEX = range(4)  # of a queue entry: see ``rush_packing``; cells taken by columns, and by rows
BASE, SHIFT, NUMBER, COUNT, DIGIT, WEIGHT = range(6)  # a line: first arrangement, first cell, ..., weight in the index
MOST_MOVES = 256  # more than any state has
KNOWN = 1 << 14  # depths that are remembered
MOST_INDICES = 1 << 27  # a bit for each, 16 MiB; a hash table where there are more


class Lines(NamedTuple):
    """The lines of boards of one size. ``bases``, ``counts`` int64[2, 4 ** 4]: the first arrangement and their number,
    for rows and for columns, by a line's *code*, the lengths of its vehicles as digits to base 4; the others as in
    ``LineTable`` and ``grid_table``."""

    height: int
    width: int
    bases: Any
    counts: Any
    masks: Any
    spread: Any
    slides: Any
    steps: Any


class Room(NamedTuple):
    """Where arrangements are flooded, one after another. ``queue``, ``back`` int64[cap + MOST_MOVES, 4]; ``bits``
    int64[words]: one for each index, blank between two floods; ``seen`` int64[S, 2]: a hash table of states, and the
    *turn*, int64[1], in which each was seen last; ``keys`` int64 and ``depths`` int16: what is known of arrangements by
    hash; ``start`` int64[1]: see ``depth``."""

    queue: Any
    back: Any
    bits: Any
    seen: Any
    turn: Any
    keys: Any
    depths: Any
    start: Any


@lru_cache(maxsize=8)
def lines_of(height: int, width: int) -> Lines:
    rows, columns = line_table(width), line_table(height)
    bases, counts = np.zeros((2, 256), np.int64), np.zeros((2, 256), np.int64)
    for upright, table in enumerate((rows, columns)):
        for lengths, base in table.types.items():
            code = sum(length << 2 * i for i, length in enumerate(reversed(lengths)))
            bases[upright, code] = base + upright * len(rows.masks)
            counts[upright, code] = len(table.digits[lengths])
    return Lines(height, width, bases, counts, np.concatenate([rows.masks, columns.masks]), *grid_table(height, width))


def room_for(cap: int) -> Room:
    """Room for components of up to ``cap`` states."""
    places = 1 << (2 * (cap + MOST_MOVES) - 1).bit_length()
    queues = [np.zeros((cap + MOST_MOVES, 4), np.int64) for _ in range(2)]
    return Room(
        queue=queues[0],
        back=queues[1],
        bits=np.zeros(MOST_INDICES // 64, np.int64),
        seen=np.zeros((places, 2), np.int64),
        turn=np.zeros(1, np.int64),
        keys=np.zeros(KNOWN, np.int64),
        depths=np.zeros(KNOWN, np.int16),
        start=np.zeros(1, np.int64),
    )


@compiled
def _lay_out(things: Any, count: int, lines: Any, grid: Any) -> Any:
    """Fills ``grid`` int64[16, 6] with the lines that have vehicles. Returns their number, that of rows, the walls as
    STANDING and as LYING have them, and a hash of the arrangement."""
    lengths = np.zeros((2, 8, 8), np.int64)
    standing = lying = n = rows = 0
    for i in range(count):
        horizontal, line, first, length = things[i, HORIZONTAL], things[i, LINE], things[i, FIRST], things[i, LENGTH]
        if length > 1:
            lengths[1 - horizontal, line, first] = length
            continue
        row, column = (line, first) if horizontal else (first, line)
        standing |= 1 << (row * lines.width + column)
        lying |= 1 << (column * lines.height + row)
    key = standing + 1
    for upright in range(2):
        span = lines.height if upright else lines.width
        for number in range(lines.width if upright else lines.height):
            code = mask = 0
            for first in range(span):
                length = lengths[upright, number, first]
                if length > 0:
                    code = code * 4 + length
                    mask |= ((1 << length) - 1) << first
            key = (key ^ (code << 8 | mask)) * -0x61C8864680B583EB
            key ^= (key >> 29) & 0x7FFFFFFFF
            if code > 0:
                base, digit = lines.bases[upright, code], 0
                while lines.masks[base + digit] != mask:
                    digit += 1
                grid[n, BASE], grid[n, SHIFT], grid[n, NUMBER] = base, number * span, number
                grid[n, COUNT], grid[n, DIGIT] = lines.counts[upright, code], digit
                n += 1
        if not upright:
            rows = n
    return n, rows, standing, lying, key


@compiled
def _is_shut(grid: Any, n: int, rows: int, lines: Any, exit_row: int, way: int) -> bool:
    """Whether the vehicles of a column from ``way`` on can never leave the exit row, wherever they stand."""
    for i in range(rows, n):
        if grid[i, NUMBER] < way:
            continue
        shut = True
        for mask in lines.masks[grid[i, BASE] : grid[i, BASE] + grid[i, COUNT]]:
            if (mask >> exit_row) & 1 == 0:
                shut = False
        if shut:
            return True
    return False


@compiled
def _place(seen: Any, state: int, first_turn: int) -> Any:
    """Where the hash table has the state, or where it belongs; what is older than ``first_turn`` counts as free.
    Multiplier: 2 ** 64 / golden ratio, as a signed number."""
    last = seen.shape[0] - 1
    at = (((state ^ (state >> 31)) * -0x61C8864680B583EB) >> 32) & last
    while seen[at, 1] >= first_turn and seen[at, 0] != state:
        at = (at + 1) & last
    return at


@compiled
def _expand(
    grid: Any, size: Any, lines: Any, leads: Any, room: Any, queue: Any, span: Any, cap: int, turns: Any
) -> Any:
    """Appends to the queue what one move leads to from its entries ``span``, (first, end), unless that was seen in turn
    ``turns[1]`` already; ``turns[0]``: since when the hash table is of use, 0 where bits are used. ``size``: (lines,
    rows). Returns the queue's new length, more than ``cap`` where it stopped for that."""
    bits, seen, spread = room.bits, room.seen, lines.spread
    row_cells, column_cells = (1 << lines.width) - 1, (1 << lines.height) - 1
    n, rows = size
    first, count = span
    since, turn = turns
    for head in range(first, count):
        state, standing, lying = queue[head, STATE], queue[head, STANDING], queue[head, LYING]
        for i in range(n):
            digit = (state >> (4 * i)) & 15
            others = (standing >> grid[i, SHIFT]) & row_cells if i < rows else (lying >> grid[i, SHIFT]) & column_cells
            at = grid[i, BASE] + digit
            lead = leads[at, others]
            for _ in range(lead & 15):
                lead >>= 4
                to = lead & 15
                after = state ^ ((digit ^ to) << (4 * i))
                index = queue[head, INDEX] + (to - digit) * grid[i, WEIGHT]
                if since > 0:
                    place = _place(seen, after, since)
                    if seen[place, 1] == turn:
                        continue
                    seen[place, 0], seen[place, 1] = after, turn
                elif (bits[index >> 6] >> (index & 63)) & 1 == turn & 1:
                    continue
                else:
                    bits[index >> 6] ^= 1 << (index & 63)
                change = (spread[at] ^ spread[grid[i, BASE] + to]) << grid[i, NUMBER]
                queue[count, STATE], queue[count, INDEX] = after, index
                queue[count, STANDING] = standing if i < rows else standing ^ change
                queue[count, LYING] = lying ^ change if i < rows else lying
                count += 1
        if count > cap:
            break
    return count


@compiled
def depth(things: Any, count: int, exit_row: int, lines: Any, cap: int, room: Any) -> Any:
    """The moves that the hardest start of the component needs: 0 where it has no solution or more than ``cap`` states.
    Leaves the least packed of those starts in ``room.start``, unless the arrangement's depth was known. The target is
    alone in its row."""
    grid, queue, back, bits, seen = np.empty((16, 6), np.int64), room.queue, room.back, room.bits, room.seen
    n, rows, standing, lying, key = _lay_out(things, count, lines, grid)
    slot = key & (room.keys.shape[0] - 1)
    if room.keys[slot] == key:
        return room.depths[slot]
    room.keys[slot], room.depths[slot] = key, 0
    if _is_shut(grid, n, rows, lines, exit_row, things[0, FIRST] + things[0, LENGTH]):
        return 0
    state = index = goal_line = 0
    indices, most = 1, 64 * bits.shape[0]
    for i in range(n):
        digit = grid[i, DIGIT]
        state |= digit << (4 * i)
        index += digit * indices
        grid[i, WEIGHT] = indices
        indices = min(indices * grid[i, COUNT], most + 1)
        cells = lines.spread[grid[i, BASE] + digit] << grid[i, NUMBER]
        if i < rows:
            lying |= cells
            goal_line = i if grid[i, NUMBER] == exit_row else goal_line
        else:
            standing |= cells
    turn = room.turn[0] + 1
    room.turn[0] += 2
    hashed = indices > most
    since = turn if hashed else 0
    queue[0, STATE], queue[0, STANDING], queue[0, LYING], queue[0, INDEX] = state, standing, lying, index
    if hashed:
        place = _place(seen, state, since)
        seen[place, 0], seen[place, 1] = state, turn
    else:
        bits[index >> 6] ^= 1 << (index & 63)
    first, size = 0, 1
    while first < size <= cap:
        end = _expand(grid, (n, rows), lines, lines.steps, room, queue, (first, size), cap, (since, turn))
        first, size = size, end
    found, goal = 0, lines.width - things[0, LENGTH]
    for k in range(size):
        if size <= cap and (queue[k, STATE] >> (4 * goal_line)) & 15 == goal:
            back[found] = queue[k]
            found += 1
            if hashed:
                seen[_place(seen, queue[k, STATE], since), 1] = turn + 1
            else:
                bits[queue[k, INDEX] >> 6] ^= 1 << (queue[k, INDEX] & 63)
    if found == 0:
        for k in range(0 if hashed else size):
            bits[queue[k, INDEX] >> 6] = 0
        return 0
    first, moves = 0, 0
    while True:
        end = _expand(grid, (n, rows), lines, lines.slides, room, back, (first, found), cap, (since, turn + 1))
        if end == found:
            break
        first, found, moves = found, end, moves + 1
    room.depths[slot], room.start[0] = moves, back[first:found, STATE].min()
    return moves
