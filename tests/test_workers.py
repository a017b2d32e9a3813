"""Executors: order, interruption, and workers that die."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lpb_gen.games.base import LpbError, Unproven
from lpb_gen.pipeline.workers import WorkerLost, executor, in_order

from tasks import die, fail_at_three, square_slowly_at_first


@pytest.mark.parametrize("width", [1, 2])
def test_results_come_in_the_order_of_the_items(width: int) -> None:
    with executor(width) as pool:
        endless = in_order(pool, square_slowly_at_first, itertools.count())
        assert [next(endless) for _ in range(12)] == [(n, n * n) for n in range(12)]


def test_a_result_does_not_wait_for_the_next_item() -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        for n in range(3):
            read.append(n)
            yield n
            time.sleep(2 if n == 0 else 0)  # long enough for a worker to square a number

    with executor(2) as pool:
        list(in_order(pool, square_slowly_at_first, [0, 1]))  # the workers are up
        assert next(in_order(pool, square_slowly_at_first, items())) == (0, 0)
    assert read == [0, 1]


def test_an_error_of_ours_crosses_from_a_worker_whole() -> None:
    with pytest.raises(Unproven) as caught, executor(2) as pool:
        list(in_order(pool, fail_at_three, range(6)))
    assert (caught.value.what, caught.value.where, caught.value.fix) == ("three", "here", "take another")


def test_a_worker_that_dies_is_told_in_one_line() -> None:
    with pytest.raises(WorkerLost, match="run the same command again"), executor(2) as pool:
        list(in_order(pool, die, range(2)))


@pytest.mark.parametrize("width", [0, -3])
def test_fewer_than_one_worker_is_refused(width: int) -> None:
    with pytest.raises(LpbError, match="--workers"), executor(width):
        pass


def test_a_machine_without_semaphores_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("multiprocessing.synchronize.SemLock.__init__", refuse)
    message = r"--workers: worker processes cannot be started here \(Permission denied\)"
    with pytest.raises(LpbError, match=message), executor(2):
        pass


PARENT = """
import os, sys, time
sys.path.insert(0, {here!r})
import test_workers_tasks as tasks
from lpb_gen.pipeline.workers import executor, in_order
if __name__ == "__main__":
    with executor(2) as pool:
        for _ in in_order(pool, tasks.report, [{folder!r}] * 4):
            pass
"""


def test_workers_leave_when_their_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "test_workers_tasks.py").write_text(
        "import os, pathlib, time\n"
        "def report(folder):\n"
        "    pathlib.Path(folder, f'pid-{os.getpid()}').touch()\n"
        "    time.sleep(60)\n",
        "utf-8",
    )
    script = tmp_path / "parent.py"
    script.write_text(PARENT.format(here=str(tmp_path), folder=str(tmp_path)), "utf-8")
    parent = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.DEVNULL)
    try:
        pids = wait_for(lambda: [int(p.name[4:]) for p in tmp_path.glob("pid-*")], at_least=2)
    finally:
        parent.kill()
        parent.wait()
    assert wait_for(lambda: [pid for pid in pids if not is_running(pid)], at_least=2)


def wait_for(found: object, at_least: int) -> list[int]:
    for _ in range(600):
        result: list[int] = found()  # type: ignore[operator]
        if len(result) >= at_least:
            return result
        time.sleep(0.05)
    raise AssertionError("waited 30 s in vain")


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
