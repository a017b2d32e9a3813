"""Proves a Maze Paint level: replays the solution, and shows by an exhaustive search that no shorter one exists."""

from __future__ import annotations

from typing import Any

from ..games.base import Claim, IllegalMove, Unproven, states_along
from ..games.maze import GAME, Board, State, floor_mask, slides
from .base import Figures, Verifier
from .certificate import FIGURES, Certificate, ProofFailed

VERSION = 1
STATE_LIMIT = 2_000_000


def verify(board: Board, claim: Claim) -> tuple[Certificate, Figures]:
    """Checks ``claim`` and computes the figures. Raises ProofFailed, Unproven."""
    try:
        *_, last = states_along(GAME, board, claim.solution)
    except IllegalMove as error:
        raise ProofFailed(f"the solution does not replay ({error.what})", where="maze") from None
    if not GAME.solved(board, last):
        raise ProofFailed("the solution leaves floor unpainted", where="maze")
    optimum, examined = shortest(board)
    if not optimum == claim.lower == len(claim.solution):
        raise ProofFailed(
            f"{len(claim.solution)} slides with lower bound {claim.lower} where {optimum} are needed", where="maze"
        )
    certificate = Certificate(
        solution=claim.solution,
        upper=optimum,
        lower=optimum,
        proofs=("exhaustive search", claim.method),
        evidence={},
        dead_ends="not examined",
        states_examined=examined,
        methods={},
        verifier=f"maze {VERSION}",
    )
    figures: dict[str, Any] = dict.fromkeys(FIGURES)
    figures["optimal_length"] = optimum
    return certificate, figures


def shortest(board: Board) -> tuple[int | None, int]:
    """The least number of slides by breadth-first search (None: unsolvable) and the states looked at."""
    table, full = slides(board), floor_mask(board)
    first = State(board.start, 1 << board.start)
    seen, frontier, depth = {first}, [first], 0
    while frontier:
        if any(state.painted == full for state in frontier):
            return depth, len(seen)
        if len(seen) > STATE_LIMIT:
            raise Unproven(f"more than {STATE_LIMIT:,} states", where="maze")
        reached = []
        for ball, painted in frontier:
            for stop, passed in table[ball].values():
                state = State(stop, painted | passed)
                if state not in seen:
                    seen.add(state)
                    reached.append(state)
        frontier, depth = reached, depth + 1
    return None, len(seen)


def refute(board: Board) -> str | None:
    """Why ``board`` has no solution, or None where it has one. Raises Unproven."""
    optimum, examined = shortest(board)
    return None if optimum is not None else f"none of the {examined:,} reachable states paints every cell"


VERIFIER: Verifier[Board] = Verifier(game="maze", version=VERSION, verify=verify, refute=refute)
