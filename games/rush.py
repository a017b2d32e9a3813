"""Rush Hour: slide cars and trucks along their axes until the target touches the exit on the right of its row.

    ..BBBC    Letters are vehicles of two or three cells in a row or a column, ``x`` is a wall. The target is ``A``.
    .....C    Here the truck C stands in its way. "C+2" slides C down two cells, which is one move, and "A+3" slides A
    .AA..C    to the right edge: solved. A vehicle moves over free cells only. Every move can be taken back, so
    ......    nothing can be lost.
    ..x...
    ......

A state holds for each vehicle the column (or, if it stands upright, the row) of its first cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import Any, NamedTuple

from .base import Game, IllegalMove, InvalidBoard, Label, Pointer, Scene
from .rush_scene import MARGIN, picture
from .rush_scene import Vehicle as Drawn
from .wording import counted

SIDES = (4, 8)
LENGTHS = (2, 3)
TARGET = "A"
LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnpqrstuvwyz0123456789"  # without o (empty) and x (wall)
UNFINISHED = 0.99  # the most progress that an unsolved state can show

State = tuple[int, ...]
Move = str  # label, sign, cells: "B-2" is B two cells to the left, or up


class Vehicle(NamedTuple):
    """``line``: the row that it stands along, or the column of an upright one; ``first``: its first cell there at the
    start."""

    label: str
    horizontal: bool
    line: int
    first: int
    length: int


@dataclass(frozen=True, slots=True)
class Board:
    """``rows``: equally long strings with the start position, ``.`` for empty; ``vehicles``: the target first, then in
    reading order."""

    rows: tuple[str, ...]
    vehicles: tuple[Vehicle, ...]

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.rows[0])

    def span(self, vehicle: Vehicle) -> int:
        """The cells of the vehicle's line."""
        return self.width if vehicle.horizontal else self.height

    def cell(self, vehicle: Vehicle, at: int) -> int:
        """Place ``at`` in the vehicle's line as ``row * width + column``."""
        row, column = (vehicle.line, at) if vehicle.horizontal else (at, vehicle.line)
        return row * self.width + column


class Drag(NamedTuple):
    """A vehicle that is being dragged: its number, and how far the pointer has gone along its axis, in cells."""

    vehicle: int
    grip: float  # where on the axis the pointer went down
    way: float


# --- rules ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _walls(board: Board) -> frozenset[int]:
    return frozenset(i for i, cell in enumerate("".join(board.rows)) if cell == "x")


def _taken(board: Board, state: State) -> set[int]:
    """All cells with a wall or a vehicle."""
    taken = set(_walls(board))
    for vehicle, first in zip(board.vehicles, state, strict=True):
        taken |= {board.cell(vehicle, first + i) for i in range(vehicle.length)}
    return taken


def room(board: Board, state: State, number: int, taken: set[int] | None = None) -> tuple[int, int]:
    """How many cells a vehicle can slide back (left, up) and forth (right, down)."""
    vehicle, first = board.vehicles[number], state[number]
    taken = _taken(board, state) if taken is None else taken
    back, forth, end = 0, 0, first + vehicle.length
    while first - back > 0 and board.cell(vehicle, first - back - 1) not in taken:
        back += 1
    while end + forth < board.span(vehicle) and board.cell(vehicle, end + forth) not in taken:
        forth += 1
    return back, forth


def start(board: Board) -> State:
    return tuple(vehicle.first for vehicle in board.vehicles)


def moves(board: Board, state: State) -> Iterator[Move]:
    """By vehicle, the target first; of each the slides to the left or up before those to the right or down, the shorter
    before the longer."""
    if solved(board, state):
        return
    taken = _taken(board, state)
    for number, vehicle in enumerate(board.vehicles):
        back, forth = room(board, state, number, taken)
        yield from (f"{vehicle.label}-{n}" for n in range(1, back + 1))
        yield from (f"{vehicle.label}+{n}" for n in range(1, forth + 1))


def apply(board: Board, state: State, move: Move) -> State:
    if solved(board, state):
        raise IllegalMove("the level is solved", where="rush")
    number, cells = _read_move(board, move)
    back, forth = room(board, state, number)
    if not -back <= cells <= forth or cells == 0:
        raise IllegalMove(f"{board.vehicles[number].label} cannot move by {cells:+} here", where="rush")
    return (*state[:number], state[number] + cells, *state[number + 1 :])


def _read_move(board: Board, move: Any) -> tuple[int, int]:
    """The vehicle's number and the cells, left and up negative. Raises IllegalMove."""
    if isinstance(move, str) and len(move) == 3 and move[1] in "+-" and move[2] in "01234567":
        for number, vehicle in enumerate(board.vehicles):
            if vehicle.label == move[0]:
                return number, int(move[1:])
    raise IllegalMove(f"{move!r} is no move of this board", where="rush", fix="write for instance 'A+2'")


def solved(board: Board, state: State) -> bool:
    return state[0] + board.vehicles[0].length == board.width


def progress(board: Board, state: State) -> float:
    """What can be seen: 0.8 for the target's way to the exit, 0.2 for the vehicles that no longer stand in it, both
    against the start and never below 0; at most 0.99 before it is solved."""
    if solved(board, state):
        return 1.0
    begin = start(board)
    shares = []
    for measure in (_way_left, _in_the_way):
        now, then = measure(board, state), measure(board, begin)
        shares.append(1 - now / max(now, then) if now else 1.0)
    return min(UNFINISHED, 0.8 * shares[0] + 0.2 * shares[1])


def _way_left(board: Board, state: State) -> int:
    return board.width - board.vehicles[0].length - state[0]


def _in_the_way(board: Board, state: State) -> int:
    return len(in_the_way(board, state))


def in_the_way(board: Board, state: State) -> set[int]:
    """The numbers of the vehicles between the target and the exit."""
    target = board.vehicles[0]
    way = {board.cell(target, at) for at in range(state[0] + target.length, board.width)}
    return {
        number
        for number, (vehicle, first) in enumerate(zip(board.vehicles, state, strict=True))
        if number and any(board.cell(vehicle, first + i) in way for i in range(vehicle.length))
    }


# --- boards: JSON, text, symmetry -------------------------------------------------------------------------------------


def load(value: Any) -> Board:
    """A board from ``{"rows": ["..BBBC", ...]}``. Raises InvalidBoard."""
    if not isinstance(value, dict) or set(value) != {"rows"}:
        raise InvalidBoard('a rush board is {"rows": [...]} and nothing else', where="rush")
    rows = value["rows"]
    if not isinstance(rows, list) or not rows or not all(isinstance(r, str) for r in rows):
        raise InvalidBoard('"rows" must be a non-empty list of strings', where="rush")
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise InvalidBoard(f"row {number} has {counted(len(row), 'cell')} where row 1 has {width}", where="rush")
        for column, cell in enumerate(row, 1):
            if cell not in LABELS and cell not in ".ox":
                raise InvalidBoard(
                    f"{cell!r} in row {number}, column {column}",
                    where="rush",
                    fix="use '.' or 'o' empty, 'x' wall, 'A' target, other letters and digits vehicles",
                )
    low, high = SIDES
    if not (low <= width <= high and low <= len(rows) <= high):
        raise InvalidBoard(
            f"the board is {len(rows)} by {width} cells", where="rush", fix=f"{low} to {high} are allowed each way"
        )
    rows = [row.replace("o", ".") for row in rows]
    board = Board(tuple(rows), tuple(_vehicles(rows)))
    if solved(board, start(board)):
        raise InvalidBoard("the target A touches the exit already", where="rush", fix="start it further to the left")
    return board


def _vehicles(rows: list[str]) -> Iterator[Vehicle]:
    """The target first, then in reading order. Raises InvalidBoard."""
    cells: dict[str, list[tuple[int, int]]] = {}
    for r, row in enumerate(rows):
        for c, label in enumerate(row):
            if label not in ".x":
                cells.setdefault(label, []).append((r, c))
    if TARGET not in cells:
        raise InvalidBoard("there is no target", where="rush", fix="mark the car that must get out with 'A'")
    target = _vehicle(TARGET, cells.pop(TARGET))
    if not target.horizontal:
        raise InvalidBoard(
            "the target A stands upright", where="rush", fix="lay it along a row: the exit is on the right"
        )
    yield target
    for label, places in cells.items():
        yield _vehicle(label, places)


def _vehicle(label: str, places: list[tuple[int, int]]) -> Vehicle:
    (r, c), count = places[0], len(places)
    for horizontal in (True, False):
        if places == [(r, c + i) if horizontal else (r + i, c) for i in range(count)]:
            if count not in LENGTHS:
                cells = counted(count, "cell")
                raise InvalidBoard(
                    f"vehicle {label} has {cells}, beginning in row {r + 1}, column {c + 1}",
                    where="rush",
                    fix="vehicles have 2 or 3",
                )
            return Vehicle(label, horizontal, *((r, c) if horizontal else (c, r)), count)
    parts = _pieces(places)
    if len(parts) == 2 and all(len(part) in LENGTHS for part in parts):
        what = "two targets" if label == TARGET else "two vehicles"
        raise InvalidBoard(
            f"{what} are called {label}, in row {parts[0][0][0] + 1} and row {parts[1][0][0] + 1}",
            where="rush",
            fix="give every vehicle its own letter",
        )
    raise InvalidBoard(
        f"vehicle {label} is bent, broken or overlapped by another, beginning in row {r + 1}, column {c + 1}",
        where="rush",
        fix="a vehicle is 2 or 3 neighbouring cells of one row or column",
    )


def _pieces(places: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The cells by connected piece."""
    left, pieces = list(places), []
    while left:
        piece = [left.pop(0)]
        for r, c in piece:  # grows while it is read
            near = [(y, x) for y, x in left if abs(y - r) + abs(x - c) == 1]
            piece += near
            left = [place for place in left if place not in near]
        pieces.append(piece)
    return pieces


def dump(board: Board) -> dict[str, list[str]]:
    return {"rows": list(board.rows)}


def is_one_board(line: str) -> bool:
    """Whether a line without ``/`` is a whole square board, such as the 36 characters of a 6 by 6 one."""
    side = isqrt(len(line))
    return side * side == len(line) and SIDES[0] <= side <= SIDES[1]


def read(text: str) -> dict[str, list[str]]:
    """Board JSON from rows separated by ``/`` or newlines, or from all cells of a square board in one line (such as 36
    characters). ``load`` validates it."""
    rows = text.strip().replace("/", "\n").split()
    if len(rows) == 1 and is_one_board(rows[0]):
        side = isqrt(len(rows[0]))
        rows = [rows[0][i : i + side] for i in range(0, side * side, side)]
    return {"rows": [row.replace("o", ".") for row in rows]}


def rows_of(board: Board, state: State) -> list[str]:
    """The rows of a state, as in a board."""
    cells = ["x" if cell == "x" else "." for cell in "".join(board.rows)]
    for vehicle, first in zip(board.vehicles, state, strict=True):
        for i in range(vehicle.length):
            cells[board.cell(vehicle, first + i)] = vehicle.label
    return ["".join(cells[i : i + board.width]) for i in range(0, len(cells), board.width)]


def write(board: Board, state: State) -> str:
    return "\n".join(rows_of(board, state))


def canonical(board: Board) -> tuple[Any, ...]:
    """What no move and no mirror changes: size, walls, exit row, and for every row and column the lengths of its
    vehicles in order between walls; of the board and its mirror image, upside down, the lesser.

    All positions that moves reach from one another share it: two starts of one such family are the same puzzle to a
    player. Positions of a family that no moves connect are not told apart; that loses a board, never lets one through.
    """
    return min(_family(board, upside_down=False), _family(board, upside_down=True))


def _family(board: Board, *, upside_down: bool) -> tuple[Any, ...]:
    rows = board.rows[::-1] if upside_down else board.rows
    target = board.height - 1 - board.vehicles[0].line if upside_down else board.vehicles[0].line
    across: list[str] = []
    down: list[str] = []
    for lines, found, horizontal in (
        (rows, across, True),
        (["".join(c) for c in zip(*rows, strict=True)], down, False),
    ):
        own = {v.label: v.length for v in board.vehicles if v.horizontal == horizontal}
        for line in lines:
            order = "".join(c for i, c in enumerate(line) if c in "x" or (c in own and c not in line[:i]))
            found.append("".join("A" if c == TARGET else c if c == "x" else str(own[c]) for c in order))
    walls = tuple("".join("x" if c == "x" else "." for c in row) for row in rows)
    return walls, target, tuple(across), tuple(down)


# --- looks and input --------------------------------------------------------------------------------------------------


def scene(board: Board, state: State, ui: Drag | None) -> Scene:
    walls = tuple(divmod(cell, board.width) for cell in sorted(_walls(board)))
    drawn = []
    for number, (vehicle, first) in enumerate(zip(board.vehicles, state, strict=True)):
        at, held = float(first), ui is not None and ui.vehicle == number
        if ui is not None and held:
            back, forth = room(board, state, number)
            at += min(max(ui.way, -back), forth)
        row, column = (float(vehicle.line), at) if vehicle.horizontal else (at, float(vehicle.line))
        drawn.append(Drawn(row, column, vehicle.length, vehicle.horizontal, number - 1, held))
    return picture(board.height, board.width, board.vehicles[0].line, walls, drawn)


@lru_cache(maxsize=1)
def cover() -> Scene:
    """The picture on the home screen: a small board."""
    board = load({"rows": ["BBC..", "..C.D", "AAC.D", "..EED", "FF..."]})
    return scene(board, start(board), None)


def touch(board: Board, state: State, ui: Drag | None, event: Pointer) -> tuple[Drag | None, Move | None]:
    """A drag moves the vehicle under the pointer along its axis, until something stands in its way; when the pointer
    goes up, it stays at the nearest cell. A drag against an obstacle that leaves no room at all is a move that the
    rules forbid; one that ends where it began is no move."""
    if event.kind == "down":
        number = _vehicle_at(board, state, event)
        return (None if number is None else Drag(number, _along(board, number, event), 0.0)), None
    if ui is None or event.kind == "key":
        return ui, None
    dragged = ui._replace(way=_along(board, ui.vehicle, event) - ui.grip)
    if event.kind == "move":
        return dragged, None
    back, forth = room(board, state, ui.vehicle)
    cells, wanted = round(min(max(dragged.way, -back), forth)), round(dragged.way)
    if cells == 0 and wanted != 0:
        cells = 1 if wanted > 0 else -1  # blocked: ``apply`` says so
    return None, f"{board.vehicles[ui.vehicle].label}{cells:+}" if cells else None


def _along(board: Board, number: int, event: Pointer) -> float:
    return event.x if board.vehicles[number].horizontal else event.y


def _vehicle_at(board: Board, state: State, event: Pointer) -> int | None:
    x, y = event.x - MARGIN, event.y - MARGIN
    for number, (vehicle, first) in enumerate(zip(board.vehicles, state, strict=True)):
        along, across = (x, y) if vehicle.horizontal else (y, x)
        if 0 <= along - first < vehicle.length and 0 <= across - vehicle.line < 1:
            return number
    return None


def gesture(board: Board, state: State, move: Move) -> Sequence[Pointer]:
    """A drag of the vehicle by its middle."""
    number, cells = _read_move(board, move)
    vehicle = board.vehicles[number]
    along, across = MARGIN + state[number] + vehicle.length / 2, MARGIN + vehicle.line + 0.5
    x, y = (along, across) if vehicle.horizontal else (across, along)
    to_x, to_y = (x + cells, y) if vehicle.horizontal else (x, y + cells)
    return (Pointer("down", x, y), Pointer("move", to_x, to_y), Pointer("up", to_x, to_y))


def labels(board: Board, state: State) -> Iterable[Label]:
    """The vehicles' letters, on their left or upper ends."""
    places = [
        (vehicle.label, (first, vehicle.line) if vehicle.horizontal else (vehicle.line, first))
        for vehicle, first in zip(board.vehicles, state, strict=True)
    ]
    return [Label(letter, MARGIN + column + 0.26, MARGIN + row + 0.26) for letter, (column, row) in places]


GAME: Game[Board, State, Move, Drag] = Game(
    name="rush",
    title={"en": "Rush Hour", "zh": "高峰时刻"},
    hint={
        "en": "Drag cars along their lanes. Bring the red car to the exit on the right.",
        "zh": "沿车道拖动车辆，让红色汽车到达右侧出口。",
    },
    rules_version=1,
    read=read,
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
    is_one_board=is_one_board,
)
