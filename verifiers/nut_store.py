"""Where the verifier of Nut and Bolt keeps what it has met: rows of packed bolts, and a hash table over them (numba).

A bolt is one uint64, four bits a nut, the *top* nut lowest: taking and putting nuts are shifts. A row is sorted: rows
that are equal modulo bolt order are one. Its hash is the sum of its scrambled bolts; where hashes are
equal, the rows are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..games.kernels import compiled_with

compiled = compiled_with(__file__)  # for kernels of other files, which call those of this one


@dataclass(slots=True)
class Store:
    """``rows`` uint64[N, bolts], ``hashes`` uint64[N], ``table`` int32[power of two]: number of a row + 1, 0 = free."""

    rows: Any
    hashes: Any
    table: Any

    @classmethod
    def of(cls, first: Any, length: int) -> Store:
        """A store with one row, sorted here, and room for ``length``."""
        store = cls(np.sort(first)[None], np.zeros(1, np.uint64), np.zeros(0, np.int32))
        store.hashes[0] = hash_row(store.rows[0])
        store.lengthen(1, length)
        return store

    def lengthen(self, count: int, length: int) -> None:
        """Room for ``length`` rows, of which ``count`` are taken."""
        self.rows = lengthened(self.rows, length)
        self.hashes = lengthened(self.hashes, length)
        self.table = np.zeros(1 << (2 * length - 1).bit_length(), np.int32)
        _refill(self.hashes, count, self.table)


def lengthened(values: Any, length: int) -> Any:
    """``values`` with room for ``length`` of them."""
    more = np.empty((length, *values.shape[1:]), values.dtype)
    more[: len(values)] = values
    return more


@compiled
def scramble(bolt: Any) -> Any:
    x = (bolt ^ (bolt >> np.uint64(31))) * np.uint64(0x7FB5D329728EA185)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x81DADEF4BC2DD44D)
    return x ^ (x >> np.uint64(33))


@compiled
def hash_row(row: Any) -> Any:
    total = np.uint64(0)
    for bolt in row:
        total += scramble(bolt)
    return total


@compiled
def _refill(hashes: Any, count: int, table: Any) -> None:
    for i in range(count):
        at = np.int64(hashes[i] & np.uint64(len(table) - 1))
        while table[at]:
            at = (at + 1) & (len(table) - 1)
        table[at] = i + 1


@compiled
def number_of(row: Any, hashed: Any, count: int, rows: Any, hashes: Any, table: Any) -> Any:
    """The number of ``row``, which is kept as number ``count`` if it is new."""
    at = np.int64(hashed & np.uint64(len(table) - 1))
    while table[at]:
        known = table[at] - 1
        if hashes[known] == hashed:
            same = True
            for i in range(len(row)):
                same &= rows[known, i] == row[i]
            if same:
                return known
        at = (at + 1) & (len(table) - 1)
    table[at] = count + 1
    hashes[count] = hashed
    for i in range(len(row)):
        rows[count, i] = row[i]
    return np.int64(count)


@compiled
def without_two(row: Any, a: Any, b: Any, low: Any, high: Any, after: Any) -> None:
    """``after``: the sorted row with the bolts at a and b replaced by ``low`` and ``high``."""
    if low > high:
        low, high = high, low
    last = -1
    for m in range(len(row)):
        if m in (a, b):
            continue
        last += 1
        after[last] = row[m]
    for bolt in (low, high):
        last += 1
        m = last
        while m > 0 and after[m - 1] > bolt:
            after[m] = after[m - 1]
            m -= 1
        after[m] = bolt
