"""Rush Hour levels to order: anneal an arrangement until its hardest start is as hard as wanted, then start there.

A candidate draws its target length from its own stream, so that a tier is spread over its whole band:

    length: [23, 35]      the target is one of 23 ... 35, each as likely
    aim: [26, 27]         or one of these; what misses them is still a level if it lies in ``length``
    size: [6, 6]          rows and columns, each a number or a range [low, high]
    vehicles: [9, 13]     the target car included
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, inf
from typing import Any

from ..games.base import Claim, Unproven, Unsolvable
from ..games.rush import LABELS, SIDES, Board, State, dump, load
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

MEMORY = 4 << 30  # bytes that a search may use
STATE_BYTES = 72  # a state, while the arrays grow; a bit for each index comes on top (MOST_INDICES)
STATE_LIMIT = 50_000_000  # within MEMORY
DEFAULT_LENGTH = (13, 22)
SHORTEST, LONGEST = 5, 50  # what a wish without a lower end begins with; what 6 by 6 boards reach in reasonable time


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """One block of params.yaml.

    ``length``: the band of optimal lengths; ``aim``: those of it that are tried for, None for all; ``size``: ranges of
    rows and of columns; ``exit_row``: counted from 0, None for the upper middle; ``vehicles``, ``walls``: how many;
    ``trim``: drop vehicles whose removal leaves the length unchanged; ``evaluations``: changes that a candidate may
    try; ``state_cap``: states that a component may have meanwhile.
    """

    length: Range
    aim: Range | None = None
    size: tuple[Range, Range] = ((6, 6), (6, 6))
    exit_row: int | None = None
    vehicles: Range = (8, 13)
    walls: Range = (0, 0)
    trim: bool = True
    evaluations: int = 1500
    state_cap: int = 6_000


LIMITS: dict[str, Range] = {
    "length": (1, 1_000),
    "aim": (1, 1_000_000),
    "size": SIDES,
    "exit_row": (0, SIDES[1] - 1),
    "vehicles": (1, 32),
    "walls": (0, 16),
    "evaluations": (1, 1_000_000),
    "state_cap": (1, 10_000_000),
}


def params(block: Mapping[str, Any]) -> Params:
    """Reads a params.yaml block. Raises InvalidParams."""
    values: dict[str, Any] = {}
    for name, value in checked("rush", block, Params, "length", "length: [23, 35]"):
        if name in ("length", "aim", "vehicles", "walls"):
            values[name] = integer_range("rush", name, value, LIMITS[name])
        elif name == "size":
            values[name] = two_sides("rush", value, LIMITS[name])
        elif name == "trim":
            if not isinstance(value, bool):
                raise InvalidParams(f"{name!r} is {value!r}", where="rush", fix="write true or false")
            values[name] = value
        elif name == "exit_row" and value is None:
            values[name] = None
        else:
            values[name] = integer("rush", name, value, LIMITS[name])
    found = Params(**values)
    if found.exit_row is not None and found.exit_row >= found.size[0][0]:
        raise InvalidParams(f"'exit_row' is {found.exit_row}", where="rush", fix="rows are counted from 0")
    return found


def generate(p: Params, stream: Stream) -> Candidate[Board] | Rejected:
    """One candidate, proven. The reasons for rejection: ``too_short``, ``too_long``: the length is not in the band;
    ``unproven``: the proof met its limit."""
    from . import rush_growth

    aim = aimed(p.length, p.aim)
    target = stream.between(*aim)
    height, width = (stream.between(*side) for side in p.size)
    plan = rush_growth.Plan(
        height=height,
        width=width,
        exit_row=(height - 1) // 2 if p.exit_row is None else p.exit_row,
        vehicles=p.vehicles,
        walls=stream.between(*p.walls),
        target=target,
        band=aim,
    )
    grown = rush_growth.anneal(plan, stream, evaluations=p.evaluations, state_cap=p.state_cap)
    if not p.length[0] <= grown.length <= p.length[1]:
        return Rejected("too_short" if grown.length < p.length[0] else "too_long", grown.length)
    board = rush_growth.trimmed(grown.board) if p.trim else grown.board
    board = labelled(board)
    try:
        claim = solve(board)
    except Unproven:
        return Rejected("unproven")
    if len(claim.solution) != grown.length:
        raise AssertionError(f"growth found {grown.length} moves, the proof {len(claim.solution)}, for {dump(board)}")
    return Candidate(board, claim)


def labelled(board: Board) -> Board:
    """The board with A for its target and B, C, ... for the others in reading order."""
    names = {board.vehicles[0].label: LABELS[0]}
    for cell in "".join(board.rows):
        if cell not in ".x" and cell not in names:
            names[cell] = LABELS[len(names)]
    return load({"rows": ["".join(names.get(cell, cell) for cell in row) for row in board.rows]})


def solve(board: Board, limit: int = STATE_LIMIT) -> Claim:
    """The proven minimum of any board, in slides of any distance; ``evidence`` holds the minimum in unit steps. The
    solution is the first that the search comes to, lines in order. Raises Unsolvable, Unproven."""
    from .rush_kernel import Marks, shortest
    from .rush_packing import pack

    packed, marks = pack(board), Marks()
    path, states = shortest(packed, limit, marks=marks)
    if path is None:
        if states == limit:
            raise Unproven(f"not proven within {limit:,} states", where="rush")
        raise Unsolvable(f"none of the {states:,} positions that moves reach has the target at the exit", where="rush")
    steps, _ = shortest(packed, limit, unit=True, marks=marks)
    if steps is None:
        raise Unproven(f"the minimum of unit steps is not proven within {limit:,} states", where="rush")
    moves = tuple(_move(board, a, b) for a, b in pairwise(path))
    return Claim(moves, len(moves), "line-digit breadth-first search", {"optimal_steps": len(steps) - 1})


def _move(board: Board, before: State, after: State) -> str:
    ((vehicle, cells),) = [
        (vehicle, b - a) for vehicle, a, b in zip(board.vehicles, before, after, strict=True) if a != b
    ]
    return f"{vehicle.label}{cells:+}"


def ask(wish: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """A params.yaml block for bands on figures; only ``optimal_length`` steers, the others are left to the gate.

    A band beyond reach is kept: its candidates are rejected with the length that they came to.
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
    block: dict[str, Any] = {"length": [first, max(first, last)]}
    if first >= 30:
        block |= {"vehicles": [11, 14], "evaluations": 4000, "state_cap": 3000}
    return block


GENERATOR = Generator(
    game="rush", params=params, generate=generate, solve=solve, ask=ask, aims=True, bounds=length_bounds
)
