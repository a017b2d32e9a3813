"""Maze Paint levels to order: draw a length and a size, grow a board to them, prove the length.

A candidate draws its target length from its own stream, so that a tier is spread over its whole band:

    length: [18, 25]      the target is one of 18 ... 25, each as likely
    aim: [20, 21]         or one of these; what misses them is still a level if it lies in ``length``
    size: auto            a board that such a level fills, or [rows, columns], each a number or a range [low, high]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor, inf, isqrt
from typing import Any

from ..games.base import Claim, Unproven
from ..games.maze import Board, dump
from .base import (
    Candidate,
    Generator,
    InvalidParams,
    Range,
    Rejected,
    aimed,
    checked,
    integer,
    integer_range,
    length_bounds,
    two_sides,
)
from .stream import Stream

SIDES = (3, 24)  # rows and columns that can be asked for
AUTO_SIDE = 20  # the most that ``size: auto`` takes: longer levels take minutes to prove
DEFAULT_LENGTH = (18, 25)
SHORTEST, LONGEST = 7, 105  # what a wish without a lower end begins with; what the largest boards reach
CELLS_PER_SLIDE = 4.1  # a board of this many cells a slide is full, without being crowded, at any length


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """One block of params.yaml.

    ``length``: the band of optimal lengths; ``aim``: those of it that are tried for, None for all; ``size``: ranges of
    rows and of columns, None for ``auto``;
    ``open_squares``: the most open 2x2 squares per 100 cells (0: corridors only; a board draws its own limit from a
    quarter of this up); ``require_potential``: drop levels whose bound no potential certifies without a solver;
    ``attempts``: boards that a candidate may grow; ``steps``: single changes to each; ``state_cap``: states that the
    exhaustive search may store (beyond it the linear relaxation steers).
    """

    length: Range
    aim: Range | None = None
    size: tuple[Range, Range] | None = None
    open_squares: int = 10
    require_potential: bool = True
    attempts: int = 3
    steps: int = 100
    state_cap: int = 30_000


LIMITS: dict[str, Range] = {
    "length": (1, 10_000),
    "aim": (1, 1_000_000),
    "open_squares": (0, 100),
    "attempts": (1, 1_000),
    "steps": (0, 100_000),
    "state_cap": (1, 10_000_000),
}


def params(block: Mapping[str, Any]) -> Params:
    """Reads a params.yaml block. Raises InvalidParams."""
    values: dict[str, Any] = {}
    for name, value in checked("maze", block, Params, "length", "length: [18, 25]"):
        if name in ("length", "aim"):
            values[name] = integer_range("maze", name, value, LIMITS[name])
        elif name == "size":
            fix = "write auto, or [rows, columns]"
            values[name] = None if value == "auto" else two_sides("maze", value, SIDES, fix)
        elif name == "require_potential":
            if not isinstance(value, bool):
                raise InvalidParams(f"{name!r} is {value!r}", where="maze", fix="write true or false")
            values[name] = value
        else:
            values[name] = integer("maze", name, value, LIMITS[name])
    return Params(**values)


def generate(p: Params, stream: Stream) -> Candidate[Board] | Rejected:
    """One candidate, proven. The reasons for rejection: ``too_short``, ``too_long``: the length is not in the band;
    ``unused_grid``: parts of the grid stayed empty; ``unproven``: the proof met its limit; ``loose_bound``: proven, but
    not by a potential."""
    from . import maze_flow, maze_growth

    aim = aimed(p.length, p.aim)
    target = stream.between(*aim)
    height, width = size_for(target, stream) if p.size is None else (stream.between(*side) for side in p.size)
    squares = p.open_squares * height * width // 100
    style = maze_growth.style(height, width, stream.between(squares // 4, squares))
    try:
        for _ in range(p.attempts):
            grown = maze_growth.grow(height, width, target, style, stream, steps=p.steps, state_cap=p.state_cap)
            if (grown.length == target and grown.full) or 2 * grown.length < target:
                break
        length = grown.length
        if not grown.exact and _missed(p.length, length):
            length = maze_flow.minimum(grown.board)
        if missed := _missed(p.length, length):
            return Rejected(missed, length)
        if not grown.full:
            return Rejected("unused_grid", length if grown.exact else None)
        claim = solve(grown.board)
    except Unproven:
        return Rejected("unproven")
    proven = len(claim.solution)
    if (proven != length) if grown.exact else (proven < length):
        raise AssertionError(f"the search found {length} slides, the proof {proven}, for {dump(grown.board)}")
    if maze_growth.has_dead_end(grown.board):
        raise AssertionError(f"growth left a dead end in {dump(grown.board)}")
    if missed := _missed(p.length, proven):
        return Rejected(missed, proven)
    if p.require_potential and claim.evidence.get("potential", {}).get("bound") != proven:
        return Rejected("loose_bound", proven)
    return Candidate(grown.board, claim)


def _missed(band: Range, length: int) -> str | None:
    return "too_short" if length < band[0] else "too_long" if length > band[1] else None


def size_for(target: int, stream: Stream) -> Range:
    """Rows and columns of a board that a level of ``target`` slides fills, in portrait or square format."""
    area = round(CELLS_PER_SLIDE * target)
    rows = isqrt(area - 1) + 1 + stream.below(2)  # at least the square root
    return tuple(min(max(side, 4), AUTO_SIDE) for side in (rows, round(area / rows)))  # type: ignore[return-value]


def solve(board: Board) -> Claim:
    """The proven minimum of any board. Raises Unsolvable, Unproven."""
    from . import maze_flow

    return maze_flow.prove(board)


def ask(wish: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """A params.yaml block for bands on figures; only ``optimal_length`` steers, the others are left to the gate.

    A band beyond reach is kept: its candidates are rejected with the length that the largest board came to.
    """
    low, high = wish.get("optimal_length", (-inf, inf))
    if (low, high) == (-inf, inf):
        low, high = DEFAULT_LENGTH
    least, most = LIMITS["length"]
    if low == -inf:
        low = min(high, SHORTEST)
    if high == inf:
        high = low + 10
    first, last = ceil(min(max(low, least), most)), floor(min(max(high, least), most))
    if first <= LONGEST:
        last = min(last, LONGEST)
    return {"length": [first, max(first, last)], "size": "auto"}


GENERATOR = Generator(
    game="maze", params=params, generate=generate, solve=solve, ask=ask, aims=True, bounds=length_bounds
)
