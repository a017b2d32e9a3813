"""Nut and Bolt levels to order: shuffle the nuts, prove the minimum, keep what lies in the wanted bands.

colours: [6, 7]       how many colours: drawn anew for each candidate
capacity: 4           nuts on a bolt, a number or a range
spares: 2             bolts beyond one a colour
length: [12, 26]      the band of optimal lengths; may be left out
fatal: [0.01, 0.2]    the band of fatal moves' share, by border tables; may be left out
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import ceil, floor, inf
from typing import Any

from ..games.base import Claim, Unproven, Unsolvable
from ..games.nut import Board, State
from .base import Candidate, Generator, InvalidParams, Range, Rejected, integer, integer_range, share_range
from .stream import Stream

MEMORY = 4 << 30  # bytes that a search may use
TABLE_LIMIT = 4_000_000  # border tables
METHOD = "A* over bolt contents"
LIMITS: dict[str, Range] = {
    "colours": (2, 15),
    "capacity": (3, 16),
    "spares": (1, 4),
    "length": (1, 1_000),
    "state_cap": (1, 100_000_000),
}
# colours, two spares and capacity 4: the middle half of optimal lengths
LENGTHS = {3: (5, 9), 4: (8, 12), 5: (11, 16), 6: (14, 19), 7: (17, 23), 8: (20, 26), 9: (23, 30), 10: (27, 33)}
LENGTHS |= {11: (30, 36), 12: (33, 40), 13: (37, 44), 14: (41, 48), 15: (44, 52)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """One block of params.yaml.

    ``colours``, ``capacity``, ``spares``: ranges that each candidate draws from; ``length``: the band of optimal
    lengths; ``fatal``: the band of the share of fatal border removals, over all solvable border tables; ``state_cap``:
    states that the search for the minimum may store.
    """

    colours: Range
    capacity: Range = (4, 4)
    spares: Range = (2, 2)
    length: Range | None = None
    fatal: tuple[float, float] | None = None
    state_cap: int = 3_000_000


def params(block: Mapping[str, Any]) -> Params:
    """Reads a params.yaml block. Raises InvalidParams."""
    known = [f.name for f in fields(Params)]
    for key in block:
        if key not in known:
            raise InvalidParams(f"unknown parameter {key!r}", where="nut", fix=f"use {', '.join(known)}")
    if "colours" not in block:
        raise InvalidParams("'colours' is missing", where="nut", fix="for instance colours: [6, 7]")
    values: dict[str, Any] = {}
    for name, value in block.items():
        if name == "state_cap":
            values[name] = integer("nut", name, value, LIMITS[name])
        elif name == "fatal":
            values[name] = share_range("nut", name, value)
        elif name == "length":
            values[name] = integer_range("nut", name, value, LIMITS[name])
        else:
            values[name] = integer_range(
                "nut", name, value if isinstance(value, list | tuple) else (value, value), LIMITS[name]
            )
    return Params(**values)


def generate(p: Params, stream: Stream) -> Candidate[Board] | Rejected:
    """One candidate, proven. The reasons for rejection: ``solved``, ``unsolvable``: the shuffle came out so;
    ``too_short``, ``too_long``, ``too_safe``, ``too_risky``: outside a band; ``unproven``: a limit was met."""
    colours, capacity, spares = stream.between(*p.colours), stream.between(*p.capacity), stream.between(*p.spares)
    nuts = [colour for colour in range(1, colours + 1) for _ in range(capacity)]
    stream.shuffle(nuts)
    bolts = [tuple(nuts[i : i + capacity]) for i in range(0, len(nuts), capacity)]
    if all(len(set(bolt)) == 1 for bolt in bolts):
        return Rejected("solved")
    board = Board(capacity, (*bolts, *((),) * spares))
    try:
        if is_dead(board, board.bolts):
            return Rejected("unsolvable")
        if p.fatal is not None:
            share = fatal_share(board)
            if not p.fatal[0] <= share <= p.fatal[1]:
                return Rejected("too_safe" if share < p.fatal[0] else "too_risky")
        claim = _prove(board, p.state_cap)
    except Unproven:
        return Rejected("unproven")
    length = claim.lower
    if p.length is not None and not p.length[0] <= length <= p.length[1]:
        return Rejected("too_short" if length < p.length[0] else "too_long", length)
    return Candidate(board, claim)


def solve(board: Board) -> Claim:
    """The proven minimum of any board. Raises Unsolvable, Unproven."""
    if is_dead(board, board.bolts):
        raise Unsolvable("no order of uncovering colours leaves enough free bolts", where="nut")
    return _prove(board, memory_cap(board))


def memory_cap(board: Board) -> int:
    """How many states fit into ``MEMORY`` while the arrays double."""
    words = -(-len(board.bolts) // (64 // (4 * board.capacity)))
    return MEMORY // (3 * (8 * words + 28))


def _prove(board: Board, cap: int) -> Claim:
    """The claim of a solvable board. Raises Unproven."""
    from . import nut_kernel

    length, states, path = nut_kernel.shortest(packed(board, board.bolts), board.capacity, board.colours, cap)
    if length == nut_kernel.CAPPED:
        raise Unproven(f"the minimum is not proven within {states:,} states", where="nut")
    if length == nut_kernel.UNSOLVABLE:
        raise AssertionError(f"the border tables call {board} solvable, the search does not")
    return Claim(solution=_moves(board, path), lower=int(length), method=METHOD)


def _moves(board: Board, path: Any) -> tuple[tuple[int, int], ...]:
    """The transfers along a path of sorted states; of bolts with equal contents the first ones."""
    from ..games.nut import GAME

    state, solution = board.bolts, []
    for after in path[1:]:
        for move in GAME.moves(board, state):
            reached = GAME.apply(board, state, move)
            if (packed(board, reached) == after).all():
                break
        solution.append(move)
        state = reached
    return tuple(solution)


# --- dead ends --------------------------------------------------------------------------------------------------------


def packed(board: Board, state: State) -> Any:
    """The sorted bolts for the kernel, uint64[bolts]; colours numbered from 1 in rising order."""
    import numpy as np

    number = {colour: i for i, colour in enumerate(sorted({c for bolt in board.bolts for c in bolt}), 1)}
    values = [sum(number[colour] << (4 * place) for place, colour in enumerate(bolt)) for bolt in state]
    return np.array(sorted(values), np.uint64)


def is_dead(board: Board, state: Sequence[Sequence[int]]) -> bool:
    """Whether no sequence of transfers solves ``state``, a state of ``board``. Decided exactly by the method of border
    tables (Ito et al., 2022), without a search over states. Raises Unproven beyond ``TABLE_LIMIT`` tables."""
    from . import nut_kernel

    start = packed(board, tuple(tuple(bolt) for bolt in state))
    verdict, count, *_ = nut_kernel.tables(start, board.capacity, board.colours, TABLE_LIMIT, False)
    if verdict == nut_kernel.CAPPED:
        raise Unproven(f"dead or not: not decided within {count:,} border tables", where="nut")
    return not verdict


def fatal_share(board: Board) -> float:
    """The share of border removals, over all solvable border tables, that lead to a dead one. Raises Unproven."""
    from . import nut_kernel

    start = packed(board, board.bolts)
    verdict, count, *_, legal, fatal = nut_kernel.tables(start, board.capacity, board.colours, TABLE_LIMIT, True)
    if verdict == nut_kernel.CAPPED:
        raise Unproven(f"dead ends are not counted within {count:,} border tables", where="nut")
    return fatal / legal if legal else 0.0


@dataclass(frozen=True, slots=True)
class DeadEnds:
    """Counts over all reachable states modulo bolt order, and over transfers as pairs of contents that change them."""

    states: int
    solved: int
    dead: int
    transfers: int  # from solvable states
    fatal: int  # of these, to dead ones


def dead_ends(board: Board, cap: int = 4_000_000) -> DeadEnds:
    """The dead ends of a whole level, labelled by border tables. Raises Unproven beyond ``cap`` states."""
    from . import nut_kernel

    counts = nut_kernel.count_states(packed(board, board.bolts), board.capacity, board.colours, cap)
    if counts[0] == nut_kernel.CAPPED:
        raise Unproven(f"dead ends are not counted within {cap:,} states", where="nut")
    return DeadEnds(*(int(n) for n in counts))


# --- wishes -----------------------------------------------------------------------------------------------------------


def ask(wish: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """A params.yaml block for bands on figures: ``optimal_length`` chooses the colours and is a band; the share of
    fatal moves and the others are left to the gate. Beyond 15 colours at capacity 4, the capacity grows."""
    low, high = wish.get("optimal_length", (-inf, inf))
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


GENERATOR = Generator(game="nut", params=params, generate=generate, solve=solve, ask=ask)
