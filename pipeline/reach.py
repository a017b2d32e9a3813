"""Requests that no level can meet, whatever the random stream: told before any work, where a count shows it.

A generator names the ``Bound``s of its parameters; a gate or a wish outside one of them is refused. What lies within
them may be out of reach all the same: then the search ends at its limit and says what came nearest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from ..games.base import LpbError
from .tiers import Band, Gate

if TYPE_CHECKING:
    from ..generators.base import Bound

SHARES = ("_share", "_survival", "deception", "greedy_ok")  # how the names of what is from 0 to 1 end


class OutOfReach(LpbError):
    """No level of such parameters has such figures. ``figure``: the one that shows it."""

    def __init__(self, what: str, figure: str, *, where: str = "", fix: str = "") -> None:
        super().__init__(what, where=where, fix=fix)
        self.figure = figure


def require_reachable(game: str, blocks: Sequence[Mapping[str, Any]], gate: Gate) -> None:
    """Raises OutOfReach where a band of ``gate`` admits no level of any of the generator's parameters ``blocks`` (one,
    or one for each kind of level), InvalidParams where those are wrong."""
    from ..generators import GENERATORS

    generator = GENERATORS[game]
    bounds = [generator.bounds(generator.params(block)) for block in blocks]
    for name, band in gate.items():
        if band.word is None:
            kinds = [[_natural(name), *(bound for bound in kind if bound.figure == name)] for kind in bounds]
            missed = [next((bound for bound in kind if _is_outside(band, bound)), None) for kind in kinds]
            broken = [bound for bound in missed if bound]
            if len(broken) == len(kinds):
                what = f"no {game} level of these parameters can have {name}={band}: {broken[0].why}"
                raise OutOfReach(what, name, where=game, fix=f"ask for {_hull(broken)}")


def _natural(name: str) -> Bound:
    """What holds in every game."""
    from ..generators.base import Bound

    if name.endswith(SHARES):
        return Bound(name, 0, 1, "it is a share, from 0 to 1")
    least = int(name == "optimal_length")  # no level begins solved
    return Bound(name, least, inf, f"it is never below {least}")


def _is_outside(band: Band, bound: Bound) -> bool:
    return band.low > bound.high or band.high < bound.low


def _hull(bounds: Sequence[Bound]) -> Band:
    return Band(min(bound.low for bound in bounds), max(bound.high for bound in bounds))
