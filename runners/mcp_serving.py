"""Serving one episode to an MCP client: over standard input and output, or over HTTP on this machine.

The episode runs in a thread; this is the event loop beside it. It goes on until the client has left, or for a while
after the episode's end, so that a client hears that it is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..games.base import LpbError
from .mcp_server import SESSION_HEADER, Table

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from .agents.called import CalledAgent

PATH = "/mcp"
MOST_LINE = 1 << 22  # bytes of a message over standard input; over HTTP the library has the same limit
MOST_SESSIONS = 16  # clients that look around; one of them plays
LINGER = 30.0  # seconds that a client has to leave once the episode is over


class Playing:
    """The episode in its thread. ``work`` plays it; ``result`` is what that returned, or ``error`` what it raised."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self._over: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="lpb-gen episode", daemon=True)

    def begin(self) -> None:
        """Within the event loop."""
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._thread.start()

    def _run(self) -> None:
        try:
            self.result = self._work()
        except BaseException as error:
            self.error = error
        assert self._over is not None
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(self._over.set)

    async def over(self) -> None:
        assert self._over is not None
        await self._over.wait()


async def serve_stdio(table: Table, agent: CalledAgent, playing: Playing, *, linger: float = LINGER) -> None:
    """Until the client closes our standard input; it may also end us by SIGTERM or SIGINT, as clients do."""
    server = table.server()
    playing.begin()

    async def converse() -> None:
        async with _standard_streams() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    conversation = asyncio.ensure_future(converse())

    def leave() -> None:
        agent.leave()
        conversation.cancel()

    with _on_signals(leave):
        await asyncio.wait([conversation, asyncio.ensure_future(playing.over())], return_when=asyncio.FIRST_COMPLETED)
        agent.leave()  # where the client is gone; else the episode is over already
        await playing.over()
        await asyncio.wait([conversation], timeout=linger)
        conversation.cancel()
        await asyncio.wait([conversation])
    if not conversation.cancelled() and (error := conversation.exception()) is not None:
        logging.getLogger("lpb_gen.mcp").debug("the client's end was not a clean one", exc_info=error)


@contextlib.asynccontextmanager
async def _standard_streams() -> AsyncIterator[Any]:
    """The transport over our standard streams. Its own reading of a pipe takes a thread that cannot be ended."""
    import sys

    from mcp.server.stdio import stdio_server

    reader = asyncio.StreamReader(limit=MOST_LINE)
    try:
        source = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), source
        )
    except (OSError, ValueError):  # no pipe, or closed
        async with stdio_server() as streams:
            yield streams
        return
    try:
        async with stdio_server(stdin=_lines(reader)) as streams:  # type: ignore[arg-type]
            yield streams
    finally:
        transport.close()


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[str]:
    while True:
        try:
            line = await reader.readline()
        except ValueError:  # too long; it was thrown away, and is no message
            line = b"\n"
        if not line:
            return
        yield line.decode("utf-8", "replace")


async def serve_http(
    table: Table,
    agent: CalledAgent,
    playing: Playing,
    port: int,
    *,
    announce: Callable[[str], None],
    linger: float = LINGER,
) -> None:
    """On 127.0.0.1; ``announce`` gets the address. Until the client ends its session. Raises LpbError where the port is
    not free."""
    import uvicorn

    listening = _listen(port)
    left = asyncio.Event()

    def gone(session: str) -> None:
        table.left(session)
        if session == table.player:
            left.set()

    application = table.server().streamable_http_app(
        streamable_http_path=PATH, max_sessions=MOST_SESSIONS, session_idle_timeout=None
    )
    config = uvicorn.Config(
        _Door(application, gone),
        log_config=None,
        log_level="critical",
        access_log=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=1,
    )
    server = _quiet(uvicorn.Server(config))
    playing.begin()
    serving = asyncio.ensure_future(server.serve(sockets=[listening]))

    def interrupt() -> None:
        agent.interrupt()
        left.set()

    with listening, _on_signals(interrupt):
        announce(f"http://127.0.0.1:{listening.getsockname()[1]}{PATH}")
        await asyncio.wait([serving, asyncio.ensure_future(playing.over())], return_when=asyncio.FIRST_COMPLETED)
        agent.leave()
        await playing.over()
        with contextlib.suppress(TimeoutError):
            if table.begun:
                await asyncio.wait_for(left.wait(), linger)
        server.should_exit = True
        await serving


class _Door:
    """What stands before the application: sessions and nothing else, and word of those that end.

    The newest revision of the protocol has no sessions over HTTP: who plays, and that a client has left, could not be
    told. Its clients go back to the handshake, as the answer here says they can."""

    def __init__(self, application: ASGIApp, gone: Callable[[str], None]) -> None:
        self._application, self._gone = application, gone

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope.get("headers", ())}
        asked = headers.get("mcp-protocol-version")
        if scope["type"] == "http" and asked is not None and asked not in HANDSHAKE_PROTOCOL_VERSIONS:
            await _refuse_version(asked, scope, receive, send)
            return
        status = 0

        async def watch(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        await self._application(scope, receive, watch)
        if scope["type"] == "http" and scope["method"] == "DELETE" and status == 200:
            self._gone(headers.get(SESSION_HEADER, ""))


async def _refuse_version(asked: str, scope: Scope, receive: Receive, send: Send) -> None:
    import json

    from mcp_types import UNSUPPORTED_PROTOCOL_VERSION
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
    from starlette.requests import Request
    from starlette.responses import JSONResponse

    try:
        identity = json.loads(await Request(scope, receive).body())["id"]
    except Exception:  # whatever it was, it had no id
        identity = None
    data = {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": asked}
    error = {"code": UNSUPPORTED_PROTOCOL_VERSION, "message": "Unsupported protocol version", "data": data}
    answer = JSONResponse({"jsonrpc": "2.0", "id": identity, "error": error}, status_code=400)
    await answer(scope, receive, send)


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError:
        raise LpbError(f"port {port} is not free", where="127.0.0.1", fix="choose another with --http") from None


def _quiet(server: uvicorn.Server) -> uvicorn.Server:
    """It leaves signals to us."""
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
    return server


@contextlib.contextmanager
def _on_signals(work: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    known = []
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):  # Windows, or not the main thread
            loop.add_signal_handler(number, work)
            known.append(number)
    try:
        yield
    finally:
        for number in known:
            loop.remove_signal_handler(number)
