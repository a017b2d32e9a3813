"""The verifier's own slide graph of a Maze Paint board, and what its one-way regions decide: solvability, dead ends.

A *region* is a strongly connected component of the slide graph: inside, the ball can come back from everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ..games.base import Unproven
from ..games.maze import MOVES, Board, floor_mask, slides

CASES = 200_000  # (region, cells still to paint) that a solvability proof may look at


class SlideGraph:
    """What the start reaches. ``stops``: cells, the start first; ``exits[i]``: the slides from stop number i in the
    order of MOVES, as (direction 0-3, number of the stop, mask of the cells painted); ``floor``: all floor cells."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.floor = floor_mask(board)
        self.painted_at_first = 1 << board.start
        table = slides(board)
        reached = {board.start}
        stack = [board.start]
        while stack:
            for stop, _ in table[stack.pop()].values():
                if stop not in reached:
                    reached.add(stop)
                    stack.append(stop)
        self.stops = [board.start, *sorted(reached - {board.start})]
        number = {cell: i for i, cell in enumerate(self.stops)}
        self.exits = [
            [(MOVES.index(move), number[stop], passed) for move, (stop, passed) in table[cell].items()]
            for cell in self.stops
        ]

    @cached_property
    def painters(self) -> dict[int, int]:
        """For each cell that is not painted at first and that some slide paints: the mask of those slides, numbered in
        the order of ``exits``."""
        painters: dict[int, int] = {}
        slide = 1
        for exits in self.exits:
            for _, _, passed in exits:
                for cell in cells_of(passed & ~self.painted_at_first):
                    painters[cell] = painters.get(cell, 0) | slide
                slide <<= 1
        return painters

    @cached_property
    def regions(self) -> Regions:
        return _regions(self)


@dataclass(frozen=True, slots=True)
class Regions:
    """``of[i]``: the region of stop i; a region's number is less than those of the regions from which it is reached.
    ``inside[r]``: what the slides within region r paint; ``ways[r]``: the slides that leave it, as (region, mask of the
    cells painted), each once; ``ahead[r]``: what can still be painted once the ball is in r."""

    of: list[int]
    inside: list[int]
    ways: list[set[tuple[int, int]]]
    ahead: list[int]


def cells_of(mask: int) -> Iterable[int]:
    """The numbers of the set bits, rising."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _regions(graph: SlideGraph) -> Regions:
    """R. Tarjan, "Depth-first search and linear graph algorithms", 1972, without recursion; sinks come first."""
    count = len(graph.stops)
    index, low, of = [-1] * count, [0] * count, [-1] * count
    visited: list[int] = []
    pending: list[int] = []
    regions = 0
    work = [(0, 0)]
    while work:
        v, at = work.pop()
        if index[v] < 0:
            index[v] = low[v] = len(visited)
            visited.append(v)
            pending.append(v)
        for k in range(at, len(graph.exits[v])):
            u = graph.exits[v][k][1]
            if index[u] < 0:
                work += [(v, k), (u, 0)]  # look at this slide again when u is done
                break
            if of[u] < 0:
                low[v] = min(low[v], low[u] if index[u] > index[v] else index[u])
        else:
            if low[v] == index[v]:
                while of[v] < 0:
                    of[pending.pop()] = regions
                regions += 1
    inside = [0] * regions
    ways: list[set[tuple[int, int]]] = [set() for _ in range(regions)]
    for v, exits in enumerate(graph.exits):
        for _, u, passed in exits:
            if of[u] == of[v]:
                inside[of[v]] |= passed
            else:
                ways[of[v]].add((of[u], passed))
    ahead = list(inside)
    for r in range(regions):  # sinks first
        for after, passed in ways[r]:
            ahead[r] |= passed | ahead[after]
    return Regions(of, inside, ways, ahead)


def is_solvable(graph: SlideGraph, stop: int, painted: int) -> bool:
    """Whether some way paints the rest, with the ball at stop number ``stop``. Raises Unproven.

    In a region the ball can paint all that slides within it paint and then leave by any way, so only the sequence of
    ways matters: a search over (region, cells still to paint that the region does not paint).
    """
    regions = graph.regions
    first = regions.of[stop], graph.floor & ~painted & ~regions.inside[regions.of[stop]]
    seen, stack = {first}, [first]
    while stack:
        region, missing = stack.pop()
        if not missing:
            return True
        if missing & ~regions.ahead[region]:
            continue
        for after, passed in regions.ways[region]:
            case = after, missing & ~passed & ~regions.inside[after]
            if case not in seen:
                seen.add(case)
                stack.append(case)
        if len(seen) > CASES:
            raise Unproven(f"more than {CASES:,} ways through the regions that cannot be re-entered", where="maze")
    return False


def refutation(graph: SlideGraph) -> str | None:
    """Why the board has no solution, in words, or None where it has one. Raises Unproven."""
    missing = graph.floor & ~graph.painted_at_first & ~graph.regions.ahead[graph.regions.of[0]]
    if missing:
        row, column = divmod(next(iter(cells_of(missing))), graph.board.width)
        return f"no slide paints row {row + 1}, column {column + 1}"
    if is_solvable(graph, 0, graph.painted_at_first):
        return None
    return f"no way through its {len(graph.regions.inside)} regions, each left for good, paints every cell"


def trap(graph: SlideGraph) -> str | None:
    """How a player can lose, in words, or None where nobody can: the exact test for dead ends.

    From every state the ball can go on into a final region (one that no slide leaves) and paint there all that the
    region's slides paint. If every way from the start to it has painted the other cells, no state is unsolvable. If one
    way has missed such a cell, the state at its end is unsolvable.
    """
    regions = graph.regions
    for region, ways in enumerate(regions.ways):
        if ways:
            continue
        for cell in cells_of(graph.floor & ~graph.painted_at_first & ~regions.inside[region]):
            if _reaches_without(graph, region, 1 << cell):
                row, column = divmod(cell, graph.board.width)
                return f"the ball can be shut in before it has painted row {row + 1}, column {column + 1}"
    return None


def _reaches_without(graph: SlideGraph, region: int, cell: int) -> bool:
    """Whether slides that do not paint ``cell`` lead from the start into ``region``."""
    seen, stack = {0}, [0]
    while stack:
        v = stack.pop()
        if graph.regions.of[v] == region:
            return True
        for _, u, passed in graph.exits[v]:
            if not passed & cell and u not in seen:
                seen.add(u)
                stack.append(u)
    return False
