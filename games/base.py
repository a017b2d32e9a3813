"""What a game is: one record of functions, and the plain data that travels between them.

A game file defines an immutable board, small hashable states and moves, and ends with ``GAME = Game(name=..., ...)``.
Nothing here or in a game file knows of generators, verifiers, files, pixels or agents.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar

B = TypeVar("B")
S = TypeVar("S")
M = TypeVar("M")
U = TypeVar("U")


LONGEST_MESSAGE = 600  # characters


# --- errors ---------------------------------------------------------------------------------------------------------


class LpbError(Exception):
    """An error that a user can act on: what is wrong, where, and what to do about it.

    The command line prints it as one line and exits with ``exit_code``.
    """

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        what = what if len(what) <= LONGEST_MESSAGE else f"{what[: LONGEST_MESSAGE - 1]}…"  # it may quote what was read
        super().__init__(what, where, fix)  # all three, so that the error survives pickling to and from a worker
        self.what, self.where, self.fix = what, where, fix

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}; {self.fix}" if self.fix else head

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_error, (type(self), self.what, self.where, self.fix, self.__dict__)


def _rebuild_error(kind: type[LpbError], what: str, where: str, fix: str, state: dict[str, Any]) -> LpbError:
    error = kind.__new__(kind)
    LpbError.__init__(error, what, where=where, fix=fix)
    error.__dict__.update(state)
    return error


class InvalidBoard(LpbError):
    """The board is not one of the game's; the message says why."""


class IllegalMove(LpbError):
    """The rules do not allow this move in this state."""


class Unsolvable(LpbError):
    """The board is proven to have no solution; ``what`` says by which argument."""


class Unproven(LpbError):
    """Neither solved nor refuted within the deterministic limit that ``what`` names."""


# --- scenes: draw commands as data ------------------------------------------------------------------------------------
# Coordinates are board units inside a game and viewport pixels in the suite, y downwards. Colours are "#rrggbb" or
# "#rrggbbaa". A later item covers an earlier one.


@dataclass(frozen=True, slots=True)
class Rect:
    """An axis-parallel rectangle; ``radius`` rounds its corners, ``fill2`` makes a vertical gradient to the bottom."""

    x: float
    y: float
    w: float
    h: float
    fill: str | None = None
    radius: float = 0.0
    stroke: str | None = None
    stroke_width: float = 0.0
    fill2: str | None = None
    shadow: float = 0.0  # blur radius of a soft shadow below the shape; 0 = none


@dataclass(frozen=True, slots=True)
class Circle:
    """A disc round (x, y); with ``fill2`` shaded from the upper left (``fill``) to the rim (``fill2``)."""

    x: float
    y: float
    r: float
    fill: str | None = None
    stroke: str | None = None
    stroke_width: float = 0.0
    fill2: str | None = None
    shadow: float = 0.0


@dataclass(frozen=True, slots=True)
class Path:
    """A polyline or, when ``closed``, a polygon through ``points``; joints and ends are round."""

    points: tuple[tuple[float, float], ...]
    fill: str | None = None
    stroke: str | None = None
    stroke_width: float = 0.0
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; ``anchor`` says which point of the baseline (x, y) is; ``size`` is the em size."""

    x: float
    y: float
    text: str
    size: float
    fill: str = "#000000"
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False
    fit: float = 0.0  # the width that the text shrinks to where it is longer; 0 = any


class Label(NamedTuple):
    """What moves call something of a board, and the point in board units where that stands in a state."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Region:
    """The area inside closed polygons (even-odd, so a polygon inside another is a hole); ``radius`` rounds its corners.

    With ``depth`` it lies that far below its surroundings: its upper edges show a face of that height, filled with
    ``side``, and ``inset`` is the blur radius of the shade along its edges. Without ``fill`` only face and shade show.
    """

    contours: tuple[tuple[tuple[float, float], ...], ...]
    fill: str | None = None
    radius: float = 0.0
    depth: float = 0.0
    side: str | None = None
    inset: float = 0.0


Shape = Rect | Circle | Path | Text | Region


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture of ``width`` by ``height`` units."""

    width: float
    height: float
    items: tuple[Shape, ...]


def placed(items: Iterable[Shape], x: float, y: float, scale: float) -> Iterator[Shape]:
    """The items enlarged by ``scale`` and then moved by (x, y): from board units to pixels."""

    def moved(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        return tuple((x + px * scale, y + py * scale) for px, py in points)

    for item in items:
        match item:
            case Rect():
                yield Rect(
                    x + item.x * scale,
                    y + item.y * scale,
                    item.w * scale,
                    item.h * scale,
                    item.fill,
                    item.radius * scale,
                    item.stroke,
                    item.stroke_width * scale,
                    item.fill2,
                    item.shadow * scale,
                )
            case Circle():
                yield Circle(
                    x + item.x * scale,
                    y + item.y * scale,
                    item.r * scale,
                    item.fill,
                    item.stroke,
                    item.stroke_width * scale,
                    item.fill2,
                    item.shadow * scale,
                )
            case Path():
                yield Path(moved(item.points), item.fill, item.stroke, item.stroke_width * scale, item.closed)
            case Text():
                size, fit = item.size * scale, item.fit * scale
                yield Text(
                    x + item.x * scale, y + item.y * scale, item.text, size, item.fill, item.anchor, item.bold, fit
                )
            case Region():
                contours = tuple(moved(points) for points in item.contours)
                radius, depth, inset = item.radius * scale, item.depth * scale, item.inset * scale
                yield Region(contours, item.fill, radius, depth, item.side, inset)


@dataclass(frozen=True, slots=True)
class Pointer:
    """One trusted input event, in the units of the scene it falls on. ``key`` is a DOM key name ("ArrowUp", "r")."""

    kind: Literal["down", "move", "up", "key"]
    x: float = 0.0
    y: float = 0.0
    key: str = ""


# --- claims: what travels from a generator to a verifier ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Claim:
    """What a solver says of a board, for an independent verifier to check.

    ``solution``: the moves, in canonical form (the same bytes whatever library versions found it).
    ``lower``: the number of moves that ``method`` proved necessary; a level needs ``lower == len(solution)``.
    ``evidence``: JSON-ready data that lets a verifier check the bound without a solver (game-specific), or empty.
    """

    solution: tuple[Any, ...]
    lower: int
    method: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


# --- boards without a text notation -----------------------------------------------------------------------------------


def read_json(text: str) -> Any:
    """``Game.read`` of a game that has no text notation: board JSON from its compact text. Other text comes back as it
    is, for ``Game.board`` to refuse, so that one bad line of a file leaves the other boards alone."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def no_notation(game: str, text: str, example: str) -> InvalidBoard:
    """The error for text where a board of this game belongs; ``example``: a board as JSON."""
    shown = text.strip().splitlines()[0][:40] if text.strip() else ""
    what = f"{shown!r} is not a board; there is no text notation"
    return InvalidBoard(what, where=game, fix=f'write {{"board": {example}}}')


# --- the game -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[B, S, M, U]):
    """A game's rules and looks: board (static), state, move, ui. States and moves are hashable; moves are JSON values
    (a string, an int, or a tuple of them)."""

    name: str  # "maze": also the command-line word and the params.yaml key
    title: Mapping[str, str]  # by language, "en" and "zh"
    hint: Mapping[str, str]  # one line that tells a player what to do, by language
    rules_version: int  # part of every level's id; raise it when a rule changes
    read: Callable[[str], Any]  # text notation of one board -> board JSON; raises InvalidBoard
    write: Callable[[B, S], str]  # a state as lines of text for a terminal
    board: Callable[[Any], B]  # from JSON; validates, raises InvalidBoard with the reason
    dump: Callable[[B], Any]  # to JSON: integers and strings only
    start: Callable[[B], S]
    moves: Callable[[B, S], Iterable[M]]  # legal moves in a fixed order; none where the state is solved
    apply: Callable[[B, S, M], S]  # raises IllegalMove
    solved: Callable[[B, S], bool]
    progress: Callable[[B, S], float]  # the potential P_g(s) in [0, 1]; 1.0 iff solved
    canonical: Callable[[B], Hashable]  # equal for boards that differ by a symmetry only
    scene: Callable[[B, S, U | None], Scene]  # draw commands in board units
    touch: Callable[[B, S, U | None, Pointer], tuple[U | None, M | None]]  # what a pointer or key event means
    gesture: Callable[[B, S, M], Sequence[Pointer]]  # pointer events that ``touch`` reads as this move
    move_text: Callable[[M], str] | None = None  # a move for people; without one, its parts as they are
    # where what moves name stands, for pictures beside a solution's text; never on the screen that is played
    labels: Callable[[B, S], Iterable[Label]] | None = None
    keys: frozenset[str] = frozenset()  # keys that the game reads
    undo: bool = False  # whether the suite offers Undo
    is_one_board: Callable[[str], bool] | None = None  # whether a line of text without "/" is a board, not a row of one
    is_heading: Callable[[str], bool] | None = None  # whether a line of text stands above another board's rows
    is_comment: Callable[[str], bool] | None = None  # whether a line of text belongs to no board
    # what an evaluator is told of an event beside the legal move that ``touch`` reads from it, or ""
    remark: Callable[[B, S, U | None, Pointer], str] | None = None
    # what a player is told of a refused move, by how the reason begins (up to a colon) and by language; of others, that
    # it is blocked
    refusals: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    cover: Callable[[], Scene] | None = None  # the picture on the home screen; without one, a letter


AnyGame = Game[Any, Any, Any, Any]


def decode_move(game: AnyGame, board: Any, state: Any, value: Any) -> Any:
    """The legal move that ``value`` (as read from JSON) stands for. Raises IllegalMove."""
    wanted = _frozen(value)
    for move in game.moves(board, state):
        if move == wanted and _is_alike(move, wanted):
            return move
    raise IllegalMove(f"{value!r} is not a legal move here", where=game.name)


def _is_alike(move: Any, other: Any) -> bool:
    """Whether equal moves are so in a file too, where True and 1.0 are no 1."""
    if isinstance(move, tuple):
        return all(_is_alike(a, b) for a, b in zip(move, other, strict=True))
    return type(move) is type(other)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, list | tuple) else value


def states_along(game: AnyGame, board: Any, solution: Iterable[Any]) -> Iterator[Any]:
    """The start state and the state after each move of ``solution``. Raises IllegalMove at one that is not legal."""
    state = game.start(board)
    yield state
    for move in solution:
        state = game.apply(board, state, decode_move(game, board, state, move))
        yield state
