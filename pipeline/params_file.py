"""params.yaml: read strictly, edited without losing a comment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from io import StringIO
from math import ceil, floor, inf
from typing import Any, NoReturn

from ..games import GAMES
from ..games.base import LpbError
from .params import MAX_COUNT, TOOLS, Cell, CellParams, Params, Parent
from .reasons import InvalidReason, check_reason
from .strata import Range, Spread
from .tiers import Gate, InvalidGate, read_gate

MOST_BITS = 256  # of a number
MOST_VALUES = 20_000  # keys, values and list items, an alias counted as all that it stands for
MOST_MOVES = 1_000_000  # in a spread
EVEN, ANY = "even", "any"  # a spread in words
ABSENT: Any = object()  # for ``edit_params``: takes a key away


class BrokenParams(LpbError):
    """params.yaml cannot be read, or asks for something that does not exist."""


def read_params(text: str | bytes, *, where: str = "params.yaml") -> Params:
    """The checked content. Raises BrokenParams with the line and the key."""
    return _read(_decoded(text, where), where)


def _decoded(text: str | bytes, where: str) -> str:
    try:
        return text.decode("utf-8") if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        raise BrokenParams(f"not UTF-8 text (byte {error.start})", where=where) from None


@lru_cache(maxsize=8)  # one command reads the same file several times, and YAML with line numbers is slow
def _read(text: str, where: str) -> Params:
    try:
        document = _parse(text, where)
        _require_small(document, where)
        return _Reader(where).params(document)
    except RecursionError:
        raise BrokenParams("nested too deeply", where=where, fix="correct it") from None


def _parse(text: str, where: str) -> Any:
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return _yaml().load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark is not None else ""
        raise BrokenParams(
            f"not YAML: {error.problem or error.context}", where=where + line, fix="correct it"
        ) from None
    except (YAMLError, ValueError, KeyError, OverflowError) as error:  # a date or a number that there cannot be
        raise BrokenParams(f"not YAML: {str(error).splitlines()[0]}", where=where, fix="correct it") from None


def _require_small(document: Any, where: str) -> None:
    """A few lines of aliases of aliases can stand for more values than any memory holds, and a long enough number is
    more than Python prints."""
    left, number = [document], 0
    while left:
        value = left.pop()
        number += 1
        if number > MOST_VALUES:
            raise BrokenParams(f"more than {MOST_VALUES} values", where=where, fix="use fewer aliases (*name)")
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            raise BrokenParams("a number of more than 77 digits", where=where, fix="correct it")
        if isinstance(value, Mapping):
            left += [*value, *value.values()]
        elif isinstance(value, list | tuple | set | frozenset):
            left += value


def even_spread(gate: Gate) -> Spread | None:
    """Every length of the gate's band as often as any other; None where it has no two ends."""
    band = gate.get("optimal_length")
    if band is None or band.low == -inf or band.high == inf:
        return None
    low, high = ceil(band.low), floor(band.high)
    return Spread((low, high)) if 1 <= low <= high <= MOST_MOVES else None


class _Reader:
    """Checks a parsed document key by key; errors name the file, the line and the key."""

    def __init__(self, where: str) -> None:
        self.where = where

    def params(self, document: Any) -> Params:
        keys = ("name", "licence", "seed", "parent", "toolchain", "retire", "fresh", "imported", "cells")
        self.keys(document, "", keys, required=("seed", "cells"))
        cells = self.cells(document)
        fresh = self.fresh(document, cells)
        toolchain = document.get("toolchain") or {}
        self.keys(toolchain, "toolchain", TOOLS, of=document)
        for tool, version in toolchain.items():
            if not isinstance(version, str):
                self.fail(
                    toolchain, tool, f"toolchain.{tool} is not a string", fix='write the version in quotes, "1.0"'
                )
        return Params(
            name=self.text(document, "name", "lpb-gen catalogue"),
            licence=self.text(document, "licence", "Apache-2.0"),
            seed=self.number(document, "seed", "seed", 0, 2**63 - 1),
            parent=self.parent(document),
            toolchain=dict(toolchain),
            fresh=fresh,
            cells=cells,
            retire=self.retire(document),
            imported=self.imported(document, fresh),
        )

    def cells(self, document: Any) -> dict[Cell, CellParams]:
        games = document["cells"]
        self.keys(games, "cells", tuple(GAMES), of=document)
        found, blocks = {}, list[Any]()
        for game, tiers in games.items():
            self.keys(tiers, f"cells.{game}", None, of=games)
            for tier in tiers:
                if not re.fullmatch(r"[a-z][a-z0-9_]*", str(tier)):
                    self.fail(tiers, tier, f"{tier!r} cannot name a tier", fix="use small letters, digits and _")
                block = tiers[tier]
                if isinstance(block, Mapping) and any(block is another for another in blocks):
                    what = f"cells.{game}.{tier} is another cell's block (an alias)"
                    self.fail(tiers, tier, what, fix="write it out: refresh raises the epoch of one of them only")
                blocks.append(block)
                found[Cell(game, str(tier))] = self.block(tiers, tier, Cell(game, str(tier)))
        if not found:
            self.fail(document, "cells", "there are no cells", fix="add one: cells: {maze: {hard: {…}}}")
        return found

    def block(self, tiers: Any, tier: str, cell: Cell) -> CellParams:
        block, key = tiers[tier], f"cells.{cell.game}.{cell.tier}"
        names = ("epoch", "count", "reserve", "limit", "params", "gate")
        self.keys(block, key, (*names, "ladder", "spread", "replace", "strata"), required=names, of=tiers)
        for name in ("params", "gate"):
            self.keys(block[name], f"{key}.{name}", None, of=block)
        try:
            gate = read_gate(_plain(block["gate"]), where=f"{key}.gate", game=cell.game)
        except InvalidGate as error:
            self.fail(block, "gate", f"{error.where}: {error.what}", fix=error.fix)
        return CellParams(
            epoch=self.number(block, "epoch", f"{key}.epoch", 0, 2**31 - 1),
            count=self.number(block, "count", f"{key}.count", 1, MAX_COUNT),
            reserve=self.number(block, "reserve", f"{key}.reserve", 0, 16 * MAX_COUNT),
            limit=self.number(block, "limit", f"{key}.limit", 1, 10**9),
            params=_plain(block["params"]),
            gate=gate,
            block=_plain(block),
            ladder=self.ladder(block, key),
            replace=self.number(block, "replace", f"{key}.replace", 1, MAX_COUNT) if "replace" in block else None,
            spread=self.spread(block, key, gate),
            strata=self.strata(block, key),
        )

    def spread(self, block: Any, key: str, gate: Gate) -> Spread | None:
        value = block.get("spread", ANY)
        if value == ANY:
            return None
        key = f"{key}.spread"
        if block.get("ladder"):
            self.fail(block, "spread", f"{key}: a ladder says already which levels there are", fix=f"write {ANY}")
        even = even_spread(gate)
        if value == EVEN:
            if even is None:
                fix = "give gate.optimal_length two ends, or write quantiles: [18, 20, 25]"
                self.fail(block, "spread", f"{key} is {EVEN}, but over no band of lengths", fix=fix)
            return even
        if not self.are_lengths(value) or len(value) < 2 or value != sorted(value):
            what = f"{key} is {_kind(value)}"
            self.fail(
                block, "spread", what, fix=f"write {EVEN}, {ANY}, or rising quantiles of optimal_length: [18, 20, 25]"
            )
        band = gate.get("optimal_length")
        if band is not None and not (band.admits(value[0]) and band.admits(value[-1])):
            what = f"{key} goes from {value[0]} to {value[-1]}, but the gate lets {band} in"
            self.fail(block, "spread", what, fix="keep it inside the gate")
        return Spread(tuple(map(int, value)))

    def strata(self, block: Any, key: str) -> tuple[Range, ...]:
        value = block.get("strata", [])
        if not isinstance(value, list) or not all(self.are_lengths(pair) and len(pair) == 2 for pair in value):
            self.fail(block, "strata", f"{key}.strata is not a list of ranges", fix="restore it from Git")
        strata = tuple((int(low), int(high)) for low, high in value)
        lows, highs = ([ends[side] for ends in strata] for side in (0, 1))
        if any(low > high for low, high in strata) or lows != sorted(lows) or highs != sorted(highs):
            self.fail(block, "strata", f"{key}.strata does not rise", fix="restore it from Git")
        if strata and len(strata) != block.get("replace"):
            what = f"{key}.strata has {len(strata)} ranges, but replace is {_kind(block.get('replace'))}"
            self.fail(block, "strata", what, fix="restore it from Git")
        return strata

    @staticmethod
    def are_lengths(value: Any) -> bool:
        return isinstance(value, list) and all(
            isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= MOST_MOVES for v in value
        )

    def ladder(self, block: Any, key: str) -> tuple[dict[str, Any], ...]:
        rungs = block.get("ladder", [])
        if not isinstance(rungs, list) or not all(isinstance(rung, Mapping) for rung in rungs):
            self.fail(block, "ladder", f"{key}.ladder must be a list of mappings", fix="see docs/catalogue.md")
        return tuple(_plain(rung) for rung in rungs)

    def parent(self, document: Any) -> Parent | None:
        parent = document.get("parent")
        if parent is None:
            return None
        self.keys(parent, "parent", ("tag", "commit", "digest"), required=("commit", "digest"), of=document)
        for name, length in (("commit", 40), ("digest", 64)):
            if not re.fullmatch(rf"[0-9a-f]{{{length}}}", str(parent[name])):
                self.fail(parent, name, f"parent.{name} is not {length} hexadecimal digits", fix="restore it from Git")
        tag = parent.get("tag")
        if tag is not None and not isinstance(tag, str):
            self.fail(parent, "tag", f"parent.tag must be a tag or null, not {_kind(tag)}", fix="restore it from Git")
        return Parent(str(parent["commit"]), str(parent["digest"]), tag)

    def fresh(self, document: Any, cells: Mapping[Cell, CellParams]) -> tuple[Cell, ...]:
        names = {str(cell): cell for cell in cells}
        listed = document.get("fresh") or []
        if not isinstance(listed, list):
            self.fail(document, "fresh", "fresh is not a list", fix="write [maze-hard]")
        for name in listed:
            game, dash, tier = name.partition("-") if isinstance(name, str) else ("", "", "")
            if game in GAMES and dash and name not in names:
                what = f"there is no block cells.{game}.{tier}, but fresh names it: the snapshot here has its levels"
                fix = (
                    f"put it back with its epoch, a snapshot never loses levels silently (there are {', '.join(names)})"
                )
                self.fail(document, "fresh", what, fix=fix)
            if not isinstance(name, str) or name not in names:
                self.fail(
                    document, "fresh", f"fresh names {_kind(name)}, which is no cell", fix=f"use {', '.join(names)}"
                )
        return tuple(names[name] for name in dict.fromkeys(listed))

    def imported(self, document: Any, fresh: tuple[Cell, ...]) -> tuple[Cell, ...]:
        names, listed = {str(cell): cell for cell in fresh}, document.get("imported") or []
        if not isinstance(listed, list) or not all(isinstance(name, str) and name in names for name in listed):
            self.fail(document, "imported", "imported is not a list of fresh cells", fix="restore it from Git")
        return tuple(names[name] for name in dict.fromkeys(listed))

    def retire(self, document: Any) -> dict[str, str]:
        listed, reasons = document.get("retire") or [], dict[str, str]()
        if not isinstance(listed, list):
            self.fail(document, "retire", "retire is not a list", fix="write []")
        for entry in listed:
            self.keys(entry, "retire", ("reason", "levels"), required=("reason", "levels"), of=document)
            try:
                reason = check_reason(entry["reason"])
            except InvalidReason as error:
                self.fail(document, "retire", f"retire.reason: {error.what}", fix=error.fix)
            levels = entry["levels"]
            if not isinstance(levels, list) or not all(re.fullmatch("[0-9a-f]{64}", str(level)) for level in levels):
                self.fail(document, "retire", "retire.levels is not a list of level ids", fix="use lpb-gen retire")
            if len({*map(str, levels)}) != len(levels) or reasons.keys() & {*map(str, levels)}:
                self.fail(document, "retire", "retire names a level twice", fix="delete one of them")
            reasons |= dict.fromkeys(map(str, levels), reason)
        return reasons

    # --- the checks -----------------------------------------------------------------------------------------------

    def keys(
        self, value: Any, key: str, known: tuple[str, ...] | None, *, required: tuple[str, ...] = (), of: Any = None
    ) -> None:
        """``value`` must be a mapping that has the required keys and, of the others, only known ones."""
        if not isinstance(value, Mapping):
            what = f"{key or 'the file'} must be a mapping of keys to values, not {_kind(value)}"
            self.fail(of, key.rsplit(".", 1)[-1], what, fix="see docs/catalogue.md")
        for name in value:
            if known is not None and name not in known:
                self.fail(value, name, f"unknown key {f'{key}.' if key else ''}{name}", fix=f"use {', '.join(known)}")
        for name in required:
            if name not in value:
                self.fail(of, key.rsplit(".", 1)[-1], f"{f'{key}.' if key else ''}{name} is missing", fix="add it")

    def number(self, block: Any, name: str, key: str, low: int, high: int) -> int:
        value = block[name]
        if not isinstance(value, int) or isinstance(value, bool):
            self.fail(block, name, f"{key} must be a whole number, not {_kind(value)}")
        if not low <= value <= high:
            self.fail(block, name, f"{key} is {value}", fix=f"give {low} to {high}")
        return int(value)

    def text(self, document: Any, name: str, default: str) -> str:
        value = document.get(name, default)
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            self.fail(document, name, f"{name} must be one line of text, not {_kind(value)}")
        return str(value)

    def fail(self, mapping: Any, name: Any, what: str, *, fix: str = "correct it") -> NoReturn:
        try:
            line = f":{mapping.lc.key(name)[0] + 1}"
        except (AttributeError, KeyError, TypeError):
            line = ""
        raise BrokenParams(what, where=self.where + line, fix=fix)


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    text = repr(_plain(value))
    return text if len(text) <= 80 else text[:77] + "..."


def _plain(value: Any) -> Any:
    """A parsed YAML value without the parser's own types."""
    if isinstance(value, Mapping):
        return {str(key): _plain(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value if value is None else str(value)


def line_of(text: str | bytes, path: Sequence[str | int]) -> int:
    """The line, from 1, of the innermost key of ``path`` that readable YAML has."""
    place, line = _parse(_decoded(text, "params.yaml"), "params.yaml"), 1
    for name in path:
        try:
            line = 1 + (place.lc.item(name)[0] if isinstance(name, int) else place.lc.key(name)[0])
            place = place[name]
        except (AttributeError, KeyError, IndexError, TypeError):
            break
    return line


# --- editing ----------------------------------------------------------------------------------------------------------


_BEFORE = {
    "retire": "fresh",
    "imported": "cells",
    "replace": "reserve",
    "strata": "reserve",
    "spread": "gate",
}  # where a key that a file lacks is put


def edit_params(text: str, changes: Mapping[tuple[str, ...], Any]) -> str:
    """``text`` with the values at the given key paths replaced (``ABSENT``: taken away); comments, order and quotes
    stay. Mappings and lists are written on one line."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    yaml = _yaml()
    document = yaml.load(text)
    for (*outer, last), value in changes.items():
        place = document
        for name in outer:
            place = place[name]
        if isinstance(value, Mapping):
            value = CommentedMap(value)
            value.fa.set_flow_style()
        elif isinstance(value, list):
            value = CommentedSeq(value)
            value.fa.set_flow_style()
        if value is ABSENT:
            place.pop(last, None)
        elif last in place or _BEFORE.get(last) not in place:
            place[last] = value
        else:
            place.insert(list(place).index(_BEFORE[last]), last, value)
    stream = StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()


def _yaml() -> Any:
    from ruamel.yaml import YAML

    yaml = YAML()  # keeps comments and line numbers; YAML 1.2, as DVC reads it
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(type(None), lambda r, _: r.represent_scalar("tag:yaml.org,2002:null", "null"))
    return yaml
