"""What a verifier is: it takes a board and a claim, trusts neither, and returns what it could prove."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ..games.base import AnyGame, Claim, IllegalMove, states_along
from .certificate import FIGURES, Certificate, ProofFailed

B = TypeVar("B")
Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier(Generic[B]):
    """``verify``: proves a claim by an independent method and computes every figure of a level (raises ProofFailed
    where the claim is wrong, Unproven where the deterministic limit ended the proof); ``refute``: proves that a board
    has no solution and returns the argument in words, or None where it has one (raises Unproven); ``figures``: the
    names of all figures that a level of this game can have, those left out that are null whatever the level; ``added``:
    the version since which there is a figure, 1 where it is not named; ``guided``: methods that lean on what never
    enters a certificate, and what each is called without it."""

    game: str
    version: int
    verify: Callable[[B, Claim], tuple[Certificate, Figures]]
    refute: Callable[[B], str | None]
    figures: tuple[str, ...] = FIGURES
    added: Mapping[str, int] = field(default_factory=dict)
    guided: Mapping[str, str] = field(default_factory=dict)


AnyVerifier = Verifier[Any]


def replay(game: AnyGame, board: Any, claim: Claim, *, moves: str, unsolved: str) -> int:
    """The number of moves of a claim's solution, if it solves the board by the rules and the claim's own bound matches.
    ``moves``: what moves are called; ``unsolved``: what a solution that stops short leaves. Raises ProofFailed."""
    shapes = (
        (claim.solution, tuple | list),
        (claim.lower, int),
        (claim.method, str),
        (claim.evidence, Mapping),
    )
    if not all(isinstance(value, kind) for value, kind in shapes) or isinstance(claim.lower, bool):
        raise ProofFailed("not a claim: it needs a list of moves, an integer, a method and evidence", where=game.name)
    length = len(claim.solution)
    try:
        *_, last = states_along(game, board, claim.solution)
    except IllegalMove as error:
        raise ProofFailed(f"the solution does not replay: {error.what}", where=game.name) from None
    if not game.solved(board, last):
        raise ProofFailed(f"the solution leaves {unsolved}", where=game.name)
    if claim.lower > length:
        what = f"the claimed bound of {claim.lower} {moves} is refuted by a solution of {length}"
        raise ProofFailed(what, where=game.name)
    if claim.lower < length:
        what = f"the claim proves {claim.lower} {moves} and shows a solution of {length}"
        raise ProofFailed(what, where=game.name)
    return length
