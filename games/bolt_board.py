"""Bolt Unscrew's boards: their JSON, and the form in which boards that are the same puzzle are equal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .base import InvalidBoard
from .bolt_geometry import ON, Plank, Point, Relations, is_nearer, relations

SIDES = (2, 32)
MAX_HOLES = 64  # a set of holes is one machine word
MAX_PLANKS = 32

SHAPE = (
    '{"size": [columns, rows], "holes": [[x, y], ...], "screws": [hole, ...], '
    '"boards": [{"a": [x, y], "b": [x, y], "holes": [hole, ...]}, ...]}'
)


@dataclass(frozen=True, slots=True)
class Board:
    """``size``: columns and rows of the lattice; ``holes``: their points; ``screws``: the holes that hold one at the
    start; ``planks``: the wooden boards, lowest layer first."""

    size: tuple[int, int]
    holes: tuple[Point, ...]
    screws: tuple[int, ...]
    planks: tuple[Plank, ...]
    relations: Relations = field(compare=False, repr=False)


def load(value: Any) -> Board:
    """A board from its JSON (``SHAPE``). Raises InvalidBoard.

    Every hole of a plank lies on it (0.22 from its segment at most); every screw stands in a hole that some plank
    shares; every plank has two holes or more and holds a screw.
    """
    if isinstance(value, str):
        shown = value.strip().splitlines()[0][:40] if value.strip() else ""
        raise _bad(f"{shown!r} is not a board; there is no text notation", fix=f'write {{"board": {SHAPE}}}')
    if not isinstance(value, dict) or set(value) != {"size", "holes", "screws", "boards"}:
        raise _bad(f"a bolt board is {SHAPE} and nothing else")
    size = _size(value["size"])
    holes = _holes(value["holes"], size)
    screws = _indices(value["screws"], len(holes), "screw")
    if not isinstance(value["boards"], list) or not 1 <= len(value["boards"]) <= MAX_PLANKS:
        raise _bad(f'"boards" must be a list of 1 to {MAX_PLANKS} boards, the lowest layer first')
    planks = tuple(_plank(number, plank, size, holes) for number, plank in enumerate(value["boards"]))
    shared = {hole for plank in planks for hole in plank.holes}
    for hole in screws:
        if hole not in shared:
            raise _bad(
                f"the screw in hole {hole} at {_at(holes[hole])} holds nothing, for no board shares that hole",
                fix="list the hole in a board, or take the screw away",
            )
    for number, plank in enumerate(planks):
        if not set(plank.holes) & set(screws):
            raise _bad(f"no screw holds board {number}", fix="put a screw into one of its holes")
    return Board(size, holes, screws, planks, relations(holes, planks))


def _bad(what: str, *, fix: str = "") -> InvalidBoard:
    return InvalidBoard(what, where="bolt", fix=fix)


def _at(point: Point) -> str:
    return f"({point[0]}, {point[1]})"


def _size(value: Any) -> tuple[int, int]:
    low, high = SIDES
    if not _is_pair(value) or not all(low <= n <= high for n in value):
        raise _bad(f"the size is {value!r}", fix=f"write [columns, rows], integers from {low} to {high}")
    return value[0], value[1]


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)


def _point(value: Any, size: tuple[int, int], what: str) -> Point:
    if not _is_pair(value):
        raise _bad(f"{what} is {value!r}", fix="write a point [x, y] of integers")
    x, y = value
    if not (0 <= x < size[0] and 0 <= y < size[1]):
        raise _bad(
            f"{what} at {_at((x, y))} is off the frame",
            fix=f"x goes from 0 to {size[0] - 1}, y from 0 to {size[1] - 1}",
        )
    return x, y


def _holes(value: Any, size: tuple[int, int]) -> tuple[Point, ...]:
    if not isinstance(value, list) or not 2 <= len(value) <= MAX_HOLES:
        raise _bad(f'"holes" must be a list of 2 to {MAX_HOLES} points [x, y]')
    holes = [_point(point, size, f"hole {i}") for i, point in enumerate(value)]
    for i, point in enumerate(holes):
        if point in holes[:i]:
            raise _bad(
                f"holes {holes.index(point)} and {i} are both at {_at(point)}", fix="give each hole its own place"
            )
    return tuple(holes)


def _indices(value: Any, count: int, what: str) -> tuple[int, ...]:
    """``value`` as indices of holes, none twice."""
    if not isinstance(value, list) or not value:
        raise _bad(f'"{what}s" must be a non-empty list of hole numbers')
    for i, hole in enumerate(value):
        if type(hole) is not int or not 0 <= hole < count:
            raise _bad(
                f"{what} {i} is in hole {hole!r}, which is not there", fix=f"holes are numbered from 0 to {count - 1}"
            )
        if hole in value[:i]:
            raise _bad(f"two {what}s are in hole {hole}", fix="name each hole once")
    return tuple(value)


def _plank(number: int, value: Any, size: tuple[int, int], holes: tuple[Point, ...]) -> Plank:
    name = f"board {number}"
    if not isinstance(value, dict) or set(value) != {"a", "b", "holes"}:
        raise _bad(f'{name} must be {{"a": [x, y], "b": [x, y], "holes": [hole, ...]}} and nothing else')
    a, b = (_point(value[end], size, f"end {end} of {name}") for end in ("a", "b"))
    if a == b:
        raise _bad(f"both ends of {name} are at {_at(a)}", fix="give it two ends")
    own = value["holes"]
    if not isinstance(own, list) or len(own) < 2:
        raise _bad(f"{name} has fewer than two holes", fix='list two or more under "holes"')
    for i, hole in enumerate(own):
        if type(hole) is not int or not 0 <= hole < len(holes):
            raise _bad(
                f"{name} names hole {hole!r}, which is not there", fix=f"holes are numbered from 0 to {len(holes) - 1}"
            )
        if hole in own[:i]:
            raise _bad(f"{name} names hole {hole} twice", fix="name each hole once")
        if not is_nearer(holes[hole], a, b, ON):
            raise _bad(
                f"hole {hole} at {_at(holes[hole])} is not on {name} from {_at(a)} to {_at(b)}",
                fix="move the hole or the board, or drop it from the board's holes",
            )
    return Plank(a, b, tuple(own))


def dump(board: Board) -> dict[str, Any]:
    return {
        "size": list(board.size),
        "holes": [list(point) for point in board.holes],
        "screws": list(board.screws),
        "boards": [{"a": list(p.a), "b": list(p.b), "holes": list(p.holes)} for p in board.planks],
    }


# --- symmetry ---------------------------------------------------------------------------------------------------------

Signature = tuple[Any, ...]


def canonical(board: Board) -> tuple[Any, ...]:
    """What decides how the board plays: which holes hold a screw, and which planks own, cover or would fall past them.
    Places, left and right, the order of holes and of layers do not matter, so mirror images and boards that are only
    moved or drawn otherwise are equal.

    Found by refinement: holes and planks are told apart by what they have to do with, until that tells no more apart
    (B. Weisfeiler, A. Leman, 1968). Two boards that it cannot tell apart may still differ; that loses a board, never
    lets one through.
    """
    found = board.relations
    hole_rank = [int(hole in board.screws) for hole in range(len(board.holes))]
    plank_rank = [0] * len(board.planks)
    record: list[Signature] = [(len(plank_rank), tuple(sorted(hole_rank)))]
    while True:
        hole_rank, holes = _refined(hole_rank, plank_rank, (found.owners, found.coverers, found.above))
        plank_rank, planks = _refined(plank_rank, hole_rank, (found.own, found.cover, found.lane))
        kinds = len(set(holes)) + len(set(planks))
        record.append((holes, planks))
        if len(record) > 2 and kinds == len(set(record[-2][0])) + len(set(record[-2][1])):
            return tuple(record)


def _refined(rank: list[int], other: list[int], sets: tuple[tuple[int, ...], ...]) -> tuple[list[int], Signature]:
    """New ranks by the old rank and the ranks of the others in each set; and all signatures, sorted."""
    signatures = [
        (old, *(tuple(sorted(r for k, r in enumerate(other) if members[i] >> k & 1)) for members in sets))
        for i, old in enumerate(rank)
    ]
    order = {signature: place for place, signature in enumerate(sorted(set(signatures)))}
    return [order[signature] for signature in signatures], tuple(sorted(signatures))
