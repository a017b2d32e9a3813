"""``lpb-gen diff``: two snapshots level by level.

Made for snapshots of a hundred thousand levels: of a level's line only the figures are parsed, which then are handed on
as the text that they are; and lines that both snapshots have are read once.
"""

from __future__ import annotations

import contextlib
import gc
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .distribution import Distribution, figure_distributions, side_by_side
from .level import canonical_json, read_level
from .params import Cell
from .revisions import Pin
from .snapshot import Sealed

_FIGURES = re.compile(r'"dedup_key":"[^"\\]*","figures":(?=\{)')
_AFTER = re.compile(
    r',"game":"[^"\\]*","id":"([^"\\]*)","provenance":\{[^{}]*\},"rules_version":[0-9]+,"tier":"[^"\\]*"\}'
)
_decode = json.JSONDecoder().raw_decode


class Read(NamedTuple):
    """Of one line. ``text``: the JSON of the figures."""

    id: str
    figures: Mapping[str, Any]
    text: str

    def entry(self, reasons: Mapping[str, str]) -> Entry:
        return Entry(self.id, self.text, self.figures.get("optimal_length"), reasons.get(self.id, ""))


@dataclass(frozen=True, slots=True)
class Entry:
    """One level of a diff. ``text``: the JSON of its figures; ``reason``: why it was retired, empty where no tombstone
    says so."""

    id: str
    text: str
    optimal_length: int | None
    reason: str = ""

    @property
    def figures(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.text)
        return parsed

    def json(self) -> str:
        reason = f',"reason":{json.dumps(self.reason)}' if self.reason else ""
        return f'{{"id":{json.dumps(self.id)},"figures":{self.text}{reason}}}'


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

    def json(self) -> Iterator[str]:
        """The JSON object in parts: a hundred thousand levels are never one more text in memory."""
        yield f'{{"levels":{json.dumps(self.levels)}'
        lists = {"added": self.added, "retired": self.retired, "gone": self.gone}
        for name, entries in lists.items():
            yield f',"{name}":['
            yield ",".join([entry.json() for entry in entries])
            yield "]"
        changed = [{"id": number, "figures": [one, two]} for number, one, two in self.changed]
        rest = {"changed": changed, "unchanged": self.unchanged, "figures": side_by_side(*self.figures)}
        yield "," + json.dumps(rest, separators=(",", ":"))[1:]


@dataclass(frozen=True, slots=True)
class Diff:
    first: Pin
    second: Pin
    cells: Mapping[Cell, CellDiff]

    def json(self) -> Iterator[str]:
        """One JSON object, in parts."""
        yield f'{{"first":{json.dumps(self.first.to_json())},"second":{json.dumps(self.second.to_json())},"cells":{{'
        for number, (cell, one) in enumerate(self.cells.items()):
            yield f"{',' if number else ''}{json.dumps(str(cell))}:"
            yield from one.json()
        yield "}}"


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


@contextlib.contextmanager
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
    lines = {line: _read(line, path) for line in first.splitlines()}
    old = list(lines.values())
    if first == second:
        same = _distributions(old)
        found.unchanged = [level.id for level in old]
        found.levels, found.figures = (len(old), len(old)), (same, same)
        return found
    ids = {level.id: level for level in old}
    new, kept = [], set[str]()
    for line in second.splitlines():
        level = lines.get(line) or _read(line, path)
        before = ids.get(level.id)
        if before is None:
            found.added.append(level.entry(once))
        elif before.text == level.text or before.figures == level.figures:
            found.unchanged.append(level.id)
        else:
            found.changed.append((level.id, before.figures, level.figures))
        kept.add(level.id)
        new.append(level)
    for level in ids.values():
        if level.id not in kept:
            (found.retired if level.id in now else found.gone).append(level.entry(now))
    found.levels = len(old), len(new)
    found.figures = _distributions(old), _distributions(new)
    return found


def _distributions(levels: Sequence[Read]) -> Mapping[str, Distribution]:
    return figure_distributions([level.figures for level in levels])


def _read(line: bytes, path: str) -> Read:
    """A level's id and figures. In a line as we write it, with sorted keys, they lie between "dedup_key" and the end;
    where that does not hold, the whole line is read."""
    start = line.rfind(b',"dedup_key":"')
    if start > 0:
        end = line[start + 1 :].decode("utf-8", "replace")
        at = _FIGURES.match(end)
        if at:
            with contextlib.suppress(ValueError):
                figures, stop = _decode(end, at.end())
                rest = _AFTER.fullmatch(end, stop)
                if rest:
                    return Read(rest[1], figures, end[at.end() : stop])
    level = read_level(line.decode("utf-8", "replace"), where=path)
    return Read(level.id, level.figures, canonical_json(level.figures))
