"""What sending work costs: CPU of all processes beyond the work itself, and wall time against one worker.

    python benchmarks/bench_scale.py [--candidates 2000] [--milliseconds 10] [--rounds 3]

A candidate is busy for so many milliseconds of CPU of its thread; what other threads of its process take is overhead.
The same candidates run in this process, in two worker processes, and on Dask schedulers with two workers each on
loopback, as installed and with docs/dask.yaml. Of a cluster three costs are told apart: to connect (once), to stand
there (CPU a second, of heartbeats and of Dask watching itself, while nothing is sent), and to send (what is left, by
candidate). The whole overhead counts the second and the third; it grows where the machine has other work. The speed-up
is wall time and wants a quiet machine.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from lpb_gen.pipeline.production import batched
from lpb_gen.pipeline.workers import executor

QUIET = Path(__file__).parents[1] / "docs" / "dask.yaml"
STANDING_SECONDS = 8


def candidate(milliseconds: float, index: int) -> float:
    """Works; returns the CPU seconds that it took."""
    began = time.thread_time()
    while time.thread_time() - began < milliseconds / 1000:
        sum(range(2000))
    return time.thread_time() - began


def cpu(processes: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


@contextlib.contextmanager
def loopback_cluster(
    folder: Path, workers: int, config: Path | None = None
) -> Iterator[tuple[str, list[psutil.Process]]]:
    """Address of the scheduler, and all processes."""
    file = folder / "scheduler.json"
    common = ["--scheduler-file", str(file), "--host", "127.0.0.1", "--no-dashboard"]
    module = [sys.executable, "-m"]
    command = [*module, "distributed.cli.dask_scheduler", *common, "--port", "0"]
    here = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": here, **({"DASK_CONFIG": str(config)} if config else {})}
    started = [subprocess.Popen(command, stderr=subprocess.DEVNULL, env=env)]
    command = [*module, "distributed.cli.dask_worker", *common, "--nthreads", "1", "--no-nanny"]
    try:
        while not file.exists():
            time.sleep(0.1)
        started += [subprocess.Popen(command, stderr=subprocess.DEVNULL, env=env) for _ in range(workers)]
        from distributed import Client

        with Client(scheduler_file=str(file)) as client:
            client.wait_for_workers(workers)
            address = client.scheduler.address
        yield address, [psutil.Process(p.pid) for p in started]
    finally:
        for process in started:
            process.kill()
            process.wait()


class Run(NamedTuple):
    """CPU seconds, wall seconds; ``standing``: CPU a second of a cluster to which nothing is sent."""

    wall: float
    work: float
    spent: float
    connecting: float
    standing: float

    @property
    def overhead(self) -> float:
        return (self.spent - self.work) / self.work

    @property
    def sending(self) -> float:
        """CPU seconds of the overhead that do not come from standing there."""
        return self.spent - self.work - self.standing * self.wall


def measure(count: int, milliseconds: float, workers: int, cluster: str | None, far: list[psutil.Process]) -> Run:
    task, me = partial(candidate, milliseconds), psutil.Process()
    before = cpu([me, *far])
    with executor(workers, cluster) as pool:
        connecting = cpu([me, *far]) - before
        standing = 0.0
        if cluster:
            before = cpu([me, *far])
            time.sleep(STANDING_SECONDS)
            standing = (cpu([me, *far]) - before) / STANDING_SECONDS
        list(batched(task, range(200), pool))  # the workers are up
        everybody = [me, *me.children(recursive=True), *far]
        everybody = list({process.pid: process for process in everybody}.values())
        before, began = cpu(everybody), time.perf_counter()
        work = sum(batched(task, range(count), pool))
        return Run(time.perf_counter() - began, work, cpu(everybody) - before, connecting, standing)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--candidates", type=int, default=2000)
    parser.add_argument("--milliseconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    began = time.process_time()
    import distributed  # noqa: F401  # what the first connection of a command loads

    print(f"loading Dask: {time.process_time() - began:.2f} s CPU, once a command", flush=True)
    sizes = options.candidates, options.milliseconds
    ways = {
        "this process": (1, None),
        "two processes": (2, None),
        "Dask": (1, ""),
        "Dask, docs/dask.yaml": (1, str(QUIET)),
    }
    runs: dict[str, list[Run]] = {name: [] for name in ways}
    for number in range(options.rounds):
        for name, (workers, config) in ways.items():
            if config is None:
                run = measure(*sizes, workers, None, [])
            else:
                with (
                    tempfile.TemporaryDirectory() as folder,
                    loopback_cluster(Path(folder), 2, Path(config) if config else None) as (address, far),
                ):
                    run = measure(*sizes, workers, address, far)
            runs[name].append(run)
            print(
                f"{number + 1} {name:22} {run.wall:6.2f} s wall {run.work:6.2f} s of work  overhead {run.overhead:6.2%}"
                f"  connecting {run.connecting:.2f} s  standing {1000 * run.standing:3.0f} ms/s"
                f"  sending {1000 * run.sending / options.candidates:5.2f} ms/candidate",
                flush=True,
            )
    base = median(run.wall for run in runs["this process"])
    for name, many in runs.items():
        print(
            f"{name:22} median overhead {median(run.overhead for run in many):6.2%}, sending "
            f"{median(run.sending / run.work for run in many):6.2%}, speed-up {base / median(r.wall for r in many):.2f}"
        )


if __name__ == "__main__":
    main()
