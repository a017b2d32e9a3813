"""The suite's server, spoken to without a browser: who gets in, what gets in, and that only pixels come out."""

from __future__ import annotations

import asyncio
import io
import json
import os
import struct
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import levels
import numpy as np
import pytest
import skia
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from lpb_gen.games.base import Pointer
from lpb_gen.runners import actions, finding
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.failures import TechnicalFailure
from lpb_gen.runners.session import Session
from lpb_gen.runners.suite.render import render
from lpb_gen.runners.suite.server import BUSY, HEADER, PortTaken, Suite

TOKEN = "the-secret"
UP = Pointer("key", key="ArrowUp")


def in_a_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Runs an async test, with a limit on its time."""

    def run() -> None:
        asyncio.run(asyncio.wait_for(test(), 60))

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


@asynccontextmanager
async def serving(guarded: bool = True, **options: Any) -> AsyncIterator[Suite]:
    suite = Suite(Session(levels.objectives()), token=TOKEN, guarded=guarded, **options)
    await suite.start()
    try:
        yield suite
    finally:
        await suite.stop()


def joining(suite: Suite, token: str = TOKEN, **options: Any) -> Any:
    return connect(suite.socket_address.replace(TOKEN, token), proxy=None, compression=None, **options)


async def frame(page: ClientConnection, acknowledge: bool = True) -> tuple[int, Any]:
    """The next frame: its number and its patch (x, y, pixels) or None."""
    data = await asyncio.wait_for(page.recv(), 5)
    assert isinstance(data, bytes)
    number, x, y, width, height = HEADER.unpack(data[: HEADER.size])
    assert (width, height) == (1280, 900)
    if acknowledge:
        await page.send(json.dumps(["ack", number]))
    return number, (x, y, decoded(data[HEADER.size :])) if len(data) > HEADER.size else None


def decoded(png: bytes) -> Any:
    """The pixels of a PNG of ours, and a check that it holds nothing else: no text, no metadata."""
    stream = io.BytesIO(png)
    assert stream.read(8) == b"\x89PNG\r\n\x1a\n"
    kinds = []
    while head := stream.read(8):
        size, kind = struct.unpack(">I4s", head)
        assert stream.read(size + 4)
        kinds.append(kind)
    assert set(kinds) == {b"IHDR", b"IDAT", b"IEND"}
    image = skia.Image.MakeFromEncoded(skia.Data.MakeWithCopy(png))
    return np.array(image.toarray(colorType=skia.kRGBA_8888_ColorType))[:, :, :3]


async def says(page: ClientConnection, *message: Any) -> None:
    await page.send(json.dumps(message))


async def noticed(suite: Suite) -> tuple[str, ...]:
    """What was rejected, once something was."""
    for _ in range(500):
        if lines := suite.rejected():
            return lines
        await asyncio.sleep(0.01)
    raise AssertionError("nothing was rejected")


async def get(suite: Suite, path: str, method: str = "GET") -> tuple[int, dict[str, str], str]:
    host, _, port = suite.origin.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    head, _, body = answer.partition("\r\n\r\n")
    status, *lines = head.split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(status.split()[1]), headers, body


# --- pixels out -------------------------------------------------------------------------------------------------------


@in_a_loop
async def test_the_page_gets_nothing_but_pixels_and_they_are_the_renderers() -> None:
    """A whole objective: every message is a header of small integers and a bare PNG; together they are the picture."""
    async with serving() as suite, joining(suite) as page:
        session = suite.session
        oracle = AGENTS["oracle"]("maze", "easy", 0)
        number, (x, y, screen) = await frame(page)
        assert (number, x, y, screen.shape) == (1, 0, 0, (900, 1280, 3))
        while session.view.screen != "complete":
            for event in actions.events(oracle.act_knowing("", session)):  # type: ignore[arg-type]
                settled = suite.announce(event)
                await says(page, *(["key", event.key] if event.kind == "key" else [event.kind, event.x, event.y]))
                number, patch = await frame(page)
                await asyncio.wait_for(settled, 5)
                if patch:
                    x, y, pixels = patch
                    screen[y : y + pixels.shape[0], x : x + pixels.shape[1]] = pixels
                assert np.array_equal(screen, render(session.scene(), session.viewport)[:, :, :3])
        assert suite.rejected() == ()


@in_a_loop
async def test_only_what_changed_is_sent() -> None:
    async with serving() as suite, joining(suite) as page:
        await frame(page)
        settled = suite.announce(UP)
        await says(page, "key", "ArrowUp")  # means nothing on the home screen
        assert await frame(page) == (2, None)
        assert [note.kind for note in await settled] == ["ignored"]


@in_a_loop
async def test_a_step_is_settled_when_the_page_has_painted_and_not_before() -> None:
    async with serving() as suite, joining(suite) as page:
        await frame(page)
        settled = suite.announce(UP)
        await says(page, "key", "ArrowUp")
        number, _ = await frame(page, acknowledge=False)
        await says(page, "ack", number - 1)
        await page.ping()
        assert not settled.done()
        await says(page, "ack", number)
        await asyncio.wait_for(settled, 5)


@in_a_loop
async def test_the_page_of_an_evaluation_holds_a_canvas_and_no_script_text_or_token() -> None:
    async with serving() as suite:
        status, headers, body = await get(suite, "/")
        assert status == 200
        assert headers["content-security-policy"] == "default-src 'none'; connect-src 'self'"
        assert "<canvas" in body
        assert "script" not in body
        assert TOKEN not in body
        for path in (f"/{TOKEN}/", f"/{TOKEN}/page.js", f"/{TOKEN}/busy", "/favicon.ico", "/../etc/passwd"):
            assert (await get(suite, path))[0] == 404


# --- who gets in ------------------------------------------------------------------------------------------------------


@in_a_loop
async def test_a_connection_without_the_token_is_refused() -> None:
    async with serving() as suite:
        for token in ("", "wrong", TOKEN + "x", TOKEN[:-1]):
            with pytest.raises(InvalidStatus):
                await joining(suite, token)
        assert len(suite.rejected()) == 4


@in_a_loop
async def test_a_page_of_another_site_is_refused_even_with_the_token() -> None:
    for guarded in (True, False):
        async with serving(guarded) as suite:
            with pytest.raises(InvalidStatus):
                await joining(suite, origin="http://evil.example")
            async with joining(suite, origin=suite.origin) as page:
                await frame(page)


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize(
    "lines",
    [
        ("Host: evil.example:{port}",),
        ("Host: evil.example:{port}", "Origin: http://evil.example:{port}"),
        ("Host: 127.0.0.1:{port}", "Origin: http://evil.example"),
        ("Host: 127.0.0.1:{port}", "Origin: null"),
        ("Host: 127.0.0.1:{port}", "Host: evil.example", "Origin: http://evil.example"),
        ("Host: 127.0.0.1:{port}", "Origin: http://127.0.0.1:{port}", "Origin: http://evil.example"),
        ("Host: 127.0.0.1:1",),
        (),
    ],
    ids=" ".join,
)
def test_a_name_that_was_made_to_lead_here_is_not_ours(guarded: bool, lines: tuple[str, ...]) -> None:
    """DNS rebinding: the token is right, the browser says honestly whom it asks, and that is not us."""

    async def test() -> None:
        async with serving(guarded=guarded) as suite:
            port = int(suite.origin.rpartition(":")[2])
            upgrade = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
            key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
            for path, more in ((f"/{TOKEN}/socket", (*upgrade, key)), (f"/{TOKEN}/", ()), ("/", ())):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                head = "\r\n".join((f"GET {path} HTTP/1.1", *(line.format(port=port) for line in lines), *more, "", ""))
                writer.write(head.encode())
                answer = await asyncio.wait_for(reader.read(), 5)
                writer.close()
                assert answer.startswith(b"HTTP/1.1 403 "), answer
                assert TOKEN.encode() not in answer
            assert suite.rejected() == ("a connection without the token or from another origin",)
            async with joining(suite) as page:
                assert (await frame(page))[0] == 1, "and the token is not spent"

    in_a_loop(test)()


@in_a_loop
async def test_a_crowd_of_silent_visitors_keeps_nobody_out() -> None:
    async with serving() as suite:
        port = int(suite.origin.rpartition(":")[2])
        crowd = [await asyncio.open_connection("127.0.0.1", port) for _ in range(200)]
        for _, writer in crowd:
            writer.write(b"GET /")
        async with joining(suite) as page:
            assert (await frame(page))[0] == 1
        for _, writer in crowd:
            writer.close()


@in_a_loop
async def test_the_token_of_an_evaluation_works_once() -> None:
    async with serving() as suite:
        async with joining(suite) as page:
            await frame(page)
            async with joining(suite) as second:
                with pytest.raises(ConnectionClosed):
                    await second.recv()
            assert second.close_code == BUSY
        async with joining(suite) as third:
            with pytest.raises(ConnectionClosed):
                await third.recv()
        assert suite.rejected() == ("a second connection",) * 2


@in_a_loop
async def test_the_end_of_the_connection_is_a_browser_failure() -> None:
    async with serving() as suite:
        async with joining(suite) as page:
            await frame(page)
        failure = await asyncio.wait_for(suite.lost, 5)
        assert failure.kind == "browser"


@in_a_loop
async def test_a_fault_of_the_suite_is_an_environment_failure() -> None:
    async with serving() as suite, joining(suite) as page:
        await frame(page)

        def fault(event: Pointer) -> Any:
            raise ZeroDivisionError("ours")

        suite.session.event = fault  # type: ignore[method-assign]
        suite.announce(UP)
        await says(page, "key", "ArrowUp")
        failure = await asyncio.wait_for(suite.lost, 5)
        assert (failure.kind, isinstance(failure, TechnicalFailure)) == ("environment", True)


# --- what gets in -----------------------------------------------------------------------------------------------------


@in_a_loop
async def test_an_event_that_nobody_announced_is_rejected() -> None:
    async with serving() as suite, joining(suite) as page:
        await frame(page)
        before = suite.session.state_hash()
        x, y = suite.session.targets()["game:maze"]
        await says(page, "down", x, y)
        await says(page, "up", x, y)
        await says(page, "key", "ArrowUp")
        await says(page, "ack", 1)
        while len(suite._rejections) < 3:
            await asyncio.sleep(0.01)
        assert [line.partition(" ")[2].split()[0] for line in suite.rejected()] == ["down", "up", "key"]
        assert suite.session.state_hash() == before
        assert suite.session.log == []


@in_a_loop
async def test_only_the_announced_event_is_taken_and_only_once() -> None:
    async with serving() as suite, joining(suite) as page:
        await frame(page)
        settled = suite.announce(Pointer("down", 10, 20))
        for forged in (["down", 10, 21], ["down", 11, 20], ["up", 10, 20], ["move", 10, 20], ["key", "ArrowUp"]):
            await says(page, *forged)
            assert "instead of a down at (10, 20)" in (await noticed(suite))[0]
        assert not settled.done()
        await says(page, "down", 10, 20)
        await says(page, "down", 10, 20)
        await frame(page)
        await asyncio.wait_for(settled, 5)
        assert await noticed(suite) == ("a down at (10, 20) that nobody announced",)
        assert suite.session.view.pressed == "nothing"


@in_a_loop
async def test_a_synthetic_event_is_rejected() -> None:
    async with serving() as suite, joining(suite) as page:
        await frame(page)
        await says(page, "untrusted", "pointerdown")
        assert await noticed(suite) == ("a synthetic pointerdown event",)


MALFORMED = (
    *("", "hello", "{}", "[]", "null", "[" * 100, '["won"]', '{"0":"key","1":"a"}', b"\0\1"),
    *('["ack"]', '["ack","1"]', '["ack",-1]', '["ack",1.5]', '["ack",99]'),
    *('["down"]', '["down",1]', '["down","1","2"]', '["down",1,2,3]', '["down",NaN,1]', '["down",1e400,1]'),
    *('["hover",1,2]', '["key",""]', '["key",5]', '["key","' + "a" * 30 + '"]'),
)


@in_a_loop
async def test_a_malformed_message_is_rejected_and_changes_nothing() -> None:
    async with serving() as suite, joining(suite) as page:
        await frame(page)
        before = suite.session.state_hash()
        suite.announce(UP)
        for message in MALFORMED:
            await page.send(message)
            assert len(await noticed(suite)) == 1, message
        assert suite.session.state_hash() == before


@in_a_loop
async def test_a_flood_of_rejections_does_not_fill_the_memory() -> None:
    async with serving() as suite, joining(suite) as page:
        await frame(page)
        for _ in range(300):
            await page.send("[]")
        await says(page, "key", "ArrowUp")
        while suite._rejection_count < 301:
            await asyncio.sleep(0.01)
        lines = suite.rejected()
        assert len(lines) == 101
        assert lines[-1] == "and 201 more"
        assert suite.rejected() == ()


@in_a_loop
async def test_an_overlong_message_ends_the_connection() -> None:
    async with serving() as suite, joining(suite) as page:
        await frame(page)
        await page.send("x" * 1000)
        with pytest.raises(ConnectionClosed):
            await page.recv()


# --- a person plays ---------------------------------------------------------------------------------------------------


@in_a_loop
async def test_a_person_needs_no_announcement() -> None:
    notes: list[Any] = []
    async with serving(guarded=False, on_event=lambda event, seen: notes.extend(seen)) as suite, joining(suite) as page:
        await frame(page)
        x, y = suite.session.targets()["game:maze"]
        await says(page, "down", x, y)
        await frame(page)
        await says(page, "up", x + 0.4, y)
        await frame(page)
        assert suite.session.view.screen == "tiers"
        assert [note.kind for note in notes] == ["enter"]


@in_a_loop
async def test_a_second_window_is_refused_while_the_first_is_open() -> None:
    async with serving(guarded=False) as suite, joining(suite) as page:
        await frame(page)
        async with joining(suite) as second:
            with pytest.raises(ConnectionClosed):
                await second.recv()
        assert second.close_code == BUSY
        await says(page, "key", "ArrowUp")
        assert (await frame(page))[0] == 2  # the first one goes on


@in_a_loop
async def test_a_reloaded_page_goes_on_where_it_was() -> None:
    async with serving(guarded=False) as suite:
        for _ in range(3):
            async with joining(suite) as page:
                _, patch = await frame(page)
                assert patch[2].shape == (900, 1280, 3)
                suite.session.event(Pointer("key", key="a"))
        async with joining(suite) as old:
            await frame(old)
            reloaded: Awaitable[ClientConnection] = asyncio.ensure_future(joining(suite).__aenter__())
            await asyncio.sleep(0.05)
            await old.close()  # the new page was quicker than the end of the old one
            page = await reloaded
            await frame(page)
            await page.close()
        assert suite.rejected() == ()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_persons_documents(lang: str) -> None:
    async def test() -> None:
        async with serving(guarded=False, lang=lang) as suite:
            status, headers, body = await get(suite, f"/{TOKEN}/")
            assert (status, f'lang="{lang}"' in body, "page.js" in body) == (200, True, True)
            policy = "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self'"
            assert headers["content-security-policy"] == policy
            assert headers["x-content-type-options"] == "nosniff"
            status, headers, body = await get(suite, f"/{TOKEN}/page.js")
            assert (status, headers["content-type"]) == (200, "text/javascript; charset=utf-8")
            status, _, body = await get(suite, f"/{TOKEN}/busy")
            assert status == 409
            assert ("already open" if lang == "en" else "已在另一个窗口") in body
            status, _, body = await get(suite, "/")
            assert status == 403
            assert ("whole address" if lang == "en" else "完整网址") in body
            assert TOKEN not in body
            for path in ("/wrong/", "/wrong/page.js", f"/{TOKEN}/../page.js", f"/{TOKEN}/server.py", "/favicon.ico"):
                assert (await get(suite, path))[0] == 404

    asyncio.run(asyncio.wait_for(test(), 60))


@in_a_loop
async def test_only_get_is_answered() -> None:
    async with serving() as suite:
        assert (await get(suite, "/", "POST"))[0] in (400, 405)


@in_a_loop
async def test_a_taken_port_is_one_clear_line() -> None:
    async with serving() as suite:
        other = Suite(Session(levels.objectives()), token=TOKEN, guarded=True)
        port = int(suite.origin.rpartition(":")[2])
        with pytest.raises(PortTaken, match=f"port {port} is not free; choose another with --port"):
            await other.start(port)


@in_a_loop
async def test_it_listens_on_the_loopback_only() -> None:
    async with serving() as suite:
        assert suite._server is not None
        assert {sock.getsockname()[0] for sock in suite._server.sockets} == {"127.0.0.1"}


@pytest.mark.browser
@in_a_loop
async def test_the_page_of_play_fills_a_large_window_and_a_click_lands_where_it_is_seen() -> None:
    """In a window of one and a half times the size; the page of an episode keeps its own."""
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    playwright = await finding.start_driver(Path(folder.name))
    browser = (await finding.launch(playwright, os.environ.get("LPB_BROWSER"), os.environ.get("PATH"))).browser
    for grows, times in ((True, 1.5), (False, 1.0)):
        async with serving(guarded=False, grows=grows) as suite:
            page = await browser.new_page(viewport={"width": 1920, "height": 1350})
            await page.goto(suite.address)
            await asyncio.wait_for(suite.shown, 20)
            box = await page.locator("canvas").bounding_box()
            assert box is not None
            assert (box["width"], box["height"]) == pytest.approx((1280 * times, 900 * times), abs=1)
            x, y = suite.session.targets()["game:maze"]
            await page.mouse.click(box["x"] + x * times, box["y"] + y * times)
            for _ in range(500):
                if suite.session.view.screen != "home":
                    break
                await asyncio.sleep(0.01)
            assert (suite.session.view.screen, suite.session.view.game) == ("tiers", "maze")
            await page.close()
    await browser.close()
    await playwright.stop()
    folder.cleanup()
