"""Grows a Maze Paint board to a target length: first towards the target in big steps, then one change at a time.

The compiled loops of ``maze_kernel`` keep every board sound (one component, all floor painted, no noise); what is
steered here is the length, and that the whole grid is used. Lengths come from the exhaustive search while it stays
within its cap, else from the linear relaxation, which is mostly exact and seldom more than a slide short; the caller
proves the length at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..games.maze import MOVES, Board, Move
from . import maze_flow
from . import maze_kernel as kernel
from . import maze_search as search
from .stream import Stream

Grid = np.ndarray[Any, np.dtype[np.uint8]]

EXHAUSTIVE = 30  # slides up to which the exhaustive search mostly ends within its cap
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
    """``length``: the minimum, by exhaustive search, if ``exact``, else a lower bound of it; ``full``: no part of the
    grid is wasted."""

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


def slide_masks(grid: Grid, stride: int, start: int) -> tuple[int, Any, Any, int]:
    """(stops, slides, cell masks of the slides, floor cells without the start)."""
    number, stops = np.empty(grid.size, np.int32), np.empty(grid.size, np.int32)
    to = np.empty(4 * grid.size, np.int32)
    n = kernel.slide_graph(grid, stride, start, number, stops, to)
    cover, cells = kernel.covers(grid, stride, start, n, stops, to)
    return n, to, cover, cells


def minimum(board: Board, state_cap: int) -> Minimum:
    """The exact minimum by exhaustive search. Capped is not unsolvable: both say so."""
    n, to, cover, cells = slide_masks(*padded(board))
    masks, goal, required = search.required_masks(n, to, cover, cells)
    if required < 0:
        return Minimum(None, None, False, 0, required)
    length, moves, states = search.shortest(to, masks, goal, state_cap)
    if length < 0:
        return Minimum(None, None, length == search.CAPPED, states, required)
    return Minimum(length, tuple(MOVES[d] for d in moves), False, states, required)


def has_dead_end(board: Board) -> bool:
    """Whether play can reach a state from which the board can no longer be solved (exact)."""
    n, to, cover, cells = slide_masks(*padded(board))
    return bool(search.has_dead_end(n, to, cover, cells))


def _length(board: Board, target: int, state_cap: int) -> tuple[int, bool]:
    """(length, whether it is exact) of a sound board."""
    if target <= EXHAUSTIVE:
        found = minimum(board, state_cap)
        if found.length is not None:
            return found.length, True
    return maze_flow.lower_bound(board), False


def grow(height: int, width: int, target: int, style: Style, stream: Stream, *, steps: int, state_cap: int) -> Grown:
    """One board; off the target, or not full, where ``steps`` single changes did not suffice."""
    s = stream.words(4)
    stride = width + 2
    start = (1 + stream.below(height)) * stride + 1 + stream.below(width)
    grid: Grid = np.zeros((height + 2) * stride, np.uint8)
    grid[start] = 1
    limits = np.array([style.squares, style.pillars, style.crossings], np.int64)
    tries = 3 * height * width

    def change(shares: Any, goal: int, changes: int) -> int:
        return int(kernel.grow(grid, height, width, start, s, shares, limits, goal, changes, tries))

    def measure() -> Grown:
        board = unpadded(grid, height, width, start)
        solid, empty_borders = kernel.unused(grid, height, width)
        return Grown(board, *_length(board, target, state_cap), bool(solid <= style.solid and not empty_borders))

    while not change(GROW, grid.size, 1):  # a lone start is no board
        pass
    goal = 2 * target
    while True:
        change(GROW, goal, 10 * height * width)
        floor = int(grid.sum())
        grown = measure()
        if grown.length >= target or floor < goal:
            break
        goal = floor + target - grown.length

    for _ in range(steps):
        miss = abs(grown.length - target)
        if (miss == 0 and grown.full) or miss > 5 + target // 4:  # there, or too far away to get there
            break
        old = grid.copy()
        if not change(LENGTHEN if grown.length <= target else SHORTEN, grid.size, 1):
            break
        changed = measure()
        if abs(changed.length - target) + (not changed.full) <= miss + (not grown.full):
            grown = changed
        else:
            grid[:] = old
    return grown
