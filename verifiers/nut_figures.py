"""The figures of a Nut and Bolt level, from all its states.

States are counted modulo bolt order; a transfer is a pair of contents (source, destination), and one that leaves the
same contents on the bolts is none (*state level*). Exact unless ``methods`` says otherwise:

- ``reachable_states``: solved ones included; ``dead_state_share``, ``fatal_move_share``, ``deception`` as every game
  defines them; the deceptive move is the one after which the largest blocks of all colours are largest together, of
  equals the first in the order of the sorted contents.
- ``trap_latency``: over all fatal transfers (``max``, ``mean``), the most transfers that can follow. Transfers among
  states that can be reached from one another do not count: they could go on for ever.
- ``greedy_outcome``: the player of that visible progress; ``moves`` until it solves, makes a fatal move, or loops.
- ``random_survival``: by linear equations over all states.

Where the states are too many, ``fatal_move_share`` is counted over border tables instead (*border level*: the share of
removals of a border, over all solvable tables, that lead to a dead one), and ``methods`` says so.
"""

from __future__ import annotations

from typing import Any

from ..games.base import Unproven
from ..games.nut import Board
from .certificate import FIGURES
from .nut_tables import count_tables

TABLE_LIMIT = 200_000


def by_states(optimum: int, found: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """All figures from a complete ``explore`` of a solvable level."""
    import numpy as np

    from . import nut_search as search
    from .state_graph import best_moves, longest_plays

    _, states, _, ends, successors, _ = found
    alive = search.solvable_states(states, ends, successors)
    many = np.diff(ends)
    origin = np.repeat(np.arange(len(states)), many)
    legal = alive[origin] == 1
    fatal = legal & (alive[successors] == 0)
    solved = int(sum(search.bound(row) == 0 for row in states[alive == 1][many[alive == 1] == 0]))
    dead = int((alive == 0).sum())
    best = best_moves(search.visible_progress(states), ends, successors)
    risky = np.unique(origin[fatal])
    figures: dict[str, Any] = dict.fromkeys(FIGURES)
    figures["optimal_length"] = optimum
    figures["reachable_states"] = len(states)
    figures["dead_state_share"] = round(dead / (len(states) - solved), 6)
    figures["fatal_move_share"] = round(float(fatal.sum()) / max(1, int(legal.sum())), 6)
    methods = {"fatal_move_share": "exact, state level: all reachable states modulo bolt order"}
    if len(risky):
        figures["deception"] = round(float((alive[best[risky]] == 0).mean()), 6)
        plays = longest_plays(alive, ends, successors)[successors[fatal]]
        figures["trap_latency"] = {"max": int(plays.max()), "mean": round(float(plays.mean()), 6)}
        methods["trap_latency"] = "exact: longest play after a fatal move, without transfers that can be taken back"
    else:
        methods["deception"] = methods["trap_latency"] = "undefined: no move is fatal"
    figures["greedy_outcome"] = _greedy(alive, best)
    figures["random_survival"] = float(f"{search.survival(states, alive, ends, successors):.6g}")
    methods["random_survival"] = "exact to 6 digits: linear equations over all states, solved by sweeps"
    return figures, methods


def _greedy(alive: Any, best: Any) -> dict[str, Any]:
    state, seen = 0, {0}
    while True:
        after = int(best[state])
        if after < 0:
            return {"result": "solves", "moves": len(seen) - 1}
        if not alive[after]:
            return {"result": "dead_end", "moves": len(seen)}
        if after in seen:
            return {"result": "loops", "moves": len(seen)}
        seen.add(after)
        state = after


def by_tables(board: Board, optimum: int, limit: int) -> tuple[dict[str, Any], dict[str, str], str, int]:
    """What can be said of a level with more than ``limit`` states: figures, methods, how dead ends were examined, and
    how many tables were."""
    figures: dict[str, Any] = dict.fromkeys(FIGURES)
    figures["optimal_length"] = optimum
    unknown = f"unknown: more than {limit:,} reachable states"
    methods = {name: unknown for name in FIGURES if name != "optimal_length"}
    try:
        _, tables, legal, fatal = count_tables(board.bolts, board.capacity, TABLE_LIMIT)
    except Unproven as error:
        methods["fatal_move_share"] = f"unknown: {error.what}"
        return figures, methods, f"not counted: more than {limit:,} states and {error.what}", 0
    figures["fatal_move_share"] = round(fatal / legal, 6) if legal else 0.0
    methods["fatal_move_share"] = f"exact, border level: removals of a border over all {tables:,} border tables"
    return figures, methods, "border tables: all that can be reached", tables
