"""OpenAI's two wire formats, as their documentation has them: what a request must be, what an answer is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fake_wire import Api, Say, arguments, error, halves, known, need, png_of, sse


class ChatApi(Api):
    """OpenAI's Chat Completions."""

    def check(self, request: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        known(
            request,
            *("model", "messages", "tools", "stream", "stream_options"),
            *("max_completion_tokens", "temperature", "reasoning_effort"),
        )
        for tool in request["tools"]:
            need(tool["type"] == "function" and tool["function"]["parameters"]["type"] == "object", "not a function")
            need(not {"oneOf", "anyOf", "allOf", "enum"} & set(tool["function"]["parameters"]), "a choice at the top")
        need(request["messages"][0]["role"] == "system", "no system message")
        open_calls: list[str] = []
        for message in request["messages"]:
            if message["role"] == "tool":
                need(message["tool_call_id"] in open_calls, "a result of no call")
                need(isinstance(message["content"], str), "a tool's result is text")
                open_calls.remove(message["tool_call_id"])
                continue
            need(not open_calls, f"calls without results: {open_calls}")
            if message["role"] == "assistant":
                need(message.get("content") or message.get("tool_calls"), "an empty message")
                for call in message.get("tool_calls", ()):
                    json.loads(call["function"]["arguments"])
                    open_calls.append(call["id"])
        need(not open_calls, f"calls without results: {open_calls}")
        self.pictures(request)

    def pictures(self, request: Mapping[str, Any]) -> list[bytes]:
        contents = [m["content"] for m in request["messages"] if m["role"] == "user" and isinstance(m["content"], list)]
        parts = [part for content in contents for part in content if part["type"] == "image_url"]
        return [png_of(part["image_url"]["url"]) for part in parts]

    def _finish(self, said: Say) -> str:
        return {"cut": "length", "refused": "stop"}.get(said.ending, "tool_calls" if said.calls else "stop")

    def _usage(self, said: Say) -> dict[str, Any] | None:
        if said.tokens is None:
            return None
        sent, cached, written, answered = said.tokens
        details = {"cached_tokens": cached, "cache_write_tokens": written}
        whole = {"prompt_tokens": sent, "completion_tokens": answered, "total_tokens": sent + answered}
        return {**whole, "prompt_tokens_details": details, "completion_tokens_details": {"reasoning_tokens": 10}}

    def whole(self, request: Mapping[str, Any], said: Say) -> Any:
        calls = [
            {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": arguments(given)}}
            for i, (name, given) in enumerate(said.calls)
        ]
        refused = said.ending == "refused"
        message: dict[str, Any] = {"role": "assistant", "content": None if refused else said.text or None}
        message |= {"refusal": said.text if refused else None} | ({"tool_calls": calls} if calls else {})
        message |= {"reasoning_content": said.thinking} if said.thinking else {}
        choice = {"index": 0, "message": message, "finish_reason": self._finish(said), "logprobs": None}
        head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": request["model"]}
        return {**head, "choices": [choice], "usage": self._usage(said)}

    def events(self, request: Mapping[str, Any], said: Say) -> Sequence[bytes]:
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": request["model"]}

        def chunk(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
            return sse(
                None, {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": None}
            )

        field_ = "refusal" if said.ending == "refused" else "content"
        events = [chunk({"role": "assistant", "content": ""})]
        events += [chunk({"reasoning_content": half}) for half in halves(said.thinking) if half]
        events += [chunk({field_: half}) for half in halves(said.text) if half]
        for index, (name, given) in enumerate(said.calls):
            first, second = halves(arguments(given))
            function = {"name": name, "arguments": ""}
            events.append(
                chunk(
                    {"tool_calls": [{"index": index, "id": f"call_{index}", "type": "function", "function": function}]}
                )
            )
            for half in (first, second):
                events.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": half}}]}))
        events.append(chunk({}, self._finish(said)))
        if request.get("stream_options", {}).get("include_usage") and said.tokens is not None:
            events.append(sse(None, {**head, "choices": [], "usage": self._usage(said)}))
        return [*events, sse(None, "[DONE]")]

    def event_of_error(self, code: str, message: str) -> bytes:
        return sse(None, error(code, message))


class ResponsesApi(Api):
    """OpenAI's Responses."""

    def check(self, request: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        known(
            request,
            *("model", "instructions", "input", "tools", "stream", "store", "include", "reasoning", "truncation"),
            *("max_output_tokens", "temperature"),
        )
        need(request["store"] is False, "the conversation would be kept")
        kinds = {tool["type"] for tool in request["tools"]}
        if "computer" in kinds:
            need(request["tools"] == [{"type": "computer"}], "the computer tool takes nothing else")
        if "computer_use_preview" in kinds:
            need(request["truncation"] == "auto", "this tool needs truncation: auto")
        calls: dict[str, Mapping[str, Any]] = {}
        before = ""
        for item in request["input"]:
            kind = item.get("type", "message")
            if before == "reasoning":
                need(kind in ("computer_call", "function_call", "message"), "reasoning without what follows from it")
            if kind in ("computer_call", "function_call"):
                calls[item["call_id"]] = item
            elif kind in ("computer_call_output", "function_call_output"):
                call = calls.pop(item["call_id"], None)
                need(call is not None and f"{call['type']}_output" == kind, "a result of no call")
                if kind == "computer_call_output" and call is not None:
                    need(item["output"]["type"] == "computer_screenshot", "a computer's result is a screenshot")
                    asked = [check["id"] for check in call["pending_safety_checks"]]
                    told = [check["id"] for check in item.get("acknowledged_safety_checks", ())]
                    need(asked == told, "safety checks are not acknowledged")
            else:
                need(kind == "reasoning" or not calls, f"calls without results: {list(calls)}")
            before = kind
        need(not calls, f"calls without results: {list(calls)}")
        self.pictures(request)

    def pictures(self, request: Mapping[str, Any]) -> list[bytes]:
        found = []
        for item in request["input"]:
            if item.get("type") == "computer_call_output":
                found.append(png_of(item["output"]["image_url"]))
                continue
            content = item.get("output") or item.get("content")
            parts = content if isinstance(content, list) else []
            found += [png_of(part["image_url"]) for part in parts if part["type"] == "input_image"]
        return found

    def _items(self, said: Say) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        if said.thinking:
            items.append({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": said.thinking})
        if said.text:
            part: dict[str, Any] = {"type": "output_text", "text": said.text, "annotations": []}
            if said.ending == "refused":
                part = {"type": "refusal", "refusal": said.text}
            message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
            items.append(message)
        for index, (name, given) in enumerate(said.calls):
            head = {"id": f"it_{index}", "call_id": f"call_{index}", "status": "completed"}
            if name == "computer":
                pending = [dict(check) for check in said.safety]
                items.append({"type": "computer_call", **head, "pending_safety_checks": pending, "actions": given})
            elif name == "computer_use_preview":
                items.append({"type": "computer_call", **head, "pending_safety_checks": [], "action": given})
            else:
                items.append({"type": "function_call", **head, "name": name, "arguments": arguments(given)})
        return items

    def whole(self, request: Mapping[str, Any], said: Say) -> Any:
        assert said.tokens is not None
        sent, cached, written, answered = said.tokens
        usage = {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written},
            "output_tokens": answered,
            "output_tokens_details": {"reasoning_tokens": 10},
            "total_tokens": sent + answered,
        }
        cut = said.ending == "cut"
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": request["model"],
            "status": "incomplete" if cut else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "error": None,
            "output": self._items(said),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": request["tools"],
            "usage": usage,
        }

    def events(self, request: Mapping[str, Any], said: Say) -> Sequence[bytes]:
        whole = self.whole(request, said)
        begun = whole | {"status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
        parts: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
        for index, item in enumerate(whole["output"]):
            parts.append({"type": "response.output_item.added", "output_index": index, "item": item})
            if item["type"] == "function_call":
                for half in halves(item["arguments"]):
                    where = {"item_id": item["id"], "output_index": index}
                    parts.append({"type": "response.function_call_arguments.delta", **where, "delta": half})
            parts.append({"type": "response.output_item.done", "output_index": index, "item": item})
        parts.append({"type": f"response.{whole['status']}", "response": whole})
        return [sse(part["type"], part | {"sequence_number": number}) for number, part in enumerate(parts)]

    def event_of_error(self, code: str, message: str) -> bytes:
        return sse("error", {"type": "error", "code": code, "message": message, "param": None, "sequence_number": 9})
