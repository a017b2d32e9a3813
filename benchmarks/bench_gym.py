"""How fast the Gymnasium environments step, against the bare session that plays the same moves.

    python benchmarks/bench_gym.py
    python benchmarks/bench_gym.py --game maze --tier hard --seconds 2

One step is a random legal move of one level of each game (the first that its generator makes for the tier), begun anew
where it is solved or stuck; by GUI, one step is one click or drag, of which a move of Nut and Bolt or Bolt Unscrew
takes two. Steps a second of processor time; in brackets the ratio to the session, in the same run.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lpb_gen.games import GAMES
from lpb_gen.generators import GENERATORS
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.stream import Stream
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.runners import actions
from lpb_gen.runners.environments.environment import Environment

PARAMS = Path(__file__).parents[1] / "pipeline" / "template" / "params.yaml"
COLUMNS = ("session", "state, moves", "state, GUI", "pixels, moves", "pixels 320x225", "privileged")


def level(game: str, tier: str) -> Any:
    """Board JSON."""
    block = read_params(PARAMS.read_bytes()).cells[game, tier].rungs[-1]
    params = GENERATORS[game].params(block)
    for index in range(1000):
        found = GENERATORS[game].generate(params, Stream([0], [0, index]))
        if isinstance(found, Candidate):
            return GAMES[game].dump(found.board)
    raise SystemExit(f"{game} {tier}: no level")


def rate(step: Callable[[], None], seconds: float) -> float:
    """Calls a second of processor time."""
    step()
    count, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        step()
        count += 1
    return count / spent


def session_step(game: str, board: Any) -> Callable[[], None]:
    """What every player has to do: look up the moves, choose one, give its inputs to the session."""
    environment, rng = Environment(game, levels=[board]), random.Random(0)

    def step() -> None:
        view = environment.session.view
        moves = list(GAMES[game].moves(view.board, view.state))
        if not moves:
            environment._begin(0)
            return
        for event in environment.session.pointers(rng.choice(moves)):
            environment.session.event(event)

    return step


def environment_step(game: str, board: Any, **options: Any) -> Callable[[], None]:
    environment, rng = Environment(game, levels=[board], max_steps=None, **options), random.Random(0)
    waiting: list[Any] = []
    info = environment.reset(seed=0)[1]

    def move() -> None:
        nonlocal info
        legal = np.flatnonzero(info["action_mask"])
        info = environment.step(rng.choice(legal))[4] if len(legal) else environment.reset()[1]

    def click() -> None:
        if not waiting:
            view = environment.session.view
            moves = list(GAMES[game].moves(view.board, view.state))
            gesture = environment.session.pointers(rng.choice(moves)) if moves else ()
            if not moves:
                environment.reset()
            elif sum(pointer.kind == "move" for pointer in gesture) < 2:  # else a drag that has no vector
                waiting.extend(environment.vectors(actions.gesture(gesture)))
        if waiting:
            environment.step(waiting.pop(0))

    return move if options["action"] == "move" else click


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--game", choices=sorted(GAMES))
    words.add_argument("--tier")
    words.add_argument("--seconds", type=float, default=1.0)
    asked = words.parse_args()
    print("".join(name.rjust(24) for name in ("", *COLUMNS)))
    for game in [asked.game] if asked.game else sorted(GAMES):
        tier = asked.tier or ("default" if game == "truck" else "hard")
        board = level(game, tier)
        moves, gui = {"action": "move"}, {"action": "gui"}
        steps = (
            session_step(game, board),
            environment_step(game, board, observation="state", **moves),
            environment_step(game, board, observation="state", **gui),
            environment_step(game, board, observation="pixels", **moves),
            environment_step(game, board, observation="pixels", size=(320, 225), **moves),
            environment_step(game, board, observation="state", privileged=True, **moves),
        )
        rates = [rate(step, asked.seconds) for step in steps]
        cells = [f"{one:,.0f} ({one / rates[0]:.3f})" for one in rates]
        print("".join(cell.rjust(24) for cell in (f"{game} {tier}", *cells)), flush=True)


if __name__ == "__main__":
    main()
