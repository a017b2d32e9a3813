"""Grows a Bolt Unscrew layout: planks from the lowest layer up, screws through all that lie under them, free holes.

    o . o . o   row 0 is kept for free holes; others come to lie beside the planks and in their lanes
    . O===O .
    . . \\ . .   a new plank shares the screws on its way, or hides them; no hole lies half under a plank
    . O===O .

A screw never goes through wood without a hole: a plank that is not above all owners of a screw is one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..games.bolt_geometry import COVERED, Point, is_in_lane, is_nearer
from .stream import Stream

TRIES = 40  # for one plank
APART = 80  # hundredths between parallel planks
# direction, fewest and most steps, weight
DIRECTIONS = (
    ((1, 0), 2, 5, 5),
    ((0, 1), 2, 5, 7),
    ((1, 1), 2, 4, 3),
    ((1, -1), 2, 4, 3),
    ((2, 1), 1, 2, 2),
    ((2, -1), 1, 2, 2),
    ((1, 2), 1, 2, 4),
    ((1, -2), 1, 2, 4),
    ((1, 3), 1, 1, 2),
    ((1, -3), 1, 1, 2),
    ((3, 1), 1, 2, 1),
    ((3, -1), 1, 2, 1),
    ((3, 2), 1, 1, 1),
    ((3, -2), 1, 1, 1),
)
CHOICES = tuple(way for way in DIRECTIONS for _ in range(way[3]))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a layout shall have: columns and rows, bands of planks and screws; per cent of the screws on its way that
    a plank shares rather than hides, and of new holes that may go through planks below."""

    columns: int
    rows: int
    planks: tuple[int, int]
    screws: tuple[int, int]
    share: int = 45
    through: int = 60


@dataclass(slots=True)
class Layout:
    """``owners``: for each screw, by its place, the planks that it goes through; ``covers``: those that lie on it."""

    plan: Plan
    planks: list[tuple[Point, Point]] = field(default_factory=list)
    owners: dict[Point, set[int]] = field(default_factory=dict)
    covers: dict[Point, set[int]] = field(default_factory=dict)

    def add(self, a: Point, b: Point, way: Sequence[Point], stream: Stream) -> bool:
        """Adds a plank with holes on some of the points of ``way`` on top of all, if it fits there."""
        if any(_side_by_side(a, b, c, d) for c, d in self.planks):
            return False
        on_it = set(way)
        if any(is_nearer(p, a, b, COVERED) for p in self.owners if p not in on_it):
            return False
        met = [p for p in way if p in self.owners]
        if self.planks and not met and stream.below(100) < 75:
            return False
        shared = [p for p in met if not self.covers[p] and stream.below(100) < self.plan.share]
        fresh: dict[Point, set[int]] = {}
        room = self.plan.screws[1] - len(self.owners)
        wanted = 2 + (stream.below(100) < 22)
        inner = [p for p in way if p not in (a, b)]
        stream.shuffle(inner)
        for p in (a, b, *inner):
            if len(shared) + len(fresh) >= wanted or len(fresh) == room:
                break
            if p not in self.owners and (through := self._through(p, stream)) is not None:
                fresh[p] = through
        if len(shared) + len(fresh) < 2 or (not shared and len(met) == 0 and len(fresh) < 2):
            return False
        number = len(self.planks)
        self.planks.append((a, b))
        for p in met:
            (self.owners if p in shared else self.covers)[p].add(number)
        for p, through in fresh.items():
            self.owners[p] = through | {number}
            self.covers[p] = set()
        return True

    def _through(self, p: Point, stream: Stream) -> set[int] | None:
        """The planks that a new screw at ``p`` goes through, or None where it would go half through one."""
        through = set()
        for number, (c, d) in enumerate(self.planks):
            if is_nearer(p, c, d, COVERED):
                if not is_nearer(p, c, d, 1):
                    return None
                through.add(number)
        return None if through and stream.below(100) >= self.plan.through else through

    def free_places(self, stream: Stream) -> list[Point]:
        """Where free holes may go, in the order in which they are added: at the top, and among the planks."""
        top, lanes, sides = [], [], []
        for y in range(self.plan.rows):
            for x in range(self.plan.columns):
                p = (x, y)
                if p in self.owners or any(is_nearer(p, a, b, COVERED) for a, b in self.planks):
                    continue
                if y == 0:
                    top.append(p)
                elif any(is_in_lane(p, a, b) for a, b in self.planks):
                    lanes.append(p)
                else:
                    sides.append(p)
        for pool in (top, lanes, sides):
            stream.shuffle(pool)
        order = []
        while top or lanes or sides:
            n = stream.below(10)
            pool = top if n < 6 else lanes if n < 8 else sides
            if pool:
                order.append(pool.pop())
        return order

    def finished(self, free: Sequence[Point]) -> dict[str, object]:
        """Board JSON with these free holes; holes in reading order."""
        holes = sorted((*self.owners, *free), key=lambda p: (p[1], p[0]))
        place = {p: i for i, p in enumerate(holes)}
        boards = []
        for number, (a, b) in enumerate(self.planks):
            own = sorted(place[p] for p, owners in self.owners.items() if number in owners)
            boards.append({"a": list(a), "b": list(b), "holes": own})
        return {
            "size": [self.plan.columns, self.plan.rows],
            "holes": [list(p) for p in holes],
            "screws": sorted(place[p] for p in self.owners),
            "boards": boards,
        }


def _side_by_side(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two planks are parallel and so near that they would look like one."""
    if (b[0] - a[0]) * (d[1] - c[1]) != (b[1] - a[1]) * (d[0] - c[0]):
        return False
    return any(is_nearer(p, *s, APART) for p, s in ((a, (c, d)), (b, (c, d)), (c, (a, b)), (d, (a, b))))


def grow(plan: Plan, stream: Stream) -> Layout | None:
    """A layout with planks and screws within their bands, or None where it did not come to that."""
    layout = Layout(plan)
    for number in range(plan.planks[1]):
        for _ in range(TRIES):
            (dx, dy), low, high, _ = stream.choice(CHOICES)
            steps = stream.between(low, high)
            width, height = dx * steps, dy * steps
            if width >= plan.columns or abs(height) >= plan.rows - 1:
                continue
            x = stream.between(0, plan.columns - 1 - width)
            # the lower layers lie further up: what hangs above something else is not to be taken out last
            wanted = 1 + (plan.rows - 1) * (number + 1) / (plan.planks[1] + 1) - height / 2
            ys = [stream.between(max(1, 1 - height), plan.rows - 1 - max(0, height)) for _ in range(4)]
            y = sorted((abs(y - wanted), y) for y in ys)[0][1]
            way = [(x + dx * i, y + dy * i) for i in range(steps + 1)]
            if layout.add(way[0], way[-1], way, stream):
                break
        else:
            if number < plan.planks[0]:
                return None
            break
    return layout if plan.screws[0] <= len(layout.owners) <= plan.screws[1] else None
