"""A board of any origin, proven: the solver claims and the verifier checks, or both say that there is no solution."""

from __future__ import annotations

from typing import Any

from ..games.base import AnyGame, LpbError, Unsolvable
from ..verifiers.base import Figures
from ..verifiers.certificate import Certificate


class Refuted(LpbError):
    """Proven unsolvable by solver and verifier; ``proof`` is the verifier's argument."""

    def __init__(self, what: str, *, where: str = "", fix: str = "", proof: str = "") -> None:
        super().__init__(what, where=where, fix=fix)
        self.proof = proof


def prove(game: AnyGame, board: Any) -> tuple[Certificate, Figures]:
    """The certificate and the figures of a parsed board. Raises Refuted, Unproven; ProofFailed or RuntimeError where
    the two methods disagree."""
    from ..generators import GENERATORS
    from ..verifiers import VERIFIERS

    try:
        claim = GENERATORS[game.name].solve(board)
    except Unsolvable as error:
        argument = VERIFIERS[game.name].refute(board)
        if argument is None:
            raise RuntimeError(f"two methods disagree on {game.dump(board)}: solver says {error}") from error
        raise Refuted(f"proven unsolvable: {error.what}", proof=argument) from None
    return VERIFIERS[game.name].verify(board, claim)
