"""The lines of Rush Hour boards: every arrangement of vehicles in a row or column, and what one slide makes of it.

    BB.CC.    A line of type (2, 2). Its six arrangements in rising order are the digits 0 to 5: this one is 1. If no
    012345    other vehicle takes cell 2 or 5, B+1 leads to digit 3, and C+1 to digit 2.

The vehicles of a line never change their order, so the digit says it all. There are at most 15 digits (8 cells).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

Places = tuple[int, ...]  # the first cell of each vehicle of a line, in order


@dataclass(frozen=True, slots=True)
class LineTable:
    """All arrangements of all line types of one length. ``types``: lengths of the vehicles in order -> number of the
    first arrangement; ``digits``: the same -> the arrangements, by digit; ``masks`` int64[A]: the cells taken;
    ``slides``, ``steps`` int64[A, 2 ** length]: the digits that one slide (of any distance, of one cell) leads to, by
    the cells that others take: their number in the lowest four bits, then four bits for each."""

    types: dict[tuple[int, ...], int]
    digits: dict[tuple[int, ...], tuple[Places, ...]]
    masks: Any
    slides: Any
    steps: Any


@lru_cache(maxsize=8)
def line_table(span: int) -> LineTable:
    """The table for lines of ``span`` cells."""
    types: dict[tuple[int, ...], int] = {}
    digits: dict[tuple[int, ...], tuple[Places, ...]] = {}
    masks: list[int] = []
    slides: list[Any] = []
    steps: list[Any] = []
    for lengths in _line_types(span):
        own = _arrangements(lengths, span)
        types[lengths], digits[lengths] = len(masks), tuple(own)
        for places in own:
            masks.append(sum(((1 << n) - 1) << at for at, n in zip(places, lengths, strict=True)))
            after = [(own.index(p), swept, cells) for p, swept, cells in _slides(places, lengths, span)]
            slides.append(_leads(span, [(digit, swept) for digit, swept, _ in after]))
            steps.append(_leads(span, [(digit, swept) for digit, swept, cells in after if cells == 1]))
    return LineTable(types, digits, np.array(masks), np.array(slides), np.array(steps))


def _line_types(span: int) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for lengths in found:  # grows while it is read
        found += [(*lengths, n) for n in (2, 3) if sum(lengths) + n <= span]
    return found


def _arrangements(lengths: tuple[int, ...], span: int) -> list[Places]:
    """In rising order."""
    free, count = span - sum(lengths), len(lengths)
    found = []
    for chosen in combinations(range(free + count), count):  # which of the gaps and vehicles are vehicles
        found.append(tuple(slot - i + sum(lengths[:i]) for i, slot in enumerate(chosen)))
    return sorted(found)


def _slides(places: Places, lengths: tuple[int, ...], span: int) -> list[tuple[Places, int, int]]:
    """(places after, mask of the cells swept, cells) of all slides that the line's own vehicles allow."""
    found = []
    for i, (at, n) in enumerate(zip(places, lengths, strict=True)):
        low = places[i - 1] + lengths[i - 1] if i else 0
        high = (places[i + 1] if i + 1 < len(lengths) else span) - n
        for to in range(low, high + 1):
            if to != at:
                cells = range(to, at) if to < at else range(at + n, to + n)
                found.append(((*places[:i], to, *places[i + 1 :]), sum(1 << c for c in cells), len(cells)))
    return found


def _leads(span: int, after: list[tuple[int, int]]) -> Any:
    """int64[2 ** span]: by the cells that others take, the digits of those (digit, cells swept) that can be made."""
    patterns = np.arange(1 << span)
    leads = np.zeros(1 << span, np.int64)
    for digit, swept in after:
        free = patterns & swept == 0
        leads[free] += 1 + (digit << 4 + 4 * (leads[free] & 15))
    return leads
