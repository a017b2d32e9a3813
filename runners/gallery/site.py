"""The files of a gallery: one page, its data, and for every level a picture and a replay that are loaded when needed.

index.html page.css page.js   the page, the same for every gallery
base.css base.js              what it shares with other pages of ours
levels.js                     what the page shows and filters
pictures/ID.webp              a level's start
replays/ID.js, ID.webp        its moves, and the tiles that they change
gallery.json                  what this folder is
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...games import GAMES
from ...games.base import LpbError
from ...pipeline.files import Kind, whole_folder, write_inside
from ...pipeline.workers import in_order
from ...verifiers.certificate import FIGURES
from .exhibits import Exhibit
from .film import TILE, shoot

SHARED = ("base.css", "base.js")
PAGE = ("index.html", "page.css", "page.js")
FOLDER = Kind(
    "lpb-gen gallery", "gallery.json", frozenset({*SHARED, *PAGE, "gallery.json", "levels.js", "pictures", "replays"})
)


@dataclass(frozen=True, slots=True)
class Developed:
    """What a level adds: its entry in levels.js, and its files."""

    entry: Mapping[str, Any]
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Written:
    """How large a gallery came out."""

    levels: int
    files: int
    bytes: int


def write_gallery(
    target: Path,
    exhibits: Iterable[Exhibit],
    about: Mapping[str, Any],
    pool: Executor,
    *,
    box: int,
    tick: Callable[[], None] = lambda: None,
) -> Written:
    """Makes ``target`` a gallery, whole or not at all. ``about``: the title and what it shows, for people and programs;
    ``box``: pixels that a picture may be wide and high. Raises LpbError where a solution does not replay."""
    FOLDER.require_free(target)
    entries, number, size = [], 0, 0
    with whole_folder(target) as folder:

        def add(path: str, data: bytes) -> None:
            nonlocal number, size
            write_inside(folder, path, data)
            number, size = number + 1, size + len(data)

        for _, developed in in_order(pool, partial(develop, box=box), exhibits):
            entries.append(developed.entry)
            for path, data in developed.files.items():
                add(path, data)
            tick()
        games = {name: GAMES[name].title["en"] for name in dict.fromkeys(entry["game"] for entry in entries)}
        figures = _in_order({name for entry in entries for name in entry["figures"]})
        shown = {**about, "games": games, "figures": figures, "levels": entries}
        add("levels.js", f"gallery({_json(shown)});\n".encode())
        for name in SHARED:
            add(name, files("lpb_gen.runners.pages").joinpath(name).read_bytes())
        for name in PAGE:
            add(name, files(__package__).joinpath(name).read_bytes())
        marker = {"schema": 1, "made_by": FOLDER.made_by, **about, "levels": len(entries)}
        add(FOLDER.marker, (json.dumps(marker, indent=2, sort_keys=True) + "\n").encode())
    return Written(len(entries), number, size)


def develop(exhibit: Exhibit, *, box: int) -> Developed:
    """The pictures of one level."""
    game = GAMES[exhibit.game]
    try:
        film = shoot(game, game.board(exhibit.board), exhibit.solution or (), box)
    except LpbError as error:
        raise LpbError(error.what, where=exhibit.where, fix=error.fix) from None
    made = {f"pictures/{exhibit.id}.webp": film.start}
    entry = {
        "id": exhibit.id,
        "game": exhibit.game,
        "tier": exhibit.tier,
        "number": exhibit.number,
        "size": film.size,
        "figures": exhibit.figures,
        "moves": None if exhibit.solution is None else len(exhibit.solution),
    }
    if exhibit.solution is not None:
        replay = {
            "id": exhibit.id,
            "tile": TILE,
            "columns": film.columns,
            "frames": film.frames,
            "moves": [move_text(exhibit.game, move) for move in exhibit.solution],
            "proof": exhibit.proof,
            "provenance": exhibit.provenance,
            "board": _json(exhibit.board),
        }
        made[f"replays/{exhibit.id}.js"] = f"replay({_json(replay)});\n".encode()
        if film.sheet:
            made[f"replays/{exhibit.id}.webp"] = film.sheet
    return Developed(entry, made)


def move_text(game: str, move: Any) -> str:
    """A move in the game's own words, or as its certificate has it, its parts joined by arrows."""
    said = GAMES[game].move_text
    if said is not None:
        return said(move)
    return " → ".join(str(part) for part in move) if isinstance(move, list | tuple) else str(move)


def _in_order(names: set[str]) -> list[str]:
    """The figures that every game reports first, in their order."""
    places = {name: place for place, name in enumerate(FIGURES)}
    return sorted(names, key=lambda name: (places.get(name.partition(".")[0], len(places)), name))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
