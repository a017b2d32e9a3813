"""How hot loops are compiled: numba, kept on disk, announced when a machine has to compile them."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])

NOTICE = "compiling the search for this machine: once, up to a minute"
LOGGER = logging.getLogger("lpb_gen.kernels")  # one INFO record, NOTICE, when a process begins to compile


def compiled(function: F) -> F:
    """numba's ``njit``, cached on disk, typed for mypy. A compiled function calls compiled functions of its own file
    only, for numba's cache of a caller does not notice a change in another file; ``compiled_with`` is for the others.

    For speed: no array is assigned anew in a hot loop, numba would count references at each step. Kernels return when
    their arrays are full, plain Python makes longer ones, and they go on.
    """
    _announce()
    kernel: F = numba.njit(cache=True, nogil=True)(function)
    return kernel


def compiled_with(*files: str) -> Callable[[F], F]:
    """``compiled``, for functions that call compiled functions of ``files`` too: the name under which they are kept
    ends in a checksum of those files, so that a change there compiles them anew."""
    checksum = zlib.crc32(b"".join(Path(file).read_bytes() for file in files))

    def named(function: F) -> F:
        function.__qualname__ += f"_{checksum:08x}"
        return compiled(function)

    return named


@cache
def _announce() -> None:
    """Once a process: from now on the first compilation is logged."""
    event.register("numba:compile", _Announcer())


class _Announcer(event.Listener):  # type: ignore[misc]  # numba has no types
    """Loading compiled code from the disk starts no event."""

    def __init__(self) -> None:
        self._told = False

    def on_start(self, _: event.Event) -> None:
        if not self._told:
            self._told = True
            LOGGER.info(NOTICE)

    def on_end(self, _: event.Event) -> None:
        """Nothing to say."""
