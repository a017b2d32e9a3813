"""``lpb-gen mcp``, played by the official client library over both transports."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import levels
import mcp_types
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import ImageContent, TextContent

from lpb_gen.runners.agents.called import MOST_WAITING, Awaiting, CalledAgent, NobodyPlayed
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.episode import Terms
from lpb_gen.runners.mcp_server import OVER, Table
from lpb_gen.runners.mcp_serving import Playing, serve_http
from lpb_gen.runners.record import read_events
from lpb_gen.runners.reproduce.events import check_events
from lpb_gen.runners.reproduce.stored import check_manifest, check_result, read_stored
from lpb_gen.runners.session import Session

import programs

WAIT = {"action": "wait", "seconds": 0}
PNG = "iVBORw0KGgo"


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    catalogue = levels.write_catalogue(tmp_path / "levels-of-mine", levels.objectives())
    words = ["mcp", "--snapshot", str(catalogue), "--game", "maze", "--tier", "easy", "--out", str(tmp_path / "runs")]
    return [sys.executable, "-m", "lpb_gen.pipeline.cli", *words, "--surface", "direct"]


def text_of(result: Any) -> str:
    return " ".join(part.text for part in result.content if isinstance(part, TextContent))


def pictures_of(result: Any) -> list[str]:
    return [part.data for part in result.content if isinstance(part, ImageContent)]


async def act(client: Client, action: Any) -> Any:
    return await client.call_tool("gui", action)


async def win(client: Client) -> list[Any]:
    return [await act(client, action) for action in (WAIT, *programs.winning_actions())]


def only_run(folder: Path) -> Path:
    [run] = (folder / "runs").iterdir()
    return run


def result_of(folder: Path) -> dict[str, Any]:
    """Of the one run below ``folder``, whose record fits together."""
    record = read_stored(only_run(folder))
    for check in (check_manifest(record), check_events(record), check_result(record)):
        assert check.status == "equal", check.to_json()
    assert record.result is not None
    return dict(record.result)


# --- standard input and output ----------------------------------------------------------------------------------------


def over_stdio(command: list[str], errors: Path, play: Callable[[Client], Awaitable[None]]) -> str:
    """Starts the command as a client does, plays and disconnects; what it said on standard error."""

    async def visit() -> None:
        parameters = StdioServerParameters(command=command[0], args=command[1:])
        with open(errors, "w") as log:
            async with Client(stdio_client(parameters, errlog=log)) as client:
                await play(client)

    asyncio.run(asyncio.wait_for(visit(), 100))
    return errors.read_text()


def test_a_client_that_starts_the_command_plays_to_the_end(command: list[str], tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        [tool] = (await client.list_tools()).tools
        assert tool.name == "gui"
        assert "Complete all levels of Maze Paint at easy difficulty" in (tool.description or "")
        assert set(tool.input_schema["properties"]["action"]["enum"]) >= {"click", "drag", "press", "wait", "batch"}
        too_early = await act(client, {"action": "press", "key": "ArrowUp"})
        assert too_early.is_error
        assert "The first action must be wait" in text_of(too_early)
        assert pictures_of(too_early) == []
        *shown, last = await win(client)
        assert not any(result.is_error for result in shown)
        assert all(len(pictures) == 1 and pictures[0].startswith(PNG) for pictures in map(pictures_of, shown))
        assert text_of(last) == OVER
        assert text_of(await act(client, WAIT)) == OVER

    said = over_stdio(command, tmp_path / "errors", play)
    assert "OSR 100.0" in said
    assert str(only_run(tmp_path))[-20:] in said.replace("\n", "")
    result = result_of(tmp_path)
    assert (result["outcome"], result["metrics"]["OSR"]) == ("solved", 100.0)
    assert result["steps"] == 1 + len(programs.winning_actions())
    about = json.loads((only_run(tmp_path) / "manifest.json").read_text())["agent"]
    assert (about["kind"], about["transport"], about["refused_before_first_wait"]) == ("mcp", "stdio", 1)
    assert about["client"]["name"]
    events = list(read_events(only_run(tmp_path) / "events.jsonl"))
    assert next(e for e in events if e["type"] == "decision")["data"]["action"] == {"action": "wait", "seconds": 0}


def test_a_client_that_disconnects_has_ended_the_episode(command: list[str], tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        await act(client, WAIT)
        await act(client, programs.winning_actions()[0])

    said = over_stdio(command, tmp_path / "errors", play)
    assert "the agent ended it" in said
    result = result_of(tmp_path)
    assert (result["outcome"], result["answer"], result["scored"]) == ("exit", "", True)


def test_the_deadline_ends_the_episode_and_the_client_is_told(command: list[str], tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        assert not (await act(client, WAIT)).is_error
        assert text_of(await act(client, {"action": "wait", "seconds": 60})) == OVER
        assert (await act(client, WAIT)).is_error

    over_stdio([*command, "--budget", "1.5"], tmp_path / "errors", play)
    assert result_of(tmp_path)["outcome"] == "timeout"


def raw(command: list[str], *messages: bytes, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command, input=b"".join(m + b"\n" for m in messages), capture_output=True, timeout=60, **options
    )


def message(identity: int, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}).encode()


HELLO = message(
    1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "raw", "version": "1"}
)
READY = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'


def test_standard_output_holds_messages_and_nothing_else(command: list[str], tmp_path: Path) -> None:
    call = message(2, "tools/call", name="gui", arguments=WAIT)
    done = raw(command, b"garbage", b"\xff\x00", b"[" * 5000, HELLO, READY, b"x" * 5_000_000, call)
    assert done.returncode == 0, done.stderr
    answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers[1]["result"]["serverInfo"]["name"] == "lpb-gen"
    assert "Complete all levels of Maze Paint" in answers[1]["result"]["instructions"]
    assert b"OSR" in done.stderr
    assert b"Traceback" not in done.stderr
    assert result_of(tmp_path)["outcome"] == "exit"


def test_without_an_action_there_is_no_episode(command: list[str], tmp_path: Path) -> None:
    done = raw(command, HELLO, READY, message(2, "tools/call", name="gui", arguments={"action": "click"}))
    assert done.returncode == 1
    assert done.stderr.decode() == "lpb-gen: mcp: no action came, so there was no episode\n"
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_client_that_ends_the_server_by_a_signal_has_ended_the_episode(
    number: int, command: list[str], tmp_path: Path
) -> None:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"\n".join([HELLO, READY, message(2, "tools/call", name="gui", arguments=WAIT), b""]))
        process.stdin.flush()
        while json.loads(process.stdout.readline()).get("id") != 2:
            pass
        process.send_signal(number)
        assert process.wait(60) == 0
    assert result_of(tmp_path)["outcome"] == "exit"


def test_a_client_without_the_package_is_told_how_to_get_it(command: list[str]) -> None:
    words = command[3:]
    lines = ("import sys", "sys.modules['mcp'] = None", f"sys.argv[1:] = {words!r}", "from lpb_gen.pipeline import cli")
    code = "\n".join([*lines, "cli.main()"])
    done = raw([sys.executable, "-c", code])
    assert done.returncode == 1
    assert done.stderr.decode().endswith("pip install 'lpb-gen[mcp]'\n")


# --- HTTP -------------------------------------------------------------------------------------------------------------


class Served:
    """An episode that is served over HTTP, in this process."""

    def __init__(self, out: Path, **terms: Any) -> None:
        easy, hard = levels.objectives()
        self.terms = Terms(objective=easy, **({"keep": "none", "budget": 60.0} | terms))
        self.agent = CalledAgent("mcp")
        self.surface = DirectSurface(Session((easy, hard)))
        surface = Awaiting(self.surface, self.agent)
        self.playing = Playing(lambda: programs.played(self.agent, self.terms, surface, out)[0])
        self.address = ""

    @asynccontextmanager
    async def running(self) -> Any:
        table = Table(self.agent, self.terms, self.surface.session.viewport, "http")
        told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.ensure_future(
            serve_http(table, self.agent, self.playing, 0, announce=told.set_result, linger=5)
        )
        self.address = await asyncio.wait_for(told, 20)
        try:
            yield self
        finally:
            if not table.begun:
                self.agent.leave()
            await asyncio.wait_for(serving, 30)

    @property
    def outcome(self) -> str:
        if self.playing.error is not None:
            raise self.playing.error
        return str(self.playing.result["outcome"])


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path / "runs")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_over_http_plays_to_the_end(mode: str, served: Served, tmp_path: Path) -> None:
    async def visit() -> None:
        async with served.running(), Client(served.address, mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["gui"]
            assert text_of((await win(client))[-1]) == OVER

    asyncio.run(visit())
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp", served.address)
    assert served.playing.result["metrics"]["OSR"] == 100.0
    assert json.loads((only_run(tmp_path) / "manifest.json").read_text())["agent"]["transport"] == "http"


def test_a_second_client_is_refused_and_changes_nothing(served: Served) -> None:
    async def visit() -> None:
        async with served.running(), Client(served.address) as second, Client(served.address) as first:
            before = pictures_of(await act(first, WAIT))
            for action in (WAIT, programs.winning_actions()[0]):
                refused = await act(second, action)
                assert refused.is_error
                assert "Another client plays" in text_of(refused)
                assert pictures_of(refused) == []
            assert pictures_of(await act(first, WAIT)) == before

    asyncio.run(visit())
    assert served.outcome == "exit"
    assert served.playing.result["steps"] == 3  # two waits and the end


def test_a_client_that_only_looks_round_leaves_the_place_to_the_next(served: Served) -> None:
    async def visit() -> None:
        async with served.running():
            async with Client(served.address) as curious:
                await curious.list_tools()
            async with Client(served.address) as player:
                await win(player)

    asyncio.run(visit())
    assert served.outcome == "solved"


def test_the_server_ends_with_its_player(served: Served) -> None:
    async def visit() -> None:
        async with served.running():
            async with Client(served.address) as player:
                await act(player, WAIT)
            begun = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - begun < 5  # it does not linger
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", int(served.address.split(":")[2].split("/")[0]))

    asyncio.run(visit())
    assert served.outcome == "exit"


GARBAGE: list[Any] = [
    {},
    {"action": "fly"},
    {"action": 7},
    {"action": "click", "x": 1},
    {"action": "click", "x": "1", "y": 2},
    {"action": "click", "x": -1, "y": 2},
    {"action": "click", "x": 1e300, "y": 2},
    {"action": "press", "key": "F5"},
    {"action": "press", "key": "ArrowUp", "extra": 1},
    {"action": "batch", "actions": []},
    {"action": "batch", "actions": [{"action": "press", "key": "ArrowUp"}] * 10_000},
    {"action": "batch", "actions": [{"action": "batch", "actions": [WAIT]}]},
    {"action": "drag", "path": [[1, 2]]},
    {"action": "type", "text": "x" * 100_000},
    {"x": {"deep": [[[[[]]]]]}},
]


def test_garbage_is_answered_with_an_error_and_the_screen(served: Served) -> None:
    async def visit() -> None:
        async with served.running(), Client(served.address) as client:
            early = await act(client, {"action": "fly"})
            assert "no such action" in text_of(early)
            before = pictures_of(await act(client, WAIT))
            for action in GARBAGE:
                answer = await act(client, action)
                assert answer.is_error, action
                assert text_of(answer).startswith("Nothing was carried out: ")
                assert pictures_of(answer) == before
            with pytest.raises(MCPError, match="there is one tool"):
                await client.call_tool("state", {})

    asyncio.run(visit())
    assert (served.outcome, served.playing.result["inputs"]) == ("exit", 0)
    assert served.playing.result["agent_errors"] == len(GARBAGE)


def test_calls_at_once_are_carried_out_in_their_order_and_a_flood_is_refused(served: Served) -> None:
    async def visit() -> None:
        async with served.running(), Client(served.address) as client:
            await act(client, WAIT)
            slow = asyncio.ensure_future(act(client, {"action": "wait", "seconds": 2}))
            await asyncio.sleep(0.3)
            flood = await asyncio.gather(*(act(client, WAIT) for _ in range(MOST_WAITING + 4)))
            assert sum("Too many calls" in text_of(answer) for answer in flood) == 4
            assert not (await slow).is_error

    asyncio.run(visit())
    assert served.playing.result["steps"] == 2 + MOST_WAITING + 1


A_PAGES = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a page", "version": "1"}}
BEGIN = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": A_PAGES}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "gui", "arguments": WAIT}}


@pytest.mark.parametrize(
    ("message", "headers"),
    [
        (BEGIN, {"Host": "levels.example"}),  # a name that was made to lead here
        (BEGIN, {"Host": "levels.example:{port}"}),
        (BEGIN, {"Origin": "http://levels.example"}),
        (BEGIN, {"Origin": "null"}),
        (BEGIN, {"Content-Type": "text/plain"}),  # what a page of another site may send unasked
        ([BEGIN, CALL], {}),
        (CALL, {}),
        (CALL, {"Mcp-Session-Id": "0" * 32}),
        (CALL, {"Mcp-Protocol-Version": "2026-07-28"}),
    ],
)
def test_whoever_is_no_client_of_a_session_plays_nothing(message: Any, headers: dict[str, str], served: Served) -> None:
    def post(port: str) -> int:
        plain = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        told = plain | {name: value.replace("{port}", port) for name, value in headers.items()}
        request = urllib.request.Request(served.address, json.dumps(message).encode(), told)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    async def visit() -> None:
        async with served.running():
            port = served.address.split(":")[2].split("/")[0]
            assert 400 <= await asyncio.to_thread(post, port) < 500

    asyncio.run(visit())
    with pytest.raises(NobodyPlayed):
        _ = served.outcome


def test_the_newest_protocol_has_no_sessions_and_is_refused_in_its_own_words(served: Served) -> None:
    async def visit() -> None:
        async with served.running():
            async with Client(served.address, mode="2026-07-28") as client:
                with pytest.raises(MCPError) as caught:
                    await client.list_tools()
            assert caught.value.code == mcp_types.UNSUPPORTED_PROTOCOL_VERSION
            assert "2025-11-25" in caught.value.error.data["supported"]

    asyncio.run(visit())
    with pytest.raises(NobodyPlayed):
        _ = served.outcome


def test_the_deadline_over_http(tmp_path: Path) -> None:
    served = Served(tmp_path / "runs", budget=0.5)

    async def visit() -> None:
        async with served.running(), Client(served.address) as client:
            await act(client, WAIT)
            await served.playing.over()
            late = await act(client, WAIT)
            assert (late.is_error, text_of(late)) == (True, OVER)

    asyncio.run(visit())
    assert served.outcome == "timeout"


def test_ctrl_c_is_no_fault_of_the_client(served: Served) -> None:
    async def visit() -> None:
        async with served.running(), Client(served.address) as client:
            await act(client, WAIT)
            os.kill(os.getpid(), signal.SIGINT)
            await served.playing.over()

    asyncio.run(visit())
    assert (served.outcome, served.playing.result["failure"]["kind"]) == ("technical", "external")


def test_the_command_serves_http_and_ends_with_its_client(command: list[str], tmp_path: Path) -> None:
    async def visit(address: str) -> None:
        async with Client(address) as client:
            await win(client)

    with subprocess.Popen([*command, "--http", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr
        line = process.stderr.readline().decode()
        assert line.startswith("serving one episode at http://127.0.0.1:")
        assert refusal(line.split()[-1], Host="evil.example") == 421  # no page of a browser's gets in
        asyncio.run(asyncio.wait_for(visit(line.split()[-1]), 60))
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, b"")
    assert b"OSR 100.0" in err
    assert b"Traceback" not in err


def refusal(address: str, **headers: str) -> int:
    """The status of a first message with these headers."""
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    plain = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with pytest.raises(HTTPError) as caught:
        urlopen(Request(address, HELLO, plain | headers), timeout=20)
    caught.value.close()
    return caught.value.code


def test_a_port_that_is_taken_is_one_line(command: list[str]) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = raw([*command, "--http", str(port)])
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"lpb-gen: 127.0.0.1: port {port} is not free; choose another with --http\n"


@pytest.mark.browser
def test_a_client_plays_in_a_browser(command: list[str], tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        await win(client)

    words = [*command[: command.index("--surface")], "--surface", "browser"]
    assert "OSR 100.0" in over_stdio(words, tmp_path / "errors", play)
    assert result_of(tmp_path)["surface"]["browser_version"]
