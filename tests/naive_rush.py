"""Rush Hour by brute force over games/rush.py, and as a CP-SAT planning problem: what solvers are tested against."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from lpb_gen.games.cpsat import cpsat
from lpb_gen.games.rush import GAME, Board, State, room


def board(text: str) -> Board:
    return GAME.board(GAME.read(text))


def neighbours(level: Board, state: State, *, unit: bool = False) -> Iterator[State]:
    """Where one slide leads (with ``unit``: by one cell), from solved states too."""
    for number in range(len(state)):
        back, forth = room(level, state, number)
        for cells in range(-back, forth + 1):
            if cells and not (unit and abs(cells) > 1):
                yield (*state[:number], state[number] + cells, *state[number + 1 :])


def distances(level: Board, begin: list[State], *, unit: bool = False) -> dict[State, int]:
    """How far every state of the component is from the states ``begin``."""
    found = dict.fromkeys(begin, 0)
    queue = list(found)
    for state in queue:  # grows while it is read
        for after in neighbours(level, state, unit=unit):
            if after not in found:
                found[after] = found[state] + 1
                queue.append(after)
    return found


def minimum(level: Board, *, unit: bool = False) -> int | None:
    found = distances(level, [GAME.start(level)], unit=unit)
    return min((d for state, d in found.items() if GAME.solved(level, state)), default=None)


def random_board(seed: int, sides: tuple[int, int] = (4, 6), vehicles: tuple[int, int] = (2, 10)) -> Board:
    """A car park with vehicles and a few walls at random places."""
    rng = random.Random(seed)
    height, width = rng.randint(*sides), rng.randint(*sides)
    cells = [["."] * width for _ in range(height)]
    row = rng.randrange(height)
    at = rng.randrange(width - 2)
    cells[row][at : at + 2] = "AA"
    labels = iter("BCDEFGHIJKLMNPQRSTUVWYZ")
    for _ in range(rng.randint(*vehicles)):
        length, across = rng.choice((1, 2, 2, 2, 2, 3, 3)), rng.random() < 0.5
        lines, span = (height, width) if across else (width, height)
        line, first = rng.randrange(lines), rng.randrange(span - length + 1)
        places = [(line, first + i) if across else (first + i, line) for i in range(length)]
        if all(cells[r][c] == "." for r, c in places) and not (across and line == row and length > 1):
            label = "x" if length == 1 else next(labels)
            for r, c in places:
                cells[r][c] = label
    return GAME.board({"rows": ["".join(line) for line in cells]})


def can_be_planned(level: Board, moves: int) -> bool:
    """Whether CP-SAT finds a plan of at most ``moves`` slides: where every vehicle stands after each, one of them
    changing at most, over cells that are free before and after."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    cells = range(level.height * level.width)
    walls = {i for i in cells if "".join(level.rows)[i] == "x"}
    stands: list[list[dict[int, Any]]] = []
    for turn in range(moves + 1):
        now = []
        for n, vehicle in enumerate(level.vehicles):
            places = range(level.span(vehicle) - vehicle.length + 1)
            now.append({at: model.new_bool_var(f"{turn} {n} {at}") for at in places})
            model.add_exactly_one(now[-1].values())
        stands.append(now)
        for cell in cells:
            on = [
                literal
                for vehicle, own in zip(level.vehicles, now, strict=True)
                for at, literal in own.items()
                if cell in {level.cell(vehicle, at + i) for i in range(vehicle.length)}
            ]
            if cell in walls:
                model.add(sum(on) == 0)
            else:
                model.add_at_most_one(on)
    for n, vehicle in enumerate(level.vehicles):
        model.add(stands[0][n][vehicle.first] == 1)
    model.add(stands[moves][0][level.width - level.vehicles[0].length] == 1)
    for turn in range(moves):
        slid = [model.new_bool_var(f"{turn} slides {n}") for n in range(len(level.vehicles))]
        model.add_at_most_one(slid)
        for n, vehicle in enumerate(level.vehicles):
            before, after = stands[turn][n], stands[turn + 1][n]
            for a, was in before.items():
                model.add(after[a] == 1).only_enforce_if(was, ~slid[n])
                for b, now_at in after.items():
                    low, high = min(a, b), max(a, b) + vehicle.length
                    swept = {level.cell(vehicle, at) for at in range(low, high)}
                    if swept & walls:
                        model.add_bool_or(~was, ~now_at)
                    for other, own in enumerate(stands[turn]):
                        if other == n or abs(a - b) < 2:
                            continue  # its cells before and after are kept free above
                        for at, literal in own.items():
                            body = {
                                level.cell(level.vehicles[other], at + i) for i in range(level.vehicles[other].length)
                            }
                            if body & swept:
                                model.add_bool_or(~was, ~now_at, ~literal)
    solver = cpsat(seed=1)  # which is its default
    status = solver.solve(model)
    assert status in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE)
    return status != cp_model.INFEASIBLE
