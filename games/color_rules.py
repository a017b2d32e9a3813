"""Color Connect's rules: what a click on a cell means, which clicks are legal, when a board is solved.

Cells are row * width + column. A line is the tuple of its cells from the dot that it was begun at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .base import IllegalMove
from .color_board import Board, blocked_cells, colours_of_dots

UNFINISHED = 0.99  # the most progress that a board with cells left to fill can show
RESTART = "restart"

# the violations, as an evaluator reads them
NO_START = "start from a non-endpoint"
BLOCKED_CELL = "entered blocked cell"
FOREIGN_DOT = "entered foreign dot"
OVERLAP = "overlap"
SELF_CROSSING = "self-crossing"
JUMP = "non-adjacent jump"
RELEASED = "released before connection"
OUTSIDE = "outside the board"
NO_LINE = "input without an active line"
VIOLATIONS = (NO_START, BLOCKED_CELL, FOREIGN_DOT, OVERLAP, SELF_CROSSING, JUMP, RELEASED, OUTSIDE, NO_LINE)
# and as a player does
REFUSALS: Mapping[str, Mapping[str, str]] = {
    NO_START: {"en": "Begin at a dot, or at the end of a line.", "zh": "请先点圆点或线的一端。"},
    BLOCKED_CELL: {"en": "That cell is blocked.", "zh": "此格不通，线不能进。"},
    FOREIGN_DOT: {"en": "A dot of another colour is in the way.", "zh": "前面有另一种颜色的圆点。"},
    OVERLAP: {"en": "Another line is in the way.", "zh": "前面有另一根线。"},
    SELF_CROSSING: {"en": "A line cannot cross itself.", "zh": "不能连到同一根线。"},
    JUMP: {"en": "A line goes straight: no jumps.", "zh": "线只能直走。"},
    RELEASED: {"en": "Let go before the other dot.", "zh": "线未连到另一圆点。"},
    OUTSIDE: {"en": "That is beside the board.", "zh": "没有点到格子。"},
    NO_LINE: {"en": "Click a dot first.", "zh": "请先点一个圆点。"},
}

Line = tuple[int, ...]
Move = tuple[int, int] | tuple[str, int, int]  # a click; or a line begun anew at a dot that a click would join


class State(NamedTuple):
    """``lines``: by pair, empty where none is drawn; ``active``: the pair whose line a click extends, -1 for none."""

    lines: tuple[Line, ...]
    active: int


def start(board: Board) -> State:
    return State(((),) * len(board.pairs), -1)


def is_joined(board: Board, state: State, colour: int) -> bool:
    line, pair = state.lines[colour], board.pairs[colour]
    return len(line) > 1 and line[-1] in (pair.first, pair.second)


def other_dot(board: Board, state: State, colour: int) -> int:
    """The dot that the line has to reach."""
    pair = board.pairs[colour]
    return pair.second if state.lines[colour][0] == pair.first else pair.first


def owner(state: State, cell: int) -> int:
    """The pair whose line is in the cell, -1 for none."""
    return next((k for k, line in enumerate(state.lines) if cell in line), -1)


def obstacle(board: Board, state: State, cell: int) -> str:
    """By what rule the active line may not enter the cell; empty where it may."""
    colour = colours_of_dots(board).get(cell)
    if cell in blocked_cells(board):
        return BLOCKED_CELL
    holder = owner(state, cell)
    if holder == state.active:
        return SELF_CROSSING
    if colour is not None and colour != state.active:
        return FOREIGN_DOT
    return OVERLAP if holder >= 0 else ""


def reach(board: Board, state: State, target: int) -> tuple[int, str]:
    """The last cell that the active line gets to on the straight way to ``target``, and what kept it from going on:
    empty where it arrives, or ends at its own dot before."""
    tip = state.lines[state.active][-1]
    row, column = divmod(tip, board.width)
    to_row, to_column = divmod(target, board.width)
    if (row == to_row) == (column == to_column):
        return tip, JUMP
    step = (board.width if to_row > row else -board.width) if column == to_column else (1 if to_column > column else -1)
    goal, at = other_dot(board, state, state.active), tip
    while at not in (target, goal):
        reason = obstacle(board, state, at + step)
        if reason:
            return at, reason
        at += step
    return at, ""


def joins(board: Board, state: State, cell: int) -> bool:
    """Whether a click on the cell brings the active line to its other dot."""
    return (
        state.active >= 0 and cell == other_dot(board, state, state.active) and reach(board, state, cell) == (cell, "")
    )


def click(board: Board, state: State, cell: int) -> State:
    """Raises IllegalMove, with the name of the violation if it is one."""
    if solved(board, state):
        raise IllegalMove("the level is solved", where="color")
    active, holder = state.active, owner(state, cell)
    colour = colours_of_dots(board).get(cell)
    if joins(board, state, cell):
        return _extended(board, state, cell)
    if colour is not None:
        if colour == active and state.lines[colour] == (cell,):
            return _with(state, colour, (), -1)
        return _with(state, colour, (cell,), colour)
    if holder >= 0:
        line = state.lines[holder]
        if line[-1] == cell and holder == active:
            raise IllegalMove("the tip of the line is there already", where="color")
        return _with(state, holder, line[: line.index(cell) + 1], holder)
    if active < 0:
        raise IllegalMove(violation(board, NO_LINE, cell), where="color")
    _, reason = reach(board, state, cell)
    if reason:
        raise IllegalMove(violation(board, reason, cell), where="color")
    return _extended(board, state, cell)


def violation(board: Board, name: str, cell: int) -> str:
    """The violation's name and where it happened; ``cell`` is -1 where that is not on the board."""
    if cell < 0:
        return name
    return f"{name}: row {cell // board.width + 1}, column {cell % board.width + 1}"


def _extended(board: Board, state: State, target: int) -> State:
    """``target`` can be reached. A line that joins its dots is not active any more."""
    end, _ = reach(board, state, target)
    line = state.lines[state.active]
    if end != target:
        raise IllegalMove("the line ends at its own dot before", where="color")
    step = abs(end - line[-1])
    step = board.width if step % board.width == 0 else 1
    step = step if end > line[-1] else -step
    joined = end == other_dot(board, state, state.active)
    line += tuple(range(line[-1] + step, end + step, step))
    return _with(state, state.active, line, -1 if joined else state.active)


def _with(state: State, colour: int, line: Line, active: int) -> State:
    """A line of one cell that is not active any more is none."""
    lines = list(state.lines)
    lines[colour] = line
    if state.active not in (active, -1) and len(lines[state.active]) == 1:
        lines[state.active] = ()
    return State(tuple(lines), active)


def restart(board: Board, state: State, cell: int) -> State:
    """Begins the active line anew at its other dot, where a click would join the two. Raises IllegalMove."""
    if not joins(board, state, cell):
        raise IllegalMove("a click begins a line there", where="color")
    return _with(state, state.active, (cell,), state.active)


def apply(board: Board, state: State, move: Move) -> State:
    name, cell = _read_move(board, move)
    if name == RESTART:
        return restart(board, state, cell)
    if name:
        raise IllegalMove(violation(board, name, cell), where="color")
    return click(board, state, cell)


def _read_move(board: Board, move: Any) -> tuple[str, int]:
    """The name of what is no click (RESTART, or a violation), and the cell. Raises IllegalMove."""
    if isinstance(move, tuple) and move and all(type(n) is int for n in move[-2:]):
        name, place = ("", move) if len(move) == 2 else (move[0], move[1:])
        if name in ("", RESTART, *VIOLATIONS) and len(place) == 2:
            row, column = place
            if 0 <= row < board.height and 0 <= column < board.width:
                return name, row * board.width + column
            if name:
                return name, -1
            raise IllegalMove(OUTSIDE, where="color")
    raise IllegalMove(f"{move!r} is no move of this board", where="color", fix="write (row, column), counted from 0")


def moves(board: Board, state: State) -> Iterator[Move]:
    """Where the active line can go, nearest to its other dot first; dots without a line; the tips of lines that are not
    active; dots with a line; drawn cells to cut back to; the other dot to begin anew."""
    if solved(board, state):
        return
    for cell in _clicks(board, state):
        yield divmod(cell, board.width)
    if state.active >= 0 and joins(board, state, other_dot(board, state, state.active)):
        yield (RESTART, *divmod(other_dot(board, state, state.active), board.width))


def _clicks(board: Board, state: State) -> Iterator[int]:
    ahead: set[int] = set()
    if state.active >= 0:
        goal = other_dot(board, state, state.active)
        ahead = set(_ahead(board, state))
        yield from sorted(ahead, key=lambda cell: (_distance(board, cell, goal), cell))
    dots = [dot for dot in sorted(colours_of_dots(board)) if dot not in ahead]
    drawn = {cell for line in state.lines for cell in line}
    yield from (dot for dot in dots if dot not in drawn)
    tips = [
        line[-1]
        for k, line in enumerate(state.lines)
        if len(line) > 1 and k != state.active and not is_joined(board, state, k)
    ]
    yield from sorted(tips)
    yield from (dot for dot in dots if dot in drawn)
    inner = drawn - colours_of_dots(board).keys() - set(tips)
    if state.active >= 0:
        inner.discard(state.lines[state.active][-1])
    yield from sorted(inner)


def _ahead(board: Board, state: State) -> Iterator[int]:
    """The cells that the active line can be drawn to."""
    tip = state.lines[state.active][-1]
    row, column = divmod(tip, board.width)
    for edge, step in (
        (column, -board.width),
        (row * board.width, -1),
        (row * board.width + board.width - 1, 1),
        ((board.height - 1) * board.width + column, board.width),
    ):
        end = tip if edge == tip else reach(board, state, edge)[0]
        yield from range(tip + step, end + step, step) if end != tip else ()


def _distance(board: Board, a: int, b: int) -> int:
    (r, c), (y, x) = divmod(a, board.width), divmod(b, board.width)
    return abs(r - y) + abs(c - x)


def solved(board: Board, state: State) -> bool:
    if state.active >= 0 or not all(is_joined(board, state, k) for k in range(len(board.pairs))):
        return False
    return not board.cover or sum(map(len, state.lines)) == board.cells - len(blocked_cells(board))


def progress(board: Board, state: State) -> float:
    """The share of joined pairs; at most 0.99 while cells are left to fill."""
    if solved(board, state):
        return 1.0
    pairs = len(board.pairs)
    return min(UNFINISHED, sum(is_joined(board, state, k) for k in range(pairs)) / pairs)


def rows_of(board: Board, state: State) -> list[str]:
    """The rows with the cells of each line under its letter."""
    cells = list("".join(board.rows))
    for pair, line in zip(board.pairs, state.lines, strict=True):
        for cell in line:
            cells[cell] = pair.label
    return ["".join(cells[i : i + board.width]) for i in range(0, len(cells), board.width)]
