"""Makes the pictures of the README from fresh levels: the home screen, a level half played, all games, all tiers.

python scripts/pictures.py [--seed 1]
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from lpb_gen.games import GAMES
from lpb_gen.games.base import Pointer
from lpb_gen.generators import GENERATORS
from lpb_gen.pipeline.params import Cell
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.pipeline.production import Order, make_levels
from lpb_gen.pipeline.stages import order
from lpb_gen.pipeline.tiers import Band
from lpb_gen.pipeline.workers import InlineExecutor
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Objective, Session
from lpb_gen.runners.suite.picture import sheet_png

TARGET = Path(__file__).parents[1] / "docs" / "images"
TIERS = {"easy": (7, 12), "medium": (13, 16), "hard": (18, 25), "expert": (40, 60)}


def objective(tier: str, count: int, seed: int) -> Objective:
    """``count`` certified Maze Paint levels of a tier, in rising difficulty."""
    low, high = TIERS[tier]
    params = GENERATORS["maze"].ask({"optimal_length": (low, high)})
    order = Order("maze", tier, dict(params), {"optimal_length": Band(low, high)}, seed, 1)
    levels = make_levels(order, count, InlineExecutor(), patience=200)
    return Objective("maze", tier, tuple(sorted(levels, key=lambda level: level.certificate.lower)))


def home(seed: int) -> bytes:
    """The home screen with a level of every game, as a PNG."""
    objectives = []
    for name, generator in GENERATORS.items():
        order = Order(name, "easy", dict(generator.ask({})), {}, seed, 1)
        objectives.append(Objective(name, "easy", tuple(make_levels(order, 1, InlineExecutor(), patience=200))))
    surface = DirectSurface(Session(objectives))
    surface.start()
    picture = surface.screenshot()
    surface.close()
    return picture


SHOWN = {"bolt": "hard", "color": "hard", "maze": "hard", "nut": "hard", "rush": "hard", "truck": "default"}


def in_play(game: str, tier: str, lang: Literal["en", "zh"] = "en") -> bytes:
    """A level of a default tier, a third of its way done, as a PNG of the whole screen."""
    params = read_params((Path(__file__).parents[1] / "params.yaml").read_bytes())
    wanted = dataclasses.replace(order(params, Cell(game, tier)), epoch=1)
    levels = make_levels(wanted, 3, InlineExecutor(), patience=400)
    hardest = max(levels, key=lambda level: level.certificate.lower)
    session = Session([Objective(game, tier, (hardest,))], lang=lang)
    surface = DirectSurface(session)
    surface.start()
    for name in (f"game:{game}", f"tier:{tier}"):
        x, y = session.targets()[name]
        surface.dispatch([Pointer("down", x, y), Pointer("up", x, y)])
    solution = hardest.certificate.solution
    for move in solution[: len(solution) // 3]:
        surface.dispatch(session.pointers(move))
    picture = surface.screenshot()
    surface.close()
    return picture


def side_by_side(pictures: Sequence[bytes], columns: int = 2, width: int = 640, height: int = 450) -> bytes:
    """Screens in rows, made smaller, as a PNG."""
    import skia

    surface = skia.Surface(columns * width, -(-len(pictures) // columns) * height)
    sampling = skia.SamplingOptions(skia.CubicResampler.Mitchell())
    with surface as canvas:
        for number, picture in enumerate(pictures):
            row, column = divmod(number, columns)
            place = skia.Rect.MakeXYWH(column * width, row * height, width, height)
            canvas.drawImageRect(skia.Image.MakeFromEncoded(skia.Data(picture)), place, sampling)
    return bytes(surface.makeImageSnapshot().encodeToData())


def half_played(hard: Objective) -> bytes:
    """The third level of the tier, most of its way done, as a PNG of the whole screen."""
    session = Session([hard])
    surface = DirectSurface(session)
    surface.start()

    def click(name: str) -> None:
        x, y = session.targets()[name]
        surface.dispatch([Pointer("down", x, y), Pointer("up", x, y)])

    click("game:maze")
    click(f"tier:{hard.tier}")
    for number, level in enumerate(hard.levels[:3]):
        solution = level.certificate.solution
        for move in solution if number < 2 else solution[: 3 * len(solution) // 5]:
            surface.dispatch(session.pointers(move))
        if number < 2:
            click("next")
    picture = surface.screenshot()
    surface.close()
    return picture


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    seed = parser.parse_args().seed
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "home.png").write_bytes(home(seed))
    (TARGET / "games.png").write_bytes(side_by_side([in_play(*shown) for shown in SHOWN.items()]))
    (TARGET / "level.png").write_bytes(half_played(objective("hard", 10, seed)))
    game = GAMES["maze"]
    levels = [(tier, level) for tier in TIERS for level in objective(tier, 4, seed).levels]
    boards = [(game, game.board(level.board), f"{tier} · {level.certificate.lower} slides") for tier, level in levels]
    (TARGET / "tiers.png").write_bytes(sheet_png(boards))


if __name__ == "__main__":
    main()
