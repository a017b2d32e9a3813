"""Nut and Bolt in the suite: clicks, refusals, Undo, and the oracle on both surfaces."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import levels
import numpy as np
import pytest

from lpb_gen.games import GAMES
from lpb_gen.games.base import Pointer
from lpb_gen.runners import actions
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.agents.base import Answer
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Session
from lpb_gen.runners.view import Objective

NUT = GAMES["nut"]
BOARDS = (
    '{"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], []]}',
    '{"capacity": 4, "bolts": [[1, 2, 3, 1], [2, 3, 1, 2], [3, 1, 2, 3], [], []]}',
)


def session() -> Session:
    return Session([Objective("nut", "easy", tuple(levels.level(text, "easy", NUT) for text in BOARDS))])


def press(sitting: Session, x: float, y: float) -> list[str]:
    return [note.kind for kind in ("down", "up") for note in sitting.event(Pointer(kind, x, y))]


def open_first(sitting: Session) -> None:
    for target in ("game:nut", "tier:easy"):
        press(sitting, *sitting.targets()[target])


def middle(sitting: Session, move: tuple[int, int]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where to click for the two bolts of a legal move, in pixels."""
    down, _, other, _ = sitting.pointers(move)
    return (down.x, down.y), (other.x, other.y)


def test_two_clicks_make_a_transfer_and_undo_takes_it_back() -> None:
    sitting = session()
    open_first(sitting)
    before = sitting.view.state
    source, target = middle(sitting, (0, 2))
    assert press(sitting, *source) == []
    assert press(sitting, *target) == ["move"]
    assert sitting.view.state == ((1, 2), (2, 1, 2), (1,))
    press(sitting, *sitting.targets()["undo"])
    assert sitting.view.state == before


def test_a_click_on_the_picked_bolt_puts_it_down() -> None:
    sitting = session()
    open_first(sitting)
    source, _ = middle(sitting, (0, 2))
    plain = sitting.scene()
    press(sitting, *source)
    assert sitting.scene() != plain
    assert press(sitting, *source) == []
    assert sitting.scene() == plain


def test_a_destination_that_cannot_take_the_nuts_is_logged_and_seen() -> None:
    sitting = session()
    open_first(sitting)
    plain, state = sitting.scene(), sitting.view.state
    source, _ = middle(sitting, (0, 2))
    other, _ = middle(sitting, (1, 2))
    press(sitting, *source)
    assert press(sitting, *other) == ["invalid"]
    assert sitting.view.state == state
    assert sitting.scene() != plain


def play(surface: Any, direct: DirectSurface) -> None:
    """The oracle plays on both at once: the same pixels, states and log."""
    player = AGENTS["oracle"]("nut", "easy", 0)
    for _ in range(60):
        assert np.array_equal(surface.pixels(), direct.pixels())
        if direct.session.view.screen == "complete":
            break
        action = player.act_knowing("", direct.session)
        assert not isinstance(action, Answer)
        for single in action.actions if isinstance(action, actions.Batch) else (action,):
            for event in actions.events(single):
                assert surface.dispatch((event,)) == direct.dispatch((event,))
    assert surface.session.view.won["nut", "easy"] == {0, 1}
    assert surface.session.log == direct.session.log


def test_the_oracle_wins_on_the_direct_surface() -> None:
    play(DirectSurface(session()), DirectSurface(session()))


@pytest.fixture
def browser() -> Iterator[Any]:
    from lpb_gen.runners.browser import BrowserSurface

    surface = BrowserSurface(session(), browser=os.environ.get("LPB_BROWSER"))
    surface.start()
    yield surface
    surface.close()


@pytest.mark.browser
def test_the_oracle_wins_in_the_browser(browser: Any) -> None:
    play(browser, DirectSurface(session()))
    assert browser.rejected() == ()
