"""Models' services that are broken beyond their formats, or hostile: what they send is bounded, what they learn is not
written down, and whatever the model itself says ends in a grade."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import asking
import levels
import pytest
from asking import Serve, Time, agent, screen
from fake_models import APIS, KEY, Fault
from fake_wire import Say, error

from lpb_gen.runners.agents import careful_client
from lpb_gen.runners.agents.base import Answer
from lpb_gen.runners.agents.prices import Price
from lpb_gen.runners.agents.replies import BrokenReply, Call, Reply, Tokens
from lpb_gen.runners.agents.tidying import MOST_CALLS, MOST_SAID, count, tidied
from lpb_gen.runners.failures import TechnicalFailure

ALL = ["chat", "responses", "messages"]
GUI = {"responses": {"tools": "gui"}, "messages": {"tools": "gui"}}
EASY = levels.objective("easy", levels.EASY[:1])
WAIT = {"action": "wait", "seconds": 0}
Answering = Callable[[BaseHTTPRequestHandler], None]


class Raw:
    """A server that answers every request with what ``answer`` writes; ``seen``: path and headers of each."""

    def __init__(self, answer: Answering) -> None:
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.before_closing: list[Callable[[], None]] = []
        raw = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                raw.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                self.close_connection = True
                with suppress(OSError):  # nobody listens any more
                    answer(self)

            def do_GET(self) -> None:  # what some redirects turn a request into
                self.do_POST()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        for step in self.before_closing:
            step()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def raw() -> Iterator[Callable[[Answering], Raw]]:
    servers: list[Raw] = []

    def start(answer: Answering) -> Raw:
        servers.append(Raw(answer))
        return servers[-1]

    yield start
    for server in reversed(servers):
        server.close()


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"content-type": "application/json", **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("content-length", str(len(body)))
    handler.send_header("connection", "close")
    handler.end_headers()
    handler.wfile.write(body)


def failure_of(server: Any, api: str, **options: Any) -> TechnicalFailure:
    with pytest.raises(TechnicalFailure) as caught:
        agent(server, api, time=Time(), **options).act(screen(left=1000.0))
    assert KEY not in str(caught.value)
    return caught.value


# --- the key ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ALL)
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_the_key_goes_to_no_other_server(status: int, api: str, raw: Callable[[Answering], Raw]) -> None:
    thief = raw(lambda handler: send(handler, b"{}"))
    server = raw(lambda handler: send(handler, b"", status, location=f"{thief.address}/v1"))
    failure = failure_of(server, api)
    assert failure.kind == "configuration"
    assert f"it sends us to another server, {thief.address}" in str(failure)
    assert len(server.seen) == 1
    assert thief.seen == []


@pytest.mark.parametrize("length", range(260, 310, 7))
def test_no_part_of_the_key_is_left_where_a_message_is_cut(length: int, raw: Callable[[Answering], Raw]) -> None:
    body = json.dumps(error("invalid_request_error", "x" * length + KEY)).encode()
    assert KEY[:5] not in str(failure_of(raw(lambda handler: send(handler, body, 400)), "chat"))


@pytest.mark.parametrize("api", ALL)
def test_a_model_that_says_the_key_does_not_bring_it_into_the_record(api: str, serve: Serve, tmp_path: Path) -> None:
    said = [
        Say(calls=[("gui", {"action": "type", "text": KEY})]),
        Say(calls=[(KEY, {KEY: KEY})]),
        Say(text=f"it is {KEY}"),
    ]
    player = agent(serve(said), api, **GUI.get(api, {}))
    result = asking.play(player, EASY, tmp_path / "run")
    assert result["answer"] == "it is [key]"
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_a_key_that_is_only_a_word_changes_no_text() -> None:
    reply = Reply(items=[], text="none of it", calls=[Call(id="1", action={"action": "type", "text": "none"})])
    assert tidied(reply, "none").calls[0].action == {"action": "type", "text": "none"}
    assert tidied(reply, "none").text == "none of it"


# --- answers without end ----------------------------------------------------------------------------------------------


def endless(handler: BaseHTTPRequestHandler, kind: str, piece: bytes) -> None:
    handler.send_response(200)
    handler.send_header("content-type", kind)
    handler.end_headers()
    while True:
        handler.wfile.write(piece)


@pytest.mark.parametrize("api", ALL)
@pytest.mark.parametrize(
    ("kind", "piece"),
    [
        ("text/event-stream", b": I am still here\n\n" * 1000),
        ("text/event-stream", b"data: " + b"x" * 10_000),
        ("application/json", b" " * 10_000),
        ("text/html", b"<p>" * 5_000),
    ],
    ids=["comments", "line", "blanks", "page"],
)
@pytest.mark.parametrize("stream", ["yes", "no"])
def test_an_answer_without_end_is_cut_off(
    stream: str, kind: str, piece: bytes, api: str, raw: Callable[[Answering], Raw], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(careful_client, "MOST_BYTES", 300_000)
    server = raw(lambda handler: endless(handler, kind, piece))
    failure = failure_of(server, api, stream=stream, retries=1)
    assert failure.kind == "provider"
    assert "the answer has more than 300,000 bytes; given up after 2 tries" in str(failure)


def test_an_error_without_end_is_cut_off(raw: Callable[[Answering], Raw], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(careful_client, "MOST_BYTES", 300_000)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(400)
        handler.end_headers()
        while True:
            handler.wfile.write(b"no" * 5_000)

    assert "more than 300,000 bytes" in str(failure_of(raw(answer), "chat", retries=0))


@pytest.mark.parametrize("api", ALL)
def test_nothing_is_unpacked(api: str, raw: Callable[[Answering], Raw]) -> None:
    bomb = gzip.compress(b" " * 1_000_000)
    server = raw(lambda handler: send(handler, bomb, content_encoding="gzip"))
    assert "the answer is compressed (gzip)" in str(failure_of(server, api, retries=0))
    assert server.seen[0][1]["accept-encoding"] == "identity"


def test_a_reply_has_a_greatest_length() -> None:
    for reply in (Reply(items=[{"text": "x" * MOST_SAID}], text=""), Reply(items=[], text="x" * (MOST_SAID + 1))):
        with pytest.raises(BrokenReply, match="more than 4,000,000 characters"):
            tidied(reply, KEY)


# --- answers that are cut off -----------------------------------------------------------------------------------------


def wire(api: str, stream: str, said: Say) -> bytes:
    """Every byte of a good answer, from the status line on; the character \u5b8c as three bytes."""
    request = {"model": "m", "tools": [], "stream": stream == "yes", "stream_options": {"include_usage": True}}
    service = APIS[asking.PATHS[api]]
    plain = [json.dumps(service.whole(request, said)).encode()] if stream == "no" else service.events(request, said)
    parts = [part.replace(rb"\u5b8c", "\u5b8c".encode()) for part in plain]
    if stream == "no":
        return (
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(parts[0])
            + parts[0]
        )
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize("api", ALL)
@pytest.mark.parametrize("stream", ["yes", "no"])
@pytest.mark.parametrize(
    "said",
    [Say(text="it is \u5b8c now"), Say(text="\u5b8c", calls=[("gui", {"action": "click", "x": 640, "y": 300})])],
    ids=["answer", "call"],
)
def test_an_answer_that_is_cut_off_anywhere_is_no_answer(
    said: Say, stream: str, api: str, raw: Callable[[Answering], Raw]
) -> None:
    """In the status line, the headers, a chunk's size, an event, a character: never half an answer or click."""
    good = wire(api, stream, said)
    inside = good.index("\u5b8c".encode())
    end = good.index(b"data: [DONE]") if b"[DONE]" in good else len(good) - 1  # what follows that mark says nothing
    points = {0, 5, 12, 16, 17, 30, inside + 1, inside + 2, end - 4, end - 2, end, *range(40, end, len(good) // 22)}
    sent: list[bytes] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(sent[-1])

    server = raw(answer)
    player = agent(server, api, time=Time(), stream=stream, retries=0, **GUI.get(api, {}))
    for point in sorted(points):
        sent.append(good[:point])
        with pytest.raises(TechnicalFailure) as caught:
            player.act(screen(left=1000.0))
        assert caught.value.kind == "provider", good[:point]
    sent.append(good)
    decision = player.act(screen(left=1000.0))
    assert decision.action == (Answer(said.text) if not said.calls else said.calls[0][1])
    assert len(server.seen) == len(points) + 1 >= 30


def many_headers(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"x-more: %s\r\n" % (b"y" * 1000))


def one_header(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nx: ")
    while True:
        handler.wfile.write(b"y" * 10_000)


def status_line(handler: BaseHTTPRequestHandler) -> None:
    while True:
        handler.wfile.write(b"HTTP" * 10_000)


def trailers(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n")
    while True:
        handler.wfile.write(b"x-more: y\r\n")


@pytest.mark.parametrize("api", ALL)
@pytest.mark.parametrize("stream", ["yes", "no"])
@pytest.mark.parametrize("part", [many_headers, one_header, status_line, trailers])
def test_headers_without_end_are_the_providers_failure(
    part: Answering, stream: str, api: str, raw: Callable[[Answering], Raw]
) -> None:
    assert failure_of(raw(part), api, stream=stream, retries=0).kind == "provider"


# --- answers of another shape -----------------------------------------------------------------------------------------

SHAPES: list[Any] = [
    *([], {}, 17, None, "text", {"choices": 5}, {"choices": [None]}, {"choices": [{}]}, {"output": 3}),
    {"choices": [{"message": {"tool_calls": [{}]}, "delta": {"tool_calls": [3]}, "finish_reason": "stop"}]},
    {"choices": [{"message": {"tool_calls": 8}, "delta": {"content": 3}, "finish_reason": {}}], "usage": 3},
    {"output": [{"type": "message"}], "status": "completed", "error": None},
    {"output": [{"type": "function_call"}], "status": "completed", "error": None, "incomplete_details": 4},
    {"content": [{}], "stop_reason": "end_turn", "usage": {}},
    {"content": [{"type": "tool_use"}], "stop_reason": [], "usage": 3},
    {"content": 3, "stop_reason": "end_turn", "usage": {}},
    {"type": "message_start", "message": {}},
    {"type": "content_block_delta", "index": "x", "delta": {}},
    {"type": "response.completed", "response": {"output": [{"type": "computer_call", "actions": 7}]}},
]


@pytest.mark.parametrize("api", ALL)
@pytest.mark.parametrize("shape", [*SHAPES, "deep"], ids=lambda shape: json.dumps(shape)[:40])
@pytest.mark.parametrize("stream", ["yes", "no"])
def test_an_answer_of_another_shape_is_the_providers_failure(
    stream: str, shape: Any, api: str, raw: Callable[[Answering], Raw]
) -> None:
    text = "[" * 50_000 if shape == "deep" else json.dumps(shape)
    name = shape.get("type", "message") if isinstance(shape, dict) else "message"
    body = f"event: {name}\ndata: {text}\n\n" if stream == "yes" else text
    kind = "text/event-stream" if stream == "yes" else "application/json"
    server = raw(lambda handler: send(handler, body.encode(), content_type=kind))
    failure = failure_of(server, api, stream=stream, retries=1)
    assert failure.kind == "provider", str(failure)
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    "value", ["99999999", "1e400", "nan", "-5", "inf", "", "x" * 1000, "Fri, 31 Dec 99999 23:59:59 GMT", "\xff"]
)
def test_no_pause_that_a_service_asks_for_is_too_strange(value: str, serve: Serve) -> None:
    headers = {"retry-after": value}
    with pytest.raises(TechnicalFailure, match="given up after") as caught:
        agent(serve([Fault(status=429, headers=headers)] * 20), "chat", time=Time()).act(screen(left=1000.0))
    assert caught.value.kind == "provider"


# --- what the model itself says ---------------------------------------------------------------------------------------

ABSURD: list[Any] = [
    '{"action": "click", "x": NaN, "y": Infinity}',
    '{"action": "click", "x": 1e400, "y": -1e400}',
    '{"action": "click", "x": %s, "y": 1}' % ("9" * 401),
    '{"action": "click", "x": %s, "y": 1}' % ("9" * 5000),
    '{"action": "batch", "actions": %s}' % ("[" * 400 + "]" * 400),
    '{"action": "type", "text": "\\ud800"}',
    '{"\\udfff": "\\ud800"}',
]


@pytest.mark.parametrize("api", ALL)
@pytest.mark.parametrize("given", ABSURD, ids=lambda given: given[:38])
def test_absurd_arguments_cost_a_step_and_the_episode_is_graded(
    given: str, api: str, serve: Serve, tmp_path: Path
) -> None:
    models = serve([Say(calls=[("gui", given)]), Say(text="done")])
    result = asking.play(agent(models, api, retries=0, **GUI.get(api, {})), EASY, tmp_path / "run")
    assert models.complaints == []
    assert (result["outcome"], result["answer"], result["steps"]) == ("exit", "done", 2)
    assert result["agent_errors"] == 1


@pytest.mark.parametrize("api", ALL)
def test_arguments_that_nest_too_deep_cost_a_step(api: str, serve: Serve, tmp_path: Path) -> None:
    deep = '{"x": ' + "[" * 50_000 + "]" * 50_000 + "}"
    models = serve([Say(calls=[("gui", deep)]), Say(text="done")])
    result = asking.play(agent(models, api, retries=0, **GUI.get(api, {})), EASY, tmp_path / "run")
    assert (result["outcome"], result["steps"], result["agent_errors"]) == ("exit", 2, 1)


@pytest.mark.parametrize("api", ALL)
def test_a_text_that_cannot_be_encoded_is_written_down_and_sent_back(api: str, serve: Serve, tmp_path: Path) -> None:
    models = serve([Say(text="\ud800 \udfff", calls=[("gui", WAIT)]), Say(text="done")])
    result = asking.play(agent(models, api, retries=0, **GUI.get(api, {})), EASY, tmp_path / "run")
    assert (result["outcome"], result["answer"], result["agent_errors"]) == ("exit", "done", 0)


@pytest.mark.parametrize("api", ALL)
def test_of_a_thousand_calls_the_first_hundred_are_taken(api: str, serve: Serve) -> None:
    models = serve([Say(calls=[("gui", WAIT)] * 1_000), Say(text="done")])
    player = agent(models, api, retries=0, **GUI.get(api, {}))
    made = [player.act(screen(number)) for number in range(MOST_CALLS + 1)]
    assert models.complaints == []
    assert [decision.action for decision in made] == [WAIT] * MOST_CALLS + [Answer("done")]
    assert "[of its 1000 calls the first 100 are taken]" in made[0].text


# --- what it counts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), 10**400, "many", [], {}, None, True, 1e13])
def test_what_is_no_count_of_tokens_counts_nothing(value: Any) -> None:
    assert count(value) == 0


def test_counts_are_taken_as_they_are() -> None:
    assert [count(0), count(17), count(2.0)] == [0, 17, 2]


@pytest.mark.parametrize("api", ALL)
@pytest.mark.parametrize("tokens", [(-5, -1, -1, -7), (10**400, 1, 1, 10**400)])
def test_an_absurd_usage_costs_no_grade(tokens: Any, api: str, serve: Serve) -> None:
    decision = agent(serve([Say(text="done", tokens=tokens)]), api, retries=0).act(screen())
    assert decision.action == Answer("done")
    assert decision.usage is not None
    assert all(0 <= value < 10**13 for value in decision.usage.values())


def test_more_cached_than_sent_costs_nothing_below_zero() -> None:
    price = Price(input=2.0, cached=0.5, cache_write=2.0, output=8.0, as_of="")
    assert price.usd(Tokens(input=10, cached=1_000_000, output=0)) == 0.5
