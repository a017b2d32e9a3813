"""What a generator is: parameters, a way to propose one candidate from one random stream, and a solver.

A candidate depends on its parameters and its stream only, so candidates can be made in any order, anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..games.base import Claim, LpbError
from .stream import Stream

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

B = TypeVar("B")
P = TypeVar("P")


Range = tuple[int, int]


class InvalidParams(LpbError):
    """A generator parameter is unknown, of the wrong type or out of range."""


@dataclass(frozen=True, slots=True)
class Candidate(Generic[B]):
    """A board and what the generator's own solver says of it."""

    board: B
    claim: Claim


@dataclass(frozen=True, slots=True)
class Rejected:
    """A candidate that was given up: a short reason from a fixed vocabulary ("too_short", "unproven", ...), and, where
    a board came out, the figure it reached, so that an impossible request can name the nearest miss. ``figures``: what
    else is known of it, by name; it is told where a search fails, and kept nowhere, as ``optimal_length`` is."""

    reason: str
    optimal_length: int | None = None
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bound:
    """What a count shows of every level of some parameters: ``figure`` lies from ``low`` to ``high``, both included,
    and ``why``, in words."""

    figure: str
    low: float
    high: float
    why: str


def no_bounds(params: Any) -> Sequence[Bound]:
    """Of a generator that has no parameters from which more is known than a level's figures say."""
    return ()


def length_bounds(params: Any) -> Sequence[Bound]:
    """Of a generator that keeps only what lies in its parameter ``length``, where there is one."""
    if params.length is None:
        return ()
    return (set_bound("optimal_length", "length", params.length),)


def set_bound(figure: str, name: str, band: Range) -> Bound:
    """Of a figure that always lies in the ``band`` of the parameter ``name``."""
    return Bound(
        figure, *band, f"the generator's {name} is {band[0]}" + (f" to {band[1]}" if band[1] > band[0] else "")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator(Generic[B, P]):
    """``params`` reads one params.yaml block (raises InvalidParams); ``generate`` makes one candidate;
    ``solve`` proves the optimum of any board (raises Unsolvable, Unproven); ``ask`` chooses generator parameters for a
    wish such as ``{"optimal_length": (18, 25)}``, which ``lpb-gen generate --where`` makes of its words; ``aims``:
    whether its parameters take ``aim: [low, high]``, the optimal lengths that a candidate tries for first; ``bounds``:
    what no level of such parameters goes beyond, proven by a count: a request outside is refused at once."""

    game: str
    params: Callable[[Mapping[str, Any]], P]
    generate: Callable[[P, Stream], Candidate[B] | Rejected]
    solve: Callable[[B], Claim]
    ask: Callable[[Mapping[str, tuple[float, float]]], Mapping[str, Any]]
    aims: bool = False
    bounds: Callable[[P], Sequence[Bound]] = no_bounds


AnyGenerator = Generator[Any, Any]


# --- reading parameters -----------------------------------------------------------------------------------------------


def checked(
    game: str, block: Mapping[str, Any], kind: type[DataclassInstance], required: str, example: str
) -> Iterator[tuple[str, Any]]:
    """The items of a params.yaml block. Raises InvalidParams where one is no field of ``kind``, or the ``required`` one
    is missing; ``example``: how that one is written."""
    known = [f.name for f in fields(kind)]
    for name in block:
        if name not in known:
            raise InvalidParams(f"unknown parameter {name!r}", where=game, fix=f"use {', '.join(known)}")
    if required not in block:
        raise InvalidParams(f"{required!r} is missing", where=game, fix=f"for instance {example}")
    yield from block.items()


def integer(game: str, name: str, value: Any, limits: Range) -> int:
    """``value`` as an integer within ``limits``, both included. Raises InvalidParams."""
    low, high = limits
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidParams(f"{name!r} is {value!r}", where=game, fix=f"write an integer from {low} to {high}")
    return value


def integer_range(game: str, name: str, value: Any, limits: Range) -> Range:
    """``value`` as [low, high], both within ``limits``. Raises InvalidParams."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise InvalidParams(f"{name!r} is {value!r}", where=game, fix="write a range [low, high]")
    low, high = (integer(game, name, v, limits) for v in value)
    if low > high:
        raise InvalidParams(f"{name!r} is {value!r}", where=game, fix="put the smaller number first")
    return low, high


def aimed(band: Range, aim: Range | None) -> Range:
    """The lengths of ``band`` that lie in ``aim``, or its nearest end; all of them without one."""
    low, high = band
    return band if aim is None else (min(max(aim[0], low), high), max(min(aim[1], high), low))


def number_or_range(game: str, name: str, value: Any, limits: Range) -> Range:
    """As ``integer_range``; a single number is the range of that number alone."""
    pair = value if isinstance(value, list | tuple) else (value, value)
    return integer_range(game, name, pair, limits)


def two_sides(game: str, value: Any, limits: Range, fix: str = "write [rows, columns]") -> tuple[Range, Range]:
    """``value`` as rows and columns, each a number or a range. Raises InvalidParams."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise InvalidParams(f"'size' is {value!r}", where=game, fix=fix)
    rows, columns = (number_or_range(game, "size", side, limits) for side in value)
    return rows, columns


def share_range(game: str, name: str, value: Any) -> tuple[float, float]:
    """``value`` as two shares [low, high], both from 0 to 1. Raises InvalidParams."""
    if (
        not isinstance(value, list | tuple)
        or len(value) != 2
        or any(isinstance(v, bool) or not isinstance(v, int | float) for v in value)
        or not 0 <= value[0] <= value[1] <= 1
    ):
        raise InvalidParams(f"{name!r} is {value!r}", where=game, fix="write two shares, such as [0.02, 0.2]")
    return float(value[0]), float(value[1])
