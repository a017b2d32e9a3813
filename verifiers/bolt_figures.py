"""The figures of a Bolt Unscrew level.

Holes that the planks which are left own, cover and would fall past alike are interchangeable; states and moves are
counted modulo that (*state level*): a move is a pair of kinds of holes, and one within a kind changes nothing. Exact
unless ``methods`` says otherwise:

- ``reachable_states``, ``dead_state_share``, ``fatal_move_share``, ``deception`` as every game defines them; the
  deceptive move is the one after which the most planks have left or hang loose, of equals the first: screws that hold
  planks before parked ones.
- ``trap_latency``: over all fatal moves (``max``, ``mean``), the most moves that can follow. Moves of parked screws
  that can be taken back do not count: they could go on for ever.
- ``greedy_outcome``: the player of that visible progress, move by move on the board itself.
- ``random_survival``: of a player who makes each move from hole to hole with equal probability.
- ``finisher_survival``: of a player who always makes a plank leave, each of those that can be made to leave next as
  likely, by taking out what holds it and what stands in its lane.

- ``dead_plan_share``, ``fatal_plan_share``, ``plan_latency_max``, ``plan_latency_mean``: the same over plans (*plan
  level*, see ``bolt_plans``): a removal takes out a screw that holds a plank, whatever hole it goes to, and planks
  leave as soon as they can be made to. They are known where the states are too many for the state level.
"""

from __future__ import annotations

from typing import Any

from ..games.base import Unproven
from ..games.bolt import GAME
from ..games.bolt_board import Board
from .bolt_orders import Orders
from .certificate import FIGURES

PLAN_LIMIT = 1_000_000
UNDEFINED = "undefined: no move is fatal"
OWN_FIGURES = ("dead_plan_share", "fatal_plan_share", "plan_latency_max", "plan_latency_mean", "finisher_survival")


def by_states(board: Board, optimum: int, found: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """All figures from a complete ``explore`` of a solvable level."""
    import numpy as np

    from .bolt_search import survival
    from .state_graph import best_moves, components, from_which, longest_plays

    _, planks, progress, holding, _, ends, successors, weights, _ = found
    solved = (planks == 0).astype(np.uint8)
    alive = from_which(solved, ends, successors)
    lives = alive[successors] == 1
    legal = np.repeat(alive == 1, np.diff(ends))
    fatal = np.flatnonzero(legal & ~lives)
    dead = int((alive == 0).sum())
    figures, methods = _common(board, optimum)
    figures["reachable_states"] = len(planks)
    figures["dead_state_share"] = round(dead / (len(planks) - int(solved.sum())), 6)
    figures["fatal_move_share"] = round(len(fatal) / int(legal.sum()), 6)
    methods["fatal_move_share"] = "exact, state level: all reachable states modulo interchangeable holes"
    if len(fatal):
        best = best_moves(progress, ends, successors)
        risky = np.unique(np.searchsorted(ends, fatal, side="right") - 1)
        figures["deception"] = round(float((alive[best[risky]] == 0).mean()), 6)
        plays = longest_plays(alive, ends, successors, *components(ends, successors))[successors[fatal]]
        figures["trap_latency"] = {"max": int(plays.max()), "mean": round(float(plays.mean()), 6)}
        methods["trap_latency"] = "exact: longest play after a fatal move, without moves that can be taken back"
    else:
        methods["deception"] = methods["trap_latency"] = UNDEFINED
    chance = survival(_layers(planks, holding), solved, alive, ends, successors, weights)
    figures["random_survival"] = float(f"{chance:.6g}")
    methods["random_survival"] = "exact to 6 digits: linear equations over all states, solved by sweeps"
    return figures, methods


def _layers(planks: Any, holding: Any) -> Any:
    """The states in layers, the last ones of a play first: (order of states, begin of each layer and the end). Within a
    layer only parked screws move."""
    import numpy as np

    left = np.array([int(k).bit_count() for k in planks], np.int64)
    key = left * 128 + holding
    order = np.argsort(key, kind="stable")
    begins = np.flatnonzero(np.diff(key[order], prepend=-1))
    return order, np.append(begins, len(order))


def _common(board: Board, optimum: int) -> tuple[dict[str, Any], dict[str, str]]:
    """The figures that need no list of states."""
    figures: dict[str, Any] = dict.fromkeys((*FIGURES, *OWN_FIGURES))
    methods: dict[str, str] = {}
    figures["optimal_length"] = optimum
    figures["greedy_outcome"] = greedy(board)
    try:
        chance = Orders(board, GAME.start(board)).finisher_survival()
        figures["finisher_survival"] = float(f"{chance:.6g}")
    except Unproven as error:
        figures["finisher_survival"] = None
        methods["finisher_survival"] = f"unknown: {error.what}"
    return figures, methods


def greedy(board: Board) -> dict[str, Any]:
    """How the player of visible progress fares: it ends when the level is solved or lost, or a state comes again."""
    state = GAME.start(board)
    seen = {state}
    while True:
        after = [GAME.apply(board, state, move) for move in GAME.moves(board, state)]
        state = max(after, key=lambda s: GAME.progress(board, s))  # max() takes the first of equals
        if GAME.solved(board, state):
            return {"result": "solves", "moves": len(seen)}
        if not Orders(board, state).is_solvable():
            return {"result": "dead_end", "moves": len(seen)}
        if state in seen:
            return {"result": "loops", "moves": len(seen)}
        seen.add(state)


def without_states(board: Board, optimum: int, limit: int) -> tuple[dict[str, Any], dict[str, str]]:
    """What can be said of a level with more than ``limit`` states: no figure of the state level."""
    figures, methods = _common(board, optimum)
    for name in FIGURES:
        if figures[name] is None:
            methods[name] = f"unknown: more than {limit:,} reachable states"
    return figures, methods


def at_plans(board: Board) -> tuple[dict[str, Any], dict[str, str], int]:
    """The figures of the plan level, their methods, and the number of plans; null and 0 where there are too many."""
    from .bolt_plans import count_plans

    names = OWN_FIGURES[:4]
    try:
        found = count_plans(board, PLAN_LIMIT)
    except Unproven as error:
        return dict.fromkeys(names), dict.fromkeys(names, f"unknown: {error.what}"), 0
    shares: list[Any] = [round(found.dead / found.plans, 6), round(found.fatal / found.removals, 6)]
    methods = dict.fromkeys(names[:2], f"exact, plan level: over all {found.plans:,} plans")
    if found.fatal:
        latency: list[Any] = [found.longest, round(found.silent / found.fatal, 6)]
        methods |= dict.fromkeys(names[2:], "exact, plan level: most removals after a fatal one")
    else:
        latency = [None, None]
        methods |= dict.fromkeys(names[2:], UNDEFINED)
    return dict(zip(names, shares + latency, strict=True)), methods, found.plans
