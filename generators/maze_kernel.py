"""The slide graph of Maze Paint and the growth of boards, as compiled loops (numba).

A grid is a flat uint8 array, 1 = floor, with a border of walls, so that a slide needs no bounds check; ``stride`` is
its width with the border. Stops are numbered in breadth-first order from the start (number 0); slide ``4 * stop + d``
leaves a stop in direction d = 0 up, 1 down, 2 left, 3 right. Property-tested against ``games/maze.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..games.kernels import compiled

# --- random words: xoshiro256** like ``stream.Stream``, seeded with four of its words


@compiled
def _word(s: Any) -> Any:
    x = s[1] * np.uint64(5)
    result = ((x << np.uint64(7)) | (x >> np.uint64(57))) * np.uint64(9)
    t = s[1] << np.uint64(17)
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = (s[3] << np.uint64(45)) | (s[3] >> np.uint64(19))
    return result


@compiled
def _below(s: Any, n: int) -> Any:
    """An integer in [0, n); the bias of a 32-bit multiply is below 1e-6 for the n used here."""
    return np.int64(((_word(s) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


# --- the slide graph --------------------------------------------------------------------------------------------------


@compiled
def _step(d: int, stride: int) -> int:
    if d == 0:
        return -stride
    if d == 1:
        return stride
    if d == 2:
        return -1
    return 1


@compiled
def slide_graph(grid: Any, stride: int, start: int, number: Any, stops: Any, to: Any) -> int:
    """Fills ``stops`` (cell of each stop), ``number`` (stop on each cell, or -1) and ``to`` (stop that each slide
    reaches, or -1); returns how many stops the start reaches, itself included."""
    number[:] = -1
    number[start] = 0
    stops[0] = start
    n = 1
    i = 0
    while i < n:
        for d in range(4):
            step = _step(d, stride)
            cell = stops[i]
            while grid[cell + step]:
                cell += step
            if cell == stops[i]:
                to[4 * i + d] = -1
                continue
            if number[cell] < 0:
                number[cell] = n
                stops[n] = cell
                n += 1
            to[4 * i + d] = number[cell]
        i += 1
    return n


@compiled
def is_one_component(n: int, to: Any, first: Any, link: Any, queue: Any) -> bool:
    """Whether every stop leads back to the start (all are reached from it)."""
    first[:n] = -1
    for e in range(4 * n):
        if to[e] >= 0:
            link[e] = first[to[e]]
            first[to[e]] = e
    queue[0] = 0
    found = 1
    seen = np.zeros(n, np.uint8)
    seen[0] = 1
    i = 0
    while i < found:
        e = first[queue[i]]
        while e >= 0:
            tail = e >> 2
            if not seen[tail]:
                seen[tail] = 1
                queue[found] = tail
                found += 1
            e = link[e]
        i += 1
    return found == n


@compiled
def painted_count(grid: Any, stride: int, start: int, n: int, stops: Any, to: Any, mark: Any) -> int:
    """How many cells the start and all slides paint together. ``mark`` is scratch, one byte a cell."""
    mark[:] = 0
    mark[start] = 1
    count = 1
    for e in range(4 * n):
        if to[e] < 0:
            continue
        step = _step(e & 3, stride)
        cell = stops[e >> 2]
        end = stops[to[e]]
        while cell != end:
            cell += step
            if not mark[cell]:
                mark[cell] = 1
                count += 1
    return count


@compiled
def covers(grid: Any, stride: int, start: int, n: int, stops: Any, to: Any) -> Any:
    """Bit masks, shape (slides, words), of the floor cells that each slide paints. Floor cells are numbered in reading
    order, the start left out (it is painted already); also returns their number."""
    index = np.full(grid.size, -1, np.int64)
    cells = 0
    for cell in range(grid.size):
        if grid[cell] and cell != start:
            index[cell] = cells
            cells += 1
    cover = np.zeros((4 * n, (cells + 63) >> 6), np.uint64)
    for e in range(4 * n):
        if to[e] < 0:
            continue
        step = _step(e & 3, stride)
        cell = stops[e >> 2]
        end = stops[to[e]]
        while cell != end:
            cell += step
            c = index[cell]
            if c >= 0:
                cover[e, c >> 6] |= np.uint64(1) << np.uint64(c & 63)
    return cover, cells


# --- growth -----------------------------------------------------------------------------------------------------------


@compiled
def texture(grid: Any, stride: int) -> Any:
    """What makes a board look like noise, as counts: (open 2x2 squares, single wall cells with floor on all four sides,
    bare crossings of two corridors)."""
    squares = pillars = crossings = 0
    for cell in range(stride + 1, grid.size - stride - 1):
        up, down, left, right = grid[cell - stride], grid[cell + stride], grid[cell - 1], grid[cell + 1]
        if grid[cell]:
            squares += right & down & grid[cell + stride + 1]
            if up & down & left & right and not (
                grid[cell - stride - 1] | grid[cell - stride + 1] | grid[cell + stride - 1] | grid[cell + stride + 1]
            ):
                crossings += 1
        else:
            pillars += up & down & left & right
    return squares, pillars, crossings


@compiled
def unused(grid: Any, height: int, width: int) -> Any:
    """(side of the largest square without floor, border lines of the grid without floor)."""
    stride = width + 2
    side = np.zeros(grid.size, np.int64)
    largest = 0
    for r in range(1, height + 1):
        for cell in range(r * stride + 1, r * stride + width + 1):
            if not grid[cell]:
                side[cell] = 1 + min(side[cell - 1], side[cell - stride], side[cell - stride - 1])
                largest = max(largest, side[cell])
    lines = 4
    for r in (1, height):
        lines -= grid[r * stride + 1 : r * stride + width + 1].any()
    for c in (1, width):
        lines -= grid[stride + c : (height + 1) * stride : stride].any()
    return largest, lines


@compiled
def _propose(grid: Any, height: int, width: int, s: Any, shares: Any) -> int:
    """Draws one change into ``grid``, somewhere at its floor: a corridor of one to three segments, a room, or a wall of
    one to four cells; ``shares`` are their chances in percent. Returns the floor cells won, negative for lost."""
    stride = width + 2
    base = 0
    while not grid[base]:
        base = (1 + _below(s, height)) * stride + 1 + _below(s, width)
    kind = _below(s, 100)
    d = _below(s, 4)
    won = 0
    if kind < shares[0]:
        cell = base
        for _ in range(1 + _below(s, 3)):
            step = _step(d, stride)
            for _ in range(2 + _below(s, max(height, width) - 1)):
                r, c = (cell + step) // stride, (cell + step) % stride
                if r < 1 or r > height or c < 1 or c > width:
                    break
                cell += step
                won += 1 - grid[cell]
                grid[cell] = 1
            d = (2 if d < 2 else 0) + _below(s, 2)
    elif kind < shares[0] + shares[1]:
        high, wide = 2 + _below(s, 2), 2 + _below(s, 3)
        if d & 1:
            high, wide = wide, high
        top, left = base // stride - _below(s, high), base % stride - _below(s, wide)
        for r in range(max(1, top), min(height, top + high - 1) + 1):
            for cell in range(r * stride + max(1, left), r * stride + min(width, left + wide - 1) + 1):
                won += 1 - grid[cell]
                grid[cell] = 1
    else:
        cell = base
        for _ in range(1 + _below(s, 4)):
            if not grid[cell]:
                break
            grid[cell] = 0
            won -= 1
            cell += _step(d, stride)
    return won


@compiled
def grow(
    grid: Any,
    height: int,
    width: int,
    start: int,
    s: Any,
    shares: Any,
    limits: Any,
    goal: int,
    changes: int,
    tries: int,
) -> int:
    """Changes ``grid`` in place until it has ``goal`` floor cells, ``changes`` were accepted, or ``tries`` changes in a
    row were refused or won nothing; returns how many were accepted.

    A change is accepted if the stops still form one component, every floor cell is painted by some slide, and no count
    of ``texture`` rises above its limit. ``s``: random state, uint64[4], advanced.
    """
    stride = width + 2
    number = np.empty(grid.size, np.int32)
    stops = np.empty(grid.size, np.int32)
    to = np.empty(4 * grid.size, np.int32)
    first = np.empty(grid.size, np.int32)
    link = np.empty(4 * grid.size, np.int32)
    queue = np.empty(grid.size, np.int32)
    mark = np.empty(grid.size, np.uint8)
    old = grid.copy()
    floor = np.int64(grid.sum())
    accepted = idle = 0
    while floor < goal and accepted < changes and idle < tries:
        idle += 1
        won = _propose(grid, height, width, s, shares)
        if won == 0:
            continue
        squares, pillars, crossings = texture(grid, stride)
        good = (
            grid[start] and floor + won > 1 and squares <= limits[0] and pillars <= limits[1] and crossings <= limits[2]
        )
        if good:
            n = slide_graph(grid, stride, start, number, stops, to)
            good = painted_count(grid, stride, start, n, stops, to, mark) == floor + won and is_one_component(
                n, to, first, link, queue
            )
        if good:
            if won > 0:
                idle = 0
            floor += won
            accepted += 1
            old[:] = grid
        else:
            grid[:] = old
    return accepted
