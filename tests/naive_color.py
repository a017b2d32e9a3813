"""Color Connect by brute force: every way of joining the pairs one after another. What solvers are tested against."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

from lpb_gen.games.base import InvalidBoard
from lpb_gen.games.color import GAME, Board
from lpb_gen.games.color_board import blocked_cells, neighbours

Lines = tuple[tuple[int, ...], ...]


def board(text: str, *, cover: bool = False) -> Board:
    return GAME.board({**GAME.read(text), "cover": cover})


def solutions(level: Board) -> Iterator[Lines]:
    """All solutions, cells from first to second dot."""
    near = neighbours(level.height, level.width)
    dots = {dot for pair in level.pairs for dot in (pair.first, pair.second)}
    open_cells = level.cells - len(blocked_cells(level))

    def joined(drawn: list[tuple[int, ...]], taken: set[int]) -> Iterator[Lines]:
        if len(drawn) == len(level.pairs):
            if not level.cover or sum(map(len, drawn)) == open_cells:
                yield tuple(drawn)
            return
        pair = level.pairs[len(drawn)]
        yield from led_on([pair.first], pair.second, drawn, taken)

    def led_on(line: list[int], goal: int, drawn: list[tuple[int, ...]], taken: set[int]) -> Iterator[Lines]:
        for cell in near[line[-1]]:
            if cell == goal:
                yield from joined([*drawn, (*line, cell)], taken | set(line))
            elif cell not in taken and cell not in dots and cell not in line:
                yield from led_on([*line, cell], goal, drawn, taken)

    yield from joined([], set(blocked_cells(level)))


def edges(lines: Lines) -> int:
    return sum(len(line) - 1 for line in lines)


def corners(lines: Lines) -> int:
    return sum(b - a != d - c for line in lines for (a, b), (c, d) in pairwise(pairwise(line)))


def summary(level: Board) -> tuple[int, int, int, int, int]:
    """Solutions, fewest edges, how many have so few, fewest corners, how many have so few; zeros without a solution."""
    costs = [(edges(lines), corners(lines)) for lines in solutions(level)]
    if not costs:
        return 0, 0, 0, 0, 0
    fewest, bends = (min(cost[i] for cost in costs) for i in range(2))
    return (
        len(costs),
        fewest,
        sum(cost[0] == fewest for cost in costs),
        bends,
        sum(cost[1] == bends for cost in costs),
    )


def random_board(seed: int, sides: tuple[int, int] = (3, 7), pairs: tuple[int, int] = (1, 6)) -> Board:
    """Dots and a few blocked cells at random places, and every other time all cells to fill."""
    rng = random.Random(seed)
    while True:
        height, width = rng.randint(*sides), rng.randint(*sides)
        count, walls = min(rng.randint(*pairs), height * width // 5), rng.choice((0, 0, 1, 2, 4))
        places = rng.sample(range(height * width), 2 * count + walls)
        cells = ["."] * (height * width)
        for i, place in enumerate(places):
            cells[place] = "ABCDEFGH"[i // 2] if i < 2 * count else "#"
        rows = ["".join(cells[r * width : (r + 1) * width]) for r in range(height)]
        try:
            return GAME.board({"rows": rows, "cover": rng.random() < 0.5})
        except InvalidBoard:  # a dot without a way out
            continue
