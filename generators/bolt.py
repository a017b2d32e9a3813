"""Bolt Unscrew levels to order: grow a layout, add free holes until it can be solved, keep what lies in the bands.

screws: [12, 16]      how many: a number or a range
boards: [8, 11]       wooden boards
size: [[7, 8], [9, 10]]   columns and rows, each a number or a range
free: [2, 12]         free holes; as few as the bands allow are taken
dead: [0.3, 0.7]      the band of dead plans' share; likewise ``fatal``: of fatal removals, over all solvable plans
finisher: [0, 0.8]    the band of the probability that a player wins who finishes one random board after the other
latency: 1.5          the least mean of removals that can follow a fatal one
stumbles: true        whether the player of visible progress must fail
length: [12, 24]      the band of optimal lengths
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import ceil, floor, inf
from typing import TYPE_CHECKING, Any

from ..games.base import Unproven
from ..games.bolt import GAME
from ..games.bolt_board import Board, load
from ..games.bolt_geometry import Point
from .base import (
    Bound,
    Candidate,
    Generator,
    InvalidParams,
    Range,
    Rejected,
    integer,
    integer_range,
    length_bounds,
    share_range,
)
from .bolt_proof import (
    PLAN_LIMIT,
    STATE_LIMIT,
    Plans,
    count_plans,
    counted,
    finisher_survival,
    is_dead,
    listed_plans,
    lost_walks,
    prove,
    solve,
)
from .stream import Stream

if TYPE_CHECKING:
    from .bolt_growth import Layout
LEAST_LOST = 54  # of 83 layouts measured, those with fewer lost walks had less than 22 % dead plans ...
DENSE = 0.28  # ... so where more than that are wanted, it is not worth counting them
LIMITS: dict[str, Range] = {
    "screws": (2, 40),
    "boards": (1, 24),
    "size": (3, 16),
    "free": (1, 24),
    "length": (1, 1_000),
    "plan_cap": (1, PLAN_LIMIT),
    "state_cap": (1, STATE_LIMIT),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """One block of params.yaml.

    ``screws``, ``boards``, ``size`` (of columns and of rows): ranges that each candidate draws from; ``free``: how many
    free holes it may have; ``dead``, ``fatal``: bands of shares over plans (see ``bolt_kernel``); ``finisher``: band
    of the probability that finishing one board after the other solves it; ``latency``: least
    mean of removals after a fatal one; ``stumbles``: the player of visible progress must not solve it; ``length``: the
    band of optimal lengths; ``plan_cap``, ``state_cap``: plans and states that may be stored.
    """

    screws: Range
    boards: Range
    size: tuple[Range, Range]
    free: Range = (2, 12)
    dead: tuple[float, float] | None = None
    fatal: tuple[float, float] | None = None
    finisher: tuple[float, float] | None = None
    latency: float = 0.0
    stumbles: bool = False
    length: Range | None = None
    plan_cap: int = 200_000
    state_cap: int = 2_000_000


def params(block: Mapping[str, Any]) -> Params:
    """Reads a params.yaml block. Raises InvalidParams."""
    known = [f.name for f in fields(Params)]
    for key in block:
        if key not in known:
            raise InvalidParams(f"unknown parameter {key!r}", where="bolt", fix=f"use {', '.join(known)}")
    for name, example in (("screws", "[12, 16]"), ("boards", "[8, 11]"), ("size", "[[7, 8], [9, 10]]")):
        if name not in block:
            raise InvalidParams(f"{name!r} is missing", where="bolt", fix=f"for instance {name}: {example}")
    values: dict[str, Any] = {}
    for name, value in block.items():
        if name in ("plan_cap", "state_cap"):
            values[name] = integer("bolt", name, value, LIMITS[name])
        elif name in ("dead", "fatal", "finisher"):
            values[name] = share_range("bolt", name, value)
        elif name == "latency":
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
                raise InvalidParams(f"'latency' is {value!r}", where="bolt", fix="write a number from 0 to 100")
            values[name] = float(value)
        elif name == "stumbles":
            if not isinstance(value, bool):
                raise InvalidParams(f"'stumbles' is {value!r}", where="bolt", fix="write true or false")
            values[name] = value
        elif name == "size":
            if not isinstance(value, list | tuple) or len(value) != 2:
                raise InvalidParams(f"'size' is {value!r}", where="bolt", fix="write [columns, rows]")
            values[name] = tuple(_range(name, v) for v in value)
        else:
            values[name] = _range(name, value)
    return Params(**values)


def _range(name: str, value: Any) -> Range:
    return integer_range("bolt", name, value if isinstance(value, list | tuple) else (value, value), LIMITS[name])


# --- candidates -------------------------------------------------------------------------------------------------------


def generate(p: Params, stream: Stream) -> Candidate[Board] | Rejected:
    """One candidate, proven. The reasons for rejection: ``no_layout``: the planks found no room; ``unsolvable``: not
    even the most free holes are enough; ``too_safe``, ``too_risky``, ``too_plain``, ``too_easy``: shares of dead plans,
    fatal removals or the finisher, latency, the player of visible progress; ``too_short``, ``too_long``; ``unproven``:
    a limit was met."""
    from . import bolt_growth

    columns, rows = (stream.between(*side) for side in p.size)
    plan = bolt_growth.Plan(columns, rows, (p.boards[0], stream.between(*p.boards)), p.screws)
    layout = bolt_growth.grow(plan, stream)
    if layout is None:
        return Rejected("no_layout")
    places = layout.free_places(stream)[: p.free[1]]
    seed = stream.word()
    try:
        fewest = _fewest(layout, places, p)
        if fewest is None:
            return Rejected("unsolvable")
        for many in range(fewest, len(places) + 1):
            board = load(layout.finished(places[:many]))
            reason, plans = _out_of_bands(p, board, seed)
            if reason != "too_risky":
                break
        if reason:
            return Rejected(reason)
        claim = prove(board, p.state_cap, plans or listed_plans(board, p.plan_cap))
    except Unproven:
        return Rejected("unproven")
    if p.length is not None and not p.length[0] <= claim.lower <= p.length[1]:
        return Rejected("too_short" if claim.lower < p.length[0] else "too_long", claim.lower)
    return Candidate(board, claim)


def _fewest(layout: Layout, places: Sequence[Point], p: Params) -> int | None:
    """With how many free holes the layout can first be solved: one more never hurts. Raises Unproven."""

    def is_enough(many: int) -> bool:
        board = load(layout.finished(places[:many]))
        return not is_dead(board, GAME.start(board), p.plan_cap)

    low, high = p.free[0], len(places)
    if high < low or not is_enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle + 1, high)
    return low


def _out_of_bands(p: Params, board: Board, seed: int) -> tuple[str, Plans | None]:
    """Why a solvable board is not wanted, or nothing; and its plans, if they were listed. Raises Unproven."""
    if p.dead and p.dead[0] >= DENSE and lost_walks(board, seed) < LEAST_LOST:
        return "too_safe", None
    if p.finisher:
        chance = finisher_survival(board, p.plan_cap)
        if not p.finisher[0] <= chance <= p.finisher[1]:
            return "too_risky" if chance < p.finisher[0] else "too_safe", None
    plans = None
    if p.dead or p.fatal or p.latency:
        plans = listed_plans(board, p.plan_cap)
        found = counted(plans, p.plan_cap)
        for band, share in ((p.dead, found.dead_share), (p.fatal, found.fatal_share)):
            if band and not band[0] <= share <= band[1]:
                return "too_safe" if share < band[0] else "too_risky", None
        if found.latency < p.latency:
            return "too_plain", None
    return "too_easy" if p.stumbles and visible_progress_solves(board) else "", plans


def visible_progress_solves(board: Board) -> bool:
    """Whether the player who always makes the move with most progress, of equals the first, solves the board."""
    state = GAME.start(board)
    seen = {state}
    while not GAME.solved(board, state):
        after = [GAME.apply(board, state, move) for move in GAME.moves(board, state)]
        if not after:
            return False
        state = max(after, key=lambda s: GAME.progress(board, s))
        if state in seen:
            return False
        seen.add(state)
    return True


# --- wishes -----------------------------------------------------------------------------------------------------------


def ask(wish: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """A params.yaml block for bands on figures: ``optimal_length`` chooses screws, boards and frame, and is a band, as
    is ``finisher_survival``; ``dead_plan_share`` and ``fatal_plan_share`` are bands too. ``dead_state_share`` and
    ``fatal_move_share`` steer by plans, whose shares are somewhat higher; of the others the gate decides."""
    low, high = wish.get("optimal_length", (-inf, inf))
    least, most = LIMITS["length"]
    first, last = 10, 14
    if low > -inf:
        first = ceil(min(max(low, least), most))
        last = first + 4
    if high < inf:
        last = max(floor(min(max(high, least), most)), least)
        first = max(min(first, last), last - 6) if low > -inf else max(least, last - 6)
    screws = [min(max(first - 1, 3), 38, max(last, 2)), min(max(last, 4), 40)]
    boards = [min(24, max(1, n)) for n in (round(0.5 * screws[0]), round(0.7 * screws[1]))]
    columns = 5 if last <= 10 else 7 if last <= 17 else 8
    rows = columns + 2
    block: dict[str, Any] = {
        "screws": screws,
        "boards": boards,
        "size": [[columns, columns + 1], [rows, rows + 1]],
        "free": [2, min(24, screws[1])],
    }
    if (low, high) != (-inf, inf):
        block["length"] = [ceil(max(low, least)) if low > -inf else least, last if high < inf else most]
    for figure, name in (("dead_state_share", "dead"), ("fatal_move_share", "fatal")):
        if figure in wish:
            begin, end = wish[figure]
            block[name] = [max(0.0, min(1.0, begin)), max(0.0, min(1.0, 1.4 * end + 0.05 if end < 1 else 1.0))]
    bands = (("dead_plan_share", "dead"), ("fatal_plan_share", "fatal"), ("finisher_survival", "finisher"))
    for figure, name in bands:
        if figure in wish:
            block[name] = [max(0.0, min(1.0, end)) for end in wish[figure]]
    return block


def bounds(p: Params) -> list[Bound]:
    """Every screw holds a board at first, so it moves. Each is taken out of its boards once; and before a board falls,
    the parked screws in its lane move out of it, each once, for there are as many holes elsewhere (docs/bolt.md)."""
    least, screws, boards = p.screws[0], p.screws[1], p.boards[1]
    most = screws * (1 + boards)
    why = f"all screws move, {least} or more, and none more than once for each of {boards} boards and once"
    return [Bound("optimal_length", least, most, why), *length_bounds(p)]


GENERATOR = Generator(game="bolt", params=params, generate=generate, solve=solve, ask=ask, bounds=bounds)

__all__ = ["GENERATOR", "Params", "count_plans", "finisher_survival", "generate", "is_dead", "params", "solve"]
