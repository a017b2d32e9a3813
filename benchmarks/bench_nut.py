"""Nut and Bolt's speed: CPU time of the proven minimum, of dead-end figures, and levels a core-minute.

    python benchmarks/bench_nut.py [levels of each size, 40 unless told]

All times are CPU times of this process, kernels compiled beforehand; of each level the best of three alternated runs.
As the reference of the same run, for ratios between machines: the same levels by the verifier's breadth-first search.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import mean, median
from typing import Any

from lpb_gen.games.nut import GAME, Board
from lpb_gen.generators import nut as generator
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers import nut as verifier
from lpb_gen.verifiers import nut_search

SIZES = ((8, 2, 4), (12, 2, 4), (14, 2, 4), (10, 2, 6), (10, 3, 4))  # colours, spares, capacity
BLOCKS = {
    "easy (5 colours)": {"colours": [3, 5]},
    "medium (6-7)": {"colours": [6, 7]},
    "hard (9-11)": {"colours": [9, 11]},
    "extreme (12)": {"colours": 12},
}
SECONDS = 4.0


def boards(colours: int, spares: int, capacity: int, count: int) -> list[Board]:
    """Solvable shuffles."""
    found: list[Board] = []
    index = 0
    while len(found) < count:
        stream = Stream([99, colours, spares, capacity], (0, index))
        index += 1
        nuts = [colour for colour in range(1, colours + 1) for _ in range(capacity)]
        stream.shuffle(nuts)
        rows = [nuts[i : i + capacity] for i in range(0, len(nuts), capacity)]
        board = GAME.board({"capacity": capacity, "bolts": [*rows, *([] for _ in range(spares))]})
        if not generator.is_dead(board, board.bolts):
            found.append(board)
    return found


def cpu_ms(work: Callable[[], Any]) -> float:
    begin = time.process_time()
    work()
    return (time.process_time() - begin) * 1e3


def kernel(board: Board) -> Callable[[], Any]:
    from lpb_gen.generators import nut_kernel

    start = generator.packed(board, board.bolts)
    return lambda: nut_kernel.shortest(start, board.capacity, board.colours, 10**7)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    warm = boards(4, 2, 4, 1)[0]
    verifier.verify(warm, generator.solve(warm))
    generator.dead_ends(warm)
    print("proven minimum, CPU ms a level: A* (mean, median), decision solvable or dead, border-table figures, states")
    for colours, spares, capacity in SIZES:
        levels = boards(colours, spares, capacity, count)
        best = [min(cpu_ms(kernel(board)) for _ in range(3)) for board in levels]
        decide = [min(cpu_ms(lambda b=board: generator.is_dead(b, b.bolts)) for _ in range(3)) for board in levels]
        few = levels[: max(3, count // 8)]
        tables = [cpu_ms(lambda b=board: generator.fatal_share(b)) for board in few]
        line = f"  {colours}/{spares}/{capacity}: {mean(best):7.2f} {median(best):7.2f}"
        line += f"   {mean(decide):6.3f}   {mean(tables):7.1f}"
        if spares == 2 and capacity == 4:
            label = [cpu_ms(lambda b=board: generator.dead_ends(b)) for board in few]
            plain = [
                cpu_ms(lambda b=board: nut_search.explore(verifier.packed(b), b.capacity, 10**7, -1)) for board in few
            ]
            ratio = mean(plain) / mean(label)
            line += f"   {mean(label):7.1f} (breadth-first reference {mean(plain):.1f}, ratio {ratio:.2f})"
        print(line)
    print("levels a core-minute: proven (with border-table figures), and with every exact figure of the verifier")
    for name, block in BLOCKS.items():
        p, made, full, index, spent, checked = generator.params(block), 0, 0, 0, 0.0, 0.0
        while spent < SECONDS * 1e3 / 2 or not made:
            made_here: list[Any] = []
            stream = Stream([5], (0, index))
            index += 1
            spent += cpu_ms(lambda s=stream, out=made_here, q=p: out.append(generator.generate(q, s)))
            one = made_here[0]
            if isinstance(one, Candidate):
                spent += cpu_ms(lambda b=one.board: generator.fatal_share(b))
                made += 1
                if checked < SECONDS * 1e3 / 2:
                    checked += cpu_ms(lambda c=one: verifier.verify(c.board, c.claim))
                    full += 1
        each = spent / made
        print(f"  {name}: {60_000 / each:,.0f}; {60_000 / (each + checked / full):,.0f}")


if __name__ == "__main__":
    main()
