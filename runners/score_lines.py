"""Scores for spreadsheets: flat lines, one for each agent, objective, level or bucket, as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from .paper_metrics import METRICS

Line = dict[str, Any]
VIEWS = ("agent", "objective", "level", "bucket")


def lines(score: Mapping[str, Any], by: str) -> list[Line]:
    """One flat line for each of what ``by`` names, all with the same keys in the same order."""
    found = [line for entry in score["agents"] for line in LINES[by](entry)]
    keys = list(dict.fromkeys(key for line in found for key in line))
    return [{key: line.get(key) for key in keys} for line in found]


def _agent_lines(entry: Mapping[str, Any]) -> Iterator[Line]:
    line = {"rank": entry["rank"], **_who(entry), "kind": entry["kind"], "coverage": entry["coverage"]}
    line |= _episodes(entry["episodes"])
    for name in METRICS:
        line[name] = entry["metrics"][name]
        line[f"{name}_low"], line[f"{name}_high"] = entry["intervals"][name] or (None, None)
        line[f"{name}_mean"], line[f"{name}_sd"] = (entry["seeds"]["spread"][name][key] for key in ("mean", "sd"))
    line |= {"seeds": entry["seeds"]["count"]} | _prefixed("effort", entry["effort"])
    yield line | _failures(entry["failures"])


def _objective_lines(entry: Mapping[str, Any]) -> Iterator[Line]:
    for objective in entry["objectives"]:
        line = _who(entry) | {key: objective[key] for key in ("game", "tier", "in_benchmark", "levels")}
        line |= _episodes(objective["episodes"])
        line |= {name: (objective["metrics"] or {}).get(name) for name in METRICS}
        line |= _spread("effort", objective["effort"]) | _failures(objective["failures"])
        yield line | _prefixed("moves", objective["moves"])


def _level_lines(entry: Mapping[str, Any]) -> Iterator[Line]:
    for objective in entry["objectives"]:
        where = _who(entry) | {key: objective[key] for key in ("game", "tier")}
        for level in objective["by_level"]:
            own = {key: value for key, value in level.items() if key not in ("moves", "effort")}
            yield where | own | _spread("effort", level["effort"]) | _prefixed("moves", level["moves"])


def _bucket_lines(entry: Mapping[str, Any]) -> Iterator[Line]:
    for bucket in entry["buckets"]:
        own = {key: value for key, value in bucket.items() if key not in ("moves", "spread")}
        yield _who(entry) | own | _spread("", bucket["spread"]) | _prefixed("moves", bucket["moves"])


LINES = {"agent": _agent_lines, "objective": _objective_lines, "level": _level_lines, "bucket": _bucket_lines}


def _failures(found: Mapping[str, Mapping[str, int | None]]) -> Line:
    """How many episodes, and how often, by ``failures.kind`` and ``failures.kind_count``."""
    return {
        f"failures.{kind}{end}": values[part]
        for kind, values in found.items()
        for end, part in (("", "episodes"), ("_count", "count"))
    }


def _spread(name: str, found: Mapping[str, Mapping[str, float | None]]) -> Line:
    """Mean and deviation of each, by ``name.key`` and ``name.key_sd``."""
    head = f"{name}." if name else ""
    return {
        f"{head}{key}{end}": values[part]
        for key, values in found.items()
        for end, part in (("", "mean"), ("_sd", "sd"))
    }


def _prefixed(name: str, found: Mapping[str, Any] | None) -> Line:
    """The numbers of a mapping, by ``name.key``; lists are left to JSON."""
    return {f"{name}.{key}": value for key, value in (found or {}).items() if not isinstance(value, list)}


def _who(entry: Mapping[str, Any]) -> Line:
    return {"agent": entry["agent"], "setting": entry["setting"]}


def _episodes(counts: Mapping[str, Any]) -> Line:
    return {"scored": counts["scored"], "technical": counts["technical"]}


def as_csv(score: Mapping[str, Any], by: str) -> str:
    """With a line of names first; empty cells for what is not defined."""
    found = lines(score, by)
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(found[0]) if found else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return out.getvalue()
