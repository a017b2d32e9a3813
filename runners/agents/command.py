"""``command:PROGRAM ARGS``: any program that speaks JSON lines on its standard input and output (docs/agents.md).

    -> {"type": "start", "protocol": 1, "instruction": "Complete all ...", "viewport": [1280, 900], ...}
    -> {"type": "observation", "step": 0, "seconds_left": 3599.9, "screenshot": "<PNG in base64>", "error": null}
    <- {"action": {"action": "click", "x": 640, "y": 300}, "text": "I open the game"}

A reply that cannot be read is an invalid action: nothing is carried out, and the next observation says why. A program
that exits, or closes its input or output, has failed; one that does not answer is waited for until the deadline.
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from .. import barred_calls
from ..actions import InvalidAction
from ..failures import TechnicalFailure
from ..isolation import IsolationImpossible
from .base import Agent, Answer, Decision, Observation
from .broken import STDERR
from .lines import MAX_LINE, LineProgram, LineTooLong, NoReply
from .starting import Start, start_of_command

PROTOCOL = 1
MOST_UNREADABLE = 100  # replies in a row
DOES = ("action", "answer", "step")  # what a reply has one of
ALONGSIDE = ("text", "usage", "step_class")


class CommandAgent(Agent):
    """Begins its program with the episode, and ends it with all that it started."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self.name = start.name
        self.isolation = start.isolation.label
        self._record: Path | None = None
        self._program: LineProgram | None = None
        self._home: tempfile.TemporaryDirectory[str] | None = None
        self._greeting: dict[str, Any] | None = None
        self._unreadable = 0  # replies in a row
        self._note: str | None = None

    def keep_in(self, folder: Path) -> None:
        self._record = folder

    def begin(self, instruction: str, viewport: tuple[int, int]) -> None:
        start = self._start
        home = None
        if start.isolation.tool is None and start.environment is not None:
            self._home = tempfile.TemporaryDirectory(prefix="lpb-agent-", ignore_cleanup_errors=True)
            home = self._home.name
        self._greeting = {
            "type": "start",
            "protocol": PROTOCOL,
            "instruction": instruction,
            "viewport": list(viewport),
            "seed": start.seed,
            "options": dict(start.given),
        }
        try:
            with barred_calls.descriptor() if start.isolation.tool else nullcontext() as barred:
                self._program = LineProgram(
                    start.isolation.hiding(self._record).wrap(start.argv, start.folder, barred),
                    folder=start.folder if start.isolation.tool is None else Path("/"),
                    environment=os.environ if start.environment is None else start.environment_with(home),
                    errors=None if self._record is None else self._record / STDERR,
                    inherits=() if barred is None else (barred,),
                )
        except OSError as error:
            raise TechnicalFailure("configuration", f"the program does not start ({error.strerror})") from None
        except IsolationImpossible as error:
            raise TechnicalFailure("configuration", str(error)) from None

    def act(self, observation: Observation) -> Decision:
        assert self._program is not None
        seen = {
            "type": "observation",
            "step": observation.step,
            "seconds_left": round(observation.seconds_left, 3),
            "screenshot": base64.b64encode(observation.screenshot).decode(),
            "error": observation.error or self._note,
        }
        self._note = None
        messages = [seen]
        if self._greeting is not None:
            messages.insert(0, self._greeting | {"budget_seconds": seen["seconds_left"]})
            self._greeting = None
        try:
            # a moment longer than the episode, which knows best when it is over
            line, dropped = self._program.ask(_lines(messages), observation.seconds_left + 1.0)
            if dropped:
                self._note = "a line came before the observation and was dropped: send one line for each"
            decision = read_reply(line)
        except LineTooLong:
            raise self._counted(InvalidAction(f"a line of more than {MAX_LINE} bytes", where="reply")) from None
        except InvalidAction as error:
            raise self._counted(error) from None
        except NoReply:
            raise TimeoutError("the program gave no reply") from None
        self._unreadable = 0
        return decision

    def _counted(self, error: InvalidAction) -> Exception:
        self._unreadable += 1
        if self._unreadable < MOST_UNREADABLE:
            return error
        return RuntimeError(f"{MOST_UNREADABLE} replies in a row could not be read, the last because {error}")

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "kind": "command", "protocol": PROTOCOL, **self._start.describe()}

    def close(self) -> None:
        try:
            if self._program is not None:
                self._program.close()
        finally:
            if self._home is not None:
                self._home.cleanup()


def read_reply(line: bytes) -> Decision:
    """Raises InvalidAction. Whether the action in it is valid is not looked at here."""
    try:
        reply = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise InvalidAction(f"not a line of JSON: {line[:60]!r}", where="reply") from None
    if not isinstance(reply, dict) or len(does := [key for key in DOES if key in reply]) != 1:
        raise InvalidAction(f"a reply is an object with one of {', '.join(DOES)}", where="reply")
    if strange := sorted(set(reply) - {*DOES, *ALONGSIDE}):
        raise InvalidAction(f"a reply has no {strange[0][:40]!r}", where="reply")
    text, value = reply.get("text", ""), reply[does[0]]
    wanted, kind = (dict, "an object") if does[0] == "action" else (str, "a string")
    if not isinstance(text, str) or not isinstance(value, wanted):
        raise InvalidAction(f"{does[0]} is {kind}, text a string", where="reply")
    usage, declared = reply.get("usage"), reply.get("step_class")
    if usage is not None and not isinstance(usage, dict):
        raise InvalidAction("usage is an object of amounts", where="reply")
    if declared not in (None, "native", "other"):
        raise InvalidAction('step_class is "native" or "other"', where="reply")
    if does[0] == "step":
        text, value = f"[{value}] {text}".rstrip(), None
    return Decision(
        action=Answer(value) if does[0] == "answer" else value,
        text=text,
        usage=usage,
        step_class="other" if declared == "other" else None,  # nobody can make a wait native by saying so
    )


def _lines(messages: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(message) + "\n" for message in messages).encode("ascii")


def make(rest: str, options: Mapping[str, str]) -> Agent:
    """An agent from what stands behind ``command:``. Raises UnusableProgram, IsolationImpossible."""
    return CommandAgent(start_of_command(rest, options, isolate="no", environ=os.environ))
