"""How step latency holds when many play at once.

    python benchmarks/bench_load.py [--episodes 1 2 4 8] [--seconds 30] [--sessions 1 100] [--rounds 20]

First, browser episodes in parallel, each in a process of its own with a browser of its own: a step is from an action to
its settled screenshot, as the records tell it; the first one is the reference. The halves show whether it stays steady.
Then sessions in one server process: one page each, from an input's sending to its frame's arrival, all in one loop.
Wall clock, milliseconds. Needs a browser (LPB_BROWSER, or any that lpb-gen finds).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import levels
from websockets.asyncio.client import connect

from lpb_gen.runners.attempts import Watching, Ways
from lpb_gen.runners.campaign import played
from lpb_gen.runners.plan import Play, agent_words
from lpb_gen.runners.record import read_events
from lpb_gen.runners.session import Session
from lpb_gen.runners.suite.server import HEADER, Suite

PIN = {"reference": None, "tag": None, "commit": None, "digest": "0" * 64}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--seconds", type=float, default=30.0, help="of each episode")
    parser.add_argument("--sessions", type=int, nargs="*", default=[1, 100])
    parser.add_argument("--rounds", type=int, default=20)
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores")
    reference = 0.0
    for count in chosen.episodes:
        reference = episodes(count, chosen.seconds, reference)
    reference = 0.0
    for count in chosen.sessions:
        reference = asyncio.run(sessions(count, chosen.rounds, reference))


def told(name: str, seconds: list[float], reference: float) -> float:
    middle = median(seconds)
    high = sorted(seconds)[int(0.95 * len(seconds))]
    ratio = f"   {middle / reference:5.2f} times the reference" if reference else ""
    print(f"{name:34} p50 {1e3 * middle:7.1f}   p95 {1e3 * high:7.1f}   n {len(seconds):6}{ratio}", flush=True)
    return reference or middle


# --- episodes ---------------------------------------------------------------------------------------------------------


def episodes(count: int, seconds: float, reference: float) -> float:
    """That many at once, of a random player who never stops before the time is up."""
    objective = levels.objective("hard", levels.HARD * 20)
    plays = [
        Play(
            objective=objective,
            offered=(objective,),
            pin=PIN,
            agent=agent_words("random", [], None),
            seed=seed,
            budget=seconds,
            browser=os.environ.get("LPB_BROWSER"),
        )
        for seed in range(count)
    ]
    with tempfile.TemporaryDirectory() as folder:
        ways = Ways(out=Path(folder), parallel=count, attempts=1)
        found = list(played(plays, ways, Watching()))
        failed = [one.last.result["failure"] for one in found if not one.last.scored]
        steps = [step for one in found if one.last.record for step in steps_of(one.last.record)]
    if failed:
        print(f"{len(failed)} of {count} episodes failed: {failed[0]}")
    reference = told(f"{count} browser episodes at once", [step for _, step in steps], reference)
    for half, own in (
        ("first", [s for at, s in steps if at < seconds / 2]),
        ("second", [s for at, s in steps if at >= seconds / 2]),
    ):
        told(f"  the {half} half of it", own, reference)
    return reference


def steps_of(record: Path) -> list[tuple[float, float]]:
    """When each step began, and how long it took from the decision to the settled picture, in seconds."""
    steps, decided = [], None
    for event in read_events(record / "events.jsonl"):
        if event["type"] == "decision":
            decided = event["elapsed_seconds"]
        elif event["type"] == "observation" and decided is not None:
            steps.append((decided, event["elapsed_seconds"] - decided))
    return steps


# --- sessions ---------------------------------------------------------------------------------------------------------


async def sessions(count: int, rounds: int, reference: float) -> float:
    """That many suites in this process; their pages give inputs one after another."""
    seconds = []
    async with AsyncExitStack() as stack:
        pages = []
        for number in range(count):
            suite = Suite(Session(levels.objectives()), token=f"t{number}", guarded=False)
            await suite.start()
            stack.push_async_callback(suite.stop)
            page = await stack.enter_async_context(connect(suite.socket_address, proxy=None, compression=None))
            await frame(page)
            pages.append((suite, page))
        for _ in range(rounds):
            for suite, page in pages:
                targets = suite.session.targets()
                x, y = targets[sorted(targets)[0]]
                for kind in ("down", "up"):
                    begun = time.perf_counter()
                    await page.send(json.dumps([kind, x, y]))
                    await frame(page)
                    seconds.append(time.perf_counter() - begun)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{count} sessions in one process: {memory:.0f} MiB at most")
    return told(f"{count} sessions in one server", seconds, reference)


async def frame(page: Any) -> None:
    data = await page.recv()
    await page.send(json.dumps(["ack", HEADER.unpack(data[: HEADER.size])[0]]))


if __name__ == "__main__":
    main()
