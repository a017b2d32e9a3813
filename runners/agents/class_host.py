"""Runs a Python class as a program that speaks JSON lines (docs/agents.md): in the code setting, an agent that is given
as ``file.py:Class`` or ``module:Class`` lives here, in a process of its own.

Standard library only, Python 3.8 or newer, nothing of lpb-gen: where this runs, lpb-gen is not to be seen. Only
``Observation.pixels`` takes NumPy and Pillow, where they are installed.
Usage: python class_host.py WHERE CLASS (a file that ends in .py, or a module that is found from the working directory).
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import inspect
import io
import json
import os
import sys
from collections.abc import Mapping
from typing import Any, get_type_hints

BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


class Observation:
    """What the class's methods get. ``screenshot``: PNG bytes."""

    def __init__(self, message: Mapping[str, Any]) -> None:
        self.screenshot: bytes = base64.b64decode(message["screenshot"])
        self.step: int = message["step"]
        self.seconds_left: float = message["seconds_left"]
        self.error: str | None = message["error"]

    def pixels(self) -> Any:
        """The screenshot as an array, uint8[height, width, 4], RGBA, as in the native setting. Raises
        ModuleNotFoundError where the Python that this runs in has no NumPy or no Pillow."""
        try:
            import numpy

            image: Any = importlib.import_module("PIL.Image")
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            raise ModuleNotFoundError(
                f"pixels() needs NumPy and Pillow, and {sys.executable} has no module {missing!r}: install it for "
                "the system (apt-get install python3-numpy python3-pil), name another Python with --agent-option "
                "python=PATH and mount= its environment, or decode screenshot (PNG) yourself",
                name=missing,
            ) from None
        with image.open(io.BytesIO(self.screenshot)) as picture:
            return numpy.array(picture.convert("RGBA"), dtype=numpy.uint8)


def load(where: str, name: str) -> Any:
    """The class. Raises whatever its module raises."""
    if where.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(where)))
        spec = importlib.util.spec_from_file_location(os.path.basename(where)[:-3], where)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(spec.name, module)
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, os.getcwd())
        module = importlib.import_module(where)
    return getattr(module, name)


def arguments(kind: Any, options: Mapping[str, str], seed: int) -> dict[str, Any]:
    """The options as the constructor's annotations want them, and the seed if it asks for it."""
    given: dict[str, Any] = dict(options)
    if "seed" in inspect.signature(kind).parameters:
        given.setdefault("seed", seed)
    try:
        hints = get_type_hints(kind.__init__)
    except Exception:  # an annotation that cannot be looked up is only a comment
        hints = {}
    for name, value in given.items():
        if isinstance(value, str) and hints.get(name) in (int, float):
            given[name] = hints[name](value)
        elif isinstance(value, str) and hints.get(name) is bool:
            given[name] = BOOLEANS[value.lower()]
    return given


def reply_to(agent: Any, observation: Observation) -> dict[str, Any]:
    """One step of the agent, as a reply of the protocol."""
    if not hasattr(agent, "predict"):
        return as_reply(agent.act(observation), "")
    text, action = agent.predict(observation)
    return as_reply(action, text)


def as_reply(action: Any, text: Any) -> dict[str, Any]:
    """From an action's JSON form, ``{"action": "answer", "text": "..."}``, None (a step that touches nothing), or an
    object with ``action`` and perhaps ``text``, ``usage`` and ``step_class``. Raises TypeError."""
    said = {"text": str(text)} if text else {}
    if action is None:
        return {"step": "no action", **said}
    if isinstance(action, Mapping):
        if action.get("action") == "answer":
            return {"answer": str(action.get("text", "")), **said}
        return {"action": dict(action), **said}
    if not hasattr(action, "action"):
        raise TypeError(f"{type(action).__name__} is no action: return its JSON form")
    more = {key: getattr(action, key, None) for key in ("usage", "step_class")}
    reply = as_reply(action.action, getattr(action, "text", "") or text)
    return {**reply, **{key: value for key, value in more.items() if value is not None}}


def main(where: str, name: str) -> None:
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what the class prints goes to standard error
    sys.stdout = sys.stderr
    agent: Any = None
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "start":
            kind = load(where, name)
            agent = kind(**arguments(kind, message["options"], message["seed"]))
            if hasattr(agent, "initialize"):
                agent.initialize(message["instruction"])
            continue
        out.write(json.dumps(reply_to(agent, Observation(message))) + "\n")
        out.flush()
    if agent is not None and hasattr(agent, "done"):
        agent.done()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
