"""Maze Paint levels to order: grow a board to a drawn length, then prove that length.

A candidate draws a board size and a target length from its own stream, so a tier is spread over its whole band.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import ceil, floor, inf
from typing import Any

from ..games.base import Claim
from ..games.maze import Board
from .base import Candidate, Generator, InvalidParams, Rejected
from .stream import Stream

MAX_SIDE = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """One block of params.yaml.

    ``size``: rows and columns, each a number or a [low, high] range; ``length``: the band of optimal lengths.
    """

    size: tuple[tuple[int, int], tuple[int, int]]
    length: tuple[int, int]


def params(block: Mapping[str, Any]) -> Params:
    """Raises InvalidParams."""
    known = [f.name for f in fields(Params)]
    for key in block:
        if key not in known:
            raise InvalidParams(f"unknown parameter {key!r}", where="maze", fix=f"use {', '.join(known)}")
    size = block.get("size", [10, 10])
    low, high = block.get("length", [18, 25])
    pairs = [(s, s) if isinstance(s, int) else (s[0], s[1]) for s in size]
    return Params(size=(pairs[0], pairs[1]), length=(low, high))


def generate(p: Params, stream: Stream) -> Candidate[Board] | Rejected:
    return Rejected("too_short")


def solve(board: Board) -> Claim:
    """Raises Unsolvable, Unproven."""
    from . import maze_flow

    claim: Claim = maze_flow.prove(board)
    return claim


def ask(wish: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    low, high = wish.get("optimal_length", (18, 25))
    low = 7 if low == -inf else ceil(low)
    high = low + 10 if high == inf else floor(high)
    return {"size": [10, 10], "length": [low, high]}


GENERATOR = Generator(game="maze", params=params, generate=generate, solve=solve, ask=ask)
