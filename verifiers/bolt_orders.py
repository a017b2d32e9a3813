"""In which orders the planks of a Bolt Unscrew level can leave: decides any state, in plain Python.

To make a plank leave, its own screws and those that stand in its lane must come out: nothing may lie on them, and
outside the lane there must be uncovered holes for all screws that are out then. Taking out more than the next plank
needs never helps, because what is out only takes up holes. So the screws that are out depend on the set of planks that
have left alone. Parked screws lie under nothing and are rearranged at will, as long as one hole is free.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..games.base import Unproven
from ..games.bolt import State, members
from ..games.bolt_board import Board

Node = tuple[int, int]  # screws that hold a plank, planks that are left


class Orders:
    """The sets of planks that can be left from ``state`` on."""

    def __init__(self, board: Board, state: State, limit: int = 1_000_000) -> None:
        found = board.relations
        self._board, self._limit = board, limit
        self._screws = state.screws.bit_count()
        self._holes = (1 << len(board.holes)) - 1
        self._stops = [own | lane for own, lane in zip(found.own, found.lane, strict=True)]
        held = 0
        for hole in members(state.screws):
            if found.owners[hole] & state.planks:
                held |= 1 << hole
        self.start = self._cleared(held, state.planks)

    def _open(self, left: int) -> int:
        covered = 0
        for plank in members(left):
            covered |= self._board.relations.cover[plank]
        return self._holes & ~covered

    def _has_room(self, plank: int, held: int, left: int) -> bool:
        room = self._open(left) & ~self._board.relations.lane[plank]
        return room.bit_count() >= self._screws - held.bit_count()

    def _cleared(self, held: int, left: int) -> Node:
        """After every plank has left that can leave without another screw coming out."""
        for plank in members(left):
            if not self._stops[plank] & held and self._has_room(plank, held, left):
                return self._cleared(held, left ^ 1 << plank)
        return held, left

    def after(self, node: Node) -> Iterator[Node]:
        """What each plank that can be made to leave next leaves behind."""
        held, left = node
        found = self._board.relations
        for plank in members(left):
            out = self._stops[plank] & held
            within_reach = all(not found.coverers[hole] & ~found.owners[hole] & left for hole in members(out))
            if within_reach and self._has_room(plank, held ^ out, left):
                yield self._cleared(held ^ out, left ^ 1 << plank)

    def sets(self) -> int:
        """The number of sets of planks that can be left. Raises Unproven beyond the limit."""
        return len(self._graph())

    def _graph(self) -> dict[Node, list[Node]]:
        graph: dict[Node, list[Node]] = {}
        waiting = [self.start]
        while waiting:
            node = waiting.pop()
            if node not in graph:
                if len(graph) == self._limit:
                    raise Unproven(f"more than {self._limit:,} sets of boards", where="bolt")
                graph[node] = list(self.after(node))
                waiting.extend(graph[node])
        return graph

    def is_solvable(self) -> bool:
        """Whether some order ends with no plank left. Raises Unproven."""
        seen, waiting = {self.start}, [self.start]
        while waiting:
            node = waiting.pop()
            if not node[1]:
                return True
            for reached in self.after(node):
                if reached not in seen:
                    if len(seen) == self._limit:
                        raise Unproven(f"more than {self._limit:,} sets of boards", where="bolt")
                    seen.add(reached)
                    waiting.append(reached)
        return False

    def finisher_survival(self) -> float:
        """The probability that a player solves the level who always makes a plank leave, each of those that can be
        made to leave next as likely. Raises Unproven."""
        graph = self._graph()
        wins: dict[Node, float] = {}
        for node in sorted(graph, key=lambda n: n[1].bit_count()):  # every one leads to fewer planks
            chances = [wins[reached] for reached in graph[node]]
            wins[node] = 1.0 if not node[1] else sum(chances) / len(chances) if chances else 0.0
        return wins[self.start]
