"""Bolt Unscrew by brute force over games/bolt.py, and its geometry in fractions: what solvers and rules are tested
against. No two holes are interchangeable here, unless ``alike`` is asked."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from lpb_gen.games.bolt import GAME, State
from lpb_gen.games.bolt_board import Board
from lpb_gen.games.bolt_geometry import Point

Graph = dict[State, list[State]]


def distance_squared(p: Point, a: Point, b: Point) -> Fraction:
    """From a point to a segment."""
    (px, py), (ax, ay), (bx, by) = p, a, b
    along = Fraction((px - ax) * (bx - ax) + (py - ay) * (by - ay), (bx - ax) ** 2 + (by - ay) ** 2)
    t = min(max(along, Fraction(0)), Fraction(1))
    return (px - ax - t * (bx - ax)) ** 2 + (py - ay - t * (by - ay)) ** 2


def is_below(p: Point, a: Point, b: Point) -> bool:
    """Whether a point lies strictly below a segment, between its ends."""
    (px, py), ((ax, ay), (bx, by)) = p, sorted((a, b))
    if not ax <= px <= bx:
        return False
    if ax == bx:
        return py > max(ay, by)
    return py > ay + Fraction((px - ax) * (by - ay), bx - ax)


def reachable(board: Board, limit: int = 5_000) -> Graph | None:
    """Every state that can be reached, with what each of its moves leads to; None beyond the limit."""
    graph: Graph = {}
    queue = [GAME.start(board)]
    seen = set(queue)
    for state in queue:
        graph[state] = [GAME.apply(board, state, move) for move in GAME.moves(board, state)]
        for reached in graph[state]:
            if reached not in seen:
                seen.add(reached)
                queue.append(reached)
        if len(seen) > limit:
            return None
    return graph


def distances(graph: Graph) -> dict[State, int]:
    """Moves to the nearest solved state, of each state that has one."""
    before: dict[State, list[State]] = {state: [] for state in graph}
    for state, after in graph.items():
        for reached in after:
            before[reached].append(state)
    left = {state: 0 for state in graph if not state.planks}
    queue = list(left)
    for state in queue:
        for earlier in before[state]:
            if earlier not in left:
                left[earlier] = left[state] + 1
                queue.append(earlier)
    return left


def alike(board: Board, state: State) -> tuple[Any, ...]:
    """Equal for states that differ by interchangeable holes only."""
    found = board.relations
    kinds = Counter(
        tuple(planks & state.planks for planks in (found.owners[i], found.coverers[i], found.above[i]))
        for i in range(len(board.holes))
        if state.screws >> i & 1
    )
    return state.planks, tuple(sorted(kinds.items()))
