"""What a refresh costs that has nothing to do, and a real cell made by one worker and by two.

    python benchmarks/bench_refresh.py [--game maze --tier hard --count 100 --rounds 3]

A catalogue of its own, in a temporary folder, with one small cell; then ``lpb-gen refresh --all --dry-run``, ``dvc
repro freeze`` (what a refresh runs, with nothing that has changed) and ``lpb-gen verify``: wall and CPU, children
included. A cell: the same levels by one worker and by two, in turn; CPU of two against CPU of one says what sending
costs on any machine, the wall time wants a quiet one.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from lpb_gen.pipeline.params_file import read_params
from lpb_gen.pipeline.repository import PARAMS

COMMAND = [sys.executable, "-m", "lpb_gen.pipeline.cli"]


def cpu() -> float:
    """CPU seconds of the processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command: list[str], folder: Path) -> tuple[float, float, bytes]:
    """Wall seconds, CPU seconds, and what it printed."""
    names = {"GIT_AUTHOR_NAME": "Bench", "GIT_AUTHOR_EMAIL": "bench@example.org"}
    env = {**os.environ, **names, "GIT_COMMITTER_NAME": "Bench", "GIT_COMMITTER_EMAIL": "bench@example.org"}
    began, spent = perf_counter(), cpu()
    done = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return perf_counter() - began, cpu() - spent, done.stdout


def nothing_to_do(rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="lpb-gen-bench-") as name:
        timed([*COMMAND, "init", "catalogue", "--seed", "3"], Path(name))
        folder = Path(name, "catalogue")
        timed([*COMMAND, "refresh", "--game", "maze", "--tier", "easy", "--workers", "2"], folder)
        for told, command in {
            "refresh --all --dry-run": [*COMMAND, "refresh", "--all", "--dry-run"],
            "dvc repro freeze, nothing to do": [sys.executable, "-m", "dvc", "repro", "-q", "freeze"],
            "verify, 10 levels of maze easy": [*COMMAND, "verify", "--workers", "1"],
        }.items():
            times = [timed(command, folder)[:2] for _ in range(rounds)]
            wall, spent = (median(column) for column in zip(*times, strict=True))
            print(f"{told:34} {wall:6.2f} s wall {spent:6.2f} s CPU", flush=True)


def one_and_two_workers(game: str, tier: str, count: int, rounds: int) -> None:
    cell = read_params((Path(__file__).parents[1] / PARAMS).read_bytes()).cells[game, tier]
    gate = [f"{name}={band}" for name, band in cell.gate.items()]
    command = [*COMMAND, "generate", "--game", game, "--count", str(count), "--seed", "1"]
    command += [word for band in gate for word in ("--where", band)]
    timed([*command, "--workers", "2"], Path.cwd())  # everything is compiled
    walls: dict[int, list[float]] = {1: [], 2: []}
    spent: dict[int, list[float]] = {1: [], 2: []}
    levels = set[bytes]()
    for _ in range(rounds):
        for workers in walls:
            wall, used, printed = timed([*command, "--workers", str(workers)], Path.cwd())
            walls[workers].append(wall)
            spent[workers].append(used)
            levels.add(printed)
    assert len(levels) == 1, "the same bytes from one worker and from two"
    print(f"{count} levels of {game} {tier}", flush=True)
    for workers in walls:
        print(f"{workers} workers {median(walls[workers]):7.1f} s wall {median(spent[workers]):7.1f} s CPU", flush=True)
    faster, dearer = median(walls[1]) / median(walls[2]), median(spent[2]) / median(spent[1]) - 1
    print(f"two: {faster:.2f} times as fast, {dearer:+.1%} CPU", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--game", default="maze")
    parser.add_argument("--tier", default="hard")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    nothing_to_do(options.rounds)
    one_and_two_workers(options.game, options.tier, options.count, options.rounds)


if __name__ == "__main__":
    main()
