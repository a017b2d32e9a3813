"""Which levels an environment plays: those of a snapshot's game and tier, or the boards of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from ...games import GAMES
from ...games.base import InvalidBoard, LpbError
from ...pipeline.boards import parse, read_boards
from ...pipeline.level import Level, canonical_json, make_level, read_level
from ...verifiers.certificate import Certificate
from ..commands import load_snapshot, objective_of, offered
from ..view import Objective

FILE_TIER = "custom"  # of levels from a file, where nobody names another
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

Levels = str | PathLike[str] | Sequence[int] | None


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


def offer(game: str, tier: str | None, snapshot: str | None, levels: Levels) -> Offer:
    """``levels``: a file of levels or boards, one a line (then no snapshot is read), the indices of some levels, or
    None for all. Raises InvalidEnvironment, InvalidBoard, and what ``pipeline.snapshot.load`` raises."""
    if game not in GAMES:
        raise invalid(f"there is no game {game!r}", f"use {', '.join(GAMES)}")
    if isinstance(levels, str | PathLike):
        if snapshot is not None:
            raise invalid("both a snapshot and a file of levels are named", "name one of them")
        objective = Objective(game, tier or FILE_TIER, tuple(read_file(game, Path(levels), tier or FILE_TIER)))
        return Offer(objective, tuple(range(len(objective.levels))), (objective,))
    if tier is None:
        raise invalid("no tier is named", 'for instance tier="easy"; truck has "default"')
    found = load_snapshot(snapshot)
    objective = objective_of(found, game, tier)
    count = len(objective.levels)
    chosen = tuple(range(count)) if levels is None else tuple(int(index) for index in levels)
    wrong = [index for index in chosen if not 0 <= index < count]
    if wrong or not chosen:
        what = f"there is no level {wrong[0]}" if wrong else "no level is chosen"
        raise InvalidEnvironment(what, where=f"{game} {tier}", fix=f"levels are numbered from 0 to {count - 1}")
    return Offer(objective, chosen, tuple(offered(found)))


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
            yield make_level(rules, board, NOTHING_PROVEN, {}, tier=tier, provenance={})
    if not count:
        raise InvalidEnvironment("it has no board", where=str(path))
