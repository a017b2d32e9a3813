"""A level as a row of a table: what people compute with in columns of their own, everything else as JSON.

The columns and their types are the same for every game and every snapshot; later versions only add some. A figure that
a game does not have is null. The JSON columns hold the whole level, so that ``level_of`` gives it back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..games.base import LpbError
from ..verifiers.certificate import FIGURES
from .level import Level, canonical_json, read_level
from .tiers import INNER, WORDS, all_figures, figure

Kind = Literal["string", "integer", "float"]
COUNTS = frozenset(
    {
        "optimal_length",
        "reachable_states",
        "trap_latency.max",
        "greedy_outcome.moves",
        "floor_cells",
        "required_cells",
        "stops",
        "optimal_steps",
        "depth",
        "free",
        "bait",
        "plan_latency_max",
        "pairs",
        "min_clicks",
        "min_drags",
        "min_edges",
        "n_solutions",
        "n_min",
        "n_min_drags",
        "interaction",
    }
)


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: Kind
    text: str  # what it holds, for people


OUTER = tuple(dict.fromkeys((*FIGURES, *all_figures())))
FIGURE_NAMES = tuple(f"{name}.{inner}" if inner else name for name in OUTER for inner in INNER.get(name, ("",)))


MEANINGS = {
    "optimal_length": "proven minimum number of moves",
    "reachable_states": "states that moves lead to from the start",
    "dead_state_share": "unsolvable share of the reachable unsolved states",
    "fatal_move_share": "share of the legal moves in solvable states that lead to an unsolvable one",
    "trap_latency.max": "most further legal moves after a fatal one, before none is left",
    "trap_latency.mean": "mean of that over the fatal moves",
    "deception": "share of solvable states with a fatal move where the move of most visible progress is fatal",
    "greedy_outcome.result": "what the player of most visible progress comes to: solves, dead_end or loops",
    "greedy_outcome.moves": "after how many moves",
    "random_survival": "probability that a uniform random player solves it",
}


def _figure_column(name: str) -> Column:
    kind: Kind = "string" if name in WORDS else "integer" if name in COUNTS else "float"
    return Column(name.replace(".", "_"), kind, MEANINGS.get(name, f"{name.replace('_', ' ')}; see the game's page"))


COLUMNS = (
    Column("id", "string", "sha256 of game, rules version and board"),
    Column("dedup_key", "string", "the same for boards that differ by a symmetry only"),
    Column("game", "string", "the game's name"),
    Column("tier", "string", "the difficulty"),
    Column("number", "integer", "place in its tier, from 1, by rising difficulty"),
    Column("rules_version", "integer", "version of the game's rules"),
    Column("board", "string", "the board, JSON"),
    Column("solution", "string", "a shortest solution, JSON: a list of moves"),
    *map(_figure_column, FIGURE_NAMES),
    Column("certificate", "string", "what was proven and how, JSON; without the solution"),
    Column("figures", "string", "all figures, JSON"),
    Column("provenance", "string", "where the level comes from, JSON"),
    Column("licence", "string", "the licence of the level"),
)
_JSON = ("board", "figures", "provenance")


def row(level: Level, number: int, licence: str) -> dict[str, str | int | float | None]:
    """The level's values by column, in the columns' order. ``licence``: of levels that were made, not imported. Raises
    LpbError where a count is not a whole number."""
    data = level.to_json()
    certificate = dict(data["certificate"])
    values: dict[str, Any] = {
        **{name: data[name] for name in ("id", "dedup_key", "game", "tier", "rules_version")},
        "number": number,
        "solution": canonical_json(certificate.pop("solution")),
        "certificate": canonical_json(certificate),
        **{name: canonical_json(data[name]) for name in _JSON},
        "licence": _licence(level, licence),
    }
    for name in FIGURE_NAMES:
        values[name.replace(".", "_")] = _value(level, name)
    return {column.name: values[column.name] for column in COLUMNS}


def _licence(level: Level, default: str) -> str:
    """An imported level has its own, or none that is known."""
    imported = "imported_by" in level.provenance
    return str(level.provenance.get("licence") or "unknown") if imported else default


def _value(level: Level, name: str) -> str | int | float | None:
    value = figure(level.figures, name)
    if value is None:
        return None
    if name in WORDS:
        return str(value)
    if name in COUNTS:
        if int(value) != value:
            raise LpbError(f"{name} is {value!r}, not a whole number", where=f"level {level.id[:12]}")
        return int(value)
    return float(value)


def level_of(values: Mapping[str, Any]) -> Level:
    """The level of a row. Raises InvalidLevel."""
    certificate = {**json.loads(values["certificate"]), "solution": json.loads(values["solution"])}
    data = {name: values[name] for name in ("id", "dedup_key", "game", "tier", "rules_version")}
    parts = {name: json.loads(values[name]) for name in _JSON}
    return read_level(json.dumps({**data, **parts, "certificate": certificate}), where=f"row {values['id'][:12]}")
