"""How fast Color Connect is counted, proven and made. CPU time, one process; boards are made for the purpose.

    python benchmarks/bench_color.py [--seconds 10] [--boards 10]

The ratios are against the verifier's count of the same boards in the same run, so they say the same on any machine.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from statistics import mean, median
from time import process_time
from typing import Any

from lpb_gen.games.color import Board
from lpb_gen.generators import color
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.color_frontier import count
from lpb_gen.generators.color_growth import Lines, board_of
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers import color_mates
from lpb_gen.verifiers.color_cpsat import Question

SIZES = [(6, 5), (8, 7), (10, 9), (12, 11)]
MAKING = [
    (6, 5, "strict"),
    (8, 7, "strict"),
    (10, 9, "strict"),
    (12, 11, "strict"),
    (12, 11, "cover"),
    (13, 12, "cover"),
]
LIMIT = 40_000_000


def seconds_of(call: Callable[[], Any]) -> float:
    began = process_time()
    call()
    return process_time() - began


def boards_of(side: int, pairs: int, number: int, *, cover: bool) -> list[Board]:
    """Annealed boards, as the generator first counts them: some unique, some not."""
    found = []
    for key in range(10 * number):
        lines = Lines(side, side, pairs, Stream([3], [side, key]))
        if lines.anneal(color.STEPS * side * side) and len(found) < number:
            found.append(board_of(side, side, lines.lines(), cover=cover))
    return found


def prove(board: Board, corners: int) -> None:
    question = Question(board)
    question.fewer_corners(corners)
    question.find()


def counting(number: int) -> None:
    for side, pairs in SIZES:
        for cover in (True, False):
            frontier, mates, proofs, unique = [], [], [], []
            for board in boards_of(side, pairs, number, cover=cover):
                found = count(board, LIMIT)
                if found is None:
                    continue
                frontier.append(seconds_of(lambda b=board: count(b, LIMIT)))  # type: ignore[misc]
                mates.append(seconds_of(lambda b=board: color_mates.count(b, LIMIT)))  # type: ignore[misc]
                if found.solutions == 1:
                    unique.append(seconds_of(lambda b=board: count(b, LIMIT, lines=True)))  # type: ignore[misc]
                    proofs.append(seconds_of(lambda b=board, c=found.corners: prove(b, c)))  # type: ignore[misc]
            print(
                f"{side:2}x{side:<2} {pairs:2} pairs {'filled' if cover else 'free  '}"
                f"  count mean {mean(frontier) * 1e3:8.2f} median {median(frontier) * 1e3:8.2f} ms"
                f"  unique ones, with lines {median(unique or [0]) * 1e3:8.2f} ms"
                f"  CP-SAT {median(proofs or [0]) * 1e3:7.1f} ms"
                f"  mates / frontier {sum(mates) / sum(frontier):.2f}"
            )


def making(side: int, pairs: int, rule: str, seconds: float) -> None:
    p = color.params({"size": [side, side], "pairs": pairs, "rule": rule, "state_cap": 1_000_000})
    rejected, levels, candidates, began = Counter[str](), 0, 0, process_time()
    while process_time() - began < seconds:
        found = color.generate(p, Stream([1], [0, candidates]))
        candidates += 1
        if isinstance(found, Candidate):
            levels += 1
        else:
            rejected[found.reason] += 1
    rate = 60 * levels / (process_time() - began)
    print(f"{side:2}x{side:<2} {pairs:2} pairs {rule:6} {rate:9.1f} levels a core-minute  rejected {dict(rejected)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--boards", type=int, default=10)
    options = parser.parse_args()
    for cover in (True, False):  # compile first
        count(boards_of(5, 4, 1, cover=cover)[0], LIMIT, lines=True)
        color_mates.count(boards_of(5, 4, 1, cover=cover)[0], LIMIT)
    color.generate(color.params({"size": [5, 5], "pairs": 4}), Stream([1], [0]))
    counting(options.boards)
    for side, pairs, rule in MAKING:
        making(side, pairs, rule, options.seconds)


if __name__ == "__main__":
    main()
