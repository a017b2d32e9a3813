"""What sending work costs: CPU of all processes beyond the work itself, and wall time against one worker.

    python benchmarks/bench_scale.py [--candidates 2000] [--milliseconds 10]

A candidate is busy for so many milliseconds of CPU. The same candidates run in this process, in two worker processes,
and on a Dask scheduler with two workers on loopback. Overhead is CPU time, of Dask's heartbeats too, so it grows where
the machine has other work; the speed-up is wall time and wants a quiet machine.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil

from lpb_gen.pipeline.production import batched
from lpb_gen.pipeline.workers import executor


def candidate(milliseconds: float, index: int) -> float:
    """Works; returns the CPU seconds that it took."""
    began = time.thread_time()
    while time.thread_time() - began < milliseconds / 1000:
        sum(range(2000))
    return time.thread_time() - began


def cpu(processes: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


@contextlib.contextmanager
def loopback_cluster(folder: Path, workers: int) -> Iterator[tuple[str, list[psutil.Process]]]:
    """Address of the scheduler, and all processes."""
    file = folder / "scheduler.json"
    common = ["--scheduler-file", str(file), "--host", "127.0.0.1", "--no-dashboard"]
    module = [sys.executable, "-m"]
    command = [*module, "distributed.cli.dask_scheduler", *common, "--port", "0"]
    started = [subprocess.Popen(command, stderr=subprocess.DEVNULL)]
    command = [*module, "distributed.cli.dask_worker", *common, "--nthreads", "1", "--no-nanny"]
    try:
        while not file.exists():
            time.sleep(0.1)
        started += [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(workers)]
        from distributed import Client

        with Client(scheduler_file=str(file)) as client:
            client.wait_for_workers(workers)
            yield client.scheduler.address, [psutil.Process(p.pid) for p in started]
    finally:
        for process in started:
            process.kill()
            process.wait()


def measure(
    name: str, count: int, milliseconds: float, workers: int, cluster: str | None, far: list[psutil.Process]
) -> float:
    """Prints one line; returns the wall seconds."""
    task = partial(candidate, milliseconds)
    with executor(workers, cluster) as pool:
        list(batched(task, range(200), pool))  # the workers are up, and batches have grown
        me = psutil.Process()
        everybody = [me, *me.children(recursive=True), *far]
        everybody = list({process.pid: process for process in everybody}.values())
        before, began = cpu(everybody), time.perf_counter()
        work = sum(batched(task, range(count), pool))
        wall, spent = time.perf_counter() - began, cpu(everybody) - before
    overhead = 100 * (spent - work) / work
    print(f"{name:24} {wall:7.2f} s wall  {work:7.2f} s of work  overhead {overhead:5.2f} % CPU", flush=True)
    return wall


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--candidates", type=int, default=2000)
    parser.add_argument("--milliseconds", type=float, default=10)
    options = parser.parse_args()
    sizes = options.candidates, options.milliseconds
    one = measure("this process", *sizes, 1, None, [])
    two = measure("two processes", *sizes, 2, None, [])
    with tempfile.TemporaryDirectory() as folder, loopback_cluster(Path(folder), 2) as (address, far):
        dask = measure("Dask, two workers", *sizes, 1, address, far)
    print(f"speed-up: two processes {one / two:.2f}, Dask {one / dask:.2f}")


if __name__ == "__main__":
    main()
