"""What an agent returned, as something that can be carried out and written down. An agent may return anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from . import actions
from .agents.base import Answer, Decision, StepClass, native_or_other
from .effort import amount

MOST_TEXT = 10_000  # characters of an answer, of an agent's words or of its error that are kept
MOST_USAGE = 20  # kinds
BESIDE = ("no class of steps: ", "its usage ")  # how faults begin that are not the action's


@dataclass(frozen=True, slots=True)
class Read:
    """``taken``: what is to be done, None where there is nothing; ``said``: what is written down of it; ``faults``:
    what was left out of that, one line each; ``error``: why its action is none."""

    taken: actions.Action | Answer | None
    said: dict[str, Any]
    faults: list[str] = field(default_factory=list)
    error: str | None = None


def no_action(error: actions.InvalidAction) -> Read:
    """A decision of which nothing is known but that."""
    return Read(None, {"action": None, "step_class": "other"}, error=writable(error))


def read_decision(decision: Any, viewport: tuple[int, int], *, looks: bool = False) -> Read:
    """What it holds; its words and what they cost count even where its action is none. ``looks``: who decided is known
    to say ``native`` of a step without an action only where that was a look at the screen. Nobody else can make a step
    native by saying so."""
    if not isinstance(decision, Decision):  # a plain action is one, too
        decision = Decision(action=decision)
    faults: list[str] = []
    try:
        taken, error = _taken(decision.action, viewport), None
    except actions.InvalidAction as invalid:
        taken, error = None, writable(invalid)
    form = None if taken is None or isinstance(taken, Answer) else actions.write_action(taken)
    said: dict[str, Any] = {"answer": taken.text} if isinstance(taken, Answer) else {"action": form}
    said["step_class"] = native_or_other(form)
    if decision.step_class in get_args(StepClass):
        if decision.step_class == "other":
            said["step_class"] = "other"
        elif looks and taken is None and error is None:
            said["step_class"] = "native"
    elif decision.step_class is not None:
        faults.append(f"{BESIDE[0]}{writable(decision.step_class)[:80]!r}")
    if decision.text:
        said["text"] = writable(decision.text)
    if decision.usage is not None:
        usage = _usage(decision.usage, faults)
        if usage:
            said["usage"] = usage
    return Read(taken, said, faults, error)


def _taken(value: Any, viewport: tuple[int, int]) -> actions.Action | Answer | None:
    """Raises InvalidAction."""
    if value is None:
        return None
    if isinstance(value, Answer) and isinstance(value.text, str):
        return Answer(writable(value.text))
    try:
        if isinstance(value, Mapping):
            return actions.read_action(dict(value), viewport)
        return actions.validated(value, viewport)
    except actions.InvalidAction:
        raise
    except Exception as error:  # of an object that is only half of what it claims to be
        raise actions.InvalidAction(f"it cannot be read ({type(error).__name__})", where="action") from None


def _usage(usage: Any, faults: list[str]) -> dict[str, float]:
    """The amounts among it."""
    known: dict[str, float] = {}
    try:
        items = list(usage.items())[:MOST_USAGE]
    except Exception:  # not even a mapping
        faults.append(f"{BESIDE[1]}is no mapping of amounts")
        return known
    for name, value in items:
        if value is None:
            continue
        try:
            known[writable(name)[:40]] = amount(value)
        except ValueError:
            faults.append(f"{BESIDE[1]}has no amount of {writable(name)[:40]!r}")
    return known


def writable(text: object) -> str:
    """What an agent said, as text that can be written and shown: of bounded length, without lone surrogates."""
    try:
        return str(text)[:MOST_TEXT].encode("utf-8", "replace").decode()
    except Exception:  # not even a text
        return "?"
