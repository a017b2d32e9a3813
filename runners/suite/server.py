"""The suite's server on the loopback: pixels out, trusted input in. It runs inside one asyncio loop.

To the page go only frames: a header of small integers (frame number, place of the patch, size of the whole) and the PNG
of the pixels that changed. From the page come its input events and the numbers of the frames that it has painted.

A *guarded* server (evaluation) takes one connection in its life, and only the event that ``announce`` named just before
it was dispatched; everything else is rejected and noted. An open one (a person plays) takes every trusted event, and a
new connection whenever none is alive.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from secrets import compare_digest
from typing import TYPE_CHECKING, Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from ...games.base import LpbError, Pointer
from ..failures import TechnicalFailure
from . import page
from .render import Renderer, changed_box, png

if TYPE_CHECKING:
    from ..session import Note, Session
    from ..surface import Pixels

HEADER = struct.Struct(">IHHHH")  # frame; x, y of the patch; width, height of the whole
BUSY = 4009  # WebSocket close code: another connection is alive
MESSAGE_LIMIT = 256  # bytes; the longest true message is below 80
REJECTIONS_KEPT = 100
CSP_GUARDED = "default-src 'none'; connect-src 'self'"
CSP_OPEN = "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self'"


class PortTaken(LpbError):
    """Another program listens on the port."""


@dataclass(slots=True)
class Announced:
    """An event that is about to be dispatched; ``settled`` gets what the session noted once the page has painted it."""

    event: Pointer
    settled: asyncio.Future[tuple[Note, ...]]
    notes: tuple[Note, ...] | None = None
    frame: int = -1


class Suite:
    """Serves one session. ``token``: the secret part of the address; ``grows``: its page fills the
    window, which is for play alone; ``on_event``: called after each event taken,
    with what the session noted; ``on_shown``: once, when the first frame is painted, before any event is taken."""

    def __init__(
        self,
        session: Session,
        *,
        token: str,
        guarded: bool,
        lang: str = "en",
        grows: bool = False,
        on_event: Callable[[Pointer, tuple[Note, ...]], None] | None = None,
        on_shown: Callable[[], None] | None = None,
    ) -> None:
        self.session = session
        self._renderer = Renderer()
        self.pixels: Pixels = self._renderer.render(session.scene(), session.viewport)
        loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[TechnicalFailure] = loop.create_future()  # why no more input can come
        self.shown: asyncio.Future[None] = loop.create_future()  # the first frame is painted
        self._scene = session.scene()
        self._token = token
        self._guarded = guarded
        self._lang, self._grows = lang, grows
        self._on_event, self._on_shown = on_event, on_shown
        self._server: Server | None = None
        self._connection: ServerConnection | None = None
        self._spent = False  # a guarded server's token works once
        self._frame = 0
        self._announced: Announced | None = None
        self._rejection_lock = threading.Lock()  # ``rejected`` may be asked from another thread
        self._rejections: list[str] = []
        self._rejection_count = 0

    # --- life ---------------------------------------------------------------------------------------------------------

    async def start(self, port: int = 0) -> None:
        """Listens on 127.0.0.1; port 0 takes a free one. Raises PortTaken."""
        silent = logging.Logger("lpb_gen.suite", logging.CRITICAL + 1)  # a refused visitor is no news on our terminal
        try:
            self._server = await serve(
                self._talk,
                "127.0.0.1",
                port,
                process_request=self._answer,
                compression=None,  # PNG is compressed
                max_size=MESSAGE_LIMIT,
                ping_interval=None if self._guarded else 20,  # an evaluation has its own watchdog
                close_timeout=1,
                server_header=None,
                logger=silent,
            )
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            raise PortTaken(f"port {port} is not free", where="127.0.0.1", fix="choose another with --port") from None

    @property
    def origin(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{next(iter(self._server.sockets)).getsockname()[1]}"

    @property
    def address(self) -> str:
        """What a browser opens: the page itself when guarded, the secret address otherwise."""
        return f"{self.origin}/" if self._guarded else f"{self.origin}/{self._token}/"

    @property
    def socket_address(self) -> str:
        return f"{self.origin.replace('http', 'ws', 1)}/{self._token}/socket"

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    # --- documents ----------------------------------------------------------------------------------------------------

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """An HTTP response, or None where the request may become the WebSocket."""
        path = request.path.partition("?")[0]
        secret, _, name = path[1:].partition("/")
        known = compare_digest(secret.encode(), self._token.encode())
        if "Upgrade" in request.headers:
            if not known or name != "socket" or not self._is_own(request):
                self._reject("a connection without the token or from another origin")
                return self._document(HTTPStatus.FORBIDDEN, "forbidden\n", "text/plain")
            return None
        if not self._is_own(request):
            return self._document(HTTPStatus.FORBIDDEN, "forbidden\n", "text/plain")
        if getattr(request, "method", "GET") not in ("GET", "HEAD"):
            return self._document(HTTPStatus.METHOD_NOT_ALLOWED, "only GET\n", "text/plain")
        if self._guarded:
            if path == "/":
                return self._document(HTTPStatus.OK, page.bare_page())
        elif known and name == "":
            return self._document(HTTPStatus.OK, page.play_page(self._lang, grows=self._grows))
        elif known and name == "page.js":
            return self._document(HTTPStatus.OK, page.client(), "text/javascript")
        elif path == "/page.css":
            return self._document(HTTPStatus.OK, page.STYLE, "text/css")
        elif known and name == "busy":
            return self._document(HTTPStatus.CONFLICT, page.busy_page(self._lang))
        elif path == "/":
            return self._document(HTTPStatus.FORBIDDEN, page.unknown_page(self._lang))
        return self._document(HTTPStatus.NOT_FOUND, "not found\n", "text/plain")

    def _is_own(self, request: Request) -> bool:
        """Whether our own address is asked, and not by another site's page: a browser always says where from. A name
        that somebody lets lead to this machine (DNS rebinding) is not ours."""
        port = self.origin.rpartition(":")[2]
        ours = [f"127.0.0.1:{port}", f"localhost:{port}"]
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        return len(hosts) == 1 and hosts[0] in ours and origins in ([], [f"http://{hosts[0]}"])

    def _document(self, status: HTTPStatus, text: str, kind: str = "text/html") -> Response:
        body = text.encode()
        headers = Headers(
            [
                ("Content-Type", f"{kind}; charset=utf-8"),
                ("Content-Length", str(len(body))),
                ("Content-Security-Policy", CSP_GUARDED if self._guarded else CSP_OPEN),
                ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"),
                ("Cache-Control", "no-store"),
                ("Connection", "close"),
            ]
        )
        return Response(status.value, status.phrase, headers, body)

    # --- the connection -----------------------------------------------------------------------------------------------

    async def _talk(self, connection: ServerConnection) -> None:
        if not await self._admitted(connection):
            await connection.close(BUSY, "busy")
            return
        self._connection, self._spent = connection, True
        try:
            await self._send_frame((0, 0, *self.session.viewport), self.pixels)
            async for message in connection:
                await self._take(message)
        except ConnectionClosed:
            pass
        except Exception as error:  # a fault of the suite, and not of the page: whoever waits has to know
            self._lose(TechnicalFailure("environment", f"the suite failed ({type(error).__name__}: {error})"))
        finally:
            if self._connection is connection:
                self._connection = None
            if self._guarded:
                self._lose(TechnicalFailure("browser", "the page has gone"))

    async def _admitted(self, connection: ServerConnection) -> bool:
        if self._guarded and self._spent:
            self._reject("a second connection")
            return False
        old = self._connection
        if old is not None:
            try:
                await asyncio.wait_for(old.wait_closed(), 1)  # a reloaded page may be back before its old self has left
            except TimeoutError:
                self._reject("a second connection")
                return False
        return self._connection in (None, old)

    def _lose(self, failure: TechnicalFailure) -> None:
        if not self.lost.done():
            self.lost.set_result(failure)

    async def _take(self, message: str | bytes) -> None:
        """One message of the page."""
        match _read_message(message):
            case ("ack", int(frame)):
                self._acknowledged(frame)
            case ("untrusted", str(kind)):
                self._reject(f"a synthetic {kind} event")
            case Pointer() as event:
                if not self._guarded:
                    await self._apply(event)
                elif self._announced is None or self._announced.notes is not None:
                    self._reject(f"{_describe(event)} that nobody announced")
                elif event != self._announced.event:
                    self._reject(f"{_describe(event)} instead of {_describe(self._announced.event)}")
                else:
                    await self._apply(event)
            case _:
                self._reject(f"a message that is none of the page's: {message[:60]!r}")

    async def _apply(self, event: Pointer) -> None:
        notes = self.session.event(event)
        if self._announced is not None:  # before the frame is sent: its acknowledgement must find the number
            self._announced.notes, self._announced.frame = notes, self._frame + 1
        await self._show()
        if self._on_event is not None:
            self._on_event(event, notes)

    async def _show(self) -> None:
        """Sends what changed; a frame without a patch where nothing did, for the page to acknowledge."""
        scene = self.session.scene()
        box, pixels = None, self.pixels
        if scene != self._scene:
            self._scene = scene
            pixels = self._renderer.render(scene, self.session.viewport)
            box = changed_box(self.pixels, pixels)
            self.pixels = pixels
        await self._send_frame(box, pixels)

    async def _send_frame(self, box: tuple[int, int, int, int] | None, pixels: Pixels) -> None:
        self._frame += 1
        if self._connection is None:
            return
        x, y, w, h = box or (0, 0, 0, 0)
        patch = png(pixels[y : y + h, x : x + w]) if box else b""
        await self._connection.send(HEADER.pack(self._frame, x, y, *self.session.viewport) + patch)

    # --- announcing ---------------------------------------------------------------------------------------------------

    def announce(self, event: Pointer) -> asyncio.Future[tuple[Note, ...]]:
        """Allows this one event. The future gets the session's notes once the page has painted the settled frame."""
        if self._announced is not None and not self._announced.settled.done():
            raise RuntimeError("an event is still being settled")
        self._announced = Announced(event, asyncio.get_running_loop().create_future())
        return self._announced.settled

    def _acknowledged(self, frame: int) -> None:
        if frame > self._frame:
            self._reject("an acknowledgement of a frame that was never sent")
            return
        if not self.shown.done():
            self.shown.set_result(None)
            if self._on_shown is not None:
                self._on_shown()
        waiting = self._announced
        if waiting is not None and waiting.notes is not None and frame >= waiting.frame and not waiting.settled.done():
            waiting.settled.set_result(waiting.notes)

    # --- rejections ---------------------------------------------------------------------------------------------------

    def _reject(self, what: str) -> None:
        with self._rejection_lock:
            self._rejection_count += 1
            if len(self._rejections) < REJECTIONS_KEPT:
                self._rejections.append(what)

    def rejected(self) -> tuple[str, ...]:
        """What was rejected since the last call, one line each."""
        with self._rejection_lock:
            lines, more = self._rejections, self._rejection_count - len(self._rejections)
            self._rejections, self._rejection_count = [], 0
        return (*lines, f"and {more} more") if more else tuple(lines)


def _read_message(message: str | bytes) -> Pointer | tuple[str, Any] | None:
    """What the page says; None where it says nothing that the page would."""
    if isinstance(message, bytes):
        return None
    try:
        value = json.loads(message)
    except (ValueError, RecursionError):
        return None
    match value:
        case ["ack", int(frame)] if frame >= 0:
            return "ack", frame
        case ["untrusted", str(kind)]:
            return "untrusted", kind[:40]
        case ["down" | "move" | "up" as kind, int() | float() as x, int() | float() as y]:
            return Pointer(kind, float(x), float(y)) if abs(x) < 1e6 and abs(y) < 1e6 else None
        case ["key", str(key)] if 0 < len(key) <= 20:
            return Pointer("key", key=key)
    return None


def _describe(event: Pointer) -> str:
    return f"a key {event.key!r}" if event.kind == "key" else f"a {event.kind} at ({event.x:g}, {event.y:g})"
