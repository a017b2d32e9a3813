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
from zlib import crc32

from .base import Game, IllegalMove, InvalidBoard, Pointer, Scene
from .maze_scene import MARGIN, picture
from .wording import counted

Move = Literal["U", "D", "L", "R"]
MOVES: tuple[Move, ...] = ("U", "D", "L", "R")
STEP: dict[Move, tuple[int, int]] = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
KEY: dict[str, Move] = {"ArrowUp": "U", "ArrowDown": "D", "ArrowLeft": "L", "ArrowRight": "R"}
MAX_SIDE = 64
SWIPE = 0.5  # cells: a shorter drag is none


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


class Drag(NamedTuple):
    """A drag that has begun: where the pointer went down and where it is, in board units."""

    x0: float
    y0: float
    x: float
    y: float

    def direction(self) -> Move | None:
        """The swipe that this drag amounts to so far."""
        dx, dy = self.x - self.x0, self.y - self.y0
        if max(abs(dx), abs(dy)) < SWIPE:
            return None
        if abs(dx) >= abs(dy):
            return "R" if dx > 0 else "L"
        return "D" if dy > 0 else "U"


class Bump(NamedTuple):
    """The last swipe could not move the ball."""

    move: Move


UI = Drag | Bump


# --- rules ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16)  # the table of a board of 64 by 64 cells takes 8 MB
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
            raise InvalidBoard(f"row {number} has {counted(len(row), 'cell')} where row 1 has {width}", where="maze")
        for column, cell in enumerate(row, 1):
            if cell not in "#.S":
                raise InvalidBoard(
                    f"{cell!r} in row {number}, column {column}", where="maze", fix="use '#' wall, '.' floor, 'S' start"
                )
    if not 1 <= width <= MAX_SIDE or len(rows) > MAX_SIDE:
        raise InvalidBoard(
            f"the board is {len(rows)} by {width} cells", where="maze", fix=f"1 to {MAX_SIDE} are allowed"
        )
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


@lru_cache(maxsize=256)
def _crop(board: Board) -> tuple[int, int, int, int]:
    """The first row and column that hold floor, and the ends of both: walls round them are not shown."""
    rows = [r for r, row in enumerate(board.rows) if set(row) != {"#"}]
    columns = [c for c, column in enumerate(zip(*board.rows, strict=True)) if set(column) != {"#"}]
    return rows[0], columns[0], rows[-1] + 1, columns[-1] + 1


def _cells(board: Board, mask: int) -> tuple[tuple[int, int], ...]:
    """Row and column in the picture of each cell of a mask."""
    top, left, bottom, right = _crop(board)
    cells = ((r, c) for r in range(top, bottom) for c in range(left, right))
    return tuple((r - top, c - left) for r, c in cells if mask >> (r * board.width + c) & 1)


def _in_picture(board: Board, cell: int) -> tuple[int, int]:
    top, left, _, _ = _crop(board)
    return cell // board.width - top, cell % board.width - left


@lru_cache(maxsize=64)
def _still(board: Board) -> tuple[tuple[tuple[int, int], ...], int]:
    """The floor cells in the picture, and a number that chooses the board's colours."""
    return _cells(board, floor_mask(board)), crc32("/".join(dump(board)["rows"]).encode())


def scene(board: Board, state: State, ui: UI | None) -> Scene:
    floor, palette = _still(board)
    swipe = ui.direction() if isinstance(ui, Drag) else None
    return picture(
        floor,
        _cells(board, state.painted),
        _in_picture(board, state.ball),
        palette,
        arrow=STEP[swipe] if swipe else None,
        bump=STEP[ui.move] if isinstance(ui, Bump) else None,
    )


@lru_cache(maxsize=1)
def cover() -> Scene:
    """The picture on the home screen: a small board, half painted."""
    board = load({"rows": ["#....", "..##.", ".....", ".#.#.", "S..#."]})
    state = start(board)
    swipes: tuple[Move, ...] = ("U", "R", "U", "R")
    for move in swipes:
        state = apply(board, state, move)
    return scene(board, state, None)


def touch(board: Board, state: State, ui: UI | None, event: Pointer) -> tuple[UI | None, Move | None]:
    """A drag of at least half a cell in one main direction is a swipe, wherever it begins; so is an arrow key.

    A swipe that cannot move leaves a mark where the ball is stopped, until the next press or key.
    """
    if event.kind == "down":
        return Drag(event.x, event.y, event.x, event.y), None
    if event.kind == "key":
        move = KEY.get(event.key)
        return (_outcome(board, state, move), move) if move else (ui, None)
    if not isinstance(ui, Drag):
        return ui, None
    dragged = ui._replace(x=event.x, y=event.y)
    if event.kind == "move":
        return dragged, None
    move = dragged.direction()
    return _outcome(board, state, move), move


def _outcome(board: Board, state: State, move: Move | None) -> UI | None:
    return Bump(move) if move and move not in slides(board)[state.ball] else None


def gesture(board: Board, state: State, move: Move) -> Sequence[Pointer]:
    """A drag of one cell from the ball in the direction of ``move``."""
    r, c = _in_picture(board, state.ball)
    x, y = c + MARGIN + 0.5, r + MARGIN + 0.5
    dr, dc = STEP[move]
    return (Pointer("down", x, y), Pointer("move", x + dc, y + dr), Pointer("up", x + dc, y + dr))


GAME: Game[Board, State, Move, UI] = Game(
    name="maze",
    title={"en": "Maze Paint", "zh": "迷宫涂色"},
    hint={
        "en": "Drag or press an arrow key to slide the ball. Paint every tile.",
        "zh": "拖动或按方向键滑动小球，涂满所有格子。",
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
    keys=frozenset(KEY),
    cover=cover,
)
