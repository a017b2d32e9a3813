"""How fast Rush Hour is solved, flooded and made. CPU time, one process; boards are the 200 known ones.

    python benchmarks/bench_rush.py [--seconds 20] [--rounds 5]

The ratios are against the verifier's plain search of the same boards in the same run, so they say the same on any
machine.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from time import process_time
from typing import Any

import numpy as np

from lpb_gen.games.rush import GAME
from lpb_gen.generators import rush, rush_kernel
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers.rush_search import explore

KNOWN = Path(__file__).parents[1] / "tests" / "known_values" / "rush.jsonl"
BANDS = [(5, 12), (13, 22), (23, 35), (40, 50)]
LIMIT = 10**8


def best_of(rounds: int, work: list[tuple[Callable[..., Any], ...]]) -> list[list[float]]:
    """For each pair of calls the least CPU seconds of each, the two taken in turns."""
    times = [[9e9] * len(calls) for calls in work]
    for _ in range(rounds):
        for own, calls in zip(times, work, strict=True):
            for i, call in enumerate(calls):
                began = process_time()
                call()
                own[i] = min(own[i], process_time() - began)
    return times


def solving(rounds: int) -> None:
    boards = [GAME.board(GAME.read(json.loads(line)["board"])) for line in KNOWN.read_text("utf-8").splitlines()]
    packed = [rush_kernel.pack(board) for board in boards]
    sizes = [rush_kernel.flood(p.start, p.grid, LIMIT)[0] for p in packed]
    work = [
        (
            lambda p=p: rush_kernel.search(np.array([p.start]), p.grid, LIMIT, True),
            lambda p=p: rush_kernel.flood(p.start, p.grid, LIMIT),
            lambda b=b: explore(b, LIMIT, count_to=LIMIT),
            lambda b=b: rush_kernel.pack(b),
        )
        for b, p in zip(boards, packed, strict=True)
    ]
    solve, flood, plain, pack = ([row[i] for row in best_of(rounds, work)] for i in range(4))
    total = sum(sizes)
    print(f"solve              mean {mean(solve) * 1e3:7.3f} ms  median {median(solve) * 1e3:7.3f} ms")
    print(f"packing a board    mean {mean(pack) * 1e3:7.3f} ms")
    print(f"component, twice   {total / sum(flood) / 1e6:7.2f} M states/s  ({total:,} states)")
    print(f"verifier's search  {total / sum(plain) / 1e6:7.2f} M states/s")
    by_solve, by_flood = sum(plain) / sum(solve), sum(plain) / sum(flood)
    print(f"ratios             plain search / solve {by_solve:.1f}, plain search / component {by_flood:.1f}")


def making(low: int, high: int, seconds: float) -> None:
    p = rush.params(rush.ask({"optimal_length": (low, high)}))
    lengths, rejected, candidates, began = [], Counter[str](), 0, process_time()
    while process_time() - began < seconds:
        found = rush.generate(p, Stream([1], [0, candidates]))
        candidates += 1
        if isinstance(found, Candidate):
            lengths.append(len(found.claim.solution))
        else:
            rejected[found.reason] += 1
    rate = 60 * len(lengths) / (process_time() - began)
    print(f"{low:3}..{high:<3} {rate:8.1f} levels a core-minute  {candidates} candidates, rejected {dict(rejected)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    solving(options.rounds)
    for low, high in BANDS:
        making(low, high, options.seconds)


if __name__ == "__main__":
    main()
