"""A level: a board, its certificate and figures, and where it came from; one JSON line in a snapshot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..games import GAMES
from ..games.base import AnyGame, LpbError
from ..verifiers.certificate import Certificate

SCHEMA = 1


class InvalidLevel(LpbError):
    """A level line is not what this version can read, or contradicts itself."""


def canonical_json(value: Any) -> str:
    """Sorted keys, no spaces, ASCII: the same text for the same value, everywhere."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest(value: Any) -> str:
    """sha256 (hex) of the canonical JSON of ``value``."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """``board`` is board JSON; ``tier`` is empty for a level outside any catalogue. See DESIGN 5 for the identity rule:
    ``id`` hashes schema, game, rules version and board; ``dedup_key`` hashes the board's canonical form."""

    id: str
    dedup_key: str
    game: str
    tier: str
    rules_version: int
    board: Any
    certificate: Certificate
    figures: Mapping[str, Any]
    provenance: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        data["certificate"] = {f.name: getattr(self.certificate, f.name) for f in fields(Certificate)}
        return data

    def to_line(self) -> str:
        return canonical_json(self.to_json())


def level_id(game: AnyGame, board_json: Any) -> str:
    return digest(_identity(game.name, game.rules_version, board_json))


def _identity(game: str, rules_version: int, board_json: Any) -> dict[str, Any]:
    return {"schema": SCHEMA, "game": game, "rules_version": rules_version, "board": board_json}


def dedup_key(game: AnyGame, board: Any) -> str:
    return digest({"game": game.name, "canonical": game.canonical(board)})


def make_level(
    game: AnyGame,
    board: Any,
    certificate: Certificate,
    figures: Mapping[str, Any],
    *,
    tier: str = "",
    provenance: Mapping[str, Any],
) -> Level:
    """The level record of a parsed board and what its verifier returned."""
    board_json = game.dump(board)
    return Level(
        id=level_id(game, board_json),
        dedup_key=dedup_key(game, board),
        game=game.name,
        tier=tier,
        rules_version=game.rules_version,
        board=board_json,
        certificate=certificate,
        figures=figures,
        provenance=provenance,
    )


def read_level(line: str, *, where: str = "") -> Level:
    """A level from its JSON line; recomputes the id. Raises InvalidLevel."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:  # json says RecursionError of ten thousand brackets
        raise InvalidLevel(f"not JSON ({error})", where=where) from None
    try:
        certificate = {**data["certificate"]}
        solution = certificate["solution"] = tuple(certificate["solution"])
        certificate["proofs"] = tuple(certificate["proofs"])
        level = Level(**{**data, "certificate": Certificate(**certificate)})
        _check_types(level)
        GAMES[level.game]
        if {certificate["lower"], certificate["upper"], level.figures["optimal_length"]} != {len(solution)}:
            raise ValueError("solution, bounds and optimal_length disagree")
        genuine = digest(_identity(level.game, level.rules_version, level.board))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise InvalidLevel(f"not a level record of schema {SCHEMA} ({error})", where=where) from None
    if level.id != genuine:
        raise InvalidLevel(f"the id {level.id[:12]} does not belong to this board", where=where)
    return level


def _check_types(level: Level) -> None:
    """Raises TypeError: what is read here may come from anywhere, and is used without another look."""
    certificate = level.certificate
    words = (level.id, level.dedup_key, level.game, level.tier, *certificate.proofs, certificate.verifier)
    numbers = (level.rules_version, certificate.lower, certificate.upper, level.figures["optimal_length"])
    mappings = (level.figures, level.provenance, certificate.evidence, certificate.methods)
    for values, kind in ((words, str), (numbers, int), (mappings, dict)):
        for value in values:
            if type(value) is not kind:
                raise TypeError(f"{str(value)[:40]!r} where a value of type {kind.__name__} belongs")
