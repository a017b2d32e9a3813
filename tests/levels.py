"""Small objectives for tests of the suite and the runner, with solutions found by plain search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lpb_gen.games import GAMES
from lpb_gen.games.base import AnyGame
from lpb_gen.pipeline.level import Level, make_level
from lpb_gen.pipeline.manifest import SCHEMA, sha256, write_manifest
from lpb_gen.runners.view import Objective
from lpb_gen.verifiers.certificate import Certificate

EASY = ("...S/.###/....", "#../.../..#/S..", "##./#S./#.#/.../.##")  # 3, 6 and 8 slides
HARD = ("...../.S.##/...../....#/###..", "..#../..##./...../###.#/...../..#.S")  # 12 and 16


def shortest(game: AnyGame, board: Any) -> tuple[Any, ...]:
    """A shortest solution, by breadth-first search over the rules."""
    start = game.start(board)
    paths = {start: ()}
    queue: list[Any] = [start]
    for state in queue:
        if game.solved(board, state):
            return paths[state]
        for move in game.moves(board, state):
            after = game.apply(board, state, move)
            if after not in paths:
                paths[after] = (*paths[state], move)
                queue.append(after)
    raise ValueError("no solution")


def level(text: str, tier: str, game: AnyGame = GAMES["maze"]) -> Level:
    return of_board(game.board(game.read(text)), tier, game)


def of_board(board: Any, tier: str, game: AnyGame) -> Level:
    """Raises ValueError where the board has no solution."""
    solution = shortest(game, board)
    certificate = Certificate(
        solution=solution,
        upper=len(solution),
        lower=len(solution),
        proofs=("plain search",),
        evidence={},
        dead_ends="not looked at",
        states_examined=0,
        methods={},
        verifier="test",
    )
    return make_level(game, board, certificate, {"optimal_length": len(solution)}, tier=tier, provenance={})


def objective(tier: str, boards: Sequence[str]) -> Objective:
    return Objective("maze", tier, tuple(level(text, tier) for text in boards))


def objectives() -> tuple[Objective, Objective]:
    """Maze Paint, easy (three levels) and hard (two)."""
    return objective("easy", EASY), objective("hard", HARD)


def write_catalogue(folder: Path, objectives: Sequence[Objective]) -> Path:
    """A snapshot of these levels as a plain folder, which ``--snapshot`` reads without Git or DVC."""
    files = {
        f"levels/{o.game}/{o.tier}.jsonl": "".join(f"{level.to_line()}\n" for level in o.levels).encode()
        for o in objectives
    }
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    listed = {p: {"sha256": sha256(d), "bytes": len(d), "rows": d.count(b"\n")} for p, d in files.items()}
    manifest = {"schema": SCHEMA, "files": listed, "cells": {}, "parent": None, "retired": [], "name": "test"}
    (folder / "manifest.json").write_bytes(write_manifest(manifest))
    return folder
