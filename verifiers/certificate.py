"""The certificate that every level carries, and the figures that every game reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..games.base import Claim, LpbError

FIGURES = (
    "optimal_length",
    "reachable_states",
    "dead_state_share",
    "fatal_move_share",
    "trap_latency",
    "deception",
    "greedy_outcome",
    "random_survival",
)


class ProofFailed(LpbError):
    """A claim that does not hold: the solution does not replay, or the bound is refuted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What was proven of a level, by what means.

    ``solution``: moves that solve it; ``upper``: their number; ``lower``: the proven minimum; ``proofs``: every method
    that established ``lower``, the verifier's own first, e.g. ``("potential", "exhaustive search")``; ``evidence``:
    data that lets anyone check the bound without a solver (JSON, integers), or empty; ``dead_ends``: how the dead-end
    figures were obtained; ``states_examined``: how many states the verifier looked at, for the bound and for the dead
    ends together (0 where arguments decide both); ``methods``: for each figure that is not exact, how it was obtained;
    ``verifier``: name and version.
    """

    solution: tuple[Any, ...]
    upper: int
    lower: int
    proofs: tuple[str, ...]
    evidence: Mapping[str, Any]
    dead_ends: str
    states_examined: int
    methods: Mapping[str, str]
    verifier: str


def certified(
    claim: Claim,
    verifier: str,
    *,
    proofs: Sequence[str],
    dead_ends: str,
    states_examined: int,
    methods: Mapping[str, str],
    evidence: Mapping[str, Any] | None = None,
) -> Certificate:
    """The certificate of a claim whose solution was replayed and whose length was proven to be the minimum by
    ``proofs``, the verifier's own methods; the generator's is named behind them. The rest as in ``Certificate``."""
    length = len(claim.solution)
    return Certificate(
        solution=tuple(claim.solution),
        upper=length,
        lower=length,
        proofs=(*proofs, claim.method),
        evidence=evidence or {},
        dead_ends=dead_ends,
        states_examined=states_examined,
        methods=methods,
        verifier=verifier,
    )
