"""A Dask cluster of real processes on loopback: the same bytes as one process, also when a worker is killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from catalogues import Catalogue

from lpb_gen.games.base import LpbError, Unproven
from lpb_gen.pipeline import cluster
from lpb_gen.pipeline.cluster import ClusterFailed, OtherVersions
from lpb_gen.pipeline.production import Order, make_levels
from lpb_gen.pipeline.workers import executor, in_order

from tasks import fail_at_three, square_slowly_at_first

ORDER = Order("maze", "easy", {"length": [7, 12]}, {}, 5, 1)


class Cluster:
    """A scheduler and workers, each a process; ``address`` is the scheduler's."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "scheduler.json"
        self._log = open(folder / "dask.log", "wb")  # noqa: SIM115  # closed by end()
        self._scheduler = self._start("scheduler", "--port", "0", "--no-show")
        self.workers: list[subprocess.Popen[bytes]] = []
        while not self._file.exists():
            assert self._scheduler.poll() is None, (folder / "dask.log").read_text("utf-8")
            time.sleep(0.05)
        self.address: str = json.loads(self._file.read_text("utf-8"))["address"]

    def _start(self, what: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", str(self._file)]
        command += ["--host", "127.0.0.1", "--no-dashboard", *words]
        return subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT, cwd=Path(__file__).parent)

    def grow(self, workers: int) -> None:
        from distributed import Client

        self.workers += [self._start("worker", "--nthreads", "1", "--no-nanny") for _ in range(workers)]
        with Client(self.address) as client:
            client.wait_for_workers(len(self.workers), timeout=60)

    def end(self) -> None:
        """Also twice."""
        for process in (*self.workers, self._scheduler):
            process.kill()
            process.wait()
        self._log.close()


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("dask"))
    try:
        made.grow(2)
        yield made
    finally:
        made.end()


def levels(count: int, workers: int = 1, address: str | None = None, after: Callable[[int], None] = id) -> list[str]:
    made = []
    with executor(workers, address) as pool:
        for level in make_levels(ORDER, count, pool, patience=200):
            made.append(level.to_line())
            after(len(made))
    return made


def test_results_come_in_the_order_of_the_items(two_workers: Cluster) -> None:
    with executor(1, two_workers.address) as pool:
        assert list(in_order(pool, square_slowly_at_first, range(40))) == [(n, n * n) for n in range(40)]


def test_an_error_of_ours_crosses_from_a_worker_whole(two_workers: Cluster) -> None:
    with pytest.raises(Unproven) as caught, executor(1, two_workers.address) as pool:
        list(in_order(pool, fail_at_three, range(6)))
    assert (caught.value.what, caught.value.where, caught.value.fix) == ("three", "here", "take another")


def test_a_worker_with_other_versions_is_refused(two_workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {**cluster.versions(), "numba": "0.1"}
    real = cluster.versions
    monkeypatch.setattr(cluster, "versions", lambda: ours)
    monkeypatch.setattr("distributed.Client.run", lambda client, _: {w: real() for w in client.nthreads()})
    with pytest.raises(OtherVersions, match=r"worker tcp://127.0.0.1:\d+ has numba .* \(here 0.1\)"):
        levels(1, address=two_workers.address)


def test_a_scheduler_with_other_code_or_none_is_refused(two_workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**cluster.versions(), "code": "abc", "numba": "0.1"}
    monkeypatch.setattr("distributed.Client.run_on_scheduler", lambda client, _: other)
    with pytest.raises(OtherVersions, match=r"the scheduler has code abc \(here \w+\); install the same lpb-gen"):
        levels(1, address=two_workers.address)

    def missing(client: object, function: object) -> None:
        raise ModuleNotFoundError("No module named 'lpb_gen'")

    monkeypatch.setattr("distributed.Client.run_on_scheduler", missing)
    with pytest.raises(OtherVersions, match=r"cannot read lpb-gen's work .* where the scheduler runs"):
        levels(1, address=two_workers.address)


def test_a_killed_worker_changes_no_byte(two_workers: Cluster) -> None:
    def kill_one(made: int) -> None:
        if made == 5:
            two_workers.workers[0].kill()

    assert levels(40, address=two_workers.address, after=kill_one) == levels(40)
    assert two_workers.workers[0].wait() != 0


def test_a_scheduler_that_dies_is_told(tmp_path: Path) -> None:
    made = Cluster(tmp_path)
    try:
        made.grow(1)
        with pytest.raises(ClusterFailed, match="the cluster lost the work"):
            levels(40, address=made.address, after=lambda _: made.end())
    finally:
        made.end()


def test_a_scheduler_without_workers_is_told(tmp_path: Path) -> None:
    lonely = Cluster(tmp_path)
    try:
        with pytest.raises(ClusterFailed, match="has no workers; start some with dask worker tcp://127"):
            levels(1, address=lonely.address)
    finally:
        lonely.end()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1:notaport"])
def test_an_address_where_nobody_answers_is_told(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    with pytest.raises(LpbError, match=r"no Dask scheduler answers at .*; start one with dask scheduler"):
        levels(1, address=address)


@pytest.mark.slow
def test_a_refresh_on_a_cluster_freezes_the_same_bytes(two_workers: Cluster, tmp_path: Path) -> None:
    def frozen(name: str, *words: str) -> bytes:
        Catalogue(tmp_path).must("init", name, "--seed", "3")
        made = Catalogue(tmp_path / name)
        made.must("refresh", "--game", "maze", "--tier", "easy", "--count", "4", *words)
        return (made.root / "catalogue" / "levels" / "maze" / "easy.jsonl").read_bytes()

    far = frozen("far", "--cluster", two_workers.address)
    assert far.count(b"\n") == 4
    assert far == frozen("near", "--workers", "1")
