"""``lpb-gen compare``: whether two snapshots of the same tiers are interchangeable, cell by cell.

A cell is *parallel* in two snapshots if the means of its ``optimal_length`` differ by less than one tier-internal
standard error, and each reference agent's LC by less than its interval. The standard error is that of the mean of one
form: the pooled standard deviation inside the tier over the square root of the number of levels (their harmonic mean,
where the two differ). The interval of a difference is a percentile bootstrap over levels; a level that both forms have
is one and the same in each draw, so a snapshot is exactly equal to itself.

For its LC here, an agent plays each level by itself on the direct surface, so that a level that it does not solve hides
none behind it, and has ``PATIENCE`` actions for each move of the minimum: a count, never a clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Literal

from ..pipeline.distribution import Distribution, describe, figure_distributions, side_by_side
from ..pipeline.level import Level
from ..pipeline.params import Cell
from ..pipeline.revisions import Pin
from ..pipeline.snapshot import Snapshot
from ..pipeline.workers import in_order
from . import actions
from .agents import AGENTS
from .agents.base import Answer
from .direct import DirectSurface
from .episode import Terms
from .session import Session
from .view import Objective

PLAYERS = ("oracle", "random", "greedy")
FEWEST = 5  # levels; of fewer, no spread can be told
PATIENCE = 20
MENU_CLICKS = 10  # actions beyond, for the way to the board
SEEDS = {"random": 5}  # how often an agent plays a level, where that is not once
DRAWS = 10_000
CONFIDENCE = 0.95

Verdict = Literal["parallel", "not parallel", "too few levels"]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Play:
    """One level to be played by one agent."""

    level: Level
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentScores:
    """One agent's LC in % in both snapshots, with the intervals of each and of their difference (second - first)."""

    first: float
    second: float
    first_interval: Interval
    second_interval: Interval
    difference: Interval

    @property
    def agrees(self) -> bool:
        """Whether the difference is within its interval of none."""
        return self.difference[0] <= 0 <= self.difference[1]

    def to_json(self) -> dict[str, Any]:
        return {
            "LC": [self.first, self.second],
            "intervals": [list(self.first_interval), list(self.second_interval)],
            "difference_interval": list(self.difference),
            "agrees": self.agrees,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CellComparison:
    """``figures``: by name, the distributions in both; ``lengths``: every optimal length in both; ``shared``: how many
    levels both have; ``agents``: by name, empty where there are too few levels; ``why``: what speaks against parallel
    forms."""

    levels: tuple[int, int]
    shared: int
    figures: tuple[Mapping[str, Distribution], Mapping[str, Distribution]]
    lengths: tuple[tuple[int, ...], tuple[int, ...]]
    standard_error: float | None
    agents: Mapping[str, AgentScores]
    verdict: Verdict
    why: tuple[str, ...]

    @property
    def difference(self) -> float | None:
        """Of the mean optimal lengths, second - first."""
        first, second = (side.get("optimal_length") for side in self.figures)
        return second.mean - first.mean if first and second else None

    def to_json(self) -> dict[str, Any]:
        return {
            "levels": list(self.levels),
            "shared": self.shared,
            "verdict": self.verdict,
            "why": list(self.why),
            "optimal_length": {
                "difference": None if self.difference is None else round(self.difference, 6),
                "standard_error": None if self.standard_error is None else round(self.standard_error, 6),
            },
            "agents": {name: scores.to_json() for name, scores in self.agents.items()},
            "figures": side_by_side(*self.figures),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    first: Pin
    second: Pin
    cells: Mapping[Cell, CellComparison]

    def to_json(self) -> dict[str, Any]:
        return {
            "first": self.first.to_json(),
            "second": self.second.to_json(),
            "cells": {str(cell): one.to_json() for cell, one in self.cells.items()},
        }


def compare(
    first: Snapshot, second: Snapshot, executor: Executor, tick: Callable[[int], None] = lambda done: None
) -> Comparison:
    """Every cell that one of them has. ``tick`` is told how many plays are done, of ``number_of_plays``."""
    cells = sorted({*first.cells, *second.cells})
    sides = {cell: (first.cells.get(cell, ()), second.cells.get(cell, ())) for cell in cells}
    solved = dict[tuple[str, str], float]()
    for play, share in in_order(executor, play_level, _plays(sides)):
        solved[play.level.id, play.agent] = share
        tick(len(solved))
    return Comparison(first.pin, second.pin, {cell: compare_cell(*sides[cell], solved) for cell in cells})


def number_of_plays(first: Snapshot, second: Snapshot) -> int:
    cells = {*first.cells, *second.cells}
    return sum(1 for _ in _plays({cell: (first.cells.get(cell, ()), second.cells.get(cell, ())) for cell in cells}))


def _plays(sides: Mapping[Cell, tuple[Sequence[Level], Sequence[Level]]]) -> Iterator[Play]:
    """Each level once for each agent, in the cells that have enough of them."""
    for one, other in sides.values():
        if min(len(one), len(other)) >= FEWEST:
            for level in {level.id: level for level in (*one, *other)}.values():
                for agent in PLAYERS:
                    yield Play(level, agent)


def compare_cell(
    first: Sequence[Level], second: Sequence[Level], solved: Mapping[tuple[str, str], float]
) -> CellComparison:
    """``solved``: by id and agent, the share of its plays that solved a level; unused where there are too few."""
    lengths = tuple(tuple(level.certificate.lower for level in side) for side in (first, second))
    enough = min(len(first), len(second)) >= FEWEST
    error, why, agents = None, [], dict[str, AgentScores]()
    if enough:
        error = standard_error(*lengths)
        means = [describe(side).mean for side in lengths]
        if not abs(means[1] - means[0]) < error and means[0] != means[1]:
            why.append(
                f"the mean optimal length differs by {means[1] - means[0]:+.3g}, the standard error is {error:.3g}"
            )
        for name in PLAYERS:
            agents[name] = scores(*({level.id: solved[level.id, name] for level in side} for side in (first, second)))
            if not agents[name].agrees:
                gap = agents[name].second - agents[name].first
                low, high = agents[name].difference
                why.append(f"the LC of {name} differs by {gap:+.3g} (interval {low:+.3g} to {high:+.3g})")
    return CellComparison(
        levels=(len(first), len(second)),
        shared=len({level.id for level in first} & {level.id for level in second}),
        figures=(
            figure_distributions([level.figures for level in first]),
            figure_distributions([level.figures for level in second]),
        ),
        lengths=(lengths[0], lengths[1]),
        standard_error=error,
        agents=agents,
        verdict="too few levels" if not enough else "not parallel" if why else "parallel",
        why=tuple(why),
    )


def standard_error(first: Sequence[float], second: Sequence[float]) -> float:
    """The tier-internal standard error of a mean: pooled standard deviation / sqrt(harmonic mean of the numbers)."""
    one, other = describe(first), describe(second)
    freedom = one.n + other.n - 2
    pooled = math.sqrt(((one.n - 1) * one.sd**2 + (other.n - 1) * other.sd**2) / freedom)
    return pooled / math.sqrt(2 / (1 / one.n + 1 / other.n))


def scores(first: Mapping[str, float], second: Mapping[str, float]) -> AgentScores:
    """From the share of its plays that solved each level, by id, in both snapshots.

    Both intervals come from the same draws, so equal forms have equal ones. For that of the difference, levels that
    both have are drawn once for both, and the others of each by themselves."""
    import numpy as np

    def drawn(solved: Sequence[float], seed: int) -> Any:
        """For each draw the sum over as many levels as there are, with replacement."""
        if not solved:
            return np.zeros(DRAWS)
        stream = np.random.Generator(np.random.PCG64(seed))  # what is shown of levels, never what makes them
        return np.array(solved)[stream.integers(0, len(solved), (DRAWS, len(solved)))].sum(axis=1)

    def interval(draws: Any) -> Interval:
        low, high = np.quantile(draws, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        return round(100 * float(low), 6), round(100 * float(high), 6)

    both = sorted(first.keys() & second.keys())
    shared = drawn([first[level] for level in both], 0)
    sums, sides = [], (first, second)
    for seed, side in enumerate(sides, 1):
        alone = [side[level] for level in sorted(side.keys() - set(both))]
        sums.append((shared + drawn(alone, seed)) / len(side))
    means = [round(100 * math.fsum(side.values()) / len(side), 6) for side in sides]
    own = [interval(drawn([side[level] for level in sorted(side)], 0) / len(side)) for side in sides]
    return AgentScores(
        first=means[0],
        second=means[1],
        first_interval=own[0],
        second_interval=own[1],
        difference=interval(sums[1] - sums[0]),
    )


# --- one level, in a worker -------------------------------------------------------------------------------------------


def play_level(play: Play) -> float:
    """The share of the agent's plays that solve the level."""
    seeds = SEEDS.get(play.agent, 1)
    return sum(_solves(play, seed) for seed in range(seeds)) / seeds


def _solves(play: Play, seed: int) -> bool:
    level = play.level
    objective = Objective(level.game, level.tier, (level,))
    session = Session([objective])
    surface = DirectSurface(session)
    agent = AGENTS[play.agent](level.game, level.tier, int(level.id[:12], 16) + seed)  # not one walk for all levels
    instruction = Terms(objective=objective).instruction
    for _ in range(PATIENCE * level.certificate.lower + MENU_CLICKS):
        decision = agent.act_knowing(instruction, session)
        if isinstance(decision, Answer):
            break
        for part in decision.actions if isinstance(decision, actions.Batch) else (decision,):
            surface.dispatch(actions.events(part))
        if session.view.won[level.game, level.tier]:
            return True
    return False
