"""Truck Escape in the suite: the oracle wins generated levels on both surfaces, a bump is seen and noted, commands."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from playing import assert_the_browser_shows_the_same, moves_of_wins, play

from lpb_gen.games import GAMES
from lpb_gen.games.base import Pointer
from lpb_gen.pipeline.level import Level
from lpb_gen.pipeline.production import Order, make_levels
from lpb_gen.pipeline.workers import InlineExecutor
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Objective, Session

TRUCK = GAMES["truck"]
Run = Callable[..., subprocess.CompletedProcess[str]]


@cache
def generated() -> tuple[Level, ...]:
    kinds = ({"vehicles": 6, "depth": 3}, {"vehicles": 14, "depth": 6, "roads": 2, "turning": 6})
    order = Order("truck", "expert", {}, {}, 3, 1, kinds)
    return tuple(make_levels(order, 2, InlineExecutor(), patience=20))


def session(lang: str = "en") -> Session:
    return Session([Objective("truck", "expert", generated())], lang=lang)


@pytest.mark.parametrize("agent", ["oracle", "greedy", "random"])
def test_every_player_who_makes_legal_moves_wins_in_the_minimum(agent: str) -> None:
    surface = DirectSurface(session())
    surface.start()
    play(surface, "truck", "expert", agent)
    assert moves_of_wins(surface) == [level.certificate.lower for level in generated()] == [6, 14]


@pytest.mark.browser
def test_the_oracle_wins_in_the_browser_with_the_same_pixels() -> None:
    assert_the_browser_shows_the_same(lambda: session("zh"), "truck", "expert")


@pytest.fixture
def surface() -> DirectSurface:
    surface = DirectSurface(session())
    surface.start()
    play(surface, "truck", "expert", until="level")
    return surface


def click(surface: DirectSurface, number: int) -> list[str]:
    """Clicks a vehicle, whether it can leave or not; the kinds of what is noted."""
    view, frame = surface.session.view, surface.session._frame
    assert frame is not None
    events = [frame.to_pixels(event) for event in TRUCK.gesture(view.board, view.state, number)]
    return [note.kind for note in surface.dispatch(events)]


def blocked_one(surface: DirectSurface) -> int:
    view = surface.session.view
    free = set(TRUCK.moves(view.board, view.state))
    return next(n for n in range(len(view.board.vehicles)) if n not in free)


def test_a_bump_is_noted_and_seen_until_the_next_input(surface: DirectSurface) -> None:
    before, state = surface.pixels().copy(), surface.session.view.state
    assert click(surface, blocked_one(surface)) == ["invalid"]
    assert surface.session.view.state == state
    assert surface.session.view.moves_made == 0
    assert surface.session.view.mark == "blocked"
    frame = surface.session._frame
    assert frame is not None
    left, top, width, height = (int(v) for v in frame.area)
    height = min(height, 790)  # above the line that says "blocked"
    on_the_lot = (slice(top, top + height), slice(left, left + width))
    assert not np.array_equal(surface.pixels()[on_the_lot], before[on_the_lot])
    corner = Pointer("down", left + 3.0, top + 3.0), Pointer("up", left + 3.0, top + 3.0)
    assert [note.kind for note in surface.dispatch(corner)] == ["miss"], "a click on nothing, also after a bump"
    assert np.array_equal(surface.pixels(), before)


def test_a_bump_survives_saving(surface: DirectSurface) -> None:
    click(surface, blocked_one(surface))
    copy = session()
    copy.restore(json.loads(json.dumps(surface.session.snapshot())))
    assert copy.state_hash() == surface.session.state_hash()
    assert copy.scene() == surface.session.scene()


def test_a_press_that_is_released_elsewhere_is_a_miss(surface: DirectSurface) -> None:
    down, _ = surface.session.pointers(next(iter(TRUCK.moves(surface.session.view.board, surface.session.view.state))))
    notes = surface.dispatch([down, Pointer("move", 400, 20), Pointer("up", 400, 20)])
    assert [note.kind for note in notes] == ["miss"]


# --- from the command line --------------------------------------------------------------------------------------------


def test_generate_makes_certified_levels_with_the_figures_asked_for(lpb_gen: Run) -> None:
    where = "optimal_length=12..14,depth=6..7,free=2..3,bait=3..5,expected_clicks=..200"
    done = lpb_gen("generate", "--game", "truck", "--where", where, "--count", "3")
    assert done.returncode == 0, done.stderr
    figures = [json.loads(line)["figures"] for line in done.stdout.splitlines()]
    assert len(figures) == 3
    for found in figures:
        assert 12 <= found["optimal_length"] <= 14
        assert 6 <= found["depth"] <= 7
        assert 2 <= found["free"] <= 3
        assert 3 <= found["bait"] <= 5


def test_certify_proves_and_refutes_line_by_line(lpb_gen: Run) -> None:
    def line(*vehicles: tuple[int, int, str], **more: object) -> str:
        listed = [{"front": [row, column], "dir": facing, "len": 2} for row, column, facing in vehicles]
        return json.dumps({"board": {"size": [4, 5], "walls": [], "vehicles": listed, **more}})

    text = "\n".join(
        [
            line((0, 1, "R"), (1, 3, "D")),
            line((1, 1, "R"), (1, 1, "L")),
            line((1, 2, "R"), (1, 3, "L")),
            line((0, 1, "R"), walls=[[0, 4]]),
            line((0, 1, "N")),
            "a board",
        ]
    )
    done = lpb_gen("certify", "--game", "truck", "-", input=text)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [line.get("optimal_length") for line in lines] == [2, None, None, None, None, None]
    assert lines[0]["solution"] == [1, 0]
    assert [bool(line.get("unsolvable")) for line in lines] == [False, False, True, True, False, False]
    assert "overlaps" in lines[1]["error"]
    assert "vehicle 1 (row 2, column 3, facing right), vehicle 2 (row 2, column 4, facing left)" in lines[2]["error"]
    assert "a cycle, vehicle 1" in lines[2]["proof"]
    assert "wall" in lines[3]["error"]
    assert "write U, D, L or R" in lines[4]["error"]
    assert "there is no text notation" in lines[5]["error"]


def test_show_draws_arrows_in_a_terminal_with_colours_too(lpb_gen: Run) -> None:
    board = {"size": [3, 4], "walls": [[0, 0]], "vehicles": [{"front": [2, 2], "dir": "R", "len": 3}]}
    for env in ({}, {"FORCE_COLOR": "1"}):
        line = json.dumps({"board": board, "optimal_length": 1, "depth": 1, "beauty": 3})
        done = lpb_gen("show", "--game", "truck", "-", input=line, env=os.environ | env)
        assert done.returncode == 0, done.stderr
        assert "depth" in done.stdout
        assert "beauty" not in done.stdout
        assert "#...\n....\n--→." in done.stdout
