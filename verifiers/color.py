"""Proves a Color Connect level without its generator: replays the solution, counts all solutions, asks CP-SAT for less.

In this order, all with the verifier's own code:

- *count by mates*: every solution, and so the fewest corners, up to ``STATE_LIMIT`` states;
- *CP-SAT*: no solution has fewer corners; where there is one solution only, no other exists.

Either proves the optimum: a line of n straight pieces takes n + 1 clicks, one for its dot and one for each piece, for
no click draws more than one straight piece of one line. What CP-SAT cannot decide within its effort is left to the
count, and the other way round; where they contradict each other, or the claim, the level is refused.

Nothing can be lost: a click on a dot erases its line.
"""

from __future__ import annotations

from typing import Any

from ..games.base import Claim, Unproven, states_along
from ..games.color import GAME, Board
from .base import Figures, Verifier, replay
from .certificate import FIGURES, Certificate, ProofFailed, certified

VERSION = 1
STATE_LIMIT = 40_000_000  # some 60 bytes a state of two layers: within 4 GiB
STRICT_LIMIT = 4_000_000  # states, to tell whether a board with one filling solution has others

ERASABLE = "no dead ends: every line can be erased"


def verify(board: Board, claim: Claim, *, limit: int = STATE_LIMIT) -> tuple[Certificate, Figures]:
    """Checks ``claim`` and computes the figures (defined in ``color_figures``). Raises ProofFailed, Unproven."""
    from .color_figures import figures_of
    from .color_mates import count

    length = replay(GAME, board, claim, moves="clicks", unsolved="a pair apart or a cell to fill")
    *_, last = states_along(GAME, board, claim.solution)
    corners = length - 2 * len(board.pairs)
    counted = count(board, limit)
    proofs = []
    if counted is not None:
        if counted.solutions == 0:
            raise AssertionError(f"no solution is counted where one replays, on {GAME.dump(board)}")
        if counted.corners < corners:
            clicks = counted.corners + 2 * len(board.pairs)
            raise ProofFailed(f"{clicks} clicks suffice, not {length}", where="color")
        if counted.corners > corners:
            raise AssertionError(f"the count finds {counted.corners} corners at least, on {GAME.dump(board)}")
        proofs.append("count by mates")
    unique = None if counted is None else counted.solutions == 1
    if _is_least(board, corners):
        proofs.append("CP-SAT")
    if not proofs:
        raise Unproven(f"not proven within {limit:,} states, nor by CP-SAT", where="color")
    if unique is not False:
        unique = _is_unique(board, last.lines, unique)
    figures, methods = figures_of(board, length, counted, unique, strict=_is_strict(board, counted, unique))
    for name, value in claim.evidence.items():
        if figures.get(name) is not None and figures[name] != value:
            raise ProofFailed(f"{name} is {figures[name]}, not {value!r}", where="color")
    certificate = certified(
        claim,
        f"color {VERSION}",
        proofs=proofs,
        dead_ends=ERASABLE,
        states_examined=0 if counted is None else counted.states,
        methods=methods,
    )
    return certificate, figures


def refute(board: Board, *, limit: int = STATE_LIMIT) -> str | None:
    """Why ``board`` has no solution, or None where it has one. Raises Unproven."""
    from .color_cpsat import Question
    from .color_mates import count

    counted = count(board, limit)
    if counted is not None and counted.solutions:
        return None
    try:
        found = Question(board).find()
    except Unproven:
        if counted is None:
            raise Unproven(f"not proven within {limit:,} states, nor by CP-SAT", where="color") from None
        return f"count by mates: none of {counted.states:,} states goes on to a solution"
    if found is not None and counted is not None:
        raise AssertionError(f"CP-SAT solves what has no solution by the count: {GAME.dump(board)}")
    if found is not None:
        return None
    rule = " and fill every cell" if board.cover else ""
    return f"CP-SAT: no lines join all pairs{rule}" + (
        "" if counted is None else f"; count by mates: none of {counted.states:,} states goes on to a solution"
    )


def _is_least(board: Board, corners: int) -> bool:
    """Whether CP-SAT proves that there is no solution with fewer corners; False where it cannot decide. Raises
    ProofFailed."""
    from .color_cpsat import Question

    question = Question(board)
    question.fewer_corners(corners)
    try:
        found = question.find()
    except Unproven:
        return False
    if found is not None:
        raise ProofFailed("CP-SAT finds a solution with fewer clicks", where="color")
    return True


def _is_unique(board: Board, lines: tuple[tuple[int, ...], ...], counted: bool | None) -> bool | None:
    """Whether there is no other solution; None where neither count nor CP-SAT tells."""
    from .color_cpsat import Question

    question = Question(board)
    question.unlike(lines)
    try:
        found = question.find()
    except Unproven:
        return counted
    if found is not None and counted:
        raise AssertionError(f"CP-SAT finds a second solution of {GAME.dump(board)}")
    return found is None


def _is_strict(board: Board, counted: Any, unique: bool | None) -> bool | None:
    """Whether the only solution stays the only one where no cell need be filled; None where that is not known."""
    from .color_mates import count

    if not unique or not board.cover:
        return unique
    free = count(board, STRICT_LIMIT, cover=False)
    return None if free is None else free.solutions == 1


NEVER = ("reachable_states", "trap_latency", "deception")  # known, on no level
VERIFIER: Verifier[Board] = Verifier(
    game="color",
    version=VERSION,
    verify=verify,
    refute=refute,
    figures=(
        *(name for name in FIGURES if name not in NEVER),
        *("pairs", "min_clicks", "min_drags", "min_edges", "n_solutions", "n_min", "n_min_drags"),
        *("uniqueness", "interaction", "greedy_ok"),
    ),
)
