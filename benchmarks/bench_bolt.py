"""Bolt Unscrew's speed: CPU time of the minimum, of single decisions and of dead-end figures, and levels a core-minute.

    python benchmarks/bench_bolt.py [--levels 12] [--seconds 10]

The ratios are against the verifier's search of all states of the same levels in the same run, so they say the same on
any machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import mean, median
from time import process_time
from typing import Any

from lpb_gen.games.bolt import GAME
from lpb_gen.games.bolt_board import Board
from lpb_gen.generators import bolt
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers import bolt as verifier
from lpb_gen.verifiers.bolt_plans import count_plans

SIZES = {  # screws: the other parameters
    8: {"boards": 5, "size": [6, 8]},
    12: {"boards": 8, "size": [7, 9]},
    14: {"boards": 9, "size": [7, 10]},
    16: {"boards": [9, 10], "size": [8, 10]},
    18: {"boards": [10, 11], "size": [8, 10]},
    20: {"boards": [11, 12], "size": [9, 11]},
    24: {"boards": [13, 14], "size": [9, 12]},
}
DENSITY = {"screws": [12, 16], "boards": [8, 11], "size": [[7, 8], [9, 10]], "free": [4, 13], "dead": [0.3, 0.7]}
ORDERS: dict[str, dict[str, Any]] = {
    "easy tier": {"screws": [6, 10], "boards": [4, 6], "size": [[5, 6], [7, 8]], "free": [2, 6], "fatal": [0.01, 0.15]},
    "hard density, greedy fails": DENSITY | {"stumbles": True, "plan_cap": 20_000, "state_cap": 200_000},
    "hard tier (also finisher 0 to 0.8)": DENSITY
    | {"stumbles": True, "plan_cap": 20_000, "state_cap": 200_000}
    | {"dead": [0.35, 0.8], "finisher": [0, 0.8], "latency": 1.5},
    "expert tier": {
        "screws": [18, 24], "boards": [10, 14], "size": [[8, 9], [10, 12]], "free": [4, 17], "dead": [0.35, 0.9],
        "finisher": [0, 0.7], "latency": 1.5, "stumbles": True, "plan_cap": 400_000,
    },
}  # fmt: skip
LIMIT = 3_000_000  # states of the reference


def cpu_ms(work: Callable[[], Any], rounds: int = 1) -> float:
    times = []
    for _ in range(rounds):
        began = process_time()
        work()
        times.append((process_time() - began) * 1e3)
    return min(times)


def dense(screws: int, count: int) -> list[Board]:
    """Levels of so many screws of which 30 to 85 % of the plans are dead."""
    block = {"screws": screws, "free": [3, 18], "dead": [0.3, 0.85], "plan_cap": 400_000, **SIZES[screws]}
    p, found, index = bolt.params(block), [], 0
    while len(found) < count:
        one = bolt.generate(p, Stream([77, screws], (0, index)))
        index += 1
        if isinstance(one, Candidate):
            found.append(one.board)
    return found


def solving(levels: int) -> None:
    print("CPU ms a level: minimum (mean, median, worst); dead or not (mean); plans here and in the verifier (mean);")
    print("all states (mean, how many), and how many times as long that takes as the minimum")
    for screws in SIZES:
        boards = dense(screws, levels if screws < 20 else max(2, levels // 4))
        least = [cpu_ms(lambda b=board: bolt.solve(b), 2) for board in boards]
        decide = [cpu_ms(lambda b=board: bolt.is_dead(b, GAME.start(b)), 3) for board in boards]
        plans = [cpu_ms(lambda b=board: bolt.count_plans(b)) for board in boards]
        other = [cpu_ms(lambda b=board: count_plans(b, 10**7)) for board in boards]
        few = boards[: max(2, levels // 4)]
        states: list[Any] = []
        reference = [cpu_ms(lambda b=board, s=states: s.append(verifier.explored(b, LIMIT)[:2])) for board in few]
        sizes = [len(found[1]) for found in states]
        complete = "" if all(found[0] for found in states) else " (stopped at the limit)"
        print(
            f"  {screws:2}: {mean(least):8.1f} {median(least):7.1f} {max(least):8.1f}; {mean(decide):6.2f};"
            f" {mean(plans):8.1f} {mean(other):8.1f};"
            f" {mean(reference):8.0f} of {mean(sizes):,.0f}{complete}, ratio {mean(reference) / mean(least):.0f}"
        )


def making(seconds: float) -> None:
    print("levels a core-minute: proven by the generator, and with every figure of the verifier")
    for name, block in ORDERS.items():
        p, index, spent, checks = bolt.params(block), 0, 0.0, []
        made: list[Candidate[Board]] = []
        while spent < seconds * 1e3 or not made:
            out: list[Any] = []
            spent += cpu_ms(lambda i=index, out=out, p=p: out.append(bolt.generate(p, Stream([5], (0, i)))))
            made += [one for one in out if isinstance(one, Candidate)]
            index += 1
        for one in made[:8]:
            checks.append(cpu_ms(lambda c=one: verifier.verify(c.board, c.claim)))
        each = spent / len(made)
        print(f"  {name}: {60_000 / each:,.0f} ({index / len(made):.1f} candidates each);", end=" ")
        print(f"{60_000 / (each + mean(checks)):,.0f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--levels", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=10.0)
    wanted = parser.parse_args()
    (warm,) = dense(8, 1)
    verifier.verify(warm, bolt.solve(warm))
    solving(wanted.levels)
    making(wanted.seconds)


if __name__ == "__main__":
    main()
