"""The outline of a set of grid cells, as polygons that a scene's Region draws.

##.     The two floor cells of this grid touch at a corner only: two squares come out, not one shape that
#.#     crosses itself. A hole comes out as a polygon of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

Contour = tuple[tuple[float, float], ...]
Way = tuple[int, int]  # (dx, dy), y downwards

RIGHT, DOWN, LEFT, UP = (1, 0), (0, 1), (-1, 0), (0, -1)
CLOCKWISE: dict[Way, Way] = {RIGHT: DOWN, DOWN: LEFT, LEFT: UP, UP: RIGHT}
COUNTERCLOCKWISE = {after: before for before, after in CLOCKWISE.items()}


def contours(cells: Iterable[tuple[int, int]], margin: float = 0.0) -> tuple[Contour, ...]:
    """The outlines of the (row, column) cells: corner points (x, y), one unit a cell, moved by ``margin`` both ways.

    Walks along the edges with the inside on the right; where two ways go on, the right one keeps to the same cell.
    """
    inside = set(cells)
    edges: dict[tuple[int, int, Way], None] = {}  # a set that keeps its order
    for r, c in sorted(inside):
        for x, y, way, beyond in (
            (c, r, RIGHT, (r - 1, c)),
            (c + 1, r, DOWN, (r, c + 1)),
            (c + 1, r + 1, LEFT, (r + 1, c)),
            (c, r + 1, UP, (r, c - 1)),
        ):
            if beyond not in inside:
                edges[x, y, way] = None
    outlines = []
    left = dict(edges)
    while left:
        edge = first = next(iter(left))
        corners: list[tuple[float, float]] = []
        while not corners or edge != first:
            del left[edge]
            x, y, way = edge
            x, y = x + way[0], y + way[1]
            turns = (CLOCKWISE[way], way, COUNTERCLOCKWISE[way])
            edge = next((x, y, turn) for turn in turns if (x, y, turn) in edges)
            if edge[2] != way:
                corners.append((x + margin, y + margin))
        outlines.append(tuple(corners))
    return tuple(outlines)
