"""Which levels an environment plays: those of a snapshot's game and tier, or the boards of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from ...games import GAMES
from ...games.base import AnyGame, InvalidBoard, LpbError
from ...pipeline.boards import parse, read_boards
from ...pipeline.level import Level, canonical_json, make_level, read_level
from ...verifiers.certificate import Certificate
from ..commands import load_snapshot, objective_of, offered
from ..view import Objective

OWN_TIER = "custom"  # of levels from elsewhere than a snapshot, where nobody names another
NOTHING_PROVEN = Certificate(
    solution=(),
    upper=0,
    lower=0,
    proofs=(),
    evidence={},
    dead_ends="not looked at",
    states_examined=0,
    methods={},
    verifier="",
)

Levels = str | PathLike[str] | Sequence[int | Mapping[str, Any]] | None


class InvalidEnvironment(LpbError):
    """An environment was asked for something that it does not have."""


def invalid(what: str, fix: str) -> InvalidEnvironment:
    return InvalidEnvironment(what, where="environment", fix=fix)


@dataclass(frozen=True, slots=True)
class Offer:
    """``objective``: all levels of the game and tier, whose boards give the spaces their shapes; ``chosen``: the
    indices of those that are played; ``suite``: the objectives that the suite's menus offer."""

    objective: Objective
    chosen: tuple[int, ...]
    suite: tuple[Objective, ...]


def offer(game: str | None, tier: str | None, snapshot: str | None, levels: Levels) -> Offer:
    """``levels``: a file of levels or boards, one a line, or boards as JSON (then no snapshot is read); the indices of
    some levels; or None for all. Raises InvalidEnvironment, InvalidBoard, and what reading a snapshot raises."""
    if game is None or game not in GAMES:
        what = "no game is named" if game is None else f"there is no game {game!r}"
        raise invalid(what, f"give game=, one of {', '.join(GAMES)}")
    given = _given(game, tier or OWN_TIER, levels)
    if given:
        if snapshot is not None:
            raise invalid("both a snapshot and levels from elsewhere are named", "name one of them")
        objective = Objective(game, tier or OWN_TIER, given)
        return Offer(objective, tuple(range(len(given))), (objective,))
    if tier is None:
        raise invalid("no tier is named", 'for instance tier="easy"; truck has "default"')
    found = load_snapshot(snapshot)
    objective = objective_of(found, game, tier)
    return Offer(objective, _chosen(levels, len(objective.levels)), tuple(offered(found)))


def _chosen(levels: Levels, count: int) -> tuple[int, ...]:
    if levels is None:
        return tuple(range(count))
    chosen = list(levels) if isinstance(levels, Sequence) else [levels]
    for index in chosen or ["at all"]:
        if not isinstance(index, int) or not 0 <= index < count:
            raise invalid(f"there is no level {index!r}", f"give a list of numbers from 0 to {count - 1}")
    return tuple(index for index in chosen if isinstance(index, int))


def _given(game: str, tier: str, levels: Levels) -> tuple[Level, ...]:
    """Those from elsewhere than a snapshot."""
    if isinstance(levels, str | PathLike):
        return tuple(read_file(game, Path(levels), tier))
    if levels and all(isinstance(board, Mapping) for board in levels):
        return tuple(_uncertified(GAMES[game], GAMES[game].board(board), tier) for board in levels)
    return ()


def _uncertified(game: AnyGame, board: Any, tier: str) -> Level:
    return make_level(game, board, NOTHING_PROVEN, {}, tier=tier, provenance={})


def read_file(game: str, path: Path, tier: str) -> Iterator[Level]:
    """The levels of a file: level lines as a snapshot has them, ``{"board": ...}`` lines, or the game's text notation.
    Of a board without a certificate nothing is claimed, not even that it can be solved. Raises InvalidEnvironment,
    InvalidBoard, InvalidLevel."""
    rules, count = GAMES[game], 0
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise InvalidEnvironment(f"cannot be read ({reason})", where=str(path)) from None
    for entry in read_boards(rules, lines):
        where = f"{path}:{entry.line}"
        try:
            board = parse(rules, entry)
        except InvalidBoard as error:
            raise InvalidBoard(error.what, where=where, fix=error.fix) from None
        count += 1
        if "certificate" in entry.extra:
            yield read_level(canonical_json({**entry.extra, "board": entry.board}), where=where)
        else:
            yield _uncertified(rules, board, tier)
    if not count:
        raise InvalidEnvironment("it has no board", where=str(path))
