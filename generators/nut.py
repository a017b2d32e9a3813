"""Nut and Bolt levels to order: shuffle the nuts, prove the minimum, keep what lies in the wanted bands.

colours: [6, 7]       how many colours: drawn anew for each candidate
capacity: 4           nuts on a bolt, a number or a range
spares: 2             bolts beyond one a colour
length: [12, 26]      the band of optimal lengths; may be left out
fatal: [0.01, 0.2]    the band of the fatal share, by border tables; may be left out
climb: 100            swaps of two nuts that may be tried to bring the fatal share up to its band
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf
from typing import Any

from ..games.base import Unproven
from ..games.nut import Board
from .base import (
    Candidate,
    Generator,
    InvalidParams,
    Range,
    Rejected,
    checked,
    integer,
    integer_range,
    length_bounds,
    number_or_range,
    share_range,
)
from .nut_solver import borders, is_dead, prove, solve
from .stream import Stream

CLIMB_LIMIT = 400_000  # border tables of a level that is climbed
LIMITS: dict[str, Range] = {
    "colours": (2, 15),
    "capacity": (3, 16),
    "spares": (1, 4),
    "length": (1, 1_000),
    "climb": (0, 10_000),
    "state_cap": (1, 100_000_000),
}
# colours, two spares and capacity 4: the middle half of optimal lengths
LENGTHS = {3: (5, 9), 4: (8, 12), 5: (11, 16), 6: (14, 19), 7: (17, 23), 8: (20, 26), 9: (23, 30), 10: (27, 33)}
LENGTHS |= {11: (30, 36), 12: (33, 40), 13: (37, 44), 14: (41, 48), 15: (44, 52)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """One block of params.yaml.

    ``colours``, ``capacity``, ``spares``: ranges that each candidate draws from; ``length``: the band of optimal
    lengths; ``fatal``: the band of the share of fatal border removals, over all solvable border tables; ``climb``:
    swaps of two nuts that may be tried to bring this share up to its band; ``state_cap``: states that the search for
    the minimum may store.
    """

    colours: Range
    capacity: Range = (4, 4)
    spares: Range = (2, 2)
    length: Range | None = None
    fatal: tuple[float, float] | None = None
    climb: int = 0
    state_cap: int = 3_000_000


def params(block: Mapping[str, Any]) -> Params:
    """Reads a params.yaml block. Raises InvalidParams."""
    values: dict[str, Any] = {}
    for name, value in checked("nut", block, Params, "colours", "colours: [6, 7]"):
        if name in ("climb", "state_cap"):
            values[name] = integer("nut", name, value, LIMITS[name])
        elif name == "fatal":
            values[name] = share_range("nut", name, value)
        elif name == "length":
            values[name] = integer_range("nut", name, value, LIMITS[name])
        else:
            values[name] = number_or_range("nut", name, value, LIMITS[name])
    if values.get("climb") and "fatal" not in values:
        raise InvalidParams("'climb' has no share to climb to", where="nut", fix="add fatal: [0.2, 0.5]")
    return Params(**values)


def generate(p: Params, stream: Stream) -> Candidate[Board] | Rejected:
    """One candidate, proven. The reasons for rejection: ``solved``, ``unsolvable``: the shuffle came out so;
    ``too_short``, ``too_long``, ``too_safe``, ``too_risky``: outside a band; ``unproven``: a limit was met."""
    colours, capacity, spares = stream.between(*p.colours), stream.between(*p.capacity), stream.between(*p.spares)
    nuts = [colour for colour in range(1, colours + 1) for _ in range(capacity)]
    stream.shuffle(nuts)
    try:
        if p.climb and p.fatal is not None:
            nuts = _climbed(nuts, capacity, spares, p.fatal[0], p.climb, stream)
        board = _board(nuts, capacity, spares)
        if _is_sorted(board):
            return Rejected("solved")
        if is_dead(board, board.bolts):
            return Rejected("unsolvable")
        claim = prove(board, p.state_cap)  # sooner than the tables, of which there are many more
        length = claim.lower
        if p.length is not None and not p.length[0] <= length <= p.length[1]:
            return Rejected("too_short" if length < p.length[0] else "too_long", length)
        if p.fatal is not None:
            share = borders(board).fatal_share
            if not p.fatal[0] <= share <= p.fatal[1]:
                return Rejected("too_safe" if share < p.fatal[0] else "too_risky", length)
    except Unproven:
        return Rejected("unproven")
    return Candidate(board, claim)


def _board(nuts: Sequence[int], capacity: int, spares: int) -> Board:
    """Full bolts and spare ones."""
    bolts = [tuple(nuts[i : i + capacity]) for i in range(0, len(nuts), capacity)]
    return Board(capacity, (*bolts, *((),) * spares))


def _is_sorted(board: Board) -> bool:
    return all(len(set(bolt)) <= 1 for bolt in board.bolts)


def _climbed(nuts: list[int], capacity: int, spares: int, wanted: float, swaps: int, stream: Stream) -> list[int]:
    """Swaps two nuts at a time, and keeps what does not lower the share of fatal border removals, until it is
    ``wanted``, or ``swaps`` have been tried. What has more than ``CLIMB_LIMIT`` border tables is passed over; Raises
    Unproven where the shuffle itself has."""
    found = borders(_board(nuts, capacity, spares), CLIMB_LIMIT)
    share = found.fatal_share if found.solvable else -1.0
    for _ in range(swaps):
        if share >= wanted:
            break
        a, b = stream.between(0, len(nuts) - 1), stream.between(0, len(nuts) - 1)
        if nuts[a] == nuts[b]:
            continue
        other = nuts.copy()
        other[a], other[b] = nuts[b], nuts[a]
        try:
            found = borders(_board(other, capacity, spares), CLIMB_LIMIT)
        except Unproven:
            continue
        if found.solvable and found.fatal_share >= share:
            nuts, share = other, found.fatal_share
    return nuts


# --- wishes -----------------------------------------------------------------------------------------------------------


def ask(wish: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """A params.yaml block for bands on figures: ``optimal_length`` chooses the colours and is a band,
    ``fatal_border_share`` is one too and is climbed to; the others are left to the gate. Beyond 15 colours at capacity
    4, the capacity grows."""
    block = _size(*wish.get("optimal_length", (-inf, inf)))
    least, most = wish.get("fatal_border_share", (-inf, inf))
    if (least, most) != (-inf, inf):
        low, high = min(max(least, 0.0), 1.0), min(max(most, 0.0), 1.0)
        block |= {"fatal": [low, high]} | ({"climb": 200} if low else {})
    return block


def _size(low: float, high: float) -> dict[str, Any]:
    least, most = LIMITS["length"]
    if (low, high) == (-inf, inf):
        return {"colours": [6, 8], "capacity": 4, "spares": 2}
    first, last = ceil(min(max(low, least), most)), floor(min(max(high, least), most))
    band = [first, max(first, last)]
    fitting = [c for c, (a, b) in LENGTHS.items() if a <= band[1] and b >= band[0]]
    if fitting:
        return {"colours": [fitting[0], fitting[-1]], "capacity": 4, "spares": 2, "length": band}
    if band[1] < LENGTHS[3][0]:
        return {"colours": [2, 3], "capacity": [3, 4], "spares": 2, "length": band}
    return {"colours": [10, 15], "capacity": [6, 8], "spares": 2, "length": band}


GENERATOR = Generator(game="nut", params=params, generate=generate, solve=solve, ask=ask, bounds=length_bounds)
