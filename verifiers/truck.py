"""Proves a Truck Escape level without its generator: the departure graph, and a replay of the solution by the rules.

The minimum is the number of vehicles: a departure takes one vehicle away, and each has to leave. The graph says whether
they can: it has no cycle, and no way leads through a wall. The figures:

- ``depth``: the most vehicles of which each waits for the next (a longest path of the graph, counted in vehicles);
- ``free``: vehicles that can leave at first; ``bait``: those that cannot although the cell ahead is empty;
- ``expected_clicks``: of a player who clicks any vehicle that is left, each as likely, bumps included. Exact up to
  ``STATE_LIMIT`` states, sampled beyond;
- ``reachable_states``: sets of vehicles that can be left, the empty one included;
- ``dead_state_share``, ``fatal_move_share``: 0, because a departure only frees cells: whatever could leave before can
  leave after it. So ``trap_latency`` and ``deception`` have nothing to speak of and are null, and ``random_survival``
  is 1;
- ``greedy_outcome``: every departure is progress, so that player solves in as many moves as there are vehicles.
"""

from __future__ import annotations

from typing import Any

from ..games.base import Claim
from ..games.truck import GAME, Board, name_of
from .base import Figures, Verifier, replay
from .certificate import FIGURES, Certificate, ProofFailed, certified

VERSION = 1
STATE_LIMIT = 200_000
ONLY_FREES = "no dead ends: a departure only frees cells"
METHODS = {
    "trap_latency": "undefined: no move is fatal, for a departure only frees cells",
    "deception": "undefined: no move is fatal, for a departure only frees cells",
}


def verify(board: Board, claim: Claim, *, limit: int = STATE_LIMIT) -> tuple[Certificate, Figures]:
    """Checks ``claim`` and computes the figures. Raises ProofFailed. ``limit``: states to count."""
    from .truck_figures import random_clicks
    from .truck_graph import departures

    found = departures(board)
    if found.walled or found.cycle():
        raise ProofFailed(f"the claim solves a board without a solution: {refute(board)}", where="truck")
    length = replay(GAME, board, claim, moves="moves", unsolved="vehicles on the lot")
    position = {number: place for place, number in enumerate(claim.solution)}
    for a, b in found.graph.edges:
        if position[a] < position[b]:  # only a fault of ours could bring this about
            raise ProofFailed(f"{name_of(board, a)} leaves through {name_of(board, b)}", where="truck")
    figures: dict[str, Any] = dict.fromkeys(FIGURES)
    figures |= {"optimal_length": length, "depth": found.depth, "free": found.free, "bait": found.bait}
    for name, claimed in claim.evidence.items():
        if claimed != figures.get(name):
            raise ProofFailed(f"{name} is {figures.get(name)}, not {claimed!r}", where="truck")
    methods = dict(METHODS)
    waits = [sum(1 << b for b in found.graph.successors(a)) for a in range(len(board.vehicles))]
    clicks = random_clicks(waits, limit)
    figures["reachable_states"] = clicks.states
    figures["expected_clicks"] = float(f"{clicks.expected:.6g}")
    if clicks.states is None:
        methods["reachable_states"] = f"unknown: more than {limit:,} reachable states"
        methods["expected_clicks"] = f"sampled: mean of random plays, standard error {clicks.error:.2g}"
    else:
        methods["expected_clicks"] = "exact to 6 digits: over all states"
    figures["dead_state_share"] = figures["fatal_move_share"] = 0.0
    figures["random_survival"] = 1.0
    figures["greedy_outcome"] = {"result": "solves", "moves": length}
    certificate = certified(
        claim,
        f"truck {VERSION}",
        proofs=("departure graph: one departure for each vehicle",),
        dead_ends=ONLY_FREES,
        states_examined=0,  # arguments decide the bound and the dead ends
        methods=methods,
    )
    return certificate, figures


def refute(board: Board) -> str | None:
    """Why ``board`` has no solution, or None where it has one."""
    from .truck_graph import departures

    found = departures(board)
    for number, (row, column) in found.walled.items():
        return f"departure graph: the way of {name_of(board, number)} leads through the wall at {row + 1}, {column + 1}"
    cycle = found.cycle()
    if cycle is None:
        return None
    return f"departure graph: a cycle, {' -> '.join(name_of(board, n) for n in (*cycle, cycle[0]))}"


VERIFIER: Verifier[Board] = Verifier(
    game="truck",
    version=VERSION,
    verify=verify,
    refute=refute,
    figures=(*(name for name in FIGURES if name not in METHODS), "depth", "free", "bait", "expected_clicks"),
)
