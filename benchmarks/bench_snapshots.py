"""How long it takes to read a snapshot by each of its names, cold and warm, and to verify it.

    python benchmarks/bench_snapshots.py [--count 10] [--workers 1] [--verify REF]

Makes a catalogue of Maze Paint with that many levels in each of three tiers, a store beside it, a bare clone, and a web
server on loopback, all in a temporary folder. Each reading is a process of its own; the time of one that imports the
package and reads nothing is told first. Cold: no cache at all; warm: read once before. CPU is that of the process and
of what it starts (Git, DVC). ``verify`` is the real command, on that snapshot and on REF (the stored one of the
tests, where none is given).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

STORED = Path(__file__).parents[1] / "tests" / "snapshots" / "v1"
CLI = [sys.executable, "-m", "lpb_gen.pipeline.cli"]
READ = """
import sys; from pathlib import Path
from lpb_gen.pipeline.snapshot import load
if len(sys.argv) > 1:
    print(sum(map(len, load(sys.argv[1], Path.cwd()).cells.values())))
"""


def timed(words: list[str], cwd: Path, env: dict[str, str]) -> tuple[float, float, str]:
    """CPU and wall seconds of a process and its children, and what it prints."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True)
    wall, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--verify", default=str(STORED), metavar="REF", help="another snapshot to verify")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lpb-gen-bench-") as name:
        base = Path(name)
        work, store, cache = base / "work", base / "store", base / "cache"
        identity = {
            f"GIT_{who}_{what}": "bench@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        env = {**os.environ, **identity, "LPB_CACHE_DIR": str(cache), "DVC_SITE_CACHE_DIR": str(base / "site")}

        def run(*words: str, cwd: Path = work) -> None:
            subprocess.run(words, cwd=cwd, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        run(*CLI, "init", str(work), "--seed", "0", "--remote", str(store), cwd=base)
        tiers = [word for tier in ("easy", "medium", "hard") for word in ("--tier", tier)]
        run(*CLI, "refresh", "--game", "maze", *tiers, "--count", str(options.count), "--workers", "2")
        run(*CLI, "pin", "v1")
        run("git", "clone", "--quiet", "--bare", str(work), str(base / "levels.git"), cwd=base)
        run("git", "update-server-info", cwd=base / "levels.git")
        server = subprocess.Popen(
            [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(base)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert server.stdout is not None
            url = f"http://127.0.0.1:{server.stdout.readline().split('port ')[1].split()[0]}"

            def forget() -> None:
                shutil.rmtree(work / ".dvc" / "cache", ignore_errors=True)
                shutil.rmtree(work / "catalogue" / "levels", ignore_errors=True)

            def forget_user() -> None:
                shutil.rmtree(cache, ignore_errors=True)

            reading = [sys.executable, "-c", READ]
            timed(reading, work, env)
            cpu, wall, _ = timed(reading, work, env)
            print(f"{'nothing but the import':36} {cpu:6.2f} s CPU {wall:6.2f} s wall")
            cases: list[tuple[str, str, Path, Callable[[], None] | None]] = [
                ("the work tree's own", ".", work, None),
                ("TAG, warm (cache)", "v1", work, None),
                ("TAG, cold (DVC fetches it)", "v1", work, forget),
                ("store's folder", f"{store}#v1", base, None),
                ("dvc+http://…/store, cold", f"dvc+{url}/store#v1", base, forget_user),
                ("dvc+http://…/store, warm", f"dvc+{url}/store#v1", base, None),
                ("http://…/levels.git, cold", f"{url}/levels.git#v1", base, forget_user),
                ("http://…/levels.git, warm", f"{url}/levels.git#v1", base, None),
            ]
            for told, reference, place, before in cases:
                if before:
                    before()
                cpu, wall, levels = timed([*reading, reference], place, env)
                print(f"{told:36} {cpu:6.2f} s CPU {wall:6.2f} s wall   {levels} levels")
            for told, reference in (("verify, that snapshot", "v1"), ("verify, the other one", options.verify)):
                words = [*CLI, "verify", "--snapshot", reference, "--workers", str(options.workers), "--json"]
                cpu, wall, printed = timed(words, work, env)
                number = json.loads(printed)["levels"]
                print(
                    f"{told:36} {cpu:6.2f} s CPU {wall:6.2f} s wall   {number} levels, {number / cpu:.1f} a CPU second"
                )
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    main()
