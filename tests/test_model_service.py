"""What an agent does while its model's service is in trouble: it asks again, in the time left, and gives up clearly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import asking
import levels
import pytest
from asking import Serve, Time, agent, screen
from fake_models import KEY, Fault
from fake_wire import Say

from lpb_gen.runners.agents.base import Answer
from lpb_gen.runners.agents.service import trouble_of
from lpb_gen.runners.failures import TechnicalFailure

ALL = ["chat", "responses", "messages"]
DONE = Say(text="Done.")
EASY = levels.objective("easy", levels.EASY[:1])


# --- asked again ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ALL)
@pytest.mark.parametrize("stream", ["yes", "no"])
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Fault(status=429, code="rate_limit_error", message="slow down"), "HTTP 429: slow down"),
        (Fault(status=500), "HTTP 500: no luck today"),
        (Fault(status=529, code="overloaded_error", message="overloaded"), "HTTP 529: overloaded"),
        (Fault(kind="cut"), ""),
        (Fault(kind="garbage"), ""),
        (Fault(kind="page"), ""),
    ],
    ids=["429", "500", "529", "cut", "garbage", "page"],
)
def test_what_may_go_well_the_next_time_is_tried_again(
    fault: Fault, told: str, stream: str, api: str, serve: Serve
) -> None:
    models, time = serve([fault, fault, DONE]), Time()
    decision = agent(models, api, time=time, stream=stream).act(screen())
    assert decision.action == Answer("Done.")
    assert time.slept == [1.0, 2.0]
    assert decision.usage is not None
    assert decision.usage["calls"] == 3
    assert decision.text.startswith(f"Done.\n[asked again after: {told}")
    assert models.requests[0] == models.requests[2]


@pytest.mark.parametrize("api", ALL)
def test_an_error_in_the_middle_of_a_stream_is_tried_again(api: str, serve: Serve) -> None:
    models, time = serve([Fault(kind="error", code="overloaded_error", message="too much"), DONE]), Time()
    decision = agent(models, api, time=time).act(screen())
    assert decision.action == Answer("Done.")
    assert "too much" in decision.text


@pytest.mark.parametrize(("code", "tries"), [("server_error", 3), ("invalid_prompt", 1)])
def test_a_response_that_failed_is_tried_again_if_that_may_help(code: str, tries: int, serve: Serve) -> None:
    models = serve([Fault(kind="failed", code=code, message="sorry")] * 9)
    with pytest.raises(TechnicalFailure, match="the response failed: sorry"):
        agent(models, "responses", time=Time(), stream="no", retries=2).act(screen())
    assert len(models.requests) == tries


def test_the_library_does_not_try_again_behind_our_back(serve: Serve) -> None:
    models, time = serve([Fault(status=500)] * 3), Time()
    with pytest.raises(TechnicalFailure):
        agent(models, "chat", time=time, retries=2).act(screen())
    assert len(models.requests) == 3


@pytest.mark.parametrize("api", ALL)
@pytest.mark.parametrize(
    ("headers", "pause"),
    [({"retry-after": "7"}, 7.0), ({"retry-after-ms": "2500"}, 2.5), ({"retry-after": "0.2"}, 1.0)],
    ids=["seconds", "milliseconds", "less-than-ours"],
)
def test_the_service_says_how_long_it_wants_to_be_left_alone(
    headers: dict[str, str], pause: float, api: str, serve: Serve
) -> None:
    models, time = serve([Fault(status=429, headers=headers), DONE]), Time()
    agent(models, api, time=time).act(screen())
    assert time.slept == [pause]


def test_a_date_is_a_time_to_come_back_at(serve: Serve) -> None:
    models, time = serve([Fault(status=503, headers={"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}), DONE]), Time()
    agent(models, "chat", time=time).act(screen())
    assert time.slept == [1.0]  # it has passed


def test_pauses_double_up_to_a_minute(serve: Serve) -> None:
    models, time = serve([*[Fault(status=502)] * 9, DONE]), Time()
    agent(models, "chat", time=time, retries=9).act(screen(left=3600))
    assert time.slept == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_a_service_that_cannot_be_reached_is_tried_again(serve: Serve) -> None:
    models, time = serve([]), Time()
    player = agent(models, "messages", time=time, retries=2)
    models.before_closing.clear()  # it goes away, the agent stays
    models.close()
    with pytest.raises(TechnicalFailure, match=r"the connection failed .* given up after 3 tries") as failure:
        player.act(screen())
    player.close()
    assert failure.value.kind == "provider"
    assert time.slept == [1.0, 2.0]


# --- given up ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ALL)
def test_after_so_many_tries_it_is_a_technical_failure(api: str, serve: Serve) -> None:
    models, time = serve([Fault(status=500)] * 9), Time()
    with pytest.raises(TechnicalFailure, match=r"HTTP 500: no luck today; given up after 4 tries$") as failure:
        agent(models, api, time=time, retries=3).act(screen())
    assert failure.value.kind == "provider"


def test_it_gives_up_when_the_next_try_would_come_after_the_deadline(serve: Serve) -> None:
    models, time = serve([Fault(status=429, headers={"retry-after": "60"})] * 9), Time()
    with pytest.raises(TechnicalFailure, match="no time is left for another") as failure:
        agent(models, "chat", time=time).act(screen(left=30))
    assert failure.value.kind == "provider"
    assert time.slept == []


@pytest.mark.parametrize("api", ALL)
@pytest.mark.parametrize("status", [400, 403, 404, 413, 422])
def test_what_will_be_the_same_next_time_is_not_tried_again(status: int, api: str, serve: Serve) -> None:
    models, time = serve([Fault(status=status, message="look\nhere")]), Time()
    with pytest.raises(TechnicalFailure, match=f"HTTP {status}: look here") as failure:
        agent(models, api, time=time).act(screen())
    assert failure.value.kind == "configuration"
    assert len(models.requests) == 1
    assert "\n" not in str(failure.value)


def test_an_account_without_money_is_not_asked_again(serve: Serve) -> None:
    models, time = serve([Fault(status=429, code="insufficient_quota", message="you have no credit")]), Time()
    with pytest.raises(TechnicalFailure, match="you have no credit") as failure:
        agent(models, "chat", time=time).act(screen())
    assert failure.value.kind == "configuration"


@pytest.mark.parametrize("api", ALL)
def test_a_wrong_key_is_told_without_the_key(api: str, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fake_models.KEY", "another")
    with pytest.raises(TechnicalFailure, match=r"HTTP 401: this key is wrong: \[key\]; check the key") as failure:
        agent(serve([]), api, time=Time()).act(screen())
    assert KEY not in str(failure.value)
    assert failure.value.kind == "configuration"


def test_a_fault_of_ours_is_no_fault_of_the_service() -> None:
    trouble = trouble_of(TypeError("create() got an unexpected keyword argument"))
    assert not trouble.again
    assert trouble.kind == "external"


# --- out of time ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ALL)
@pytest.mark.parametrize("kind", ["silent", "dribbling"])
def test_a_model_that_is_only_slow_runs_into_the_deadline(kind: Any, api: str, serve: Serve) -> None:
    decision = agent(serve([Fault(kind=kind)]), api).act(screen(left=0.3))
    assert decision.action is None
    assert decision.text == "[no reply before the deadline]"
    assert decision.usage == {"calls": 1}


def test_a_service_that_falls_silent_is_tried_again(serve: Serve) -> None:
    decision = agent(serve([Fault(kind="silent"), DONE]), "chat", timeout=1).act(screen(left=60))
    assert decision.action == Answer("Done.")
    assert "no answer in time" in decision.text


# --- in an episode ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "left", "outcome", "kind"),
    [
        ([Fault(status=500)] * 20, 3600.0, "technical", "provider"),
        ([Fault(status=404)], 3600.0, "technical", "configuration"),
        ([Fault(kind="dribbling")] * 20, 0.5, "timeout", None),
        ([Say(text="I cannot.", ending="refused")], 3600.0, "exit", None),
    ],
    ids=["down", "unknown-model", "slow", "refusal"],
)
def test_only_what_is_not_the_models_own_is_left_ungraded(
    script: list[Any], left: float, outcome: str, kind: str | None, serve: Serve, tmp_path: Path
) -> None:
    clock = Time() if left > 1 else None  # what is slow takes real time
    player = agent(serve(script), "chat", time=clock)
    result = asking.play(player, EASY, tmp_path / "run", clock=clock, budget=left)
    assert result["outcome"] == outcome
    assert (result["failure"] or {"kind": None})["kind"] == kind
    assert result["scored"] == (kind is None)


def test_no_file_of_a_run_holds_the_key(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fake_models.KEY", "another")  # the service's message repeats the key
    time = Time()
    player = agent(serve([]), "messages", time=time)
    result = asking.play(player, EASY, tmp_path / "run", clock=time, keep="changes")
    assert "[key]" in result["failure"]["what"]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in json.dumps(player.describe())
