"""What many episodes say of their agents: one entry for each agent and setting, with metrics, intervals and coverage.

A technical failure is counted beside the scored episodes and enters no figure. An entry has a rank only where it covers
the whole benchmark with each of its seeds and is an agent's (reference agents and people are yardsticks) of one
configuration; it is ranked among those that were played under the same conditions, by OSR, then LC, then FGP.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from ..games.base import LpbError
from . import bootstrap
from .moves import summed
from .paper_metrics import BENCHMARK, METRICS, Benchmark, coverage_label, covered, figures, is_of, pool, pooled
from .played import Played
from .spread import buckets, by_seed, effort_spread, effort_sum, mean_and_sd, seed_of
from .taxonomy import by_solvers, tally

SCORE_SCHEMA = 1
CONDITIONS = ("budget_seconds", "surface", "lang", "protocol_version", "isolation")
RANKED_BY = ("OSR", "LC", "FGP")


class NoSuchAgent(LpbError):
    """An agent that no run is of, or that a comparison cannot tell apart."""


def score(episodes: Sequence[Played], benchmark: Benchmark = BENCHMARK) -> dict[str, Any]:
    """Everything that ``lpb-gen score --json`` prints. Raises MixedRuns."""
    groups: dict[tuple[str, str], list[Played]] = {}
    for episode in episodes:
        groups.setdefault((episode.agent, episode.setting), []).append(episode)
    entries = [_entry(own, benchmark) for _, own in sorted(groups.items())]
    _rank(entries)
    return {
        "schema_version": SCORE_SCHEMA,
        "benchmark": [{"game": game, "tier": tier} for game, tiers in benchmark.items() for tier in tiers],
        "bootstrap": {
            "unit": bootstrap.UNIT,
            "draws": bootstrap.DRAWS,
            "seed": bootstrap.SEED,
            "level": bootstrap.LEVEL,
        },
        "agents": entries,
    }


# --- an agent ---------------------------------------------------------------------------------------------------------


def _entry(episodes: Sequence[Played], benchmark: Benchmark) -> dict[str, Any]:
    rows = [episode.row for episode in episodes if episode.row]
    objectives = pooled(rows, benchmark)
    count = len(covered(rows, benchmark))
    return {
        "agent": episodes[0].agent,
        "kind": max(episode.start["agent"]["kind"] for episode in episodes),  # reference, where any is
        "setting": episodes[0].setting,
        "conditions": {name: conditions_of(episodes, name) for name in CONDITIONS},
        "configurations": sorted({str(e.start["agent"].get("configuration") or "") for e in episodes} - {""}),
        "coverage": coverage_label(count, benchmark),
        "covered": count,
        "missing": _missing(episodes, benchmark),
        "rank": None,
        "unranked": [],
        "episodes": _counts(episodes),
        "metrics": figures(objectives),
        "intervals": bootstrap.intervals(objectives),
        "seeds": _seeds(episodes, benchmark),
        "failures": _failures(episodes),
        "effort": effort_sum(episode.effort for episode in episodes if episode.row),
        "objectives": [_objective(own, benchmark) for own in by_objective(episodes, benchmark).values()],
        "buckets": buckets(episodes),
    }


def _missing(episodes: Iterable[Played], benchmark: Benchmark) -> list[dict[str, Any]]:
    """The benchmark's objectives without a scored episode, with the number of technical failures at each."""
    failed = Counter(episode.objective for episode in episodes if episode.row is None)
    scored = {episode.objective for episode in episodes if episode.row}
    everything = [(game, tier) for game, tiers in benchmark.items() for tier in tiers]
    return [{"game": g, "tier": t, "technical": failed[g, t]} for g, t in everything if (g, t) not in scored]


def conditions_of(episodes: Iterable[Played], name: str) -> list[Any]:
    """The different values of one condition, in order."""
    values = {
        episode.start["surface"]["name"] if name == "surface" else episode.start.get(name) for episode in episodes
    }
    return sorted(values, key=lambda value: (value is not None, value))


def _counts(episodes: Iterable[Played]) -> dict[str, Any]:
    outcomes = Counter(episode.result["outcome"] for episode in episodes)
    kinds = Counter(e.result["failure"]["kind"] for e in episodes if e.row is None)
    technical = outcomes.pop("technical", 0)
    return {
        "scored": outcomes.total(),
        "technical": technical,
        "outcomes": dict(sorted(outcomes.items())),
        "technical_kinds": dict(sorted(kinds.items())),
    }


def by_objective(episodes: Iterable[Played], benchmark: Benchmark) -> dict[tuple[str, str], list[Played]]:
    """The episodes of each objective: those of the benchmark in its order, then the others."""
    order = [(game, tier) for game, tiers in benchmark.items() for tier in tiers]
    found: dict[tuple[str, str], list[Played]] = {}
    for episode in episodes:
        found.setdefault(episode.objective, []).append(episode)
    return dict(
        sorted(found.items(), key=lambda item: (order.index(item[0]) if item[0] in order else len(order), item))
    )


def _objective(episodes: Sequence[Played], benchmark: Benchmark) -> dict[str, Any]:
    """``metrics`` of the objective alone; None where all its episodes failed technically."""
    game, tier = episodes[0].objective
    rows = [episode.row for episode in episodes if episode.row]
    return {
        "game": game,
        "tier": tier,
        "in_benchmark": is_of(benchmark, (game, tier)),
        "levels": len(episodes[0].start["levels"]),
        "episodes": _counts(episodes),
        "metrics": figures([pool(rows)]) if rows else None,
        "failures": _failures(episodes),
        "effort": effort_spread([e.effort for e in episodes if e.row]),
        "moves": _moves(part for e in episodes if e.row for part in e.moves or ()),
        "by_level": [_level(episodes, index) for index in range(len(episodes[0].start["levels"]))],
    }


def _failures(episodes: Iterable[Played]) -> dict[str, Any]:
    """Of the scored episodes."""
    return tally({**e.failures, **by_solvers(e.moves)} for e in episodes if e.row)


def _level(episodes: Sequence[Played], index: int) -> dict[str, Any]:
    """One target level over its scored episodes; ``winning_moves``: the mean over those that won it."""
    announced = episodes[0].start["levels"][index]
    played = [e for e in episodes if e.row]
    results = [e.result["levels"][index] for e in played]
    wins = [result["winning_moves"] for result in results if result["winning_moves"] is not None]
    return {
        "level": index + 1,
        "id": announced["id"],
        "optimal_length": announced["optimal_length"],
        "episodes": len(results),
        "reached": sum(result["reached"] for result in results),
        "won": sum(result["solved"] for result in results),
        "progress": fmean(result["progress"] for result in results) if results else None,
        "winning_moves": fmean(wins) if wins else None,
        "effort": effort_spread([e.level_effort[index] for e in played]),
        "moves": _moves(e.moves[index] for e in played if e.moves),
    }


def _moves(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """None where nobody looked."""
    known = list(parts)
    return summed(known) if known else None


# --- seeds ------------------------------------------------------------------------------------------------------------


def _seeds(episodes: Sequence[Played], benchmark: Benchmark) -> dict[str, Any]:
    """Mean and sample standard deviation over the seeds that cover every objective that any seed covers; the others,
    those of which every episode failed technically among them, are counted as ``incomplete``."""
    scored = by_seed(episodes)
    tried = [episode for episode in episodes if episode.row is None and is_of(benchmark, episode.objective)]
    failed = {seed_of(episode) for episode in tried} - {seed for seed, _ in scored}
    groups = [[e.row for e in own if e.row] for own in scored.values()]
    groups = [rows for rows in groups if covered(rows, benchmark)]
    whole = covered((row for rows in groups for row in rows), benchmark)
    complete = [figures(pooled(rows, benchmark)) for rows in groups if whole and covered(rows, benchmark) == whole]
    spread = {name: mean_and_sd([found[name] for found in complete]) for name in METRICS}
    return {"count": len(complete), "incomplete": len(groups) - len(complete) + len(failed), "spread": spread}


# --- between agents ---------------------------------------------------------------------------------------------------


def ranked_apart_by(entry: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The values of each of an entry's conditions. In the native setting isolation is told and no condition: a model's
    service has no program that could be shut off."""
    named = entry["conditions"].items()
    return {name: values for name, values in named if name != "isolation" or entry["setting"] == "code"}


def _rank(entries: Sequence[dict[str, Any]]) -> None:
    """Gives equal results the same rank, and says of the others why they have none."""
    classes: dict[Any, list[dict[str, Any]]] = {}
    for entry in entries:
        entry["unranked"] = _why_unranked(entry)
        if not entry["unranked"]:
            key = (entry["setting"], *(values[0] for values in ranked_apart_by(entry).values()))
            classes.setdefault(key, []).append(entry)
    for own in classes.values():
        results = [tuple(entry["metrics"][name] for name in RANKED_BY) for entry in own]
        for entry, result in zip(own, results, strict=True):
            entry["rank"] = 1 + sum(other > result for other in results)


def _why_unranked(entry: Mapping[str, Any]) -> list[str]:
    """Nothing where it has a rank. An objective that was played more often than others, or with other seeds, might have
    been played until it went well."""
    why = [] if entry["kind"] == "agent" else [f"kind: {entry['kind']}"]
    why += [] if entry["coverage"] == "full" else [f"coverage: {entry['coverage']}"]
    mixed = [name for name, values in ranked_apart_by(entry).items() if len(values) > 1]
    mixed += ["configurations"] if len(entry["configurations"]) > 1 else []  # records of old do not tell
    why += [f"mixed {name}" for name in mixed]
    if entry["coverage"] == "full" and entry["seeds"]["incomplete"]:
        why.append("seeds that do not cover every objective")
    return why


def compare(episodes: Sequence[Played], first: str, second: str, benchmark: Benchmark = BENCHMARK) -> dict[str, Any]:
    """Two agents on the objectives that both have scored episodes of, paired by objective. A name is ``AGENT``, or
    ``AGENT/SETTING`` where the agent was played in both. Raises NoSuchAgent."""
    rows = [[e.row for e in _of(episodes, name) if e.row] for name in (first, second)]
    both = covered(rows[0], benchmark) & covered(rows[1], benchmark)
    if not both:
        raise NoSuchAgent("they share no scored objective", where=f"{first}, {second}")
    sides = [pooled((row for row in own if row.objective in both), benchmark) for own in rows]
    return {
        "first": first,
        "second": second,
        "paired": len(both),
        "unit": bootstrap.UNIT,
        "metrics": bootstrap.differences(*sides),
    }


def _of(episodes: Iterable[Played], name: str) -> list[Played]:
    own = [e for e in episodes if name in (e.agent, f"{e.agent}/{e.setting}")]
    settings = {e.setting for e in own}
    if len(settings) > 1:
        raise NoSuchAgent("it was played in several settings", where=name, fix=f"write {name}/{sorted(settings)[0]}")
    if not own:
        names = sorted({f"{e.agent}/{e.setting}" for e in episodes})
        raise NoSuchAgent("no run is of this agent", where=name, fix=f"use one of {', '.join(names)}")
    return own
