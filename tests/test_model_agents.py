"""Agents that ask a model: what they do with what it says. Their services are on this machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import asking
import levels
import pytest
from asking import INSTRUCTION, Serve, agent, decisions, picture, screen
from fake_models import APIS, KEY, Model
from fake_wire import Refused, Say

from lpb_gen.runners import actions
from lpb_gen.runners.agents.base import Answer
from lpb_gen.runners.agents.oracle import Oracle
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.effort import Effort
from lpb_gen.runners.record import read_events
from lpb_gen.runners.session import Session

SHORT = levels.objective("easy", levels.EASY[:2])
ALL = ["chat", "responses", "messages"]
# every way of asking: (api, options)
WAYS = [
    pytest.param("chat", {}, id="chat"),
    pytest.param("responses", {}, id="responses-computer"),
    pytest.param("responses", {"tools": "computer_use_preview"}, id="responses-preview"),
    pytest.param("responses", {"tools": "gui"}, id="responses-gui"),
    pytest.param("messages", {}, id="messages-toolset"),
    pytest.param("messages", {"tools": "computer_20251124"}, id="messages-single-tool"),
    pytest.param("messages", {"tools": "gui"}, id="messages-gui"),
]


def call(api: str, options: Mapping[str, Any], action: Mapping[str, Any]) -> tuple[str, Any]:
    """A click or a straight drag as the model would call for it: (tool, arguments)."""
    kind, tools = action["action"], options.get("tools")
    if api == "chat" or tools == "gui":
        return "gui", dict(action)
    if api == "responses":
        native: dict[str, Any] = {"type": "wait"}
        if kind == "click":
            native = {"type": "click", "button": "left", "x": action["x"], "y": action["y"]}
        elif kind == "drag":
            native = {"type": "drag", "path": [{"x": x, "y": y} for x, y in action["path"]]}
        return (tools, native) if tools else ("computer", [native])
    if kind == "drag":
        start, end = action["path"]
        member, given = "left_click_drag", {"start_coordinate": start, "coordinate": end}
    else:
        member, given = "left_click", {"coordinate": [action["x"], action["y"]]}
    return ("computer", {"action": member, **given}) if tools else (member, given)


def test_every_way_of_asking_is_played_below() -> None:
    from lpb_gen.runners.agents import anthropic, openai

    ways = {(way.values[0], dict(way.values[1]).get("tools")) for way in WAYS}  # type: ignore[call-overload]
    known = {("chat", None), *(("responses", tools) for tools in openai.TOOLS["responses"])}
    known |= {("messages", tools) for tools in anthropic.CHOICES["tools"]}
    default = {("responses", None), ("messages", None)}
    assert ways - default <= known
    assert known - ways == {("responses", "computer"), ("messages", "computer"), ("messages", "computer_20250124")}


# --- a whole episode --------------------------------------------------------------------------------------------------


@cache
def by_heart() -> list[tuple[bytes, dict[str, Any]]]:
    """The easy objective as the oracle plays it: what the screen shows, and what is done then."""
    surface, oracle = DirectSurface(Session((SHORT,))), Oracle("maze", "easy")
    played = []
    while len(surface.session.view.won.get(("maze", "easy"), ())) < len(SHORT.levels):
        action = oracle.act_knowing("", surface.session)
        assert isinstance(action, actions.Click | actions.Drag)
        played.append((surface.screenshot(), actions.write_action(action)))
        surface.dispatch(actions.events(action))
    return played


def oracle_says(api: str, options: Mapping[str, Any]) -> Model:
    """A model that knows it by heart, and looks whether it is shown what it should be shown."""
    rest = iter(by_heart())
    path = APIS[asking.PATHS[api]]

    def say(request: Mapping[str, Any]) -> Say:
        screenshot, action = next(rest)
        if path.pictures(request)[-1] != screenshot:
            raise Refused("this is not what the screen shows now")
        return Say(text="Next.", thinking="hm", calls=[call(api, options, action)])

    return say


@pytest.mark.parametrize(
    ("api", "options", "stream"),
    [pytest.param(*way.values, "yes", id=way.id) for way in WAYS]
    + [pytest.param(*way.values, "no", id=f"{way.id}-whole") for way in (WAYS[0], WAYS[1], WAYS[4])],
)
def test_a_model_that_knows_the_solutions_solves_everything(
    api: str, options: dict[str, Any], stream: str, serve: Serve, tmp_path: Path
) -> None:
    models = serve(oracle_says(api, options))
    player = agent(models, api, stream=stream, images=4, history=9, **options)
    result = asking.play(player, SHORT, tmp_path / "run")
    assert result["failure"] is None
    assert result["metrics"]["OSR"] == 100.0
    assert all(level["winning_moves"] == level["optimal_length"] for level in result["levels"])
    effort = Effort()
    for event in read_events(tmp_path / "run" / "events.jsonl"):
        effort.add(event)
    assert effort.whole()["model_calls"] == len(models.requests) == effort.whole()["steps"] == len(by_heart())
    assert effort.whole()["cached_tokens"] == 600 * len(models.requests)
    assert max(len(some) for some in asking.pictures(models, api)) <= 4
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


# --- what is asked ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ALL)
def test_the_first_request_holds_the_instruction_and_the_screen(api: str, serve: Serve) -> None:
    models = serve([])
    decisions(agent(models, api), 1)
    text = json.dumps(models.requests[0])
    assert INSTRUCTION in text
    assert "1280x900" in text
    assert asking.pictures(models, api) == [[picture(0)]]


def test_the_keys_are_where_the_services_look_for_them(serve: Serve) -> None:
    models = serve([])
    decisions(agent(models, "chat"), 1)
    decisions(agent(models, "messages"), 1)
    assert models.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY in (
        models.headers[1].get("authorization", "").removeprefix("Bearer "),
        models.headers[1].get("x-api-key"),
    )
    assert KEY not in json.dumps(models.requests)


def test_options_go_into_the_request(serve: Serve) -> None:
    models = serve([])
    decisions(agent(models, "chat", reasoning_effort="low", max_tokens=99, temperature=0.5, detail="low"), 1)
    decisions(agent(models, "responses", reasoning_effort="max", max_tokens=99, temperature=0), 1)
    decisions(agent(models, "messages", reasoning_effort="xhigh", max_tokens=9999, thinking=4000, cache="no"), 1)
    chat, responses, messages = models.requests
    assert (chat["reasoning_effort"], chat["max_completion_tokens"], chat["temperature"]) == ("low", 99, 0.5)
    assert chat["messages"][1]["content"][1]["image_url"]["detail"] == "low"
    assert (responses["reasoning"], responses["max_output_tokens"]) == ({"effort": "max"}, 99)
    assert responses["temperature"] == 0
    assert (messages["output_config"], messages["max_tokens"]) == ({"effort": "xhigh"}, 9999)
    assert messages["thinking"] == {"type": "enabled", "budget_tokens": 4000}
    assert "cache_control" not in messages


def test_a_temperature_is_asked_of_the_last_version_of_the_api_that_has_one(serve: Serve) -> None:
    models = serve([])
    decisions(agent(models, "messages", temperature=0.5, tools="computer_20250124"), 1)
    decisions(agent(models, "messages"), 1)
    assert models.requests[0]["temperature"] == 0.5
    assert [headers["anthropic-version"] for headers in models.headers] == ["2023-06-01", "2026-10-21"]
    assert models.headers[0]["anthropic-beta"] == "computer-use-2025-01-24"


def test_reasoning_is_asked_for_and_sent_back(serve: Serve) -> None:
    look = ("computer", [{"type": "screenshot"}])
    models = serve([Say(thinking="sealed", calls=[look])])
    decisions(agent(models, "responses"), 2)
    assert models.requests[0]["include"] == ["reasoning.encrypted_content"]
    reasoning = [item for item in models.requests[1]["input"] if item.get("type") == "reasoning"]
    assert [item["encrypted_content"] for item in reasoning] == ["sealed"]


def test_a_model_that_does_not_reason_is_not_asked_for_its_reasoning(serve: Serve) -> None:
    models = serve([])
    decisions(agent(models, "responses", model="gpt-4.1", tools="gui"), 1)
    assert "include" not in models.requests[0]


def test_the_toolset_offers_only_what_can_be_done(serve: Serve) -> None:
    models = serve([])
    decisions(agent(models, "messages"), 1)
    (tool,) = models.requests[0]["tools"]
    off = {name for name, config in tool["configs"].items() if config == {"enabled": False}}
    assert off == {"hold_key", "right_click", "middle_click", "triple_click", "zoom"} == set(tool["configs"])


def test_members_of_the_toolset_are_those_of_the_library() -> None:
    from anthropic.types.beta.beta_computer_member_name import BETA_COMPUTER_MEMBER_NAME_VALUES

    from lpb_gen.runners.agents.anthropic_messages import MEMBERS

    assert set(MEMBERS) == set(BETA_COMPUTER_MEMBER_NAME_VALUES)


# --- what is kept -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("api", "options"), WAYS)
def test_only_the_latest_screenshots_are_kept(api: str, options: dict[str, Any], serve: Serve) -> None:
    models = serve([Say(calls=[call(api, options, {"action": "click", "x": n, "y": n})]) for n in range(12)])
    decisions(agent(models, api, images=4, **options), 12)
    shown = asking.pictures(models, api)
    assert [len(some) for some in shown] == [1, 2, 3, 4, 2, 3, 4, 2, 3, 4, 2, 3]
    assert all(
        some == [picture(n) for n in range(number + 1 - len(some), number + 1)] for number, some in enumerate(shown)
    )


@pytest.mark.parametrize(("api", "options"), WAYS)
def test_old_turns_are_forgotten(api: str, options: dict[str, Any], serve: Serve) -> None:
    models = serve([Say(calls=[call(api, options, {"action": "click", "x": n, "y": n})]) for n in range(12)])
    decisions(agent(models, api, history=4, **options), 8)
    assert "[3 earlier steps left out]" in json.dumps(models.requests[5])
    assert INSTRUCTION in json.dumps(models.requests[7])


def test_between_two_cuts_the_conversation_only_grows(serve: Serve) -> None:
    models = serve([Say(calls=[("gui", {"action": "press", "key": "r"})]) for _ in range(9)])
    decisions(agent(models, "chat", images=4), 9)
    talks = [request["messages"] for request in models.requests]
    grown = [before == after[: len(before)] for before, after in pairwise(talks)]
    assert grown == [True, True, True, False, True, True, False, True]


def test_signed_thinking_is_sent_back_until_something_before_it_is_left_out(serve: Serve) -> None:
    models = serve([Say(thinking="hm", calls=[("screenshot", {})]) for _ in range(7)])
    decisions(agent(models, "messages", images=3), 7)
    kept = [json.dumps(request).count('"signature": "signed"') for request in models.requests]
    assert kept == [0, 1, 2, 0, 1, 2, 0]


def test_a_fixed_budget_of_thinking_keeps_all_of_it(serve: Serve) -> None:
    models = serve([Say(thinking="hm", calls=[("screenshot", {})]) for _ in range(6)])
    decisions(agent(models, "messages", images=3, thinking=2000), 6)
    kept = [json.dumps(request).count('"signature": "signed"') for request in models.requests]
    assert kept == [0, 1, 2, 3, 4, 5]


def test_what_a_native_turn_did_is_told_in_words_once_its_screenshot_is_gone(serve: Serve) -> None:
    click = {"type": "click", "button": "left", "x": 11, "y": 22}
    models = serve(
        [Say(text="I see.", calls=[("computer", [click])]), *[Say(calls=[("computer", [{"type": "wait"}])])] * 3]
    )
    decisions(agent(models, "responses", images=2), 4)
    told = [part["text"] for item in models.requests[3]["input"] for part in item.get("content", ()) if "text" in part]
    assert any("- you said: I see." in text and '"x": 11' in text for text in told)


# --- what is made of a reply ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", ["yes", "no"])
@pytest.mark.parametrize("api", ALL)
def test_words_without_a_call_are_the_final_answer(api: str, stream: str, serve: Serve) -> None:
    (decision,) = decisions(agent(serve([Say(text="All levels are done.")]), api, stream=stream), 1)
    assert decision.action == Answer("All levels are done.")


@pytest.mark.parametrize("stream", ["yes", "no"])
@pytest.mark.parametrize("api", ALL)
def test_a_refusal_is_the_models_own_end_and_marked(api: str, stream: str, serve: Serve) -> None:
    (decision,) = decisions(agent(serve([Say(text="I won't.", ending="refused")]), api, stream=stream), 1)
    assert decision.action == Answer("[refused] I won't.")
    assert decision.text.endswith("[refused]")


@pytest.mark.parametrize(("api", "options"), WAYS)
def test_calls_of_one_reply_are_carried_out_one_by_one(api: str, options: dict[str, Any], serve: Serve) -> None:
    clicks = [{"action": "click", "x": n, "y": n} for n in range(3)]
    models = serve([Say(text="Three.", calls=[call(api, options, click) for click in clicks])])
    made = decisions(agent(models, api, **options), 4)
    assert [decision.action for decision in made[:3]] == clicks
    assert [decision.usage is not None for decision in made[:3]] == [True, False, False]
    assert [decision.text for decision in made[:3]] == ["Three.", "", ""]
    assert len(models.requests) == 2
    assert set(asking.pictures(models, api)[1]) == {picture(0), picture(3)}


@pytest.mark.parametrize(("api", "options"), WAYS)
def test_after_a_call_that_fails_the_rest_of_the_reply_is_not_carried_out(
    api: str, options: dict[str, Any], serve: Serve
) -> None:
    clicks = [{"action": "click", "x": n, "y": 5000} for n in range(3)]
    models = serve([Say(calls=[call(api, options, click) for click in clicks])])
    player = agent(models, api, **options)
    player.act(screen(0))
    player.act(screen(1, error="click: (0, 5000) is outside the 1280x900 screen"))
    sent = json.dumps(models.requests[1])
    assert len(models.requests) == 2
    assert "outside the 1280x900 screen" in sent
    assert sent.count("Not executed") == 2


@pytest.mark.parametrize("api", ALL)
def test_a_reply_that_says_nothing_is_asked_for_more(api: str, serve: Serve) -> None:
    models = serve([Say(), Say(text="well", ending="cut"), Say(text="Done.")])
    made = decisions(agent(models, api), 3)
    assert [decision.action for decision in made] == [None, None, Answer("Done.")]
    assert [decision.step_class for decision in made[:2]] == ["other", "other"]
    assert "was empty" in json.dumps(models.requests[1])
    assert "cut off" in json.dumps(models.requests[2])


@pytest.mark.parametrize("api", ALL)
def test_a_model_that_goes_on_saying_nothing_ends_the_episode(api: str, serve: Serve) -> None:
    made = decisions(agent(serve([Say()] * 9), api), 4)
    assert [decision.action for decision in made] == [None, None, None, Answer("[no action in 4 replies]")]


@pytest.mark.parametrize("stream", ["yes", "no"])
@pytest.mark.parametrize("arguments", ['{"action": "click", "x": 3', "[1, 2]", "", '"click"'])
def test_arguments_that_are_no_object_are_an_invalid_action(arguments: str, stream: str, serve: Serve) -> None:
    models = serve([Say(calls=[("gui", arguments)])])
    first, _ = decisions(agent(models, "chat", stream=stream), 2)
    with pytest.raises(actions.InvalidAction):
        actions.read_action(first.action, asking.VIEWPORT)
    (result,) = [message for message in models.requests[1]["messages"] if message["role"] == "tool"]
    assert "the arguments are not" in result["content"]


def test_a_tool_that_is_not_there_is_an_invalid_action(serve: Serve) -> None:
    models = serve([Say(calls=[("bash", {"command": "ls"})])])
    first, _ = decisions(agent(models, "chat"), 2)
    with pytest.raises(actions.InvalidAction):
        actions.read_action(first.action, asking.VIEWPORT)
    assert "there is no tool 'bash'; call gui" in json.dumps(models.requests[1])


def test_half_an_input_of_a_tool_is_not_carried_out(serve: Serve) -> None:
    models = serve([Say(calls=[("left_click", {"coordinate": [1, 2]})], ending="cut")])
    first, _ = decisions(agent(models, "messages"), 2)
    with pytest.raises(actions.InvalidAction):
        actions.read_action(first.action, asking.VIEWPORT)
    assert "the call was cut off" in json.dumps(models.requests[1])


def test_safety_checks_are_acknowledged(serve: Serve) -> None:
    check = {"id": "cu_sc_1", "code": "malicious_instructions", "message": "beware"}
    models = serve([Say(calls=[("computer", [{"type": "screenshot"}])], safety=[check])])
    decisions(agent(models, "responses"), 2)
    (result,) = [item for item in models.requests[1]["input"] if item.get("type") == "computer_call_output"]
    assert result["acknowledged_safety_checks"] == [check]
    assert result["output"]["detail"] == "original"


@pytest.mark.parametrize(
    ("api", "options", "look"),
    [("responses", {}, ("computer", [{"type": "screenshot"}])), ("messages", {}, ("screenshot", {}))],
)
def test_looking_at_the_screen_is_a_native_step(
    api: str, options: dict[str, Any], look: tuple[str, Any], serve: Serve
) -> None:
    (decision,) = decisions(agent(serve([Say(calls=[look])]), api), 1)
    assert (decision.action, decision.step_class) == (None, "native")


def test_a_look_is_native_in_the_record_too(serve: Serve, tmp_path: Path) -> None:
    look = Say(calls=[("computer", [{"type": "screenshot"}])])
    asking.play(agent(serve([look, Say(text="Done.")]), "responses"), SHORT, tmp_path / "run")
    events = read_events(tmp_path / "run" / "events.jsonl")
    steps = [event["data"]["step_class"] for event in events if event["type"] == "decision"]
    assert steps == ["native", "other"]


@pytest.mark.parametrize("action", [{"action": "press", "key": "F5"}, {"action": "fly"}])
def test_what_an_invalid_action_cost_is_in_the_record(action: dict[str, Any], serve: Serve, tmp_path: Path) -> None:
    models = serve([Say(text="Hm.", calls=[("gui", action)]), Say(text="Done.")])
    asking.play(agent(models, "chat"), SHORT, tmp_path / "run")
    events = list(read_events(tmp_path / "run" / "events.jsonl"))
    first, last = [event["data"] for event in events if event["type"] == "decision"]
    assert (first["action"], first["text"], first["step_class"]) == (None, "Hm.", "other")
    assert first["usage"] == last["usage"]
    assert [event["data"]["step"] for event in events if event["type"] == "agent_error"] == [0]
    (result,) = [message for message in models.requests[1]["messages"] if message["role"] == "tool"]
    assert "not allowed" in result["content"] or "no such action" in result["content"]


# --- what it took -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", ["yes", "no"])
@pytest.mark.parametrize("api", ALL)
def test_tokens_are_counted_and_paid_for(api: str, stream: str, serve: Serve) -> None:
    """1,000 tokens sent, 600 of them from a cache and 100 to one, and 50 back; at 2, 0.2, 2.5 and 10 dollars."""
    (decision,) = decisions(agent(serve([Say(text="Done.")]), api, stream=stream), 1)
    assert decision.usage == {
        "calls": 1,
        "input_tokens": 1000,
        "cached_tokens": 600,
        "output_tokens": 50,
        "usd": pytest.approx((300 * 2 + 600 * 0.2 + 100 * 2.5 + 50 * 10) / 1e6),
    }


@pytest.mark.parametrize("stream", ["yes", "no"])
def test_a_server_that_does_not_count_tokens_costs_nothing_known(stream: str, serve: Serve) -> None:
    (decision,) = decisions(agent(serve([Say(text="Done.", tokens=None)]), "chat", stream=stream), 1)
    assert decision.usage == {"calls": 1}


@pytest.mark.parametrize("stream", ["yes", "no"])
def test_other_vendors_reasoning_is_sent_back(stream: str, serve: Serve) -> None:
    models = serve([Say(thinking="First the left one.", calls=[("gui", {"action": "press", "key": "r"})])])
    decisions(agent(models, "chat", stream=stream), 2)
    assert models.requests[1]["messages"][2]["reasoning_content"] == "First the left one."


def test_a_model_without_a_known_price_has_no_cost(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    (decision,) = decisions(agent(serve([Say(text="Done.")]), "chat", model="llama-9"), 1)
    assert decision.usage is not None
    assert "usd" not in decision.usage
    assert capsys.readouterr().err.count("openai:llama-9: no price is known") == 1
