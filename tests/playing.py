"""How tests play and make levels: the same loop for every game and agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lpb_gen.generators.base import AnyGenerator, Candidate
from lpb_gen.generators.stream import Stream
from lpb_gen.runners import actions
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.agents.base import Answer
from lpb_gen.runners.surface import Surface


def play(surface: Surface, game: str, tier: str, agent: str = "oracle", *, until: str = "complete") -> None:
    """Lets a reference agent play one objective until that screen is there."""
    player = AGENTS[agent](game, tier, 1)
    for _ in range(100):
        if surface.session.view.screen == until:
            return
        action = player.act_knowing("", surface.session)
        assert not isinstance(action, Answer | actions.Batch)
        surface.dispatch(actions.events(action))
    raise AssertionError(f"{agent} never came to {until}")


def moves_of_wins(surface: Surface) -> list[int]:
    """The moves that each level took, in the order of the wins."""
    return [note.data["moves"] for note in surface.session.log if note.kind == "solved"]


def made(generator: AnyGenerator, block: Mapping[str, Any], key: int, tries: int = 20) -> Candidate[Any]:
    """The first candidate of a stream that is no reject."""
    params = generator.params(block)
    for index in range(tries):
        found = generator.generate(params, Stream([key], [0, index]))
        if isinstance(found, Candidate):
            return found
    raise AssertionError("no level")
