"""Nut and Bolt states as rows of small numbers, and the hash table that the compiled searches (numba) keep them in.

What a bolt can ever hold is some lower part of what it held at the start, and above it nuts of one colour. These
*contents* are few (about 150 for 14 colours and capacity 4), so they are numbered once for a level:

    content      0 is an empty bolt; the others come in *groups* of consecutive numbers, one nut more each
    group        the bolts that have the same uppermost border and the same colour above it: group c is the bolts
                 that hold colour c alone, further groups are the bolts with a border

A state is the sorted row of its contents, so that the order of bolts does not matter; its hash is the sum of one random
number for each, so that a transfer changes it by four additions. An equal hash proves nothing: rows are compared.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

SIZE, TOP, RUN, BELOW, GROUP, BOTTOM = range(6)  # the columns of ``info``, see ``contents``
NIBBLE = np.uint64(15)
_CHECKSUM = f"{zlib.crc32(Path(__file__).read_bytes()):08x}"


def compiled(function: F) -> F:
    """numba's ``njit``, cached on disk, typed for mypy. numba's cache of a caller does not notice a change in another
    file; so the name under which a kernel is kept ends in a checksum of this file, whose functions others call.

    For speed: no array is assigned anew in a hot loop, numba would count references at each step. Kernels return when
    their arrays are full, plain Python makes longer ones, and they go on.
    """
    function.__qualname__ += f"_{_CHECKSUM}"
    kernel: F = numba.njit(cache=True, nogil=True)(function)
    return kernel


@compiled
def contents(start: Any, capacity: int, colours: int) -> Any:
    """Numbers what bolts can hold. ``start``: uint64[bolts], four bits a nut, the bottom nut lowest, colours 1 to 15.

    Returns (``row`` uint16[bolts], the start, sorted; ``info`` int32[contents, 6]: nuts, colour on top, how many of it,
    the content once these are gone, group, colour at the bottom; ``code`` uint64[contents], the random numbers;
    ``packed`` uint64[contents]; ``first`` int32[groups], each group's content with one nut above the border).
    """
    n = start.shape[0]
    most = 1 + colours
    for i in range(n):
        most += _borders(start[i])
    keys = np.zeros(most, np.uint64)  # of each group: its lower part and one nut
    bases = np.zeros(most, np.int64)  # the height of its border
    parents = np.zeros(most, np.int64)  # the group that the border's removal leads to, and the nuts on top there
    runs = np.zeros(most, np.int64)
    for c in range(1, colours + 1):
        keys[c] = c
    groups = 1 + colours
    group_of = np.zeros(n, np.int64)
    run_of = np.zeros(n, np.int64)
    for i in range(n):
        v = start[i]
        place = 0
        begin = 0
        last = np.uint64(0)
        group: Any = 0
        while v:
            c = v & NIBBLE
            if c != last:
                parent, run = group, place - begin
                begin = place
                last = c
                if place == 0:
                    group = np.int64(c)
                else:
                    key = start[i] & (np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(60 - 4 * place))
                    group = colours + 1
                    while group < groups and keys[group] != key:
                        group += 1
                    if group == groups:
                        keys[group], bases[group], parents[group], runs[group] = key, place, parent, run
                        groups += 1
            place += 1
            v >>= np.uint64(4)
        group_of[i], run_of[i] = group, place - begin
    first = np.zeros(groups, np.int32)
    count = 1
    for g in range(1, groups):
        first[g] = count
        count += capacity - bases[g]
    info = np.zeros((count, 6), np.int32)
    code = np.zeros(count, np.uint64)
    packed = np.zeros(count, np.uint64)
    for g in range(1, groups):
        place = bases[g]
        value = keys[g]
        top = np.int64(value >> np.uint64(4 * place))
        for run in range(1, capacity - place + 1):
            at = first[g] + run - 1
            info[at, SIZE] = place + run
            info[at, TOP] = top
            info[at, RUN] = run
            info[at, BELOW] = first[parents[g]] + runs[g] - 1 if place else 0
            info[at, GROUP] = g
            info[at, BOTTOM] = np.int64(value & NIBBLE)
            packed[at] = value
            value |= np.uint64(top) << np.uint64(4 * (place + run))
    for at in range(count):
        code[at] = _scrambled(packed[at] + np.uint64(1))
    row = np.zeros(n, np.uint16)
    for i in range(n):
        row[i] = first[group_of[i]] + run_of[i] - 1 if group_of[i] else 0
    row.sort()
    return row, info, code, packed, first


@compiled
def _borders(bolt: Any) -> int:
    many = 0
    while bolt >> np.uint64(4):
        if bolt & NIBBLE != (bolt >> np.uint64(4)) & NIBBLE:
            many += 1
        bolt >>= np.uint64(4)
    return many


@compiled
def _scrambled(x: Any) -> Any:
    """A number that looks random (the finisher of SplitMix64; Steele, Lea and Flood, 2014)."""
    x *= np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


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
