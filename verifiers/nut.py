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
from ..games.nut import GAME, Board, State
from .base import Figures, Verifier, replay
from .certificate import FIGURES, Certificate, ProofFailed, certified

VERSION = 2
STATE_LIMIT = 500_000
BOUNDED_LIMIT = 4_000_000


def verify(board: Board, claim: Claim) -> tuple[Certificate, Figures]:
    """Checks ``claim`` and computes the figures (defined in ``nut_figures``). Raises ProofFailed, Unproven."""
    from . import nut_search as search
    from .nut_figures import at_borders, by_states, unknown

    length = replay(GAME, board, claim, moves="transfers", unsolved="the nuts unsorted")
    start = packed(board)
    bound = int(search.bound(start))
    if bound > length:  # only a fault of ours could bring this about
        raise ProofFailed(f"the block bound is {bound} where {length} transfers suffice", where="nut")
    found = search.explore(start, board.capacity, STATE_LIMIT)
    proofs = ["block bound"] if bound == length else []
    if found.outcome == search.COMPLETE:
        if found.depth != length:
            raise ProofFailed(f"{found.depth} transfers are the minimum, not {length}", where="nut")
        proofs.insert(0, "exhaustive search")
        figures, methods = by_states(found)
        examined, dead_ends = len(found.states), "exhaustive search: what no solved state is reached from is dead"
    else:
        if not proofs:
            proofs.append(_bounded(board, start, length))
        figures, methods = unknown(length, STATE_LIMIT)
        examined, dead_ends = 0, "border tables: all that can be reached"
    figures["fatal_border_share"], methods["fatal_border_share"], tables = at_borders(start, board.capacity)
    if not examined and not tables:
        dead_ends = "not counted: too many states and border tables"
    certificate = certified(
        claim,
        f"nut {VERSION}",
        proofs=proofs,
        dead_ends=dead_ends,
        states_examined=examined or tables,
        methods=methods,
    )
    return certificate, figures


def refute(board: Board) -> str | None:
    """Why ``board`` has no solution, or None where it has one. Raises Unproven."""
    from . import nut_search as search
    from .nut_figures import TABLE_LIMIT
    from .nut_tables import count_tables

    start = packed(board)
    found = search.explore(start, board.capacity, STATE_LIMIT)
    if found.goal >= 0:
        return None
    if found.outcome == search.COMPLETE:
        return f"exhaustive search: none of the {len(found.states):,} states that can be reached is solved"
    counts = count_tables(start, board.capacity, TABLE_LIMIT)
    if counts.solvable:
        return None
    return f"none of the {counts.tables:,} border tables that can be reached is without a border"


def packed(board: Board, state: State | None = None) -> Any:
    """The bolts of a state, the start unless told, as ``nut_store`` wants them: uint64[bolts], colours from 1."""
    import numpy as np

    number = {colour: i for i, colour in enumerate(sorted({c for bolt in board.bolts for c in bolt}), 1)}
    values = []
    for bolt in state or board.bolts:
        value = 0
        for colour in bolt:
            value = value << 4 | number[colour]
        values.append(value)
    return np.array(values, np.uint64)


def _bounded(board: Board, start: Any, length: int) -> str:
    """Proves that no solution has fewer than ``length`` transfers. Raises ProofFailed, Unproven."""
    from . import nut_search as search

    found = search.explore(start, board.capacity, BOUNDED_LIMIT, length - 1)
    if found.outcome == search.UNBOUNDED:
        raise ProofFailed("a transfer lowers the block bound by more than one", where="nut")
    if found.goal >= 0:
        raise ProofFailed(f"{found.depth} transfers suffice, not {length}", where="nut")
    if found.outcome == search.STOPPED:
        raise Unproven(f"the search for fewer than {length} transfers passed {BOUNDED_LIMIT:,} states", where="nut")
    return "bounded search"


VERIFIER: Verifier[Board] = Verifier(
    game="nut",
    version=VERSION,
    verify=verify,
    refute=refute,
    figures=(*FIGURES, "fatal_border_share"),
    added={"fatal_border_share": 2},
)
