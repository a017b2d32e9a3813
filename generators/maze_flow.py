"""Proves the minimum number of slides of a Maze Paint board by an integer flow (CP-SAT).

A solution is a walk in the slide graph; x_e counts how often it uses slide e. Such counts belong to a walk from the
start to any end exactly if they are balanced there and connected. We minimise their sum subject to balance, a cover row
for each required cell and the cuts that bind in the relaxation (``maze_lp``), and again with further cuts while the
optimum paints a cell only in a part that is cut off from the start. Each model is a relaxation of the puzzle, so an
optimum that is connected is the proven minimum: an Eulerian walk along it paints every cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..games.base import Claim, Unproven, Unsolvable
from ..games.cpsat import cpsat
from ..games.maze import Board, State, dump
from .maze_graph import SlideGraph, refutation, slide_graph
from .maze_potential import (
    WORK,
    Allowance,
    Arrays,
    Potential,
    Relaxation,
    arrays,
    cut_slides,
    relax,
    sharpest_potential,
)
from .maze_walk import least_walk

METHOD = "integer flow (CP-SAT)"
DETERMINISTIC_TIME = 10.0  # CP-SAT's own unit, for all models of a board: some twenty to thirty seconds
MODELS = 100


def prove(board: Board) -> Claim:
    """The minimum and the least solution of that length. Raises Unsolvable (with the argument), Unproven.

    The evidence holds the integer potential of ``maze_potential`` as JSON: ``potential``: ``D``, ``stops`` (cells),
    ``pi`` (by stop), ``cells``, ``w`` (by stop, then by cell), ``bound`` (the slides that it proves necessary). Where
    that is less than the minimum, ``guides`` are further potentials, made for other states, with which an exhaustive
    search for a shorter solution stays small.
    """
    optimum = minimum(board)
    graph, (a, relaxation, root) = slide_graph(board), _relaxed(board)
    allowance = Allowance(WORK)
    solution, _ = least_walk(graph, a, relaxation, root, optimum, allowance)
    if solution is None:
        raise AssertionError(f"CP-SAT claims {optimum} slides where there is no such solution: {dump(board)}")
    evidence: dict[str, Any] = {"potential": _evidence(graph, root)}
    if evidence["potential"]["bound"] < optimum:
        try:
            shorter, potentials = least_walk(graph, a, relaxation, root, optimum - 1, allowance)
        except Unproven:
            potentials = []  # CP-SAT has the proof; a verifier will have to search without help
        else:
            if shorter is not None:
                raise AssertionError(f"CP-SAT claims {optimum} slides where {len(shorter)} suffice: {dump(board)}")
        evidence["guides"] = [_evidence(graph, potential) for potential in potentials[1:]]
    return Claim(solution=solution, lower=optimum, method=METHOD, evidence=evidence)


def minimum(board: Board) -> int:
    """The minimum without a witness. Raises Unsolvable, Unproven."""
    graph = slide_graph(board)
    argument = refutation(graph)
    if argument is not None:
        raise Unsolvable(argument, where="maze")
    return _minimum(graph, *_relaxed(board), 0, range(len(graph.required)))


def remaining(board: Board, state: State) -> int:
    """The least number of slides that solve ``state``, which play has reached on a board without dead ends. Raises
    Unproven."""
    graph = slide_graph(board)
    node = graph.stops.index(state.ball)
    unpainted = [i for i, cell in enumerate(graph.required) if not state.painted >> cell & 1]
    if not unpainted:
        return 0
    a = arrays(graph)
    relaxation = relax(a, node, unpainted, _relaxed(board)[1])
    potential = sharpest_potential(a, relaxation, node, unpainted)
    return _minimum(graph, a, relaxation, potential, node, unpainted)


def lower_bound(board: Board) -> int:
    """A proven lower bound on the slides of any solution: the value of the relaxation, rounded up. Mostly it is the
    minimum itself. Raises Unsolvable where a cell is on no slide, Unproven where the relaxation is given up."""
    a, _, potential = _relaxed(board)
    return potential.bound(0, range(a.paints.shape[1]))


@lru_cache(maxsize=8)
def _relaxed(board: Board) -> tuple[Arrays, Relaxation, Potential]:
    """The relaxation from the start, and the potential that proves its bound in exact arithmetic."""
    graph = slide_graph(board)
    a, cells = arrays(graph), range(len(graph.required))
    relaxation = relax(a, 0, cells)
    return a, relaxation, sharpest_potential(a, relaxation, 0, cells)


def _minimum(
    graph: SlideGraph, a: Arrays, relaxation: Relaxation, potential: Potential, start: int, unpainted: Sequence[int]
) -> int:
    """The least sum of a connected flow from node ``start`` that paints the required cells ``unpainted``; the
    relaxation is of that state. Raises Unproven."""
    from ortools.sat.python import cp_model

    slides = range(len(graph.tails))
    model = cp_model.CpModel()
    # between two new required cells a shortest walk uses no slide twice
    x = [model.new_int_var(0, len(unpainted), f"x{e}") for e in slides]
    ends = [model.new_bool_var(f"z{v}") for v in range(len(graph.stops))]
    model.add_exactly_one(ends)
    leaving: list[list[Any]] = [[] for _ in graph.stops]
    entering: list[list[Any]] = [[] for _ in graph.stops]
    for e in slides:
        leaving[graph.tails[e]].append(x[e])
        entering[graph.heads[e]].append(x[e])
    for v, end in enumerate(ends):
        model.add(sum(leaving[v]) - sum(entering[v]) + end == (1 if v == start else 0))
    for cut in cut_slides(a, relaxation):
        model.add(sum(x[e] for e in cut) >= 1)
    model.add(sum(x) >= potential.bound(start, unpainted))
    model.minimize(sum(x))
    solver = cpsat(seed=1)
    time_left = DETERMINISTIC_TIME
    for _ in range(MODELS):
        solver.parameters.max_deterministic_time = time_left
        status = solver.solve(model)
        time_left = max(0.0, time_left - solver.response_proto.deterministic_time)
        if status != cp_model.OPTIMAL:
            raise Unproven(f"CP-SAT says {solver.status_name(status)} of the integer flow", where="maze")
        used = [solver.value(x[e]) > 0 for e in slides]
        inside, painted = _reached(graph, used, start)
        missing = [c for c in unpainted if not painted >> c & 1]
        if not missing:
            return sum(int(solver.value(x[e])) for e in slides)
        for c in missing:
            cut = [
                e for e in slides if inside[graph.tails[e]] and (graph.paints[e] >> c & 1 or not inside[graph.heads[e]])
            ]
            model.add(sum(x[e] for e in cut) >= 1)
    raise Unproven(f"the integer flow is not connected after {MODELS} models", where="maze")


def _reached(graph: SlideGraph, used: list[bool], start: int) -> tuple[list[bool], int]:
    """For each node whether the used slides reach it from ``start``, and the mask of what these slides paint."""
    after: list[list[int]] = [[] for _ in graph.stops]
    for e, is_used in enumerate(used):
        if is_used:
            after[graph.tails[e]].append(e)
    inside = [False] * len(graph.stops)
    inside[start] = True
    stack, painted = [start], 0
    while stack:
        for e in after[stack.pop()]:
            painted |= graph.paints[e]
            if not inside[graph.heads[e]]:
                inside[graph.heads[e]] = True
                stack.append(graph.heads[e])
    return inside, painted


def _evidence(graph: SlideGraph, potential: Potential) -> dict[str, Any]:
    """The potential as JSON, without the cells of no weight."""
    cells = [c for c in range(len(graph.required)) if potential.w[:, c].any()]
    return {
        "D": potential.scale,
        "bound": potential.bound(0, range(len(graph.required))),
        "stops": list(graph.stops),
        "pi": potential.pi.tolist(),
        "cells": [graph.required[c] for c in cells],
        "w": potential.w[:, cells].tolist(),
    }
