"""Gates: bands on certified figures, as params.yaml and ``--where`` write them.

A gate is a mapping from figure to band. Bands: ``[18, 25]`` or ``18..25`` (both ends included), ``18..`` or ``..25``
(one end), ``7`` (exactly). A figure inside another is named with a dot (``trap_latency.mean``). A word must be equal
(``greedy_outcome.result=loops``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from ..games.base import LpbError
from ..verifiers.certificate import FIGURES

EXTRA_FIGURES = ("zero_progress_share", "floor_cells", "required_cells", "stops", "nearest_ratio", "optimal_steps")


class InvalidGate(LpbError):
    """A band that cannot be read, or a figure that does not exist."""


@dataclass(frozen=True, slots=True)
class Band:
    """Numbers from ``low`` to ``high``, both included, or exactly ``word``."""

    low: float = -inf
    high: float = inf
    word: str | None = None

    def admits(self, value: Any) -> bool:
        """False for a figure that is missing or null: what is not known passes no gate."""
        if self.word is not None:
            return str(value) == self.word
        return isinstance(value, int | float) and not isinstance(value, bool) and self.low <= value <= self.high

    def __str__(self) -> str:
        if self.word is not None:
            return self.word
        if self.low == self.high:
            return f"{self.low:g}"
        return (
            f"{'' if self.low == -inf else format(self.low, 'g')}..{'' if self.high == inf else format(self.high, 'g')}"
        )


Gate = Mapping[str, Band]


def figure(figures: Mapping[str, Any], name: str) -> Any:
    """The figure called ``name`` (dots go inside), or None."""
    value: Any = figures
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def failed_band(figures: Mapping[str, Any], gate: Gate) -> str | None:
    """The name of the first figure that its band does not admit, or None where the level passes the gate."""
    return next((name for name, band in gate.items() if not band.admits(figure(figures, name))), None)


def read_gate(value: Any, *, where: str) -> dict[str, Band]:
    """A gate from a params.yaml mapping. Raises InvalidGate."""
    if not isinstance(value, Mapping):
        raise InvalidGate(f"a gate maps figures to bands, not {value!r}", where=where)
    return {_figure_name(name, where): _band(band, f"{where}.{name}") for name, band in value.items()}


def read_where(words: tuple[str, ...]) -> dict[str, Band]:
    """A gate from ``--where`` words such as ``optimal_length=18..25``. Raises InvalidGate."""
    gate = {}
    for word in words:
        for part in word.split(","):
            name, equals, band = (s.strip() for s in part.partition("="))
            if not equals:
                raise InvalidGate(f"{part!r} has no '='", where="--where", fix='write "optimal_length=18..25"')
            gate[_figure_name(name, "--where")] = _band(band, f"--where {name}")
    return gate


def _figure_name(name: Any, where: str) -> str:
    known = (*FIGURES, *EXTRA_FIGURES)
    if not isinstance(name, str) or name.split(".")[0] not in known:
        raise InvalidGate(f"there is no figure {name!r}", where=where, fix=f"use one of {', '.join(known)}")
    return name


def _band(value: Any, where: str) -> Band:
    if isinstance(value, list | tuple) and len(value) == 2:
        low, high = (_number(v, where) for v in value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        low = high = _number(value, where)
    elif isinstance(value, str) and ".." in value:
        left, _, right = value.partition("..")
        low = _number(left, where) if left.strip() else -inf
        high = _number(right, where) if right.strip() else inf
    elif isinstance(value, str) and value:
        try:
            low = high = float(value)
        except ValueError:
            return Band(word=value)
    else:
        raise InvalidGate(f"{value!r} is not a band", where=where, fix="write [18, 25], '18..25' or a single value")
    if not low <= high:
        raise InvalidGate(f"the band {value!r} is empty", where=where, fix="put the smaller number first")
    return Band(low, high)


def _number(value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidGate(f"{value!r} is not a number", where=where) from None
    if number != number:
        raise InvalidGate("a band's end is not a number", where=where)
    return number
