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

from ..games.base import Claim, Unproven, Unsolvable
from ..games.bolt import GAME, State, members
from ..games.bolt_board import Board, load
from ..games.bolt_geometry import Point
from .base import Candidate, Generator, InvalidParams, Range, Rejected, integer, integer_range, share_range
from .stream import Stream

if TYPE_CHECKING:
    from .bolt_growth import Layout

Plans = tuple[Any, Any, Any, Any, Any]  # counts and lists: see ``bolt_kernel.plans``
STATE_LIMIT = 40_000_000  # 44 bytes a state and its places in the queue, doubled while arrays grow: within 4 GiB
PLAN_LIMIT = 20_000_000
BOUND_PLANS = 2_000_000  # more are not worth their time
ORDER_LIMIT = 20_000_000  # sets of planks
WALKS, LEAST_LOST = 64, 54  # of 83 layouts measured, those with fewer lost walks had less than 22 % dead plans ...
DENSE = 0.28  # ... so where more than that are wanted, it is not worth counting them
METHOD = "A* over classes of holes"
LIMITS: dict[str, Range] = {
    "screws": (2, 40),
    "boards": (1, 24),
    "size": (3, 16),
    "free": (1, 24),
    "length": (1, 1_000),
    "plan_cap": (1, 20_000_000),
    "state_cap": (1, 40_000_000),
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
        claim = _prove(board, p.state_cap, plans or _listed_plans(board, p.plan_cap))
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
        plans = _listed_plans(board, p.plan_cap)
        found = _counted(plans, p.plan_cap)
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


# --- proofs -----------------------------------------------------------------------------------------------------------


def solve(board: Board, limit: int = STATE_LIMIT) -> Claim:
    """The proven minimum of any board. Raises Unsolvable, Unproven."""
    if is_dead(board, GAME.start(board)):
        raise Unsolvable("no order of taking screws out leaves enough free holes", where="bolt")
    return _prove(board, limit, _listed_plans(board, BOUND_PLANS))


def _prove(board: Board, limit: int, plans: Plans) -> Claim:
    """The claim of a solvable board. Raises Unproven."""
    from . import bolt_kernel as kernel

    found = board.relations
    start, own, cover, lane = words(GAME.start(board), found.own, found.cover, found.lane)
    owners, coverers, above = words(found.owners, found.coverers, found.above)
    _, keys, planks, table, crowd = plans
    length, states, screws, left = kernel.shortest(
        start, own, cover, lane, owners, coverers, above, keys, planks, table, crowd, limit
    )
    if length == kernel.CAPPED:
        raise Unproven(f"the minimum is not proven within {states:,} states", where="bolt")
    if length == kernel.UNSOLVABLE:
        raise AssertionError(f"the orders call {board} solvable, the search does not")
    path = [State(int(s), int(k)) for s, k in zip(screws, left, strict=True)]
    return Claim(solution=_moves(board, path), lower=int(length), method=METHOD)


def _moves(board: Board, path: Sequence[State]) -> tuple[tuple[int, int], ...]:
    """The moves along a path of states modulo interchangeable holes; of those that lead to the same one the first."""
    state, solution = GAME.start(board), []
    for wanted in path[1:]:
        alike = classes(board, wanted.planks)
        counts = [(wanted.screws & holes).bit_count() for holes in alike]
        for move in GAME.moves(board, state):
            after = GAME.apply(board, state, move)
            if after.planks == wanted.planks and counts == [(after.screws & holes).bit_count() for holes in alike]:
                break
        else:
            raise AssertionError(f"no move leads from {state} to {wanted} on {board}")
        solution.append(move)
        state = after
    return tuple(solution)


def classes(board: Board, planks: int) -> list[int]:
    """The sets of holes that are interchangeable while these planks are left."""
    found = board.relations
    by_key: dict[tuple[int, int, int], int] = {}
    for hole in range(len(board.holes)):
        key = (found.owners[hole] & planks, found.coverers[hole] & planks, found.above[hole] & planks)
        by_key[key] = by_key.get(key, 0) | 1 << hole
    return list(by_key.values())


def words(*sets: Sequence[int]) -> Any:
    """Bit sets as the kernel's arrays, uint64."""
    import numpy as np

    return tuple(np.array(values, np.uint64) for values in sets)


# --- dead ends --------------------------------------------------------------------------------------------------------


def _holding(board: Board, state: State) -> tuple[int, Any]:
    """The number of parked screws, and the kernel's arrays: screws that hold planks and planks left; own, cover, lane
    by plank; by hole the planks that cover it without having it."""
    found = board.relations
    held = sum(1 << hole for hole in members(state.screws) if found.owners[hole] & state.planks)
    hidden = tuple(c & ~o for c, o in zip(found.coverers, found.owners, strict=True))
    sets = words((held, state.planks), found.own, found.cover, found.lane, hidden)
    return (state.screws ^ held).bit_count(), sets


def is_dead(board: Board, state: State, cap: int = ORDER_LIMIT) -> bool:
    """Whether no sequence of moves solves ``state``, a state of ``board``: decided exactly by the orders in which
    planks can leave, without a search over states. Raises Unproven beyond ``cap`` sets of planks."""
    from . import bolt_kernel as kernel

    parked, (start, own, cover, lane, hidden) = _holding(board, state)
    verdict, sets, _ = kernel.orders(start, parked, own, cover, lane, hidden, cap, False)
    if verdict == kernel.CAPPED:
        raise Unproven(f"dead or not: not decided within {sets:,} sets of boards", where="bolt")
    return not verdict


def lost_walks(board: Board, seed: int) -> int:
    """Of ``WALKS`` players who take out random screws, how many lose: a quick hint at the share of dead plans."""
    from . import bolt_kernel as kernel

    parked, (start, own, cover, lane, hidden) = _holding(board, GAME.start(board))
    (seeds,) = words((seed,))
    return int(kernel.losses(start, parked, own, cover, lane, hidden, seeds[0], WALKS))


def finisher_survival(board: Board, cap: int = ORDER_LIMIT) -> float:
    """The probability that a player solves the board who always makes a board leave, a random one of those that can:
    by taking out what holds it and what stands in its lane. Raises Unproven."""
    from . import bolt_kernel as kernel

    parked, (start, own, cover, lane, hidden) = _holding(board, GAME.start(board))
    verdict, sets, share = kernel.orders(start, parked, own, cover, lane, hidden, cap, True)
    if verdict == kernel.CAPPED:
        raise Unproven(f"orders are not counted within {sets:,} sets of boards", where="bolt")
    return float(share)


@dataclass(frozen=True, slots=True)
class PlanCount:
    """Counts over all plans that the start reaches; removals of a screw from solvable ones, and of these the fatal
    ones; ``silent``: removals that can follow, summed over the fatal ones, and their maximum."""

    solvable: bool
    plans: int
    dead: int
    removals: int
    fatal: int
    silent: int
    longest: int

    @property
    def dead_share(self) -> float:
        return self.dead / self.plans

    @property
    def fatal_share(self) -> float:
        return self.fatal / self.removals if self.removals else 0.0

    @property
    def latency(self) -> float:
        return self.silent / self.fatal if self.fatal else 0.0


def count_plans(board: Board, cap: int = PLAN_LIMIT) -> PlanCount:
    """Raises Unproven beyond ``cap`` plans."""
    return _counted(_listed_plans(board, cap), cap)


def _listed_plans(board: Board, cap: int) -> Plans:
    """What ``bolt_kernel.plans`` says of the start; empty lists beyond ``cap`` plans."""
    from . import bolt_kernel as kernel

    parked, (start, own, cover, lane, hidden) = _holding(board, GAME.start(board))
    found: Plans = kernel.plans(start, parked, own, cover, lane, hidden, cap)
    return found


def _counted(plans: Plans, cap: int) -> PlanCount:
    from .bolt_kernel import CAPPED

    verdict, *counts = plans[0]
    if verdict == CAPPED:
        raise Unproven(f"dead ends are not counted within {cap:,} plans", where="bolt")
    return PlanCount(bool(verdict), *(int(n) for n in counts))


# --- wishes -----------------------------------------------------------------------------------------------------------


def ask(wish: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """A params.yaml block for bands on figures: ``optimal_length`` chooses screws, boards and frame, and is a band, as
    is ``finisher_survival``; ``dead_state_share`` and ``fatal_move_share`` steer by plans, whose shares are somewhat
    higher; of the others the gate decides."""
    low, high = wish.get("optimal_length", (-inf, inf))
    least, most = LIMITS["length"]
    first, last = 10, 14
    if low > -inf:
        first = ceil(min(max(low, least), most))
        last = first + 4
    if high < inf:
        last = max(floor(min(max(high, least), most)), least)
        first = max(min(first, last), last - 6) if low > -inf else max(least, last - 6)
    screws = [min(max(first - 1, 3), 38), min(max(last, 4), 40)]
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
    if "finisher_survival" in wish:
        block["finisher"] = [max(0.0, min(1.0, end)) for end in wish["finisher_survival"]]
    return block


GENERATOR = Generator(game="bolt", params=params, generate=generate, solve=solve, ask=ask)
