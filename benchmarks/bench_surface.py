"""Both surfaces side by side, for each game: whether they show the same, and how long a step takes.

    python benchmarks/bench_surface.py [--states 200] [--game maze]

A random player plays generated levels on the browser surface and on the direct surface at once: legal moves, controls,
clicks anywhere, and keys, until --states different states were seen. After each action both screenshots are compared
pixel by pixel, so that a stale one would show; so are the states. The exit code is 1 where any differs.

Times are wall clock, median and 95th percentile in milliseconds, and beside them what a fixed wait of two seconds after
each action would take; the direct surface's steps are counted with pixels. Needs a browser (LPB_BROWSER, or any that
lpb-gen finds).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from lpb_gen.games import GAMES
from lpb_gen.generators.stream import Stream
from lpb_gen.pipeline.level import Level, make_level
from lpb_gen.pipeline.production import Order, make_levels
from lpb_gen.pipeline.workers import InlineExecutor
from lpb_gen.runners import actions
from lpb_gen.runners.browser import BrowserSurface
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Objective, Session
from lpb_gen.verifiers.certificate import Certificate

FIXED_WAIT = 2.0  # seconds, which other harnesses sleep after each action
MOST_STEPS = 10  # for each state that is wanted
KNOWN = Path(__file__).parents[1] / "tests" / "known_values"
MADE = {  # generator's parameters, where levels are quickly made
    "bolt": {"screws": [8, 12], "boards": [5, 8], "size": [[6, 7], [7, 9]], "free": [2, 6]},
    "truck": {"vehicles": 14, "depth": 6, "roads": 2, "turning": 6},
}
ROOMY = {"rush": 8}  # line of the first board that a random player gets around on; a tight one has few states near by
KEYS = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter", "r", "u")


@dataclass
class Found:
    """Of one game. Times in seconds."""

    states: set[str] = field(default_factory=set)
    steps: int = 0
    same_pixels: int = 0
    same_states: int = 0
    settled: list[float] = field(default_factory=list)
    with_screenshot: list[float] = field(default_factory=list)
    direct: list[float] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        return self.steps == self.same_pixels == self.same_states


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=200)
    parser.add_argument("--game", choices=list(GAMES), action="append")
    options = parser.parse_args()
    print("game    states  steps  same pixels  same states   settled p50 p95   screenshot p50 p95   direct steps/s")
    found = {}
    for game in options.game or GAMES:
        found[game] = play(game, options.states)
        print(line(game, found[game]), flush=True)
    whole = Found(with_screenshot=[seconds for own in found.values() for seconds in own.with_screenshot])
    steps, low = sum(own.steps for own in found.values()), median(whole.with_screenshot)
    print(f"\n{sum(len(own.states) for own in found.values())} states, {steps} screenshots on each surface:", end=" ")
    print("all equal" if all(own.equal for own in found.values()) else "NOT EQUAL")
    high = percentile(whole.with_screenshot)
    print(f"action to settled screenshot: median {1e3 * low:.0f} ms, 95 % {1e3 * high:.0f} ms", end="; ")
    print(f"a fixed wait of {FIXED_WAIT:g} s and a screenshot takes {(FIXED_WAIT + low) / low:.0f} times the median")
    sys.exit(not all(own.equal for own in found.values()))


def percentile(seconds: list[float]) -> float:
    return sorted(seconds)[int(0.95 * len(seconds))]


def line(game: str, own: Found) -> str:
    settled, shot = ((f"{1e3 * median(t):8.0f} {1e3 * percentile(t):4.0f}") for t in (own.settled, own.with_screenshot))
    counts = f"{len(own.states):6} {own.steps:6} {own.same_pixels:12} {own.same_states:12}"
    return f"{game:7} {counts}   {settled}        {shot}       {1 / median(own.direct):9.0f}"


def play(game: str, states: int) -> Found:
    """Plays on both surfaces until so many states were seen."""
    objective = Objective(game, "easy", tuple(levels(game)))
    browser = BrowserSurface(Session([objective]), browser=os.environ.get("LPB_BROWSER"))
    direct, found = DirectSurface(Session([objective])), Found()
    try:
        browser.start()
        direct.start()
        compare(browser, direct, found)
        while len(found.states) < states and found.steps < MOST_STEPS * states:
            action = chosen(direct.session, Stream((found.steps,), (7,)))
            parts = action.actions if isinstance(action, actions.Batch) else (action,)
            events = [event for part in parts for event in actions.events(part)]
            begun = time.perf_counter()
            browser.dispatch(events)
            settled = time.perf_counter()
            browser.screenshot()
            shot = time.perf_counter()
            direct.dispatch(events)
            direct.pixels()
            found.direct.append(time.perf_counter() - shot)
            found.settled.append(settled - begun)
            found.with_screenshot.append(shot - begun)
            compare(browser, direct, found)
    finally:
        browser.close()
        direct.close()
    return found


def compare(browser: BrowserSurface, direct: DirectSurface, found: Found) -> None:
    found.states.add(direct.session.state_hash())
    found.steps += 1
    found.same_pixels += bool(np.array_equal(browser.pixels(), direct.pixels()))
    found.same_states += browser.session.state_hash() == direct.session.state_hash()


def chosen(session: Session, stream: Stream) -> actions.Action:
    """What the random player does next: mostly legal moves, and seldom what begins a level anew."""
    view, draw = session.view, stream.below(40)
    if view.ready and draw < 34:
        moves = list(GAMES[view.game or ""].moves(view.board, view.state))
        if moves:
            return actions.gesture(session.pointers(stream.choice(moves)))
    if view.ready and draw < 36:
        return actions.Press(stream.choice(KEYS))
    if view.ready and draw < 39:
        return actions.Click(stream.below(session.viewport[0]), stream.below(session.viewport[1]))
    controls = [name for name in sorted(session.targets()) if name not in ("lang", "home", "back")]
    x, y = session.targets()[stream.choice(controls or sorted(session.targets()))]
    return actions.Click(round(x), round(y))


# --- levels -----------------------------------------------------------------------------------------------------------


def levels(game: str) -> Iterator[Level]:
    """Two of a game, with no proof where none is asked for."""
    if game in MADE:
        yield from make_levels(Order(game, "easy", MADE[game], {}, 4, 1), 2, InlineExecutor(), patience=100)
        return
    lines = (KNOWN / f"{game}.jsonl").read_text("utf-8").splitlines()
    first = ROOMY.get(game, 0)
    for text in lines[first : first + 2]:
        yield unproven(game, json.loads(text))


def unproven(game: str, told: dict[str, Any]) -> Level:
    rules = GAMES[game]
    text = told.get("board") or told.get("grid")
    value = rules.read(text) if text else {name: told[name] for name in ("capacity", "bolts")}
    value = value | {"cover": bool(told["require_cover"])} if game == "color" else value
    proof = Certificate(
        solution=(), upper=0, lower=0, proofs=(), evidence={}, dead_ends="", states_examined=0, methods={}, verifier=""
    )
    return make_level(rules, rules.board(value), proof, {}, tier="easy", provenance={})


if __name__ == "__main__":
    main()
