"""The suite in a real browser: the same pixels and states as without one, only announced input, and no way to hang."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import signal
import time
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any

import levels
import numpy as np
import pytest

from lpb_gen.games.base import Pointer
from lpb_gen.runners import actions, browser, finding
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.agents.base import Answer
from lpb_gen.runners.browser import BrowserSurface
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.failures import TechnicalFailure
from lpb_gen.runners.finding import NoBrowser
from lpb_gen.runners.session import Session
from lpb_gen.runners.suite.server import HEADER

pytestmark = pytest.mark.browser
WANTED = os.environ.get("LPB_BROWSER")
UP = Pointer("key", key="ArrowUp")


@pytest.fixture
def surface() -> Iterator[BrowserSurface]:
    surface = BrowserSurface(Session(levels.objectives()), browser=WANTED)
    surface.start()
    yield surface
    surface.close()


def inside(surface: BrowserSurface, work: Awaitable[Any], seconds: float = 20) -> Any:
    """Does something in the surface's own thread, behind its back."""

    async def do() -> Any:
        return await work

    assert surface._loop is not None
    return asyncio.run_coroutine_threadsafe(do(), surface._loop).result(seconds)


def page_of(surface: BrowserSurface) -> Any:
    assert surface._running is not None
    return surface._running.page


def pid_of(surface: BrowserSurface) -> int:
    assert surface._running is not None
    assert surface._running.found is not None
    return surface._running.found.pid


def rejected(surface: BrowserSurface, count: int = 1) -> tuple[str, ...]:
    """What was rejected, once it was so many inputs."""
    lines: tuple[str, ...] = ()
    for _ in range(500):
        lines += surface.rejected()
        if len(lines) >= count:
            return lines
        time.sleep(0.01)
    raise AssertionError(f"rejected: {lines}")


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def has_ended(pid: int, seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


def open_level(surface: BrowserSurface, tier: str = "hard") -> None:
    for target in ("game:maze", f"tier:{tier}"):
        x, y = (round(v) for v in surface.session.targets()[target])
        surface.dispatch(actions.events(actions.Click(x, y)))
    assert surface.session.view.ready


# --- the same on both surfaces ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["oracle", "random"])
@pytest.mark.parametrize("tier", ["easy", "hard"])
def test_a_run_gives_the_same_pixels_and_states_on_both_surfaces(
    agent: str, tier: str, surface: BrowserSurface
) -> None:
    direct = DirectSurface(Session(levels.objectives()))
    player = AGENTS[agent]("maze", tier, 11)
    for step in range(40):
        assert np.array_equal(surface.pixels(), direct.pixels()), f"step {step}"
        assert surface.session.state_hash() == direct.session.state_hash()
        if surface.session.view.screen == "complete":
            break
        action = player.act_knowing("", direct.session)
        assert not isinstance(action, Answer | actions.Batch)
        for event in actions.events(action):
            assert surface.dispatch((event,)) == direct.dispatch((event,))
            assert surface.session.state_hash() == direct.session.state_hash()
    assert (agent == "random") or surface.session.view.screen == "complete"
    assert surface.session.log == direct.session.log
    assert surface.rejected() == ()


def test_screenshots_are_the_same_bytes_in_every_fresh_browser(surface: BrowserSurface) -> None:
    other = BrowserSurface(Session(levels.objectives()), browser=WANTED)
    try:
        other.start()
        for each in (surface, other):
            open_level(each)
        assert surface.screenshot() == other.screenshot()
    finally:
        other.close()


def test_every_key_of_the_vocabulary_arrives(surface: BrowserSurface) -> None:
    open_level(surface)
    for key in sorted(actions.KEYS):
        surface.dispatch((Pointer("key", key=key),))
    assert surface.rejected() == ()
    ignored = {note.data["key"] for note in surface.session.log if note.kind == "ignored"}
    assert ignored >= {"Enter", "Escape", "Backspace", " ", "q", "Q"}
    assert any(note.kind == "move" for note in surface.session.log)


def test_every_corner_of_the_screen_arrives_where_it_is(surface: BrowserSurface) -> None:
    for x, y in ((0, 0), (1279, 0), (0, 899), (1279, 899)):
        surface.dispatch((Pointer("down", x, y), Pointer("move", 640, 450), Pointer("up", x, y)))
    assert [(n.data["x"], n.data["y"]) for n in surface.session.log] == [(0, 0), (1279, 0), (0, 899), (1279, 899)]


def test_it_says_which_browser_it_is(surface: BrowserSurface) -> None:
    described = surface.describe()
    assert described["name"] == "browser"
    assert described["browser_version"].split(".")[0].isdigit()
    assert described["browser"] in ("Chrome", "HeadlessChrome", "Chromium")


# --- only the runner's input ------------------------------------------------------------------------------------------


def test_an_extra_key_from_the_debugger_is_rejected(surface: BrowserSurface) -> None:
    """A real, trusted key event: it is the announcement that it lacks."""
    open_level(surface)
    before = surface.session.state_hash()
    inside(surface, page_of(surface).keyboard.press("ArrowUp"))
    assert rejected(surface) == ("a key 'ArrowUp' that nobody announced",)
    inside(surface, page_of(surface).mouse.click(800, 400))
    assert [line.partition(" at")[0] for line in rejected(surface, 2)] == ["a down", "a up"]
    assert surface.session.state_hash() == before


def test_a_synthetic_event_of_the_pages_world_is_rejected(surface: BrowserSurface) -> None:
    open_level(surface)
    before = surface.session.state_hash()
    for script in (
        "window.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true}))",
        "document.querySelector('canvas').dispatchEvent(new PointerEvent('pointerdown', "
        "{clientX: 800, clientY: 400, isPrimary: true, bubbles: true}))",
    ):
        inside(surface, page_of(surface).evaluate(script))
        assert rejected(surface)[0].startswith("a synthetic ")
    assert surface.session.state_hash() == before


def test_a_forged_message_from_the_pages_world_is_rejected(surface: BrowserSurface) -> None:
    open_level(surface)
    before = surface.session.state_hash()
    forge = """address => new Promise(resolve => {
        const socket = new WebSocket(address);
        socket.onopen = () => socket.send('["key","ArrowUp"]');
        socket.onclose = event => resolve(event.code);
    })"""
    address = surface._running.suite.origin.replace("http", "ws") + "/guess/socket"  # type: ignore[union-attr]
    inside(surface, page_of(surface).evaluate(forge, address))
    assert rejected(surface) == ("a connection without the token or from another origin",)
    assert surface.session.state_hash() == before
    surface.dispatch((Pointer("key", key="ArrowDown"),))  # and the game goes on
    assert surface.session.log[-1].kind in ("move", "ignored", "invalid")


def test_the_pages_world_knows_neither_the_token_nor_the_client(surface: BrowserSurface) -> None:
    token = surface._running.suite._token  # type: ignore[union-attr]
    look = "() => [document.documentElement.outerHTML, location.href, JSON.stringify(performance.getEntries())].join()"
    assert token not in inside(surface, page_of(surface).evaluate(look))
    traces = "() => Object.keys(window).filter(name => /lpb|suite|forward|announce/i.test(name))"
    assert inside(surface, page_of(surface).evaluate(traces)) == []


def test_the_page_loads_nothing_from_elsewhere(surface: BrowserSurface) -> None:
    fetch = "() => fetch('https://example.org/').then(() => 'loaded', () => 'blocked')"
    assert inside(surface, page_of(surface).evaluate(fetch)) == "blocked"


def test_the_browser_receives_frames_and_no_level(surface: BrowserSurface) -> None:
    """What crosses the wire, seen by the browser's own network log, while a level is played to its end."""
    frames: list[dict[str, Any]] = []
    cdp = surface._running.cdp  # type: ignore[union-attr]
    cdp.on("Network.webSocketFrameReceived", lambda event: frames.append(event["response"]))  # type: ignore[union-attr]
    inside(surface, cdp.send("Network.enable"))  # type: ignore[union-attr]
    player = AGENTS["oracle"]("maze", "easy", 0)
    while not surface.session.view.won["maze", "easy"]:
        surface.dispatch(actions.events(player.act_knowing("", surface.session)))  # type: ignore[arg-type]
    assert len(frames) >= 10
    for number, frame in enumerate(frames, 2):
        assert frame["opcode"] == 2
        data = base64.b64decode(frame["payloadData"])
        count, x, y, *size = HEADER.unpack(data[: HEADER.size])
        assert (count, size) == (number, [1280, 900])
        assert x < 1280
        assert y < 900
        patch = data[HEADER.size :]
        assert patch == b"" or patch.startswith(b"\x89PNG")
        assert not any(word in data for word in (b"tEXt", b"iTXt", b"zTXt", b"eXIf", b"rows", b"maze"))


# --- nothing hangs, nothing stays behind ------------------------------------------------------------------------------


def test_closing_ends_the_browser(surface: BrowserSurface) -> None:
    pid = pid_of(surface)
    assert is_running(pid)
    surface.close()
    assert has_ended(pid)
    surface.close()
    with pytest.raises(TechnicalFailure, match="not running"):
        surface.dispatch((UP,))


def test_a_crashed_page_is_a_browser_failure(surface: BrowserSurface) -> None:
    pid = pid_of(surface)
    begun = time.monotonic()
    with pytest.raises(Exception, match=r"crash|abort|closed|ERR"):
        inside(surface, page_of(surface).goto("chrome://crash", timeout=5000))
    with pytest.raises(TechnicalFailure) as caught:
        surface.dispatch((UP,))
    assert caught.value.kind == "browser"
    surface.close()
    assert has_ended(pid)
    assert time.monotonic() - begun < 30


def test_a_killed_browser_is_a_browser_failure(surface: BrowserSurface) -> None:
    pid = pid_of(surface)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(TechnicalFailure) as caught:
        surface.dispatch((UP,) * 50)
    assert caught.value.kind == "browser"
    with pytest.raises(TechnicalFailure):
        surface.screenshot()
    surface.close()
    assert has_ended(pid)


def gpu_process_of(pid: int) -> int:
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            group = int((path / "stat").read_text().rpartition(")")[2].split()[2])
            if group == pid and b"--type=gpu-process" in (path / "cmdline").read_bytes():
                return int(path.name)
    raise AssertionError("no GPU process")


def test_a_page_that_loses_its_picture_is_a_browser_failure(surface: BrowserSurface) -> None:
    """With its GPU process a canvas loses what it shows; nobody is graded for what he could not see."""
    open_level(surface)
    seen = surface.pixels()
    os.kill(gpu_process_of(pid_of(surface)), signal.SIGKILL)

    def watch() -> None:
        for _ in range(200):
            assert np.array_equal(surface.pixels(), seen)
            time.sleep(0.02)

    with pytest.raises(TechnicalFailure) as caught:
        watch()
    assert caught.value.kind == "browser"


def test_a_reloaded_page_is_a_browser_failure(surface: BrowserSurface) -> None:
    """The token works once: a page that has been replaced gets no second connection."""
    inside(surface, page_of(surface).reload())
    with pytest.raises(TechnicalFailure, match="the page has gone") as caught:
        surface.dispatch((UP,))
    assert caught.value.kind == "browser"


def test_a_cut_socket_is_a_browser_failure(surface: BrowserSurface) -> None:
    async def cut() -> None:
        assert surface._running is not None
        assert surface._running.suite is not None
        connection = surface._running.suite._connection
        assert connection is not None
        connection.transport.abort()

    inside(surface, cut())
    with pytest.raises(TechnicalFailure, match="the page has gone") as caught:
        surface.dispatch((UP,) * 3)
    assert caught.value.kind == "browser"


def test_a_hanging_page_is_a_browser_failure() -> None:
    surface = BrowserSurface(Session(levels.objectives()), browser=WANTED, step_seconds=2)
    try:
        surface.start()
        pid = pid_of(surface)
        block = "() => { setTimeout(() => { for (;;); }, 0); }"
        inside(surface, page_of(surface).evaluate(block))
        with pytest.raises(TechnicalFailure, match="gave no answer for 2 seconds") as caught:
            surface.dispatch((UP,))
        assert caught.value.kind == "browser"
    finally:
        surface.close()
    assert has_ended(pid)


def test_a_frozen_browser_is_ended_by_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "CLOSE_SECONDS", 1.0)
    surface = BrowserSurface(Session(levels.objectives()), browser=WANTED, step_seconds=1)
    try:
        surface.start()
        pid = pid_of(surface)
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(TechnicalFailure, match="gave no answer"):
            surface.dispatch((UP,))
    finally:
        surface.close()
    assert has_ended(pid)


# --- finding one ------------------------------------------------------------------------------------------------------


def started(wanted: str | None) -> BrowserSurface:
    surface = BrowserSurface(Session(levels.objectives()), browser=wanted)
    try:
        surface.start()
    finally:
        surface.close()
    return surface


def test_without_a_browser_one_line_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(finding, "CHANNELS", ())
    monkeypatch.setattr(finding, "ON_PATH", ())
    with pytest.raises(NoBrowser) as caught:
        started(None)
    message = str(caught.value)
    assert "no browser found" in message
    assert "playwright install chromium" in message
    assert "apt-get install chromium" in message
    assert "\n" not in message
    assert caught.value.kind == "configuration"


def test_a_browser_that_is_not_there_is_one_line() -> None:
    with pytest.raises(NoBrowser, match="there is no browser at /nowhere/chromium"):
        started("/nowhere/chromium")


def test_a_browser_that_does_not_start_is_one_line() -> None:
    with pytest.raises(NoBrowser, match="does not start") as caught:
        started("/bin/false")
    assert "\n" not in str(caught.value)


def test_browsers_are_looked_for_in_order(tmp_path: Path) -> None:
    for name in ("google-chrome", "chromium"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert [how for how, _ in finding.candidates(None, str(tmp_path))] == [
        *("playwright", "channel chrome", "channel msedge", "chromium on the path", "google-chrome on the path")
    ]
    assert list(finding.candidates("chromium", str(tmp_path))) == [
        ("LPB_BROWSER", {"executable_path": str(tmp_path / "chromium")})
    ]
    assert list(finding.candidates("msedge")) == [("channel msedge", {"channel": "msedge"})]
