"""Color Connect: join the two dots of every colour by lines that never cross or share a cell.

    A..B    Click a dot, then each corner, then the other dot; or drag from the dot, or from the tip of its line. A line
    .##.    runs straight through open cells and stops before blocked ones, other lines and foreign dots. Whichever way
    B..A    A takes round the blocked cells, B cannot get by: proven unsolvable. A click on a drawn cell cuts its line
            back to there, a click on a dot erases its colour, so nothing can be lost. On a ``cover`` board every open
            cell must be filled.

A move is a click: (row, column), counted from 0, whatever it means there. So a line of n straight pieces takes n + 1
moves. The state holds the lines as cells, each from the dot it was begun at, and which of them is being drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from .base import Game, Scene
from .color_board import Board, blocked_cells, canonical, dump, is_comment, is_heading, load, read
from .color_rules import (
    REFUSALS,
    VIOLATIONS,
    Line,
    Move,
    State,
    apply,
    is_joined,
    moves,
    progress,
    rows_of,
    solved,
    start,
)
from .color_scene import Drawn, picture
from .color_touch import UI, Held, Refused, gesture, led, remark, touch


def write(board: Board, state: State) -> str:
    return "\n".join(rows_of(board, state))


def scene(board: Board, state: State, ui: UI | None) -> Scene:
    seen = led(board, state, ui)
    lines = [Drawn(line, k == seen.active, is_joined(board, seen, k)) for k, line in enumerate(seen.lines)]
    dots = {dot: (k, pair.label) for k, pair in enumerate(board.pairs) for dot in (pair.first, pair.second)}
    to_fill = range(board.cells) if board.cover else ()
    filled = {*dots, *blocked_cells(board), *(cell for line in seen.lines for cell in line)}
    return picture(
        board.height,
        board.width,
        blocked_cells(board),
        dots,
        lines,
        to_fill=[cell for cell in to_fill if cell not in filled],
        refused=ui.cell if isinstance(ui, Refused) else -1,
    )


@lru_cache(maxsize=1)
def cover() -> Scene:
    """The picture on the home screen: a small board, three lines joined and one being drawn."""
    board = load({"rows": ["A...B", ".CD..", ".D.C.", ".E...", "..AEB"], "cover": False})
    state = start(board)
    clicks = ((0, 0), (4, 0), (4, 2), (0, 4), (4, 4), (1, 2), (2, 2), (2, 1), (1, 1), (0, 1), (0, 3))
    for move in clicks:
        state = apply(board, state, move)
    return scene(board, state, None)


def move_text(move: Sequence[Any]) -> str:
    """A click as (row, column), counted from 0."""
    *begun, row, column = move
    return f"{'again from ' if begun else ''}({row}, {column})"


GAME: Game[Board, State, Move, UI] = Game(
    name="color",
    title={"en": "Color Connect", "zh": "彩色连线"},
    hint={
        "en": "Join equal dots: click a dot, each corner, the other dot; or drag. Fill cells that show a ring.",
        "zh": "连接相同的圆点：依次点击圆点、拐角、另一圆点，或直接拖动；带小环的格子都要填满。",
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
    remark=remark,
    refusals=REFUSALS,
    gesture=gesture,
    cover=cover,
    is_heading=is_heading,
    is_comment=is_comment,
    move_text=move_text,
)

__all__ = ["GAME", "VIOLATIONS", "Board", "Held", "Line", "Move", "Refused", "State", "load", "rows_of"]
