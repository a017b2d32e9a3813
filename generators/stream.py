"""The random stream that level bytes come from: xoshiro256** seeded through numpy's SeedSequence.

numpy keeps ``SeedSequence`` and ``generate_state`` stable between versions, but not what ``Generator`` methods draw, so
the drawing is ours. Source: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators", 2021.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")
_MASK = (1 << 64) - 1


class Stream:
    """A deterministic stream of 64-bit words and what is drawn from them."""

    __slots__ = ("_s",)

    def __init__(self, entropy: Sequence[int], key: Sequence[int]) -> None:
        """``entropy``: the root seed and the cell's name as integers; ``key``: (epoch, candidate index)."""
        words = np.random.SeedSequence(list(entropy), spawn_key=tuple(key)).generate_state(4, np.uint64)
        self._s = [int(w) for w in words]
        if not any(self._s):  # xoshiro must not start at zero
            self._s[0] = 1

    def word(self) -> int:
        """The next 64-bit word."""
        s = self._s
        result = (_rotl((s[1] * 5) & _MASK, 7) * 9) & _MASK
        t = (s[1] << 17) & _MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = _rotl(s[3], 45)
        return result

    def below(self, n: int) -> int:
        """An integer in [0, n), without bias (words above the last multiple of n are drawn again)."""
        if n < 1:
            raise ValueError(f"below() needs n >= 1, not {n}")
        limit = (1 << 64) - (1 << 64) % n
        while True:
            w = self.word()
            if w < limit:
                return w % n

    def between(self, low: int, high: int) -> int:
        """An integer in [low, high], both included."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def words(self, n: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        """n words at once, for instance to seed a compiled loop's own stream; shape (n,), dtype uint64."""
        return np.array([self.word() for _ in range(n)], dtype=np.uint64)


def _rotl(x: int, k: int) -> int:
    return ((x << k) | (x >> (64 - k))) & _MASK
