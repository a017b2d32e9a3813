"""The paper's nine metrics of an agent, from one row an episode. Pure: the same code computes the published table.

Definitions: LongPuzzleBench, section 4.1 and appendix A. Unless said otherwise a figure is averaged over the episodes
of an objective, then over the objectives of a game, then over the games (*game-macro*); values in %.

OSR      episodes that won every level            H50   most levels k that half the episodes win, ten-level objectives
LC       won levels                               PER   episodes that the agent ended without success; pooled
FGP      largest potential seen, 1 where won      SMR   episodes with play elsewhere than asked for; pooled
LC_hard  LC above each game's easiest tier        NGAR  native steps among all steps, code setting; pooled
LPR      won among reached levels, pooled over an objective's episodes
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Benchmark = Mapping[str, tuple[str, ...]]  # game -> its tiers, by rising difficulty

# the 16 objectives that a ranked result covers; other cells of a catalogue are reported beside them
BENCHMARK: Benchmark = {
    "bolt": ("easy", "hard"),
    "rush": ("easy", "medium", "hard"),
    "nut": ("easy", "medium", "hard", "extreme", "nightmare"),
    "truck": ("default",),
    "maze": ("easy", "medium", "hard"),
    "color": ("easy", "hard"),
}
METRICS = ("OSR", "LC", "FGP", "LPR", "H50", "LC_hard", "PER", "SMR", "NGAR")
HORIZON = 10  # levels of the objectives that H50 looks at


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One scored episode. ``levels``, ``won``: how many; ``potential``: the sum over the levels of the largest
    potential that was seen, 1 where won; ``ready``: levels of which a ready play state was seen, None where that is not
    known; ``exited``: the agent ended it, without success; ``mismatched``: play in another game or tier was seen; the
    steps are None where they were not told apart."""

    agent: str
    setting: str
    game: str
    tier: str
    levels: int
    won: int
    potential: float
    ready: int | None = None
    exited: bool = False
    mismatched: bool = False
    native_steps: int | None = None
    other_steps: int | None = None

    @property
    def objective(self) -> tuple[str, str]:
        return self.game, self.tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """The episodes of one objective. ``at_least``: for k = 1 ... 10 the share of episodes that won k levels, empty
    where the objective has another number of levels; sums of what some episode does not tell are NaN."""

    game: str
    tier: str
    hard: bool
    episodes: int
    osr: float
    lc: float
    fgp: float
    won: float
    ready: float
    exits: float
    mismatches: float
    native_steps: float
    steps: float
    at_least: tuple[float, ...]


def is_of(benchmark: Benchmark, objective: tuple[str, str]) -> bool:
    """Whether an objective, (game, tier), is one of the benchmark's."""
    game, tier = objective
    return tier in benchmark.get(game, ())


def covered(rows: Iterable[Row], benchmark: Benchmark = BENCHMARK) -> set[tuple[str, str]]:
    """The benchmark's objectives that the rows hold an episode of."""
    return {row.objective for row in rows if is_of(benchmark, row.objective)}


def coverage_label(count: int, benchmark: Benchmark = BENCHMARK) -> str:
    """``full``, or ``partial n/16``: such a result has no rank, and what it misses is not zero."""
    whole = sum(len(tiers) for tiers in benchmark.values())
    return "full" if count == whole else f"partial {count}/{whole}"


def pooled(rows: Iterable[Row], benchmark: Benchmark = BENCHMARK) -> list[Pooled]:
    """The rows by objective, in the benchmark's order; rows of other objectives are left out."""
    by_objective: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_objective.setdefault(row.objective, []).append(row)
    order = [(game, tier) for game, tiers in benchmark.items() for tier in tiers]
    return [pool(by_objective[o], hard=o[1] != benchmark[o[0]][0]) for o in order if o in by_objective]


def pool(rows: Sequence[Row], *, hard: bool = False) -> Pooled:
    """The episodes of one objective; ``hard``: it is above its game's easiest tier."""
    count = len(rows)
    ten = all(row.levels == HORIZON for row in rows)
    native = _total(row.native_steps for row in rows)
    return Pooled(
        game=rows[0].game,
        tier=rows[0].tier,
        hard=hard,
        episodes=count,
        osr=100 * sum(row.won == row.levels for row in rows) / count,
        lc=100 * sum(row.won / row.levels for row in rows) / count,
        fgp=100 * sum(row.potential / row.levels for row in rows) / count,
        won=sum(row.won for row in rows),
        ready=_total(row.ready for row in rows),
        exits=sum(row.exited for row in rows),
        mismatches=sum(row.mismatched for row in rows),
        native_steps=native,
        steps=native + _total(row.other_steps for row in rows),
        at_least=tuple(sum(row.won >= k for row in rows) / count for k in range(1, HORIZON + 1)) if ten else (),
    )


def _total(values: Iterable[int | None]) -> float:
    return float(sum(np.nan if value is None else value for value in values))


def metrics(objectives: Sequence[Pooled], weights: Floats | None = None) -> dict[str, Floats]:
    """Every metric, once for each row of ``weights``, float64[draws, objectives]: how often an objective counts (once
    by default, which gives arrays of one value). NaN where a metric is not defined."""
    w = np.ones((1, len(objectives))) if weights is None else weights
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "OSR": _macro(objectives, w, [o.osr for o in objectives]),
            "LC": _macro(objectives, w, [o.lc for o in objectives]),
            "FGP": _macro(objectives, w, [o.fgp for o in objectives]),
            "LPR": _macro(objectives, w, [100 * o.won / o.ready if o.ready else np.nan for o in objectives]),
            "H50": _horizon(objectives, w),
            "LC_hard": _macro(objectives, w * [o.hard for o in objectives], [o.lc for o in objectives]),
            "PER": _ratio(w, [o.exits for o in objectives], [o.episodes for o in objectives]),
            "SMR": _ratio(w, [o.mismatches for o in objectives], [o.episodes for o in objectives]),
            "NGAR": _ratio(w, [o.native_steps for o in objectives], [o.steps for o in objectives]),
        }


def _macro(objectives: Sequence[Pooled], w: Floats, values: Sequence[float]) -> Floats:
    """The mean over the games of the weighted mean over their objectives; games without weight are left out."""
    sums, games = np.zeros(len(w)), np.zeros(len(w))
    for game in dict.fromkeys(o.game for o in objectives):
        own = [i for i, o in enumerate(objectives) if o.game == game]
        weight = w[:, own].sum(axis=1)
        total = (np.where(w[:, own] > 0, np.array(values)[own], 0.0) * w[:, own]).sum(axis=1)
        sums += np.where(weight > 0, total / weight, 0.0)
        games += weight > 0
    return sums / games


def _horizon(objectives: Sequence[Pooled], w: Floats) -> Floats:
    ten = [i for i, o in enumerate(objectives) if o.at_least]
    weight = w[:, ten].sum(axis=1)
    shares = w[:, ten] @ np.array([objectives[i].at_least for i in ten]).reshape(len(ten), HORIZON)
    # S(k) falls with k, so the largest k with S(k) >= 1/2 is their number
    reached = (2 * shares >= weight[:, None]).sum(axis=1).astype(np.float64)
    return np.where(weight > 0, reached, np.nan)


def _ratio(w: Floats, parts: Sequence[float], wholes: Sequence[float]) -> Floats:
    return 100 * (w @ np.array(parts, np.float64)) / (w @ np.array(wholes, np.float64))


def figures(objectives: Sequence[Pooled]) -> dict[str, float | None]:
    """Every metric as a number, None where it is not defined."""
    if not objectives:
        return dict.fromkeys(METRICS)
    return {name: known(values[0]) for name, values in metrics(objectives).items()}


def known(value: Any) -> float | None:
    return None if isnan(value) else float(value)


def printed(name: str, value: float | None) -> str:
    """A figure as the paper prints it: one decimal, H50 as a count; empty where it is not defined."""
    if value is None:
        return ""
    if name == "H50":
        return f"{value:.0f}+" if value >= HORIZON else f"{value:.0f}"
    return f"{value:.1f}"
