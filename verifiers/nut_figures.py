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

- ``fatal_border_share``: border level: the share of removals of a border, over all solvable border tables, that lead to
  a dead one. Another metric than ``fatal_move_share``, about twice as high; known also where the states are too many.
"""

from __future__ import annotations

from typing import Any

from ..games.base import Unproven
from .certificate import FIGURES
from .nut_search import Exploration

TABLE_LIMIT = 2_000_000


def by_states(found: Exploration) -> tuple[dict[str, Any], dict[str, str]]:
    """Figures and methods from a complete exploration of a solvable level."""
    from . import nut_graph as graph
    from .state_graph import components, longest_plays

    states, ends, successors, goal = found.states, found.ends, found.successors, found.goal
    alive = graph.solvable_states(ends, successors, goal)
    members, borders = components(ends, successors)
    plays = longest_plays(alive, ends, successors, members, borders)
    legal, fatal, risky, deceptive, most, total = graph.temptations(states, alive, ends, successors, plays)
    figures: dict[str, Any] = dict.fromkeys(FIGURES)
    figures["optimal_length"] = found.depth
    figures["reachable_states"] = len(states)
    figures["dead_state_share"] = round(int((alive == 0).sum()) / (len(states) - 1), 6)
    figures["fatal_move_share"] = round(fatal / max(1, legal), 6)
    methods = {"fatal_move_share": "exact, state level: all reachable states modulo bolt order"}
    if fatal:
        figures["deception"] = round(deceptive / risky, 6)
        figures["trap_latency"] = {"max": int(most), "mean": round(total / fatal, 6)}
        methods["trap_latency"] = "exact: longest play after a fatal move, without transfers that can be taken back"
    else:
        methods["deception"] = methods["trap_latency"] = "undefined: no move is fatal"
    outcome, moves = graph.greedy_play(states, alive, ends, successors, goal)
    figures["greedy_outcome"] = {"result": ("dead_end", "solves", "loops")[outcome], "moves": int(moves)}
    odds = graph.survival(goal, alive, ends, successors, members, borders)
    figures["random_survival"] = float(f"{odds:.6g}")
    methods["random_survival"] = "exact to 6 digits: linear equations over all states, solved by sweeps"
    return figures, methods


def unknown(optimum: int, limit: int) -> tuple[dict[str, Any], dict[str, str]]:
    """What can be said of a level with more than ``limit`` states."""
    figures: dict[str, Any] = dict.fromkeys(FIGURES)
    figures["optimal_length"] = optimum
    why = f"unknown: more than {limit:,} reachable states"
    return figures, {name: why for name in FIGURES if name != "optimal_length"}


def at_borders(state: Any, capacity: int) -> tuple[float | None, str, int]:
    """(``fatal_border_share``, how it was obtained, tables examined) of a level's start, uint64[bolts]."""
    from .nut_tables import count_tables

    try:
        counts = count_tables(state, capacity, TABLE_LIMIT)
    except Unproven as error:
        return None, f"unknown: {error.what}", 0
    method = f"exact, border level: removals of a border over all {counts.tables:,} border tables"
    return round(counts.fatal / max(1, counts.removals), 6), method, counts.tables
