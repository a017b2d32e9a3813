"""Truck Escape levels to order: as many vehicles as wanted, and exactly the depth, freedom and bait that were drawn.

vehicles: [20, 30]    how many; each candidate draws its own number, and its figures from the bands below
depth: [9, 12]        the most vehicles of which each waits for the next
free: [3, 5]          vehicles that can leave at first
bait: [4, 8]          vehicles that are blocked although the cell ahead is empty
roads: [2, 3]         roads through the lot, and ...
turning: [8, 12]      ... the vehicles that turn into the first one on their way
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf
from typing import Any

from ..games.base import Claim, Unsolvable
from ..games.truck import GAME, empty_cells, is_there, name_of
from ..games.truck_board import MOST_VEHICLES, SIDES, Board, dump, owners, routes
from .base import (
    Bound,
    Candidate,
    Generator,
    InvalidParams,
    Range,
    Rejected,
    checked,
    integer,
    number_or_range,
    set_bound,
    two_sides,
)
from .stream import Stream

DEFAULT_VEHICLES = (15, 20)
WIDTH = 5  # of a band that is open at one end, as it is drawn from
METHOD = "click-by-click replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """One block of params.yaml.

    ``vehicles``: how many; ``size``: ranges of rows and of columns, None: two thirds of the lot are taken; ``depth``,
    ``free``, ``bait``: bands that each candidate draws exact figures from, None: whatever comes; ``walls``, ``roads``,
    ``turning``: how many; ``evaluations``: lots that a candidate may look at.
    """

    vehicles: Range
    size: tuple[Range, Range] | None = None
    depth: Range | None = None
    free: Range | None = None
    bait: Range | None = None
    walls: Range = (0, 0)
    roads: Range = (0, 0)
    turning: Range = (0, 0)
    evaluations: int = 20_000


LIMITS: dict[str, Range] = {
    "vehicles": (1, MOST_VEHICLES),
    "size": SIDES,
    "depth": (1, MOST_VEHICLES),
    "free": (1, MOST_VEHICLES),
    "bait": (0, MOST_VEHICLES),
    "walls": (0, 40),
    "roads": (0, 12),
    "turning": (0, MOST_VEHICLES),
    "evaluations": (1, 10_000_000),
}
FIGURES = {"optimal_length": "vehicles", "depth": "depth", "free": "free", "bait": "bait"}  # and their parameters


def params(block: Mapping[str, Any]) -> Params:
    """Reads a params.yaml block. Raises InvalidParams."""
    values: dict[str, Any] = {}
    for name, value in checked("truck", block, Params, "vehicles", "vehicles: [20, 30]"):
        if name == "evaluations":
            values[name] = integer("truck", name, value, LIMITS[name])
        elif name == "size" and value is not None:
            values[name] = two_sides("truck", value, LIMITS[name])
        elif value is not None:
            values[name] = number_or_range("truck", name, value, LIMITS[name])
    found = Params(**values)
    for name, band in (("depth", found.depth), ("free", found.free), ("bait", found.bait), ("turning", found.turning)):
        if band is not None and band[0] > found.vehicles[1]:
            what = f"{name!r} begins at {band[0]}, above the number of vehicles"
            raise InvalidParams(what, where="truck", fix=f"{found.vehicles[1]} vehicles are asked for")
    if found.turning[1] and not found.roads[1]:
        raise InvalidParams("'turning' without roads", where="truck", fix="add for instance roads: [2, 3]")
    _require_possible(found)
    return found


def _require_possible(p: Params) -> None:
    """Raises InvalidParams where no lot has such figures, which a count shows: of a chain of vehicles, each of which
    waits for the next, only the last is free; one with bait is not; and a vehicle takes two cells or more."""
    most = p.vehicles[1]
    free, bait, depth = (band[0] if band else least for band, least in ((p.free, 1), (p.bait, 0), (p.depth, 1)))
    if free + bait > most:
        what = f"'free' from {free} and 'bait' from {bait}, which are different vehicles, of {most} at most"
        raise InvalidParams(what, where="truck", fix="ask for less of one, or for more vehicles")
    if depth > most - free + 1:
        what = f"'depth' from {depth}: with {free} of {most} vehicles free, {most - free + 1} can wait for one another"
        raise InvalidParams(what, where="truck", fix="ask for less depth, fewer free ones, or more vehicles")
    if p.size is not None and 2 * p.vehicles[0] + p.walls[0] > p.size[0][1] * p.size[1][1]:
        what = f"'size' has {p.size[0][1] * p.size[1][1]} cells at most, {p.vehicles[0]} vehicles take two each"
        raise InvalidParams(what, where="truck", fix="ask for a larger lot, or for fewer vehicles and walls")


def generate(p: Params, stream: Stream) -> Candidate[Board] | Rejected:
    """One candidate, proven. The reasons for rejection: ``crowded``: no room for all vehicles, walls or roads;
    ``missed``: the figures drawn were not met exactly."""
    from . import truck_growth as growth

    count = stream.between(*p.vehicles)
    rows, columns = growth.size_for(count) if p.size is None else (stream.between(*side) for side in p.size)
    plan = growth.Plan(
        rows=rows,
        columns=columns,
        vehicles=count,
        depth=_drawn(p.depth, count, stream),
        free=_drawn(p.free, count, stream),
        bait=_drawn(p.bait, count, stream),
        walls=stream.between(*p.walls),
        roads=stream.between(*p.roads),
        turning=min(count, stream.between(*p.turning)),
    )
    grown = growth.grow(plan, stream, p.evaluations)
    if grown is None:
        return Rejected("crowded")
    claim = solve(grown.board)
    wanted = {"depth": plan.depth, "free": plan.free, "bait": plan.bait}
    if all(claim.evidence[name] == figure for name, figure in wanted.items() if figure is not None) != grown.is_met:
        raise AssertionError(f"growth and replay differ on whether {wanted} is met by {dump(grown.board)}")
    if not grown.is_met:
        return Rejected("missed", figures={"optimal_length": claim.lower, **claim.evidence})
    return Candidate(grown.board, claim)


def _drawn(band: Range | None, most: int, stream: Stream) -> int | None:
    return None if band is None else stream.between(min(band[0], most), min(band[1], most))


# --- the proof --------------------------------------------------------------------------------------------------------


def solve(board: Board) -> Claim:
    """The departures of any board: always the first vehicle, in the board's order, that can leave. Their number is the
    minimum, for each vehicle needs one of its own. ``evidence``: depth, free vehicles and bait. Raises Unsolvable with
    the vehicles that wait for one another."""
    state, solution = GAME.start(board), []
    while state:
        move = next(iter(GAME.moves(board, state)), None)
        if move is None:
            raise Unsolvable(_stuck(board, state), where="truck")
        solution.append(move)
        state = GAME.apply(board, state, move)
    return Claim(tuple(solution), len(solution), METHOD, _figures(board))


def _stuck(board: Board, state: int) -> str:
    """Why no vehicle can leave: a wall in a route, or a cycle of vehicles."""
    owner = owners(board)
    chain = [next(n for n in range(len(board.vehicles)) if is_there(state, n))]
    while True:
        last = chain[-1]
        row, column = routes(board)[last][empty_cells(board, state, last)]
        after = owner[row, column]
        if after < 0:
            return f"{name_of(board, last)} can never leave: there is a wall in row {row + 1}, column {column + 1}"
        if after in chain:
            names = ", ".join(name_of(board, n) for n in chain[chain.index(after) :])
            return f"a cycle of vehicles, each of which waits for the next: {names}, and the first again"
        chain.append(after)


def _figures(board: Board) -> dict[str, int]:
    """By playing in rounds: in each, all that can leave do."""
    state, depth = GAME.start(board), 0
    free = set(GAME.moves(board, state))
    bait = sum(n not in free and empty_cells(board, state, n) > 0 for n in range(len(board.vehicles)))
    while state:
        for n in list(GAME.moves(board, state)):
            state = GAME.apply(board, state, n)
        depth += 1
    return {"depth": depth, "free": len(free), "bait": bait}


# --- wishes -----------------------------------------------------------------------------------------------------------


def ask(wish: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """A params.yaml block for bands on figures: ``optimal_length`` is the number of vehicles; ``depth``, ``free`` and
    ``bait`` are met exactly; the others are left to the gate. Raises InvalidParams where a band lies beyond what any
    lot can have."""
    for figure, name in FIGURES.items():
        least, most = LIMITS[name]
        if figure in wish and (wish[figure][0] > most or wish[figure][1] < least):
            raise InvalidParams(f"no lot has such a {figure}", where="truck", fix=f"ask for one from {least} to {most}")
    figures = {name: _within(LIMITS[name], wish[name]) for name in ("depth", "free", "bait") if name in wish}
    if "optimal_length" in wish:
        vehicles = _within(LIMITS["vehicles"], wish["optimal_length"])
    else:
        least = 2 * max((first for first, _ in figures.values()), default=0)
        vehicles = [min(MOST_VEHICLES, max(n, least)) for n in DEFAULT_VEHICLES]
    most = MOST_VEHICLES if wish.get("optimal_length", (0, inf))[1] == inf else vehicles[1]
    if _needed(figures) > most:  # what need not be so high begins lower
        figures = {n: [LIMITS[n][0] if wish[n][0] == -inf else band[0], band[1]] for n, band in figures.items()}
    if vehicles[1] < (needed := _needed(figures)) <= most:
        vehicles = [needed, min(most, needed + WIDTH)]
    return {"vehicles": vehicles, **figures}


def _needed(figures: Mapping[str, Sequence[int]]) -> int:
    """How many vehicles there must be for figures from their least: those that are free, and the more of those that
    have bait and those that wait for one another."""
    free, bait, depth = (figures[name][0] if name in figures else LIMITS[name][0] for name in ("free", "bait", "depth"))
    return free + max(bait, depth - 1)


def _within(limits: Range, band: tuple[float, float]) -> list[int]:
    """The integers of a band, as far as the limits allow; an open end lies near the other one."""
    least, most = limits
    low, high = band
    if high == inf:
        high = max(low, least) + WIDTH
    if low == -inf:
        low = high - WIDTH
    first, last = ceil(min(max(low, least), most)), floor(min(max(high, least), most))
    return [first, max(first, last)]


def bounds(p: Params) -> list[Bound]:
    """Each vehicle departs once. Of a chain in which each waits for the next only the last is free; one with bait is
    not, and some vehicle is."""
    least, most = p.vehicles
    free = p.free[0] if p.free else 1
    count = f"{least} to {most} vehicles" if least < most else f"{most} vehicles"
    return [
        Bound("optimal_length", least, most, f"there are {count}, and each departs once"),
        Bound("depth", 1, most - free + 1, f"of {most} vehicles {free} or more are free and wait for none"),
        Bound("free", 1, most, f"there are {count}"),
        Bound("bait", 0, most - free, f"of {most} vehicles {free} or more are free and wait for none"),
        *(
            set_bound(name, name, (min(band[0], least), band[1]))  # no more than there are vehicles
            for name, band in (("depth", p.depth), ("free", p.free), ("bait", p.bait))
            if band
        ),
    ]


GENERATOR = Generator(game="truck", params=params, generate=generate, solve=solve, ask=ask, bounds=bounds)
