"""How long a step takes in a browser: from the click to the settled screenshot, and of what it consists.

    python benchmarks/bench_surface.py [--steps 200]

The same clicks and swipes go to the browser surface and to the direct surface (the reference), in turn, in one process;
every screenshot is compared with the reference's pixels, so that a stale one would show. Wall clock, median and 95th
percentile in milliseconds. Needs a browser (LPB_BROWSER, or any that lpb-gen finds).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import levels

from lpb_gen.generators.stream import Stream
from lpb_gen.runners import actions
from lpb_gen.runners.browser import BrowserSurface
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Session


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    steps = parser.parse_args().steps
    browser = BrowserSurface(Session(levels.objectives()), browser=os.environ.get("LPB_BROWSER"))
    direct = DirectSurface(Session(levels.objectives()))
    times: dict[str, list[float]] = defaultdict(list)
    try:
        begun = time.perf_counter()
        browser.start()
        print(f"{browser.describe()}, started in {time.perf_counter() - begun:.2f} s")
        stale = sum(step(browser, direct, Stream((number,), ()), times) for number in range(steps))
    finally:
        begun = time.perf_counter()
        browser.close()
        print(
            f"ended in {time.perf_counter() - begun:.2f} s; {stale} of {steps} screenshots differ from the renderer's"
        )
    for name, seconds in times.items():
        low, high = median(seconds), sorted(seconds)[int(0.95 * len(seconds))]
        print(f"{name:34} median {1e3 * low:7.1f}   p95 {1e3 * high:7.1f}   n {len(seconds)}")
    ratio = median(times["click to settled screenshot"]) / median(times["the same on the direct surface"])
    print(f"a click in the browser takes {ratio:.1f} times the direct surface's")


def step(browser: BrowserSurface, direct: DirectSurface, stream: Stream, times: dict[str, list[float]]) -> bool:
    """One click on a random control or one random swipe, on both; whether the browser's picture was another."""
    view = direct.session.view
    swipe = view.ready and stream.below(2) == 0
    if swipe:
        dx, dy = stream.choice([(0, -90), (0, 90), (-90, 0), (90, 0)])
        action: actions.Single = actions.Drag(((800, 400), (800 + dx, 400 + dy)))
    else:
        x, y = stream.choice(sorted(direct.session.targets().values()))
        action = actions.Click(round(x), round(y))
    events = actions.events(action)
    begun = time.perf_counter()
    browser.dispatch(events)
    settled = time.perf_counter()
    browser.screenshot()
    shot = time.perf_counter()
    direct.dispatch(events)
    direct.screenshot()
    reference = time.perf_counter() - shot
    name = "swipe" if swipe else "click"
    times[f"{name} to settled screenshot"].append(shot - begun)
    times[f"  {name} to settled page"].append(settled - begun)
    times["  screenshot"].append(shot - settled)
    if not swipe:
        times["the same on the direct surface"].append(reference)
    return not np.array_equal(browser.pixels(), direct.pixels())


if __name__ == "__main__":
    main()
