"""Finding a browser and starting it: LPB_BROWSER, Playwright's own, Chrome, Edge, then a Chromium on the path.

``python -m lpb_gen.runners.finding`` tries it and says which one would be used.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .failures import TechnicalFailure
from .scratch import used_by_new_programs

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

CHANNELS = ("chrome", "msedge")
ON_PATH = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser")
FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # it has no business anywhere else
)
HOW_TO_GET_ONE = (
    "get one with 'playwright install chromium' or, on Debian and Ubuntu, 'apt-get install chromium', "
    "or name yours in LPB_BROWSER"
)


class NoBrowser(TechnicalFailure):
    """No browser was found, or none that starts."""


@dataclass(frozen=True, slots=True)
class BrowserFound:
    """A started browser. ``how``: where it was found; ``pid``: of its main process, 0 where unknown."""

    browser: Browser
    product: str
    version: str
    how: str
    pid: int


def candidates(wanted: str | None, search_path: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """(how it is found, launch options), the first choice first. ``wanted``: a path or a channel, and no other choice;
    ``search_path``: as PATH."""
    if wanted:
        if wanted in CHANNELS:
            yield f"channel {wanted}", {"channel": wanted}
        else:
            yield "LPB_BROWSER", {"executable_path": shutil.which(wanted, path=search_path) or wanted}
        return
    yield "playwright", {}
    for channel in CHANNELS:
        yield f"channel {channel}", {"channel": channel}
    for name in ON_PATH:
        if path := shutil.which(name, path=search_path):
            yield f"{name} on the path", {"executable_path": path}


async def start_driver(folder: Path) -> Playwright:
    """Playwright's driver, a program of its own that talks to browsers. ``folder``: for its temporary files and the
    browser's, of which not all are removed. Raises TechnicalFailure."""
    from playwright.async_api import async_playwright

    try:
        with used_by_new_programs(folder):
            return await async_playwright().start()
    except Exception as error:  # the driver went away before it said anything; the reason is on standard error
        raise TechnicalFailure(
            "configuration",
            f"Playwright's driver does not start ({_reason(str(error))})",
            fix="on Debian and Ubuntu 'apt-get install libatomic1' may be what it lacks",
        ) from error


async def launch(playwright: Playwright, wanted: str | None = None, search_path: str | None = None) -> BrowserFound:
    """Starts the first browser that there is. Raises NoBrowser."""
    from playwright.async_api import Error

    args = [*FLAGS, "--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else list(FLAGS)
    broken = ""
    for how, options in candidates(wanted, search_path):
        path = options.get("executable_path")
        if path is not None and not Path(path).is_file():
            raise NoBrowser("configuration", f"there is no browser at {path}", where=how, fix=HOW_TO_GET_ONE)
        try:
            # our own process ends it: the driver must not, when Ctrl-C reaches both
            browser = await playwright.chromium.launch(args=args, handle_sigint=False, timeout=30_000, **options)
        except Error as error:
            if not _is_missing(str(error)):
                broken = broken or f"{how}: {_reason(str(error))}"
            continue
        cdp = await browser.new_browser_cdp_session()
        product = (await cdp.send("Browser.getVersion"))["product"].partition("/")[0]
        return BrowserFound(browser, product, browser.version, how, await _main_process(cdp))
    if broken:
        raise NoBrowser("configuration", f"the browser does not start ({broken})", fix=HOW_TO_GET_ONE)
    raise NoBrowser("configuration", "no browser found", fix=HOW_TO_GET_ONE)


async def _main_process(cdp: Any) -> int:
    """The id of the browser's main process, so that it can be ended even when its driver hangs."""
    with contextlib.suppress(Exception):  # a browser that keeps it to itself is closed through its driver
        for process in (await cdp.send("SystemInfo.getProcessInfo"))["processInfo"]:
            if process["type"] == "browser":
                return int(process["id"])
    return 0


def end_process(pid: int) -> None:
    """Ends the browser that ``launch`` started, if it is still there: it leads a process group of its own."""
    if pid <= 0 or sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)


def _is_missing(message: str) -> bool:
    return "Executable doesn't exist" in message or "is not found at" in message


def _reason(message: str) -> str:
    """The telling line of a driver's long message."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    telling = (line for line in lines if "rror" in line and "launch" not in line)
    return next(telling, lines[0] if lines else "no reason")[:200]


async def _check() -> str:
    with tempfile.TemporaryDirectory(prefix="lpb-gen-", ignore_cleanup_errors=True) as folder:
        driver = await start_driver(Path(folder))
        try:
            found = await launch(driver, os.environ.get("LPB_BROWSER"), os.environ.get("PATH"))
            await found.browser.close()
        finally:
            await driver.stop()
    return f"{found.product} {found.version} ({found.how})"


if __name__ == "__main__":
    import asyncio

    try:
        print(asyncio.run(_check()))
    except TechnicalFailure as failure:
        sys.exit(f"lpb-gen: {failure}")
