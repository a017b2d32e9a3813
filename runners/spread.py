"""Means and deviations over seeds: of what was spent, and of everything by the difficulty of the levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from .effort import EFFORT
from .moves import summed
from .played import Played

Spread = dict[str, float | None]
BANDS = ((1, 9), (10, 19), (20, 39), (40, None))  # of the proven minimum; both ends included
UNPROVEN = "unproven"


def mean_and_sd(values: Sequence[float | None]) -> Spread:
    """``sd`` is the sample's, None of one value; both None where a value is, or there is none."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return {"mean": None, "sd": None}
    return {"mean": fmean(known), "sd": stdev(known) if len(known) > 1 else None}


def seed_of(episode: Played) -> int:
    """0 where its record names none."""
    return episode.start.get("seed") or 0


def by_seed(episodes: Iterable[Played]) -> dict[tuple[int, int], list[Played]]:
    """The scored episodes by (seed, n), for the n-th episode of an objective with that seed."""
    seen: Counter[tuple[Any, ...]] = Counter()
    found: dict[tuple[int, int], list[Played]] = {}
    for episode in episodes:
        if episode.row:
            seed = seed_of(episode)
            seen[episode.objective, seed] += 1
            found.setdefault((seed, seen[episode.objective, seed]), []).append(episode)
    return dict(sorted(found.items()))


# --- effort -----------------------------------------------------------------------------------------------------------


def effort_spread(parts: Sequence[Mapping[str, float | None]]) -> dict[str, Spread]:
    """Of each kind of effort, over episodes."""
    return {name: mean_and_sd([part[name] for part in parts]) for name in EFFORT}


def effort_sum(parts: Iterable[Mapping[str, float | None]]) -> dict[str, float | None]:
    """None where a part did not log it, or there is none."""
    known = list(parts)
    values = {name: [part[name] for part in known] for name in EFFORT}
    return {name: None if None in own or not own else sum(v or 0 for v in own) for name, own in values.items()}


# --- difficulty -------------------------------------------------------------------------------------------------------


def bucket_of(optimal_length: int | None) -> str:
    """The band of a level's proven minimum, as ``10-19`` or ``40+``."""
    for low, high in BANDS:
        if optimal_length is not None and low <= optimal_length and (high is None or optimal_length <= high):
            return f"{low}+" if high is None else f"{low}-{high}"
    return UNPROVEN


def buckets(episodes: Iterable[Played]) -> list[dict[str, Any]]:
    """The levels of each game by difficulty, the easy ones first. A seed's figure is the mean over its levels; mean and
    deviation are over the seeds that have played as many levels as any; ``incomplete`` counts the others. ``moves``:
    of all levels and seeds together."""
    parts: dict[tuple[str, str], dict[tuple[int, int], list[dict[str, Any]]]] = {}
    for seed, own in by_seed(episodes).items():
        for episode in own:
            for index, level in enumerate(episode.result["levels"]):
                place = episode.objective[0], bucket_of(level["optimal_length"])
                parts.setdefault(place, {}).setdefault(seed, []).append(_level(episode, index))
    order = [bucket_of(low) for low, _ in BANDS] + [UNPROVEN]
    return [_bucket(*place, parts[place]) for place in sorted(parts, key=lambda p: (p[0], order.index(p[1])))]


def _level(episode: Played, index: int) -> dict[str, Any]:
    result, effort = episode.result["levels"][index], episode.level_effort[index]
    least, won = result["optimal_length"], result["winning_moves"]
    figures: dict[str, float | None] = {
        "LC": 100.0 * result["solved"],
        "FGP": 100 * result["progress"],
        "reached": 100.0 * result["reached"],
    }
    ratio = won / least if won is not None and least else None
    return {"figures": figures | dict(effort), "ratio": ratio, "moves": episode.moves and episode.moves[index]}


def _bucket(game: str, band: str, seeds: Mapping[tuple[int, int], Sequence[dict[str, Any]]]) -> dict[str, Any]:
    most = max(len(levels) for levels in seeds.values())
    complete = [levels for levels in seeds.values() if len(levels) == most]
    names = complete[0][0]["figures"]
    counted = [level["moves"] for levels in seeds.values() for level in levels if level["moves"]]
    ratios = [[level["ratio"] for level in levels if level["ratio"] is not None] for levels in complete]
    return {
        "game": game,
        "bucket": band,
        "levels": most,
        "seeds": len(complete),
        "incomplete": len(seeds) - len(complete),
        "spread": {
            **{name: mean_and_sd([_mean(levels, name) for levels in complete]) for name in names},
            "moves_ratio": mean_and_sd([fmean(own) for own in ratios if own]),
        },
        "moves": summed(counted) if counted else None,
    }


def _mean(levels: Sequence[dict[str, Any]], name: str) -> float | None:
    values = [level["figures"][name] for level in levels]
    return None if None in values else fmean(values)
