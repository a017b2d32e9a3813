"""Proves a Rush Hour level without its generator: replays the solution, and searches all positions for a shorter one.

The figures are exact:

- ``reachable_states``: the positions that slides lead to, solved ones and what lies beyond them included; null where
  there are more than ``COUNT_LIMIT``, of which only the proof of the minimum may need to look at more;
- ``optimal_steps``: the minimum where a move is a slide by one cell, proven by a search of its own;
- ``dead_state_share``, ``fatal_move_share``: 0, because every slide can be taken back; so ``trap_latency`` and
  ``deception`` have nothing to speak of and are null;
- ``random_survival``: 1, because a uniform random player on finitely many positions, all joined both ways, comes to
  each of them in the end;
- ``greedy_outcome``: a player that always makes the move with the most visible progress, of equals the first. Its run
  ends when the level is solved or a position comes again (``loops``); ``moves`` counts the moves until then.
"""

from __future__ import annotations

from typing import Any

from ..games.base import Claim, Unproven
from ..games.rush import GAME, Board
from .base import Figures, Verifier, replay
from .certificate import FIGURES, Certificate, ProofFailed, certified

VERSION = 1
MEMORY = 4 << 30  # bytes that a search may use
STATE_BYTES = 80  # a state, while the arrays grow
STATE_LIMIT = 50_000_000  # within MEMORY
COUNT_LIMIT = 5_000_000  # some seconds; a player's task does not change with what lies beyond

REVERSIBLE = "no dead ends: every slide can be taken back"
METHODS = {
    "trap_latency": "undefined: no move is fatal, for every slide can be taken back",
    "deception": "undefined: no move is fatal, for every slide can be taken back",
}


def verify(board: Board, claim: Claim, *, limit: int = STATE_LIMIT) -> tuple[Certificate, Figures]:
    """Checks ``claim`` and computes the figures. Raises ProofFailed, Unproven."""
    from .rush_search import explore

    length = replay(GAME, board, claim, moves="moves", unsolved="the target away from the exit")
    most = min(limit, COUNT_LIMIT)
    found = explore(board, limit, count_to=most)
    if 0 <= found.solved_after < length:
        raise ProofFailed(f"{found.solved_after} moves suffice, not {length}", where="rush")
    if found.solved_after < 0:
        raise Unproven(f"not proven within {limit:,} states", where="rush")
    steps = explore(board, limit, unit=True)
    if steps.solved_after < 0:
        raise Unproven(f"the minimum of unit steps is not proven within {limit:,} states", where="rush")
    claimed = claim.evidence.get("optimal_steps", steps.solved_after)
    if claimed != steps.solved_after:
        raise ProofFailed(f"{steps.solved_after} unit steps are the minimum, not {claimed!r}", where="rush")

    figures: dict[str, Any] = dict.fromkeys(FIGURES)
    methods = dict(METHODS)
    if found.complete:
        figures["reachable_states"] = found.states
    else:
        methods["reachable_states"] = f"unknown: more than {most:,} states, and counting went no further"
    figures["dead_state_share"] = figures["fatal_move_share"] = 0.0
    figures["random_survival"] = 1.0
    figures["greedy_outcome"] = _greedy(board)
    figures["optimal_length"] = length
    figures["optimal_steps"] = steps.solved_after
    certificate = certified(
        claim,
        f"rush {VERSION}",
        proofs=("exhaustive search",),
        dead_ends=REVERSIBLE,
        states_examined=found.states,
        methods=methods,
    )
    return certificate, figures


def refute(board: Board, *, limit: int = STATE_LIMIT) -> str | None:
    """Why ``board`` has no solution, or None where it has one. Raises Unproven."""
    from .rush_search import explore

    found = explore(board, limit)
    if found.solved_after >= 0:
        return None
    if not found.complete:
        raise Unproven(f"not proven within {limit:,} states", where="rush")
    return f"exhaustive search: moves reach {found.states:,} positions, and in none the target is at the exit"


def _greedy(board: Board) -> dict[str, Any]:
    state = GAME.start(board)
    seen = {state}
    while True:
        # max() takes the first of equals
        after = [GAME.apply(board, state, move) for move in GAME.moves(board, state)]
        if not after:
            return {"result": "loops", "moves": len(seen) - 1}
        state = max(after, key=lambda s: GAME.progress(board, s))
        if GAME.solved(board, state):
            return {"result": "solves", "moves": len(seen)}
        if state in seen:
            return {"result": "loops", "moves": len(seen)}
        seen.add(state)


VERIFIER: Verifier[Board] = Verifier(
    game="rush",
    version=VERSION,
    verify=verify,
    refute=refute,
    figures=(*(name for name in FIGURES if name not in METHODS), "optimal_steps"),
)
