"""Bolt Unscrew in characters, for a terminal.

o       o       o       O  a screw that can be taken     o  an empty hole that takes one
                        0  a screw under a board         x  an empty hole that takes none
O a a a O               letters: the boards, the later above the earlier
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .bolt_geometry import Point

ACROSS, DOWN = 4, 2  # characters from one lattice point to the next


def drawing(size: tuple[int, int], planks: Iterable[tuple[str, Point, Point]], signs: Mapping[Point, str]) -> list[str]:
    """The lines. ``planks``: letter and ends, the lowest first; ``signs``: what stands at which point."""
    width, height = ACROSS * (size[0] - 1) + 1, DOWN * (size[1] - 1) + 1
    cells = [[" "] * width for _ in range(height)]
    for letter, a, b in planks:
        (ax, ay), (bx, by) = ((x * ACROSS, y * DOWN) for x, y in (a, b))
        steps = max(abs(bx - ax) // 2, abs(by - ay))
        for step in range(steps + 1):
            # half up, the same for both directions
            column = (2 * ax * (steps - step) + 2 * bx * step + steps) // (2 * steps)
            row = (2 * ay * (steps - step) + 2 * by * step + steps) // (2 * steps)
            cells[row][column] = letter
    for (x, y), sign in signs.items():
        cells[y * DOWN][x * ACROSS] = sign
    return ["".join(line).rstrip() for line in cells]
