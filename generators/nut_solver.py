"""Nut and Bolt's solver: the proven minimum, and dead ends of a state or of a whole level, for boards as games have
them. The searches themselves are in ``nut_minimum``, ``nut_borders`` and ``nut_counts``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..games.base import Claim, Unproven, Unsolvable
from ..games.nut import GAME, Board, State

MEMORY = 4 << 30  # bytes that a search may use
TABLE_LIMIT = 16_000_000  # border tables; at most 220 bytes each while the arrays grow: within MEMORY
METHOD = "A* over bolt contents"


def solve(board: Board) -> Claim:
    """The proven minimum of any board. Raises Unsolvable, Unproven."""
    if is_dead(board, board.bolts):
        raise Unsolvable("no order of uncovering colours leaves enough free bolts", where="nut")
    return prove(board, memory_cap(board))


def memory_cap(board: Board) -> int:
    """How many states fit into ``MEMORY``: a row and 24 bytes each, four places of the hash table at most,
    and a quarter of all that once more while the arrays grow to four times their length."""
    each = 2 * len(board.bolts) + 24 + 4 * 8
    return MEMORY * 4 // (5 * each)


def prove(board: Board, cap: int) -> Claim:
    """The claim of a solvable board. Raises Unproven."""
    from . import nut_minimum

    length, states, path = nut_minimum.shortest(packed(board, board.bolts), board.capacity, board.colours, cap)
    if length == nut_minimum.CAPPED:
        raise Unproven(f"the minimum is not proven within {states:,} states", where="nut")
    if length == nut_minimum.UNSOLVABLE:
        raise AssertionError(f"the border tables call {board} solvable, the search does not")
    return Claim(solution=_moves(board, path), lower=int(length), method=METHOD)


def _moves(board: Board, path: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The transfers between contents as moves; of bolts with equal contents the first ones."""
    colours = _colours(board)
    state, solution = board.bolts, []
    for contents in path:
        source, target = (
            tuple(colours[(value >> place & 15) - 1] for place in range(0, value.bit_length(), 4)) for value in contents
        )
        a = state.index(source)
        b = state.index(target, a + 1 if source == target else 0)
        solution.append((a, b))
        state = GAME.apply(board, state, (a, b))
    return tuple(solution)


def packed(board: Board, state: State) -> Any:
    """The bolts for the kernels, uint64[bolts], four bits a nut; colours numbered from 1 in rising order."""
    import numpy as np

    number = {colour: i for i, colour in enumerate(_colours(board), 1)}
    values = [sum(number[colour] << (4 * place) for place, colour in enumerate(bolt)) for bolt in state]
    return np.array(values, np.uint64)


def _colours(board: Board) -> list[int]:
    return sorted({colour for bolt in board.bolts for colour in bolt})


def is_dead(board: Board, state: Sequence[Sequence[int]]) -> bool:
    """Whether no sequence of transfers solves ``state``, a state of ``board``. Decided exactly by the method of border
    tables (Ito et al., 2022), without a search over states. Raises Unproven beyond ``TABLE_LIMIT`` tables."""
    from . import nut_borders

    start = packed(board, tuple(tuple(bolt) for bolt in state))
    found = nut_borders.follow(start, board.capacity, board.colours, TABLE_LIMIT, False)
    if found.verdict == nut_borders.CAPPED:
        raise Unproven(f"dead or not: not decided within {found.tables:,} border tables", where="nut")
    return found.verdict == nut_borders.DEAD


class Borders(NamedTuple):
    """A whole level by its border tables: whether it can be solved; removals of a border from solvable tables; of
    these, ``fatal`` ones, to dead tables; tables."""

    solvable: bool
    removals: int
    fatal: int
    tables: int

    @property
    def fatal_share(self) -> float:
        return self.fatal / self.removals if self.removals else 0.0


def borders(board: Board, cap: int = TABLE_LIMIT) -> Borders:
    """Counts over all border tables that the start leads to. Raises Unproven beyond ``cap`` tables."""
    from . import nut_borders

    found = nut_borders.follow(packed(board, board.bolts), board.capacity, board.colours, cap, True)
    if found.verdict == nut_borders.CAPPED:
        raise Unproven(f"dead ends are not counted within {found.tables:,} border tables", where="nut")
    return Borders(found.verdict == nut_borders.SOLVABLE, int(found.removals), int(found.fatal), found.tables)


@dataclass(frozen=True, slots=True)
class DeadEnds:
    """Counts over all reachable states modulo bolt order, and over transfers as pairs of contents that change them."""

    states: int
    solved: int
    dead: int
    transfers: int  # from solvable states
    fatal: int  # of these, to dead ones


def dead_ends(board: Board, cap: int = 4_000_000) -> DeadEnds:
    """The dead ends of a whole level, labelled by border tables. Raises Unproven beyond ``cap`` states."""
    from .nut_counts import count_states

    counts = count_states(packed(board, board.bolts), board.capacity, board.colours, cap)
    if counts[0] < 0:
        raise Unproven(f"dead ends are not counted within {cap:,} states", where="nut")
    return DeadEnds(*counts)
