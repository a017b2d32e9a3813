"""The workers of a Dask cluster as an executor (extra ``[dask]``).

Work goes to any worker and comes back in index order, so a cluster gives the bytes that one process gives, as long as
every worker has the same versions: that is checked before anything is sent. A worker that dies is no loss, its work
goes to another one.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import platform
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from .. import __version__
from ..games.base import LpbError

R = TypeVar("R")
P = ParamSpec("P")

CONNECT_SECONDS = 20
RETRIES = 2  # of a task whose worker died with it; the scheduler itself allows three such deaths
TOOLS = ("numpy", "numba", "ortools")  # what can change the bytes of a level
CODE = ("Python", "lpb-gen", "code")  # what reads the work, whatever it computes with


class ClusterFailed(LpbError):
    """The cluster cannot be reached, has no workers, or lost them all."""


class OtherVersions(LpbError):
    """A worker of the cluster would not give the same bytes as this process."""


class DaskExecutor(Executor):
    """``width``: the threads of all workers when it was made; ``batch_seconds``: work worth a task here, which costs
    about 5 ms of CPU over client, scheduler and worker, ten times what a process of our own asks for."""

    batch_seconds = 1.0

    def __init__(self, client: Any, width: int) -> None:
        self._pool = client.get_executor(pure=False, retries=RETRIES)
        self.width = width

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        future: Future[R] = self._pool.submit(fn, *args, **kwargs)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait=wait and not cancel_futures)


@contextmanager
def cluster_executor(address: str) -> Iterator[DaskExecutor]:
    """The workers that the scheduler at ``address`` (such as ``tcp://10.0.0.5:8786``) has. Raises LpbError where Dask
    is not installed, ClusterFailed, OtherVersions."""
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise LpbError(
            "Dask is not installed", where="--cluster", fix="install it with pip install 'lpb-gen[dask]'"
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is raised
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ClusterFailed(
            f"no Dask scheduler answers at {address} ({_brief(error)})",
            where="--cluster",
            fix="start one with dask scheduler, or correct the address",
        ) from None
    try:
        pool = DaskExecutor(client, _checked_width(client, address))
        try:
            yield pool
        except (KilledWorker, CancelledError) as error:
            raise ClusterFailed(
                f"the cluster lost the work ({_brief(error)})",
                where=address,
                fix="look at the workers' logs (out of memory?) and run the same command again",
            ) from None
        finally:
            with contextlib.suppress(Exception):  # a scheduler that has gone cannot cancel; what counted has been read
                pool.shutdown(wait=False)
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=5)


def _checked_width(client: Any, address: str) -> int:
    """The number of threads of all workers, each of which was asked for its versions."""
    threads: Mapping[str, int] = client.nthreads()
    if not threads:
        raise ClusterFailed(
            "the scheduler has no workers", where=address, fix=f"start some with dask worker {address} --nthreads 1"
        )
    ours = versions()
    _check_scheduler(client, address, ours)
    try:
        theirs: Mapping[str, Mapping[str, str]] = client.run(versions)
    except Exception as error:  # whatever a worker without our package raises while it reads the request
        raise OtherVersions(
            f"a worker cannot run lpb-gen ({_brief(error)})",
            where=address,
            fix=f"install lpb-gen {__version__} and what it needs on every worker",
        ) from None
    for worker, found in sorted(theirs.items()):
        other = [f"{tool} {found.get(tool)} (here {ours[tool]})" for tool in ours if found.get(tool) != ours[tool]]
        if other:
            raise OtherVersions(
                f"worker {worker} has {', '.join(other)}",
                where=address,
                fix="install the same requirements.lock on every worker and here",
            )
    return sum(threads.values())


def _check_scheduler(client: Any, address: str, ours: Mapping[str, str]) -> None:
    """The scheduler makes no levels, but it unpacks the work that it hands on: it needs our code, the same code."""
    try:
        found: Mapping[str, str] = client.run_on_scheduler(versions)
    except Exception as error:  # whatever a scheduler without our package raises while it reads the request
        raise OtherVersions(
            f"the scheduler cannot read lpb-gen's work ({_brief(error)})",
            where=address,
            fix=f"install lpb-gen {__version__} where the scheduler runs, too",
        ) from None
    other = [f"{tool} {found.get(tool)} (here {ours[tool]})" for tool in CODE if found.get(tool) != ours[tool]]
    if other:
        raise OtherVersions(
            f"the scheduler has {', '.join(other)}", where=address, fix="install the same lpb-gen there and here"
        )


@cache
def versions() -> dict[str, str]:
    """What a level's bytes can depend on: Python, lpb-gen and a digest of its code, numpy, numba, OR-tools."""
    found = {"Python": ".".join(platform.python_version_tuple()[:2]), "lpb-gen": __version__, "code": _code_digest()}
    for tool in TOOLS:
        try:
            found[tool] = version(tool)
        except PackageNotFoundError:
            found[tool] = "missing"
    return found


def _code_digest() -> str:
    """Of every file of the rooms that make and prove levels."""
    root, digest = Path(__file__).parents[1], hashlib.sha256()
    for room in ("games", "generators", "verifiers", "pipeline"):
        for file in sorted((root / room).glob("*.py")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _brief(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__
