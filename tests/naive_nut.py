"""Nut and Bolt by brute force over games/nut.py, in the shortest words: what provers and figures are tested against."""

from __future__ import annotations

from typing import Any

from lpb_gen.games.nut import GAME, Board, State

Contents = tuple[tuple[int, ...], ...]


def successors(board: Board, state: State) -> list[Contents]:
    """What each transfer leads to: sorted bolts, one for each pair of contents, none that changes nothing."""
    after: dict[tuple[Any, Any], Contents] = {}
    for a, b in GAME.moves(board, state):
        reached = tuple(sorted(GAME.apply(board, state, (a, b))))
        if reached != tuple(sorted(state)):
            after[state[a], state[b]] = reached
    return list(after.values())


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
