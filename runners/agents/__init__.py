"""Agents by name: the one table, and how a word of the command line becomes an agent.

oracle, random, greedy, cautious   reference players; they read the state and act through the GUI like everybody
human                              a person at an own browser (see ``runners.person``)
openai:MODEL, anthropic:MODEL      a model's service       } a module of this package with
command:PROGRAM ARGS               any program             } make(rest, options) -> Agent
path/to/file.py:Class              a class of yours (see ``python_class``)
module:Class                       the same, of an installed module or one in the current folder
NAME or NAME:REST                  whatever a package registered under the entry point group ``lpb_gen.agents``
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from inspect import isclass, ismodule
from typing import Any

from ...games.base import LpbError
from .base import Agent, AnyAgent, ReferenceAgent
from .cautious import Cautious
from .greedy import Greedy
from .oracle import Oracle
from .python_class import from_class, load_class
from .random_walk import RandomWalk

ENTRY_POINTS = "lpb_gen.agents"
HUMAN = "human"

# name -> (game, tier, seed) -> agent
AGENTS: dict[str, Callable[[str, str, int], ReferenceAgent]] = {
    "oracle": lambda game, tier, seed: Oracle(game, tier),
    "random": RandomWalk,
    "greedy": lambda game, tier, seed: Greedy(game, tier),
    "cautious": lambda game, tier, seed: Cautious(game, tier),
}
ADAPTERS = ("openai", "anthropic", "command")  # modules of this package, loaded when they are asked for


class UnknownAgent(LpbError):
    """An agent that is not there, or that cannot be made of what was said of it."""


def agent_from(spec: str, options: Mapping[str, str], *, game: str, tier: str, seed: int) -> AnyAgent:
    """A fresh agent for one episode. ``options``: as they were typed. Raises UnknownAgent and what the agent's own
    ``make`` raises (an LpbError); what a class of the user's raises is told in an UnknownAgent."""
    name, _, rest = spec.partition(":")
    if spec in AGENTS:
        if options:
            raise UnknownAgent("it takes no options", where=spec, fix="leave out --agent-option")
        return AGENTS[spec](game, tier, seed)
    if spec == HUMAN:
        raise UnknownAgent("a person is no program", where=spec, fix="let 'lpb-gen run --agent human' serve the suite")
    if name in ADAPTERS:
        return _checked(_adapter(name)(rest, options), spec)
    for point in entry_points(group=ENTRY_POINTS, name=spec):
        return _registered(_loaded(point, spec), "", options, spec, seed)
    for point in entry_points(group=ENTRY_POINTS, name=name):
        return _registered(_loaded(point, spec), rest, options, spec, seed)
    if ":" in spec:
        return from_class(load_class(spec), options, seed, spec)
    if spec.endswith(".py"):
        raise UnknownAgent("it names no class of that file", where=spec, fix=f"write --agent {spec}:CLASS")
    raise UnknownAgent("there is no such agent", where=spec, fix=f"use one of {', '.join(names())}")


def names() -> list[str]:
    """What ``--agent`` understands, entry points included."""
    known = [*AGENTS, HUMAN, "openai:MODEL", "anthropic:MODEL", "command:PROGRAM", "module:Class", "file.py:Class"]
    return known + sorted(point.name for point in entry_points(group=ENTRY_POINTS))


def _adapter(name: str) -> Callable[[str, Mapping[str, str]], Any]:
    try:
        make: Callable[[str, Mapping[str, str]], Any] = import_module(f".{name}", __package__).make
    except ModuleNotFoundError as error:
        if error.name == f"{__package__}.{name}":
            raise UnknownAgent("this lpb-gen comes without this adapter", where=name, fix="upgrade lpb-gen") from None
        fix = f"pip install 'lpb-gen[{name}]'"
        raise UnknownAgent(f"it needs the package {error.name}", where=name, fix=fix) from None
    return make


def _loaded(point: Any, spec: str) -> Any:
    try:
        return point.load()
    except Exception as error:
        what = f"its entry point {point.value} does not load ({type(error).__name__}: {error})"
        raise UnknownAgent(what, where=spec) from None


def _registered(found: Any, rest: str, options: Mapping[str, str], spec: str, seed: int) -> Agent:
    """From what an entry point names: a class (which takes the options), or a module or function that makes agents."""
    if isclass(found):
        if rest:
            raise UnknownAgent("it takes nothing after the colon", where=spec)
        return from_class(found, options, seed, spec)
    make = getattr(found, "make", None) if ismodule(found) else found
    if not callable(make):
        raise UnknownAgent("its entry point is neither a class nor something with make()", where=spec)
    return _checked(make(rest, options), spec)


def _checked(agent: Any, spec: str) -> Agent:
    if not isinstance(agent, Agent):
        raise UnknownAgent(f"make() returned {type(agent).__name__}, not an Agent", where=spec)
    return agent
