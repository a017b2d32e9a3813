"""What the wire formats of models' services have in common: what is said, and what is refused (see ``fake_models``)."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

PNG = b"\x89PNG\r\n"


class Refused(Exception):
    """A request that the real service would answer with 400."""


@dataclass(frozen=True, kw_only=True)
class Say:
    """``calls``: (tool, arguments): the arguments as an object, as broken JSON in a string, or the list of actions of
    OpenAI's computer tool. ``tokens``: (sent, cached, written, answered),
    None for a server that does not count (Chat Completions)."""

    text: str = ""
    calls: Sequence[tuple[str, Any]] = ()
    ending: Literal["done", "cut", "refused"] = "done"
    thinking: str = ""
    safety: Sequence[Mapping[str, Any]] = ()
    tokens: tuple[int, int, int, int] | None = (1000, 600, 100, 50)


def error(code: str, message: str) -> dict[str, Any]:
    """Both companies' form at once."""
    return {"type": "error", "error": {"type": code, "code": code, "message": message}}


def need(condition: object, message: str) -> None:
    if not condition:
        raise Refused(message)


def known(data: Mapping[str, Any], *names: str) -> None:
    need(set(data) <= set(names), f"unknown fields: {set(data) - set(names)}")


def png_of(url: str) -> bytes:
    """The picture of a data address."""
    head, _, data = url.partition(",")
    need(head == "data:image/png;base64", f"not a PNG: {head}")
    return png(data)


def png(data: str) -> bytes:
    picture = base64.b64decode(data, validate=True)
    need(picture.startswith(PNG), "not a PNG")
    return picture


def sse(name: str | None, data: Any) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def arguments(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


class Api:
    """What an API must be able to do. ``pictures``: of a request, in their order."""

    def check(self, request: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        raise NotImplementedError

    def pictures(self, request: Mapping[str, Any]) -> list[bytes]:
        raise NotImplementedError

    def whole(self, request: Mapping[str, Any], said: Say) -> Any:
        raise NotImplementedError

    def events(self, request: Mapping[str, Any], said: Say) -> Sequence[bytes]:
        raise NotImplementedError

    def event_of_error(self, code: str, message: str) -> bytes:
        return sse("error", error(code, message))
