"""Executors: one interface (``concurrent.futures``) whether work runs here or in other processes.

Results never depend on which one is used: callers submit work by index and read it back in index order.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, NamedTuple, ParamSpec, TypeVar

from ..games.base import LpbError

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")


class Workforce(NamedTuple):
    """What ``executor`` takes: processes of this machine, or the address of a Dask scheduler."""

    processes: int = 1
    cluster: str | None = None


ONE_PROCESS = Workforce()


class WorkerLost(LpbError):
    """A worker process ended before its work was done (killed, or out of memory)."""


class InlineExecutor(Executor):
    """Runs what is submitted at once, in this process."""

    width = 1

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        future: Future[R] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class SpawnPool(ProcessPoolExecutor):
    """Fresh processes (no fork: compiled code and threads do not survive one) that end with their parent. What they log
    for people is logged here, each text once."""

    def __init__(self, width: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._logged = context.SimpleQueue()
        super().__init__(width, mp_context=context, initializer=_settle_in, initargs=(self._logged,))
        self.width = width
        self._listener = threading.Thread(target=self._relay, daemon=True)
        self._listener.start()

    def _relay(self) -> None:
        told = set[str]()
        while (record := self._logged.get()) is not None:
            name, text = record
            if text not in told:
                told.add(text)
                logging.getLogger(name).info(text)

    def terminate(self) -> None:
        """Ends the workers without waiting for their work."""
        self._logged.put(None)
        # no cancel_futures: the pool's own thread breaks on cancelled work when its workers end (Python 3.11)
        for process in list((self._processes or {}).values()):
            process.terminate()
        self.shutdown()


class _ToParent(logging.Handler):
    """Sends (logger, text) of what a worker logs."""

    def __init__(self, send: Callable[[tuple[str, str]], object]) -> None:
        super().__init__()
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        self._send((record.name, record.getMessage()))


def _settle_in(logged: Any) -> None:
    """In a worker of a pool."""
    settle_in(logged.put)


def settle_in(send: Callable[[tuple[str, str]], object]) -> None:
    """In a process of ours: leave Ctrl-C to the parent, ``send`` (logger, text) of what is logged for people, and leave
    when the parent has gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    log = logging.getLogger("lpb_gen")
    log.setLevel(logging.INFO)
    log.addHandler(_ToParent(send))
    parent = multiprocessing.parent_process()
    if parent is not None:

        def leave_with(process: Any) -> None:
            process.join()
            os._exit(1)

        threading.Thread(target=leave_with, args=(parent,), daemon=True).start()


@contextmanager
def executor(n_workers: int, cluster: str | None = None) -> Iterator[Executor]:
    """An executor with ``n_workers`` workers; one worker is this process itself. With ``cluster``, the address of a
    Dask scheduler, the workers are that cluster's. Raises LpbError where n < 1, and WorkerLost where a worker died; of
    a cluster what ``cluster_executor`` raises."""
    if cluster:
        from .cluster import cluster_executor

        with cluster_executor(cluster) as far:
            yield far
        return
    if n_workers < 1:
        raise LpbError(f"{n_workers} workers", where="--workers", fix="give 1 or more")
    if n_workers == 1:
        yield InlineExecutor()
        return
    try:
        pool = SpawnPool(n_workers)
    except OSError as error:  # no semaphores: /dev/shm is missing or not ours to write
        raise LpbError(
            f"worker processes cannot be started here ({error.strerror or error})",
            where="--workers",
            fix="use --workers 1, or make /dev/shm writable",
        ) from None
    try:
        yield pool
    except BrokenProcessPool:
        raise WorkerLost(
            "a worker process ended before its work was done",
            fix="run the same command again, with fewer --workers if memory ran out",
        ) from None
    finally:
        pool.terminate()  # what still runs is work ahead of need: every result that counts has been read


def in_order(pool: Executor, task: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
    """``(item, task(item))`` in the order of ``items``, which may be endless: a bounded window is in flight.

    What is done is handed on before the next item is read, for a slow reader may have to wait for that one."""
    window = 1 if isinstance(pool, InlineExecutor) else 3 * int(getattr(pool, "width", 2))
    flying: deque[tuple[T, Future[R]]] = deque()
    source = iter(items)
    for item in source:
        flying.append((item, pool.submit(task, item)))
        while len(flying) >= window or (flying and flying[0][1].done()):
            done, future = flying.popleft()
            yield done, future.result()
    while flying:
        done, future = flying.popleft()
        yield done, future.result()
