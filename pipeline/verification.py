"""``lpb-gen verify``: proves every certificate of a snapshot again, with the verifiers only.

What a level's certificate says (solution, lower bound, the claim's method, evidence) is the claim. Its verifier is
given that and the board, and has to come to the same figures and, in the same version, to the same certificate. Nothing
here or in a worker imports a generator.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from ..games import GAMES
from ..games.base import Claim, LpbError
from ..games.wording import counted
from ..verifiers.base import AnyVerifier
from ..verifiers.certificate import Certificate
from .level import InvalidLevel, Level, dedup_key, read_level
from .manifest import file_records
from .params import Cell
from .snapshot import Sealed
from .workers import in_order

# what a verifier, or a game's reader, may stumble over in a record that somebody has made up
STUMBLES = (LpbError, ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError)
WORDS = ("proofs", "evidence", "dead_ends", "states_examined", "methods")  # of a certificate, beside its numbers


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a level file, not read yet. ``number`` counts from 1."""

    path: str
    number: int
    text: str

    @property
    def cell(self) -> Cell:
        return Cell.of_path(self.path)


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of a line. ``proofs``: the methods that established the minimum now; ``why``: what is wrong, or empty;
    ``id``, ``dedup_key`` and ``lower`` as the line has them, empty or 0 where it cannot be read."""

    line: Line
    id: str
    dedup_key: str = ""
    lower: int = 0
    proofs: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    id: str
    where: str
    why: str

    def to_json(self) -> dict[str, str]:
        return {"id": self.id, "where": self.where, "why": self.why}


@dataclass(slots=True)
class Report:
    """``games``: how many levels of each were proven, and how many of them by each method; ``failures``: in catalogue
    order."""

    levels: int = 0
    games: dict[str, Counter[str]] = field(default_factory=dict)
    proofs: dict[str, Counter[str]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return {
            "levels": self.levels,
            "games": {
                game: {**counts, "proofs": dict(sorted(self.proofs[game].items()))}
                for game, counts in sorted(self.games.items())
            },
            "failed": [failure.to_json() for failure in self.failures],
        }


def verify(snapshot: Sealed, executor: Executor, tick: Callable[[int], None] = lambda done: None) -> Report:
    """Every level checked by itself, then all together: the order of a cell, and that no two levels are one puzzle, nor
    one that was retired. ``tick`` is told how many are done."""
    report = Report()
    for record in file_records(snapshot.manifest):
        report.games.setdefault(record.cell.game, Counter(proven=0, failed=0))
        report.proofs.setdefault(record.cell.game, Counter())
    retired = {str(stone["dedup_key"]): str(stone.get("reason", "")) for stone in snapshot.manifest["retired"]}
    seen, before = dict[str, str](), dict[str, int]()
    for _, checked in in_order(executor, check_line, _lines(snapshot)):
        why = checked.why or _among_others(checked, retired, seen, before)
        game = checked.line.cell.game
        report.levels += 1
        report.games[game]["failed" if why else "proven"] += 1
        if why:
            report.failures.append(Failure(checked.id, f"{checked.line.path}:{checked.line.number}", why))
        else:
            report.proofs[game].update(checked.proofs)
        tick(report.levels)
    for record in file_records(snapshot.manifest):
        rows = snapshot.files[record.path].count(b"\n")
        if rows != record.rows:
            report.failures.append(Failure("", record.path, f"{counted(rows, 'level')}, not {record.rows}"))
    return report


def _lines(snapshot: Sealed) -> Iterator[Line]:
    for path in sorted(snapshot.files):
        for number, text in enumerate(snapshot.files[path].decode("utf-8", "replace").splitlines(), 1):
            yield Line(path, number, text)


def _among_others(checked: Checked, retired: Mapping[str, str], seen: dict[str, str], before: dict[str, int]) -> str:
    """Why a level may not be where it is, or empty. Notes it."""
    twin, last = seen.get(checked.dedup_key), before.get(checked.line.path, 0)
    seen.setdefault(checked.dedup_key, checked.id)
    before[checked.line.path] = max(last, checked.lower)
    if twin is not None:
        return f"it is, up to symmetry, the level {twin[:12]}"
    if checked.dedup_key in retired:
        return f"it is, up to symmetry, a level that was retired ({retired[checked.dedup_key]})"
    if checked.lower < last:
        return f"{counted(checked.lower, 'move')} after a level of {last}: not in rising difficulty"
    return ""


# --- one level, in a worker -------------------------------------------------------------------------------------------


def check_line(line: Line) -> Checked:
    """Proves one level again."""
    try:
        level = read_level(line.text)
    except InvalidLevel as error:
        return Checked(line, _claimed_id(line.text), why=error.what)
    try:
        proofs, why = check_level(level, line.cell)
    except STUMBLES as error:
        proofs, why = (), str(error) if isinstance(error, LpbError) else f"{type(error).__name__}: {error}"
    return Checked(line, level.id, level.dedup_key, level.certificate.lower, proofs, why)


def check_level(level: Level, cell: Cell) -> tuple[tuple[str, ...], str]:
    """The methods that established the minimum, and what is wrong with the level, or an empty text. Raises what its
    verifier raises."""
    from ..verifiers import VERIFIERS

    game, stored, verifier = GAMES[level.game], level.certificate, VERIFIERS[level.game]
    if (level.game, level.tier) != cell:
        return (), f"a level of {level.game} {level.tier}"
    if level.rules_version != game.rules_version:
        return (), f"of version {level.rules_version} of the rules, this lpb-gen has version {game.rules_version}"
    board = game.board(level.board)
    if level.dedup_key != dedup_key(game, board):
        return (), "the dedup_key does not belong to this board"
    claim = Claim(stored.solution, stored.lower, stored.proofs[-1] if stored.proofs else "", stored.evidence)
    certificate, figures = verifier.verify(board, claim)
    version = _version(stored.verifier, level.game)
    if version is None:
        return (), f"certificate.verifier is {stored.verifier!r}, which is none of {level.game}'s"
    for name, value in sorted(level.figures.items()):
        if name not in figures:
            return (), f"the figure {name} is none that its verifier computes"
        if _json(value) != _json(figures[name]):
            return (), f"the figure {name} is {figures[name]}, not {value}"
    for name in sorted(figures.keys() - level.figures.keys()):
        if verifier.added.get(name, 1) <= version:  # one that a later version added is not missed
            return (), f"the figure {name} is missing: {stored.verifier} computes it"
    if (certificate.lower, certificate.upper) != (stored.lower, stored.upper):
        return (), f"the minimum is {certificate.lower}, not {stored.lower}"
    if version == verifier.version:
        wrong = _other_words(stored, certificate, verifier)
        if wrong:
            return (), wrong
    return certificate.proofs[:-1], ""  # the last one is the claim's own


def _other_words(stored: Certificate, proven: Certificate, verifier: AnyVerifier) -> str:
    """What a certificate says otherwise than the one that its verifier gave now, or empty. Where it was guided by what
    never enters a certificate, it may have looked at fewer states; then its method has to be the one that was needed
    now, but for that guidance."""
    proofs = tuple(verifier.guided.get(proof, proof) for proof in stored.proofs[:-1]) + stored.proofs[-1:]
    said: dict[str, Any] = {part: getattr(stored, part) for part in WORDS} | {"proofs": proofs}
    if proofs != stored.proofs and type(stored.states_examined) is int:
        if not 0 < stored.states_examined <= proven.states_examined:
            return f"certificate.states_examined is {stored.states_examined}, unguided it is {proven.states_examined}"
        said["states_examined"] = proven.states_examined
    for part in WORDS:
        if _json(getattr(proven, part)) != _json(said[part]):
            return f"certificate.{part} is not what its verifier says ({getattr(proven, part)})"[:200]
    return ""


def _version(name: str, game: str) -> int | None:
    """The version of the game's verifier that wrote a certificate, this one or an earlier; None where none has."""
    from ..verifiers import VERIFIERS

    known, _, version = name.rpartition(" ")
    written = known == game and version.isascii() and version.isdecimal()
    return int(version) if written and 1 <= int(version) <= VERIFIERS[game].version else None


def _json(value: Any) -> str:
    """For comparing what was read with what was computed: a list is a tuple, and 1 is not 1.0."""
    return json.dumps(value, sort_keys=True)


def _claimed_id(text: str) -> str:
    """The id that a line which is no level claims to have, or empty."""
    try:
        return str(json.loads(text)["id"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
