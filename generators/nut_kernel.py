"""Nut and Bolt on packed integers, as compiled loops (numba): the minimum by A*, dead ends by border tables.

A bolt is one uint64, four bits a nut, the bottom nut lowest, colours 1 to 15; a state is the sorted array of its bolts:
the order of bolts does not matter. A transfer is a pair of contents (source, destination). Left out are those that
change nothing: of a finished bolt, of a bolt of one colour to an empty one, and those that only swap two contents.
Property-tested against ``games/nut.py``.

*Minimum.* blocks - colours + colours without a bottom block is a lower bound on the transfers left: a transfer joins
two blocks at most, or brings one to the bottom. It falls by one a transfer at most and never rises; so f rises by 0 or
1, two stacks serve as the queue, and a state that has been looked at is never opened again.

*Dead ends.* Source: T. Ito et al., "Sorting balls and water: equivalence and computational complexity", 2022. A border
is where two colours meet on a bolt; borders only disappear, from the top. Nuts above the uppermost border of their bolt
can be poured together at will, so that solvability depends on the *border table* alone: the bolts with a border, their
top run cut to one nut. The top nuts of a bolt, of colour c, can all leave it if and only if the free nuts of every
colour find room: on other bolts with that colour on top, and otherwise on a bolt of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

CAPPED, UNSOLVABLE = -1, -2
NIBBLE = np.uint64(15)
MAX_BOLTS = 19


def compiled(function: F) -> F:
    """numba's ``njit``, cached on disk, typed for mypy. A compiled function calls compiled functions of its own file
    only: numba's cache of a caller does not notice a change in another file."""
    kernel: F = numba.njit(cache=True, nogil=True)(function)
    return kernel


# --- states as keys ---------------------------------------------------------------------------------------------------


@compiled
def _pack(bolts: Any, n: int, per: int, key: Any) -> None:
    """Puts ``per`` bolts into each word of ``key``."""
    bits = np.uint64(64 // per)
    w = 0
    i = 0
    while i < n:
        word = bolts[i]
        for j in range(1, per):
            if i + j < n:
                word |= bolts[i + j] << (np.uint64(j) * bits)
        key[w] = word
        w += 1
        i += per


@compiled
def _unpack(key: Any, n: int, per: int, bolts: Any) -> None:
    bits = np.uint64(64 // per)
    mask = np.uint64(0xFFFFFFFFFFFFFFFF) if per == 1 else (np.uint64(1) << bits) - np.uint64(1)
    for i in range(n):
        bolts[i] = (key[i // per] >> (np.uint64(i % per) * bits)) & mask


@compiled
def _slot(key: Any, table: Any, keys: Any) -> Any:
    """Where in the hash table ``key`` is, or belongs. Keys are rows of ``keys``; the table holds row + 1, 0 = free."""
    h = np.uint64(0x9E3779B97F4A7C15)
    words = keys.shape[1]
    for w in range(words):
        h ^= key[w]
        h *= np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    mask = table.shape[0] - 1
    at = np.int64(h & np.uint64(mask))
    while table[at]:
        row = table[at] - 1
        same = True
        for w in range(words):
            if keys[row, w] != key[w]:
                same = False
                break
        if same:
            return at
        at = (at + 1) & mask
    return at


@compiled
def _grown_keys(keys: Any) -> Any:
    more = np.empty((2 * keys.shape[0], keys.shape[1]), np.uint64)
    more[: keys.shape[0]] = keys
    return more


@compiled
def _grown_table(table: Any, keys: Any, count: int) -> Any:
    more = np.zeros(2 * table.shape[0], table.dtype)
    for row in range(count):
        more[_slot(keys[row], more, keys)] = row + 1
    return more


@compiled
def _grown(values: Any) -> Any:
    more = np.empty(2 * values.shape[0], values.dtype)
    more[: values.shape[0]] = values
    return more


@compiled
def _look(bolts: Any, n: int, size: Any, top: Any, run: Any) -> None:
    """Of each bolt the number of nuts, the colour on top and how many of it lie there (0 for an empty bolt)."""
    for i in range(n):
        v = bolts[i]
        s = 0
        t = np.int64(0)
        r = 0
        while v:
            c = np.int64(v & NIBBLE)
            if c == t:
                r += 1
            else:
                t = c
                r = 1
            s += 1
            v >>= np.uint64(4)
        size[i], top[i], run[i] = s, t, r


@compiled
def _moved(bolts: Any, n: int, i: int, j: int, k: int, size: Any, top: Any, out: Any) -> None:
    """The sorted state after k nuts went from bolt i to bolt j."""
    keep = size[i] - k
    low = np.uint64(0)
    if keep > 0:
        low = bolts[i] & ((np.uint64(1) << np.uint64(4 * keep)) - np.uint64(1))
    high = bolts[j]
    colour = np.uint64(top[i])
    for place in range(size[j], size[j] + k):
        high |= colour << np.uint64(4 * place)
    if low > high:
        low, high = high, low
    w = 0
    placed = 0
    for m in range(n):
        if m in (i, j):
            continue
        v = bolts[m]
        if placed == 0 and low <= v:
            out[w] = low
            w += 1
            placed = 1
        if placed == 1 and high <= v:
            out[w] = high
            w += 1
            placed = 2
        out[w] = v
        w += 1
    if placed == 0:
        out[w] = low
        w += 1
        placed = 1
    if placed == 1:
        out[w] = high


@compiled
def _transfer(bolts: Any, h: int, i: int, j: int, size: Any, top: Any, run: Any) -> Any:
    """How many nuts a transfer from bolt i to bolt j moves; 0 where there is none, or one that changes nothing, or the
    same pair of contents was met at a smaller i or j. The bolts are sorted."""
    if i == j or size[i] == 0 or size[j] == h:
        return 0
    if i > 0 and bolts[i] == bolts[i - 1]:
        return 0
    if j > 0 and bolts[j] == bolts[j - 1] and j - 1 != i:
        return 0
    if size[j] == 0:
        return 0 if run[i] == size[i] else run[i]
    if top[i] != top[j] or run[i] == h:
        return 0
    return min(run[i], h - size[j])


# --- the minimum ------------------------------------------------------------------------------------------------------


@compiled
def shortest(start: Any, h: int, colours: int, cap: int) -> Any:
    """A* from the sorted bolts ``start``: (optimum, or CAPPED, or UNSOLVABLE; states stored; the path as rows of
    bolts, uint64[optimum + 1, bolts])."""
    n = start.shape[0]
    per = 64 // (4 * h)
    words = (n + per - 1) // per
    keys = np.empty((1024, words), np.uint64)
    f_of = np.empty(1024, np.int16)
    h_of = np.empty(1024, np.int16)
    parent = np.empty(1024, np.int32)
    table = np.zeros(4096, np.int32)
    now = np.empty(1024, np.int32)
    later = np.empty(1024, np.int32)
    bolts = np.empty(n, np.uint64)
    out = np.empty(n, np.uint64)
    key = np.empty(words, np.uint64)
    size = np.empty(n, np.int64)
    top = np.empty(n, np.int64)
    run = np.empty(n, np.int64)
    bottoms = np.zeros(16, np.int64)
    # the bound at the start
    blocks = 0
    for i in range(n):
        v = start[i]
        last = np.uint64(0)
        if v:
            bottoms[np.int64(v & NIBBLE)] += 1
        while v:
            if (v & NIBBLE) != last:
                blocks += 1
                last = v & NIBBLE
            v >>= np.uint64(4)
    first = blocks - colours
    for c in range(1, colours + 1):
        if bottoms[c] == 0:
            first += 1
    _pack(start, n, per, key)
    keys[0] = key
    f_of[0] = first
    h_of[0] = first
    parent[0] = -1
    table[_slot(key, table, keys)] = 1
    count = 1
    now[0] = 0
    waiting = 1
    put_off = 0
    f = first
    goal = 0 if first == 0 else -1
    while goal < 0:
        if waiting == 0:
            if put_off == 0:
                return UNSOLVABLE, count, np.empty((0, n), np.uint64)
            now, later = later, now
            waiting, put_off = put_off, 0
            f += 1
            continue
        waiting -= 1
        node = now[waiting]
        if f_of[node] != f:
            continue
        if h_of[node] == 0:
            goal = node
            break
        _unpack(keys[node], n, per, bolts)
        _look(bolts, n, size, top, run)
        bottoms[:] = 0
        for i in range(n):
            if size[i]:
                bottoms[np.int64(bolts[i] & NIBBLE)] += 1
        for i in range(n):
            if size[i] == 0 or run[i] == h:
                continue
            for j in range(n):
                if size[j] == h or (size[j] and top[j] != top[i]):
                    continue  # most pairs: not worth a call
                k = _transfer(bolts, h, i, j, size, top, run)
                if k == 0:
                    continue
                c = top[i]
                if size[j] == 0:
                    delta = -1 if bottoms[c] == 0 else 0
                elif k < run[i]:
                    delta = 0
                else:
                    delta = -1
                    if run[i] == size[i] and bottoms[c] == 1:
                        delta = 0
                value = f + 1 + delta
                _moved(bolts, n, i, j, k, size, top, out)
                _pack(out, n, per, key)
                at = _slot(key, table, keys)
                if table[at]:
                    child = table[at] - 1
                    if f_of[child] <= value:
                        continue
                else:
                    if count >= cap:
                        return CAPPED, count, np.empty((0, n), np.uint64)
                    if count == keys.shape[0]:
                        keys = _grown_keys(keys)
                        f_of = _grown(f_of)
                        h_of = _grown(h_of)
                        parent = _grown(parent)
                    child = count
                    keys[child] = key
                    count += 1
                    table[at] = count
                    if 2 * count > table.shape[0]:
                        table = _grown_table(table, keys, count)
                f_of[child] = value
                h_of[child] = h_of[node] + delta
                parent[child] = node
                if value == f:
                    if h_of[child] == 0:
                        goal = child
                        break
                    if waiting == now.shape[0]:
                        now = _grown(now)
                    now[waiting] = child
                    waiting += 1
                else:
                    if put_off == later.shape[0]:
                        later = _grown(later)
                    later[put_off] = child
                    put_off += 1
            if goal >= 0:
                break
    length = 0
    node = goal
    while parent[node] >= 0:
        node = parent[node]
        length += 1
    path = np.empty((length + 1, n), np.uint64)
    node = goal
    for step in range(length, -1, -1):
        _unpack(keys[node], n, per, path[step])
        node = parent[node]
    return length, count, path


# --- border tables ----------------------------------------------------------------------------------------------------


@compiled
def border_table(bolts: Any, n: int, out: Any) -> None:
    """The sorted border table of a state: bolts with a border, their top run cut to one nut; 0 for the others."""
    for i in range(n):
        v = bolts[i]
        place = 0
        begin = 0
        last = np.uint64(0)
        w = v
        while w:
            c = w & NIBBLE
            if c != last:
                begin = place
                last = c
            place += 1
            w >>= np.uint64(4)
        if begin == 0:
            out[i] = 0
        elif begin == 15:
            out[i] = v
        else:
            out[i] = v & ((np.uint64(1) << np.uint64(4 * (begin + 1))) - np.uint64(1))
    for i in range(1, n):
        v = out[i]
        m = i
        while m > 0 and out[m - 1] > v:
            out[m] = out[m - 1]
            m -= 1
        out[m] = v


@compiled
def _free(table: Any, n: int, h: int, free: Any, room: Any, size: Any, top: Any) -> int:
    """Fills ``free`` (nuts of each colour above borders), ``room`` (for each colour, above borders with it on top),
    ``size`` and ``top`` of the bolts with a border (0 for others); returns how many bolts have none."""
    free[:] = h
    room[:] = 0
    without = 0
    for i in range(n):
        v = table[i]
        s = 0
        size[i] = 0
        if v == 0:
            without += 1
            continue
        while v >> np.uint64(4):
            free[np.int64(v & NIBBLE)] -= 1
            s += 1
            v >>= np.uint64(4)
        size[i] = s  # nuts below the border
        top[i] = np.int64(v)
        room[top[i]] += h - s
    return without


@compiled
def _can_leave(i: int, colours: int, h: int, without: int, free: Any, room: Any, size: Any, top: Any) -> bool:
    """Whether the top nuts of bolt i can all go elsewhere, once what is free has been poured together."""
    needed = 0
    for c in range(1, colours + 1):
        at_hand = room[c]
        if c == top[i]:
            at_hand -= h - size[i]
        if free[c] > at_hand:  # at most h of a colour: one bolt of its own is enough
            needed += 1
    return needed <= without


@compiled
def _uncovered(table: Any, n: int, i: int, size: Any, out: Any) -> None:
    """The sorted table after the uppermost border of bolt i has gone."""
    v = table[i] & ((np.uint64(1) << np.uint64(4 * size[i])) - np.uint64(1))
    # what was below the border is one run or more: cut it to its own border and one nut
    place = 0
    begin = 0
    last = np.uint64(0)
    w = v
    while w:
        c = w & NIBBLE
        if c != last:
            begin = place
            last = c
        place += 1
        w >>= np.uint64(4)
    v = np.uint64(0) if begin == 0 else v & ((np.uint64(1) << np.uint64(4 * (begin + 1))) - np.uint64(1))
    m = 0
    placed = False
    for k in range(n):
        if k == i:
            continue
        if not placed and v <= table[k]:
            out[m] = v
            m += 1
            placed = True
        out[m] = table[k]
        m += 1
    if not placed:
        out[m] = v


@compiled
def tables(start: Any, h: int, colours: int, cap: int, whole: bool) -> Any:
    """The border tables that a state reaches: (1 solvable, 0 dead, or CAPPED; their number; keys; hash table;
    1 for each solvable one, uint8; removals of a border from solvable tables; of these, to dead ones).

    Depth first. Without ``whole`` it stops as soon as a way to the end is found, and the last three mean nothing.
    """
    n = start.shape[0]
    per = 64 // (4 * h)
    words = (n + per - 1) // per
    keys = np.empty((256, words), np.uint64)
    solvable = np.zeros(256, np.uint8)
    table = np.zeros(1024, np.int32)
    key = np.empty(words, np.uint64)
    bolts = np.empty(n, np.uint64)
    out = np.empty(n, np.uint64)
    free = np.empty(16, np.int64)
    room = np.empty(16, np.int64)
    size = np.empty(n, np.int64)
    top = np.empty(n, np.int64)
    depth_of = np.empty(16 * MAX_BOLTS + 1, np.int64)  # the nodes on the way, and the next bolt to try of each
    next_of = np.empty(16 * MAX_BOLTS + 1, np.int64)
    legal = 0
    fatal = 0
    border_table(start, n, bolts)
    _pack(bolts, n, per, key)
    keys[0] = key
    table[_slot(key, table, keys)] = 1
    count = 1
    depth = 0
    depth_of[0] = 0
    next_of[0] = 0
    if bolts[n - 1] == 0:
        solvable[0] = 1
        depth = -1
    legal_at = np.zeros(16 * MAX_BOLTS + 1, np.int64)
    dead_at = np.zeros(16 * MAX_BOLTS + 1, np.int64)
    while depth >= 0:
        node = depth_of[depth]
        _unpack(keys[node], n, per, bolts)
        without = _free(bolts, n, h, free, room, size, top)
        going_down = False
        i = next_of[depth]
        while i < n:
            if size[i] == 0 or (i > 0 and bolts[i] == bolts[i - 1]):
                i += 1
                continue
            if not _can_leave(i, colours, h, without, free, room, size, top):
                i += 1
                continue
            _uncovered(bolts, n, i, size, out)
            _pack(out, n, per, key)
            at = _slot(key, table, keys)
            if table[at]:
                child = table[at] - 1
                legal_at[depth] += 1
                if solvable[child]:
                    solvable[node] = 1
                    if not whole:
                        return 1, count, keys, table, solvable, legal, fatal
                else:
                    dead_at[depth] += 1
                i += 1
                continue
            if count >= cap:
                return CAPPED, count, keys, table, solvable, legal, fatal
            if count == keys.shape[0]:
                keys = _grown_keys(keys)
                more = np.zeros(2 * solvable.shape[0], np.uint8)
                more[: solvable.shape[0]] = solvable
                solvable = more
            child = count
            keys[child] = key
            count += 1
            table[at] = count
            if 2 * count > table.shape[0]:
                table = _grown_table(table, keys, count)
            if out[n - 1] == 0:
                if not whole:
                    return 1, count, keys, table, solvable, legal, fatal
                solvable[child] = 1
                continue  # looked up again at once
            next_of[depth] = i  # and looked up again after the return
            depth += 1
            depth_of[depth] = child
            next_of[depth] = 0
            legal_at[depth] = 0
            dead_at[depth] = 0
            going_down = True
            break
        if not going_down:
            if solvable[node]:
                legal += legal_at[depth]
                fatal += dead_at[depth]
            depth -= 1
    return np.int64(solvable[0]), count, keys, table, solvable, legal, fatal


@compiled
def count_states(start: Any, h: int, colours: int, cap: int) -> Any:
    """All states that a state reaches, labelled by their border tables: (states, or CAPPED; solved ones, 0 or 1; dead
    ones; transfers from solvable states; of these, to dead ones). Modulo bolt order; transfers by contents."""
    n = start.shape[0]
    verdict, _, tkeys, ttable, solvable, _, _ = tables(start, h, colours, cap, True)
    if verdict == CAPPED:
        return CAPPED, 0, 0, 0, 0
    per = 64 // (4 * h)
    words = (n + per - 1) // per
    keys = np.empty((1024, words), np.uint64)
    alive = np.empty(1024, np.uint8)
    table = np.zeros(4096, np.int32)
    bolts = np.empty(n, np.uint64)
    out = np.empty(n, np.uint64)
    cut = np.empty(n, np.uint64)
    key = np.empty(words, np.uint64)
    size = np.empty(n, np.int64)
    top = np.empty(n, np.int64)
    run = np.empty(n, np.int64)
    _pack(start, n, per, key)
    keys[0] = key
    table[_slot(key, table, keys)] = 1
    alive[0] = verdict
    count = 1
    done = 0
    dead = 0
    solved = 0
    legal = 0
    fatal = 0
    while done < count:
        _unpack(keys[done], n, per, bolts)
        _look(bolts, n, size, top, run)
        lives = alive[done]
        finished = True
        for i in range(n):
            if size[i] and run[i] < h:
                finished = False
        if finished:
            solved += 1
        if not lives:
            dead += 1
        done += 1
        for i in range(n):
            if size[i] == 0 or run[i] == h:
                continue
            for j in range(n):
                if size[j] == h or (size[j] and top[j] != top[i]):
                    continue  # most pairs: not worth a call
                k = _transfer(bolts, h, i, j, size, top, run)
                if k == 0:
                    continue
                _moved(bolts, n, i, j, k, size, top, out)
                _pack(out, n, per, key)
                at = _slot(key, table, keys)
                if table[at]:
                    child = table[at] - 1
                else:
                    if count >= cap:
                        return CAPPED, 0, 0, 0, 0
                    if count == keys.shape[0]:
                        keys = _grown_keys(keys)
                        alive = _grown(alive)
                    child = count
                    keys[child] = key
                    count += 1
                    table[at] = count
                    if 2 * count > table.shape[0]:
                        table = _grown_table(table, keys, count)
                    if k == run[i] and k < size[i]:  # a border has gone
                        border_table(out, n, cut)
                        _pack(cut, n, per, key)
                        alive[child] = solvable[ttable[_slot(key, ttable, tkeys)] - 1]
                    else:
                        alive[child] = lives
                if lives and child != done - 1:
                    legal += 1
                    if not alive[child]:
                        fatal += 1
    return count, solved, dead, legal, fatal
