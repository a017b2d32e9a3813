"""Models' services on this machine: an HTTP server that speaks the three APIs as the real ones do, and is as strict.

What its model says is a script: ``Say``s and ``Fault``s, one for each request. It refuses what the real services refuse
(see ``fake_openai``, ``fake_anthropic``), so that a test that gets through has sent nothing wrong.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from fake_anthropic import MessagesApi
from fake_openai import ChatApi, ResponsesApi
from fake_wire import Api, Refused, Say, error

APIS: dict[str, Api] = {
    "/v1/chat/completions": ChatApi(),
    "/v1/responses": ResponsesApi(),
    "/v1/messages": MessagesApi(),
}
KEY = "sk-very-secret-0123456789"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What goes wrong instead of an answer: an HTTP error; a stream or a body that is ``cut`` in the middle; an
    ``error`` in the middle of a stream; a response that has ``failed`` (Responses); a web ``page`` or ``garbage``
    instead of JSON; a ``silent`` or ``dribbling`` service that never comes to its end."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: Literal["status", "cut", "error", "failed", "silent", "dribbling", "garbage", "page"] = "status"
    code: str = "some_error"
    message: str = "no luck today"


Model = Callable[[Mapping[str, Any]], Say | Fault]  # from the request


class FakeModels:
    """``script``: what is said to one request after another, or what says it."""

    def __init__(self, script: Sequence[Say | Fault] | Model) -> None:
        if callable(script):
            self._model: Model = script
        else:
            lines: Iterator[Say | Fault] = iter(script)
            self._model = lambda request: next(lines, Say(text="that is all"))
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.complaints: list[str] = []  # what the service would not take
        self.before_closing: list[Callable[[], None]] = []
        self.closing = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                service._answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self.closing.set()
        for step in self.before_closing:
            step()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    # --- one request --------------------------------------------------------------------------------------------------

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["content-length"]))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        api = APIS.get(handler.path)
        key = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if api is None:
            return _send(handler, 404, error("not_found_error", f"no such path: {handler.path}"))
        if key != KEY:
            return _send(handler, 401, error("authentication_error", f"this key is wrong: {key}"))
        request = json.loads(body)
        self.requests.append(request)
        self.headers.append(headers)
        try:
            api.check(request, headers)
            said = self._model(request)
        except (Refused, AssertionError, KeyError) as refusal:
            self.complaints.append(f"{type(refusal).__name__}: {refusal}")
            return _send(handler, 400, error("invalid_request_error", self.complaints[-1]))
        if isinstance(said, Fault):
            return self._fail(handler, said, api, request)
        if request.get("stream"):
            return _stream(handler, api.events(request, said))
        return _send(handler, 200, api.whole(request, said))

    def _fail(self, handler: BaseHTTPRequestHandler, fault: Fault, api: Api, request: Mapping[str, Any]) -> None:
        stream = bool(request.get("stream"))
        events = list(api.events(request, Say(text="half a sentence, and no m")))
        if fault.kind == "status":
            _send(handler, fault.status, error(fault.code, fault.message), fault.headers)
        elif fault.kind == "garbage":
            _send(handler, 200, b'{"choices": [{"message": {"role": "assi', {"content-type": "application/json"})
        elif fault.kind == "page":
            _send(handler, 200, b"<html><p>Welcome!</p></html>", {"content-type": "text/html"})
        elif fault.kind == "failed":
            problem = {"code": fault.code, "message": fault.message}
            _send(handler, 200, api.whole(request, Say()) | {"status": "failed", "error": problem})
        elif fault.kind == "cut" and stream:
            _stream(handler, events[: len(events) // 2], whole=False)
        elif fault.kind == "cut":
            whole = json.dumps(api.whole(request, Say(text="half a sentence"))).encode()
            _send(handler, 200, whole[: len(whole) // 2])
        elif fault.kind == "error":
            _stream(handler, [*events[: len(events) // 2], api.event_of_error(fault.code, fault.message)])
        else:
            self._dawdle(handler, events[0] if fault.kind == "dribbling" else b"")

    def _dawdle(self, handler: BaseHTTPRequestHandler, part: bytes) -> None:
        until = time.monotonic() + 20
        try:
            if part:
                _begin_stream(handler)
            while time.monotonic() < until and not self.closing.wait(0.02):
                if part:
                    _chunk(handler, part)
        except OSError:
            pass  # the client has gone
        handler.close_connection = True


def _send(handler: BaseHTTPRequestHandler, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in ({"content-type": "application/json"} | dict(headers or {})).items():
        handler.send_header(name, value)
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def _begin_stream(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("transfer-encoding", "chunked")
    handler.end_headers()


def _chunk(handler: BaseHTTPRequestHandler, data: bytes) -> None:
    handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    handler.wfile.flush()


def _stream(handler: BaseHTTPRequestHandler, events: Sequence[bytes], *, whole: bool = True) -> None:
    _begin_stream(handler)
    for event in events:
        _chunk(handler, event)
    if whole:
        handler.wfile.write(b"0\r\n\r\n")
    else:
        handler.close_connection = True
