"""How sure a metric is: a percentile bootstrap that draws objectives, with replacement, within each game.

The cluster unit is the objective: its levels and its episodes stay together, for they are not independent of one
another. Two agents are compared by the same draws of the objectives that both have played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .paper_metrics import METRICS, Floats, Pooled, known, metrics

DRAWS = 10_000
SEED = 20260934  # fixed: the same records give the same intervals
LEVEL = 0.95
UNIT = "objectives within games"
ONLY: dict[str, Callable[[Pooled], bool]] = {"LC_hard": lambda o: o.hard, "H50": lambda o: bool(o.at_least)}


def weights(objectives: Sequence[Pooled], draws: int = DRAWS) -> Floats:
    """float64[draws, objectives]: how often each objective was drawn; within a game as many as there are."""
    generator = np.random.default_rng(SEED)
    drawn = np.zeros((draws, len(objectives)))
    for game in dict.fromkeys(o.game for o in objectives):
        own = [i for i, o in enumerate(objectives) if o.game == game]
        drawn[:, own] = generator.multinomial(len(own), np.full(len(own), 1 / len(own)), size=draws)
    return drawn


def can_vary(objectives: Sequence[Pooled]) -> bool:
    """Whether some game has two objectives: one alone says nothing of its spread."""
    games = [o.game for o in objectives]
    return len(set(games)) < len(games)


def intervals(objectives: Sequence[Pooled]) -> dict[str, list[float] | None]:
    """By metric [low, high], the central 95 % of the draws; None where it is not defined, or where nothing varies."""
    return {name: _central(values) for name, values in _drawn(objectives).items()}


def differences(first: Sequence[Pooled], second: Sequence[Pooled]) -> dict[str, dict[str, Any]]:
    """By metric: ``difference`` first - second, its ``interval``, and ``first_ahead``, the share of draws in which it
    is above zero. The two hold the same objectives in the same order. Raises ValueError where they do not."""
    if [(o.game, o.tier) for o in first] != [(o.game, o.tier) for o in second]:
        raise ValueError("not the same objectives")
    found: dict[str, dict[str, Any]] = {}
    here, there = metrics(first), metrics(second)
    ours, theirs = _drawn(first), _drawn(second)
    for name in METRICS:
        gap = ours[name] - theirs[name] if len(ours[name]) == len(theirs[name]) else np.empty(0)
        interval = _central(gap)
        found[name] = {
            "difference": known(here[name][0] - there[name][0]),
            "interval": interval,
            "first_ahead": None if interval is None else float(np.mean(gap > 0)),
        }
    return found


def _drawn(objectives: Sequence[Pooled]) -> dict[str, Floats]:
    """By metric its values, float64[draws], empty where nothing varies. Each draws among the objectives that it looks
    at."""
    found = {name: np.empty(0) for name in METRICS}
    for names, chosen in (
        ([name for name in METRICS if name not in ONLY], list(objectives)),
        *(([name], [o for o in objectives if looks_at(o)]) for name, looks_at in ONLY.items()),
    ):
        if can_vary(chosen):
            values = metrics(chosen, weights(chosen))
            found |= {name: values[name] for name in names}
    return found


def _central(values: Floats) -> list[float] | None:
    if not len(values) or np.isnan(values).any():
        return None
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return [float(low), float(high)]
