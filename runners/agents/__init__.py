"""Agents that need no model: reference players that read the state and act through the GUI like everybody."""

from __future__ import annotations

from collections.abc import Callable

from .base import ReferenceAgent
from .greedy import Greedy
from .oracle import Oracle
from .random_walk import RandomWalk

# name -> (game, tier, seed) -> agent
AGENTS: dict[str, Callable[[str, str, int], ReferenceAgent]] = {
    "oracle": lambda game, tier, seed: Oracle(game, tier),
    "random": RandomWalk,
    "greedy": lambda game, tier, seed: Greedy(game, tier),
}
