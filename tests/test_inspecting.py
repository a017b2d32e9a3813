"""Objectives as samples of Inspect AI: a mock model really plays, and what it does is recorded and graded as always."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import levels
import pytest
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolCall
from stored import STORED

from lpb_gen.games.base import LpbError
from lpb_gen.pipeline.snapshot import load
from lpb_gen.runners import actions
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.agents.base import Answer, Decision, Observation
from lpb_gen.runners.agents.queued import Queued
from lpb_gen.runners.failures import TechnicalFailure
from lpb_gen.runners.inspecting.conversation import LEFT_OUT, OVER, with_latest
from lpb_gen.runners.inspecting.scorer import game_macro
from lpb_gen.runners.inspecting.task import objective, objectives
from lpb_gen.runners.played import read_run
from lpb_gen.runners.record import read_events, screenshot_name
from lpb_gen.runners.reproduce.stored import check_manifest, read_stored
from lpb_gen.runners.session import Session

Model = Callable[..., Any]

# Inspect's own: a parameter of tenacity that is about to go
pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter:DeprecationWarning")


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return levels.write_catalogue(tmp_path_factory.mktemp("catalogue"), levels.objectives())


def evaluated(
    model: Model, catalogue: Path, out: Path, limits: dict[str, Any] | None = None, **arguments: Any
) -> EvalLog:
    arguments = {"snapshot": str(catalogue), "game": "maze", "tier": "easy"} | arguments
    arguments |= {"surface": "direct", "runs": str(out / "runs")}
    (log,) = evaluate(
        "lpb_gen/objective",
        task_args=arguments,
        model=get_model("mockllm/model", custom_outputs=model),
        log_dir=str(out / "logs"),
        display="none",
        log_level="critical",
        **(limits or {}),
    )
    return log


def reply(text: str = "", *calls: Any, stop: Any = None) -> ModelOutput:
    """A model's reply; a call is the arguments of the tool, or a whole ToolCall."""
    made = [
        c if isinstance(c, ToolCall) else ToolCall(id=f"c{n}", function="gui", arguments=c) for n, c in enumerate(calls)
    ]
    output = ModelOutput.from_message(ChatMessageAssistant(content=text, tool_calls=made or None, source="generate"))
    output.choices[0].stop_reason = stop or ("tool_calls" if calls else "stop")
    output.usage = ModelUsage(input_tokens=100, output_tokens=7, total_tokens=107, input_tokens_cache_read=40)
    return output


class Oracle:
    """Plays by a session of its own, in which it makes every input as well; keeps what it was shown."""

    def __init__(self, tier: str = "easy") -> None:
        self._session = Session(levels.objectives())
        self._player = AGENTS["oracle"]("maze", tier, 0)
        self.shown: list[list[ChatMessage]] = []
        self.tools: list[Any] = []

    def __call__(self, messages: list[ChatMessage], tools: list[Any], *_: Any) -> ModelOutput:
        self.shown.append(messages)
        self.tools = tools
        action = self._player.act_knowing("", self._session)
        assert not isinstance(action, Answer | actions.Batch)
        for event in actions.events(action):
            self._session.event(event)
        return reply(f"step {len(self.shown)}", actions.write_action(action))


def script(*replies: ModelOutput) -> Model:
    left: Iterator[ModelOutput] = iter(replies)
    return lambda *_: next(left)


def only(log: EvalLog) -> Any:
    assert log.samples is not None
    (sample,) = log.samples
    return sample


def events(sample: Any, *kinds: str) -> list[dict[str, Any]]:
    found = read_events(Path(sample.metadata["record"]) / "events.jsonl")
    return [event["data"] for event in found if event["type"] in kinds]


def pictures(messages: list[ChatMessage]) -> list[str]:
    parts = [part for message in messages if isinstance(message.content, list) for part in message.content]
    return [part.image for part in parts if isinstance(part, ContentImage)]


def test_a_model_plays_an_objective_to_its_end(catalogue: Path, tmp_path: Path) -> None:
    oracle = Oracle()
    log = evaluated(oracle, catalogue, tmp_path, images=2)
    sample = only(log)
    assert log.status == "success"
    assert sample.scores["grades"].value == {"OSR": 100.0, "LC": 100.0, "FGP": 100.0}
    assert sample.scores["grades"].metadata["outcome"] == "solved"
    assert sample.metadata["level_ids"] == [level.id for level in levels.objectives()[0].levels]
    assert sample.metadata["snapshot"]["digest"]

    assert [tool.name for tool in oracle.tools] == ["gui"]
    first = oracle.shown[0]
    assert [message.role for message in first] == ["system", "user"]
    assert "1280x900" in first[0].text
    assert first[1].text.startswith("Complete all levels of Maze Paint at easy difficulty in the Game Suite")
    assert [len(pictures(messages)) for messages in oracle.shown] == [1] + [2] * (len(oracle.shown) - 1)

    played = read_run(Path(sample.metadata["record"]))
    assert played.result["metrics"] == sample.scores["grades"].value
    assert all(level["winning_moves"] == level["optimal_length"] for level in played.result["levels"])
    assert (played.effort["model_calls"], played.effort["cached_tokens"]) == (len(oracle.shown), 40 * len(oracle.shown))
    assert [data["text"] for data in events(sample, "decision")][:2] == ["step 1", "step 2"]
    manifest = json.loads((Path(sample.metadata["record"]) / "manifest.json").read_text())
    assert (manifest["agent"]["name"], manifest["agent"]["model"]) == ("inspect:mockllm/model", "mockllm/model")


def test_what_a_model_is_asked_with_is_its_configuration(catalogue: Path, tmp_path: Path) -> None:
    found = []
    for number, images in enumerate((2, 3, 2)):
        sample = only(evaluated(script(reply("Done.")), catalogue, tmp_path / str(number), images=images))
        record = read_stored(Path(sample.metadata["record"]))
        assert check_manifest(record).status == "equal"
        found.append(record.start["agent"]["configuration"])
    assert found[0] == found[2] != found[1]
    assert all(found)


def test_the_model_sees_what_the_record_keeps(catalogue: Path, tmp_path: Path) -> None:
    import base64

    oracle = Oracle("hard")
    sample = only(evaluated(oracle, catalogue, tmp_path, tier="hard", images=99))
    seen = [base64.b64decode(picture.split(",")[1]) for picture in pictures(oracle.shown[-1])]
    kept = [data["screenshot"] for data in events(sample, "observation")]
    assert [screenshot_name(png) for png in seen] == kept
    assert len(pictures(sample.messages)) == len(kept) or sample.attachments


def test_a_reply_without_a_call_is_the_answer(catalogue: Path, tmp_path: Path) -> None:
    click = {"action": "click", "x": 5, "y": 5}
    sample = only(evaluated(script(reply("first", click), reply("All levels are done.")), catalogue, tmp_path))
    score = sample.scores["grades"]
    assert (score.value["OSR"], score.answer, score.metadata["outcome"]) == (0.0, "All levels are done.", "exit")


def test_what_cannot_be_carried_out_is_a_step_and_told(catalogue: Path, tmp_path: Path) -> None:
    broken = ToolCall(id="b", function="gui", arguments={}, parse_error="it is not JSON")
    other = ToolCall(id="o", function="bash", arguments={"cmd": "ls"})
    outside = {"action": "click", "x": 5000, "y": 5}
    null = {"action": "click", "x": 5, "y": 5, "key": None}
    model = script(
        reply("", broken), reply("", other), reply("", outside, null), reply("", stop="max_tokens"), reply("I give up.")
    )
    sample = only(evaluated(model, catalogue, tmp_path))
    assert len(events(sample, "agent_error")) == 3
    taken = [data["action"] for data in events(sample, "decision")[:5]]
    assert taken == [None, None, None, {"action": "click", "x": 5, "y": 5}, None]
    told = [message.text for message in sample.messages if isinstance(message, ChatMessageTool)]
    assert "outside the 1280x900 screen" in told[2]
    assert isinstance(sample.messages[-2], ChatMessageUser)
    assert "cut off" in sample.messages[-2].text
    assert sample.scores["grades"].answer == "I give up."


def test_calls_after_the_end_do_nothing(catalogue: Path, tmp_path: Path) -> None:
    oracle = Oracle()

    def model(*given: Any) -> ModelOutput:
        output = oracle(*given)
        assert output.message.tool_calls
        if oracle._session.view.screen == "complete":
            output.message.tool_calls.append(
                ToolCall(id="late", function="gui", arguments={"action": "wait", "seconds": 0})
            )
        return output

    sample = only(evaluated(model, catalogue, tmp_path))
    assert sample.scores["grades"].value["OSR"] == 100
    assert [message.text for message in sample.messages[-2:]] == [OVER, OVER]


def test_a_service_that_fails_costs_its_sample_only(catalogue: Path, tmp_path: Path) -> None:
    oracle = Oracle("hard")

    def model(messages: list[ChatMessage], *given: Any) -> ModelOutput:
        if "easy" in messages[1].text:
            raise RuntimeError("the service is down")
        return oracle(messages, *given)

    log = evaluated(model, catalogue, tmp_path, tier="easy,hard")
    assert log.status == "error"
    assert log.samples is not None
    failed, solved = sorted(log.samples, key=lambda sample: str(sample.id))
    assert "the service is down" in str(failed.error)
    assert not failed.scores
    assert solved.scores["grades"].value["OSR"] == 100
    (record,) = [run for run in (tmp_path / "runs").iterdir() if "easy" in run.name]
    result = json.loads((record / "result.json").read_text())
    assert (result["scored"], result["failure"]["kind"]) == (False, "provider")


@pytest.mark.parametrize(
    ("limits", "kind"),
    [({"message_limit": 4}, "configuration"), ({"time_limit": 3}, "external")],
    ids=["words", "time"],
)
def test_a_limit_of_inspects_leaves_no_grade(
    limits: dict[str, Any], kind: str, catalogue: Path, tmp_path: Path
) -> None:
    async def model(*_: Any) -> ModelOutput:
        await anyio.sleep(0.2)
        return reply("", {"action": "wait", "seconds": 0})

    sample = only(evaluated(model, catalogue, tmp_path, limits=limits))
    assert sample.error is not None
    assert not sample.scores
    result = json.loads((Path(sample.metadata["record"]) / "result.json").read_text())
    assert (result["scored"], result["failure"]["kind"]) == (False, kind)


def test_the_deadline_holds_while_the_model_thinks(catalogue: Path, tmp_path: Path) -> None:
    async def model(*_: Any) -> ModelOutput:
        await anyio.sleep(60)
        return reply("too late")

    sample = only(evaluated(model, catalogue, tmp_path, budget=0.5))
    assert sample.scores["grades"].metadata["outcome"] == "timeout"
    assert sample.scores["grades"].value["OSR"] == 0


# --- parts ------------------------------------------------------------------------------------------------------------


def test_without_a_game_it_is_the_benchmark(catalogue: Path) -> None:
    stored, small = load(str(STORED), Path()), load(str(catalogue), Path())
    named = [
        [(o.game, o.tier) for o in objectives(stored, *words)] for words in (((), ()), (("maze",), ()), ((), ("easy",)))
    ]
    assert named[0] == [("maze", "easy"), ("maze", "hard"), ("nut", "easy"), ("rush", "easy")]
    assert named[1] == [("maze", "easy"), ("maze", "hard")]
    assert named[2] == [("maze", "easy"), ("nut", "easy"), ("rush", "easy")]
    assert len(objectives(small, (), ())) == 2
    with pytest.raises(LpbError, match=r"no objective of bolt.*maze easy, maze hard"):
        objectives(small, ("bolt",), ())
    with pytest.raises(LpbError, match="no tier 'extreme'"):
        objectives(small, ("maze",), ("extreme",))


def test_a_surface_that_is_none_is_refused_before_anything_plays(catalogue: Path) -> None:
    with pytest.raises(LpbError, match="no surface 'screen'; use browser or direct"):
        objective(snapshot=str(catalogue), surface="screen")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"tier": "extreme"}, "no tier 'extreme'"),
        ({"snapshot": "nowhere"}, "nowhere"),
        ({"budget": "x"}, "budget='x'; give a number of seconds"),
        ({"budget": -1}, "budget=-1; give"),
        ({"images": 0}, "images=0; give a whole number from 1"),
        ({"parallel": 1.5}, "parallel=1.5; give a whole number from 1"),
        ({"lang": "fr"}, "no language 'fr'; use en or zh"),
    ],
)
def test_what_there_is_not_is_one_line_of_inspects_command(
    catalogue: Path, arguments: dict[str, Any], told: str
) -> None:
    from inspect_ai._util.error import PrerequisiteError

    with pytest.raises(LpbError, match=told) as caught:
        objective(**{"snapshot": str(catalogue), "game": "maze", "surface": "direct", **arguments})
    assert isinstance(caught.value, PrerequisiteError), "which Inspect prints without a traceback"
    assert caught.value.message == f"lpb-gen: {caught.value}"


def test_inspects_command_ends_in_that_line(catalogue: Path, tmp_path: Path) -> None:
    said = "lpb-gen: snapshot: no objective of extreme; it has maze easy, maze hard"
    values = ["-T", f"snapshot={catalogue}", "-T", "tier=extreme"]
    words = [sys.executable, "-m", "inspect_ai", "eval", "lpb_gen/objective", "--model", "mockllm/model", *values]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, " ".join(done.stdout.split())) == (1, said), done.stderr
    assert "Traceback" not in done.stderr


def test_objectives_weigh_as_in_the_paper() -> None:
    from inspect_ai.scorer import SampleScore, Score

    given = [("maze", 100), ("maze", 0), ("maze", 50), ("nut", 100)]
    scores = [SampleScore(score=Score(value=value), sample_metadata={"game": game}) for game, value in given]
    assert game_macro()(scores) == 75  # type: ignore[operator, arg-type]


def test_only_the_latest_screenshots_are_shown_again() -> None:
    picture = ContentImage(image="data:image/png;base64,AAAA")
    messages: list[ChatMessage] = [ChatMessageUser(content=[ContentText(text=str(n)), picture]) for n in range(4)]
    shown = with_latest(messages, 2)
    assert [message.text for message in shown] == [f"0\n{LEFT_OUT}", f"1\n{LEFT_OUT}", "2", "3"]
    assert len(pictures(messages)) == 4


def test_a_queued_agent_waits_for_its_decisions() -> None:
    agent = Queued("someone", {"model": "m"})
    agent.begin("play", (1280, 900))
    seen = Observation(screenshot=b"png", step=0, seconds_left=9.0)
    decision = Decision(action=Answer("done"))
    agent.decide(decision)
    assert agent.act(seen) is decision
    assert agent.seen() is seen
    agent.decide(TechnicalFailure("provider", "down"))
    with pytest.raises(TechnicalFailure, match="down"):
        agent.act(seen)
    assert agent.seen() is seen
    agent.close()
    assert agent.seen() is None
    assert agent.describe() == {"name": "someone", "model": "m"}
