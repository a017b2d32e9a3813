"""OpenAI's Chat Completions: screenshots as images, our GUI tool as a function. What most other servers speak, too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..tool_schema import GUI_TOOL, gui_tool_description, gui_tool_schema
from .conversation import LEFT_OUT, Conversation, Turn
from .gui_calls import gui_call, picture_url
from .model_settings import Settings
from .replies import BrokenReply, Ending, Reply, Tokens
from .service import patience
from .tidying import MOST_CALLS, count, too_many, understood

THOUGHT = "reasoning_content"  # of other vendors' models, some of which must have it back
ENDINGS: dict[str, Ending] = {"length": "cut", "content_filter": "refused"}


class Chat:
    """``client``: of the library ``sdk``."""

    def __init__(self, client: Any, model: str, settings: Settings, sdk: Any) -> None:
        self._client, self._model, self._settings, self._sdk = client, model, settings, sdk
        self.about: Mapping[str, Any] = {"library": f"openai {sdk.__version__}", "tool": GUI_TOOL}

    def close(self) -> None:
        self._client.close()

    # --- what is sent -------------------------------------------------------------------------------------------------

    def request(self, conversation: Conversation) -> dict[str, Any]:
        settings = self._settings
        width, height = conversation.viewport
        system = {"role": "system", "content": settings.system.format(width=width, height=height)}
        opening = self._shown(conversation.opening, conversation.picture)
        turns = [message for turn in conversation.turns for message in self._turn(turn)]
        function = {"name": GUI_TOOL, "description": gui_tool_description(), "parameters": gui_tool_schema()}
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [system, opening, *turns],
            "tools": [{"type": "function", "function": function}],
        }
        wishes = {
            "max_completion_tokens": settings.max_tokens,
            "temperature": settings.temperature,
            "reasoning_effort": settings.reasoning_effort,
        }
        request |= {name: value for name, value in wishes.items() if value is not None}
        if settings.stream:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        return request

    def _turn(self, turn: Turn) -> Iterable[dict[str, Any]]:
        yield from turn.reply.items
        for call in turn.calls:
            yield {"role": "tool", "tool_call_id": call.id, "content": call.answer}
        if turn.calls:
            yield self._shown("The screen now:", turn.picture)
        else:
            yield {"role": "user", "content": turn.note}

    def _shown(self, text: str, picture: bytes | None) -> dict[str, Any]:
        if picture is None:
            return {"role": "user", "content": f"{text}\n{LEFT_OUT}"}
        image = {"url": picture_url(picture), "detail": self._settings.detail or "high"}
        return {"role": "user", "content": [{"type": "text", "text": text}, {"type": "image_url", "image_url": image}]}

    # --- what comes back ----------------------------------------------------------------------------------------------

    def send(self, request: Mapping[str, Any], timeout: float, check: Callable[[], None]) -> Reply:
        answer = self._client.chat.completions.create(**request, timeout=patience(self._sdk, timeout))
        with understood():
            return _reply(_gathered(answer, check) if self._settings.stream else _whole(answer))


def _whole(answer: Any) -> dict[str, Any]:
    if not getattr(answer, "choices", None):
        raise BrokenReply("the answer has no choices (is base_url right?)")
    choice, message = answer.choices[0], answer.choices[0].message
    calls = [call for call in message.tool_calls or () if (call.type or "function") == "function"]
    return {
        "text": message.content or "",
        "refusal": message.refusal or "",
        "calls": [(call.id, call.function.name, call.function.arguments) for call in calls],
        "thought": getattr(message, THOUGHT, None) or "",
        "finish": choice.finish_reason,
        "usage": answer.usage,
    }


def _gathered(stream: Any, check: Callable[[], None]) -> dict[str, Any]:
    """The message whose pieces a stream brings. Raises BrokenReply where it stops before its end."""
    text, refusal, thought, finish, usage = "", "", "", None, None
    calls: dict[int, list[str]] = {}
    with stream:
        for chunk in stream:
            check()
            usage = getattr(chunk, "usage", None) or usage
            for choice in chunk.choices or ():
                finish, delta = choice.finish_reason or finish, choice.delta
                if delta is None:
                    continue
                text += delta.content or ""
                refusal += delta.refusal or ""
                thought += getattr(delta, THOUGHT, None) or ""
                for piece in delta.tool_calls or ():
                    number = piece.index if piece.index is not None else len(calls)  # some servers send whole calls
                    call = calls.setdefault(number, ["", "", ""])
                    call[0] = piece.id or call[0]
                    if piece.function is not None:
                        call[1] += piece.function.name or ""
                        call[2] += piece.function.arguments or ""
    if finish is None:
        raise BrokenReply("the stream was cut off before its end")
    parts = [(call_id, name, arguments) for _, (call_id, name, arguments) in sorted(calls.items())]
    said = {"text": text, "refusal": refusal, "thought": thought}
    return {**said, "calls": parts, "finish": finish, "usage": usage}


def _reply(message: Mapping[str, Any]) -> Reply:
    ending = ENDINGS.get(message["finish"], "done")
    made = [
        (call_id or f"call_{number}", *rest) for number, (call_id, *rest) in enumerate(message["calls"][:MOST_CALLS])
    ]
    calls = [gui_call(call_id, name, arguments, cut=ending == "cut") for call_id, name, arguments in made]
    item: dict[str, Any] = {"role": "assistant", "content": message["text"] or None}
    if message["thought"]:
        item[THOUGHT] = message["thought"]
    if calls:
        item["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": _json(arguments)}}
            for call_id, name, arguments in made
        ]
    said = message["text"] or calls
    text = message["refusal"] or message["text"]
    if len(message["calls"]) > MOST_CALLS:
        text = f"{text}\n{too_many(len(message['calls']))}".lstrip()
    return Reply(
        items=[item] if said else [],
        text=text,
        calls=calls,
        tokens=_tokens(message["usage"]),
        ending="refused" if message["refusal"] else ending,
    )


def _json(arguments: str) -> str:
    """Some servers refuse a conversation with arguments in it that are not JSON."""
    try:
        json.loads(arguments, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return json.dumps({"unreadable": arguments})
    return arguments


def _no_number(name: str) -> None:
    raise ValueError(name)


def _tokens(usage: Any) -> Tokens | None:
    if usage is None:
        return None
    details = getattr(usage, "prompt_tokens_details", None)
    return Tokens(
        input=count(usage.prompt_tokens),
        cached=count(getattr(details, "cached_tokens", None)),
        written=count(getattr(details, "cache_write_tokens", None)),
        output=count(usage.completion_tokens),
    )
