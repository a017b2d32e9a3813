"""Searching for the minimum of a Maze Paint board, as compiled loops on packed integers (numba).

Stops and slides are numbered as in ``maze_kernel``: ``to[4 * stop + d]`` is the stop that a slide reaches, or -1, and
``cover[4 * stop + d]`` the bit mask of the cells that it paints. A search state is one key of 64-bit words: the low
STOP_BITS of the first hold the stop, the bits above the painted required cells.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..games.kernels import compiled

CAPPED, UNSOLVABLE = -1, -2
STOP_BITS = 12  # enough for 64 by 64 cells
STOP_MASK = (1 << STOP_BITS) - 1


@compiled
def _has(row: Any, c: int) -> bool:
    return bool((row[c >> 6] >> np.uint64(c & 63)) & np.uint64(1))


@compiled
def _reach_without(c: int, n: int, to: Any, cover: Any, seen: Any, queue: Any) -> int:
    """Marks in ``seen`` the stops that the start reaches without painting cell ``c``; they are ``queue[:returned]``."""
    seen[:n] = 0
    seen[0] = 1
    queue[0] = 0
    found = 1
    i = 0
    while i < found:
        u = queue[i]
        i += 1
        for e in range(4 * u, 4 * u + 4):
            v = to[e]
            if v >= 0 and not seen[v] and not _has(cover[e], c):
                seen[v] = 1
                queue[found] = v
                found += 1
    return found


@compiled
def required_masks(n: int, to: Any, cover: Any, cells: int) -> Any:
    """The cells that have to be watched: (what each slide paints of them, uint64[slides, words]; all of them,
    uint64[words]; their number).

    Cell d *implies* c if no walk from the start paints d without having painted c: then c needs no bit. (The subset
    rule, "every slide that paints d paints c", is a special case.) Of cells that imply one another the first stays.
    Bit b of the masks is at position 12 + b, for the low twelve bits of a search key hold the stop. The number is -1 if
    some floor cell is on no slide.
    """
    words = cover.shape[1]
    total = np.zeros(words, np.uint64)
    for e in range(4 * n):
        total |= cover[e]
    without = np.zeros((cells, words), np.uint64)  # row c: what can be painted before c is
    seen = np.empty(n, np.uint8)
    queue = np.empty(n, np.int64)
    for c in range(cells):
        if not _has(total, c):
            return np.zeros((0, 0), np.uint64), total, -1
        found = _reach_without(c, n, to, cover, seen, queue)
        for i in range(found):
            for e in range(4 * queue[i], 4 * queue[i] + 4):
                if not _has(cover[e], c):
                    for w in range(words):
                        without[c, w] |= cover[e, w]
    required = np.empty(cells, np.int64)
    k = 0
    for c in range(cells):
        keep = True
        for d in range(cells):
            if d != c and not _has(without[c], d) and (d < c or _has(without[d], c)):
                keep = False  # d implies c, and d comes first or is not implied by c
                break
        if keep:
            required[k] = c
            k += 1
    words = (k + STOP_BITS + 63) >> 6
    masks = np.zeros((4 * n, words), np.uint64)
    goal = np.zeros(words, np.uint64)
    for b in range(k):
        word = (b + STOP_BITS) >> 6
        bit = np.uint64(1) << np.uint64((b + STOP_BITS) & 63)
        goal[word] |= bit
        for e in range(4 * n):
            if _has(cover[e], required[b]):
                masks[e, word] |= bit
    return masks, goal, k


@compiled
def has_dead_end(n: int, to: Any, cover: Any, cells: int) -> bool:
    """Whether some walk from the start can no longer paint everything.

    It can iff there is a sink component of the slide graph and a cell that the component does not paint and that is not
    on every path to it: the ball gets into the component without the cell, and never out again.
    """
    reach = np.zeros((n, n), np.uint8)
    queue = np.empty(n, np.int64)
    for u in range(n):
        reach[u, u] = 1
        queue[0] = u
        found = 1
        i = 0
        while i < found:
            for e in range(4 * queue[i], 4 * queue[i] + 4):
                if to[e] >= 0 and not reach[u, to[e]]:
                    reach[u, to[e]] = 1
                    queue[found] = to[e]
                    found += 1
            i += 1
    seen = np.empty(n, np.uint8)
    for u in range(n):
        lowest_of_sink = True
        for v in range(n):
            if reach[u, v] and (v < u or not reach[v, u]):
                lowest_of_sink = False
        if not lowest_of_sink:
            continue
        painted = np.zeros(cover.shape[1], np.uint64)
        for v in range(n):
            if reach[u, v]:
                for e in range(4 * v, 4 * v + 4):
                    painted |= cover[e]
        for c in range(cells):
            if not _has(painted, c):
                _reach_without(c, n, to, cover, seen, queue)
                if seen[u]:
                    return True
    return False


# --- searching for the minimum ----------------------------------------------------------------------------------------


@compiled
def _slot(table: Any, keys: Any, key: Any) -> Any:
    """Where ``key`` is in ``table``, an open addressing table of row numbers of ``keys``, or the free slot for it."""
    h = np.uint64(0)
    for w in range(key.size):
        h ^= key[w]
        h ^= h >> np.uint64(32)
        h *= np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(29)
    last = table.size - 1
    slot = np.int64(h & np.uint64(last))
    while table[slot] >= 0:
        row = table[slot]
        same = True
        for w in range(key.size):
            if keys[row, w] != key[w]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & last
    return slot


@compiled
def _slide(key: Any, mask: Any, stop: int, goal: Any, new: Any) -> bool:
    """Puts the state after a slide into ``new``; returns whether every required cell is painted."""
    complete = True
    for w in range(key.size):
        new[w] = key[w] | mask[w]
        if new[w] & goal[w] != goal[w]:
            complete = False
    new[0] = (new[0] & ~np.uint64(STOP_MASK)) | np.uint64(stop)
    return complete


@compiled
def shortest(to: Any, masks: Any, goal: Any, cap: int) -> Any:
    """Breadth-first search over (stop, painted required cells), from stop 0.

    Returns (length, directions of a shortest solution, states stored). The length is CAPPED if more than ``cap`` states
    would have to be stored, UNSOLVABLE if all are and none is complete.
    """
    words = goal.size
    room = 1 << 10
    keys = np.zeros((room, words), np.uint64)
    parent = np.zeros(room, np.int32)
    slide = np.zeros(room, np.uint8)
    table = np.full(4 * room, -1, np.int32)
    new = np.zeros(words, np.uint64)
    table[_slot(table, keys, new)] = 0
    stored = 1
    i = 0
    while i < stored:
        u = np.int64(keys[i, 0] & np.uint64(STOP_MASK))
        for d in range(4):
            e = 4 * u + d
            if to[e] < 0:
                continue
            if _slide(keys[i], masks[e], to[e], goal, new):
                length = 1
                j = i
                while j > 0:
                    length += 1
                    j = parent[j]
                moves = np.empty(length, np.uint8)
                moves[length - 1] = d
                j = i
                for at in range(length - 2, -1, -1):
                    moves[at] = slide[j]
                    j = parent[j]
                return length, moves, stored
            slot = _slot(table, keys, new)
            if table[slot] >= 0:
                continue
            if stored >= cap:
                return CAPPED, np.empty(0, np.uint8), stored
            if stored == room:
                room *= 4
                more = np.zeros((room, words), np.uint64)
                more[:stored] = keys
                keys = more
                parent = np.concatenate((parent, np.zeros(room - stored, np.int32)))
                slide = np.concatenate((slide, np.zeros(room - stored, np.uint8)))
                table = np.full(4 * room, -1, np.int32)
                for j in range(stored):
                    table[_slot(table, keys, keys[j])] = j
                slot = _slot(table, keys, new)
            table[slot] = stored
            keys[stored] = new
            parent[stored] = i
            slide[stored] = d
            stored += 1
        i += 1
    return UNSOLVABLE, np.empty(0, np.uint8), stored
