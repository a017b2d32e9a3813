"""Agents that are programs: what they are sent, what they may reply, and every way in which they can misbehave."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import levels
import pytest

from lpb_gen.runners.actions import InvalidAction
from lpb_gen.runners.agents.base import Agent, Answer
from lpb_gen.runners.agents.command import MOST_UNREADABLE, STDERR, make, read_reply
from lpb_gen.runners.agents.lines import MAX_ERRORS, MAX_LINE, ProgramEnded
from lpb_gen.runners.agents.starting import UnusableProgram
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.episode import Terms
from lpb_gen.runners.failures import TechnicalFailure
from lpb_gen.runners.session import Session

import programs
from programs import ask, begun, played, program, told

ROOT = Path(__file__).parents[1]
Made = Callable[[str], Agent]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Callable[..., Agent]]:
    """Begins a program's agent; it is closed when the test is over."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def run(body: str, record: Path | None = None, **options: str) -> Agent:
            agent = make(f"python3 {program(tmp_path, body)}", options)
            return stack.enter_context(begun(agent, record))

        yield run


# --- what is said -----------------------------------------------------------------------------------------------------


def test_the_first_message_tells_what_to_do(running: Callable[..., Agent]) -> None:
    agent = running("see()\nsay(step='told', text=json.dumps(start))", colour="red")
    assert told(agent, seconds_left=12.5) == {
        "type": "start",
        "protocol": 1,
        "instruction": "Complete all levels",
        "viewport": [1280, 900],
        "budget_seconds": 12.5,
        "seed": 0,
        "options": {"colour": "red"},
    }


def test_an_observation_is_the_picture_and_what_was_wrong(running: Callable[..., Agent]) -> None:
    agent = running("while True: say(step='told', text=json.dumps(see()))")
    assert told(agent, seconds_left=9.0) == {
        "type": "observation",
        "step": 0,
        "seconds_left": 9.0,
        "screenshot": programs.screenshot(),
        "error": None,
    }
    assert told(agent, step=1, error="no such key")["error"] == "no such key"


@pytest.mark.parametrize(
    ("reply", "action", "text", "step_class"),
    [
        ({"action": {"action": "press", "key": "r"}}, {"action": "press", "key": "r"}, "", None),
        ({"answer": "done", "text": "phew"}, Answer("done"), "phew", None),
        ({"step": "search"}, None, "[search]", None),
        ({"step": "search", "text": "depth 9"}, None, "[search] depth 9", None),
        ({"action": {}, "step_class": "other"}, {}, "", "other"),
        ({"action": {}, "step_class": "native"}, {}, "", None),  # a wait does not become native by saying so
    ],
)
def test_a_reply_is_an_action_an_answer_or_a_step(reply: Any, action: Any, text: str, step_class: str | None) -> None:
    decision = read_reply(json.dumps(reply).encode())
    assert (decision.action, decision.text, decision.step_class) == (action, text, step_class)


def test_usage_is_passed_on() -> None:
    assert read_reply(b'{"step": "", "usage": {"calls": 2}}').usage == {"calls": 2}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        b"\x00\xff\xfe\x80",
        b"[]",
        b"{}",
        b"17",
        b'{"action": "press"}',
        b'{"answer": 3}',
        b'{"answer": "", "action": {}}',
        b'{"answer": "", "more": 1}',
        b'{"answer": "", "text": 1}',
        b'{"step": "", "usage": [1]}',
        b'{"step": "", "step_class": "best"}',
        b"[" * 100_000,
        b'{"answer": ' + b"9" * 5_000 + b"}",
    ],
    ids=lambda line: line[:24].decode("latin-1"),
)
def test_what_is_no_reply_is_an_invalid_action(line: bytes) -> None:
    with pytest.raises(InvalidAction):
        read_reply(line)


# --- misbehaviour -----------------------------------------------------------------------------------------------------


def test_garbage_is_told_back_and_the_program_goes_on(running: Callable[..., Agent]) -> None:
    agent = running("see(); print('\\x00garbage', flush=True)\nsay(step='told', text=json.dumps(see()['error']))")
    with pytest.raises(InvalidAction) as caught:
        ask(agent)
    assert "not a line of JSON" in str(caught.value)
    assert told(agent, step=1, error=str(caught.value)) == str(caught.value)


def test_a_program_that_never_says_anything_readable_has_failed(running: Callable[..., Agent]) -> None:
    agent = running("while see(): print('?', flush=True)")
    for step in range(MOST_UNREADABLE - 1):
        with pytest.raises(InvalidAction):
            ask(agent, step)
    with pytest.raises(RuntimeError, match="100 replies in a row"):
        ask(agent, MOST_UNREADABLE)


def test_a_line_without_end_is_cut_off_and_takes_no_memory(running: Callable[..., Agent]) -> None:
    agent = running("see()\nwhile True: out.write(b'x' * 65536)")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for step in range(20):
        with pytest.raises(InvalidAction, match=f"more than {MAX_LINE} bytes"):
            ask(agent, step)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * 1024  # KiB, of 20 MiB that came


def test_the_end_of_a_line_that_was_too_long_is_no_reply(running: Callable[..., Agent]) -> None:
    agent = running(f"see(); out.write(b'x' * {MAX_LINE + 200_000} + b'\\n'); out.flush(); see(); say(answer='here')")
    with pytest.raises(InvalidAction):
        ask(agent)
    assert ask(agent, 1).action == Answer("here")


def test_lines_that_come_unasked_are_dropped_and_the_program_is_told(running: Callable[..., Agent]) -> None:
    agent = running(
        "see()\nfor n in range(5): say(step=str(n))\n"
        "time.sleep(0.3)\nsee(); say(step='after')\nsay(step='told', text=json.dumps(see()['error']))"
    )
    assert ask(agent).text == "[0]"
    time.sleep(0.3)
    assert ask(agent, 1).text == "[after]"
    assert "send one line for each" in told(agent, step=2)


def test_a_flood_of_replies_stays_in_the_programs_own_pipe(running: Callable[..., Agent]) -> None:
    agent = running("see()\nwhile True: say(step='again', text='x' * 1000)")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for step in range(50):
        assert ask(agent, step).text.startswith("[again]")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * 1024


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("see(); sys.exit(3)", "exited with status 3"),
        ("see(); os.kill(os.getpid(), signal.SIGKILL)", "ended by SIGKILL"),
        ("see(); os.close(1); time.sleep(60)", "closed its standard output"),
        ("see(); os.close(0); time.sleep(60)", "closed its standard input"),
    ],
)
def test_a_program_that_leaves_has_failed(body: str, what: str, running: Callable[..., Agent]) -> None:
    agent = running(body)
    with pytest.raises(ProgramEnded, match=what):
        ask(agent)


def test_a_program_that_sleeps_is_left_at_the_deadline(running: Callable[..., Agent]) -> None:
    agent = running("see(); time.sleep(600)")
    begun_at = time.monotonic()
    with pytest.raises(TimeoutError):
        ask(agent, seconds_left=0.2)
    assert time.monotonic() - begun_at < 10


def test_a_program_that_does_not_read_delays_nobody(running: Callable[..., Agent]) -> None:
    agent = running("time.sleep(600)")
    big = programs.Observation(screenshot=b"x" * 1_000_000, step=0, seconds_left=0.2)
    with pytest.raises(TimeoutError):
        agent.act(big)


def test_closing_ends_the_program_and_its_children(running: Callable[..., Agent]) -> None:
    agent = running(
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        "see(); say(step='told', text=json.dumps([os.getpid(), child.pid]))\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(60)"
    )
    pids = told(agent)
    assert all(alive(pid) for pid in pids)
    agent.close()
    agent.close()
    assert soon(lambda: not any(alive(pid) for pid in pids))


ALONE = """
import os, sys
from lpb_gen.runners.agents.base import Observation
from lpb_gen.runners.agents.command import make

agent = make("python3 " + sys.argv[1], {})
agent.begin("Complete all levels", (1280, 900))
seen = Observation(screenshot=b"", step=0, seconds_left=60.0, error=None)
print(agent.act(seen).text, flush=True)
agent.act(seen)
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no process groups here")
def test_a_program_that_computes_for_ever_ends_with_a_runner_that_was_killed(tmp_path: Path) -> None:
    body = "import subprocess\nchild = subprocess.Popen(['sleep', '60'])\nsee()\n"
    body += "say(step='told', text=json.dumps([os.getpid(), child.pid])); time.sleep(60)"
    words = [sys.executable, "-c", ALONE, str(program(tmp_path, body))]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as runner:
        assert runner.stdout is not None
        pids = json.loads(runner.stdout.readline().removeprefix(b"[told] "))
        assert all(alive(pid) for pid in pids)
        runner.kill()
    assert soon(lambda: not any(alive(pid) for pid in pids))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def soon(condition: Callable[[], bool]) -> bool:
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.05)
    return False


# --- what is kept -----------------------------------------------------------------------------------------------------


def test_standard_error_lands_in_the_record(running: Callable[..., Agent], tmp_path: Path) -> None:
    agent = running("print('I wonder', file=sys.stderr, flush=True); see(); say(answer='')", tmp_path / "record")
    ask(agent)
    agent.close()
    assert (tmp_path / "record" / STDERR).read_text() == "I wonder\n"


def test_standard_error_has_an_end(running: Callable[..., Agent], tmp_path: Path) -> None:
    agent = running("sys.stderr.write('y' * 3_000_000); see(); say(answer='')", tmp_path / "record")
    ask(agent)
    agent.close()
    kept = (tmp_path / "record" / STDERR).read_text()
    assert kept == "y" * MAX_ERRORS + "\n[the rest was not kept]\n"


def test_standard_error_that_cannot_be_kept_is_no_fault_of_the_agent(
    running: Callable[..., Agent], tmp_path: Path
) -> None:
    agent = running("print('!', file=sys.stderr, flush=True); see(); say(answer='')", tmp_path / "record")
    shutil.rmtree(tmp_path / "record")
    with pytest.raises(TechnicalFailure, match="could not be kept"):
        ask(agent)


def test_the_manifest_has_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-1")
    path = program(tmp_path, "")
    agent = make(f"python3 {path} --api-key sk-2 --token=sk-3 --depth 9", {"env": "MY_KEY", "secret": "sk-4"})
    described = agent.describe()
    assert "sk-" not in json.dumps(described)
    assert described["command"] == ["python3", str(path), "--api-key", "…", "--token=…", "--depth", "9"]
    assert described["environment"] == ["MY_KEY"]
    assert len(described["files"]["agent.py"]) == 64


def test_named_variables_and_nothing_else(running: Callable[..., Agent], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-1")
    monkeypatch.setenv("OTHER_KEY", "sk-2")
    agent = running("see(); say(step='told', text=json.dumps(dict(os.environ)))", env="MY_KEY")
    seen = told(agent)
    assert seen["MY_KEY"] == "sk-1"
    assert "OTHER_KEY" not in seen
    assert seen["HOME"] != os.environ.get("HOME")


@pytest.mark.parametrize(
    ("rest", "options", "what"),
    [
        ("", {}, "no program is named"),
        ("'unclosed", {}, "quotes do not match"),
        ("no-such-program-anywhere", {}, "no such program"),
        ("python3", {"isolate": "perhaps"}, "one of yes, auto, no"),
        ("python3", {"env": "NOT_SET_ANYWHERE"}, "is not set"),
        ("python3", {"folder": "/no/such/folder"}, "there is no"),
        ("python3 " + "x" * 10_000, {"mount": "/no/such"}, "there is no"),
    ],
)
def test_what_cannot_be_started_is_said_before(rest: str, options: dict[str, str], what: str) -> None:
    with pytest.raises(UnusableProgram, match=what):
        make(rest, options)


# --- whole episodes ---------------------------------------------------------------------------------------------------


def episode(agent: Agent, out: Path, **terms: Any) -> tuple[dict[str, Any], Path]:
    easy, hard = levels.objectives()
    surface = DirectSurface(Session((easy, hard)))
    terms = {"budget": 60.0, "keep": "none"} | terms
    return played(agent, Terms(objective=easy, **terms), surface, out)


@pytest.mark.parametrize(
    ("runtime", "example"), [("node", "agent.mjs"), ("python3", "agent.py")], ids=["Node.js", "Python"]
)
def test_the_examples_of_the_documentation_play(runtime: str, example: str, tmp_path: Path) -> None:
    if shutil.which(runtime) is None:
        pytest.skip(f"{runtime} is not installed")
    result, folder = episode(make(f"{runtime} {ROOT / 'docs' / 'examples' / example}", {}), tmp_path)
    assert (result["outcome"], result["steps"]) == ("exit", 21)
    assert result["answer"].startswith("I g")
    assert not result["agent_errors"]
    assert json.loads((folder / "manifest.json").read_text())["agent"]["files"].keys() == {example}


def test_a_program_that_knows_the_way_wins(tmp_path: Path) -> None:
    path = program(
        tmp_path, f"for action in {programs.winning_actions()!r}: see(); say(action=action, usage={{'calls': 1}})"
    )
    result, _ = episode(make(f"python3 {path}", {"name": "wise"}), tmp_path / "runs")
    assert result["metrics"]["OSR"] == 100.0
    assert result["agent"]["name"] == "wise"


@pytest.mark.parametrize(
    ("body", "outcome", "failure"),
    [
        ("see(); sys.exit(3)", "exit", "the program exited with status 3"),
        ("see(); time.sleep(600)", "timeout", None),
        ("see(); say(action={'action': 'click', 'x': 1e999, 'y': 1}); see(); say(answer='')", "exit", None),
    ],
    ids=["exits", "sleeps", "sends an infinite coordinate"],
)
def test_how_an_episode_of_a_bad_program_ends(body: str, outcome: str, failure: str | None, tmp_path: Path) -> None:
    budget = 1.0 if outcome == "timeout" else 60.0
    result, _ = episode(make(f"python3 {program(tmp_path, body)}", {}), tmp_path / "runs", budget=budget)
    assert (result["outcome"], result["scored"]) == (outcome, True)
    assert (failure or "") in (result["agent_failure"] or "")
