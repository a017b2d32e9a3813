"""Small hand-made objectives for tests of the suite and the runner, with their optimal solutions found by plain search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lpb_gen.games import GAMES
from lpb_gen.games.base import AnyGame
from lpb_gen.pipeline.level import Level, make_level
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
    board = game.board(game.read(text))
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
