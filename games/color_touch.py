"""Color Connect's input: what presses, drags and clicks on the board mean.

    down          on a dot begins its line anew, on the tip of a line takes it up
    move          leads the line on: straight, or round a corner, which ends a straight piece and so is a move
    up            ends a piece; without a drag it is a click on whatever is there

Whatever brings a level to its end does so when the pointer goes up. An input that breaks a rule is a move that
``apply`` refuses: (name of the violation, row, column).
"""

from __future__ import annotations

from typing import NamedTuple

from .base import IllegalMove, Pointer
from .color_board import Board, colours_of_dots
from .color_rules import (
    JUMP,
    NO_LINE,
    NO_START,
    OUTSIDE,
    RELEASED,
    RESTART,
    Move,
    State,
    click,
    joins,
    other_dot,
    owner,
    reach,
    solved,
)
from .color_scene import cell_at, middle


class Held(NamedTuple):
    """A press that goes on. ``at``: where it began, -1 beside the board; ``end``: the cell that the active line is led
    to, not a move yet; ``drawing``: it leads a line; ``fresh``: it began or took up that line; ``left``: the pointer
    has been elsewhere since; ``turned``: a corner has been drawn since."""

    at: int
    end: int
    drawing: bool = False
    fresh: bool = False
    left: bool = False
    turned: bool = False


class Refused(NamedTuple):
    """The cell that the last input could not go to, -1 beside the board."""

    cell: int


UI = Held | Refused


def touch(board: Board, state: State, ui: UI | None, event: Pointer) -> tuple[UI | None, Move | None]:
    after, move, _ = _touch(board, state, ui, event)
    return after, move


def remark(board: Board, state: State, ui: UI | None, event: Pointer) -> str:
    """The violation beside a legal move: a line that stopped before where the pointer was let go, or that was let go
    before its other dot. Empty where there is none."""
    return _touch(board, state, ui, event)[2]


def _touch(board: Board, state: State, ui: UI | None, event: Pointer) -> tuple[UI | None, Move | None, str]:
    if event.kind == "key" or solved(board, state):
        return ui, None, ""
    cell = cell_at(board.height, board.width, event.x, event.y)
    if event.kind == "down":
        return (*_pressed(board, state, cell), "")
    if not isinstance(ui, Held):
        return ui, None, ""
    if cell != ui.at:
        ui = ui._replace(left=True)
    if event.kind == "move":
        return (*_dragged(board, state, ui, cell), "")
    return _released(board, state, ui, cell)


def _pressed(board: Board, state: State, cell: int) -> tuple[Held, Move | None]:
    held = Held(cell, cell)
    if cell < 0 or joins(board, state, cell):
        return held, None
    holder, active = owner(state, cell), state.active
    if cell in colours_of_dots(board):
        if holder == active and state.lines[active] == (cell,):
            return held._replace(drawing=True), None
        return held._replace(drawing=True, fresh=True), divmod(cell, board.width)
    if holder >= 0 and state.lines[holder][-1] == cell:
        if holder == active:
            return held._replace(drawing=True), None
        return held._replace(drawing=True, fresh=True), divmod(cell, board.width)
    return held, None


def _dragged(board: Board, state: State, ui: Held, cell: int) -> tuple[Held, Move | None]:
    if not ui.drawing:
        if ui.left and ui.at >= 0 and joins(board, state, ui.at):
            return ui._replace(drawing=True, fresh=True), (RESTART, *divmod(ui.at, board.width))
        return ui, None
    if state.active < 0:
        return ui, None
    end, corner = _led(board, state, ui.end, cell)
    if corner < 0:
        return ui._replace(end=end), None
    return ui._replace(end=end, turned=True), divmod(corner, board.width)


def _led(board: Board, state: State, end: int, cell: int) -> tuple[int, int]:
    """Where the pointer in ``cell`` leads the active line, that was led to ``end`` before: its new end, and the corner
    that it is to be drawn to at once, -1 for none."""
    line, width = state.lines[state.active], board.width
    tip, goal = line[-1], other_dot(board, state, state.active)
    if end not in line:  # of a line that is begun anew meanwhile
        end = end if reach(board, state, end) == (end, "") else tip
    if cell < 0:
        return end, -1
    if cell == tip:
        return tip, -1
    if _aligned(tip, cell, width):
        return (cell if _straight_back(line, cell, width) else reach(board, state, cell)[0]), -1
    if end == goal:
        return end, -1
    if end != tip and _aligned(end, cell, width):
        further = reach(board, click(board, state, end), cell)[0]
        return further, end if further != end else -1
    if max(abs(end // width - cell // width), abs(end % width - cell % width)) == 1:
        return _round_a_corner(board, state, end, cell)
    return end, -1


def _round_a_corner(board: Board, state: State, end: int, cell: int) -> tuple[int, int]:
    """As ``_led``, where the pointer goes to a cell that touches ``end`` at a corner only."""
    line, width = state.lines[state.active], board.width
    tip, goal = line[-1], other_dot(board, state, state.active)
    beside, above = end // width * width + cell % width, cell // width * width + end % width
    ways = (beside, above) if end == tip or end // width == tip // width else (above, beside)
    for corner in ways:
        if not _aligned(tip, corner, width) or end in line[:-1]:
            if end != tip:  # the piece so far is drawn, and the next one leads to the corner
                further = reach(board, click(board, state, end), corner)[0]
                return further, end if further != end else -1
        elif corner != goal and reach(board, state, corner) == (corner, ""):
            after = click(board, state, corner)
            if reach(board, after, cell) == (cell, ""):
                return cell, corner
    return end, -1


def _released(board: Board, state: State, ui: Held, cell: int) -> tuple[UI | None, Move | None, str]:
    if not ui.drawing:
        if ui.at < 0 or cell < 0:
            return _refusal(board, OUTSIDE, -1)
        return _refusal(board, NO_START, ui.at) if ui.left else _clicked(board, state, cell)
    if cell == ui.at and (not ui.left or (ui.fresh and not ui.turned)):
        alone = not ui.fresh and state.active >= 0 and state.lines[state.active] == (cell,)
        return None, divmod(cell, board.width) if alone else None, ""
    if state.active < 0:
        return None, None, ""
    end, corner = _led(board, state, ui.end, cell)
    if corner >= 0:
        return None, divmod(corner, board.width), ""
    line, goal = state.lines[state.active], other_dot(board, state, state.active)
    if end != line[-1]:
        reason = "" if end == goal or end in line else RELEASED
        if cell != end and end != goal:
            reason = _hindrance(board, click(board, state, end), cell)[0]
        return None, divmod(end, board.width), reason
    if cell == line[-1]:
        return None, None, ""
    return _refusal(board, *_hindrance(board, state, cell))


def _clicked(board: Board, state: State, cell: int) -> tuple[UI | None, Move | None, str]:
    """A click on what is neither a dot nor a tip, or on the dot that it joins."""
    place = divmod(cell, board.width)
    if owner(state, cell) >= 0 or joins(board, state, cell):
        return None, place, ""
    if state.active < 0:
        return _refusal(board, NO_LINE, cell)
    end, reason = reach(board, state, cell)
    if end == state.lines[state.active][-1]:
        return _refusal(board, *_hindrance(board, state, cell))
    return None, divmod(end, board.width), reason


def _hindrance(board: Board, state: State, cell: int) -> tuple[str, int]:
    """What keeps the active line from the cell, and where."""
    if cell < 0:
        return OUTSIDE, -1
    end, reason = reach(board, state, cell)
    if reason in ("", JUMP):
        return JUMP, cell
    cells = max(abs(cell // board.width - end // board.width), abs(cell % board.width - end % board.width))
    return reason, end + (cell - end) // cells


def _refusal(board: Board, name: str, cell: int) -> tuple[UI | None, Move | None, str]:
    place = divmod(cell, board.width) if cell >= 0 else (-1, -1)
    return Refused(cell), (name, *place), ""


def _aligned(a: int, b: int, width: int) -> bool:
    """In one row or one column, but not the same."""
    return a != b and (a // width == b // width or a % width == b % width)


def _straight_back(line: tuple[int, ...], cell: int, width: int) -> bool:
    """Whether the cell lies on the line's last straight piece."""
    if cell not in line:
        return False
    way = abs(line[-1] // width - cell // width) + abs(line[-1] % width - cell % width)
    return len(line) - 1 - line.index(cell) == way


def led(board: Board, state: State, ui: UI | None) -> State:
    """The state as it is to be seen: with the piece that is being drawn."""
    if isinstance(ui, Held) and ui.drawing and state.active >= 0 and ui.end not in (-1, state.lines[state.active][-1]):
        try:
            return click(board, state, ui.end)
        except IllegalMove:
            return state
    return state


def gesture(board: Board, state: State, move: Move) -> tuple[Pointer, ...]:
    """A click; or, to begin a line anew where a click would join it, a short way off the dot and back."""
    cell = move[-2] * board.width + move[-1]
    x, y = middle(board.width, cell)
    if move[0] != RESTART:
        return Pointer("down", x, y), Pointer("up", x, y)
    aside = x + 1 if cell % board.width == 0 else x - 1
    return Pointer("down", x, y), Pointer("move", aside, y), Pointer("move", x, y), Pointer("up", x, y)
