"""Bolt Unscrew in the suite: the oracle wins generated levels on both surfaces, clicks pick, move, put down and are
refused, and the commands take its boards."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lpb_gen.games import GAMES
from lpb_gen.games.base import Pointer
from lpb_gen.pipeline.level import Level
from lpb_gen.pipeline.production import Order, make_levels
from lpb_gen.pipeline.workers import InlineExecutor
from lpb_gen.runners import actions
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.agents.base import Answer
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Objective, Session

BOLT = GAMES["bolt"]
PARAMS = {"screws": [5, 7], "boards": [3, 4], "size": [[5, 6], [6, 7]], "free": [2, 6]}
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def generated() -> tuple[Level, ...]:
    return tuple(make_levels(Order("bolt", "easy", PARAMS, {}, 4, 1), 2, InlineExecutor(), patience=100))


@pytest.fixture
def sitting(generated: tuple[Level, ...]) -> Session:
    return Session([Objective("bolt", "easy", generated)])


def press(sitting: Session, x: float, y: float) -> list[str]:
    return [note.kind for kind in ("down", "up") for note in sitting.event(Pointer(kind, x, y))]


def open_first(sitting: Session) -> None:
    for target in ("game:bolt", "tier:easy"):
        press(sitting, *sitting.targets()[target])


def places(sitting: Session, move: tuple[int, int]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where to click for the screw and for the hole of a legal move, in pixels."""
    down, _, other, _ = sitting.pointers(move)
    return (down.x, down.y), (other.x, other.y)


def test_two_clicks_make_a_move_and_a_picked_screw_is_seen(sitting: Session) -> None:
    open_first(sitting)
    view = sitting.view
    move = next(iter(BOLT.moves(view.board, view.state)))
    screw, hole = places(sitting, move)
    plain = sitting.scene()
    assert press(sitting, *screw) == []
    assert sitting.scene() != plain
    assert press(sitting, *screw) == []
    assert sitting.scene() == plain, "the second click puts it down"
    press(sitting, *screw)
    assert press(sitting, *hole) == ["move"]
    assert sitting.view.state == BOLT.apply(view.board, view.state, move)


def test_a_click_on_another_screw_picks_that_one(sitting: Session) -> None:
    open_first(sitting)
    board, state = sitting.view.board, sitting.view.state
    moves = list(BOLT.moves(board, state))
    first, other = moves[0], next(move for move in moves if move[0] != moves[0][0])
    press(sitting, *places(sitting, first)[0])
    assert press(sitting, *places(sitting, other)[0]) == []
    assert press(sitting, *places(sitting, other)[1]) == ["move"]
    assert sitting.view.state == BOLT.apply(board, state, other)


def test_a_plugged_hole_refuses_a_screw_is_logged_and_seen(sitting: Session) -> None:
    open_first(sitting)
    board, state = sitting.view.board, sitting.view.state
    moves = list(BOLT.moves(board, state))
    screw, hole = places(sitting, moves[0])
    press(sitting, *screw)
    press(sitting, *hole)
    state = sitting.view.state
    assert board.relations.owners[moves[0][0]] & state.planks, "its board still hangs there"
    other, _ = places(sitting, next(m for m in BOLT.moves(board, state) if m[0] not in moves[0]))
    plain = sitting.scene()
    press(sitting, *other)
    assert press(sitting, *screw) == ["invalid"]
    assert sitting.log[-1].data["reason"] == f"a board still covers hole {moves[0][0]}"
    assert sitting.view.state == state
    assert sitting.scene() != plain
    assert press(sitting, *other) == [], "a new press picks again"


def test_a_click_beside_everything_is_a_miss(sitting: Session) -> None:
    open_first(sitting)
    assert press(sitting, 370, 5) == ["miss"]


def play_to_the_end(surface: Any) -> None:
    player = AGENTS["oracle"]("bolt", "easy", 0)
    for _ in range(60):
        if surface.session.view.screen == "complete":
            return
        action = player.act_knowing("", surface.session)
        assert not isinstance(action, Answer)
        for single in action.actions if isinstance(action, actions.Batch) else (action,):
            surface.dispatch(actions.events(single))
    raise AssertionError("the oracle did not come to the end")


def test_the_oracle_wins_on_the_direct_surface_in_the_minimum(sitting: Session) -> None:
    surface = DirectSurface(sitting)
    surface.start()
    play_to_the_end(surface)
    notes = [note for note in sitting.log if note.kind == "solved"]
    assert [note.data["moves"] for note in notes] == [level.certificate.lower for level in sitting.objectives[0].levels]


@pytest.mark.browser
def test_the_oracle_wins_in_the_browser_with_the_same_pixels(generated: tuple[Level, ...]) -> None:
    from lpb_gen.runners.browser import BrowserSurface

    objective = Objective("bolt", "easy", generated)
    direct = DirectSurface(Session([objective]))
    surface = BrowserSurface(Session([objective]), browser=os.environ.get("LPB_BROWSER"))
    try:
        direct.start()
        surface.start()
        play_to_the_end(direct)
        play_to_the_end(surface)
        assert np.array_equal(surface.pixels(), direct.pixels())
        assert surface.session.log == direct.session.log
        assert surface.rejected() == ()
    finally:
        surface.close()


# --- from the command line --------------------------------------------------------------------------------------------


def test_certify_proves_refutes_and_names_what_is_wrong(lpb_gen: Run, generated: tuple[Level, ...]) -> None:
    good = generated[0].board
    stuck = good | {"holes": [p for i, p in enumerate(good["holes"]) if i in good["screws"]]}
    place = {hole: i for i, hole in enumerate(sorted(good["screws"]))}
    stuck |= {
        "screws": [place[i] for i in good["screws"]],
        "boards": [b | {"holes": [place[i] for i in b["holes"]]} for b in good["boards"]],
    }
    off = good | {"size": [3, 3]}
    text = "\n".join(json.dumps({"board": board}) for board in (good, stuck, off)) + "\nO-O/O-O\n"
    done = lpb_gen("certify", "--game", "bolt", "-", input=text)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert lines[0]["optimal_length"] == len(lines[0]["solution"]) == generated[0].certificate.lower
    assert lines[0]["proof"] == "exhaustive search"
    assert lines[1]["unsolvable"]
    assert "proven unsolvable" in lines[1]["error"]
    assert "off the frame" in lines[2]["error"]
    assert "there is no text notation" in lines[3]["error"]


def test_show_draws_a_board(lpb_gen: Run, generated: tuple[Level, ...]) -> None:
    done = lpb_gen("show", "--game", "bolt", json.dumps({"board": generated[0].board}))
    assert done.returncode == 0, done.stderr
    assert "a: screws at" in done.stdout


def test_generate_makes_certified_levels(lpb_gen: Run) -> None:
    done = lpb_gen(
        "generate", "--game", "bolt", "--where", "optimal_length=6..8,fatal_move_share=0.02..0.3", "--count", "2"
    )
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        figures = json.loads(line)["figures"]
        assert 6 <= figures["optimal_length"] <= 8
        assert 0.02 <= figures["fatal_move_share"] <= 0.3
