"""Nut and Bolt states as rows of small numbers, and the hash table that the compiled searches (numba) keep them in.

A state is the sorted row of its contents (``nut_contents``), so that the order of bolts does not matter. Its hash is
the sum of one random number for each, so that a transfer changes it by four additions. An equal hash proves nothing:
the rows are compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..games.kernels import compiled_with

SIZE, TOP, RUN, BELOW, GROUP, BOTTOM = range(6)  # the columns of ``info``, see ``nut_contents``
compiled = compiled_with(__file__)  # for kernels of other files, which call those of this one


@compiled
def transfers(row: Any, n: int, capacity: int, info: Any, chains: Any, found: Any) -> int:
    """Every transfer of the state ``row``, once for each pair of contents, into the rows of ``found`` int64[.., 4]:
    source, destination, and what each of them holds afterwards; returns their number. Left out are those that change
    nothing: of a finished bolt, of a bolt of one colour to an empty one, and those after which two bolts have changed
    places. ``chains`` int64[16 + bolts] is for its own use: for each colour the last bolt with it on top and with room,
    and from 16 on, for each bolt, the one before."""
    chains[:16] = -1
    for m in range(n):
        v = row[m]
        if info[v, SIZE] < capacity:
            chains[16 + m] = chains[info[v, TOP]]
            chains[info[v, TOP]] = m
    count = 0
    for i in range(n):
        v = row[i]
        run = np.int64(info[v, RUN])
        if v == 0 or run == capacity or (i > 0 and row[i - 1] == v):
            continue
        c = np.int64(info[v, TOP])
        below = np.int64(info[v, BELOW])
        if row[0] == 0 and below:
            found[count, 0], found[count, 1], found[count, 2], found[count, 3] = v, 0, below, (c - 1) * capacity + run
            count += 1
        after = chains[c]
        while after >= 0:
            j = after
            after = chains[16 + j]
            w = row[j]
            if j == i or (j > 0 and j - 1 != i and row[j - 1] == w):
                continue
            k = min(run, capacity - np.int64(info[w, SIZE]))
            rest = below if k == run else v - k
            if rest == w:
                continue
            found[count, 0], found[count, 1], found[count, 2], found[count, 3] = v, w, rest, w + k
            count += 1
    return count


@compiled
def exchanged(row: Any, n: int, a: Any, b: Any, c: Any, d: Any, out: Any) -> None:
    """``row`` with one a and one b less, and c and d instead, sorted, into ``out``."""
    if c > d:
        c, d = d, c
    w = 0
    for m in range(n):
        v = row[m]
        if v == a:
            a = -1
            continue
        if v == b:
            b = -1
            continue
        if v >= c:
            out[w] = c
            w += 1
            c = 1 << 20
        if v >= d:
            out[w] = d
            w += 1
            d = 1 << 20
        out[w] = v
        w += 1
    if w < n and c < 1 << 20:
        out[w] = c
        w += 1
    if w < n:
        out[w] = d


@compiled
def find(row: Any, n: int, hashed: Any, table: Any, rows: Any) -> Any:
    """Where in ``table`` the state ``row`` is, or belongs: int64[power of two], 0 = free, else a part of the hash and,
    in the lower half, its place in ``rows``, counted from 1."""
    mask = table.shape[0] - 1
    at = np.int64(hashed & np.uint64(mask))
    tag = np.int64(hashed >> np.uint64(33))
    while True:
        entry = table[at]
        if entry == 0:
            return at
        if entry >> 32 == tag:
            other = (entry & 0xFFFFFFFF) - 1
            same = True
            for m in range(n):
                if rows[other, m] != row[m]:
                    same = False
                    break
            if same:
                return at
        at = (at + 1) & mask


@compiled
def enter(row: Any, n: int, hashed: Any, at: Any, count: int, table: Any, rows: Any) -> None:
    """Keeps a new state as number ``count``, at the place ``at`` that ``find`` gave."""
    for m in range(n):
        rows[count, m] = row[m]
    table[at] = (np.int64(hashed >> np.uint64(33)) << 32) | (count + 1)


@compiled
def hash_of(row: Any, n: int, code: Any) -> Any:
    """The sum of the random numbers of a row's entries."""
    hashed = np.uint64(0)
    for m in range(n):
        hashed += code[row[m]]
    return hashed


@compiled
def refill(rows: Any, count: int, code: Any, table: Any) -> None:
    """Enters the first ``count`` rows, all different, into an empty table."""
    mask = table.shape[0] - 1
    for i in range(count):
        hashed = hash_of(rows[i], rows.shape[1], code)
        at = np.int64(hashed & np.uint64(mask))
        while table[at]:
            at = (at + 1) & mask
        table[at] = (np.int64(hashed >> np.uint64(33)) << 32) | (i + 1)


def longer(values: Any, length: int) -> Any:
    """The array with ``length`` rows (or numbers), the old ones first and the others left as they come."""
    more = np.empty((length, *values.shape[1:]), values.dtype)
    more[: len(values)] = values
    return more


def roomier(rows: Any, count: int, code: Any, length: int) -> tuple[Any, Any]:
    """``rows`` with room for ``length`` states, and a hash table of the first ``count`` of them, half full at most."""
    rows = longer(rows, length)
    table = np.zeros(1 << (2 * length - 1).bit_length(), np.int64)
    refill(rows, count, code, table)
    return rows, table
