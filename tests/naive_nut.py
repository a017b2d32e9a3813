"""Nut and Bolt by brute force over games/nut.py, in the shortest words: what provers and figures are tested against."""

from __future__ import annotations

from typing import Any

import networkx as nx

from lpb_gen.games.nut import GAME, Board, State

Contents = tuple[tuple[int, ...], ...]


def successors(board: Board, state: State) -> list[Contents]:
    """What each transfer leads to: sorted bolts, one for each pair of contents, none that changes nothing. In the order
    of the contents, fewer nuts first, then by the colours from the bottom up."""
    after: dict[tuple[Any, Any], Contents] = {}
    for a, b in GAME.moves(board, state):
        reached = tuple(sorted(GAME.apply(board, state, (a, b))))
        if reached != tuple(sorted(state)):
            after[state[a], state[b]] = reached
    pairs = sorted(after, key=lambda pair: [(len(bolt), bolt) for bolt in pair])
    return [after[pair] for pair in pairs]


def reachable(board: Board) -> dict[Contents, list[Contents]]:
    """Every state that can be reached, modulo bolt order, with its successors; in breadth-first order."""
    graph: dict[Contents, list[Contents]] = {}
    queue = [tuple(sorted(board.bolts))]
    seen = set(queue)
    for state in queue:
        graph[state] = successors(board, state)
        for reached in graph[state]:
            if reached not in seen:
                seen.add(reached)
                queue.append(reached)
    return graph


def distances(board: Board, graph: dict[Contents, list[Contents]]) -> dict[Contents, int]:
    """Transfers to the nearest solved state, of each state that has one."""
    before: dict[Contents, list[Contents]] = {state: [] for state in graph}
    for state, after in graph.items():
        for reached in after:
            before[reached].append(state)
    left = {state: 0 for state in graph if GAME.solved(board, state)}
    queue = list(left)
    for state in queue:
        for earlier in before[state]:
            if earlier not in left:
                left[earlier] = left[state] + 1
                queue.append(earlier)
    return left


def figures(board: Board) -> dict[str, Any]:
    """The exact figures of a solvable level, but for the odds of a random player."""
    graph = reachable(board)
    left = distances(board, graph)
    moves = [(state, after) for state in left for after in graph[state]]
    fatal = [after for _, after in moves if after not in left]
    best = {s: max(graph[s], key=lambda after: GAME.progress(board, after)) for s in graph if graph[s]}
    risky = [state for state in left if any(after not in left for after in graph[state])]
    tables = {state: border_table(state) for state in graph}
    solvable = {tables[state] for state in left}
    removals = {
        (tables[s], tables[t]) for s in graph for t in graph[s] if tables[s] in solvable and tables[s] != tables[t]
    }
    plays = _plays({state: after for state, after in graph.items() if state not in left})
    return {
        "optimal_length": left[next(iter(graph))],
        "reachable_states": len(graph),
        "dead_state_share": round((len(graph) - len(left)) / (len(graph) - 1), 6),
        "fatal_move_share": round(len(fatal) / len(moves), 6),
        "fatal_border_share": round(sum(t not in solvable for _, t in removals) / max(1, len(removals)), 6),
        "deception": round(sum(best[s] not in left for s in risky) / len(risky), 6) if risky else None,
        "trap_latency": {
            "max": max(plays[after] for after in fatal),
            "mean": round(sum(plays[after] for after in fatal) / len(fatal), 6),
        } if fatal else None,
        "greedy_outcome": _greedy(board, best, left),
    }  # fmt: skip


def border_table(state: Contents) -> Contents:
    """The bolts with more than one colour, their top run cut to one nut."""
    cut = []
    for bolt in state:
        while len(bolt) > 1 and bolt[-1] == bolt[-2]:
            bolt = bolt[:-1]
        if len(bolt) > 1:
            cut.append(bolt)
    return tuple(sorted(cut))


def _plays(dead: dict[Contents, list[Contents]]) -> dict[Contents, int]:
    whole = nx.condensation(nx.DiGraph(dead))
    longest: dict[int, int] = {}
    for part in reversed(list(nx.topological_sort(whole))):
        longest[part] = max((longest[after] + 1 for after in whole.successors(part)), default=0)
    return {state: longest[part] for state, part in whole.graph["mapping"].items()}


def _greedy(board: Board, best: dict[Contents, Contents], left: dict[Contents, int]) -> dict[str, Any]:
    state = tuple(sorted(board.bolts))
    seen = {state}
    while not GAME.solved(board, state):
        state = best[state]
        if state not in left:
            return {"result": "dead_end", "moves": len(seen)}
        if state in seen:
            return {"result": "loops", "moves": len(seen)}
        seen.add(state)
    return {"result": "solves", "moves": len(seen) - 1}
