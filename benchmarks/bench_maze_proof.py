"""How long the proofs of Maze Paint minima take, by length: CPU milliseconds, median / worst, one process.

    python benchmarks/bench_maze_proof.py [--count 20] [--length 40]

Levels come from the generator, with and without a tight potential. Every measurement begins with empty caches, but with
compiled code. The column "ratio" compares the median with a plain exhaustive search, in Python over the rules, of one
board of 14 slides in the same run, so that it says the same on any machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

from lpb_gen.games.base import Claim, Unproven
from lpb_gen.games.maze import GAME, Board, floor_mask, slides
from lpb_gen.generators import maze, maze_flow, maze_graph
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers import maze as verifier
from lpb_gen.verifiers.maze_figures import measure
from lpb_gen.verifiers.maze_graph import SlideGraph

LENGTHS = (10, 20, 40, 60, 100)
REFERENCE = "..#.../....../....../.....#/....../S..#.."


def seconds(work: Callable[[], Any]) -> float:
    for cache in (slides, floor_mask, maze_graph.slide_graph, maze_graph.reachability, maze_flow._relaxed):
        cache.cache_clear()
    began = process_time()
    work()
    return process_time() - began


def plain_search() -> None:
    board = GAME.board(GAME.read(REFERENCE))
    seen = {GAME.start(board)}
    queue = list(seen)
    for state in queue:
        for move in GAME.moves(board, state):
            after = GAME.apply(board, state, move)
            if after not in seen:
                seen.add(after)
                queue.append(after)


def levels(length: int, count: int) -> list[tuple[Board, Claim]]:
    p = maze.params({**maze.ask({"optimal_length": (length, length)}), "require_potential": False})
    found: list[tuple[Board, Claim]] = []
    for index in range(50 * count):
        result = maze.generate(p, Stream([2], [0, index]))
        if isinstance(result, Candidate):
            found.append((result.board, result.claim))
        if len(found) == count:
            break
    return found


def report(name: str, times: list[float], reference: float, note: str = "") -> None:
    if not times:
        if note:
            print(f"  {name:42} {note}", flush=True)
    else:
        middle, worst = 1000 * median(times), 1000 * max(times)
        print(f"  {name:42} {middle:9.2f} / {worst:8.2f} {middle / reference / 1000:8.2f}  {note}", flush=True)


def exhaustive(sample: list[tuple[Board, Claim]], *, guided: bool) -> tuple[list[float], int]:
    """Times of the verifier's search, and how many met the limit."""
    times, capped = [], 0
    for board, claim in sample:

        def search(board: Board = board, claim: Claim = claim) -> None:
            graph = SlideGraph(board)
            guides = verifier._guides(graph, claim) if guided else []
            verifier._search(graph, len(claim.solution), guides, needed=True)

        try:
            times.append(seconds(search))
        except Unproven:
            capped += 1
    return times, capped


def measure_length(length: int, count: int, reference: float) -> None:
    sample = levels(length, count)
    loose = [(b, c) for b, c in sample if c.evidence["potential"]["bound"] < c.lower]
    print(f"{length} slides: {len(sample)} levels, potential tight on {len(sample) - len(loose)}")
    report("linear relaxation", [seconds(lambda b=b: maze_flow.lower_bound(b)) for b, _ in sample], reference)
    report("integer flow, minimum", [seconds(lambda b=b: maze_flow.minimum(b)) for b, _ in sample], reference)
    report(
        "whole claim: + least solution, potential",
        [seconds(lambda b=b: maze_flow.prove(b)) for b, _ in sample],
        reference,
    )
    graphs = [SlideGraph(b) for b, _ in sample]
    evidence = [c.evidence["potential"] for _, c in sample]
    checks = [seconds(lambda g=g, p=p: verifier.potential_bound(g, p)) for g, p in zip(graphs, evidence, strict=True)]
    report("potential check, plain Python", checks, reference)
    times, capped = exhaustive(sample, guided=False)
    report("exhaustive search", times, reference, f"{capped} beyond {verifier.STATE_LIMIT:,} states" if capped else "")
    times, capped = exhaustive(loose, guided=True)
    report("potential-guided search, loose ones", times, reference, f"{capped} beyond the limit" if capped else "")
    report("figures", [seconds(lambda b=b, c=c: measure(SlideGraph(b), c.lower)) for b, c in sample], reference)
    report("verify, figures included", [seconds(lambda b=b, c=c: verifier.verify(b, c)) for b, c in sample], reference)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="levels of each length")
    parser.add_argument("--length", type=int, help="only this length")
    options = parser.parse_args()
    reference = min(seconds(plain_search) for _ in range(5))
    for board, claim in levels(10, 1):  # compiles, or loads what was compiled
        verifier.verify(board, claim)
    for length in [options.length] if options.length else LENGTHS:
        measure_length(length, options.count, reference)


if __name__ == "__main__":
    main()
