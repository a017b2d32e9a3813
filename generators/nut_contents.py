"""What the bolts of a Nut and Bolt level can ever hold, numbered for the searches.

That is some lower part of what a bolt held at the start, and above it nuts of one colour. These *contents* are few,
about 150 for 14 colours and capacity 4:

    content      0 is an empty bolt; the others come in *groups* of consecutive numbers, one nut more each
    group        the bolts that have the same uppermost border and the same colour above it: group c is the bolts
                 that hold colour c alone, further groups are the bolts with a border
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .nut_rows import BELOW, BOTTOM, GROUP, RUN, SIZE, TOP, compiled

NIBBLE = np.uint64(15)


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
