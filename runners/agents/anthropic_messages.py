"""Anthropic's Messages: the computer toolset (no ``name``, its members are called), its two older single tools, or our
GUI tool. The screenshot after a reply is part of the result of its last call that went well.

The newest models sign their thinking together with all that was said before it. Once something older has been left out,
thinking from before that is not sent back, except where a fixed thinking budget demands it (older models, no signature
of what was before). See https://platform.claude.com/docs/en/agents-and-tools/tool-use/computer-use-tool.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..tool_schema import GUI_TOOL, gui_tool_description, gui_tool_schema
from .conversation import LEFT_OUT, Conversation, Turn
from .gui_calls import CUT, gui_call, picture_data
from .model_settings import Settings
from .native_actions import Hand
from .replies import BrokenReply, Call, Ending, Reply, Tokens
from .service import patience
from .tidying import MOST_CALLS, count, too_many, understood, whole

TOOLSET = "computer_toolset_20260801"
TOOL_VERSIONS = {  # version of the single tool -> the beta that it belongs to
    "computer_20251124": "computer-use-2025-11-24",
    "computer_20250124": "computer-use-2025-01-24",
}
OLD_VERSION = "2023-06-01"  # of the API: the last one that knows of a temperature; only older models follow it
MEMBERS = (
    *("key", "hold_key", "type", "cursor_position", "mouse_move", "left_mouse_down", "left_mouse_up", "left_click"),
    *("left_click_drag", "right_click", "middle_click", "double_click", "triple_click", "scroll", "wait", "screenshot"),
    "zoom",
)
MOST_TOKENS = 8192  # of a reply, thinking included; the API wants to be told
ENDINGS: dict[str, Ending] = {
    "max_tokens": "cut",
    "model_context_window_exceeded": "cut",
    "pause_turn": "cut",
    "refusal": "refused",
}
REPLAYED = {  # the fields of a block that may be sent back
    "text": ("type", "text"),
    "thinking": ("type", "thinking", "signature"),
    "redacted_thinking": ("type", "data"),
    "tool_use": ("type", "id", "name", "input", "toolset_name"),
}


class Messages:
    """``client``: of the library ``sdk``."""

    def __init__(self, client: Any, model: str, settings: Settings, sdk: Any) -> None:
        self._client, self._model, self._settings, self._sdk = client, model, settings, sdk
        self._hand = Hand()
        tool = TOOLSET if settings.tools == "computer" else settings.tools
        self.about: Mapping[str, Any] = {"library": f"anthropic {sdk.__version__}", "tool": tool}

    def close(self) -> None:
        self._client.close()

    # --- what is sent -------------------------------------------------------------------------------------------------

    def request(self, conversation: Conversation) -> dict[str, Any]:
        settings = self._settings
        width, height = conversation.viewport
        opening = {"role": "user", "content": self._shown(conversation.opening, conversation.picture)}
        request: dict[str, Any] = {
            "model": self._model,
            "max_tokens": settings.max_tokens or MOST_TOKENS,
            "system": settings.system.format(width=width, height=height),
            "messages": [opening, *(message for turn in conversation.turns for message in self._turn(turn))],
            "tools": [self._tool(width, height)],
        }
        headers = {}
        if settings.tools in TOOL_VERSIONS:
            headers["anthropic-beta"] = TOOL_VERSIONS[settings.tools]
        if settings.cache:
            request["cache_control"] = {"type": "ephemeral"}
        if settings.reasoning_effort is not None:
            request["output_config"] = {"effort": settings.reasoning_effort}
        if settings.thinking is not None:
            budget = settings.thinking.isdigit()
            request["thinking"] = (
                {"type": "enabled", "budget_tokens": int(settings.thinking)} if budget else {"type": settings.thinking}
            )
        if settings.temperature is not None:
            headers["anthropic-version"] = OLD_VERSION
            request["extra_body"] = {"temperature": settings.temperature}
        if headers:
            request["extra_headers"] = headers
        return request | ({"stream": True} if settings.stream else {})

    def _tool(self, width: int, height: int) -> dict[str, Any]:
        match self._settings.tools:
            case "computer":
                unserved = {name: {"enabled": False} for name in MEMBERS if name not in self._hand.served}
                return {"type": TOOLSET, "configs": unserved}
            case "gui":
                return {"name": GUI_TOOL, "description": gui_tool_description(), "input_schema": gui_tool_schema()}
            case version:
                return {"type": version, "name": "computer", "display_width_px": width, "display_height_px": height}

    def _turn(self, turn: Turn) -> Iterable[dict[str, Any]]:
        fixed_budget = (self._settings.thinking or "").isdigit()
        hidden = () if fixed_budget or not turn.rewritten else ("thinking", "redacted_thinking")
        said = [block for block in turn.reply.items if block["type"] not in hidden]
        if said:
            yield {"role": "assistant", "content": said}
        if turn.calls:
            shown = next((call for call in reversed(turn.calls) if not call.failed), None)  # errors hold no picture
            results = [self._result(call, turn, shown=call is shown) for call in turn.calls]
            yield {"role": "user", "content": results}
        else:
            yield {"role": "user", "content": turn.note}

    def _result(self, call: Call, turn: Turn, *, shown: bool) -> dict[str, Any]:
        content: Any = self._shown(str(call.answer), turn.picture) if shown else call.answer
        result = {"type": "tool_result", "tool_use_id": call.id, "content": content, **call.wire}
        return result | ({"is_error": True} if call.failed else {})

    def _shown(self, text: str, picture: bytes | None) -> list[dict[str, Any]]:
        if picture is None:
            return [{"type": "text", "text": f"{text}\n{LEFT_OUT}"}]
        source = {"type": "base64", "media_type": "image/png", "data": picture_data(picture)}
        return [{"type": "text", "text": text}, {"type": "image", "source": source}]

    # --- what comes back ----------------------------------------------------------------------------------------------

    def send(self, request: Mapping[str, Any], timeout: float, check: Callable[[], None]) -> Reply:
        answer = self._client.messages.create(**request, timeout=patience(self._sdk, timeout))
        with understood():
            return self._reply(_gathered(answer, check) if self._settings.stream else _plain(answer))

    def _reply(self, message: Mapping[str, Any]) -> Reply:
        ending = ENDINGS.get(message["stop_reason"], "done")
        blocks = [_sent_back(block) for block in message["content"] if block != {"type": "text", "text": ""}]
        uses = [block for block in blocks if block["type"] == "tool_use"]
        made = len(uses)
        if made > MOST_CALLS:  # the rest goes, with what was said between
            uses = uses[:MOST_CALLS]
            blocks = blocks[: next(number for number, block in enumerate(blocks) if block is uses[-1]) + 1]
        calls = [self._call(block, cut=ending == "cut" and block is blocks[-1]) for block in uses]
        texts = [block["text"] for block in blocks if block["type"] == "text"]
        if made > MOST_CALLS:
            texts.append(too_many(made))
        details = message.get("stop_details") or {}
        if ending == "refused" and details.get("explanation"):
            texts.append(details["explanation"])
        return Reply(
            items=blocks if calls else [block for block in blocks if block["type"] == "text"],
            text="\n".join(texts).strip(),
            calls=calls,
            tokens=_tokens(message["usage"]),
            ending=ending,
        )

    def _call(self, block: Mapping[str, Any], *, cut: bool) -> Call:
        call_id, name, given = block["id"], block["name"], block["input"]
        if cut:  # half an input may look like a whole one
            return Call(id=call_id, refused=CUT, wire=_echo(block))
        if block.get("toolset_name"):
            return self._hand.call(call_id, name, given, _echo(block))
        if self._settings.tools in TOOL_VERSIONS and name == "computer":
            return self._hand.call(call_id, str(given.get("action")), given, {})
        return gui_call(call_id, name, given)


def _echo(block: Mapping[str, Any]) -> dict[str, str]:
    """What the result of a toolset's member must repeat."""
    return {"toolset_name": block["toolset_name"]} if block.get("toolset_name") else {}


def _sent_back(block: Mapping[str, Any]) -> dict[str, Any]:
    fields = REPLAYED.get(block["type"], tuple(block))
    return {name: block[name] for name in fields if block.get(name) is not None}


def _plain(message: Any) -> dict[str, Any]:
    data = message.model_dump(mode="json", exclude_unset=True, warnings=False) if hasattr(message, "model_dump") else {}
    if not {"content", "stop_reason", "usage"} <= set(data):
        raise BrokenReply("the answer is no message (is base_url right?)")
    return data


def _gathered(stream: Any, check: Callable[[], None]) -> dict[str, Any]:
    """The message whose pieces a stream brings. Raises BrokenReply where it stops before its end."""
    message: dict[str, Any] = {"content": [], "stop_reason": None, "usage": {}}
    inputs: dict[int, str] = {}
    whole = False
    with stream:
        for event in stream:  # to the very end, so that the connection can be used again
            check()
            data = event.model_dump(mode="json", exclude_unset=True, warnings=False)
            match data["type"]:
                case "message_start":
                    message["usage"] = dict(data["message"]["usage"])
                case "content_block_start":
                    message["content"].append(dict(data["content_block"]))
                case "content_block_delta":
                    _grow(message["content"], inputs, data["index"], data["delta"])
                case "message_delta":
                    message |= {name: data["delta"].get(name) for name in ("stop_reason", "stop_details")}
                    message["usage"] |= {k: v for k, v in (data.get("usage") or {}).items() if v is not None}
                case "message_stop":
                    whole = True
    if not whole:
        raise BrokenReply("the stream was cut off before its end")
    _close(message, inputs)
    return message


def _grow(blocks: list[dict[str, Any]], inputs: dict[int, str], index: int, delta: Mapping[str, Any]) -> None:
    if not 0 <= index < len(blocks):
        raise BrokenReply("the stream is out of order")
    match delta["type"]:
        case "text_delta":
            blocks[index]["text"] = blocks[index].get("text", "") + delta["text"]
        case "thinking_delta":
            blocks[index]["thinking"] = blocks[index].get("thinking", "") + delta["thinking"]
        case "signature_delta":
            blocks[index]["signature"] = delta["signature"]
        case "input_json_delta":
            inputs[index] = inputs.get(index, "") + delta["partial_json"]


def _close(message: dict[str, Any], inputs: Mapping[int, str]) -> None:
    """Reads the inputs of tools, which came as pieces of JSON."""
    for index, text in inputs.items():
        try:
            value = json.loads(text or "{}", parse_int=whole)
        except RecursionError:  # the model's own doing: it costs a step
            value = {"unreadable": "it nests too deep"}
        except ValueError:
            if message["stop_reason"] != "max_tokens":
                raise BrokenReply("the input of a tool is not JSON") from None
            value = {}
        message["content"][index]["input"] = value if isinstance(value, dict) else {"value": value}


def _tokens(usage: Mapping[str, Any]) -> Tokens:
    read, written = count(usage.get("cache_read_input_tokens")), count(usage.get("cache_creation_input_tokens"))
    fresh = count(usage.get("input_tokens"))
    return Tokens(input=fresh + read + written, cached=read, written=written, output=count(usage.get("output_tokens")))
