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

from .base import Circle, Game, IllegalMove, InvalidBoard, Path, Pointer, Rect, Region, Scene, Shape
from .contours import contours

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


# --- looks ------------------------------------------------------------------------------------------------------------

MARGIN = 0.5  # of wall round the grid, in cells
LIP = 0.16  # the slab's front face
DEPTH = 0.15  # how far the floor lies below the walls
ROUND = 0.2


class Palette(NamedTuple):
    """Wall top, wall face, rim light; floor, its tiles; paint, its tiles; ball and its rim."""

    wall: str
    face: str
    light: str
    floor: str
    tile: str
    paint: str
    paint_tile: str
    ball: str
    ball_rim: str


PALETTES = (
    Palette("#63538a", "#3d3159", "#8b7cb0", "#eadfd3", "#f8f0e6", "#ff7a5c", "#ff8f72", "#7fe0d2", "#148a8a"),
    Palette("#3a687e", "#1f4255", "#6697ae", "#e9e0d2", "#f8f1e5", "#ffb02e", "#ffbf54", "#ff9db0", "#cf2f5c"),
    Palette("#825445", "#543026", "#b18070", "#ecdfcd", "#f9f0e2", "#2fb9a4", "#4cc8b4", "#ffd978", "#e08a12"),
    Palette("#47644d", "#28402e", "#76957c", "#e9e1cf", "#f7f1e2", "#ef6a9a", "#f482ac", "#ffe08a", "#e39a1c"),
    Palette("#55596d", "#313447", "#858aa0", "#ebe1d5", "#f8f1e8", "#5a9cf0", "#74aef5", "#ffc27a", "#e0641f"),
    Palette("#734a60", "#47293a", "#a2778e", "#ecdfd4", "#f9f0e7", "#7cc24a", "#91d062", "#8fd3ff", "#1f72c4"),
)
BUMP, ARROW = "#ff4b3a", "#ffffffd0"


@lru_cache(maxsize=64)
def _slab(board: Board) -> tuple[Palette, tuple[Shape, ...], tuple[Shape, ...]]:
    """The palette, what lies below the paint and what lies above it: the same in every state."""
    colours = PALETTES[crc32("/".join(dump(board)["rows"]).encode()) % len(PALETTES)]
    floor = [divmod(i, board.width) for i, cell in enumerate("".join(board.rows)) if cell != "#"]
    edge = contours(floor, MARGIN)
    rim = tuple(tuple((x, y + 0.045) for x, y in points) for points in edge)
    w, h = board.width + 2 * MARGIN, board.height + 2 * MARGIN
    below: tuple[Shape, ...] = (
        Rect(0, LIP, w, h, colours.face, 0.5, shadow=0.34),
        Rect(0, 0, w, h, colours.light, 0.5),
        Rect(0, 0.045, w, h - 0.045, colours.wall, 0.5),
        Region(rim, colours.light, ROUND),
        Region(edge, colours.floor, ROUND),
        Region(_tiles(floor), colours.tile, 0.16),
    )
    return colours, below, (Region(edge, None, ROUND, DEPTH, colours.face, 0.3),)


def _tiles(cells: Iterable[tuple[int, int]]) -> tuple[tuple[tuple[float, float], ...], ...]:
    left, top, size = MARGIN + 0.13, MARGIN + 0.18, 0.74  # lower than the middle: the wall above hides some floor
    corners = ((left, top), (left + size, top), (left + size, top + size), (left, top + size))
    return tuple(tuple((c + x, r + y) for x, y in corners) for r, c in cells)


def scene(board: Board, state: State, ui: UI | None) -> Scene:
    """One slab of wall with the floor sunk into it, the paint on the floor, and the ball."""
    colours, below, above = _slab(board)
    painted = [divmod(i, board.width) for i in range(board.width * board.height) if state.painted >> i & 1]
    items: list[Shape] = [*below]
    items.append(Region(contours(painted, MARGIN), colours.paint, ROUND))
    items.append(Region(_tiles(painted), colours.paint_tile, 0.16))
    items.extend(above)
    x, y = _centre(board, state.ball)
    y += 0.05
    if isinstance(ui, Drag) and (swiped := ui.direction()):
        items.extend(_arrow(x, y, STEP[swiped]))
    if isinstance(ui, Bump):
        items.append(_bump(x, y, STEP[ui.move]))
    items.extend(_ball(x, y, colours))
    return Scene(board.width + 2 * MARGIN, board.height + 2 * MARGIN + LIP, tuple(items))


def _centre(board: Board, cell: int) -> tuple[float, float]:
    r, c = divmod(cell, board.width)
    return c + MARGIN + 0.5, r + MARGIN + 0.5


def _ball(x: float, y: float, colours: Palette) -> Iterable[Shape]:
    yield Circle(x, y + 0.03, 0.33, colours.ball_rim, shadow=0.16)
    yield Circle(x, y, 0.34, colours.ball, fill2=colours.ball_rim)
    yield Circle(x - 0.11, y - 0.14, 0.095, "#ffffffcc")
    yield Circle(x + 0.035, y - 0.2, 0.035, "#ffffffa0")


def _arrow(x: float, y: float, step: tuple[int, int]) -> Iterable[Shape]:
    """Where the swipe that is being made would send the ball."""
    dy, dx = step
    for reach, width in ((0.56, 0.09), (0.76, 0.07)):
        tip, back = (x + dx * reach, y + dy * reach), reach - 0.13
        wings = [(x + dx * back + side * dy * 0.17, y + dy * back + side * dx * 0.17) for side in (-1, 1)]
        yield Path((wings[0], tip, wings[1]), None, ARROW, width)


def _bump(x: float, y: float, step: tuple[int, int]) -> Shape:
    """Where the ball could not go on."""
    dy, dx = step
    at_x, at_y = x + dx * 0.53, y + dy * 0.53
    return Path(((at_x - dy * 0.3, at_y - dx * 0.3), (at_x + dy * 0.3, at_y + dx * 0.3)), None, BUMP, 0.13)


@lru_cache(maxsize=1)
def cover() -> Scene:
    """The picture on the home screen: a small board, half painted."""
    board = load({"rows": ["#....", "..##.", ".....", ".#.#.", "S..#."]})
    state = start(board)
    swipes: tuple[Move, ...] = ("U", "R", "U", "R")
    for move in swipes:
        state = apply(board, state, move)
    return scene(board, state, None)


# --- input ------------------------------------------------------------------------------------------------------------


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
    x, y = _centre(board, state.ball)
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
