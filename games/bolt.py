"""Bolt Unscrew: move screws to free holes until every wooden board has come off the frame.

    .   .   .      Free holes at the top. Boards lie one above the other; a screw holds every board that shares its
    O===O---O      hole. A move takes a screw that no board lies on to an empty hole that no board covers. A board that
    |   .          no screw holds falls straight down, unless a screw stands below it (here one does); then it hangs
    O   O          there and goes on covering what it covers. Solved when no board is left.

A state is two bit sets: the holes with a screw, and the planks (as boards of wood are called here) that are left. A
move is (from hole, to hole).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .base import Game, IllegalMove, Label, Pointer, Scene
from .bolt_board import Board, canonical, dump, load
from .bolt_drawing import drawing
from .bolt_scene import Drawn, picture, to_lattice, to_picture

Move = tuple[int, int]
NAMES = "abcdefghijklmnpqrstuvwyzABCDEFGH"  # of planks in text: no letter that stands for a hole
REACH = 0.45  # how far from its middle a hole or screw is still meant, in lattice units


class State(NamedTuple):
    """Bit sets: ``screws`` of holes, ``planks`` of planks that are left."""

    screws: int
    planks: int


class Picked(NamedTuple):
    """The screw that is lifted out of ``hole``; ``held``: the press that picked it goes on."""

    hole: int
    held: bool = False


class Refused(NamedTuple):
    """The last move that was tried and is not possible."""

    move: Move


UI = Picked | Refused


def members(bits: int) -> Iterator[int]:
    """The members of a bit set, in rising order."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


# --- rules ------------------------------------------------------------------------------------------------------------


def is_touchable(board: Board, state: State, hole: int) -> bool:
    """Whether no plank lies on the hole without having it too."""
    found = board.relations
    return not found.coverers[hole] & ~found.owners[hole] & state.planks


def is_admissible(board: Board, state: State, hole: int) -> bool:
    """Whether a screw may go there: the hole is empty, and no plank covers it, not even one that shares it."""
    return not (state.screws >> hole & 1 or board.relations.coverers[hole] & state.planks)


def is_released(board: Board, state: State, plank: int) -> bool:
    """Whether no screw holds the plank any more."""
    return not board.relations.own[plank] & state.screws


def start(board: Board) -> State:
    return State(sum(1 << hole for hole in board.screws), (1 << len(board.planks)) - 1)


def moves(board: Board, state: State) -> Iterable[Move]:
    """Screws that hold a plank come first, then parked ones; each in the order of holes."""
    if not state.planks:
        return ()
    screws = [hole for hole in members(state.screws) if is_touchable(board, state, hole)]
    screws.sort(key=lambda hole: not board.relations.owners[hole] & state.planks)
    targets = [hole for hole in range(len(board.holes)) if is_admissible(board, state, hole)]
    return tuple((hole, target) for hole in screws for target in targets)


def apply(board: Board, state: State, move: Move) -> State:
    source, target = _holes(board, move)
    if not state.planks:
        raise IllegalMove("the level is solved", where="bolt")
    if not state.screws >> source & 1:
        raise IllegalMove(f"there is no screw in hole {source}", where="bolt")
    if not is_touchable(board, state, source):
        raise IllegalMove(f"a board lies on the screw in hole {source}", where="bolt")
    if state.screws >> target & 1:
        raise IllegalMove(f"hole {target} holds a screw already", where="bolt")
    if not is_admissible(board, state, target):
        raise IllegalMove(f"a board still covers hole {target}", where="bolt")
    screws = state.screws ^ 1 << source ^ 1 << target
    return State(screws, _staying(board, screws, state.planks))


def _holes(board: Board, move: Any) -> Move:
    if isinstance(move, tuple) and len(move) == 2 and all(type(n) is int and 0 <= n < len(board.holes) for n in move):
        return move
    raise IllegalMove(f"{move!r} is not a pair of holes", where="bolt")


def _staying(board: Board, screws: int, planks: int) -> int:
    """The planks that a screw holds or stops. The others leave all at once: none of them stops another."""
    own, lane, stay = board.relations.own, board.relations.lane, 0
    for plank in members(planks):
        if (own[plank] | lane[plank]) & screws:
            stay |= 1 << plank
    return stay


def solved(board: Board, state: State) -> bool:
    return not state.planks


def progress(board: Board, state: State) -> float:
    """The share of planks that have left; those that hang loose count half."""
    loose = sum(is_released(board, state, plank) for plank in members(state.planks))
    return (len(board.planks) - state.planks.bit_count() + loose / 2) / len(board.planks)


# --- text -------------------------------------------------------------------------------------------------------------


def read(text: str) -> Any:
    """Board JSON from its compact text: there is no other notation. Other text comes back as it is, for ``load`` to
    refuse."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def write(board: Board, state: State) -> str:
    """The frame in characters (see ``bolt_drawing``), then the holes of each plank that is left."""
    signs = {}
    for hole, point in enumerate(board.holes):
        if is_visible(board, state, hole):
            signs[point] = (
                ("O" if is_touchable(board, state, hole) else "0")
                if state.screws >> hole & 1
                else ("o" if is_admissible(board, state, hole) else "x")
            )
    left = list(members(state.planks))
    lines = drawing(board.size, [(NAMES[k], board.planks[k].a, board.planks[k].b) for k in left], signs)
    for plank in left:
        screws = [
            f"({board.holes[hole][0]},{board.holes[hole][1]})"
            for hole in members(board.relations.own[plank] & state.screws)
        ]
        lines.append(f"{NAMES[plank]}: {'screws at ' + ' '.join(screws) if screws else 'loose'}")
    return "\n".join(lines)


# --- looks and input --------------------------------------------------------------------------------------------------


def _drawn(board: Board, state: State) -> Iterator[Drawn]:
    for plank in members(state.planks):
        a, b, holes = board.planks[plank]
        yield Drawn(plank, a, b, tuple(board.holes[hole] for hole in holes), is_released(board, state, plank))


def _level(board: Board, state: State, hole: int) -> int:
    """The highest plank that is left and shares the hole, or -1: what is in the hole is seen on top of that one."""
    return (board.relations.owners[hole] & state.planks).bit_length() - 1


def is_visible(board: Board, state: State, hole: int) -> bool:
    """Whether no plank lies above what is in the hole."""
    return (board.relations.coverers[hole] & state.planks).bit_length() - 1 == _level(board, state, hole)


def scene(board: Board, state: State, ui: UI | None) -> Scene:
    lifted = ui.hole if isinstance(ui, Picked) else None
    refused = board.holes[ui.move[1]] if isinstance(ui, Refused) else None
    return picture(
        board.size,
        tuple(_drawn(board, state)),
        holes=board.holes,
        screws=tuple((board.holes[hole], _level(board, state, hole), hole == lifted) for hole in members(state.screws)),
        refused=refused,
    )


@lru_cache(maxsize=1)
def cover() -> Scene:
    """The picture on the home screen: a small frame, one screw picked."""
    holes = [[0, 0], [2, 0], [5, 0], [7, 0], [0, 2], [3, 2], [4, 1], [7, 4], [0, 4], [5, 4], [6, 3]]
    planks = [
        ([0, 4], [5, 4], [8, 9]),
        ([0, 2], [3, 2], [4, 5]),
        ([3, 2], [5, 4], [5, 9]),
        ([4, 1], [7, 4], [6, 7, 10]),
    ]
    boards = [{"a": a, "b": b, "holes": own} for a, b, own in planks]
    board = load({"size": [8, 5], "holes": holes, "screws": [4, 5, 6, 7, 8, 9, 10], "boards": boards})
    return scene(board, apply(board, start(board), (10, 2)), Picked(4))


def touch(board: Board, state: State, ui: UI | None, event: Pointer) -> tuple[UI | None, Move | None]:
    """A click on a screw picks it, a click on a hole takes the picked screw there, a click on another screw picks that
    one instead, and a click on the picked screw, or on no hole at all, puts it down; a drag from screw to hole does as
    well. What is not possible is tried all the same, and marked until the next press. It is done when the pointer goes
    up."""
    if event.kind not in ("down", "up"):
        return ui, None
    hole = _hole_at(board, state, event)
    if event.kind == "down":
        if isinstance(ui, Picked):
            return Picked(ui.hole), None
        if hole is None or not state.screws >> hole & 1:
            return None, None
        return Picked(hole, True), None
    if not isinstance(ui, Picked):
        return ui, None
    if ui.held and hole == ui.hole:
        if is_touchable(board, state, hole):
            return Picked(hole), None
        return Refused((hole, hole)), (hole, hole)
    if hole is None or hole == ui.hole:
        return None, None
    if state.screws >> hole & 1 and is_touchable(board, state, hole) and not ui.held:
        return Picked(hole), None
    move = (ui.hole, hole)
    possible = is_admissible(board, state, hole) and is_touchable(board, state, ui.hole)
    return (None if possible else Refused(move)), move


def _hole_at(board: Board, state: State, event: Pointer) -> int | None:
    """The hole under the pointer, of those that can be seen."""
    x, y = to_lattice(event.x, event.y)
    for hole, (hx, hy) in enumerate(board.holes):
        if (x - hx) ** 2 + (y - hy) ** 2 < REACH**2:
            return hole if is_visible(board, state, hole) else None
    return None


def gesture(board: Board, state: State, move: Move) -> Sequence[Pointer]:
    """A click on the screw and a click on the hole."""
    points = [to_picture(board.holes[hole]) for hole in move]
    return tuple(Pointer(kind, x, y) for x, y in points for kind in ("down", "up"))


def labels(board: Board, state: State) -> Iterable[Label]:
    """The holes' numbers, beside them: to the upper right, where neither a screw nor the hole is hidden."""
    spots = [to_picture(hole) for hole in board.holes]
    return [Label(str(hole), x + 0.3, y - 0.3) for hole, (x, y) in enumerate(spots)]


GAME: Game[Board, State, Move, UI] = Game(
    name="bolt",
    title={"en": "Bolt Unscrew", "zh": "螺丝拆板"},
    hint={
        "en": "Move screws to free holes. A board without screws falls, unless a screw stands below it.",
        "zh": "点击螺丝，再点击空孔。没有螺丝的木板会掉落，除非下方有螺丝挡住。",
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
)
