"""The suite for a person: serving it until somebody stops it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from .suite.server import Suite

if TYPE_CHECKING:
    from .session import Session


def serve(session: Session, *, port: int, lang: str, announce: Callable[[str], None]) -> None:
    """Serves ``session`` on 127.0.0.1 until Ctrl-C or SIGTERM. ``announce`` gets the address once it answers.

    Raises PortTaken; TechnicalFailure where the suite itself fails."""
    asyncio.run(_serve(session, port, lang, announce))


async def _serve(session: Session, port: int, lang: str, announce: Callable[[str], None]) -> None:
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows raises KeyboardInterrupt instead
            loop.add_signal_handler(number, stopped.set)
    suite = Suite(session, token=token_urlsafe(12), guarded=False, lang=lang, grows=True)
    await suite.start(port)
    try:
        announce(suite.address)
        suite.lost.add_done_callback(lambda _: stopped.set())
        await stopped.wait()
        if suite.lost.done():
            raise suite.lost.result()
    finally:
        await suite.stop()
