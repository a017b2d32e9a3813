"""The browser surface: the suite in a real Chromium, driven by real mouse and keyboard input through Playwright.

One thread runs one asyncio loop with the suite's server and the browser's driver. A step announces an event to the
server, dispatches it, and waits until the server has consumed it and the page has painted the settled frame. Nothing
sleeps; a watchdog ends what hangs.
"""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import Awaitable, Coroutine, Sequence
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, TypeVar

from . import scratch
from .failures import TechnicalFailure
from .finding import BrowserFound, end_process, launch, start_driver
from .suite.page import client

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page, Playwright

    from ..games.base import Pointer
    from .session import Note, Session
    from .suite.server import Suite
    from .surface import Pixels

T = TypeVar("T")
WORLD = "lpb-gen"  # the isolated world that the client runs in
START_SECONDS = 60.0
STEP_SECONDS = 20.0
CLOSE_SECONDS = 8.0


class _Running:
    """What ``start`` has begun so far, for ``close`` to end."""

    def __init__(self) -> None:
        self.crashed: asyncio.Future[TechnicalFailure] = asyncio.get_running_loop().create_future()
        self.suite: Suite | None = None
        self.playwright: Playwright | None = None
        self.found: BrowserFound | None = None
        self.page: Page | None = None
        self.cdp: CDPSession | None = None
        self.mouse: tuple[float, float] = (-1, -1)
        self.exact = False  # whether its screenshots have the very pixels that were sent, as they should


class BrowserSurface:
    """See ``surface.Surface``. ``browser``: a path or a Playwright channel to use instead of searching;
    ``step_seconds``: after this long without an answer the page counts as hung; ``folder``: a name for the browser's
    temporary folder, which is made and removed here."""

    name = "browser"

    def __init__(
        self,
        session: Session,
        *,
        browser: str | None = None,
        step_seconds: float = STEP_SECONDS,
        folder: Path | None = None,
    ) -> None:
        self.session = session
        self._browser = browser
        self._step_seconds = step_seconds
        self._folder = folder or scratch.free_name()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._running: _Running | None = None

    # --- the surface --------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Raises NoBrowser where there is none, TechnicalFailure where it does not come up."""
        scratch.make(self._folder)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lpb-gen browser", daemon=True)
        self._thread.start()
        self._call(self._start(), START_SECONDS)

    def dispatch(self, events: Sequence[Pointer]) -> tuple[Note, ...]:
        notes: list[Note] = []
        for event in events:
            notes.extend(self._call(self._step(event), self._step_seconds))
        return tuple(notes)

    def screenshot(self) -> bytes:
        return self._call(self._screenshot(), self._step_seconds)

    def pixels(self) -> Pixels:
        from .suite.png import pixels

        return pixels(self.screenshot())

    def rejected(self) -> tuple[str, ...]:
        suite = self._running.suite if self._running else None
        return suite.rejected() if suite else ()

    def describe(self) -> dict[str, Any]:
        found = self._running.found if self._running else None
        if found is None:
            return {"name": self.name}
        return {"name": self.name, "browser": found.product, "browser_version": found.version, "found": found.how}

    def close(self) -> None:
        loop, self._loop = self._loop, None
        running, self._running = self._running, None
        if loop is None:
            return
        in_peace = False
        try:
            in_peace = running is None or asyncio.run_coroutine_threadsafe(_end(running), loop).result(
                4 * CLOSE_SECONDS
            )
        except Exception:
            pass  # what did not end in peace is ended below
        finally:
            if not in_peace and running is not None and running.found is not None:
                end_process(running.found.pid)
            loop.call_soon_threadsafe(loop.stop)
            if self._thread is not None:
                self._thread.join(CLOSE_SECONDS)
                if not self._thread.is_alive():
                    loop.close()
            scratch.remove(self._folder)

    # --- in the loop --------------------------------------------------------------------------------------------------

    def _call(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """Runs ``work`` in the loop's thread; the page's end or ``seconds`` without an answer end the waiting."""
        if self._loop is None:
            work.close()
            raise TechnicalFailure("browser", "the browser surface is not running")
        future = asyncio.run_coroutine_threadsafe(self._watched(work, seconds), self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def _watched(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        from playwright.async_api import Error

        if self._running is None:
            self._running = _Running()
        running = self._running
        task: asyncio.Task[T] = asyncio.ensure_future(work)
        ends: list[asyncio.Future[Any]] = [task, running.crashed]
        if running.suite is not None:
            ends.append(running.suite.lost)
        try:
            await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            for end in ends[1:]:
                if end.done():
                    raise end.result()
            raise TechnicalFailure("browser", f"the page gave no answer for {seconds:g} seconds")
        except Error as error:
            reason = running.crashed.result() if running.crashed.done() else None
            raise reason or TechnicalFailure("browser", _first_line(error)) from None
        finally:
            task.cancel()

    async def _start(self) -> None:

        from .suite.server import Suite

        running = self._running
        assert running is not None
        suite = Suite(self.session, token=token_urlsafe(24), guarded=True)
        running.suite = suite
        await suite.start()
        running.playwright = await start_driver(self._folder)
        running.found = await launch(running.playwright, self._browser)
        browser = running.found.browser
        browser.on("disconnected", lambda _: _fail(running, "the browser has ended"))
        width, height = self.session.viewport
        context = await browser.new_context(
            viewport={"width": width, "height": height},
            device_scale_factor=1,
            locale="en-US",
            accept_downloads=False,
            service_workers="block",
        )
        page = await context.new_page()
        page.on("crash", lambda _: _fail(running, "the page has crashed"))
        page.on("close", lambda _: _fail(running, "the page was closed"))
        cdp = await context.new_cdp_session(page)
        await cdp.send("Page.enable")
        await cdp.send(
            "Page.addScriptToEvaluateOnNewDocument", {"source": client(suite.socket_address), "worldName": WORLD}
        )
        await page.goto(suite.address)
        await suite.shown
        running.page, running.cdp = page, cdp
        running.exact = _shows(await self._captured(cdp), suite)

    async def _step(self, event: Pointer) -> tuple[Note, ...]:
        running = self._running
        assert running is not None
        assert running.suite is not None
        assert running.page is not None
        mouse = running.page.mouse
        if event.kind in ("down", "up") and (event.x, event.y) != running.mouse:
            await mouse.move(event.x, event.y)  # hovering, of which the page says nothing
            running.mouse = (event.x, event.y)
        settled = running.suite.announce(event)
        try:
            input_: Awaitable[None]
            match event.kind:
                case "down":
                    input_ = mouse.down()
                case "up":
                    input_ = mouse.up()
                case "move":
                    running.mouse = (event.x, event.y)
                    input_ = mouse.move(event.x, event.y)
                case "key":
                    input_ = running.page.keyboard.press(event.key)
            notes, _ = await asyncio.gather(settled, input_)
            return notes
        finally:
            settled.cancel()

    async def _screenshot(self) -> bytes:
        running = self._running
        assert running is not None
        assert running.suite is not None
        assert running.cdp is not None
        png = await self._captured(running.cdp)
        if running.exact and not _shows(png, running.suite):  # when its GPU process ends, a canvas loses what it shows
            raise TechnicalFailure("browser", "the page does not show what was sent to it")
        return png

    async def _captured(self, cdp: CDPSession) -> bytes:
        answer = await cdp.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        return base64.b64decode(answer["data"])


def _shows(png: bytes, suite: Suite) -> bool:
    from numpy import array_equal

    from .suite.png import pixels

    return array_equal(pixels(png), suite.pixels)


def _fail(running: _Running, what: str) -> None:
    if not running.crashed.done():
        running.crashed.set_result(TechnicalFailure("browser", what))


async def _end(running: _Running) -> bool:
    """Ends browser, driver and server, each within its time, whatever the others do; true if the browser ended."""
    browser = await _within(running.found.browser.close()) if running.found is not None else True
    driver = await _within(running.playwright.stop()) if running.playwright is not None else True
    if running.suite is not None:
        await _within(running.suite.stop())
    return browser and driver


async def _within(step: Coroutine[Any, Any, None]) -> bool:
    try:
        await asyncio.wait_for(step, CLOSE_SECONDS)
    except Exception:  # a driver that has lost its browser raises errors of many kinds
        return False
    return True


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
