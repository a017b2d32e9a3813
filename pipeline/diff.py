"""``lpb-gen diff``: two snapshots level by level.

Made for snapshots of a hundred thousand levels: a level's line is not parsed as a whole, only its end, which holds
everything but board and certificate; and lines that both snapshots have are read once.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .distribution import Distribution, figure_distributions, side_by_side
from .level import read_level
from .params import Cell
from .revisions import Pin
from .snapshot import Sealed

_TAIL_KEYS = frozenset({"dedup_key", "figures", "game", "id", "provenance", "rules_version", "tier"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One level of a diff. ``reason``: why it was retired, empty where no tombstone says so."""

    id: str
    figures: Mapping[str, Any]
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        told = {"id": self.id, "figures": self.figures}
        return {**told, "reason": self.reason} if self.reason else told


@dataclass(slots=True)
class CellDiff:
    """``added``: only in the second snapshot (with a reason: the first one's tombstones have it, so the second is
    older); ``retired``: only in the first, with a tombstone in the second; ``gone``: only in the first, without one;
    ``changed``: in both, with other figures, (id, figures, figures); ``unchanged``: ids; ``figures``: by name, the
    distributions in both."""

    added: list[Entry] = field(default_factory=list)
    retired: list[Entry] = field(default_factory=list)
    gone: list[Entry] = field(default_factory=list)
    changed: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    levels: tuple[int, int] = (0, 0)
    figures: tuple[Mapping[str, Distribution], Mapping[str, Distribution]] = ({}, {})

    def to_json(self) -> dict[str, Any]:
        return {
            "levels": list(self.levels),
            "added": [entry.to_json() for entry in self.added],
            "retired": [entry.to_json() for entry in self.retired],
            "gone": [entry.to_json() for entry in self.gone],
            "changed": [{"id": number, "figures": [one, two]} for number, one, two in self.changed],
            "unchanged": self.unchanged,
            "figures": side_by_side(*self.figures),
        }


@dataclass(frozen=True, slots=True)
class Diff:
    first: Pin
    second: Pin
    cells: Mapping[Cell, CellDiff]

    def to_json(self) -> dict[str, Any]:
        return {
            "first": self.first.to_json(),
            "second": self.second.to_json(),
            "cells": {str(cell): one.to_json() for cell, one in self.cells.items()},
        }


def diff(first: Sealed, second: Sealed) -> Diff:
    """What ``second`` has of ``first``, and what not. Raises InvalidLevel where a line is not a level's."""
    reasons = [
        {str(stone.get("id", "")): str(stone.get("reason", "")) for stone in side.manifest["retired"]}
        for side in (first, second)
    ]
    cells = {}
    with _no_collector():
        for path in sorted({*first.files, *second.files}):
            before, after = (side.files.get(path, b"") for side in (first, second))
            cells[Cell.of_path(path)] = _cell(path, before, after, *reasons)
    return Diff(first.pin, second.pin, cells)


@contextmanager
def _no_collector() -> Iterator[None]:
    """Millions of small dictionaries, none of them garbage: looking for some took a quarter of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _cell(path: str, first: bytes, second: bytes, once: Mapping[str, str], now: Mapping[str, str]) -> CellDiff:
    found = CellDiff()
    old = first.splitlines()
    if first == second:
        levels = [_read(line, path) for line in old]
        same = figure_distributions(figures for _, figures in levels)
        found.unchanged = [number for number, _ in levels]
        found.levels, found.figures = (len(old), len(old)), (same, same)
        return found
    before = {line: _read(line, path) for line in old}
    ids = dict(before.values())
    figures, kept = [], set[str]()
    for line in second.splitlines():
        if line in before:
            number, new = before[line]
            found.unchanged.append(number)
        else:
            number, new = _read(line, path)
            if number not in ids:
                found.added.append(Entry(number, new, once.get(number, "")))
            elif new == ids[number]:
                found.unchanged.append(number)
            else:
                found.changed.append((number, ids[number], new))
        kept.add(number)
        figures.append(new)
    for number, old_figures in ids.items():
        if number not in kept:
            where = found.retired if number in now else found.gone
            where.append(Entry(number, old_figures, now.get(number, "")))
    found.levels = len(old), len(figures)
    found.figures = figure_distributions(ids.values()), figure_distributions(figures)
    return found


def _read(line: bytes, path: str) -> tuple[str, Mapping[str, Any]]:
    """A level's id and figures. In a line as we write it, with sorted keys, the end from "dedup_key" on is an object of
    its own but for its first bracket; where that does not hold, the whole line is read."""
    start = line.rfind(b'"dedup_key":"')
    if start > 0 and line[start - 1 : start] == b",":
        try:
            tail = json.loads("{" + line[start:].decode())
        except ValueError:
            tail = {}
        if tail.keys() == _TAIL_KEYS and isinstance(tail["id"], str) and isinstance(tail["figures"], dict):
            return tail["id"], tail["figures"]
    level = read_level(line.decode("utf-8", "replace"), where=path)
    return level.id, level.figures
