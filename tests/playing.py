"""How tests play and make levels: the same loop for every game and agent."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lpb_gen.generators.base import AnyGenerator, Candidate
from lpb_gen.generators.stream import Stream
from lpb_gen.runners import actions
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.agents.base import Answer
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Session
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


def assert_the_browser_shows_the_same(session: Callable[[], Session], game: str, tier: str) -> None:
    """The oracle plays an objective on both surfaces: the same pixels in the end, and the same log."""
    from lpb_gen.runners.browser import BrowserSurface

    direct, browser = DirectSurface(session()), BrowserSurface(session(), browser=os.environ.get("LPB_BROWSER"))
    try:
        for surface in (direct, browser):
            surface.start()
            play(surface, game, tier)
        assert np.array_equal(browser.pixels(), direct.pixels())
        assert browser.session.log == direct.session.log
    finally:
        browser.close()


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
