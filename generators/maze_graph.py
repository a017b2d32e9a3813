"""The slide graph of a Maze Paint board: stops, the slides between them, and the cells that are worth watching.

S.#      From S (node 0) the ball slides right or down. Every slide that paints the lower left cell also paints the
.##      one above it, so only the former has to be required.
..#
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ..games.base import Unproven, Unsolvable
from ..games.maze import Board, Move, floor_mask, slides

COMPARISONS = 20_000_000  # of sets of painted cells, for the solvability argument: a few seconds


@dataclass(frozen=True, slots=True)
class SlideGraph:
    """The part of the slide graph that the start reaches.

    ``stops``: cells where the ball can come to rest, the start first; a stop's index is its node number.
    Slide e leads from node ``tails[e]`` to node ``heads[e]`` by the swipe ``moves[e]``; slides are sorted by tail, then
    by the order of MOVES. ``required``: cells whose painting implies that every floor cell is painted; bit i of
    ``paints[e]`` is set when slide e paints ``required[i]``. ``width``: the board's, to name cells.
    """

    stops: tuple[int, ...]
    tails: tuple[int, ...]
    heads: tuple[int, ...]
    moves: tuple[Move, ...]
    paints: tuple[int, ...]
    required: tuple[int, ...]
    width: int

    @property
    def everything(self) -> int:
        """The mask of all required cells."""
        return (1 << len(self.required)) - 1

    def place(self, i: int) -> str:
        """Where ``required[i]`` is, in words."""
        return place(self.required[i], self.width)


def place(cell: int, width: int) -> str:
    row, column = divmod(cell, width)
    return f"row {row + 1}, column {column + 1}"


@lru_cache(maxsize=8)
def slide_graph(board: Board) -> SlideGraph:
    """Raises Unsolvable where a floor cell is on no slide that the start reaches."""
    table = slides(board)
    number = {board.start: 0}
    stops = [board.start]
    tails: list[int] = []
    heads: list[int] = []
    moves: list[Move] = []
    painters: dict[int, int] = {}  # cell -> mask of the slides that paint it
    for node, cell in enumerate(stops):  # grows while it is read: a breadth-first search
        for move, (stop, passed) in table[cell].items():
            if stop not in number:
                number[stop] = len(stops)
                stops.append(stop)
            slide = 1 << len(tails)
            for painted in _bits(passed):
                painters[painted] = painters.get(painted, 0) | slide
            tails.append(node)
            heads.append(number[stop])
            moves.append(move)
    for cell in _bits(floor_mask(board) & ~(1 << board.start)):
        if cell not in painters:
            raise Unsolvable(f"no slide reaches the cell in {place(cell, board.width)}", where="maze")
    painters.pop(board.start, None)
    required = _required_cells(painters)
    paints = [0] * len(tails)
    for i, cell in enumerate(required):
        for e in _bits(painters[cell]):
            paints[e] |= 1 << i
    return SlideGraph(tuple(stops), tuple(tails), tuple(heads), tuple(moves), tuple(paints), required, board.width)


def _bits(mask: int) -> list[int]:
    """The positions of the set bits, rising."""
    positions = []
    while mask:
        positions.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return positions


def _required_cells(painters: dict[int, int]) -> tuple[int, ...]:
    """Of the cells that the same slides paint, the first; and none whose painters include all those of another one, for
    it is painted whenever that one is."""
    first: dict[int, int] = {}
    for cell in sorted(painters):
        first.setdefault(painters[cell], cell)
    kept: dict[int, list[int]] = {}  # lowest slide of a kept mask -> such masks
    for mask in sorted(first, key=int.bit_count):
        slides_of = _bits(mask)
        if not any(mask & other == other for e in slides_of for other in kept.get(e, ())):
            kept.setdefault(slides_of[0], []).append(mask)
    return tuple(sorted(first[mask] for masks in kept.values() for mask in masks))


def refutation(graph: SlideGraph) -> str | None:
    """Why no walk paints every required cell, in words, or None where one does. Raises Unproven.

    Inside a strongly connected component the ball can paint all that the component's slides paint, so a walk is worth
    the components that it passes and the slides by which it changes from one to the next. Going through the components
    in topological order we keep, for each, the greatest sets of cells with which the ball can be done there.
    """
    nodes = len(graph.stops)
    reach, ahead = reachability(graph)
    if all(reach[v] & 1 for v in range(nodes)):
        return None  # one component: every slide can be reached from everywhere
    component = [min(u for u in _bits(reach[v]) if reach[u] >> v & 1) for v in range(nodes)]
    inside = [0] * nodes  # by component: what its slides paint
    for tail, head, painted in zip(graph.tails, graph.heads, graph.paints, strict=True):
        if component[tail] == component[head]:
            inside[component[tail]] |= painted
    everything = graph.everything
    done: dict[int, set[int]] = {0: {inside[0]}}
    count = 0
    # a component reaches strictly more nodes than those behind it: rising order is topological
    for c in sorted(set(component), key=lambda v: -reach[v].bit_count()):
        for sets in done.get(c, ()):
            if sets == everything:
                return None
        for tail, head, painted in zip(graph.tails, graph.heads, graph.paints, strict=True):
            after = component[head]
            if component[tail] != c or after == c:
                continue
            arrived = done.setdefault(after, set())
            for sets in done.get(c, ()):
                more = sets | painted | inside[after]
                count += 1 + len(arrived)
                if count > COMPARISONS:
                    raise Unproven("too many ways through the one-way regions", where="maze")
                if more | ahead[after] == everything and not any(more | other == other for other in arrived):
                    arrived.difference_update([other for other in arrived if more | other == more])
                    arrived.add(more)
    return _reason(graph, ahead, len(set(component)))


@lru_cache(maxsize=8)
def reachability(graph: SlideGraph) -> tuple[list[int], list[int]]:
    """By node: the mask of the nodes it reaches, itself included, and the mask of what the slides from there on paint
    (Warshall's algorithm on masks)."""
    nodes = range(len(graph.stops))
    reach = [1 << v for v in nodes]
    for tail, head in zip(graph.tails, graph.heads, strict=True):
        reach[tail] |= 1 << head
    for middle in nodes:
        through = reach[middle]
        for v in nodes:
            if reach[v] >> middle & 1:
                reach[v] |= through
    leaving = [0] * len(nodes)
    for tail, painted in zip(graph.tails, graph.paints, strict=True):
        leaving[tail] |= painted
    known: dict[int, int] = {}  # nodes of one component reach the same
    for mask in reach:
        if mask not in known:
            known[mask] = 0
            for v in _bits(mask):
                known[mask] |= leaving[v]
    return reach, [known[mask] for mask in reach]


def _reason(graph: SlideGraph, ahead: list[int], regions: int) -> str:
    """Names two cells that exclude each other where there are such; else counts the regions."""
    followers = [0] * len(graph.required)  # by required cell: what the slide that paints it, and those after it, paint
    for head, painted in zip(graph.heads, graph.paints, strict=True):
        for i in _bits(painted):
            followers[i] |= painted | ahead[head]
    for i, after in enumerate(followers):
        for j in range(i + 1, len(followers)):
            if not after >> j & 1 and not followers[j] >> i & 1:
                return (
                    f"the ball cannot come back from painting {graph.place(i)} to paint {graph.place(j)}, "
                    "nor the other way round"
                )
    return f"no way through the {regions} regions that the ball cannot come back from paints every cell"
