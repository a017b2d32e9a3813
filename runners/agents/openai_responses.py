"""OpenAI's Responses: the native computer tool, or our GUI tool as a function.

Nothing is kept by the service (``store`` is off): the conversation is sent whole, with the model's encrypted reasoning.
A computer call's result can be nothing but a screenshot, so older turns, whose screenshots are left out, are told in
words, and what was wrong with an action is told in a message after its result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..tool_schema import GUI_TOOL, gui_tool_description, gui_tool_schema
from .conversation import LEFT_OUT, Conversation, Turn
from .gui_calls import gui_call, picture_url
from .model_agent import DONE
from .model_settings import Settings
from .native_actions import openai_call
from .replies import BrokenReply, Call, Ending, Reply, Tokens
from .service import patience
from .tidying import MOST_CALLS, count, too_many, understood

PLAIN_MODELS = ("gpt-3", "gpt-4", "chatgpt-")  # they do not reason, and refuse to be asked for their reasoning
ENDINGS: dict[str, Ending] = {"max_output_tokens": "cut", "content_filter": "refused"}
FOR_GOOD = ("invalid_", "image_", "unsupported_", "empty_image")  # errors that will be the same the next time
CALLS = ("computer_call", "function_call")
LONGEST_LINE = 200  # characters of what is told of an action


class Responses:
    """``client``: of the library ``sdk``."""

    def __init__(self, client: Any, model: str, settings: Settings, sdk: Any) -> None:
        self._client, self._model, self._settings, self._sdk = client, model, settings, sdk
        self.about: Mapping[str, Any] = {"library": f"openai {sdk.__version__}", "tool": settings.tools}
        self._native = settings.tools != "gui"

    def close(self) -> None:
        self._client.close()

    # --- what is sent -------------------------------------------------------------------------------------------------

    def request(self, conversation: Conversation) -> dict[str, Any]:
        settings = self._settings
        width, height = conversation.viewport
        request: dict[str, Any] = {
            "model": self._model,
            "instructions": settings.system.format(width=width, height=height),
            "input": [*self._opening(conversation), *self._turns(conversation)],
            "tools": [self._tool(width, height)],
            "store": False,
        }
        if not self._model.startswith(PLAIN_MODELS):
            request["include"] = ["reasoning.encrypted_content"]
        if settings.tools == "computer_use_preview":
            request["truncation"] = "auto"  # this tool cannot be used without
        if settings.reasoning_effort is not None:
            request["reasoning"] = {"effort": settings.reasoning_effort}
        wishes = {"max_output_tokens": settings.max_tokens, "temperature": settings.temperature}
        request |= {name: value for name, value in wishes.items() if value is not None}
        return request | ({"stream": True} if settings.stream else {})

    def _tool(self, width: int, height: int) -> dict[str, Any]:
        match self._settings.tools:
            case "computer":
                return {"type": "computer"}
            case "computer_use_preview":
                size = {"display_width": width, "display_height": height}
                return {"type": "computer_use_preview", "environment": "browser", **size}
            case _:
                function = {"name": GUI_TOOL, "description": gui_tool_description(), "parameters": gui_tool_schema()}
                return {"type": "function", "strict": False, **function}

    def _opening(self, conversation: Conversation) -> Iterable[dict[str, Any]]:
        yield self._user(conversation.opening, conversation.picture)
        told = [line for turn in conversation.turns if self._in_words(turn) for line in _lines(turn)]
        if told:
            yield self._user("\n".join(["What you did then, without the screenshots:", *told]), b"")

    def _turns(self, conversation: Conversation) -> Iterable[dict[str, Any]]:
        for turn in conversation.turns:
            if self._in_words(turn):
                continue
            yield from turn.reply.items
            for number, call in enumerate(turn.calls, 1):
                yield self._result(call, turn.picture, last=number == len(turn.calls))
            if turn.note:
                yield self._user(turn.note, b"")
            wrong = [call.answer for call in turn.calls if call.answer != DONE]
            if self._native and wrong:
                yield self._user("\n".join(str(answer) for answer in wrong), b"")

    def _in_words(self, turn: Turn) -> bool:
        return self._native and bool(turn.calls) and turn.picture is None

    def _result(self, call: Call, picture: bytes | None, *, last: bool) -> dict[str, Any]:
        if call.wire.get("type") == "computer_call" and picture is not None:
            seen = {"type": "computer_screenshot", "image_url": picture_url(picture)}
            if self._settings.tools == "computer":
                seen["detail"] = self._settings.detail or "original"
            result: dict[str, Any] = {"type": "computer_call_output", "call_id": call.id, "output": seen}
            if call.wire.get("pending_safety_checks"):
                result["acknowledged_safety_checks"] = call.wire["pending_safety_checks"]
            return result
        output: Any = call.answer
        if last:
            output = self._content(str(call.answer), picture)
        return {"type": "function_call_output", "call_id": call.id, "output": output}

    def _user(self, text: str, picture: bytes | None) -> dict[str, Any]:
        return {"role": "user", "content": self._content(text, picture)}

    def _content(self, text: str, picture: bytes | None) -> list[dict[str, Any]]:
        """``picture``: empty where there never was one, None where it is left out."""
        if not picture:
            return [{"type": "input_text", "text": text if picture == b"" else f"{text}\n{LEFT_OUT}"}]
        image = {"type": "input_image", "image_url": picture_url(picture), "detail": self._settings.detail or "high"}
        return [{"type": "input_text", "text": text}, image]

    # --- what comes back ----------------------------------------------------------------------------------------------

    def send(self, request: Mapping[str, Any], timeout: float, check: Callable[[], None]) -> Reply:
        answer = self._client.responses.create(**request, timeout=patience(self._sdk, timeout))
        with understood():
            return _reply(_last(answer, check) if self._settings.stream else answer)


def _last(stream: Any, check: Callable[[], None]) -> Any:
    """The response that a stream ends with. Raises BrokenReply where it stops before its end."""
    last = None
    with stream:
        for event in stream:  # to the very end, so that the connection can be used again
            check()
            if event.type in ("response.completed", "response.incomplete", "response.failed"):
                last = event.response
            if event.type == "error":
                raise BrokenReply(f"the stream ended in an error: {event.message}")
    if last is None:
        raise BrokenReply("the stream was cut off before its end")
    return last


def _reply(response: Any) -> Reply:
    if not isinstance(getattr(response, "output", None), list):
        raise BrokenReply("the answer is no response (is base_url right?)")
    if response.status == "failed" or response.error is not None:
        code, message = getattr(response.error, "code", ""), getattr(response.error, "message", "")
        raise BrokenReply(f"the response failed: {message}", again=not str(code).startswith(FOR_GOOD))
    texts, refusals, calls = [], [], []
    reason = getattr(response.incomplete_details, "reason", None)
    ending = ENDINGS.get(str(reason), "done")
    items = [
        item.model_dump(mode="json", exclude_unset=True, exclude_none=True, warnings=False)
        for item in response.output or ()
    ]
    items, left_out = _first(items)
    for item in items:
        match item["type"]:
            case "message":
                texts += [part["text"] for part in item["content"] if part["type"] == "output_text"]
                refusals += [part["refusal"] for part in item["content"] if part["type"] == "refusal"]
            case "computer_call":
                parts: Sequence[Any] = item.get("actions") or [item.get("action") or {}]
                calls.append(openai_call(item["call_id"], parts, item))
            case "function_call":
                calls.append(gui_call(item["call_id"], item["name"], item["arguments"], cut=ending == "cut"))
    text = "\n".join([*(refusals or texts), *left_out]).strip()
    return Reply(
        items=items if calls else _alone(text),
        text=text,
        calls=calls,
        tokens=_tokens(response.usage),
        ending="refused" if refusals else ending,
    )


def _first(items: list[Any]) -> tuple[list[Any], list[str]]:
    """The items up to the last call that is carried out; what is said of the rest."""
    calls = [number for number, item in enumerate(items) if item["type"] in CALLS]
    if len(calls) <= MOST_CALLS:
        return items, []
    return items[: calls[MOST_CALLS - 1] + 1], [too_many(len(calls))]


def _alone(text: str) -> list[Any]:
    """A reply without calls: reasoning must not be sent back without what followed from it."""
    return [{"role": "assistant", "content": text}] if text else []


def _tokens(usage: Any) -> Tokens | None:
    if usage is None:
        return None
    details = getattr(usage, "input_tokens_details", None)
    return Tokens(
        input=count(usage.input_tokens),
        cached=count(getattr(details, "cached_tokens", None)),
        written=count(getattr(details, "cache_write_tokens", None)),
        output=count(usage.output_tokens),
    )


def _lines(turn: Turn) -> Iterable[str]:
    if turn.reply.text:
        yield f"- you said: {turn.reply.text[:LONGEST_LINE]}"
    for call in turn.calls:
        done = json.dumps(call.action, ensure_ascii=False) if call.action else "a look at the screen"
        yield f"- {done[:LONGEST_LINE]}{f' ({call.answer})' if call.failed else ''}"
