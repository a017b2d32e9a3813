"""Nut and Bolt's boards: their JSON, and the form in which boards that differ by a symmetry are equal."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from .base import InvalidBoard, no_notation

Bolt = tuple[int, ...]

MAX_COLOURS = 15
CAPACITIES = (3, 16)
SPARES = (1, 4)
MAX_COLOUR_NUMBER = 999


@dataclass(frozen=True, slots=True)
class Board:
    """``bolts``: the colours of the nuts on each bolt, bottom first; each colour has ``capacity`` nuts."""

    capacity: int
    bolts: tuple[Bolt, ...]

    @property
    def colours(self) -> int:
        return sum(map(len, self.bolts)) // self.capacity

    @property
    def spares(self) -> int:
        return len(self.bolts) - self.colours


def load(value: Any) -> Board:
    """A board from ``{"capacity": 4, "bolts": [[1, 2, 1, 2], ..., []]}``. Raises InvalidBoard."""
    if isinstance(value, str):
        raise no_notation("nut", value, '{"capacity": 4, "bolts": [[1, 2, 1, 2], ...]}')
    if not isinstance(value, dict) or set(value) != {"capacity", "bolts"}:
        raise InvalidBoard('a nut board is {"capacity": ..., "bolts": [[...], ...]} and nothing else', where="nut")
    capacity, bolts = value["capacity"], value["bolts"]
    low, high = CAPACITIES
    if type(capacity) is not int or not low <= capacity <= high:
        raise InvalidBoard(f"the capacity is {capacity!r}", where="nut", fix=f"write an integer from {low} to {high}")
    if not isinstance(bolts, list) or not bolts or not all(isinstance(bolt, list) for bolt in bolts):
        raise InvalidBoard('"bolts" must be a non-empty list of lists of colours, bottom nut first', where="nut")
    for number, bolt in enumerate(bolts, 1):
        if len(bolt) > capacity:
            raise InvalidBoard(
                f"bolt {number} holds {len(bolt)} nuts, more than the capacity of {capacity}", where="nut"
            )
        for nut in bolt:
            if type(nut) is not int or not 0 <= nut <= MAX_COLOUR_NUMBER:
                raise InvalidBoard(
                    f"bolt {number} holds {nut!r}",
                    where="nut",
                    fix=f"colours are integers from 0 to {MAX_COLOUR_NUMBER}",
                )
    _check_counts(capacity, bolts)
    board = Board(capacity, tuple(tuple(bolt) for bolt in bolts))
    if all(not bolt or (len(bolt) == capacity and len(set(bolt)) == 1) for bolt in bolts):
        raise InvalidBoard("the board is solved already", where="nut")
    return board


def _check_counts(capacity: int, bolts: list[list[int]]) -> None:
    counts = Counter(nut for bolt in bolts for nut in bolt)
    if not counts:
        raise InvalidBoard("there are no nuts", where="nut")
    if len(counts) > MAX_COLOURS:
        raise InvalidBoard(f"there are {len(counts)} colours", where="nut", fix=f"{MAX_COLOURS} are the most")
    for colour, count in sorted(counts.items()):
        if count != capacity:
            raise InvalidBoard(
                f"colour {colour} has {count} nuts",
                where="nut",
                fix=f"each colour needs as many as the capacity, {capacity}",
            )
    low, high = SPARES
    spares = len(bolts) - len(counts)
    if not low <= spares <= high:
        raise InvalidBoard(
            f"{len(bolts)} bolts for {len(counts)} colours",
            where="nut",
            fix=f"give {low} to {high} bolts more than colours",
        )


def dump(board: Board) -> dict[str, Any]:
    return {"capacity": board.capacity, "bolts": [list(bolt) for bolt in board.bolts]}


# --- symmetry ---------------------------------------------------------------------------------------------------------


def canonical(board: Board) -> tuple[Any, ...]:
    """(capacity, empty bolts, the least form of each part): equal for boards that differ in the order of bolts and the
    names of colours only. Parts are sets of bolts that share no colour."""
    bolts = [bolt for bolt in board.bolts if bolt]
    return board.capacity, len(board.bolts) - len(bolts), tuple(sorted(_least(part) for part in _parts(bolts)))


def _parts(bolts: list[Bolt]) -> list[list[Bolt]]:
    parts: list[tuple[set[int], list[Bolt]]] = []
    for bolt in bolts:
        colours, members = set(bolt), [bolt]
        rest = []
        for other, others in parts:
            if colours & other:
                colours |= other
                members = others + members
            else:
                rest.append((other, others))
        parts = [*rest, (colours, members)]
    return [members for _, members in parts]


def _least(bolts: list[Bolt]) -> tuple[Bolt, ...]:
    """The least sequence of contents over all orders of the bolts, where colours are numbered as they first occur.

    Goes on from every beginning that is least so far: more than one remains only as long as bolts look alike.
    """
    beginnings: dict[tuple[Any, ...], None] = {((), tuple(sorted(bolts))): None}  # (colours by number, bolts left)
    form: list[Bolt] = []
    for _ in bolts:
        least: Bolt | None = None
        going_on: dict[tuple[Any, ...], None] = {}
        for colours, left in beginnings:
            number = {colour: i for i, colour in enumerate(colours)}
            for i, bolt in enumerate(left):
                if i and bolt == left[i - 1]:
                    continue
                own = dict(number)
                image = tuple(own.setdefault(colour, len(own)) for colour in bolt)
                if least is None or image < least:
                    least, going_on = image, {}
                if image == least:
                    going_on[tuple(own), left[:i] + left[i + 1 :]] = None
        assert least is not None
        form.append(least)
        beginnings = going_on
    return tuple(form)
