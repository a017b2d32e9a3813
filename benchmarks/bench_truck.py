"""How fast Truck Escape levels are made, proven and refuted. CPU time, one process.

    python benchmarks/bench_truck.py [--seconds 10]

The ratios are against the click-by-click replay by the rules of the same boards in the same run, so they say the same
on any machine.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from time import process_time
from typing import Any

from lpb_gen.games.truck import Board
from lpb_gen.generators import truck
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.stream import Stream
from lpb_gen.pipeline.new_repository import template_text
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.verifiers import truck as verifier
from lpb_gen.verifiers.truck_graph import departures

EXACT = {
    "6x6, 8 vehicles, depth 5, 2 free, bait 2": {"vehicles": 8, "size": [6, 6], "depth": 5, "free": 2, "bait": 2},
    "8x8, 14 vehicles, depth 10, 2 free, bait 5": {"vehicles": 14, "size": [8, 8], "depth": 10, "free": 2, "bait": 5},
    "12x12, 32 vehicles, depth 20, 2 free, bait 12": {
        "vehicles": 32,
        "size": [12, 12],
        "depth": 20,
        "free": 2,
        "bait": 12,
    },
}


def making(name: str, block: dict[str, Any], seconds: float) -> list[Candidate[Board]]:
    p = truck.params(block)
    truck.generate(p, Stream([9], [0, 0]))  # compiles
    made, rejected, candidates, began = list[Candidate[Board]](), Counter[str](), 0, process_time()
    while process_time() - began < seconds:
        found = truck.generate(p, Stream([1], [0, candidates]))
        candidates += 1
        if isinstance(found, Candidate):
            made.append(found)
        else:
            rejected[found.reason] += 1
    rate = 60 * len(made) / (process_time() - began)
    print(f"{name:46} {rate:9,.0f} levels a core-minute  {candidates} candidates, rejected {dict(rejected)}")
    return made


def clock(work: Callable[[Candidate[Board]], object], made: list[Candidate[Board]]) -> float:
    """Milliseconds of CPU a board, the better of two rounds."""
    rounds = []
    for _ in range(2):
        began = process_time()
        for one in made:
            work(one)
        rounds.append(process_time() - began)
    return 1e3 * min(rounds) / len(made)


def proving(made: list[Candidate[Board]]) -> None:
    some = made[:40]
    replay = clock(lambda one: truck.solve(one.board), some)
    graph = clock(lambda one: departures(one.board).depth, some)
    whole = clock(lambda one: verifier.verify(one.board, one.claim), some)
    print(
        f"{'':12} replay {replay:6.2f} ms, graph {graph:6.2f} ms, certificate with all figures {whole:7.2f} ms", end=""
    )
    print(f"; graph / replay {graph / replay:.2f}, certificate / replay {whole / replay:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10)
    seconds = parser.parse_args().seconds
    for name, block in EXACT.items():
        proving(making(name, block, seconds))
    for cell, block in read_params(template_text("params.yaml")).cells.items():
        if cell.game == "truck":
            for rung in block.rungs:
                proving(making(f"{cell}, {rung['vehicles']} vehicles", dict(rung), seconds / 2))


if __name__ == "__main__":
    main()
