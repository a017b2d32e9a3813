"""The departure graph of a Truck Escape board (networkx): an edge a -> b where b stands on the way of a.

Traced on a grid of this file's own, so that it shares no code with the rules that replay clicks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import networkx as nx

from ..games.truck_board import Board, Vehicle

AHEAD = {"U": (-1, 0), "R": (0, 1), "D": (1, 0), "L": (0, -1)}


@dataclass(frozen=True, slots=True)
class Departures:
    """``graph``: a node for each vehicle, by number; ``walled``: the vehicles with a wall on their way, and its cell;
    ``baited``: those with an empty cell ahead."""

    graph: Any
    walled: dict[int, tuple[int, int]]
    baited: frozenset[int]

    @property
    def depth(self) -> int:
        """The most vehicles of which each waits for the next. The graph must be acyclic."""
        return 1 + int(nx.dag_longest_path_length(self.graph, weight=None, default_weight=1))

    @property
    def blocked(self) -> frozenset[int]:
        return frozenset(n for n, degree in self.graph.out_degree() if degree or n in self.walled)

    @property
    def free(self) -> int:
        return len(self.graph) - len(self.blocked)

    @property
    def bait(self) -> int:
        return len(self.blocked & self.baited)

    def cycle(self) -> list[int] | None:
        """Vehicles each of which waits for the next, and the last for the first; None where there is no cycle."""
        try:
            return [a for a, _ in nx.find_cycle(self.graph)]
        except nx.NetworkXNoCycle:
            return None


def departures(board: Board) -> Departures:
    standing: dict[tuple[int, int], int] = {}
    for number, vehicle in enumerate(board.vehicles):
        down, right = AHEAD[vehicle.facing]
        for behind in range(vehicle.length):
            standing[vehicle.front[0] - behind * down, vehicle.front[1] - behind * right] = number
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(board.vehicles)))
    walled: dict[int, tuple[int, int]] = {}
    baited = set()
    for number, vehicle in enumerate(board.vehicles):
        way = _way(board, vehicle)
        graph.add_edges_from((number, standing[cell]) for cell in way if cell in standing)
        for cell in way:
            if cell in board.walls:
                walled.setdefault(number, cell)
        if way and way[0] not in standing and way[0] not in board.walls:
            baited.add(number)
    return Departures(graph, walled, frozenset(baited))


def _way(board: Board, vehicle: Vehicle) -> list[tuple[int, int]]:
    """The cells that a vehicle drives over: straight to the edge, or straight to the first road across and along it."""
    (row, column), (down, right) = vehicle.front, AHEAD[vehicle.facing]
    if down:
        straight = [(r, column) for r in range(row + down, board.rows if down > 0 else -1, down)]
    else:
        straight = [(row, c) for c in range(column + right, board.columns if right > 0 else -1, right)]
    if not vehicle.turn:
        return straight
    roads = board.roads[0] if down else board.roads[1]
    until = next(i for i, (r, c) in enumerate(straight) if (r if down else c) in roads)
    # to the right hand of (down, right) is (right, -down)
    side = 1 if vehicle.turn == "R" else -1
    down, right = side * right, -side * down
    r, c = straight[until]
    along = [(r + i * down, c + i * right) for i in range(1, max(board.rows, board.columns))]
    return straight[: until + 1] + [
        cell for cell in along if 0 <= cell[0] < board.rows and 0 <= cell[1] < board.columns
    ]
