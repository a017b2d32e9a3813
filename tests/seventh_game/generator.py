"""Lamps to order: press some lamps of a dark row, and prove how few presses put it out again.

lamps: [6, 9]     how long the row is
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf
from typing import Any

from ..games.base import Claim, Unsolvable
from ..games.lamps import LEAST, MOST, Board
from .base import Candidate, Generator, InvalidParams, Range, Rejected, integer_range
from .stream import Stream


@dataclass(frozen=True, slots=True)
class Params:
    lamps: Range


def params(block: Mapping[str, Any]) -> Params:
    """Reads a params.yaml block. Raises InvalidParams."""
    if set(block) != {"lamps"}:
        raise InvalidParams(f"{', '.join(block) or 'nothing'} is given", where="lamps", fix="write lamps: [6, 9]")
    return Params(integer_range("lamps", "lamps", block["lamps"], (LEAST, MOST)))


def generate(p: Params, stream: Stream) -> Candidate[Board] | Rejected:
    """One candidate, proven. The reason for rejection is ``dark``: all presses together lit nothing."""
    board = "." * stream.between(*p.lamps)
    for lamp in range(len(board)):
        if stream.below(2):
            board = _pressed(board, lamp)
    return Candidate(board, solve(board)) if "o" in board else Rejected("dark")


def solve(board: Board) -> Claim:
    """The fewest presses, by chasing the light: whether the first lamp is pressed decides it for the second, which must
    put out the first, and so on. So there are two ways at most, and no lamp is pressed twice. Raises Unsolvable."""
    ways = [way for way in (_chased(board, False), _chased(board, True)) if way is not None]
    if not ways:
        raise Unsolvable("the last lamp stays lit whether the first one is pressed or not", where="lamps")
    solution = min(ways, key=len)
    return Claim(solution, len(solution), "light chasing")


def _chased(board: Board, first: bool) -> tuple[int, ...] | None:
    row, presses = board, []
    for lamp in range(len(board)):
        if first if lamp == 0 else row[lamp - 1] == "o":
            row = _pressed(row, lamp)
            presses.append(lamp)
    return None if "o" in row else tuple(presses)


def _pressed(row: Board, lamp: int) -> Board:
    """A press, also on a dark row, where the rules allow none."""
    lit = {"o": ".", ".": "o"}
    return "".join(lit[c] if abs(place - lamp) <= 1 else c for place, c in enumerate(row))


def ask(wish: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """Rows about twice as long as the presses that are wanted."""
    low, high = wish.get("optimal_length", (2, 4))
    shortest = max(LEAST, min(MOST, ceil(2 * max(low, 1))))
    return {"lamps": [shortest, MOST if high == inf else max(shortest, min(MOST, ceil(2 * high) + 2))]}


GENERATOR = Generator(game="lamps", params=params, generate=generate, solve=solve, ask=ask)
