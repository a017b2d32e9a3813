"""The figures of a Maze Paint level: how large it is, how one can lose, what simple players make of it.

Exact unless ``methods`` says otherwise:

- ``reachable_states``: distinct (cell of the ball, set of painted cells) that can be reached, solved ones included
  (they are terminal); ``dead_state_share``, ``fatal_move_share``, ``deception`` as every game defines them; the
  deceptive move is the one that paints most cells, of equals the first in the order of MOVES.
- ``trap_latency``: null. A ball that has moved can always move back, so a lost game goes on for ever.
- ``greedy_outcome``: a player that always makes the move which paints most cells, of equals the first in the order of
  MOVES. Its run ends when the level is solved, when it makes a fatal move (``dead_end``), or when a state comes again,
  for then it loops; ``moves`` counts the moves until then.
- ``random_survival``: the share of random players that never swipe back (unless nothing else is possible) who solve the
  level within 2,000 swipes. Sampled.
- ``zero_progress_share``: of the legal moves of all reachable unsolved states, the share that paints nothing.
- ``nearest_ratio``: the slides of a player that always takes a shortest way to a slide that paints something (of equals
  the first in the order of MOVES), over the optimum; null where it is shut in.
- ``floor_cells``; ``stops``: cells where the ball can come to rest; ``required_cells``: cells whose painting implies
  that all is painted.
"""

from __future__ import annotations

import hashlib
from math import sqrt
from typing import Any

from ..games.base import Unproven
from .certificate import FIGURES
from .maze_graph import SlideGraph, is_solvable, trap
from .maze_search import classes, dead_ends, explore, pack, random_wins, required_cells

STATE_LIMIT = 2_000_000
PLAYERS, SWIPES = 2_000, 2_000


def measure(graph: SlideGraph, optimum: int) -> tuple[dict[str, Any], dict[str, str], str, int]:
    """All figures of a solvable board; how those that are not exact, or null, came about; how the dead ends were
    examined, in words; and the states looked at for them (0 where an argument decides)."""
    figures: dict[str, Any] = dict.fromkeys(FIGURES)
    methods: dict[str, str] = {}
    members = classes(graph)
    packed = pack(graph, members)
    danger = trap(graph)
    found = explore(packed, STATE_LIMIT, to_the_end=True, successors=danger is not None)
    unknown = f"unknown: more than {STATE_LIMIT:,} reachable states"
    if found.complete:
        figures["reachable_states"] = found.states
        figures["zero_progress_share"] = round(found.idle / found.legal, 6)
    else:
        figures["zero_progress_share"] = None
        methods["reachable_states"] = methods["zero_progress_share"] = unknown
    examined = 0
    if danger is None:
        figures["dead_state_share"] = figures["fatal_move_share"] = 0.0
        dead_text = "no dead ends: every way into a final region paints what cannot be painted there"
        if len(graph.regions.inside) == 1:
            dead_text = "no dead ends: the ball can come back from everywhere"
    elif found.complete:
        n = dead_ends(found, [len(cells) for cells in members.values()])
        figures["dead_state_share"] = round(n.dead / n.unsolved, 6)
        figures["fatal_move_share"] = round(n.fatal / n.legal, 6)
        figures["deception"] = round(n.deceptive / n.risky, 6)
        methods["trap_latency"] = "unbounded: a ball that has moved can always move back"
        examined = found.states
        dead_text = f"dead ends: {danger}; counted over all reachable states"
    else:
        for name in ("dead_state_share", "fatal_move_share", "deception"):
            methods[name] = unknown
        methods["trap_latency"] = "unbounded: a ball that has moved can always move back"
        dead_text = f"dead ends: {danger}; not counted, more than {STATE_LIMIT:,} reachable states"
    try:
        figures["greedy_outcome"] = _greedy(graph, safe=danger is None)
    except Unproven as error:
        methods["greedy_outcome"] = f"unknown: {error.what}"
    share = random_wins(packed, _seed(graph), PLAYERS, SWIPES) / PLAYERS
    figures["random_survival"] = round(share, 6)
    deviation = sqrt(share * (1 - share) / PLAYERS)
    methods["random_survival"] = (
        f"sampled: {PLAYERS:,} players that never swipe back, {SWIPES:,} swipes each, standard error {deviation:.4f}"
    )
    nearest = _nearest(graph)
    figures["nearest_ratio"] = None if nearest is None else round(nearest / optimum, 6)
    figures["optimal_length"] = optimum
    figures["floor_cells"] = graph.floor.bit_count()
    figures["stops"] = len(graph.stops)
    figures["required_cells"] = len(required_cells(graph))
    return figures, methods, dead_text, examined


def _seed(graph: SlideGraph) -> int:
    text = f"{graph.board.start}/" + "/".join(graph.board.rows)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _greedy(graph: SlideGraph, *, safe: bool) -> dict[str, Any]:
    """``safe``: the board has no dead ends, so that no state needs to be tested for them. Raises Unproven."""
    stop, painted = 0, graph.painted_at_first
    region = graph.regions.of
    seen = {(stop, painted)}
    while True:
        before = stop
        # max() takes the first of equals, and the exits are in the order of MOVES
        _, stop, passed = max(graph.exits[stop], key=lambda slide: (slide[2] & ~painted).bit_count())
        painted |= passed
        if painted == graph.floor:
            return {"result": "solves", "moves": len(seen)}
        # within a region nothing is lost: the ball can come back, and paint there what it likes
        if not safe and region[stop] != region[before] and not is_solvable(graph, stop, painted):
            return {"result": "dead_end", "moves": len(seen)}
        if (stop, painted) in seen:
            return {"result": "loops", "moves": len(seen)}
        seen.add((stop, painted))


def _nearest(graph: SlideGraph) -> int | None:
    stop, painted, moves = 0, graph.painted_at_first, 0
    while painted != graph.floor:
        distance = {stop: 0}
        queue = [stop]
        for v in queue:  # grows while it is read
            fresh = [(u, passed) for _, u, passed in graph.exits[v] if passed & ~painted]
            if fresh:
                stop, passed = fresh[0]
                painted |= passed
                moves += distance[v] + 1
                break
            for _, u, _ in graph.exits[v]:
                if u not in distance:
                    distance[u] = distance[v] + 1
                    queue.append(u)
        else:
            return None
    return moves
