"""The model's side of an episode: the instruction and a screenshot in, tool calls out, a screenshot after each of them.

Everything that the model does becomes a step of the record, also a call that cannot be read. A reply without a call is
its final answer, whatever the evaluator knows.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import anyio
from anyio.to_thread import run_sync
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentText,
    Model,
    ModelOutput,
    execute_tools,
)
from inspect_ai.tool import ToolDef, ToolParams, ToolResult
from inspect_ai.tool import tool as inspect_tool

from ..agents.base import Answer, Decision
from ..agents.model_settings import SYSTEM
from ..tool_schema import GUI_TOOL, gui_tool_action, gui_tool_description, gui_tool_schema

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState
    from inspect_ai.tool import Tool

    from ..agents.base import Observation
    from ..agents.queued import Queued

CUT_OFF = "Your reply was cut off before a call. Call the tool, or answer shortly to end your work."
NO_ROOM = "(the conversation no longer fits into the model's context)"
OVER = "Your work has ended."
LEFT_OUT = "(an earlier screenshot, left out)"


class Conversation:
    """``images``: the most screenshots that the model is shown at once; the log keeps all."""

    def __init__(
        self, agent: Queued, model: Model, state: TaskState, *, images: int, viewport: tuple[int, int]
    ) -> None:
        self._agent, self._model, self._state, self._images = agent, model, state, max(1, images)
        self._system = SYSTEM.format(width=viewport[0], height=viewport[1])
        self._seen: Observation | None = None  # None once the episode is over
        self._words: dict[str, Any] = {}  # what goes with the next decision: text and usage of the model's reply
        self._offered = ToolDef(
            self._tool(), name=GUI_TOOL, description=gui_tool_description(), parameters=ToolParams(**gui_tool_schema())
        )
        # what the evaluator refuses must become a step of the record, so Inspect lets every call through
        anything = ToolParams(additionalProperties=True)
        self._taken = ToolDef(self._tool(), name=GUI_TOOL, description=GUI_TOOL, parameters=anything)

    async def hold(self) -> None:
        """Until the episode is over."""
        self._seen = await run_sync(self._agent.seen, limiter=self._thread())
        if self._seen is None:
            return
        first = ChatMessageUser(content=[ContentText(text=self._state.input_text), _picture(self._seen)])
        self._state.messages = [ChatMessageSystem(content=self._system), first]
        while self._seen is not None:
            output = await self._reply(self._seen.seconds_left)
            if output is None:
                await self._step(None)
                continue
            self._state.output = output
            self._state.messages.append(output.message)
            self._words = {"text": output.message.text, "usage": _usage(output)}
            if output.message.tool_calls:
                await self._carry_out()
            elif output.stop_reason == "max_tokens":
                await self._step(None)
                self._state.messages.append(ChatMessageUser(content=CUT_OFF))
            else:
                await self._step(Answer(NO_ROOM if output.stop_reason == "model_length" else output.completion))

    async def _reply(self, seconds: float) -> ModelOutput | None:
        """None where the deadline comes first."""
        with anyio.move_on_after(seconds):
            return await self._model.generate(with_latest(self._state.messages, self._images), tools=[self._offered])
        return None

    async def _carry_out(self) -> None:
        """Every call of the last reply, one after the other; what no tool took is a step as well."""
        done = await execute_tools(self._state.messages, [self._taken])
        self._state.messages.extend(done.messages)
        for message in done.messages:
            if self._seen is not None and isinstance(message, ChatMessageTool) and message.error:
                await self._step({"action": f"unreadable: {message.error.message}"})

    async def _step(self, action: Any) -> None:
        """One decision, and what is seen after it."""
        words, self._words = self._words, {}  # those of a reply belong to its first step
        self._agent.decide(Decision(action=action, **words))
        self._seen = await run_sync(self._agent.seen, limiter=self._thread())

    def _tool(self) -> Tool:
        @inspect_tool(name=GUI_TOOL)
        def gui() -> Tool:
            async def execute(**kwargs: Any) -> ToolResult:
                """Act on the screen.

                Args:
                  kwargs: An action.
                """
                if self._seen is not None:
                    await self._step(gui_tool_action(kwargs))
                if self._seen is None:
                    return [ContentText(text=OVER)]
                said = [ContentText(text=f"Not done: {self._seen.error}")] if self._seen.error else []
                return [*said, _picture(self._seen)]

            return execute

        return gui()

    def _thread(self) -> anyio.CapacityLimiter:
        return anyio.CapacityLimiter(1)


def with_latest(messages: list[ChatMessage], images: int) -> list[ChatMessage]:
    """The messages with the latest so many screenshots; a line stands where an earlier one was."""
    kept: list[ChatMessage] = []
    for message in reversed(messages):
        if isinstance(message.content, list) and any(isinstance(part, ContentImage) for part in message.content):
            if images <= 0:
                parts = [
                    ContentText(text=LEFT_OUT) if isinstance(part, ContentImage) else part for part in message.content
                ]
                message = message.model_copy(update={"content": parts})
            images -= 1
        kept.append(message)
    return kept[::-1]


def _picture(seen: Observation) -> ContentImage:
    return ContentImage(image=f"data:image/png;base64,{base64.b64encode(seen.screenshot).decode()}")


def _usage(output: ModelOutput) -> dict[str, float]:
    """As a record has it (see ``effort``)."""
    usage: dict[str, float] = {"calls": 1}
    if output.usage is not None:
        told = {
            "input_tokens": output.usage.input_tokens,
            "cached_tokens": output.usage.input_tokens_cache_read,
            "output_tokens": output.usage.output_tokens,
            "usd": output.usage.total_cost,
        }
        usage |= {name: value for name, value in told.items() if value is not None}
    return usage
