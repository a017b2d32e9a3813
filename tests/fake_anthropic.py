"""Anthropic's wire format, as its documentation has it: what a request must be, what an answer is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fake_wire import Api, Say, arguments, halves, known, need, png, sse

VERSIONS = ("2023-06-01", "2026-10-21")  # see https://platform.claude.com/docs/en/api/versioning
BETAS = {"computer_20251124": "computer-use-2025-11-24", "computer_20250124": "computer-use-2025-01-24"}


class MessagesApi(Api):
    """Anthropic's Messages."""

    def check(self, request: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        known(
            request,
            *("model", "max_tokens", "system", "messages", "tools", "stream", "cache_control", "output_config"),
            *("thinking", "temperature"),
        )
        need(headers.get("anthropic-version") in VERSIONS, "no version")
        need(headers["anthropic-version"] == VERSIONS[0] or "temperature" not in request, "temperature is removed")
        for tool in request["tools"]:
            if tool.get("type") in BETAS:
                need(BETAS[tool["type"]] in headers.get("anthropic-beta", ""), "the tool needs its beta header")
            elif tool.get("type") == "computer_toolset_20260801":
                known(tool, "type", "configs", "cache_control")
            else:
                need(tool["input_schema"]["type"] == "object", "not a tool")
        uses: dict[str, Mapping[str, Any]] = {}
        for message in request["messages"]:
            blocks = message["content"]
            need(blocks, "an empty message")
            blocks = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks
            results = [block for block in blocks if block["type"] == "tool_result"]
            need(blocks[: len(results)] == results, "results come first")
            need(set(uses) == {block["tool_use_id"] for block in results}, f"calls without results: {list(uses)}")
            for block in results:
                self._result(block, uses.pop(block["tool_use_id"]))
            need(all(block["text"] for block in blocks if block["type"] == "text"), "an empty text")
            uses = {block["id"]: block for block in blocks if block["type"] == "tool_use"}
        need(not uses, f"calls without results: {list(uses)}")
        self.pictures(request)

    def _result(self, block: Mapping[str, Any], use: Mapping[str, Any]) -> None:
        known(block, "type", "tool_use_id", "content", "is_error", "toolset_name")
        need(block.get("toolset_name") == use.get("toolset_name"), "the toolset's name is not repeated")
        need(block["content"], "an empty result")
        if block.get("is_error") and not isinstance(block["content"], str):
            need(all(part["type"] == "text" for part in block["content"]), "an error holds text only")

    def pictures(self, request: Mapping[str, Any]) -> list[bytes]:
        contents = [m["content"] for m in request["messages"] if isinstance(m["content"], list)]
        blocks = [block for content in contents for block in content]
        inner = [part for b in blocks if isinstance(b.get("content"), list) for part in b["content"]]
        images = [block for block in [*blocks, *inner] if block["type"] == "image"]
        need(all(image["source"]["media_type"] == "image/png" for image in images), "not a PNG")
        return [png(image["source"]["data"]) for image in images]

    def _blocks(self, request: Mapping[str, Any], said: Say) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = []
        if said.thinking:
            blocks.append({"type": "thinking", "thinking": said.thinking, "signature": "signed"})
        if said.text:
            blocks.append({"type": "text", "text": said.text})
        toolset = any(tool.get("type") == "computer_toolset_20260801" for tool in request["tools"])
        for index, (name, given) in enumerate(said.calls):
            use = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": given}
            blocks.append(use | ({"toolset_name": "computer"} if toolset else {}))
        return blocks

    def _stop(self, said: Say) -> dict[str, Any]:
        reason = {"cut": "max_tokens", "refused": "refusal"}.get(said.ending, "tool_use" if said.calls else "end_turn")
        return {"stop_reason": reason, "stop_sequence": None}

    def whole(self, request: Mapping[str, Any], said: Say) -> Any:
        assert said.tokens is not None
        sent, cached, written, answered = said.tokens
        usage = {"cache_read_input_tokens": cached, "cache_creation_input_tokens": written, "output_tokens": answered}
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"]}
        usage["input_tokens"] = sent - cached - written
        return {**head, "content": self._blocks(request, said), **self._stop(said), "usage": usage}

    def events(self, request: Mapping[str, Any], said: Say) -> Sequence[bytes]:
        whole = self.whole(request, said)
        usage = whole["usage"] | {"output_tokens": 1}
        begun = whole | {"content": [], "stop_reason": None, "usage": usage}
        parts: list[dict[str, Any]] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
        for index, block in enumerate(whole["content"]):
            empty, deltas = self._pieces(block)
            parts.append({"type": "content_block_start", "index": index, "content_block": empty})
            parts += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
            parts.append({"type": "content_block_stop", "index": index})
        final = {"output_tokens": whole["usage"]["output_tokens"]}
        parts += [{"type": "message_delta", "delta": self._stop(said), "usage": final}, {"type": "message_stop"}]
        return [sse(part["type"], part) for part in parts]

    def _pieces(self, block: Mapping[str, Any]) -> tuple[dict[str, Any], Iterable[dict[str, Any]]]:
        match block["type"]:
            case "text":
                return {**block, "text": ""}, [{"type": "text_delta", "text": half} for half in halves(block["text"])]
            case "thinking":
                deltas = [{"type": "thinking_delta", "thinking": half} for half in halves(block["thinking"])]
                signed = {"type": "signature_delta", "signature": block["signature"]}
                return {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signed]
            case _:
                pieces = halves(arguments(block["input"]))
                deltas = [{"type": "input_json_delta", "partial_json": half} for half in pieces]
                return {**block, "input": {}}, deltas
