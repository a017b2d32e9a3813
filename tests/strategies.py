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


@st.composite
def truck_boards(draw: st.DrawFn, sides: tuple[int, int] = (2, 6), vehicles: int = 8) -> Any:
    """Any lot with vehicles, walls and roads; many have no solution."""
    rows, columns = draw(st.integers(*sides)), draw(st.integers(*sides))
    crossing = [draw(st.lists(st.integers(0, side - 1), max_size=1)) for side in (rows, columns)]
    taken: set[tuple[int, int]] = set()
    walls, found = [], []
    for _ in range(draw(st.integers(1, vehicles))):
        facing, length = draw(st.sampled_from("UDLR")), draw(st.integers(1, 3))
        down, right = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}[facing]
        row, column = draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))
        body = {(row - i * down, column - i * right) for i in range(length)}
        if body & taken or not all(0 <= r < rows and 0 <= c < columns for r, c in body):
            continue
        taken |= body
        if length == 1:
            walls.append([row, column])
            continue
        vehicle = {"front": [row, column], "dir": facing, "len": length}
        crossed, at, way = (crossing[0], row, down) if facing in "UD" else (crossing[1], column, right)
        if any((n - at) * way > 0 for n in crossed) and draw(st.booleans()):
            vehicle["turn"] = draw(st.sampled_from("LR"))
        found.append(vehicle)
    if not found:
        free = [(r, c) for r in range(rows) for c in range(columns - 1) if not {(r, c), (r, c + 1)} & taken]
        if free:
            found.append({"front": list(free[0]), "dir": "L", "len": 2})
        else:  # walls took all the room
            walls = []
            found.append({"front": [0, 0], "dir": "L", "len": 2})
    roads = {"roads": {"rows": crossing[0], "columns": crossing[1]}} if any(crossing) else {}
    return {"size": [rows, columns], "walls": sorted(walls), **roads, "vehicles": found}


@st.composite
def color_boards(draw: st.DrawFn, sides: tuple[int, int] = (3, 5), pairs: int = 3, blocked: int = 3) -> Any:
    """Any board whose dots all have a way out; many have no solution."""
    height, width = draw(st.integers(*sides)), draw(st.integers(*sides))
    count, walls = draw(st.integers(1, pairs)), draw(st.integers(0, blocked))
    places = draw(st.permutations(range(height * width)))
    cells = ["."] * (height * width)
    for i, place in enumerate(places[: 2 * count]):
        cells[place] = "ABCDEFGH"[i // 2]
    for place in places[2 * count : 2 * count + walls]:
        cells[place] = "#"
    rows = ["".join(cells[r * width : (r + 1) * width]) for r in range(height)]
    for i, cell in enumerate(cells):  # walls round a dot go
        near = [c for c in (i - width, i + width, i - 1, i + 1) if 0 <= c < len(cells) and _side_by_side(i, c, width)]
        if cell not in ".#" and all(cells[c] != cell and cells[c] != "." for c in near):
            cells = ["."] * len(cells)
            cells[0] = cells[-1] = "A"
            rows = ["".join(cells[r * width : (r + 1) * width]) for r in range(height)]
            break
    return {"rows": rows, "cover": draw(st.booleans())}


def _side_by_side(a: int, b: int, width: int) -> bool:
    return abs(a % width - b % width) + abs(a // width - b // width) == 1


BOARDS = {
    "bolt": bolt_boards,
    "color": color_boards,
    "maze": maze_boards,
    "nut": nut_boards,
    "rush": rush_boards,
    "truck": truck_boards,
}


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
