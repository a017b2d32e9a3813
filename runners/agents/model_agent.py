"""An agent that asks a model: the loop that is the same for every service.

A reply's calls are carried out one decision each, in their order; the model is asked again when each has its result.
After the first that fails, the rest of a reply's calls is not carried out. A reply without a call is the final answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from .base import Agent, Answer, Decision, Observation
from .conversation import Conversation
from .model_settings import Settings
from .prices import Price
from .replies import Call, Reply
from .service import OutOfTime, Service

DONE = "OK"
NOT_EXECUTED = "Not executed: an earlier computer action in this turn failed."
CUT = "Your reply was cut off at its longest. Go on with a tool call, and keep it short."
EMPTY = "Your reply was empty. Go on with a tool call, or say in words that you are done."
MOST_EMPTY = 3  # replies one after the other that say nothing; the next one ends the episode


class Dialect(Protocol):
    """How one API is spoken. ``about``: for the manifest."""

    about: Mapping[str, Any]

    def request(self, conversation: Conversation) -> dict[str, Any]: ...

    def close(self) -> None: ...


class ModelAgent(Agent):
    """``dialect`` writes the requests that ``service`` sends. ``price``: None where it is not known."""

    def __init__(
        self, *, name: str, model: str, settings: Settings, dialect: Dialect, service: Service, price: Price | None
    ) -> None:
        self.name = name
        self._model, self._settings, self._price = model, settings, price
        self._dialect, self._service, self._clock = dialect, service, service.clock
        history, images = settings.history, settings.images
        self._conversation = Conversation(instruction="", viewport=(0, 0), history=history, images=images)
        self._doing: Call | None = None
        self._waiting: list[Call] = []
        self._empty = 0

    def begin(self, instruction: str, viewport: tuple[int, int]) -> None:
        self._conversation.instruction, self._conversation.viewport = instruction, viewport

    def describe(self) -> dict[str, Any]:
        price = None if self._price is None else self._price.to_json()
        told = {"model": self._model, "settings": self._settings.to_json(), "price": price}
        return {"name": self.name, **told, **self._dialect.about}

    def close(self) -> None:
        self._dialect.close()

    def act(self, observation: Observation) -> Decision:
        until = self._clock() + observation.seconds_left
        self._learn(observation)
        if self._waiting:
            return self._next("", None)
        self._conversation.trim()
        try:
            reply = self._service.ask(self._dialect.request(self._conversation), until)
        except OutOfTime:
            calls = {"calls": 1.0 + len(self._service.troubles)}
            return Decision(action=None, text="[no reply before the deadline]", usage=calls, step_class="other")
        return self._decide(reply)

    # --- what happened ------------------------------------------------------------------------------------------------

    def _learn(self, observation: Observation) -> None:
        """Writes down the result of what was done last."""
        talk = self._conversation
        if not talk.turns and not talk.forgotten:
            talk.picture = observation.screenshot
        if self._doing is None:
            return
        talk.turns[-1].picture = observation.screenshot
        call, self._doing = self._doing, None
        error = call.refused or observation.error
        call.answer, call.failed = error or call.answer or DONE, error is not None
        if call.failed:
            for skipped in self._waiting:
                skipped.answer, skipped.failed = NOT_EXECUTED, True
            self._waiting = []

    # --- what to do ---------------------------------------------------------------------------------------------------

    def _decide(self, reply: Reply) -> Decision:
        usage, text = self._usage(reply), self._text(reply)
        if reply.ending == "refused":
            return Decision(action=Answer(f"[refused] {reply.text}".strip()), text=text, usage=usage)
        if not reply.calls and reply.text and reply.ending == "done":
            return Decision(action=Answer(reply.text), text=text, usage=usage)
        turn = self._conversation.add(reply)
        if reply.calls:
            self._empty, self._waiting = 0, list(reply.calls)
            return self._next(text, usage)
        self._empty += 1
        if self._empty > MOST_EMPTY:
            return Decision(action=Answer(f"[no action in {self._empty} replies] {reply.text}".strip()), usage=usage)
        turn.note = CUT if reply.ending == "cut" else EMPTY
        return Decision(action=None, text=text, usage=usage, step_class="other")

    def _next(self, text: str, usage: Mapping[str, float] | None) -> Decision:
        call = self._doing = self._waiting.pop(0)
        if call.refused is not None:  # no valid action: it goes into the record as an error of the agent
            return Decision(action={"action": call.refused[:80]}, text=text, usage=usage)
        looks = call.action is None
        return Decision(action=call.action, text=text, usage=usage, step_class="native" if looks else None)

    def _usage(self, reply: Reply) -> dict[str, float]:
        usage: dict[str, float] = {"calls": 1 + len(self._service.troubles)}
        spent = reply.tokens
        if spent is None:
            return usage
        usage |= {"input_tokens": spent.input, "cached_tokens": spent.cached, "output_tokens": spent.output}
        return usage if self._price is None else usage | {"usd": round(self._price.usd(spent), 9)}

    def _text(self, reply: Reply) -> str:
        notes = [f"[{reply.ending}]"] if reply.ending != "done" else []
        if self._service.troubles:
            notes.append(f"[asked again after: {'; '.join(self._service.troubles)}]")
        return "\n".join(part for part in (reply.text, *notes) if part)
