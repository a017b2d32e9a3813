"""From a word of the command line to an agent: references, classes of users, adapters, entry points."""

from __future__ import annotations

import shutil
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import agents_of_users
import levels
import pytest

from lpb_gen.games.base import LpbError
from lpb_gen.runners.agents import AGENTS, agent_from
from lpb_gen.runners.agents.base import Agent, Answer, Decision, Observation, ReferenceAgent
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.episode import Terms
from lpb_gen.runners.record import read_events
from lpb_gen.runners.report import print_result, result_table
from lpb_gen.runners.session import Session

from programs import played, program

FILE = str(Path(agents_of_users.__file__))
UNLUCKY = next(number for number, line in enumerate(Path(FILE).read_text().splitlines(), 1) if "no luck today" in line)


@pytest.fixture(autouse=True)
def same_path() -> Iterator[None]:
    """What loading adds to the places of modules goes again."""
    before = list(sys.path)
    yield
    sys.path[:] = before


def made(spec: str, **options: str) -> Any:
    return agent_from(spec, options, game="maze", tier="easy", seed=7)


def observation(step: int = 0) -> Observation:
    picture = DirectSurface(Session(levels.objectives())).screenshot()
    return Observation(screenshot=picture, step=step, seconds_left=10.0)


@pytest.mark.parametrize("name", AGENTS)
def test_a_reference_agent_has_its_name(name: str) -> None:
    agent = made(name)
    assert isinstance(agent, ReferenceAgent)
    assert agent.name == name


@pytest.mark.parametrize("spec", [f"{FILE}:Predictor", "agents_of_users:Predictor"])
def test_a_class_of_a_user_predicts(spec: str) -> None:
    agent = made(spec, count="1", fast="yes", style="3")
    assert isinstance(agent, Agent)
    agent.begin("Complete all levels", (1280, 900))
    first, second = agent.act(observation()), agent.act(observation(1))
    agent.close()
    assert (first.text, first.action) == ("0 left", agents_of_users.UP)
    assert second == Decision(action=Answer("done"), text="-1 left")
    assert agent.name == "predictor/1: ü"
    assert agent._own.log == [1, True, "3", 7, "Complete all levels", "done"]  # type: ignore[attr-defined]


def test_a_class_that_only_acts_is_an_agent_too() -> None:
    agent = made(f"{FILE}:Actor")
    agent.begin("", (1280, 900))
    assert agent.act(observation(4)).action == Answer("at 4")
    assert agent.name == "Actor"
    agent.close()


def test_a_seed_that_was_asked_for_is_not_overwritten() -> None:
    assert made(f"{FILE}:Predictor", seed="3")._own.log[3] == 3


@pytest.mark.parametrize(
    ("spec", "options", "line"),
    [
        ("genius", {}, "there is no such agent; use one of oracle, random"),
        ("genius.py", {}, "it names no class of that file; write --agent genius.py:CLASS"),
        ("oracle", {"n": "1"}, "it takes no options"),
        ("human", {}, "a person is no program"),
        ("nowhere:Class", {}, "there is no module 'nowhere'"),
        ("lpb_gen.nowhere:Class", {}, "there is no module 'lpb_gen.nowhere'"),
        ("nowhere.py:Class", {}, "there is no such file"),
        (f"{FILE}:Nobody", {}, "no class 'Nobody' in it; it has Predictor, Actor"),
        (f"{FILE}:UP", {}, "no class 'UP' in it"),
        (f"{FILE}:Neither", {}, "neither predict(observation) nor act(observation)"),
        (f"{FILE}:Unlucky", {}, f"it cannot be made (ValueError: no luck today, agents_of_users.py line {UNLUCKY})"),
        (f"{FILE}:Predictor", {"speed": "1"}, "an unexpected keyword argument 'speed'); give --agent-option KEY=VALUE"),
        (f"{FILE}:Predictor", {"count": "many"}, "count='many' is no int"),
        (f"{FILE}:Predictor", {"fast": "so"}, "fast='so' is neither true nor false"),
        (f"{FILE}:Unserved", {}, "missing a required argument: 'counter'"),
    ],
)
def test_what_is_no_agent_is_one_clear_line(spec: str, options: dict[str, str], line: str) -> None:
    with pytest.raises(LpbError) as caught:
        made(spec, **options)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["import nothing_of_the_kind", "1 / 0", "raise SystemExit", "def broken(:"])
def test_a_file_that_does_not_load_is_one_clear_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "broken_agent.py").write_text(text + "\n")
    with pytest.raises(LpbError, match=r"broken_agent.py:A: it (needs the module|does not load)"):
        made(f"{tmp_path}/broken_agent.py:A")


# --- adapters and entry points ----------------------------------------------------------------------------------------


def test_an_adapter_is_loaded_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("lpb_gen.runners.agents.openai")
    module.make = lambda rest, options: made(f"{FILE}:Actor") if rest == "some-model" else None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert made("openai:some-model").name == "Actor"
    with pytest.raises(LpbError, match="returned NoneType, not an Agent"):
        made("openai:other")


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_an_adapter_without_its_package_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{name.upper()}_API_KEY", "secret")
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(LpbError, match=rf"pip install 'lpb-gen\[{name}\]'"):
        made(f"{name}:model")


class Point:
    """An entry point."""

    def __init__(self, found: Any) -> None:
        self.found, self.value = found, "package.module:thing"

    def load(self) -> Any:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def register(found: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a package had registered it as ``theirs``."""

    def entry_points(*, group: str, name: str = "") -> list[Point]:
        assert group == "lpb_gen.agents"
        return [Point(found)] if name == "theirs" else []

    monkeypatch.setattr("lpb_gen.runners.agents.entry_points", entry_points)


@pytest.mark.parametrize(
    ("found", "spec", "name"),
    [
        (agents_of_users.Actor, "theirs", "Actor"),
        (lambda rest, options: made(f"{FILE}:{rest}"), "theirs:Crashing", "Crashing"),
    ],
    ids=["class", "function"],
)
def test_packages_register_agents(found: Any, spec: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    register(found, monkeypatch)
    assert made(spec).name == name


@pytest.mark.parametrize(
    ("found", "spec", "line"),
    [
        (agents_of_users.Actor, "theirs:x", "it takes nothing after the colon"),
        (ImportError("gone"), "theirs", "its entry point package.module:thing does not load (ImportError: gone)"),
        (5, "theirs", "neither a class nor something with make()"),
        (lambda rest, options: None, "theirs", "make() returned NoneType, not an Agent"),
    ],
    ids=["rest", "import", "number", "none"],
)
def test_what_a_package_registered_wrongly_is_one_clear_line(
    found: Any, spec: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(found, monkeypatch)
    with pytest.raises(LpbError) as caught:
        made(spec)
    assert line in str(caught.value)


@pytest.mark.parametrize(
    ("reached", "rows", "said"),
    [
        (0, 0, "levels 1 to 10 were not reached"),
        (3, 3, "levels 4 to 10 were not reached"),
        (9, 10, None),
        (10, 10, None),
    ],
)
def test_levels_that_were_never_reached_are_one_line(reached: int, rows: int, said: str | None) -> None:
    levels = [
        {"level": n, "solved": False, "reached": n <= reached, "progress": 0.0, "winning_moves": None}
        | {"optimal_length": 7, "moves": 0, "invalid_moves": 0, "attempts": 1, "steps": 1}
        for n in range(1, 11)
    ]
    parts = {"objective": {"game": "maze", "tier": "easy"}, "agent": {"name": "x"}, "surface": {"name": "direct"}}
    table = result_table({**parts, "levels": levels})
    assert (table.row_count, table.caption) == (rows, said)


def test_a_program_that_broke_names_the_file_with_its_last_words(tmp_path: Path) -> None:
    from rich.console import Console

    result = {"agent_failure": "the program exited with status 1", "failure": None}
    for words, named in (("", False), ("Traceback", True)):
        (tmp_path / "agent-stderr.txt").write_text(words)
        with (console := Console(width=500)).capture() as printed:
            print_result(result, console, where=str(tmp_path))
        assert (str(tmp_path / "agent-stderr.txt") in printed.get()) is named


@pytest.mark.parametrize(
    ("isolate", "label"),
    [
        ("no", "not isolated"),
        pytest.param("yes", "isolated", marks=pytest.mark.skipif(not shutil.which("bwrap"), reason="no bwrap")),
    ],
)
def test_a_native_programs_isolation_is_in_its_events(isolate: str, label: str, tmp_path: Path) -> None:
    path = program(tmp_path, "see(); say(answer='')")
    agent = agent_from(f"command:python3 {path}", {"isolate": isolate}, game="maze", tier="easy", seed=0)
    assert isinstance(agent, Agent)
    assert beginning(agent, tmp_path / "runs")["isolation"] == label


@pytest.mark.parametrize("kind", ["Mine", "Ours"])
def test_a_native_class_is_not_isolated(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    answer = "    def act(self, observation):\n        return "
    path.write_text(
        "from lpb_gen.runners.agents.base import Agent, Answer, Decision\n"
        f"class Mine:\n{answer}{{'action': 'answer', 'text': ''}}\n"
        f"class Ours(Agent):\n{answer}Decision(Answer(''))\n"
    )
    agent = agent_from(f"{path}:{kind}", {}, game="maze", tier="easy", seed=0)
    assert isinstance(agent, Agent)
    assert beginning(agent, tmp_path / "runs")["isolation"] == "not isolated"


def beginning(agent: Agent, out: Path) -> dict[str, Any]:
    objectives = levels.objectives()
    terms = Terms(objective=objectives[0], budget=60.0)
    _, folder = played(agent, terms, DirectSurface(Session(objectives)), out)
    data: dict[str, Any] = next(read_events(folder / "events.jsonl"))["data"]
    return data
