"""Exhaustive search over the positions of a Rush Hour board (numba): every vehicle's place in three bits.

Plain on purpose: it lays all vehicles on the grid and tries every slide, cell by cell, as a person would. It shares
neither code nor the idea of a state with the generator's search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numba
import numpy as np

from ..games.rush import Board

F = TypeVar("F", bound=Callable[..., Any])

IN_ONE_WORD = 21  # places of three bits in the 63 that are safe to shift


def compiled(function: F) -> F:
    """numba's ``njit``, cached on disk, typed for mypy."""
    kernel: F = numba.njit(cache=True, nogil=True)(function)
    return kernel


@dataclass(frozen=True, slots=True)
class Exploration:
    """``solved_after``: the fewest moves to a position with the target at the exit, -1 where none that was seen has it;
    ``states``: how many were seen; ``complete``: whether those are all that moves reach."""

    solved_after: int
    states: int
    complete: bool


def explore(board: Board, limit: int, *, unit: bool = False, count_to: int = 0) -> Exploration:
    """Breadth-first. ``limit``: positions to look at; ``unit``: a move is a slide by one cell; ``count_to``: go on after
    the first solved position, and through it, until all are counted or so many."""
    count = len(board.vehicles)
    bits = np.zeros((count, 8), np.int64)  # the cell at each place of a vehicle's line
    for n, vehicle in enumerate(board.vehicles):
        for at in range(board.span(vehicle)):
            bits[n, at] = _signed(1 << board.cell(vehicle, at))
    lengths = np.array([v.length for v in board.vehicles], np.int64)
    spans = np.array([board.span(v) for v in board.vehicles], np.int64)
    begin = np.array([v.first for v in board.vehicles], np.int64)
    walls = _signed(sum(1 << i for i, cell in enumerate("".join(board.rows)) if cell == "x"))
    solved_after, states, complete = _explore(bits, lengths, spans, begin, walls, limit, unit, count_to)
    return Exploration(int(solved_after), int(states), bool(complete))


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


@compiled
def _slot(a: int, b: int, last: int) -> int:
    x = a * 0x2545F4914F6CDD1D + b * 0x5851F42D4C957F2D
    x ^= (x >> 32) & 0xFFFFFFFF
    x *= 0x2545F4914F6CDD1D
    return ((x >> 20) & 0xFFFFFFFFFFF) & last


@compiled
def _explore(
    bits: Any, lengths: Any, spans: Any, begin: Any, walls: int, limit: int, unit: bool, count_to: int
) -> tuple[int, int, bool]:
    count = lengths.shape[0]
    places = begin.copy()
    size = 1024
    states, depths = np.zeros((size, 2), np.int64), np.zeros(size, np.int16)
    table = np.full(4 * size, -1, np.int32)  # numbers of states
    last = 4 * size - 1
    for n in range(count):
        states[0, n // IN_ONE_WORD] |= begin[n] << 3 * (n % IN_ONE_WORD)
    table[_slot(states[0, 0], states[0, 1], last)] = 0
    found, head, solved_after = 1, 0, -1
    while head < found:
        taken = walls
        for n in range(count):
            places[n] = (states[head, n // IN_ONE_WORD] >> 3 * (n % IN_ONE_WORD)) & 7
            for i in range(lengths[n]):
                taken |= bits[n, places[n] + i]
        for n in range(count):
            word, at = n // IN_ONE_WORD, 3 * (n % IN_ONE_WORD)
            for way in (-1, 1):
                place = places[n]
                while True:
                    ahead = place - 1 if way < 0 else place + lengths[n]
                    if ahead < 0 or ahead >= spans[n] or taken & bits[n, ahead]:
                        break
                    place += way
                    a, b = states[head, 0], states[head, 1]
                    moved = (states[head, word] & ~(7 << at)) | (place << at)
                    if word == 0:
                        a = moved
                    else:
                        b = moved
                    slot = _slot(a, b, last)
                    while table[slot] >= 0 and (states[table[slot], 0] != a or states[table[slot], 1] != b):
                        slot = (slot + 1) & last
                    if table[slot] < 0:
                        if found == limit or (found >= count_to and solved_after >= 0):
                            return solved_after, found, False
                        if found == size:
                            size *= 2
                            more, deeper = np.zeros((size, 2), np.int64), np.zeros(size, np.int16)
                            more[:found], deeper[:found] = states, depths
                            states, depths = more, deeper
                            table, last = np.full(4 * size, -1, np.int32), 4 * size - 1
                            for i in range(found):
                                slot = _slot(states[i, 0], states[i, 1], last)
                                while table[slot] >= 0:
                                    slot = (slot + 1) & last
                                table[slot] = i
                            slot = _slot(a, b, last)
                            while table[slot] >= 0:
                                slot = (slot + 1) & last
                        states[found, 0], states[found, 1] = a, b
                        depths[found] = depths[head] + 1
                        table[slot] = found
                        found += 1
                        if n == 0 and solved_after < 0 and place + lengths[0] == spans[0]:
                            solved_after = depths[found - 1]
                            if found > count_to:
                                return solved_after, found, False
                    if unit:
                        break
        head += 1
    return solved_after, found, True
