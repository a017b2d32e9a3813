"""Bolt Unscrew's minimum, dead ends and figures over plans and orders, by the compiled loops of ``bolt_kernel``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..games.base import Claim, Unproven, Unsolvable
from ..games.bolt import GAME, State, members
from ..games.bolt_board import Board

STATE_LIMIT = 30_000_000  # about 100 bytes a state while arrays grow: within 4 GiB
PLAN_LIMIT = 20_000_000
BOUND_PLANS = 2_000_000  # more are not worth their time
ORDER_LIMIT = 20_000_000  # sets of planks
WALKS = 64
METHOD = "A* over classes of holes"

Plans = tuple[Any, Any, Any, Any, Any]  # counts and lists: see ``bolt_kernel.plans``


# --- proofs -----------------------------------------------------------------------------------------------------------


def solve(board: Board, limit: int = STATE_LIMIT) -> Claim:
    """The proven minimum of any board. Raises Unsolvable, Unproven."""
    if is_dead(board, GAME.start(board)):
        raise Unsolvable("no order of taking screws out leaves enough free holes", where="bolt")
    return prove(board, limit, listed_plans(board, BOUND_PLANS))


def prove(board: Board, limit: int, plans: Plans) -> Claim:
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
    return counted(listed_plans(board, cap), cap)


def listed_plans(board: Board, cap: int) -> Plans:
    """What ``bolt_kernel.plans`` says of the start; empty lists beyond ``cap`` plans."""
    from . import bolt_kernel as kernel

    parked, (start, own, cover, lane, hidden) = _holding(board, GAME.start(board))
    found: Plans = kernel.plans(start, parked, own, cover, lane, hidden, cap)
    return found


def counted(plans: Plans, cap: int) -> PlanCount:
    from .bolt_kernel import CAPPED

    verdict, *counts = plans[0]
    if verdict == CAPPED:
        raise Unproven(f"dead ends are not counted within {cap:,} plans", where="bolt")
    return PlanCount(bool(verdict), *(int(n) for n in counts))
