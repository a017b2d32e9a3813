"""Grows a Maze Paint board to a target length: first towards the target in big steps, then one change at a time.

The compiled loops of ``maze_kernel`` keep every board sound (one component, all floor painted, no noise); what is
steered here is the length, and that the whole grid is used. The length is exact where the exhaustive search stays
within its cap, else that of a beam search, seldom more than a slide or two too long; the caller proves it at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..games.maze import MOVES, Board, Move
from . import maze_kernel as kernel
from . import maze_search as search
from .stream import Stream

Grid = np.ndarray[Any, np.dtype[np.uint8]]

BEAM_WIDTH = 500
# chances in percent of a corridor and of a room among the changes; the rest are walls
GROW, LENGTHEN, SHORTEN = (np.array(p, np.int64) for p in ((75, 15), (60, 20), (30, 5)))


@dataclass(frozen=True, slots=True)
class Style:
    """What a board may have at most: open 2x2 squares, single-cell pillars, bare crossings; and the side of a square
    without floor."""

    squares: int
    pillars: int
    crossings: int
    solid: int


@dataclass(frozen=True, slots=True)
class Minimum:
    """``length`` and ``moves`` of a shortest solution, both None where ``capped`` or where there is none; ``states``:
    how many the search stored; ``required``: the cells it watched (-1: some floor cell is on no slide)."""

    length: int | None
    moves: tuple[Move, ...] | None
    capped: bool
    states: int
    required: int


@dataclass(frozen=True, slots=True)
class Grown:
    """``length``: of a shortest solution if ``exact``, else of some solution; ``full``: the whole grid is used."""

    board: Board
    length: int
    exact: bool
    full: bool


def style(height: int, width: int, squares: int) -> Style:
    """What looks well on a board of this size with up to ``squares`` open squares."""
    area = height * width
    return Style(squares, pillars=1 + area // 60, crossings=1 + area // 60, solid=3 if area < 150 else 4)


def padded(board: Board) -> tuple[Grid, int, int]:
    """The flat grid with its border of walls, its stride, and the start in it."""
    stride = board.width + 2
    grid = np.zeros((board.height + 2, stride), np.uint8)
    for r, row in enumerate(board.rows, 1):
        grid[r, 1:-1] = [cell != "#" for cell in row]
    r, c = divmod(board.start, board.width)
    return grid.ravel(), stride, (r + 1) * stride + c + 1


def unpadded(grid: Grid, height: int, width: int, start: int) -> Board:
    cells = grid.reshape(height + 2, width + 2)[1:-1, 1:-1]
    r, c = divmod(start, width + 2)
    return Board(tuple("".join("#."[cell] for cell in row) for row in cells), (r - 1) * width + c - 1)


def _graph(grid: Grid, stride: int, start: int) -> tuple[int, Any, Any, int]:
    """(stops, slides, cell masks of the slides, floor cells without the start)."""
    number, stops = np.empty(grid.size, np.int32), np.empty(grid.size, np.int32)
    to = np.empty(4 * grid.size, np.int32)
    n = kernel.slide_graph(grid, stride, start, number, stops, to)
    cover, cells = kernel.covers(grid, stride, start, n, stops, to)
    return n, to, cover, cells


def minimum(board: Board, state_cap: int) -> Minimum:
    """The exact minimum by exhaustive search. Capped is not unsolvable: both say so."""
    n, to, cover, cells = _graph(*padded(board))
    masks, goal, required = search.required_masks(n, to, cover, cells)
    if required < 0:
        return Minimum(None, None, False, 0, required)
    length, moves, states = search.shortest(to, masks, goal, state_cap)
    if length < 0:
        return Minimum(None, None, length == search.CAPPED, states, required)
    return Minimum(length, tuple(MOVES[d] for d in moves), False, states, required)


def has_dead_end(board: Board) -> bool:
    """Whether play can reach a state from which the board can no longer be solved (exact)."""
    n, to, cover, cells = _graph(*padded(board))
    return bool(search.has_dead_end(n, to, cover, cells))


def _length(grid: Grid, stride: int, start: int, state_cap: int) -> tuple[int, bool]:
    """(length, whether it is the minimum) of a sound board."""
    n, to, cover, cells = _graph(grid, stride, start)
    masks, goal, _ = search.required_masks(n, to, cover, cells)
    length, _, _ = search.shortest(to, masks, goal, state_cap)
    if length >= 0:
        return int(length), True
    return int(search.beam(n, to, masks, goal, BEAM_WIDTH)), False


def grow(height: int, width: int, target: int, style: Style, stream: Stream, *, steps: int, state_cap: int) -> Grown:
    """One board; off the target, or not full, where ``steps`` single changes did not suffice."""
    s = stream.words(4)
    stride = width + 2
    start = (1 + stream.below(height)) * stride + 1 + stream.below(width)
    grid: Grid = np.zeros((height + 2) * stride, np.uint8)
    grid[start] = 1
    limits = np.array([style.squares, style.pillars, style.crossings], np.int64)
    tries = 3 * height * width
    floor, length, exact = 1, 0, True

    def change(shares: Any, goal: int, changes: int) -> int:
        return int(kernel.grow(grid, height, width, start, s, shares, limits, goal, changes, tries))

    goal = 2 * target
    while True:
        change(GROW, goal, 10 * height * width)
        floor = int(grid.sum())
        if floor > 1:
            length, exact = _length(grid, stride, start, state_cap)
        if length >= target or floor < goal:
            break
        goal = floor + target - length

    def misses() -> tuple[int, int]:
        solid, lines = kernel.unused(grid, height, width)
        return abs(length - target), max(0, int(solid) - style.solid) + int(lines)

    best = misses()
    for _ in range(steps):
        if best == (0, 0) or best[0] > 5 + target // 4:  # there, or too far away to get there
            break
        old, old_length, old_exact = grid.copy(), length, exact
        if not change(LENGTHEN if length <= target else SHORTEN, grid.size, 1):
            break
        length, exact = _length(grid, stride, start, state_cap)
        now = misses()
        if sum(now) <= sum(best):
            best = now
        else:
            grid[:], length, exact = old, old_length, old_exact
    return Grown(unpadded(grid, height, width, start), length, exact, best[1] == 0)
