"""Bolt Unscrew's geometry in exact integers: what a plank covers, and what lies in its way down.

    a o===o===o b      A plank is the segment a-b with a half-width of 0.34; a screw is a disc of radius 0.24. A hole
        :   :          nearer than 0.58 to the segment is covered. Holes strictly below it, between its ends, are in its
        :   * lane     fall lane. Points are of an integer lattice; y grows downwards.

Lengths are compared as squares of hundredths, times the square of the segment's length: no rounding anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Point = tuple[int, int]

COVERED = 58  # hundredths of a lattice unit: half a plank and a screw
ON = 22  # how far from the segment a plank's own hole may be


class Plank(NamedTuple):
    """A wooden board from ``a`` to ``b``; ``holes``: the indices of the holes that go through it."""

    a: Point
    b: Point
    holes: tuple[int, ...]


def is_nearer(p: Point, a: Point, b: Point, hundredths: int) -> bool:
    """Whether the distance from ``p`` to the segment a-b is less than so many hundredths."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    px, py = p[0] - a[0], p[1] - a[1]
    length2, along = dx * dx + dy * dy, px * dx + py * dy
    if 0 < along < length2:
        cross = px * dy - py * dx
        return 10_000 * cross * cross < hundredths * hundredths * length2
    if along > 0:
        px, py = p[0] - b[0], p[1] - b[1]
    return 10_000 * (px * px + py * py) < hundredths * hundredths


def is_covered(p: Point, a: Point, b: Point) -> bool:
    return is_nearer(p, a, b, COVERED)


def is_in_lane(p: Point, a: Point, b: Point) -> bool:
    """Whether a screw at ``p`` stops a plank that falls straight down."""
    if is_covered(p, a, b) or not min(a[0], b[0]) <= p[0] <= max(a[0], b[0]):
        return False
    if a[0] == b[0]:
        return p[1] > max(a[1], b[1])
    (ax, ay), (bx, by) = sorted((a, b))
    return (p[1] - ay) * (bx - ax) > (by - ay) * (p[0] - ax)


class Relations(NamedTuple):
    """Who has to do with whom, as bit sets. By plank, sets of holes: ``own``, ``cover`` (own ones included), ``lane``.
    By hole, sets of planks: ``owners``, ``coverers`` (owners included), ``above`` (it lies in their lanes)."""

    own: tuple[int, ...]
    cover: tuple[int, ...]
    lane: tuple[int, ...]
    owners: tuple[int, ...]
    coverers: tuple[int, ...]
    above: tuple[int, ...]


def relations(holes: Sequence[Point], planks: Sequence[Plank]) -> Relations:
    own = tuple(sum(1 << hole for hole in plank.holes) for plank in planks)
    cover = tuple(sum(1 << i for i, p in enumerate(holes) if is_covered(p, k.a, k.b)) for k in planks)
    lane = tuple(sum(1 << i for i, p in enumerate(holes) if is_in_lane(p, k.a, k.b)) for k in planks)
    by_hole = (
        tuple(sum(1 << k for k, s in enumerate(sets) if s >> i & 1) for i in range(len(holes)))
        for sets in (own, cover, lane)
    )
    return Relations(own, cover, lane, *by_hole)
