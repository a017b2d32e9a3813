"""How long it takes, and how much memory, to tell two large snapshots apart. Synthetic ones, as plain folders.

    python benchmarks/bench_catalogue.py [--levels 100000] [--shared 0.5]

Each snapshot has that many levels in four cells; ``--shared`` of them are in both, the others in one only, retired in
the second. A level is a real one of the stored snapshot of the tests with another id. Times are the real command's,
start included: CPU and wall; the memory is its peak. The ratio is CPU against sha256 over the same files in this
process.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from lpb_gen.pipeline.level import canonical_json
from lpb_gen.pipeline.manifest import SCHEMA, sha256, write_manifest

STORED = Path(__file__).parents[1] / "tests" / "snapshots" / "v1"
TIERS = ("easy", "medium", "hard", "expert")


def write(folder: Path, numbers: range, patterns: list[dict[str, object]], retired: range) -> int:
    """A snapshot of the levels with these numbers; returns its bytes."""

    def identity(number: int) -> str:
        return hashlib.sha256(str(number).encode()).hexdigest()

    files, total = {}, 0
    for i, tier in enumerate(TIERS):
        lines = []
        for number in numbers[i :: len(TIERS)]:
            pattern = patterns[number % len(patterns)]
            lines.append(canonical_json({**pattern, "id": identity(number), "game": "maze", "tier": tier}) + "\n")
        data = "".join(lines).encode()
        path = folder / "levels" / "maze" / f"{tier}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        files[f"levels/maze/{tier}.jsonl"] = {"sha256": sha256(data), "bytes": len(data), "rows": len(lines)}
        total += len(data)
    stones = [{"id": identity(n), "dedup_key": identity(-n), "reason": "worn out"} for n in retired]
    manifest = {"schema": SCHEMA, "files": files, "cells": {}, "parent": None, "retired": stones, "name": "bench"}
    (folder / "manifest.json").write_bytes(write_manifest(manifest))
    return total


def children() -> float:
    """CPU seconds of the processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--levels", type=int, default=100_000)
    parser.add_argument("--shared", type=float, default=0.5)
    options = parser.parse_args()
    n, new = options.levels, round(options.levels * (1 - options.shared))
    patterns = [json.loads(line) for file in sorted(STORED.rglob("*.jsonl")) for line in file.read_text().splitlines()]
    with tempfile.TemporaryDirectory(prefix="lpb-gen-bench-") as name:
        first, second = Path(name, "first"), Path(name, "second")
        size = write(first, range(n), patterns, range(0)) + write(second, range(new, n + new), patterns, range(new))
        began = process_time()
        for path in Path(name).rglob("*.jsonl"):
            hashlib.sha256(path.read_bytes()).hexdigest()
        hashing = process_time() - began
        for words in ((), ("--json",)):
            began, spent = perf_counter(), children()
            command = [sys.executable, "-m", "lpb_gen.pipeline.cli", "diff", str(first), str(second), *words]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
            wall, cpu = perf_counter() - began, children() - spent
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            told = f"diff {' '.join(words)}".strip()
            print(
                f"{told:12} of 2 x {n:,} levels ({size / 2**20:.0f} MiB, {options.shared:.0%} shared): {cpu:.2f} s CPU "
                f"({wall:.1f} wall), {peak:.0f} MiB, {cpu / hashing:.1f} times sha256, "
                f"{len(done.stdout) / 2**20:.1f} MiB printed"
            )


if __name__ == "__main__":
    main()
