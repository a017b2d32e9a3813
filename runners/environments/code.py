"""A level as numbers: what a game's record must say so that its states become arrays and its moves become integers.

Shapes depend on a few sizes of the boards (rows, vehicles, ...). An environment takes the largest of all levels of its
tier, so that one shape serves all of them; what a board does not fill stays 0. Everything fits into ``uint8``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.uint8]
    Arrays = dict[str, Array]

Sizes = Mapping[str, int]


class Field(NamedTuple):
    """An array of numbers from 0 to ``high``."""

    shape: tuple[int, ...]
    high: int = 1


def _nothing(arrays: Arrays, ui: Any) -> None:
    """Of a game whose inputs leave nothing picked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """``board``, ``state`` and ``hand`` write into arrays of the fields' shapes that hold zeros where they write."""

    sizes: Callable[[Any], dict[str, int]]  # of a board
    fields: Callable[[Sizes], dict[str, Field]]  # of board and state
    board: Callable[[Arrays, Any], None]  # what does not change
    state: Callable[[Arrays, Any, Any], None]  # of a board and a state: the rest
    moves: Callable[[Sizes], int]  # how many numbers moves have
    number: Callable[[Sizes, Any, Any], int]  # of a board's move
    held: Callable[[Sizes], dict[str, Field]] = lambda sizes: {}  # what a player may be holding between two inputs
    hand: Callable[[Arrays, Any], None] = _nothing  # of a ui that is not None


def largest(code: Code, boards: Iterable[Any]) -> dict[str, int]:
    """The sizes that hold all boards."""
    sizes: dict[str, int] = {}
    for board in boards:
        for name, size in code.sizes(board).items():
            sizes[name] = max(size, sizes.get(name, 1))
    return sizes


def zeros(fields: Mapping[str, Field]) -> Arrays:
    return {name: np.zeros(field.shape, np.uint8) for name, field in fields.items()}


def bits(mask: int, count: int) -> Array:
    """A bit set of so many members as numbers 0 and 1."""
    packed = np.frombuffer(mask.to_bytes((count + 7) // 8, "little"), np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little")
