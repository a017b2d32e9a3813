"""Nut and Bolt's speed: CPU time of the proven minimum, of dead-end figures, and levels a core-minute.

    python benchmarks/bench_nut.py [levels of each size, 40 unless told]

All times are CPU times of this process, kernels compiled beforehand; of each level the best of three alternated runs.
As the reference of the same run, for ratios between machines: the same levels by the verifier's breadth-first search.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from statistics import mean, median
from typing import Any

from lpb_gen.games.nut import GAME, Board, State
from lpb_gen.generators import nut as generator
from lpb_gen.generators import nut_minimum, nut_solver
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers import nut as verifier
from lpb_gen.verifiers import nut_search

SIZES = ((8, 2, 4), (12, 2, 4), (14, 2, 4), (10, 2, 6), (10, 3, 4), (14, 2, 8))  # colours, spares, capacity
BLOCKS: dict[str, dict[str, Any]] = {
    "easy (3-5 colours)": {"colours": [3, 5]},
    "medium (6-7)": {"colours": [6, 7]},
    "hard (9-11)": {"colours": [9, 11]},
    "extreme (12)": {"colours": 12},
    "12 colours, fatal share 0.3 or more, by rejection": {"colours": 12, "fatal": [0.3, 1]},
    "12 colours, fatal share 0.3 or more, climbed to": {"colours": 12, "fatal": [0.3, 1], "climb": 200},
}
SECONDS = 6.0


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
        if not nut_solver.is_dead(board, board.bolts):
            found.append(board)
    return found


def cpu_ms(work: Callable[[], Any]) -> float:
    begin = time.process_time()
    work()
    return (time.process_time() - begin) * 1e3


def best_of_three(work: Callable[[Board], Any], levels: list[Board]) -> list[float]:
    """CPU ms of each level, the best of three runs over all of them."""
    runs = [[cpu_ms(lambda b=board: work(b)) for board in levels] for _ in range(3)]
    return [min(times) for times in zip(*runs, strict=True)]


def minimum(board: Board) -> tuple[int, int, Any]:
    cap = nut_solver.memory_cap(board)
    return nut_minimum.shortest(nut_solver.packed(board, board.bolts), board.capacity, board.colours, cap)


def breadth_first(board: Board) -> Any:
    return nut_search.explore(verifier.packed(board), board.capacity, 10**7)


def walked(board: Board, index: int) -> list[State]:
    """The states of a random play."""
    stream = Stream([98], (0, index))
    states = [board.bolts]
    while len(states) < 60 and (moves := tuple(GAME.moves(board, states[-1]))):
        states.append(GAME.apply(board, states[-1], stream.choice(moves)))
    return states


def proofs(count: int) -> None:
    print("CPU ms a level, mean / median / worst, after colours/spares/capacity")
    for colours, spares, capacity in SIZES:
        levels = boards(colours, spares, capacity, count)
        times = best_of_three(minimum, levels)
        states = [minimum(board)[1] for board in levels]
        print(f"  {colours}/{spares}/{capacity}")
        print(f"    proven minimum {mean(times):.2f} / {median(times):.2f} / {max(times):.1f}", end="")
        print(f", states stored {mean(states):,.0f} / {median(states):,.0f} / {max(states):,}")
        few = levels[: max(3, count // 4)]
        tables = best_of_three(nut_solver.borders, few)
        print(f"    border tables {mean(tables):.1f} / {median(tables):.1f} / {max(tables):.1f}", end="")
        print(f", tables {mean(nut_solver.borders(board).tables for board in few):,.0f} in the mean")
        if (spares, capacity) == (2, 4):
            label = best_of_three(nut_solver.dead_ends, few)
            plain = best_of_three(breadth_first, few)
            print(f"    every state labelled by its table {mean(label):.1f} / {median(label):.1f} / {max(label):.1f}")
            print(
                f"    reference, breadth first {mean(plain):.1f}; labelled : reference {mean(label) / mean(plain):.2f}"
            )


def decisions() -> None:
    print("a single state dead or not, over random plays: CPU ms mean / worst, dead")
    for colours, spares, capacity in ((14, 2, 4), (14, 2, 8), (14, 3, 8), (14, 4, 8)):
        times, dead = [], 0
        for index, board in enumerate(boards(colours, spares, capacity, 6)):
            for state in walked(board, index):
                times.append(cpu_ms(lambda b=board, s=state: nut_solver.is_dead(b, s)))
                dead += nut_solver.is_dead(board, state)
        share = f"{dead} of {len(times)}"
        print(f"  {colours}/{spares}/{capacity}: {mean(times):.2f} / {max(times):.1f}, {share}")


def levels_a_minute(block: Mapping[str, Any]) -> tuple[float, float]:
    """With a proven minimum and border-table counts; with every figure of the verifier too."""
    p, spent, made, checked, full, index = generator.params(block), 0.0, 0, 0.0, 0, 0
    while spent < SECONDS * 1e3 or not made:
        out: list[Any] = []
        stream = Stream([5], (0, index))
        index += 1
        spent += cpu_ms(lambda s=stream, o=out: o.append(generator.generate(p, s)))
        one = out[0]
        if isinstance(one, Candidate):
            if p.fatal is None:
                spent += cpu_ms(lambda b=one.board: nut_solver.borders(b))
            made += 1
            if checked < SECONDS * 1e3:
                checked += cpu_ms(lambda c=one: verifier.verify(c.board, c.claim))
                full += 1
    each = spent / made
    return 60_000 / each, 60_000 / (each + checked / full)


def main() -> None:
    warm = boards(4, 2, 4, 1)[0]
    verifier.verify(warm, nut_solver.solve(warm))
    nut_solver.dead_ends(warm)
    proofs(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    decisions()
    print("levels a core-minute: proven, with border-table counts; with every figure of the verifier as well")
    for name, block in BLOCKS.items():
        first, second = levels_a_minute(block)
        print(f"  {name}: {first:,.0f}; {second:,.0f}")


if __name__ == "__main__":
    main()
