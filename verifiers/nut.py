"""Proves a Nut and Bolt level without its generator: replays the solution, and shows that no shorter one exists.

In this order, all with the verifier's own code:

- *exhaustive search*: every reachable state modulo bolt order, up to ``STATE_LIMIT``; it gives all figures as well;
- *block bound*, where it is equal to the length: each transfer joins two blocks of one colour at most, or brings a
  colour to the beginning of a bolt;
- *bounded search* beyond: breadth first over every state whose depth and block bound together stay below the length.

Dead ends: what is left after going back from the solved states is closed under transfers and holds no solved state.
"""

from __future__ import annotations

from typing import Any

from ..games.base import Claim, Unproven
from ..games.nut import GAME, Board
from .base import Figures, Verifier, replay
from .certificate import Certificate, ProofFailed

VERSION = 1
STATE_LIMIT = 500_000
BOUNDED_LIMIT = 4_000_000


def verify(board: Board, claim: Claim) -> tuple[Certificate, Figures]:
    """Checks ``claim`` and computes the figures (defined in ``nut_figures``). Raises ProofFailed, Unproven."""
    from . import nut_search as search
    from .nut_figures import by_states, by_tables

    length = replay(GAME, board, claim, moves="transfers", unsolved="the nuts unsorted")
    start = packed(board)
    bound = int(search.bound(start))
    if bound > length:  # only a fault of ours could bring this about
        raise ProofFailed(f"the block bound is {bound} where {length} transfers suffice", where="nut")
    found = search.explore(start, board.capacity, STATE_LIMIT, -1)
    proofs = ["block bound"] if bound == length else []
    if found[0] == 1:
        if found[5] != length:
            raise ProofFailed(f"{found[5]} transfers are the minimum, not {length}", where="nut")
        proofs.insert(0, "exhaustive search")
        figures, methods = by_states(length, found)
        examined, dead_ends = len(found[1]), "exhaustive search: what no solved state is reached from is dead"
    else:
        if not proofs:
            proofs.append(_bounded(board, start, length))
        figures, methods, dead_ends, examined = by_tables(board, length, STATE_LIMIT)
    certificate = Certificate(
        solution=tuple(claim.solution),
        upper=length,
        lower=length,
        proofs=(*proofs, claim.method),
        evidence={},
        dead_ends=dead_ends,
        states_examined=examined,
        methods=methods,
        verifier=f"nut {VERSION}",
    )
    return certificate, figures


def refute(board: Board) -> str | None:
    """Why ``board`` has no solution, or None where it has one. Raises Unproven."""
    from . import nut_search as search
    from .nut_figures import TABLE_LIMIT
    from .nut_tables import count_tables

    complete, states, _, _, _, depth = search.explore(packed(board), board.capacity, STATE_LIMIT, -1)
    if depth >= 0:
        return None
    if complete == 1:
        return f"exhaustive search: none of the {len(states):,} states that can be reached is solved"
    solvable, tables, _, _ = count_tables(board.bolts, board.capacity, TABLE_LIMIT)
    return None if solvable else f"none of the {tables:,} border tables that can be reached is without a border"


def packed(board: Board) -> Any:
    """The board's bolts as ``nut_search`` wants them, uint64[bolts], sorted."""
    import numpy as np

    number = {colour: i for i, colour in enumerate(sorted({c for bolt in board.bolts for c in bolt}), 1)}
    values = []
    for bolt in board.bolts:
        value = 0
        for colour in bolt:
            value = value << 4 | number[colour]
        values.append(value)
    return np.array(sorted(values), np.uint64)


def _bounded(board: Board, start: Any, length: int) -> str:
    """Proves that no solution has fewer than ``length`` transfers. Raises ProofFailed, Unproven."""
    from . import nut_search as search

    complete, _, _, _, _, depth = search.explore(start, board.capacity, BOUNDED_LIMIT, length - 1)
    if complete < 0:
        raise ProofFailed("a transfer lowers the block bound by more than one", where="nut")
    if depth >= 0:
        raise ProofFailed(f"{depth} transfers suffice, not {length}", where="nut")
    if not complete:
        raise Unproven(f"the search for fewer than {length} transfers passed {BOUNDED_LIMIT:,} states", where="nut")
    return "bounded search"


VERIFIER: Verifier[Board] = Verifier(game="nut", version=VERSION, verify=verify, refute=refute)
