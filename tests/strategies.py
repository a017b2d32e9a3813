"""Hypothesis strategies, one a game: valid boards as JSON, small enough for exhaustive search."""

from __future__ import annotations

from math import gcd
from typing import Any

from hypothesis import strategies as st

from lpb_gen.games import GAMES
from lpb_gen.games.base import AnyGame


@st.composite
def maze_boards(draw: st.DrawFn, max_side: int = 5) -> Any:
    """Any maze with a start and at least one more floor cell; many have no solution."""
    height = draw(st.integers(1, max_side))
    width = draw(st.integers(2 if height == 1 else 1, max_side))
    n = height * width
    start = draw(st.integers(0, n - 1))
    other = draw(st.integers(0, n - 2))
    floor = draw(st.lists(st.sampled_from("..#"), min_size=n, max_size=n))
    floor[other + (other >= start)] = "."
    floor[start] = "S"
    return {"rows": ["".join(floor[r * width : (r + 1) * width]) for r in range(height)]}


@st.composite
def bolt_boards(draw: st.DrawFn, side: int = 4, planks: int = 3) -> Any:
    """Any few planks on a small frame, with holes half under planks as well; many have no solution."""
    coordinate = st.integers(0, side - 1)
    point = st.tuples(coordinate, coordinate).map(list)
    holes: list[list[int]] = []
    boards, screws = [], []
    for _ in range(draw(st.integers(1, planks))):
        a, b = draw(point), draw(point)
        steps = gcd(b[0] - a[0], b[1] - a[1])
        if not steps:
            continue
        way = [[a[0] + (b[0] - a[0]) * i // steps, a[1] + (b[1] - a[1]) * i // steps] for i in range(steps + 1)]
        own = draw(st.lists(st.sampled_from(way), min_size=2, max_size=3, unique_by=tuple))
        holes += [p for p in own if p not in holes]
        numbers = [holes.index(p) for p in own]
        screws += [i for i in numbers[: draw(st.integers(1, len(numbers)))] if i not in screws]
        boards.append({"a": a, "b": b, "holes": numbers})
    if not boards:
        holes, screws, boards = [[0, 1], [1, 1]], [0], [{"a": [0, 1], "b": [1, 1], "holes": [0, 1]}]
    holes += [p for p in draw(st.lists(point, max_size=4, unique_by=tuple)) if p not in holes]
    return {"size": [side, side], "holes": holes, "screws": screws, "boards": boards}


@st.composite
def nut_boards(draw: st.DrawFn, max_colours: int = 4, max_capacity: int = 4) -> Any:
    """Any shuffle of nuts over bolts that may be partly filled; some have no solution."""
    capacity, colours = draw(st.integers(3, max_capacity)), draw(st.integers(2, max_colours))
    spares = draw(st.integers(1, 2))
    names = draw(st.permutations(range(1, 10)))[:colours]
    nuts = draw(st.permutations([name for name in names for _ in range(capacity)]))
    bolts: list[list[int]] = [nuts[i * capacity : (i + 1) * capacity] for i in range(colours)]
    bolts += [[] for _ in range(spares)]
    for _ in range(draw(st.integers(0, 2))):  # not every bolt is full or empty at first
        bolts[-1].append(bolts[0].pop())
    if all(len(set(bolt)) <= 1 and len(bolt) in (0, capacity) for bolt in bolts):
        bolts[-1].append(bolts[0].pop())
    return {"capacity": capacity, "bolts": draw(st.permutations(bolts))}


@st.composite
def rush_boards(draw: st.DrawFn, sides: tuple[int, int] = (4, 5), vehicles: int = 6) -> Any:
    """Any car park with a target that is not at the exit yet; many have no solution."""
    height, width = draw(st.integers(*sides)), draw(st.integers(*sides))
    cells = [["."] * width for _ in range(height)]
    row, length = draw(st.integers(0, height - 1)), draw(st.integers(2, min(3, width - 1)))
    column = draw(st.integers(0, width - length - 1))
    cells[row][column : column + length] = "A" * length
    for label in "BCDEFGHIJKLMNPQRSTUV"[: draw(st.integers(0, vehicles))]:
        length, across = draw(st.integers(1, 3)), draw(st.booleans())
        lines, span = (height, width) if across else (width, height)
        line, first = draw(st.integers(0, lines - 1)), draw(st.integers(0, span - length))
        places = [(line, first + i) if across else (first + i, line) for i in range(length)]
        if all(cells[r][c] == "." for r, c in places):
            for r, c in places:
                cells[r][c] = "x" if length == 1 else label
    return {"rows": ["".join(line) for line in cells]}


BOARDS = {"bolt": bolt_boards, "maze": maze_boards, "nut": nut_boards, "rush": rush_boards}


@st.composite
def positions(draw: st.DrawFn, game: AnyGame, max_moves: int = 12) -> tuple[Any, Any]:
    """A board and a state that legal moves reach from its start."""
    board = game.board(draw(BOARDS[game.name]()))
    state = game.start(board)
    for _ in range(draw(st.integers(0, max_moves))):
        moves = list(game.moves(board, state))
        if not moves:
            break
        state = game.apply(board, state, draw(st.sampled_from(moves)))
    return board, state


def missing_games() -> set[str]:
    """Games without a strategy: a test demands that there are none."""
    return set(GAMES) - set(BOARDS)
