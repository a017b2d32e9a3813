"""Truck Escape by brute force over games/truck.py: what the generator and the verifier are tested against."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from typing import Any

from lpb_gen.games.truck import GAME, Board

STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}


def lot(*rows: str, roads: dict[str, list[int]] | None = None) -> Board:
    """A board from a drawing: at the front of each vehicle ``^v<>``, behind it a letter or a digit of its own (small
    ``l`` and ``r`` where it turns), ``#`` wall. Vehicles are numbered in the order of their fronts."""
    walls, vehicles = [], []
    cells = {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    for (r, c), cell in cells.items():
        if cell == "#":
            walls.append([r, c])
        elif cell in "^v<>":
            facing = {"^": "U", "v": "D", "<": "L", ">": "R"}[cell]
            down, right = STEPS[facing]
            tail = cells[r - down, c - right]
            length = 3 if cells.get((r - 2 * down, c - 2 * right)) == tail else 2
            vehicle: dict[str, Any] = {"front": [r, c], "dir": facing, "len": length}
            vehicles.append(vehicle | ({"turn": tail.upper()} if tail in "lr" else {}))
    value = {"size": [len(rows), len(rows[0])], "walls": walls, "vehicles": vehicles}
    return GAME.board(value | ({"roads": roads} if roads else {}))


def random_board(seed: int, sides: tuple[int, int] = (4, 8), vehicles: tuple[int, int] = (3, 16)) -> Board:
    """A lot with vehicles, some of them turning, and a few walls at random places; many have no solution."""
    rng = random.Random(seed)
    rows, columns = rng.randint(*sides), rng.randint(*sides)
    roads = [[rng.randrange(side)] if rng.random() < 0.4 else [] for side in (rows, columns)]
    taken: set[tuple[int, int]] = set()
    walls, found = [], []
    for _ in range(2 * rng.randint(*vehicles)):
        facing, length = rng.choice("UDLR"), rng.choice((2, 2, 2, 2, 2, 3, 3, 3, 1))
        (down, right), row, column = STEPS[facing], rng.randrange(rows), rng.randrange(columns)
        body = {(row - i * down, column - i * right) for i in range(length)}
        if body & taken or not all(0 <= r < rows and 0 <= c < columns for r, c in body):
            continue
        if length == 1:
            if rng.random() < 0.3:
                walls.append([row, column])
                taken |= body
            continue
        taken |= body
        vehicle: dict[str, Any] = {"front": [row, column], "dir": facing, "len": length}
        crossing, at, way = (roads[0], row, down) if down else (roads[1], column, right)
        if any((n - at) * way > 0 for n in crossing) and rng.random() < 0.6:
            vehicle["turn"] = rng.choice("LR")
        found.append(vehicle)
    found = found[: vehicles[1]] or [{"front": [0, 0], "dir": "L", "len": 2}]
    walls = [wall for wall in walls if len(found) > 1]
    value = {"size": [rows, columns], "walls": sorted(walls), "vehicles": found}
    return GAME.board(value | {"roads": {"rows": roads[0], "columns": roads[1]}})


def reachable(board: Board) -> set[int]:
    found = {GAME.start(board)}
    queue = list(found)
    for state in queue:  # grows while it is read
        for move in GAME.moves(board, state):
            after = GAME.apply(board, state, move)
            if after not in found:
                found.add(after)
                queue.append(after)
    return found


def can_be_solved(board: Board) -> bool:
    return any(GAME.solved(board, state) for state in reachable(board))


def expected_clicks(board: Board) -> Fraction:
    """Of a player who clicks any vehicle that is left, by the rule of total expectation, click by click."""

    @cache
    def left(state: int) -> Fraction:
        if GAME.solved(board, state):
            return Fraction(0)
        standing = [n for n in range(len(board.vehicles)) if state >> n & 1]
        leads = [GAME.apply(board, state, move) for move in GAME.moves(board, state)]
        # E = 1 + (bumps / n) E + sum of E(after) / n
        stays = Fraction(len(standing) - len(leads), len(standing))
        return (1 + sum(left(after) for after in leads) / Fraction(len(standing))) / (1 - stays)

    return left(GAME.start(board))
