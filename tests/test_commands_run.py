"""``lpb-gen run`` and ``lpb-gen play`` as a user types them."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import levels
import pytest

from lpb_gen.games.base import Pointer
from lpb_gen.runners.agents import AGENTS, names
from lpb_gen.runners.commands_run import run as run_command
from lpb_gen.runners.metrics import score_events
from lpb_gen.runners.record import read_events
from lpb_gen.runners.session import Session

Command = Callable[..., subprocess.CompletedProcess[str]]
browser = pytest.mark.browser


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    return levels.write_catalogue(tmp_path / "levels-of-mine", levels.objectives())


@pytest.fixture
def run(lpb_gen: Command, catalogue: Path) -> Command:
    def run(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        return lpb_gen("run", "--snapshot", catalogue.name, "--game", "maze", *words, **options)

    return run


class Started:
    """The command in the background, in a process group as a shell gives it, with a mark to find its children by."""

    def __init__(self, *words: str, cwd: Path) -> None:
        self.mark = f"LPB_TEST_MARK={uuid.uuid4().hex}"
        name, _, value = self.mark.partition("=")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lpb_gen.pipeline.cli", *words],
            cwd=cwd,
            env=os.environ | {name: value},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def press_ctrl_c(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err

    def alive(self) -> list[int]:
        """Every process that still carries the mark."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    if self.mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                        found.append(int(folder.name))
                except OSError:
                    continue
        return found

    def leaves_nothing_behind(self) -> bool:
        return soon(lambda: not self.alive())

    def browsers(self) -> list[int]:
        """The main processes of browsers that it started."""
        found = []
        for pid in self.alive():
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            options = {word.partition(b"=")[0] for word in words}
            if b"--user-data-dir" in options and b"--type" not in options:
                found.append(pid)
        return found


def soon(condition: Callable[[], Any], seconds: float = 30) -> Any:
    """What the condition says, once that is true."""
    deadline = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return value


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    begun: list[Started] = []

    def start(*words: str) -> Started:
        begun.append(Started(*words, cwd=tmp_path))
        return begun[-1]

    yield start
    for started in begun:
        if started.process.poll() is None:
            started.process.kill()
            started.process.communicate()


def only_run(folder: Path) -> Path:
    [run] = (folder / "runs").iterdir()
    return run


# --- run --------------------------------------------------------------------------------------------------------------


def test_the_help_names_every_agent() -> None:
    told = run_command.help or ""
    assert [name for name in [*AGENTS, *names()] if name.partition(":")[0].replace("file.py", "") not in told] == []


def test_the_oracle_gets_a_table_and_a_record(run: Command, tmp_path: Path) -> None:
    done = run("--tier", "easy", "--agent", "oracle", "--surface", "direct")
    assert done.returncode == 0, done.stderr
    assert "maze easy · oracle · direct" in done.stdout
    assert "OSR 100.0  LC 100.0  FGP 100.0  solved every level" in done.stdout
    folder = only_run(tmp_path)
    assert sorted(p.name for p in folder.iterdir()) == ["events.jsonl", "manifest.json", "result.json", "screenshots"]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["run_id"] == folder.name
    assert manifest["snapshot"]["reference"] == "levels-of-mine"
    assert len(manifest["snapshot"]["digest"]) == 64
    assert manifest["agent"] == {"name": "oracle", "spec": "oracle", "options": {}}
    assert (manifest["attempt"], len(manifest["episode_key"]), manifest["settings"]["setting"]) == (1, 32, "native")
    assert manifest["protocol_version"] == 1
    assert {"lpb_gen", "python", "skia-python", "playwright"} <= set(manifest["toolchain"])
    result = json.loads((folder / "result.json").read_text())
    assert result == score_events(read_events(folder / "events.jsonl"))
    assert str(tmp_path) not in (folder / "manifest.json").read_text()


def test_a_bad_grade_is_no_failure(run: Command) -> None:
    done = run("--tier", "hard", "--agent", "greedy", "--surface", "direct", "--json")
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert (result["scored"], result["metrics"]["OSR"]) == (True, 0.0)


def test_several_tiers_are_several_runs(run: Command, tmp_path: Path) -> None:
    words = ("--tier", "easy", "--tier", "hard", "--agent", "oracle", "--surface", "direct", "--json")
    done = run(*words, "--screenshots", "none", "--out", "elsewhere")
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result["objective"]["tier"] for result in results] == ["easy", "hard"]
    assert [result["metrics"]["OSR"] for result in results] == [100.0, 100.0]
    folders = sorted((tmp_path / "elsewhere").iterdir())
    assert [str(folder) for folder in folders] == [str(tmp_path / result["record"]) for result in results]
    assert not any(list((folder / "screenshots").iterdir()) for folder in folders)


def test_the_budget_ends_a_run(run: Command) -> None:
    done = run("--tier", "hard", "--agent", "random", "--surface", "direct", "--budget", "1", "--json")
    assert (done.returncode, json.loads(done.stdout)["outcome"]) == (0, "timeout")


def test_the_labels_can_be_chinese(run: Command, tmp_path: Path) -> None:
    done = run("--tier", "easy", "--agent", "oracle", "--surface", "direct", "--lang", "zh")
    assert done.returncode == 0, done.stderr
    start = next(read_events(only_run(tmp_path) / "events.jsonl"))["data"]
    assert start["lang"] == "zh"
    assert start["instruction"].startswith("Complete all levels of Maze Paint at easy difficulty")


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (("--tier", "impossible", "--agent", "oracle"), 1, "maze has no tier 'impossible'; use easy, hard"),
        (
            ("--tier", "easy", "--agent", "genius"),
            1,
            "genius: there is no such agent; use one of oracle, random, greedy",
        ),
        (("--tier", "easy", "--agent", "oracle", "--agent-option", "n=1"), 1, "oracle: it takes no options"),
        (("--tier", "easy", "--agent", "oracle", "--agent-option", "n"), 2, "'n' is not KEY=VALUE"),
        (("--tier", "easy", "--agent", "x:Y", "--agent-option=n=1", "--agent-option=n=2"), 1, "n is given twice"),
        (("--tier", "easy", "--agent", "oracle", "--setting", "code"), 1, "it plays in the native setting only"),
        (("--tier", "easy", "--agent", "human", "--parallel", "2"), 2, "a person plays one episode at a time"),
        (("--tier", "easy", "--all", "--agent", "oracle"), 2, "--all and --tier exclude one another"),
        (("--tier", "easy", "--agent", "oracle", "--budget", "0"), 2, "0.0 is not in the range"),
        (("--tier", "easy", "--agent", "oracle", "--budget", "nan"), 2, "not a number"),
        (("--tier", "easy", "--agent", "oracle", "--budget", "inf"), 2, "is not in the range"),
        (("--tier", "easy", "--agent", "oracle", "--seed", "-1"), 2, "-1 is not in the range x>=0"),
        (("--tier", "easy", "--agent", "oracle", "--browser", "/nowhere"), 1, "there is no browser at /nowhere"),
        (("--agent", "oracle"), 2, "name what to play: --game and --tier, or --all"),
    ],
)
def test_a_wrong_request_is_one_line_and_leaves_no_record(
    words: tuple[str, ...], code: int, line: str, run: Command, tmp_path: Path
) -> None:
    done = run(*words)
    assert done.returncode == code
    assert line in done.stderr
    assert "Traceback" not in done.stderr
    assert code == 2 or done.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_an_unknown_game_is_one_line(lpb_gen: Command, catalogue: Path) -> None:
    done = lpb_gen("run", "--snapshot", catalogue.name, "--game", "chess", "--tier", "easy", "--agent", "oracle")
    assert (done.returncode, "chess" in done.stderr, done.stderr.count("\n")) == (1, True, 1)


def test_no_catalogue_is_one_line(lpb_gen: Command) -> None:
    for words in (("run", "--game", "maze", "--tier", "easy", "--agent", "oracle"), ("play",)):
        done = lpb_gen(*words)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert "there is no snapshot here" in done.stderr


def test_no_browser_at_all_is_one_line(run: Command, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "git").symlink_to(shutil.which("git") or "")
    hidden = os.environ | {"PATH": str(empty), "PLAYWRIGHT_BROWSERS_PATH": str(empty), "LPB_BROWSER": ""}
    done = run("--tier", "easy", "--agent", "oracle", env=hidden)
    if done.returncode == 0:
        pytest.skip("Chrome or Edge is installed where nothing can hide it")
    assert done.returncode == 1
    assert "no browser found; get one with 'playwright install chromium'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_record_that_cannot_be_written_is_one_line(run: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = run("--tier", "easy", "--agent", "oracle", "--surface", "direct", "--out", "file/runs")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "could not be written" in done.stderr


@pytest.mark.parametrize("limit", [0, 6_000, 40_000], ids=["at once", "in the middle", "at a picture"])
def test_a_full_disk_leaves_no_grade_and_says_so(limit: int, run: Command, tmp_path: Path) -> None:
    """The system refuses to let a file grow beyond the limit, as it does on a full disk."""

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    keep = "changes" if limit > 10_000 else "none"
    words = ("--tier", "hard", "--agent", "oracle", "--surface", "direct", "--screenshots", keep)
    done = run(*words, preexec_fn=fill)
    assert done.returncode == 1
    assert "could not be written (File too large)" in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr
    assert "OSR" not in done.stdout
    assert list(tmp_path.glob("runs/*/.*")) == []  # no half-written file


@pytest.mark.parametrize("how", ["Ctrl-C", "SIGTERM"])
def test_what_ends_a_run_is_written_down(how: str, start: Any, catalogue: Path, tmp_path: Path) -> None:
    words = ("--game", "maze", "--tier", "hard", "--agent", "random", "--surface", "direct", "--screenshots", "none")
    started = start("run", "--snapshot", catalogue.name, *words)
    assert soon(lambda: any(path.stat().st_size for path in tmp_path.glob("runs/*/events.jsonl")))
    time.sleep(0.5)
    if how == "Ctrl-C":
        started.press_ctrl_c()
    else:  # as batch systems send it: to the command alone
        started.process.terminate()
    code, _, err = started.end()
    assert code == 130
    assert err.splitlines()[-1].startswith("lpb-gen: interrupted")
    last = list(read_events(only_run(tmp_path) / "events.jsonl"))[-1]
    assert (last["type"], last["data"]["failure"]["kind"]) == ("episode_end", "external")


# --- run in a browser -------------------------------------------------------------------------------------------------


@browser
def test_the_oracle_solves_everything_in_a_browser(run: Command, tmp_path: Path) -> None:
    done = run("--tier", "hard", "--agent", "oracle", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["metrics"] == {"OSR": 100.0, "LC": 100.0, "FGP": 100.0}
    assert result["surface"]["browser_version"]
    assert result["rejected_inputs"] == 0
    pictures = {path.name for path in (tmp_path / result["record"] / "screenshots").iterdir()}
    events = read_events(tmp_path / result["record"] / "events.jsonl")
    assert {e["data"]["screenshot"] for e in events if e["type"] == "observation"} == pictures


RANDOM_IN_BROWSER = ("--game", "maze", "--tier", "hard", "--agent", "random", "--attempts", "1")


def playing(started: Started, folder: Path) -> bool:
    """Whether its episode is under way."""
    return bool(soon(lambda: any(b'"type":"action"' in p.read_bytes() for p in folder.glob("runs/*/events.jsonl"))))


@browser
def test_ctrl_c_ends_the_browser_too(start: Any, catalogue: Path, tmp_path: Path) -> None:
    started = start("run", "--snapshot", catalogue.name, *RANDOM_IN_BROWSER)
    assert playing(started, tmp_path)
    assert len(started.browsers()) == 1
    started.press_ctrl_c()
    code, _, err = started.end()
    assert (code, err.count("Traceback")) == (130, 0)
    assert err.splitlines()[-1].startswith("lpb-gen: interrupted")
    assert started.leaves_nothing_behind()
    assert json.loads((only_run(tmp_path) / "result.json").read_text())["scored"] is False


@browser
def test_ctrl_c_while_the_browser_starts_leaves_nothing(start: Any, catalogue: Path, tmp_path: Path) -> None:
    started = start("run", "--snapshot", catalogue.name, *RANDOM_IN_BROWSER)
    assert soon(lambda: started.browsers())
    started.press_ctrl_c()
    code, _, err = started.end()
    assert (code, err.count("Traceback")) == (130, 0)
    assert started.leaves_nothing_behind()


@browser
def test_a_killed_browser_ends_the_run_without_a_grade(start: Any, catalogue: Path, tmp_path: Path) -> None:
    started = start("run", "--snapshot", catalogue.name, *RANDOM_IN_BROWSER)
    assert playing(started, tmp_path)
    [pid] = started.browsers()
    os.kill(pid, signal.SIGKILL)
    code, out, err = started.end()
    assert (code, "Traceback" in err) == (1, False)
    assert "technical failure, no grade" in out
    result = json.loads((only_run(tmp_path) / "result.json").read_text())
    assert (result["scored"], result["failure"]["kind"]) == (False, "browser")
    assert started.leaves_nothing_behind()


@browser
def test_a_killed_run_leaves_no_browser(start: Any, catalogue: Path, tmp_path: Path) -> None:
    started = start("run", "--snapshot", catalogue.name, *RANDOM_IN_BROWSER)
    assert playing(started, tmp_path)
    started.process.kill()
    started.end()
    assert started.leaves_nothing_behind()
    record = only_run(tmp_path)
    assert not (record / "result.json").exists()
    assert score_events(read_events(record / "events.jsonl"))["failure"]["kind"] == "logging"


# --- play -------------------------------------------------------------------------------------------------------------


def address_of(started: Started) -> str:
    assert started.process.stdout is not None
    line = started.process.stdout.readline()
    assert line.startswith("5 levels at http://127.0.0.1:"), line
    return line.split()[-1]


def test_play_prints_its_address_and_ends_at_ctrl_c(start: Any, catalogue: Path) -> None:
    started = start("play", "--snapshot", catalogue.name, "--port", "0")
    assert address_of(started).endswith("/")
    started.press_ctrl_c()
    code, _, err = started.end()
    assert (code, err) == (0, "stopped\n")


def test_play_says_when_its_port_is_taken(start: Any, catalogue: Path, lpb_gen: Command) -> None:
    port = address_of(start("play", "--snapshot", catalogue.name, "--port", "0")).split(":")[2].split("/")[0]
    done = lpb_gen("play", "--snapshot", catalogue.name, "--port", port)
    assert done.returncode == 1
    assert done.stderr == f"lpb-gen: 127.0.0.1: port {port} is not free; choose another with --port\n"


@browser
def test_a_person_plays_reloads_and_gets_one_window(start: Any, catalogue: Path) -> None:
    started = start("play", "--snapshot", catalogue.name, "--port", "0")
    asyncio.run(asyncio.wait_for(a_visit(address_of(started)), 90))
    started.press_ctrl_c()
    assert started.end()[0] == 0


async def a_visit(address: str) -> None:
    from playwright.async_api import async_playwright

    from lpb_gen.runners.finding import launch

    async with async_playwright() as playwright:
        found = await launch(playwright, os.environ.get("LPB_BROWSER"))
        try:
            context = await found.browser.new_context(viewport={"width": 1280, "height": 900})
            page = await context.new_page()
            errors: list[str] = []
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda message: errors.append(message.text))
            await page.goto(address)
            home = await settled(page, None)
            session = Session(levels.objectives())
            x, y = session.targets()["game:maze"]
            await page.mouse.click(x, y)
            menu = await settled(page, home)
            await page.reload()
            assert await settled(page, home) == menu  # where the person was

            second = await context.new_page()
            await second.goto(address)
            await second.wait_for_url("**/busy")
            assert "already open in another window" in await second.inner_text("body")
            await second.close()

            await page.set_viewport_size({"width": 640, "height": 450})
            box = await page.locator("canvas").bounding_box()
            assert (round(box["width"]), round(box["height"])) == (640, 450)
            small = await page.screenshot()
            for kind in ("down", "up"):
                session.event(Pointer(kind, x, y))
            x, y = session.targets()["tier:easy"]
            await page.mouse.click(x / 2, y / 2)
            await settled(page, small)
            assert [e for e in errors if "409" not in e] == []
        finally:
            await found.browser.close()


async def settled(page: Any, before: bytes | None) -> bytes:
    """The page's picture, once it is other than ``before`` and stays the same."""
    last = b""
    for _ in range(200):
        await asyncio.sleep(0.1)
        picture = await page.screenshot()
        painted = await page.evaluate("() => document.querySelector('canvas').width === 1280")
        if painted and picture == last != before:
            return last
        last = picture
    raise AssertionError("the page shows nothing new")
