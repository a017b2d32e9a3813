"""What a gallery shows of each level, from a snapshot or from a file of JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...games import GAMES
from ...games.base import LpbError
from ...pipeline.boards import Entry, parse, read_boards
from ...pipeline.commands_levels import find_game
from ...pipeline.level import Level, level_id
from ...pipeline.snapshot import Snapshot
from ...pipeline.tiers import all_figures
from ...verifiers.certificate import FIGURES

PROOF = ("lower", "upper", "proofs", "dead_ends", "states_examined", "methods", "verifier")  # of a certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A level to show, as plain data that can be sent to a worker. ``where``: what an error calls it; ``number``: its
    place in its tier, from 1; ``solution``: the certificate's moves, None where there is no certificate; ``figures``:
    one number or word a name; ``proof``: what the certificate says beside the solution."""

    id: str
    where: str
    game: str
    tier: str
    number: int
    board: Any
    solution: tuple[Any, ...] | None
    figures: Mapping[str, int | float | str]
    proof: Mapping[str, Any]
    provenance: Mapping[str, Any]


def from_snapshot(snapshot: Snapshot) -> Iterator[Exhibit]:
    """Every level: the games in the order of the registry, a game's tiers by rising difficulty, catalogue order inside.
    Raises LpbError where a level is of other rules than ours."""
    games = list(GAMES)
    cells = [(cell, levels) for cell, levels in snapshot.cells.items() if levels]
    for cell, levels in sorted(cells, key=lambda c: (games.index(c[0].game), _median(c[1]), c[0].tier)):
        rules = GAMES[cell.game].rules_version
        for number, level in enumerate(levels, 1):
            where = f"level {level.id[:12]} of {cell}"
            if level.rules_version != rules:
                raise LpbError(
                    f"it is of version {level.rules_version} of the rules, these are of version {rules}",
                    where=where,
                    fix="install the lpb-gen that the snapshot's toolchain names",
                )
            yield Exhibit(
                id=level.id,
                where=where,
                game=level.game,
                tier=level.tier,
                number=number,
                board=level.board,
                solution=level.certificate.solution,
                figures=flat(level.figures),
                proof={name: getattr(level.certificate, name) for name in PROOF},
                provenance=level.provenance,
            )


def _median(levels: tuple[Level, ...]) -> int:
    lengths = sorted(level.certificate.lower for level in levels)
    return lengths[len(lengths) // 2]


def from_lines(lines: Iterable[str], where: str, game_name: str | None) -> Iterator[Exhibit]:
    """The boards of a file, each once: what ``generate`` and ``certify`` write, or any boards that ``certify`` reads.
    Raises LpbError with the line."""
    reader = find_game(game_name or next(iter(GAMES)))  # only the text notation depends on it
    seen, numbers = set[str](), dict[tuple[str, str], int]()
    for entry in read_boards(reader, lines):
        place = f"{where}:{entry.line}"
        name = entry.extra.get("game", game_name)
        if not isinstance(name, str):
            raise LpbError("the line does not say which game", where=place, fix="give --game")
        game = find_game(name)
        try:
            board = game.dump(parse(game, entry))
        except LpbError as error:
            raise LpbError(str(error), where=place) from None
        identity = level_id(game, board)
        if identity in seen:
            continue
        seen.add(identity)
        tier = entry.extra.get("tier")
        tier = tier if isinstance(tier, str) else ""
        numbers[name, tier] = number = numbers.get((name, tier), 0) + 1
        certificate = entry.extra.get("certificate")
        provenance = entry.extra.get("provenance")
        yield Exhibit(
            id=identity,
            where=place,
            game=name,
            tier=tier,
            number=number,
            board=board,
            solution=_solution(certificate, place),
            figures=_figures(entry),
            proof={k: certificate[k] for k in PROOF if k in certificate} if isinstance(certificate, dict) else {},
            provenance=provenance if isinstance(provenance, dict) else {},
        )


def _solution(certificate: Any, where: str) -> tuple[Any, ...] | None:
    if certificate is None:
        return None
    if not isinstance(certificate, dict) or not isinstance(certificate.get("solution"), list):
        raise LpbError("the certificate has no list of moves", where=where, fix="run lpb-gen certify on the boards")
    return tuple(certificate["solution"])


def _figures(entry: Entry) -> dict[str, int | float | str]:
    nested = entry.extra.get("figures")
    if isinstance(nested, dict):
        return flat(nested)
    return flat({name: entry.extra[name] for name in dict.fromkeys((*FIGURES, *all_figures())) if name in entry.extra})


def flat(figures: Mapping[str, Any]) -> dict[str, int | float | str]:
    """Figures with those inside others named by a dot; what is not known is left out."""
    found: dict[str, int | float | str] = {}
    for name, value in figures.items():
        inner = {f"{name}.{part}": v for part, v in value.items()} if isinstance(value, Mapping) else {name: value}
        found.update({key: v for key, v in inner.items() if isinstance(v, int | float | str)})
    return found
