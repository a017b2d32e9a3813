"""How long scoring takes: reading the events of runs, and judging their moves by exact solvers, by game and tier.

    python benchmarks/bench_score.py RUN...

It takes your own runs, so that ``make bench`` leaves it out.
The reference is reading the same files as JSON, in the same process. CPU seconds; a first pass, which may compile, is
not counted.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from pathlib import Path

from lpb_gen.runners.moves import with_moves
from lpb_gen.runners.played import EVENTS, Played, find_runs, read_run
from lpb_gen.runners.solving import Judges


def main() -> None:
    folders = find_runs(sys.argv[1:] or ["runs"])
    by_objective: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for folder in folders:
        by_objective[read_run(folder).objective].append(folder)
    for objective, own in sorted(by_objective.items()):
        begun = time.process_time()
        count = sum(parsed(folder / EVENTS) for folder in own)
        plain = time.process_time() - begun
        begun = time.process_time()
        episodes = [read_run(folder) for folder in own]
        reading = time.process_time() - begun
        judged(episodes)
        begun = time.process_time()
        moves = judged(episodes)
        judging = time.process_time() - begun
        print(
            f"{' '.join(objective):16} {count:8,} events: read in {reading:6.2f} s, {reading / plain:4.1f} x JSON"
            f"   {moves:8,} moves: judged in {judging:6.2f} s"
        )


def parsed(path: Path) -> int:
    """Parses every line; how many there were."""
    count = 0
    with open(path, "rb") as file:
        for line in file:
            json.loads(line)
            count += 1
    return count


def judged(episodes: list[Played]) -> int:
    """Judges every move with solvers of its own; how many there were."""
    return sum(level["moves"] for episode in with_moves(episodes, Judges()) for level in episode.moves or ())


if __name__ == "__main__":
    main()
