"""How fast Maze Paint levels are made: levels a core-minute by band, and where the time goes. CPU time, one process.

    python benchmarks/bench_maze_generator.py [--seconds 20] [--band 18 25]

The last column is a ratio within the same run, so it says the same on any machine: the time of a candidate against a
plain exhaustive search, in Python over the rules, of one board of 14 slides.
"""

from __future__ import annotations

import argparse
from collections import Counter
from time import process_time

from lpb_gen.games.maze import GAME
from lpb_gen.generators import maze, maze_growth
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.stream import Stream

BANDS = [(7, 12), (13, 16), (18, 25), (40, 45), (40, 60), (60, 65), (100, 105), (900, 910)]
REFERENCE = "..#.../....../....../.....#/....../S..#.."


def plain_search_seconds() -> float:
    """CPU seconds of a breadth-first search over the rules, the least of five."""
    board = GAME.board(GAME.read(REFERENCE))
    times = []
    for _ in range(5):
        began = process_time()
        seen = {GAME.start(board)}
        frontier = list(seen)
        for state in frontier:
            for move in GAME.moves(board, state):
                after = GAME.apply(board, state, move)
                if after not in seen:
                    seen.add(after)
                    frontier.append(after)
        times.append(process_time() - began)
    return min(times)


def measure(low: int, high: int, seconds: float, reference: float) -> None:
    p = maze.params(maze.ask({"optimal_length": (low, high)}))
    maze.generate(p, Stream([0], [0]))  # compiles, or loads what was compiled
    levels, rejected, slowest, candidates, began = 0, Counter[str](), 0.0, 0, process_time()
    while process_time() - began < seconds:
        at = process_time()
        result = maze.generate(p, Stream([1], [0, candidates]))
        slowest = max(slowest, process_time() - at)
        candidates += 1
        if isinstance(result, Candidate):
            levels += 1
        else:
            rejected[result.reason] += 1
    spent = process_time() - began

    began, grown = process_time(), 0
    while process_time() - began < seconds / 4:
        stream = Stream([1], [0, grown])
        target = stream.between(*p.length)
        height, width = maze.size_for(target, stream)
        style = maze_growth.style(height, width, height * width // 20)
        maze_growth.grow(height, width, target, style, stream, steps=p.steps, state_cap=p.state_cap)
        grown += 1
    growth = (process_time() - began) / grown
    print(
        f"{low:4}-{high:<4} {60 * levels / spent:9.1f} {1000 * spent / candidates:10.1f} {1000 * growth:9.1f}"
        f" {1000 * slowest:9.0f} {spent / candidates / reference:9.1f}   {dict(rejected)}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="of CPU time for each band")
    parser.add_argument("--band", type=int, nargs=2, help="only this band of lengths")
    options = parser.parse_args()
    reference = plain_search_seconds()
    print("   band  levels/min ms/candidate ms/growth  ms/worst  ratio   rejected")
    for low, high in [options.band] if options.band else BANDS:
        measure(low, high, options.seconds, reference)


if __name__ == "__main__":
    main()
