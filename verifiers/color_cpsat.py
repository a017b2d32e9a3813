"""Color Connect as a constraint problem (OR-tools CP-SAT): is there a solution with fewer corners, or another one?

    for each open cell    one of: empty (unless it must be filled), straight across, straight down, four corners
    for each edge         used by both of its cells or by neither; a dot uses exactly one
    for each cell         at most one colour, a dot its own; both cells of a used edge have the same

What satisfies this is a solution, and perhaps closed rings of one colour beside it. Where cells need not be filled the
rings are taken away; otherwise each that is found is forbidden, and the problem is solved again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Any

from ..games.base import Unproven
from ..games.color_board import Board, blocked_cells, colours_of_dots, neighbours
from ..games.cpsat import cpsat

EFFORT = 20.0  # CP-SAT's deterministic time for one question, about as many seconds
Edge = tuple[int, int]
Lines = tuple[tuple[int, ...], ...]


class Question:
    """The constraints of one board; ``find`` may be asked several times."""

    def __init__(self, board: Board) -> None:
        from ortools.sat.python import cp_model

        self._board, self._model, self._effort = board, cp_model.CpModel(), EFFORT
        near, blocked, dots = neighbours(board.height, board.width), blocked_cells(board), colours_of_dots(board)
        cells = [cell for cell in range(board.cells) if cell not in blocked]
        self._edges: dict[Edge, Any] = {
            (u, v): self._model.new_bool_var("") for u in cells for v in near[u] if u < v and v not in blocked
        }
        self._corners: list[Any] = []
        for cell in cells:
            own = {v: self._edges[min(cell, v), max(cell, v)] for v in near[cell] if v not in blocked}
            if cell in dots:
                self._model.add_exactly_one(own.values())
            else:
                self._bend(cell, own)
        self._paint(cells, dots)

    def _bend(self, cell: int, own: dict[int, Any]) -> None:
        """How a line goes through an open cell; ``own``: its edges by neighbour."""
        ways: dict[int, list[Any]] = {v: [] for v in own}
        chosen = []
        for u in own:
            for v in own:
                if u < v:
                    way = self._model.new_bool_var("")
                    ways[u].append(way)
                    ways[v].append(way)
                    chosen.append(way)
                    if (v - u) not in (2, 2 * self._board.width) or v - cell != cell - u:
                        self._corners.append(way)
        if not self._board.cover:
            chosen.append(self._model.new_bool_var(""))
        self._model.add_exactly_one(chosen)
        for v, edge in own.items():
            self._model.add(sum(ways[v]) == edge)

    def _paint(self, cells: Collection[int], dots: dict[int, int]) -> None:
        colours = range(len(self._board.pairs))
        painted = {(cell, k): self._model.new_bool_var("") for cell in cells for k in colours}
        for cell in cells:
            self._model.add_at_most_one(painted[cell, k] for k in colours)
            if cell in dots:
                self._model.add(painted[cell, dots[cell]] == 1)
        for (u, v), edge in self._edges.items():
            for k in colours:
                self._model.add_implication(painted[u, k], painted[v, k]).only_enforce_if(edge)
                self._model.add_implication(painted[v, k], painted[u, k]).only_enforce_if(edge)
            self._model.add_bool_or(painted[u, k] for k in colours).only_enforce_if(edge)

    def fewer_corners(self, corners: int) -> None:
        """Asks for less than ``corners``."""
        self._model.add(sum(self._corners) <= corners - 1)

    def fewer_edges(self, edges: int) -> None:
        self._model.add(sum(self._edges.values()) <= edges - 1)

    def unlike(self, lines: Iterable[tuple[int, ...]]) -> None:
        """Asks for a solution that leaves out an edge of these lines."""
        self._forbid([(u, v) for line in lines for u, v in pairwise(line)])

    def _forbid(self, edges: Iterable[Edge]) -> None:
        self._model.add_bool_or(~self._edges[min(edge), max(edge)] for edge in edges)

    def find(self) -> Lines | None:
        """The lines of a solution, or None where it is proven that there is none. Raises Unproven."""
        from ortools.sat.python import cp_model

        while True:
            solver = cpsat(seed=0)
            solver.parameters.max_deterministic_time = self._effort
            status = solver.solve(self._model)
            if status == cp_model.INFEASIBLE:
                return None
            if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
                raise Unproven(f"not proven by CP-SAT within its effort of {EFFORT:g}", where="color")
            self._effort = max(self._effort - solver.deterministic_time, 0.001)
            used = [edge for edge, literal in self._edges.items() if solver.boolean_value(literal)]
            lines, rings = _traced(self._board, used)
            if not rings or not self._board.cover:
                return lines
            for ring in rings:
                self._forbid(ring)


def _traced(board: Board, used: list[Edge]) -> tuple[Lines, list[list[Edge]]]:
    """The lines from first to second dot, and the edges of each ring beside them."""
    beside: dict[int, list[int]] = {}
    for u, v in used:
        beside.setdefault(u, []).append(v)
        beside.setdefault(v, []).append(u)
    lines = []
    for pair in board.pairs:
        line = [pair.first]
        while line[-1] != pair.second:
            line.append(next(cell for cell in beside[line[-1]] if cell not in line[-2:]))
        lines.append(tuple(line))
    left, rings = set(beside) - {cell for line in lines for cell in line}, []
    while left:
        first = min(left)
        ring = [first, beside[first][0]]
        while ring[-1] != first:
            ring.append(next(cell for cell in beside[ring[-1]] if cell != ring[-2]))
        rings.append(list(pairwise(ring)))
        left -= set(ring)
    return tuple(lines), rings
