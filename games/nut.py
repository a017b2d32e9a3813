"""Nut and Bolt: sort coloured nuts, a transfer at a time, until every bolt holds one colour only.

    2 3 .       Each column is a bolt of capacity 3, its bottom in the last line. A transfer takes the nuts of one
    1 1 .       colour that lie on top of a bolt, as many as fit, onto an empty bolt or onto a nut of the same colour.
    1 2 .  ...  Solved when every bolt is empty, or full and of one colour.

A state is the tuple of the bolts' contents, bottom first; a move is (source, destination), bolts counted from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from .base import Game, IllegalMove, Label, Pointer, Scene, read_json
from .nut_board import MAX_COLOURS, Board, canonical, dump, load
from .nut_scene import bolt_at, bolt_foot, bolt_middle, picture

Bolt = tuple[int, ...]
State = tuple[Bolt, ...]
Move = tuple[int, int]


class Picked(NamedTuple):
    """The bolt whose top nuts are lifted; ``held``: the press that picked it goes on."""

    source: int
    held: bool = False


class Refused(NamedTuple):
    """The last transfer that was tried and is not possible."""

    move: Move


UI = Picked | Refused


# --- rules ------------------------------------------------------------------------------------------------------------


def top_run(bolt: Bolt) -> int:
    """How many nuts of one colour lie on top of a bolt."""
    run = 0
    while run < len(bolt) and bolt[-1 - run] == bolt[-1]:
        run += 1
    return run


def fits(capacity: int, source: Bolt, target: Bolt) -> bool:
    """Whether a transfer from one bolt's content to another's is possible."""
    return bool(source) and len(target) < capacity and (not target or target[-1] == source[-1])


def start(board: Board) -> State:
    return board.bolts


def moves(board: Board, state: State) -> Iterable[Move]:
    if solved(board, state):
        return ()
    bolts = range(len(state))
    return tuple((a, b) for a in bolts for b in bolts if a != b and fits(board.capacity, state[a], state[b]))


def apply(board: Board, state: State, move: Move) -> State:
    a, b = _bolts(state, move)
    if solved(board, state):
        raise IllegalMove("the level is solved", where="nut")
    if a == b or not fits(board.capacity, state[a], state[b]):
        raise IllegalMove(f"no nut can go from bolt {a} to bolt {b}", where="nut")
    n = min(top_run(state[a]), board.capacity - len(state[b]))
    after = list(state)
    after[a], after[b] = state[a][:-n], state[b] + state[a][-n:]
    return tuple(after)


def _bolts(state: State, move: Any) -> Move:
    if isinstance(move, tuple) and len(move) == 2 and all(type(n) is int and 0 <= n < len(state) for n in move):
        return move
    raise IllegalMove(f"{move!r} is not a pair of bolts", where="nut")


def solved(board: Board, state: State) -> bool:
    return all(not bolt or (len(bolt) == board.capacity and len(set(bolt)) == 1) for bolt in state)


def progress(board: Board, state: State) -> float:
    """The largest stack of one colour, summed over the colours, as a share of all nuts."""
    largest: dict[int, int] = {}
    for bolt in state:
        for colour, run in groupby(bolt):
            largest[colour] = max(largest.get(colour, 0), len(tuple(run)))
    return sum(largest.values()) / (board.capacity * len(largest))


# --- text -------------------------------------------------------------------------------------------------------------


def write(board: Board, state: State) -> str:
    """The bolts as columns, tops in the first line, ``.`` where no nut is."""
    wide = max(len(str(colour)) for bolt in state for colour in bolt)
    lines = []
    for height in reversed(range(board.capacity)):
        cells = (str(bolt[height]) if height < len(bolt) else "." for bolt in state)
        lines.append(" ".join(cell.rjust(wide) for cell in cells))
    return "\n".join(lines)


# --- looks and input --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _paints(board: Board) -> dict[int, int]:
    """The number of each colour's paint: colours in rising order."""
    return {colour: i for i, colour in enumerate(sorted({c for bolt in board.bolts for c in bolt}))}


def scene(board: Board, state: State, ui: UI | None) -> Scene:
    paints = _paints(board)
    lifted = refused = None
    if isinstance(ui, Picked):
        lifted = (ui.source, top_run(state[ui.source]))
    elif isinstance(ui, Refused):
        refused = ui.move[1]
    return picture(
        board.capacity, tuple(tuple(paints[c] for c in bolt) for bolt in state), lifted=lifted, refused=refused
    )


@lru_cache(maxsize=1)
def cover() -> Scene:
    """The picture on the home screen: three bolts, one of them picked."""
    bolts = [[1, 2, 3, 3], [2, 1, 1, 2], [3, 1, 2, 3], []]
    board = load({"capacity": 4, "bolts": bolts})
    return scene(board, apply(board, start(board), (0, 3)), Picked(1))


def touch(board: Board, state: State, ui: UI | None, event: Pointer) -> tuple[UI | None, Move | None]:
    """A click on a bolt picks it up, a click on another one moves its top nuts there, a click on the same one puts them
    down again; a drag from bolt to bolt does as well. A transfer that is not possible is tried all the same, and marked
    until the next press. What a click means is done when the pointer goes up."""
    if event.kind not in ("down", "up"):
        return ui, None
    bolt = bolt_at(board.capacity, len(state), event.x, event.y)
    if event.kind == "down":
        if isinstance(ui, Picked):
            return Picked(ui.source), None
        return (Picked(bolt, True) if bolt is not None and state[bolt] else None), None
    if not isinstance(ui, Picked):
        return ui, None
    if bolt is None:
        return Picked(ui.source), None
    if bolt == ui.source:
        return (Picked(bolt) if ui.held else None), None
    possible = fits(board.capacity, state[ui.source], state[bolt])
    return (None if possible else Refused((ui.source, bolt))), (ui.source, bolt)


def gesture(board: Board, state: State, move: Move) -> Sequence[Pointer]:
    """A click on the source and a click on the destination."""
    points = [bolt_middle(board.capacity, len(state), bolt) for bolt in move]
    return tuple(event for x, y in points for event in (Pointer("down", x, y), Pointer("up", x, y)))


def labels(board: Board, state: State) -> Iterable[Label]:
    """The bolts' numbers, below them."""
    return [Label(str(bolt), *bolt_foot(board.capacity, len(state), bolt)) for bolt in range(len(state))]


GAME: Game[Board, State, Move, UI] = Game(
    name="nut",
    title={"en": "Nut and Bolt", "zh": "螺母与螺栓"},
    hint={
        "en": "Click a bolt, then another: its top nuts move. One colour to a bolt.",
        "zh": "点击一根螺栓，再点另一根，移动顶端螺母，让每根螺栓只有一种颜色。",
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
    undo=True,
    cover=cover,
)

__all__ = ["GAME", "MAX_COLOURS", "Board", "Move", "Picked", "Refused", "State", "fits", "load", "top_run"]
