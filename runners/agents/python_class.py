"""Agents that are a class of the user's own, given as ``module:Class`` or ``path/to/file.py:Class``.

    class Mine:                                             class Mine:
        def __init__(self, model="a"): ...                      def act(self, observation):
        def initialize(self, instruction): ...                      return {"action": "press", "key": "ArrowUp"}
        def predict(self, observation):
            return "I go up", {"action": "press", "key": "ArrowUp"}
        def done(self): ...

``initialize`` and ``done`` may be missing; ``done`` is called once, when the episode is over, however it ended. The
constructor gets every ``--agent-option`` as a keyword argument, read as the type of its annotation, and ``seed`` if it
asks for it. ``observation`` is an ``Observation``; an action is one of ``actions``, in its JSON form or as an object,
``None`` for a step that touches nothing, or ``{"action": "answer", "text": "..."}`` to end the episode.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from ...games.base import LpbError
from ..isolation import NOT_ISOLATED
from .base import Agent, Answer, Decision, Observation
from .broken import line_of


class UnusableAgent(LpbError):
    """A class that cannot be loaded or made, or that is no agent."""


class Wrapped(Agent):
    """A user's object as an ``Agent``."""

    isolation = NOT_ISOLATED  # it shares the evaluator's process

    def __init__(self, own: Any, name: str) -> None:
        self._own, self.name = own, name

    def begin(self, instruction: str, viewport: tuple[int, int]) -> None:
        if hasattr(self._own, "initialize"):
            self._own.initialize(instruction)

    def act(self, observation: Observation) -> Decision:
        if not hasattr(self._own, "predict"):
            return as_decision(self._own.act(observation))
        said = self._own.predict(observation)
        if not isinstance(said, list | tuple) or len(said) != 2:
            raise TypeError(f"predict() has to return (text, action), not {type(said).__name__}")
        text, action = said
        return as_decision(action, "" if text is None else str(text))

    def close(self) -> None:
        for name in ("done", "close"):
            if hasattr(self._own, name):
                getattr(self._own, name)()
                return


def as_decision(action: Any, text: str = "") -> Decision:
    """What a user's agent returned, as a decision; whether it is a valid action is not looked at here."""
    if isinstance(action, Decision):
        return action
    if isinstance(action, Mapping) and action.get("action") == "answer":
        return Decision(action=Answer(action.get("text", "")), text=text)
    return Decision(action=action, text=text)


# --- loading ----------------------------------------------------------------------------------------------------------


def load_class(spec: str) -> type[Any]:
    """The class that ``module:Class`` or ``path/to/file.py:Class`` names. Raises UnusableAgent."""
    place, _, name = spec.rpartition(":")
    try:
        module = _from_file(Path(place)) if place.endswith(".py") else _from_path(place)
    except LpbError:
        raise
    except ModuleNotFoundError as error:
        if error.name == place.partition(".")[0] or error.name == place:
            fix = "install it, run from its folder, or name its file (path/to/file.py:Class)"
            raise UnusableAgent(f"there is no module {place!r}", where=spec, fix=fix) from None
        raise UnusableAgent(f"it needs the module {error.name!r}", where=spec, fix="install it") from None
    except (Exception, SystemExit) as error:
        raise UnusableAgent(
            f"it does not load ({type(error).__name__}: {error}{line_of(error)})", where=spec
        ) from error
    found = getattr(module, name, None)
    if not inspect.isclass(found):
        classes = [n for n, c in vars(module).items() if inspect.isclass(c) and c.__module__ == module.__name__]
        fix = f"it has {', '.join(classes)}" if classes else "it has none"
        raise UnusableAgent(f"no class {name!r} in it", where=spec, fix=fix)
    return found


def _from_path(name: str) -> ModuleType:
    if "" not in sys.path and str(Path.cwd()) not in sys.path:  # as ``python -m`` has it; a console script does not
        sys.path.insert(0, str(Path.cwd()))
    return import_module(name)


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UnusableAgent("there is no such file", where=str(path))
    folder = str(path.resolve().parent)
    if folder not in sys.path:  # what lies beside it can be imported
        sys.path.insert(0, folder)
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # dataclasses and pickle look there
    spec.loader.exec_module(module)
    return module


# --- making -----------------------------------------------------------------------------------------------------------


def from_class(kind: type[Any], options: Mapping[str, str], seed: int, spec: str) -> Agent:
    """An agent of this class. Raises UnusableAgent."""
    if not (issubclass(kind, Agent) or hasattr(kind, "predict") or hasattr(kind, "act")):
        raise UnusableAgent("it has neither predict(observation) nor act(observation)", where=spec)
    arguments = _arguments(kind, options, seed, spec)
    try:
        own = kind(**arguments)
    except LpbError:
        raise
    except (Exception, SystemExit) as error:
        raise UnusableAgent(
            f"it cannot be made ({type(error).__name__}: {error}{line_of(error)})", where=spec
        ) from error
    given = getattr(own, "name", None)
    name = given if isinstance(given, str) and given.strip() else kind.__name__
    if isinstance(own, Agent):
        own.name, own.isolation = name, NOT_ISOLATED
        return own
    return Wrapped(own, name)


def _arguments(kind: type[Any], options: Mapping[str, str], seed: int, spec: str) -> dict[str, Any]:
    """The options as the constructor wants them."""
    try:
        signature = inspect.signature(kind)
    except (TypeError, ValueError):  # of compiled code: it will tell itself
        return dict(options)
    parameters = signature.parameters
    given: dict[str, Any] = dict(options)
    if "seed" in parameters:
        given.setdefault("seed", seed)
    try:
        signature.bind(**given)
    except TypeError as error:
        takes = ", ".join(n for n, p in parameters.items() if p.kind is not p.VAR_KEYWORD) or "none"
        fix = f"give --agent-option KEY=VALUE; it takes {takes}"
        raise UnusableAgent(f"its options do not fit ({error})", where=spec, fix=fix) from None
    try:
        hints = get_type_hints(kind.__init__)
    except Exception:  # an annotation that cannot be looked up is only a comment
        hints = {}
    return {name: _read(value, hints.get(name), name, spec) for name, value in given.items()}


def _read(value: Any, hint: Any, name: str, spec: str) -> Any:
    """The text of an option as its annotation's type; any other annotation leaves it a text."""
    if not isinstance(value, str) or hint not in (int, float, bool):
        return value
    if hint is bool:
        known = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if value.lower() not in known:
            raise UnusableAgent(f"{name}={value!r} is neither true nor false", where=spec)
        return known[value.lower()]
    try:
        return hint(value)
    except ValueError:
        raise UnusableAgent(f"{name}={value!r} is no {hint.__name__}", where=spec) from None
