"""A person's episode, with a program in the place of the browser: the same record as an agent's, the same grades."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import levels
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from lpb_gen.games.base import Pointer
from lpb_gen.runners.episode import Terms
from lpb_gen.runners.metrics import score_events
from lpb_gen.runners.person import Human, PersonEpisode, PersonSurface
from lpb_gen.runners.played import read_run
from lpb_gen.runners.record import Record, read_events
from lpb_gen.runners.reproduce.events import check_events
from lpb_gen.runners.reproduce.stored import read_stored
from lpb_gen.runners.session import Session
from lpb_gen.runners.suite.server import HEADER, PortTaken
from lpb_gen.runners.view import Objective

EASY, HARD = levels.objectives()
ONE = Objective("maze", "easy", EASY.levels[:1])
NAMES = {"U": "ArrowUp", "D": "ArrowDown", "L": "ArrowLeft", "R": "ArrowRight"}
Person = Callable[["Browser"], None]


class Browser:
    """What a person has: one connection, and a session of its own to know where things are."""

    def __init__(self, address: str, objectives: list[Objective]) -> None:
        self.address = address
        self.context = connect(address.replace("http", "ws", 1) + "socket", proxy=None, compression=None)
        self.connection: ClientConnection = self.context.__enter__()
        self.session = Session(objectives)
        self.wait()

    def wait(self) -> None:
        number = HEADER.unpack(self.connection.recv(10)[: HEADER.size])[0]
        self.connection.send(json.dumps(["ack", number]))

    def press(self, key: str) -> None:
        self.connection.send(json.dumps(["key", key]))
        self.session.event(Pointer("key", key=key))
        self.wait()

    def point(self, kind: Any, x: float, y: float) -> None:
        self.connection.send(json.dumps([kind, x, y]))
        self.session.event(Pointer(kind, x, y))
        self.wait()

    def click(self, target: str) -> None:
        x, y = self.session.targets()[target]
        self.point("down", x, y)
        self.point("up", x, y)


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    record = Record(tmp_path / "run", {}, now=lambda: datetime(2026, 12, 1, tzinfo=UTC))
    yield record
    record.close()


def play(person: Person, record: Record, objective: Objective = ONE, budget: float = 60.0) -> dict[str, Any]:
    """A person at one objective; the browser comes half a second after the suite."""
    threads: list[threading.Thread] = []

    def come(address: str) -> None:
        def visit() -> None:
            time.sleep(0.5)
            browser = Browser(address, [objective])
            try:
                person(browser)
                for _ in browser.connection:
                    pass
            except ConnectionClosed:
                pass

        threads.append(threading.Thread(target=visit))
        threads[-1].start()

    surface = PersonSurface(Session([objective]), port=0, lang="en", announce=come)
    try:
        surface.start()
        episode = PersonEpisode(
            surface, Human(), Terms(objective=objective, budget=budget), record, clock=time.monotonic, sleep=time.sleep
        )
        return episode.play()
    finally:
        surface.close()
        for thread in threads:
            thread.join(10)


def solve(browser: Browser) -> None:
    browser.click("game:maze")
    browser.click("tier:easy")
    for move in ONE.levels[0].certificate.solution:
        browser.press(NAMES[move])


def kinds(record: Record) -> list[str]:
    return [event["type"] for event in read_events(record.folder / "events.jsonl")]


def test_a_person_who_wins_is_graded_like_an_agent(record: Record) -> None:
    result = play(solve, record)
    assert (result["outcome"], result["metrics"]["OSR"], result["agent"]["kind"]) == ("solved", 100.0, "human")
    assert result["surface"] == {"name": "person"}
    assert (result["steps"], result["inputs"], result["levels"][0]["winning_moves"]) == (5, 7, 3)
    assert result == score_events(read_events(record.folder / "events.jsonl"))
    click = ["decision", "snapshot", "snapshot", "action", "observation"]
    key = ["decision", "snapshot", "action", "observation"]
    assert kinds(record) == ["episode_start", "snapshot", "observation", *click * 2, *key * 3, "episode_end"]
    pictures = {path.name for path in (record.folder / "screenshots").iterdir()}
    events = read_events(record.folder / "events.jsonl")
    assert {event["data"]["screenshot"] for event in events if event["type"] == "observation"} == pictures
    assert read_run(record.folder).row is not None


def test_the_clock_begins_with_the_first_frame(record: Record) -> None:
    result = play(solve, record, budget=40.0)
    elapsed = [event["elapsed_seconds"] for event in read_events(record.folder / "events.jsonl")]
    assert elapsed[0] < 0.4  # and not with the half second before
    assert elapsed == sorted(elapsed)
    assert result["seconds"] < 40


def test_a_drag_is_one_step_with_its_path(record: Record) -> None:
    def drag(browser: Browser) -> None:
        browser.click("game:maze")
        browser.click("tier:easy")
        x, y = 800.0, 400.0
        browser.point("down", x, y)
        browser.point("move", x + 80.4, y)
        browser.point("up", x + 160, y)

    result = play(drag, record, budget=3.0)
    decisions = [e["data"] for e in read_events(record.folder / "events.jsonl") if e["type"] == "decision"]
    assert decisions[2]["action"] == {"action": "drag", "path": [[800, 400], [880, 400], [960, 400]]}
    assert decisions[2]["step_class"] == "native"
    assert (result["outcome"], result["inputs"]) == ("timeout", 7)
    assert check_events(read_stored(record.folder)).status == "equal"


def test_whatever_a_person_does_the_record_fits_together(record: Record) -> None:
    def play_about(browser: Browser) -> None:
        browser.click("game:maze")
        browser.point("down", 10.4, 10.6)
        for x in (12.5, 12.6, 40.25, 12.5):
            browser.point("move", x, 11.5)
        browser.point("up", 13.5, 11.5)
        browser.press("Tab")
        browser.press("F1")
        browser.click("tier:easy")
        browser.point("down", 800.0, 400.0)
        browser.press("ArrowUp")
        browser.point("up", 800.0, 420.0)

    play(play_about, record, budget=4.0)
    stored = read_stored(record.folder)
    found = check_events(stored)
    assert found.status == "equal", found.to_json()
    path = record.folder / "events.jsonl"
    text = path.read_text()
    assert '"x":40.25' in text
    path.write_text(text.replace('"x":40.25', '"x":41.25'))
    (difference,) = check_events(read_stored(record.folder)).differences
    assert difference["what"] == "the action, by its inputs"


def test_ctrl_c_is_the_persons_own_end(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted = threading.Event()

    def pressed(self: PersonEpisode, surface: PersonSurface) -> Any:
        interrupted.wait(20)
        raise KeyboardInterrupt

    monkeypatch.setattr(PersonEpisode, "_wait", pressed)

    def begin(browser: Browser) -> None:
        browser.click("game:maze")
        interrupted.set()

    result = play(begin, record)
    assert (result["reason"], result["answer"], result["scored"]) == ("answer", "ended by the player", True)
    assert result["metrics"]["LC"] == 0.0


def test_a_reload_goes_on_and_the_clock_with_it(record: Record) -> None:
    def reload(browser: Browser) -> None:
        browser.click("game:maze")
        browser.connection.close()
        again = Browser(browser.address, [ONE])
        again.session = browser.session
        again.click("tier:easy")
        for _ in again.connection:
            pass

    result = play(reload, record, budget=3.0)
    assert (result["outcome"], result["steps"]) == ("timeout", 2)
    assert result["levels"][0]["reached"]


def test_a_full_disk_ends_it_without_a_grade(record: Record) -> None:
    def fill(browser: Browser) -> None:
        record._events.close()
        record._events = open("/dev/full", "wb", buffering=0)  # noqa: SIM115 (the record closes it)
        browser.click("game:maze")

    result = play(fill, record)
    assert (result["scored"], result["failure"]["kind"]) == (False, "logging")


def test_a_taken_port_is_told_before_anything_is_recorded() -> None:
    addresses: list[str] = []
    first = PersonSurface(Session([ONE]), port=0, lang="en", announce=addresses.append)
    starting = threading.Thread(target=first.start, daemon=True)
    starting.start()
    while not addresses:
        time.sleep(0.02)
    port = int(addresses[0].split(":")[2].split("/")[0])
    second = PersonSurface(Session([ONE]), port=port, lang="en", announce=addresses.append)
    with pytest.raises(PortTaken):
        second.start()
    browser = Browser(addresses[0], [ONE])
    starting.join(10)
    first.listen(None)
    browser.connection.close()
    first.close()


def test_nobody_but_the_person_acts() -> None:
    surface = PersonSurface(Session([ONE]), port=0, lang="en", announce=print)
    with pytest.raises(TypeError):
        surface.dispatch([Pointer("key", key="a")])


def test_the_command_invites_a_person_and_ctrl_c_ends_the_episode(tmp_path: Path) -> None:
    levels.write_catalogue(tmp_path / "mine", [ONE])
    words = ("run", "--snapshot", "mine", "--all", "--agent", "human", "--agent-name", "anna", "--json")
    process = subprocess.Popen(
        [sys.executable, "-m", "lpb_gen.pipeline.cli", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        address = next(line for line in process.stderr if "http" in line).split()[1]
        browser = Browser(address, [ONE])
        browser.click("game:maze")
        browser.connection.send(json.dumps(["key", "a"]))
        browser.wait()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0, err
    result = json.loads(out)
    assert (result["answer"], result["agent"]) == (
        "ended by the player",
        {"name": "anna", "kind": "human", "configuration": result["agent"]["configuration"]},
    )
    assert result["steps"] == 2
