"""Truck Escape's boards: their JSON, the cells that a vehicle takes and drives over, and the form that is equal for
boards that differ by a symmetry only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from .base import InvalidBoard, no_notation
from .wording import counted

SIDES = (2, 20)
LENGTHS = (2, 3)
MOST_VEHICLES = 60
STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}  # rows and columns that a direction goes on
CLOCKWISE = {"U": "R", "R": "D", "D": "L", "L": "U"}
TURNS = ("L", "R")
WORDS = {"U": "up", "D": "down", "L": "left", "R": "right"}
EXAMPLE = '{"size": [4, 5], "walls": [], "vehicles": [{"front": [0, 1], "dir": "U", "len": 2}, ...]}'

Cell = tuple[int, int]  # (row, column) from 0


class Vehicle(NamedTuple):
    """``front``: the cell of its front end; ``facing``: U, D, L or R; ``turn``: L or R, the side that it turns to where
    the first road crosses its way, or empty."""

    front: Cell
    facing: str
    length: int
    turn: str = ""

    @property
    def body(self) -> tuple[Cell, ...]:
        """Its cells, the front first."""
        (row, column), (down, right) = self.front, STEPS[self.facing]
        return tuple((row - i * down, column - i * right) for i in range(self.length))


@dataclass(frozen=True, slots=True)
class Board:
    """``walls``: cells; ``roads``: the rows and the columns that are roads; ``vehicles``: in the order of the JSON."""

    rows: int
    columns: int
    walls: frozenset[Cell]
    roads: tuple[tuple[int, ...], tuple[int, ...]]
    vehicles: tuple[Vehicle, ...]

    def holds(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.rows and 0 <= cell[1] < self.columns


def route(board: Board, vehicle: Vehicle) -> tuple[Cell, ...]:
    """The cells ahead of a vehicle up to the edge of the lot, in order, whatever stands there."""
    cells: list[Cell] = []
    cell, facing, turn = vehicle.front, vehicle.facing, vehicle.turn
    while True:
        cell = (cell[0] + STEPS[facing][0], cell[1] + STEPS[facing][1])
        if not board.holds(cell):
            return tuple(cells)
        cells.append(cell)
        if turn and _is_crossed(board.roads, cell, facing):
            facing = CLOCKWISE[facing] if turn == "R" else CLOCKWISE[CLOCKWISE[CLOCKWISE[facing]]]
            turn = ""


def _is_crossed(roads: tuple[tuple[int, ...], tuple[int, ...]], cell: Cell, facing: str) -> bool:
    """Whether the cell lies on a road that runs across ``facing``."""
    return cell[0] in roads[0] if facing in "UD" else cell[1] in roads[1]


@lru_cache(maxsize=256)
def owners(board: Board) -> dict[Cell, int]:
    """The number of the vehicle that stands on each cell at the start; walls are -1."""
    found = dict.fromkeys(sorted(board.walls), -1)
    for number, vehicle in enumerate(board.vehicles):
        found |= dict.fromkeys(vehicle.body, number)
    return found


@lru_cache(maxsize=256)
def routes(board: Board) -> tuple[tuple[Cell, ...], ...]:
    """``route`` of every vehicle."""
    return tuple(route(board, vehicle) for vehicle in board.vehicles)


def name_of(board: Board, number: int) -> str:
    """A vehicle for a person: its number from 1, and where its front is."""
    (row, column), facing = board.vehicles[number].front, board.vehicles[number].facing
    return f"vehicle {number + 1} (row {row + 1}, column {column + 1}, facing {WORDS[facing]})"


# --- JSON -------------------------------------------------------------------------------------------------------------


def load(value: Any) -> Board:
    """A board from ``{"size": [rows, columns], "walls": [[row, column]], "vehicles": [{"front": [row, column], "dir":
    "U", "len": 2}]}``; with ``"roads": {"rows": [2], "columns": []}`` a vehicle may have a ``"turn"``, L or R. Walls
    and roads may be left out. Raises InvalidBoard."""
    if isinstance(value, str):
        raise no_notation("truck", value, EXAMPLE)
    if not isinstance(value, dict) or not {"size", "vehicles"} <= set(value) <= {"size", "walls", "roads", "vehicles"}:
        raise InvalidBoard(
            'a truck board has "size", "vehicles", perhaps "walls" and "roads", and nothing else',
            where="truck",
            fix=f"write {EXAMPLE}",
        )
    size, (low, high) = value["size"], SIDES
    if not _is_cell(size) or not all(low <= side <= high for side in size):
        fix = f"write [rows, columns], {low} to {high} each"
        raise InvalidBoard(f'"size" is {_shown(size)}', where="truck", fix=fix)
    walls = value.get("walls", [])
    if not isinstance(walls, list) or not all(_is_cell(wall) for wall in walls):
        fix = "write a list of cells [row, column] from 0"
        raise InvalidBoard(f'"walls" is {_shown(walls)}', where="truck", fix=fix)
    roads = _roads(value.get("roads", {}), size)
    vehicles = value["vehicles"]
    if not isinstance(vehicles, list) or not 1 <= len(vehicles) <= MOST_VEHICLES:
        found = counted(len(vehicles), "vehicle") if isinstance(vehicles, list) else f'"vehicles" is {_shown(vehicles)}'
        raise InvalidBoard(found, where="truck", fix=f"give a list of 1 to {MOST_VEHICLES}")
    board = Board(
        size[0],
        size[1],
        frozenset((row, column) for row, column in walls),
        roads,
        tuple(_vehicle(number, given) for number, given in enumerate(vehicles, 1)),
    )
    for row, column in sorted(board.walls):
        if not board.holds((row, column)):
            raise InvalidBoard(f"the wall in row {row + 1}, column {column + 1} is off the lot", where="truck")
    _check_places(board)
    return board


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _is_cell(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)


def _roads(value: Any, size: list[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    lines = [value.get(name, []) for name in ("rows", "columns")] if isinstance(value, dict) else []
    if (
        not isinstance(value, dict)
        or not set(value) <= {"rows", "columns"}
        or not all(isinstance(own, list) and all(type(n) is int for n in own) for own in lines)
        or not all(0 <= n < side for own, side in zip(lines, size, strict=True) for n in own)
    ):
        fix = f'write {{"rows": [2], "columns": [0]}}, rows from 0 to {size[0] - 1}, columns from 0 to {size[1] - 1}'
        raise InvalidBoard(f'"roads" is {_shown(value)}', where="truck", fix=fix)
    return tuple(sorted(set(lines[0]))), tuple(sorted(set(lines[1])))


def _vehicle(number: int, given: Any) -> Vehicle:
    keys = {"front", "dir", "len"}
    if not isinstance(given, dict) or not keys <= set(given) <= keys | {"turn"}:
        fix = 'write {"front": [row, column], "dir": "U", "len": 2}, and "turn": "L" where it turns'
        raise InvalidBoard(f"vehicle {number} is {_shown(given)}", where="truck", fix=fix)
    for key, is_right, fix in (
        ("front", _is_cell(given["front"]), "write a cell [row, column] from 0"),
        ("dir", given["dir"] in list(STEPS), "write U, D, L or R"),
        ("len", type(given["len"]) is int and given["len"] in LENGTHS, "write 2 or 3"),
        ("turn", given.get("turn", "L") in list(TURNS), "write L or R, or leave it out"),
    ):
        if not is_right:
            raise InvalidBoard(f'"{key}" of vehicle {number} is {_shown(given[key])}', where="truck", fix=fix)
    return Vehicle((given["front"][0], given["front"][1]), given["dir"], given["len"], given.get("turn", ""))


def _check_places(board: Board) -> None:
    """Raises InvalidBoard where a vehicle is off the lot, on a wall or on another one, or has no road to turn into."""
    taken: dict[Cell, str] = dict.fromkeys(board.walls, "a wall")
    for number, vehicle in enumerate(board.vehicles):
        name = name_of(board, number)
        for cell in vehicle.body:
            if not board.holds(cell):
                what = f"{name} is off the lot of {board.rows} by {board.columns} cells"
                raise InvalidBoard(what, where="truck", fix="put all its cells on the lot; its front counts from 0")
            if cell in taken:
                what = f"{name} overlaps {taken[cell]} in row {cell[0] + 1}, column {cell[1] + 1}"
                raise InvalidBoard(what, where="truck", fix="give every vehicle cells of its own")
        taken |= dict.fromkeys(vehicle.body, name)
        ahead = route(board, vehicle._replace(turn=""))
        if vehicle.turn and not any(_is_crossed(board.roads, cell, vehicle.facing) for cell in ahead):
            fix = "put a road across its way, or leave its turn out"
            raise InvalidBoard(f"{name} turns, but no road crosses its way", where="truck", fix=fix)


def dump(board: Board) -> dict[str, Any]:
    """Walls in reading order; roads and turns only where there are any."""
    value: dict[str, Any] = {"size": [board.rows, board.columns], "walls": [list(wall) for wall in sorted(board.walls)]}
    if any(board.roads):
        value["roads"] = {"rows": list(board.roads[0]), "columns": list(board.roads[1])}
    value["vehicles"] = [
        {"front": list(v.front), "dir": v.facing, "len": v.length} | ({"turn": v.turn} if v.turn else {})
        for v in board.vehicles
    ]
    return value


# --- symmetry ---------------------------------------------------------------------------------------------------------


def canonical(board: Board) -> tuple[Any, ...]:
    """The least of the board's eight images under rotation and reflection, vehicles sorted."""
    return min(_form(image) for image in images(board))


def images(board: Board) -> Iterator[Board]:
    """The board, its reflections and its rotations."""
    for upright in (board, _transposed(board)):
        for one in (upright, _mirrored(upright)):
            yield one
            yield _transposed(_mirrored(_transposed(one)))


def _form(board: Board) -> tuple[Any, ...]:
    return board.rows, board.columns, tuple(sorted(board.walls)), board.roads, tuple(sorted(board.vehicles))


def _transposed(board: Board) -> Board:
    """Rows become columns."""
    vehicles = (
        Vehicle((v.front[1], v.front[0]), {"U": "L", "L": "U", "D": "R", "R": "D"}[v.facing], v.length, _other(v.turn))
        for v in board.vehicles
    )
    walls = ((column, row) for row, column in board.walls)
    return _board(board.columns, board.rows, walls, (board.roads[1], board.roads[0]), vehicles)


def _mirrored(board: Board) -> Board:
    """Left and right change places."""
    last = board.columns - 1
    vehicles = (
        Vehicle((v.front[0], last - v.front[1]), {"L": "R", "R": "L"}.get(v.facing, v.facing), v.length, _other(v.turn))
        for v in board.vehicles
    )
    walls = ((row, last - column) for row, column in board.walls)
    roads = board.roads[0], tuple(last - column for column in reversed(board.roads[1]))
    return _board(board.rows, board.columns, walls, roads, vehicles)


def _other(turn: str) -> str:
    return {"L": "R", "R": "L"}.get(turn, "")


def _board(
    rows: int,
    columns: int,
    walls: Iterable[Cell],
    roads: tuple[tuple[int, ...], tuple[int, ...]],
    vehicles: Iterable[Vehicle],
) -> Board:
    return Board(rows, columns, frozenset(walls), roads, tuple(vehicles))
