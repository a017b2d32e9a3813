"""Rush Hour in the suite: the oracle wins its levels on both surfaces, drags show, 36 characters are a board."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from itertools import pairwise

import levels
import numpy as np
import pytest
from playing import assert_the_browser_shows_the_same, moves_of_wins, play

from lpb_gen.games import GAMES
from lpb_gen.games.base import Pointer
from lpb_gen.pipeline.boards import read_boards
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Objective, Session

RUSH = GAMES["rush"]
EASY = ("..BBBC/.....C/.AA..C/....../..x.../......", "AA.B/CC.B/...B/....")
LINE = "oooooooooooooAABoooCCBoDoEoBoDoEFFoD"  # 14 moves
Run = Callable[..., subprocess.CompletedProcess[str]]


def session() -> Session:
    return Session([Objective("rush", "easy", tuple(levels.level(text, "easy", RUSH) for text in EASY))])


def test_the_oracle_wins_on_the_direct_surface_in_the_minimum() -> None:
    surface = DirectSurface(session())
    surface.start()
    play(surface, "rush", "easy")
    assert surface.session.view.won["rush", "easy"] == {0, 1}
    assert moves_of_wins(surface) == [level.certificate.lower for level in surface.session.objectives[0].levels]


@pytest.mark.browser
def test_the_oracle_wins_in_the_browser_with_the_same_pixels() -> None:
    assert_the_browser_shows_the_same(session, "rush", "easy")


def test_a_drag_shows_the_vehicle_on_its_way_and_a_blocked_one_is_told() -> None:
    surface = DirectSurface(session())
    surface.start()
    play(surface, "rush", "easy", until="level")
    down, moved, up = surface.session.pointers("C+3")
    pictures = [surface.pixels().copy()]
    for share in (0.0, 0.4, 0.8):
        y = down.y + share * (moved.y - down.y)
        surface.dispatch([down] if share == 0 else [Pointer("move", down.x, y)])
        pictures.append(surface.pixels().copy())
    for before, after in pairwise(pictures):
        assert not np.array_equal(before, after)
    home = surface.dispatch([Pointer("move", down.x, down.y), Pointer("up", down.x, down.y)])
    assert surface.session.view.moves_made == 0, "a drag that ends where it began is no move"
    assert [note.kind for note in home] == ["miss"]
    above = Pointer("up", down.x, down.y - (up.y - down.y))
    assert [note.kind for note in surface.dispatch([down, above])] == ["invalid"]
    assert surface.session.view.mark == "blocked"


# --- from the command line --------------------------------------------------------------------------------------------


def test_a_line_of_36_characters_is_a_board_of_its_own_and_rows_are_one_together() -> None:
    text = f"{LINE}\n{LINE}\nAA.B\nCC.B\n...B\n....\n{LINE}\nAA.B/CC.B/...B/....\n"
    found = [(entry.line, len(entry.board["rows"])) for entry in read_boards(RUSH, text.splitlines())]
    assert found == [(1, 6), (2, 6), (3, 4), (7, 6), (8, 4)]
    assert [entry.line for entry in read_boards(GAMES["maze"], ["." * 36, "S" * 36])] == [1]


def test_certify_takes_36_characters_and_names_what_is_wrong_line_by_line(lpb_gen: Run) -> None:
    text = f"{LINE}\n{LINE[:35]}A\nAABB/..../..../....\n" + json.dumps({"board": LINE, "moves": 14}) + "\n"
    done = lpb_gen("certify", "--game", "rush", "-", input=text)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [line.get("optimal_length") for line in lines] == [14, None, None, 14]
    assert "vehicle A is bent, broken or overlapped" in lines[1]["error"]
    assert "proven unsolvable" in lines[2]["error"]
    assert lines[2]["unsolvable"]
    assert {move[0] for move in lines[0]["solution"]} <= set("ABCDEF")


def test_show_takes_36_characters(lpb_gen: Run) -> None:
    done = lpb_gen("show", "--game", "rush", LINE)
    assert done.returncode == 0, done.stderr
    assert ".AAB.." in done.stdout


def test_generate_makes_certified_levels(lpb_gen: Run) -> None:
    done = lpb_gen("generate", "--game", "rush", "--where", "optimal_length=6..9,optimal_steps=8..", "--count", "2")
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        figures = json.loads(line)["figures"]
        assert 6 <= figures["optimal_length"] <= 9
        assert figures["fatal_move_share"] == 0
