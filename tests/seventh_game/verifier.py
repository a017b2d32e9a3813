"""Proves Lamps by exhaustive search: rows as integers, every press from every row that presses reach."""

from __future__ import annotations

from typing import Any

from ..games.base import Claim
from ..games.lamps import GAME, Board
from .base import Figures, Verifier, replay
from .certificate import FIGURES, Certificate, ProofFailed, certified


def distances(board: Board) -> dict[int, int]:
    """Every row that presses reach, as bits, and how many presses it takes."""
    start = sum(1 << n for n, lamp in enumerate(board) if lamp == "o")
    masks = [((0b111 << n) >> 1) & ((1 << len(board)) - 1) for n in range(len(board))]
    found = {start: 0}
    queue = [start]
    for row in queue:  # grows while it is read
        for mask in masks if row else ():
            if row ^ mask not in found:
                found[row ^ mask] = found[row] + 1
                queue.append(row ^ mask)
    return found


def verify(board: Board, claim: Claim) -> tuple[Certificate, Figures]:
    """Checks ``claim`` and computes the figures. Raises ProofFailed."""
    length = replay(GAME, board, claim, moves="presses", unsolved="some lamps lit")
    found = distances(board)
    if found[0] != length:
        raise ProofFailed(f"{found[0]} presses are the minimum, not {length}", where="lamps")
    figures: dict[str, Any] = dict.fromkeys(FIGURES)
    figures |= {"optimal_length": length, "reachable_states": len(found), "lit": board.count("o")}
    figures |= {"dead_state_share": 0.0, "fatal_move_share": 0.0, "random_survival": 1.0}
    figures["greedy_outcome"] = _greedy(board)
    unknown = "undefined: no move is fatal, for a second press takes the first one back"
    certificate = certified(
        claim,
        "lamps 1",
        proofs=["exhaustive search"],
        dead_ends="no dead ends: a second press takes the first one back",
        states_examined=len(found),
        methods={"trap_latency": unknown, "deception": unknown},
    )
    return certificate, figures


def refute(board: Board) -> str | None:
    """Why no presses put the row out, or None where some do."""
    found = distances(board)
    return None if 0 in found else f"exhaustive search: none of the {len(found)} rows that presses reach is dark"


def _greedy(board: Board) -> dict[str, Any]:
    state, seen = GAME.start(board), set[str]()
    while state not in seen and not GAME.solved(board, state):
        seen.add(state)
        after = [GAME.apply(board, state, move) for move in GAME.moves(board, state)]
        state = max(after, key=lambda row: GAME.progress(board, row))
    return {"result": "solves" if GAME.solved(board, state) else "loops", "moves": len(seen)}


FIGURES_OF_LEVELS = (*FIGURES, "lit")
VERIFIER: Verifier[Board] = Verifier(game="lamps", version=1, verify=verify, refute=refute, figures=FIGURES_OF_LEVELS)
