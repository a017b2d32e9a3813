"""How fast Rush Hour is solved, flooded and made, and in how much memory. CPU time, one process; boards are the 200
known ones.

    python benchmarks/bench_rush.py [--seconds 20] [--rounds 5]
    python benchmarks/bench_rush.py --only 40 --seconds 60 --stream 2
    python benchmarks/bench_rush.py --memory      both searches at their full limits: two minutes, 4 GiB

The ratios are against the verifier's plain search of the same boards in the same run, so they say the same on any
machine.
"""

from __future__ import annotations

import argparse
import json
import resource
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from time import process_time
from typing import Any

from lpb_gen.games.base import Unproven
from lpb_gen.games.rush import GAME
from lpb_gen.generators import rush, rush_depth, rush_growth, rush_kernel
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.rush_packing import pack
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers import rush as verifier
from lpb_gen.verifiers.rush_search import explore

KNOWN = Path(__file__).parents[1] / "tests" / "known_values" / "rush.jsonl"
BANDS = [(5, 12), (13, 22), (23, 35), (40, 50)]
LIMIT = 10**8
HUGE = "BCDEFGHI/BCDEFGHI/......../AA....x./JJ...KK./LL...MM./NN...PP./QQ...RR."  # more than 10 ** 9 positions


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
    packed, marks = [pack(board) for board in boards], rush_kernel.Marks()
    total = sum(rush_kernel.flood(p, LIMIT, marks)[0] for p in packed)
    work = [
        (
            lambda p=p: rush_kernel.search(p, LIMIT, stop=True, marks=marks),
            lambda p=p: rush_kernel.flood(p, LIMIT, marks),
            lambda b=b: explore(b, LIMIT, count_to=LIMIT),
            lambda b=b: pack(b),
            lambda b=b: rush.solve(b),
        )
        for b, p in zip(boards, packed, strict=True)
    ]
    solve, flood, plain, packing, claim = ([row[i] for row in best_of(rounds, work)] for i in range(5))
    print(f"solve              mean {mean(solve) * 1e3:7.3f} ms  median {median(solve) * 1e3:7.3f} ms")
    print(f"packing a board    mean {mean(packing) * 1e3:7.3f} ms")
    print(f"both minima, whole mean {mean(claim) * 1e3:7.3f} ms  median {median(claim) * 1e3:7.3f} ms")
    print(f"component, twice   {total / sum(flood) / 1e6:7.2f} M states/s  ({total:,} states)")
    print(f"verifier's search  {total / sum(plain) / 1e6:7.2f} M states/s")
    by_solve, by_flood = sum(plain) / sum(solve), sum(plain) / sum(flood)
    print(f"ratios             plain search / solve {by_solve:.1f}, plain search / component {by_flood:.1f}")


def making(low: int, high: int, seconds: float, stream: int) -> None:
    p = rush.params(rush.ask({"optimal_length": (low, high)}))
    rush.generate(p, Stream([stream], [1, 0]))  # compiles
    lengths, rejected, candidates, began = [], Counter[str](), 0, process_time()
    while process_time() - began < seconds:
        found = rush.generate(p, Stream([stream], [0, candidates]))
        candidates += 1
        if isinstance(found, Candidate):
            lengths.append(len(found.claim.solution))
        else:
            rejected[found.reason] += 1
    rate = 60 * len(lengths) / (process_time() - began)
    print(f"{low:3}..{high:<3} {rate:8.1f} levels a core-minute  {candidates} candidates, rejected {dict(rejected)}")


def arrangements(seconds: float) -> None:
    """Different arrangements that annealing for 40 moves comes by, by the moves of their hardest starts: what each
    candidate remembers at its end."""
    seen: dict[int, int] = {}
    rooms: list[rush_depth.Room] = []
    room_for = rush_growth.room_for

    def watched(cap: int) -> rush_depth.Room:
        rooms.append(room_for(cap))
        return rooms[-1]

    rush_growth.room_for = watched
    p = rush.params(rush.ask({"optimal_length": (40, 50)}))
    rush.generate(p, Stream([2], [1, 0]))  # compiles
    rooms.clear()
    candidates, began = 0, process_time()
    while process_time() - began < seconds:
        rush.generate(p, Stream([2], [0, candidates]))
        candidates += 1
        room = rooms.pop()
        seen.update(zip(room.keys.tolist(), room.depths.tolist(), strict=True))
    minutes = (process_time() - began) / 60
    rush_growth.room_for = room_for
    for low, high in ((10, 19), (20, 34)):
        count = sum(low <= length <= high for length in seen.values())
        print(f"{low:3}..{high:<3} {count / minutes:8.0f} different arrangements a core-minute")


def memory() -> None:
    """Peak memory of both searches where they reach their limits."""
    board = GAME.board(GAME.read(HUGE))
    for name, prove, limit in (
        ("generator", rush.solve, rush.STATE_LIMIT),
        ("verifier", verifier.refute, verifier.STATE_LIMIT),
    ):
        began = process_time()
        try:
            prove(board)
            raise AssertionError("the board is not large enough")
        except Unproven as error:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(f"{name:9} {error}: {process_time() - began:.0f} s, so far at most {peak:.2f} GiB for {limit:,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stream", type=int, default=1, help="of the candidates: other numbers, other levels")
    parser.add_argument("--only", metavar="LOW", type=int, help="nothing but the levels of the band that begins there")
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args()
    if options.memory:
        memory()
        return
    if options.only is not None:
        for low, high in BANDS:
            if low == options.only:
                making(low, high, options.seconds, options.stream)
        return
    solving(options.rounds)
    arrangements(options.seconds)
    for low, high in BANDS:
        making(low, high, options.seconds, options.stream)


if __name__ == "__main__":
    main()
