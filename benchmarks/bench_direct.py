"""How fast the direct surface steps: rules alone (the reference), with the session, with pixels, with a PNG file.

    pytest benchmarks/bench_direct.py --benchmark-columns=median,ops --benchmark-sort=fullname \
        --benchmark-timer=time.process_time

One round is one swipe (three pointer events) of a fixed walk over a 15 by 11 maze; the table's ratios are to the
fastest row. Drawing a frame from nothing, and finding what changed, are measured beside it. The timer counts the
processor's time, so that what else the machine does matters less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import pytest

from lpb_gen.games import GAMES
from lpb_gen.games.base import Pointer
from lpb_gen.pipeline.level import make_level
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Objective, Session
from lpb_gen.runners.suite.render import Renderer, changed_box
from lpb_gen.verifiers.certificate import Certificate

GAME = GAMES["maze"]
ROWS = """
    ......######### .####.######### .####........## .####.######.## ......######.## #.###.######.## #.###........##
    #.###.####.#### #.........#.### #.####.##.#.### #.####.##.#.... #.####.##.####. #S.............
"""


def board() -> Any:
    return GAME.board({"rows": ROWS.split()})


def walk() -> Iterator[str]:
    """An endless walk that always has a next move: the legal moves in turn, begun anew where the level is solved."""
    place, state = board(), GAME.start(board())
    for turn in cycle(range(7)):
        moves = list(GAME.moves(place, state))
        if not moves:
            state = GAME.start(place)
            yield "restart"
            continue
        move = moves[turn % len(moves)]
        state = GAME.apply(place, state, move)
        yield move


def opened() -> DirectSurface:
    proof = Certificate(
        solution=(),
        upper=0,
        lower=0,
        proofs=(),
        evidence={},
        dead_ends="",
        states_examined=0,
        methods={},
        verifier="",
    )
    level = make_level(GAME, board(), proof, {}, tier="hard", provenance={})
    surface = DirectSurface(Session([Objective("maze", "hard", (level,))]))
    for target in ("game:maze", "tier:hard"):
        press(surface, target)
    return surface


def press(surface: DirectSurface, target: str) -> None:
    x, y = surface.session.targets()[target]
    surface.dispatch([Pointer("down", x, y), Pointer("up", x, y)])


def stepper(surface: DirectSurface, after: Callable[[], Any]) -> Callable[[], None]:
    moves = walk()

    def step() -> None:
        move = next(moves)
        if move == "restart":
            press(surface, "again")
        else:
            surface.dispatch(surface.session.pointers(move))
        after()

    return step


@pytest.mark.benchmark(group="a step")
def test_1_rules_alone(benchmark: Any) -> None:
    moves = walk()
    benchmark.pedantic(lambda: next(moves), rounds=2000, warmup_rounds=50)


@pytest.mark.benchmark(group="a step")
def test_2_without_pixels(benchmark: Any) -> None:
    benchmark.pedantic(stepper(opened(), lambda: None), rounds=2000, warmup_rounds=50)


@pytest.mark.benchmark(group="a step")
def test_3_with_pixels(benchmark: Any) -> None:
    surface = opened()
    benchmark.pedantic(stepper(surface, surface.pixels), rounds=200, warmup_rounds=5)


@pytest.mark.benchmark(group="a step")
def test_4_with_a_png_file(benchmark: Any) -> None:
    surface = opened()
    benchmark.pedantic(stepper(surface, surface.screenshot), rounds=100, warmup_rounds=5)


@pytest.mark.benchmark(group="a frame of 1280 by 900")
def test_5_drawn_from_nothing(benchmark: Any) -> None:
    scene = opened().session.scene()
    benchmark.pedantic(lambda: Renderer().render(scene, (1280, 900)), rounds=50, warmup_rounds=3)


@pytest.mark.benchmark(group="a frame of 1280 by 900")
def test_6_drawn_on_from_the_one_before(benchmark: Any) -> None:
    surface = opened()
    session, renderer = surface.session, Renderer()
    scenes = [session.scene()]
    step = stepper(surface, lambda: scenes.append(session.scene()))
    for _ in range(8):
        step()
    frames = cycle(scenes)
    benchmark.pedantic(lambda: renderer.render(next(frames), (1280, 900)), rounds=100, warmup_rounds=10)


@pytest.mark.benchmark(group="a frame of 1280 by 900")
def test_7_what_changed(benchmark: Any) -> None:
    surface = opened()
    before = surface.pixels()
    stepper(surface, lambda: None)()
    after = surface.pixels()
    benchmark.pedantic(lambda: changed_box(before, after), rounds=100, warmup_rounds=3)
