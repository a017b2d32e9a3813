"""Lamps: put out a row of lamps; a press switches a lamp and those beside it.

    oo.o      o is lit, . is out. A press on the first lamp, number 0, leaves ...o, one on the last then ..o. The row is
              solved when all are out. A second press takes the first one back, so nothing can be lost.

A state is a text like a board; a move is the number of a lamp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import Circle, Game, IllegalMove, InvalidBoard, Pointer, Rect, Scene

LEAST, MOST = 2, 14
Board = str
State = str


def load(value: Any) -> Board:
    """A board from ``{"lamps": "oo.o"}``. Raises InvalidBoard."""
    lamps = value.get("lamps") if isinstance(value, dict) and set(value) == {"lamps"} else None
    if not isinstance(lamps, str) or not set(lamps) <= set("o.") or not LEAST <= len(lamps) <= MOST:
        fix = f'write {{"lamps": "oo.o"}} with {LEAST} to {MOST} lamps, o lit and . out'
        raise InvalidBoard(f"{value!r} is no row of lamps", where="lamps", fix=fix)
    if "o" not in lamps:
        raise InvalidBoard("all lamps are out already", where="lamps", fix="light one")
    return lamps


def is_one_board(line: str) -> bool:
    return set(line) <= set("o.")


def apply(board: Board, state: State, move: int) -> State:
    if type(move) is not int or not 0 <= move < len(board) or solved(board, state):
        raise IllegalMove(f"{move!r} is no lamp to press here", where="lamps")
    return "".join(
        ("." if lamp == "o" else "o") if abs(place - move) <= 1 else lamp for place, lamp in enumerate(state)
    )


def moves(board: Board, state: State) -> Sequence[int]:
    return () if solved(board, state) else range(len(board))


def solved(board: Board, state: State) -> bool:
    return "o" not in state


def scene(board: Board, state: State, pressed: int | None) -> Scene:
    row = Rect(0.0, 0.0, len(board), 1.0, "#3a3f5c", 0.3, shadow=0.2)
    lamps = []
    for place, lamp in enumerate(state):
        light, rim = ("#fff3b0", "#ffb703") if lamp == "o" else ("#565c80", "#23263a")
        lamps.append(Circle(place + 0.5, 0.5, 0.32 if place == pressed else 0.38, light, fill2=rim))
    return Scene(len(board), 1.0, (row, *lamps))


def touch(board: Board, state: State, pressed: int | None, event: Pointer) -> tuple[int | None, int | None]:
    """A click on a lamp presses it, when the pointer goes up: a win must never come while it is still down."""
    lamp = int(event.x) if 0 <= event.x < len(board) and 0 <= event.y < 1 else None
    if event.kind == "down":
        return lamp, None
    if event.kind == "up":
        return None, lamp if lamp == pressed else None
    return pressed, None


def gesture(board: Board, state: State, move: int) -> Sequence[Pointer]:
    return Pointer("down", move + 0.5, 0.5), Pointer("up", move + 0.5, 0.5)


GAME: Game[Board, State, int, int] = Game(
    name="lamps",
    title={"en": "Lamps", "zh": "灯"},
    hint={"en": "Click a lamp: it and its neighbours switch. Put all of them out.", "zh": "点击一盏灯。"},
    rules_version=1,
    read=lambda text: {"lamps": text.strip()},
    write=lambda board, state: state,
    board=load,
    dump=lambda board: {"lamps": board},
    start=lambda board: board,
    moves=moves,
    apply=apply,
    solved=solved,
    progress=lambda board, state: state.count(".") / len(state),
    canonical=lambda board: min(board, board[::-1]),
    scene=scene,
    touch=touch,
    gesture=gesture,
    is_one_board=is_one_board,
)
