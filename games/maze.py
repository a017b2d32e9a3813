"""Maze Paint: slide a ball over a grid until a wall stops it; paint every floor cell.

    ..#.      S is where the ball starts (painted at first). Swiping up here slides it over one cell and paints it;
    S..#      swiping right paints two. A swipe that cannot move is no move. Solved when all seven cells are painted.
    ....

A state is (cell of the ball, painted cells as a bit mask). Cells are numbered row by row, walls included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from .base import Circle, Game, IllegalMove, InvalidBoard, Pointer, Rect, Scene, Shape

Move = Literal["U", "D", "L", "R"]
MOVES: tuple[Move, ...] = ("U", "D", "L", "R")
STEP: dict[Move, tuple[int, int]] = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
KEY: dict[str, Move] = {"ArrowUp": "U", "ArrowDown": "D", "ArrowLeft": "L", "ArrowRight": "R"}
MAX_SIDE = 64


@dataclass(frozen=True, slots=True)
class Board:
    """``rows``: equally long strings of ``#`` and ``.``; ``start``: the ball's cell, ``row * width + column``."""

    rows: tuple[str, ...]
    start: int

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.rows[0])


class State(NamedTuple):
    ball: int
    painted: int  # bit c is set when cell c is painted


class UI(NamedTuple):
    """A drag that has begun: where the pointer went down and where it is, in board units."""

    x0: float
    y0: float
    x: float
    y: float


# --- rules ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def slides(board: Board) -> tuple[dict[Move, tuple[int, int]], ...]:
    """For each cell, the legal swipes from it: move -> (cell where the ball stops, mask of the cells it passes).

    The mask includes the stop and leaves out the cell of departure. Walls have no entries.
    """
    table: list[dict[Move, tuple[int, int]]] = []
    for row in range(board.height):
        for column in range(board.width):
            exits: dict[Move, tuple[int, int]] = {}
            if board.rows[row][column] != "#":
                for move in MOVES:
                    dr, dc = STEP[move]
                    r, c, passed = row + dr, column + dc, 0
                    while 0 <= r < board.height and 0 <= c < board.width and board.rows[r][c] != "#":
                        passed |= 1 << (r * board.width + c)
                        r, c = r + dr, c + dc
                    if passed:
                        exits[move] = ((r - dr) * board.width + c - dc, passed)
            table.append(exits)
    return tuple(table)


@lru_cache(maxsize=256)
def floor_mask(board: Board) -> int:
    """The mask of all floor cells, the start included."""
    return sum(1 << i for i, cell in enumerate("".join(board.rows)) if cell != "#")


def start(board: Board) -> State:
    return State(board.start, 1 << board.start)


def moves(board: Board, state: State) -> Iterable[Move]:
    return () if solved(board, state) else tuple(slides(board)[state.ball])


def apply(board: Board, state: State, move: Move) -> State:
    if solved(board, state):
        raise IllegalMove("the level is solved", where="maze")
    try:
        stop, passed = slides(board)[state.ball][move]
    except KeyError:
        raise IllegalMove(f"the ball cannot move {move!r} from here", where="maze") from None
    return State(stop, state.painted | passed)


def solved(board: Board, state: State) -> bool:
    return state.painted == floor_mask(board)


def progress(board: Board, state: State) -> float:
    return (state.painted.bit_count() - 1) / (floor_mask(board).bit_count() - 1)


# --- boards: JSON, text, symmetry -------------------------------------------------------------------------------------


def load(value: Any) -> Board:
    """A board from ``{"rows": ["..#.", "S..#"]}``. Raises InvalidBoard."""
    if not isinstance(value, dict) or set(value) != {"rows"}:
        raise InvalidBoard('a maze board is {"rows": [...]} and nothing else', where="maze")
    rows = value["rows"]
    if not isinstance(rows, list) or not rows or not all(isinstance(r, str) for r in rows):
        raise InvalidBoard('"rows" must be a non-empty list of strings', where="maze")
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise InvalidBoard(f"row {number} has {len(row)} cells where row 1 has {width}", where="maze")
        for column, cell in enumerate(row, 1):
            if cell not in "#.S":
                raise InvalidBoard(
                    f"{cell!r} in row {number}, column {column}", where="maze", fix="use '#' wall, '.' floor, 'S' start"
                )
    if not 1 <= width <= MAX_SIDE or len(rows) > MAX_SIDE:
        raise InvalidBoard(f"the board is {len(rows)} by {width} cells", where="maze", fix=f"1 to {MAX_SIDE} are allowed")
    text = "".join(rows)
    starts = text.count("S")
    if starts != 1:
        raise InvalidBoard(f"{starts} starts", where="maze", fix="mark exactly one cell with 'S'")
    if text.count(".") == 0:
        raise InvalidBoard("no floor cell beside the start", where="maze", fix="add '.' cells to paint")
    return Board(tuple(r.replace("S", ".") for r in rows), text.index("S"))


def dump(board: Board) -> dict[str, list[str]]:
    rows = list(board.rows)
    r, c = divmod(board.start, board.width)
    rows[r] = rows[r][:c] + "S" + rows[r][c + 1 :]
    return {"rows": rows}


def read(text: str) -> dict[str, list[str]]:
    """Board JSON from rows separated by ``/`` or newlines. ``load`` validates it."""
    return {"rows": text.strip().replace("/", "\n").split()}


def write(board: Board, state: State) -> str:
    """``@`` the ball, ``o`` painted, ``.`` unpainted floor, ``#`` wall."""
    lines = []
    for r, row in enumerate(board.rows):
        cells = []
        for c, cell in enumerate(row):
            i = r * board.width + c
            cells.append("@" if i == state.ball else "#" if cell == "#" else "o" if state.painted >> i & 1 else ".")
        lines.append("".join(cells))
    return "\n".join(lines)


def canonical(board: Board) -> tuple[str, ...]:
    """The least of the eight rotations and reflections, start included, after cropping lines of walls at the edges."""
    rows = dump(board)["rows"]
    while rows and set(rows[0]) == {"#"}:
        rows = rows[1:]
    while rows and set(rows[-1]) == {"#"}:
        rows = rows[:-1]
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    while columns and set(columns[0]) == {"#"}:
        columns = columns[1:]
    while columns and set(columns[-1]) == {"#"}:
        columns = columns[:-1]
    images = []
    for lines in (columns, ["".join(row) for row in zip(*columns, strict=True)]):
        mirrored = [line[::-1] for line in lines]
        images += [tuple(lines), tuple(lines[::-1]), tuple(mirrored), tuple(mirrored[::-1])]
    return min(images)


# --- looks and input --------------------------------------------------------------------------------------------------

MARGIN = 0.35
WALL, WALL_TOP, WALL_SIDE = "#3b4766", "#4b5a80", "#2b3550"
FLOOR, FLOOR_EDGE = "#f4efe4", "#e3dccb"
PAINT, PAINT_EDGE = "#ff9f45", "#f58a24"
BALL, BALL_RIM = "#7fd0ff", "#1769aa"


def scene(board: Board, state: State, ui: UI | None) -> Scene:
    items: list[Shape] = [
        Rect(0, 0, board.width + 2 * MARGIN, board.height + 2 * MARGIN, fill=WALL, radius=0.35, shadow=0.25)
    ]
    for r in range(board.height):
        for c in range(board.width):
            x, y = c + MARGIN, r + MARGIN
            if board.rows[r][c] == "#":
                items.append(Rect(x + 0.05, y + 0.05, 0.9, 0.9, fill=WALL_TOP, fill2=WALL_SIDE, radius=0.14))
            else:
                painted = state.painted >> (r * board.width + c) & 1
                items.append(Rect(x, y, 1, 1, fill=PAINT_EDGE if painted else FLOOR_EDGE))
                items.append(Rect(x + 0.03, y + 0.03, 0.94, 0.94, fill=PAINT if painted else FLOOR, radius=0.1))
    r, c = divmod(state.ball, board.width)
    items.append(Circle(c + MARGIN + 0.5, r + MARGIN + 0.5, 0.36, fill=BALL, fill2=BALL_RIM, shadow=0.08))
    return Scene(board.width + 2 * MARGIN, board.height + 2 * MARGIN, tuple(items))


def touch(board: Board, state: State, ui: UI | None, event: Pointer) -> tuple[UI | None, Move | None]:
    """A drag of at least half a cell in one main direction is a swipe, wherever it begins; so is an arrow key."""
    if event.kind == "key":
        return ui, KEY.get(event.key)
    if event.kind == "down":
        return UI(event.x, event.y, event.x, event.y), None
    if ui is None:
        return None, None
    if event.kind == "move":
        return ui._replace(x=event.x, y=event.y), None
    dx, dy = event.x - ui.x0, event.y - ui.y0
    if max(abs(dx), abs(dy)) < 0.5:
        return None, None
    if abs(dx) >= abs(dy):
        return None, "R" if dx > 0 else "L"
    return None, "D" if dy > 0 else "U"


def gesture(board: Board, state: State, move: Move) -> Sequence[Pointer]:
    """A drag of one cell from the ball in the direction of ``move``."""
    r, c = divmod(state.ball, board.width)
    x, y = c + MARGIN + 0.5, r + MARGIN + 0.5
    dr, dc = STEP[move]
    return (Pointer("down", x, y), Pointer("move", x + dc, y + dr), Pointer("up", x + dc, y + dr))


GAME = Game(
    name="maze",
    title={"en": "Maze Paint", "zh": "迷宫涂色"},
    hint={"en": "Swipe to slide the ball. Paint every tile.", "zh": "滑动小球，涂满所有格子。"},
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
    keys=frozenset(KEY),
)
