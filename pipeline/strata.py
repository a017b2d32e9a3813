"""The form of a tier: which optimal lengths its levels shall have, whatever the epoch.

A *spread* says how the optimal lengths of a tier are distributed, by their quantiles. For n levels it is cut into n
*strata* of equal shares, ranges of lengths that hold one level each. It comes from params.yaml alone, so any two
refreshes of the tier have a level in each of the same strata: their means differ by what is left inside a stratum.

    spread [7, 12], five levels:    7 8   8 9   9 10   10 11   11 12
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

Range = tuple[int, int]  # lengths, both ends included

FEW = 5  # levels; of fewer, each takes up the middle half of its share only, or chance would still move the mean


@dataclass(frozen=True, slots=True)
class Spread:
    """``knots``: quantiles of the optimal length at equal steps, from the least to the largest; two of them mean that
    every length between is as frequent."""

    knots: tuple[int, ...]

    def strata(self, count: int) -> tuple[Range, ...]:
        """``count`` ranges of equal shares, both of whose ends rise. Neighbours have a length in common where the share
        of one ends in the middle of it."""
        margin = Fraction(1, 4) if count < FEW else Fraction(0)
        return tuple(
            self._lengths((stratum + margin) / count, (stratum + 1 - margin) / count) for stratum in range(count)
        )

    def _lengths(self, first: Fraction, last: Fraction) -> Range:
        """A length L stands for all that rounds to it."""
        half = Fraction(1, 2)
        return floor(self._quantile(first) + half), ceil(self._quantile(last) - half)

    def _quantile(self, share: Fraction) -> Fraction:
        """Of the distribution that is even between two knots; the outermost lengths are as wide as the others."""
        half = Fraction(1, 2)
        ends = [Fraction(knot) for knot in self.knots]
        ends[0] -= half
        ends[-1] += half
        place = share * (len(ends) - 1)
        step = min(floor(place), len(ends) - 2)
        return ends[step] + (ends[step + 1] - ends[step]) * (place - step)


class Strata:
    """Which of some strata hold a length. One that comes is taken if all that were taken before can still be placed: so
    as many strata are filled as any placing could."""

    def __init__(self, strata: Iterable[Range]) -> None:
        """``strata``: in rising order of both ends."""
        self.strata = tuple(strata)
        self._lows = [low for low, _ in self.strata]
        self._highs = [high for _, high in self.strata]
        self._held: list[int | None] = [None] * len(self.strata)
        self._closed = set[int]()  # lengths that found no place: they never will again

    def take(self, length: int) -> bool:
        """Gives ``length`` a stratum, moving others to neighbours where need be; False where there is no place."""
        path = self._path(length)
        if not path:
            return False
        for stratum, before in pairwise(path):
            self._held[stratum] = self._held[before]
        self._held[path[-1]] = length
        return True

    def has_room(self, lengths: Range) -> bool:
        """Whether any of the lengths would be taken. What lies in the same strata is the same, so one length is asked
        for each set of strata, however many lengths there are."""
        low, high = lengths
        changes = {low, *self._lows, *(last + 1 for last in self._highs)}
        return any(self._path(length) for length in sorted(changes) if low <= length <= high)

    def open(self) -> list[Range]:
        """The strata that hold nothing."""
        return [lengths for lengths, held in zip(self.strata, self._held, strict=True) if held is None]

    @property
    def taken(self) -> int:
        return len(self.strata) - len(self.open())

    def _path(self, length: int) -> list[int]:
        """Strata along which the lengths that they hold can move, each to the one before, so that the last has room for
        ``length``; empty where there are none."""
        if length in self._closed:
            return []
        came = dict.fromkeys(self._of(length), -1)
        queue = deque(came)
        while queue:
            stratum = queue.popleft()
            held = self._held[stratum]
            if held is None:
                path = [stratum]
                while (stratum := came[stratum]) != -1:
                    path.append(stratum)
                return path
            for other in self._of(held):
                if other not in came:
                    came[other] = stratum
                    queue.append(other)
        self._closed.add(length)
        return []

    def _of(self, length: int) -> range:
        """The strata whose range holds it."""
        return range(bisect_left(self._highs, length), bisect_right(self._lows, length))


def distance(length: int, lengths: Range) -> int:
    """How far a length lies outside a range."""
    return max(lengths[0] - length, length - lengths[1], 0)


def replaced(spread: Spread, count: int, places: Iterable[int]) -> tuple[Range, ...]:
    """The strata of levels that are replaced; ``places``: theirs among the ``count`` of the cell in rising order. The
    r-th of them stands for the r-th stratum, so a cell keeps its form, and comes back to it where it had lost it."""
    strata = spread.strata(count)
    return tuple(strata[place] for place in sorted(places))
