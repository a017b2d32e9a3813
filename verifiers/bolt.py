"""Proves a Bolt Unscrew level without its generator: replays the solution, and shows that no shorter one exists.

In this order, all with the verifier's own code:

- *exhaustive search*: every reachable state modulo interchangeable holes, up to ``STATE_LIMIT``; it gives all figures
  as well;
- *screw bound*, where it is equal to the length: each screw that holds a board must move once;
- *bounded search* beyond: breadth first over every state whose depth and number of screws that must still move (they
  hold a board, or stand in a board's lane) together stay below the length.

Dead ends: what is left after going back from the solved states is closed under moves and holds no solved state.
"""

from __future__ import annotations

from typing import Any

from ..games.base import Claim, Unproven
from ..games.bolt import GAME
from ..games.bolt_board import Board
from .base import Figures, Verifier, replay
from .bolt_figures import OWN_FIGURES
from .certificate import FIGURES, Certificate, ProofFailed, certified

VERSION = 1
STATE_LIMIT = 500_000
BOUNDED_LIMIT = 4_000_000


def verify(board: Board, claim: Claim, *, limit: int = STATE_LIMIT) -> tuple[Certificate, Figures]:
    """Checks ``claim`` and computes the figures (defined in ``bolt_figures``). Raises ProofFailed, Unproven."""
    from .bolt_figures import at_plans, by_states, without_states

    length = replay(GAME, board, claim, moves="moves", unsolved="boards on the frame")
    proofs = ["screw bound"] if len(board.screws) == length else []
    found = explored(board, limit)
    examined = len(found[1])
    if found[0]:
        if found[-1] != length:
            raise ProofFailed(f"{found[-1]} moves are the minimum, not {length}", where="bolt")
        proofs.insert(0, "exhaustive search")
        figures, methods = by_states(board, length, found)
        dead_ends = "exhaustive search: what no solved state is reached from is dead"
    else:
        if not proofs:
            examined += _bounded(board, length)
            proofs.append("bounded search")
        figures, methods = without_states(board, length, limit)
        dead_ends = "not counted: too many states"
    of_plans, methods_of_plans, plans = at_plans(board)
    if plans and not found[0]:
        dead_ends = "plans: all that can be reached"
    certificate = certified(
        claim,
        f"bolt {VERSION}",
        proofs=proofs,
        dead_ends=dead_ends,
        states_examined=examined + plans,
        methods=methods | methods_of_plans,
    )
    return certificate, {**figures, **of_plans}


def refute(board: Board, *, limit: int = STATE_LIMIT) -> str | None:
    """Why ``board`` has no solution, or None where it has one. Raises Unproven."""
    from .bolt_orders import Orders

    found = explored(board, limit)
    if found[-1] >= 0:
        return None
    if found[0]:
        return f"exhaustive search: boards are left in all {len(found[1]):,} states that can be reached"
    orders = Orders(board, GAME.start(board))
    if orders.is_solvable():
        return None
    return f"in none of the orders in which boards can leave do all of them; {orders.sets():,} sets of them can be left"


def explored(board: Board, limit: int, within: int = -1) -> Any:
    """``bolt_search.explore`` from the start."""
    import numpy as np

    from . import bolt_search as search

    start, found = GAME.start(board), board.relations
    relations = np.array([found.owners, found.coverers, found.above], np.uint64).T.copy()
    return search.explore(np.uint64(start.screws), np.uint64(start.planks), relations, limit, within)


def _bounded(board: Board, length: int) -> int:
    """Proves that no solution has fewer than ``length`` moves; the number of states that it took. Raises ProofFailed,
    Unproven."""
    found = explored(board, BOUNDED_LIMIT, within=length - 1)
    if found[-1] >= 0:
        raise ProofFailed(f"{found[-1]} moves suffice, not {length}", where="bolt")
    if not found[0]:
        raise Unproven(f"the search for fewer than {length} moves passed {BOUNDED_LIMIT:,} states", where="bolt")
    return len(found[1])


VERIFIER: Verifier[Board] = Verifier(
    game="bolt", version=VERSION, verify=verify, refute=refute, figures=(*FIGURES, *OWN_FIGURES)
)
