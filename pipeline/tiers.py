"""Gates: bands on certified figures, as params.yaml and ``--where`` write them.

A gate is a mapping from figure to band. Bands: ``[18, 25]`` or ``18..25`` (both ends included), ``18..`` or ``..25``
(one end), ``7`` (exactly). A figure inside another is named with a dot (``trap_latency.mean``). A word must be equal
(``greedy_outcome.result=loops``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from ..games.base import LpbError
from ..verifiers.certificate import FIGURES

# figures with others inside; of all, only these are words
INNER = {"trap_latency": ("max", "mean"), "greedy_outcome": ("result", "moves")}
WORDS = {"greedy_outcome.result": ("solves", "dead_end", "loops")}
EXTRA_FIGURES = (
    "zero_progress_share",
    "floor_cells",
    "required_cells",
    "stops",
    "nearest_ratio",
    "optimal_steps",
    "finisher_survival",
)


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
    return {_figure_name(name, where): _band(name, band, f"{where}.{name}") for name, band in value.items()}


def read_where(words: tuple[str, ...]) -> dict[str, Band]:
    """A gate from ``--where`` words such as ``optimal_length=18..25``. Raises InvalidGate."""
    gate: dict[str, Band] = {}
    for part in (part for word in words for part in re.split(r",(?![^\[]*\])", word)):
        name, equals, band = (s.strip() for s in part.partition("="))
        if not equals:
            raise InvalidGate(f"{part!r} has no '='", where="--where", fix='write "optimal_length=18..25"')
        name = _figure_name(name, "--where")
        if name in gate:
            raise InvalidGate(f"{name} is asked for twice", where="--where", fix="give one band")
        if band.startswith("[") and band.endswith("]"):  # as in params.yaml
            gate[name] = _band(name, [end.strip() for end in band[1:-1].split(",")], f"--where {name}")
        else:
            gate[name] = _band(name, band, f"--where {name}")
    return gate


def _figure_name(name: Any, where: str) -> str:
    outer, _, inner = name.partition(".") if isinstance(name, str) else ("", "", "")
    known = [f"{n}.{i}" for n in FIGURES for i in INNER.get(n, ())]
    known = sorted({*known, *(n for n in (*FIGURES, *EXTRA_FIGURES) if n not in INNER)})
    if outer in INNER and inner not in INNER[outer]:
        raise InvalidGate(
            f"{outer} has several figures inside",
            where=where,
            fix=f"use {' or '.join(k for k in known if k.startswith(outer))}",
        )
    if name not in known:
        raise InvalidGate(f"there is no figure {name!r}", where=where, fix=f"use one of {', '.join(known)}")
    return str(name)


def _band(name: str, value: Any, where: str) -> Band:
    if name in WORDS:
        if value not in WORDS[name]:
            raise InvalidGate(f"{value!r} is none of its words", where=where, fix=f"use {' or '.join(WORDS[name])}")
        return Band(word=value)
    if isinstance(value, list | tuple) and len(value) == 2:
        low, high = (_number(v, where) for v in value)
    elif isinstance(value, str) and ".." in value:
        left, _, right = value.partition("..")
        low = _number(left, where) if left.strip() else -inf
        high = _number(right, where) if right.strip() else inf
    elif isinstance(value, int | float | str) and not isinstance(value, bool) and value != "":
        low = high = _number(value, where)
    else:
        raise InvalidGate(f"{value!r} is not a band", where=where, fix="write [18, 25], '18..25' or a single value")
    if not low <= high:
        raise InvalidGate(f"the band {value!r} is empty", where=where, fix="put the smaller number first")
    return Band(low, high)


def _number(value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidGate(f"{value!r} is not a number", where=where, fix="write 18..25, or one number") from None
    if number != number:
        raise InvalidGate("a band's end is not a number", where=where)
    return number
