"""Truck Escape: click vehicles away from a crowded lot, each along the arrow on its roof, until the lot is empty.

    ..|.      Vehicles of two or three cells, each with the way that it faces; here 1 faces down, 2 to the right. A
    -→|.      click on 1: all cells from its front to the edge are empty, so it leaves. A click on 2 before that: it
    ..↓.      drives against 1, comes back, and the click is wasted. A departure only frees cells, so none can be
    ....      wrong: nothing can be lost but clicks.

On boards with roads a vehicle may turn: it drives ahead to the first road that crosses its way, turns into it to the
side that its arrow shows, and follows it to the edge. Its route is as fixed as a straight one.

A state is an integer with bit n set while vehicle n is on the lot; a move is the number of a vehicle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import floor
from typing import NamedTuple

from .base import Game, IllegalMove, Label, Pointer, Scene, read_json
from .truck_board import Board, Cell, Vehicle, canonical, dump, load, name_of, owners, routes
from .truck_scene import MARGIN, Bump, Drawn, picture

State = int
Move = int

ARROWS = {"U": "↑", "D": "↓", "L": "←", "R": "→"}


class Pressed(NamedTuple):
    """The vehicle that a press is on."""

    vehicle: int


class Bumped(NamedTuple):
    """The vehicle that was clicked last and is back where it stood."""

    vehicle: int
    tried: bool = True  # tells it apart from a press in JSON


UI = Pressed | Bumped


# --- rules ------------------------------------------------------------------------------------------------------------


def start(board: Board) -> State:
    return (1 << len(board.vehicles)) - 1


def is_there(state: State, number: int) -> bool:
    return bool(state >> number & 1)


def empty_cells(board: Board, state: State, number: int) -> int:
    """How many cells of its route a vehicle drives over before something stops it: all of them, if it leaves."""
    return _driven(owners(board), routes(board)[number], state)


def _driven(owner: Mapping[Cell, int], way: Sequence[Cell], state: State) -> int:
    for place, cell in enumerate(way):
        other = owner.get(cell)
        if other is not None and (other < 0 or is_there(state, other)):
            return place
    return len(way)


def can_leave(board: Board, state: State, number: int) -> bool:
    return is_there(state, number) and empty_cells(board, state, number) == len(routes(board)[number])


def moves(board: Board, state: State) -> Iterator[Move]:
    """The vehicles that can leave, in the order of the board."""
    owner = owners(board)
    for number, way in enumerate(routes(board)):
        if is_there(state, number) and _driven(owner, way, state) == len(way):
            yield number


def apply(board: Board, state: State, move: Move) -> State:
    if type(move) is not int or not 0 <= move < len(board.vehicles):
        raise IllegalMove(f"{move!r} is no vehicle", where="truck", fix="vehicles are numbered from 0")
    if not is_there(state, move):
        raise IllegalMove(f"{name_of(board, move)} has left already", where="truck")
    if not can_leave(board, state, move):
        raise IllegalMove(f"{name_of(board, move)} is blocked", where="truck")
    return state & ~(1 << move)


def solved(board: Board, state: State) -> bool:
    return state == 0


def progress(board: Board, state: State) -> float:
    """The share of the vehicles that have left."""
    return 1 - state.bit_count() / len(board.vehicles)


def write(board: Board, state: State) -> str:
    """The lot as rows: an arrow at the front of each vehicle and ``-`` or ``|`` behind it (``L`` or ``R`` where it
    turns left or right), ``#`` wall, ``:`` road, ``.`` empty."""
    rows = [
        [":" if row in board.roads[0] or column in board.roads[1] else "." for column in range(board.columns)]
        for row in range(board.rows)
    ]
    for row, column in board.walls:
        rows[row][column] = "#"
    for number, vehicle in enumerate(board.vehicles):
        if is_there(state, number):
            (row, column), *behind = vehicle.body
            rows[row][column] = ARROWS[vehicle.facing]
            for row, column in behind:
                rows[row][column] = vehicle.turn or ("|" if vehicle.facing in "UD" else "-")
    return "\n".join("".join(row) for row in rows)


# --- looks and input --------------------------------------------------------------------------------------------------


def scene(board: Board, state: State, ui: UI | None) -> Scene:
    drawn = []
    for number, vehicle in enumerate(board.vehicles):
        if is_there(state, number):
            held = isinstance(ui, Pressed) and ui.vehicle == number
            drawn.append(_drawn(vehicle, number, held))
    bump = None
    if isinstance(ui, Bumped):
        vehicle = board.vehicles[ui.vehicle]
        way = routes(board)[ui.vehicle][: empty_cells(board, state, ui.vehicle) + 1]
        bump = Bump(_drawn(vehicle, ui.vehicle, False), (vehicle.front, *way))
    return picture(board.rows, board.columns, tuple(sorted(board.walls)), board.roads, drawn, bump)


def _drawn(vehicle: Vehicle, number: int, held: bool) -> Drawn:
    row, column = min(vehicle.body)
    return Drawn(row, column, vehicle.length, vehicle.facing, vehicle.turn, number, held)


@lru_cache(maxsize=1)
def cover() -> Scene:
    """The picture on the home screen: a small lot."""
    lot = [((0, 1), "U", 2), ((0, 3), "L", 2), ((1, 4), "R", 3), ((4, 0), "D", 3), ((2, 2), "R", 2), ((4, 3), "D", 2)]
    vehicles = [{"front": list(front), "dir": facing, "len": length} for front, facing, length in lot]
    board = load({"size": [5, 5], "walls": [], "vehicles": vehicles})
    return scene(board, start(board), None)


def touch(board: Board, state: State, ui: UI | None, event: Pointer) -> tuple[UI | None, Move | None]:
    """A click, press and release on one vehicle, sends it off when the pointer goes up. One that is blocked tries all
    the same, and how far it came is marked until the next press."""
    if event.kind == "down":
        number = _vehicle_at(board, state, event)
        return (None if number is None else Pressed(number)), None
    if event.kind != "up" or not isinstance(ui, Pressed):
        return ui, None
    if _vehicle_at(board, state, event) != ui.vehicle:
        return None, None
    return (None if can_leave(board, state, ui.vehicle) else Bumped(ui.vehicle)), ui.vehicle


def _vehicle_at(board: Board, state: State, event: Pointer) -> int | None:
    cell: Cell = floor(event.y - MARGIN), floor(event.x - MARGIN)
    number = owners(board).get(cell, -1)
    return number if number >= 0 and is_there(state, number) else None


def gesture(board: Board, state: State, move: Move) -> Sequence[Pointer]:
    """A click on the middle of the vehicle."""
    body = board.vehicles[move].body
    x = MARGIN + 0.5 + sum(column for _, column in body) / len(body)
    y = MARGIN + 0.5 + sum(row for row, _ in body) / len(body)
    return Pointer("down", x, y), Pointer("up", x, y)


def labels(board: Board, state: State) -> Iterable[Label]:
    """The numbers of the vehicles that are there, at their rears."""
    rears = [(number, v.body[-1]) for number, v in enumerate(board.vehicles) if is_there(state, number)]
    return [Label(str(number), MARGIN + column + 0.5, MARGIN + row + 0.5) for number, (row, column) in rears]


GAME: Game[Board, State, Move, UI] = Game(
    name="truck",
    title={"en": "Truck Escape", "zh": "卡车突围"},
    hint={
        "en": "Click a vehicle: it leaves along its arrow if its way is free. Empty the lot.",
        "zh": "点击车辆，前方无阻时它会沿箭头开走。清空停车场。",
    },
    rules_version=1,
    read=read_json,
    write=write,
    board=load,
    dump=dump,
    start=start,
    moves=moves,
    apply=apply,
    solved=solved,
    progress=progress,
    canonical=canonical,
    scene=scene,
    touch=touch,
    gesture=gesture,
    labels=labels,
    cover=cover,
)

__all__ = ["GAME", "Board", "Bumped", "Move", "Pressed", "State", "can_leave", "empty_cells", "is_there", "name_of"]
