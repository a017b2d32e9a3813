"""Color Connect in the suite: the oracle wins on both surfaces, violations are logged, boards are certified."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from lpb_gen.games import GAMES
from lpb_gen.games.base import Pointer
from lpb_gen.games.color import VIOLATIONS
from lpb_gen.games.color_rules import RELEASED
from lpb_gen.generators import color as generator
from lpb_gen.pipeline.level import Level, make_level
from lpb_gen.runners import actions
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.agents.base import Answer
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Objective, Session
from lpb_gen.runners.suite.labels import mark_text
from lpb_gen.runners.surface import Surface
from lpb_gen.verifiers import color as verifier

COLOR = GAMES["color"]
BOARDS = (("A...B/..#../.B.../....A", False), ("..../.AB./AB..", True))
Run = Callable[..., subprocess.CompletedProcess[str]]


def level(text: str, cover: bool) -> Level:
    board = COLOR.board({**COLOR.read(text), "cover": cover})
    return make_level(COLOR, board, *verifier.verify(board, generator.solve(board)), tier="easy", provenance={})


def session(*boards: tuple[str, bool]) -> Session:
    return Session([Objective("color", "easy", tuple(level(*board) for board in boards or BOARDS))])


def opened(surface: Surface) -> None:
    player = AGENTS["oracle"]("color", "easy", 1)
    while surface.session.view.screen != "level":
        surface.dispatch(actions.events(player.act_knowing("", surface.session)))  # type: ignore[arg-type]


def play_to_the_end(surface: Surface, agent: str = "oracle") -> None:
    player = AGENTS[agent]("color", "easy", 1)
    for _ in range(60):
        if surface.session.view.screen == "complete":
            break
        action = player.act_knowing("", surface.session)
        assert not isinstance(action, Answer | actions.Batch)
        surface.dispatch(actions.events(action))
    assert surface.session.view.won["color", "easy"] == {0, 1}


def test_the_oracle_wins_on_the_direct_surface_in_the_minimum() -> None:
    surface = DirectSurface(session())
    surface.start()
    play_to_the_end(surface)
    notes = [note for note in surface.session.log if note.kind == "solved"]
    assert [note.data["moves"] for note in notes] == [
        level.certificate.lower for level in surface.session.objectives[0].levels
    ]


@pytest.mark.browser
def test_the_oracle_wins_in_the_browser_with_the_same_pixels() -> None:
    from lpb_gen.runners.browser import BrowserSurface

    direct, surface = DirectSurface(session()), BrowserSurface(session(), browser=os.environ.get("LPB_BROWSER"))
    try:
        direct.start()
        surface.start()
        play_to_the_end(direct)
        play_to_the_end(surface)
        assert np.array_equal(surface.pixels(), direct.pixels())
        assert surface.session.log == direct.session.log
    finally:
        surface.close()


def pixel(sitting: Session, row: int, column: int) -> tuple[float, float]:
    """The middle of a cell, in pixels: found from where the gestures click on two dots that a column parts."""
    width = sitting.view.board.width
    a, b = (divmod(dot, width) for dot in sitting.view.board.pairs[0][1:])
    (x, y), (to_x, _) = ((p.x, p.y) for p in (sitting.pointers(dot)[0] for dot in (a, b)))
    unit = (to_x - x) / (b[1] - a[1])
    return x + (column - a[1]) * unit, y + (row - a[0]) * unit


def test_drags_win_a_level_as_well_when_the_pointer_goes_up() -> None:
    surface = DirectSurface(session(BOARDS[0]))
    surface.start()
    opened(surface)
    sitting = surface.session
    for stroke in ([(0, 0), (3, 0), (3, 4)], [(0, 4), (0, 1), (2, 1)]):
        points = [pixel(sitting, *cell) for cell in stroke]
        surface.dispatch([Pointer("down", *points[0])])
        surface.dispatch([Pointer("move", *point) for point in points[1:]])
        assert sitting.view.screen == "level"
        surface.dispatch([Pointer("up", *points[-1])])
    assert sitting.view.screen == "complete"
    assert [note.data["moves"] for note in sitting.log if note.kind == "solved"] == [6]


def test_a_drag_shows_the_line_on_its_way() -> None:
    surface = DirectSurface(session())
    surface.start()
    opened(surface)
    pictures = [surface.pixels().copy()]
    for n, cell in enumerate(((0, 0), (0, 1), (0, 2), (1, 2))):
        surface.dispatch([Pointer("move" if n else "down", *pixel(surface.session, *cell))])
        pictures.append(surface.pixels().copy())
    for before, after in pairwise(pictures[:4]):
        assert not np.array_equal(before, after)
    assert np.array_equal(pictures[3], pictures[4]), "a blocked cell"


def test_every_violation_is_logged_by_name() -> None:
    surface = DirectSurface(session(("A....B/..#.../.A..../.....B", False)))
    surface.start()
    opened(surface)
    sitting, banners = surface.session, set[str]()

    def stroke(*cells: tuple[int, int]) -> None:
        points = [pixel(sitting, *cell) for cell in cells]
        kinds = ["down", *["move"] * (len(points) - 1)]
        surface.dispatch([Pointer(kind, *point) for kind, point in zip(kinds, points, strict=True)])  # type: ignore[arg-type]
        surface.dispatch([Pointer("up", *points[-1])])
        last = sitting.log[-1]
        if last.kind == "invalid":
            assert sitting.view.mark == last.data["reason"].partition(":")[0]
            banners.add(mark_text(sitting.view.mark, "color", "en"))

    stroke((1, 1))  # input without an active line
    stroke((1, 1), (1, 0))  # start from a non-endpoint
    stroke((1, 1), (-1, 1))  # outside the board
    stroke((0, 0), (0, 2))  # released before connection
    stroke((0, 2), (1, 2))  # entered blocked cell
    stroke((0, 2), (2, 3))  # non-adjacent jump
    stroke((0, 2), (0, 4))
    stroke((0, 4), (0, 5))  # entered foreign dot
    stroke((0, 4), (1, 4), (1, 3))
    stroke((1, 3), (0, 3))  # self-crossing
    stroke((0, 5), (1, 5))
    stroke((1, 5), (1, 4))  # overlap
    told = [note.data["reason"].partition(":")[0] for note in sitting.log if note.kind in ("invalid", "violation")]
    assert set(told) == set(VIOLATIONS)
    assert len(banners) == len({reason for reason in told if reason != RELEASED}), "a banner for each kind"


def test_every_violation_has_words_of_its_own_in_both_languages() -> None:
    assert COLOR.refusals.keys() == set(VIOLATIONS)
    for lang in ("en", "zh"):
        assert len({text[lang] for text in COLOR.refusals.values()}) == len(VIOLATIONS)


def test_a_session_is_restored_in_the_middle_of_a_drag() -> None:
    surface = DirectSurface(session())
    surface.start()
    opened(surface)
    sitting = surface.session
    sitting.event(Pointer("down", *pixel(sitting, 0, 0)))
    sitting.event(Pointer("move", *pixel(sitting, 0, 2)))
    copy = session()
    copy.restore(json.loads(json.dumps(sitting.snapshot())))
    assert copy.state_hash() == sitting.state_hash()
    assert copy.scene() == sitting.scene()
    where = pixel(sitting, 0, 2)
    assert copy.event(Pointer("up", *where)) == sitting.event(Pointer("up", *where))
    assert copy.view.state == sitting.view.state


# --- from the command line --------------------------------------------------------------------------------------------


def test_certify_reads_grid_files_and_names_what_is_wrong_board_by_board(lpb_gen: Run) -> None:
    text = (
        "# a comment of two words\n3 3\nA..\n...\n..A\n4 3\nA..B\n....\nB..A\n\nA../.../...\n"
        + json.dumps({"board": {"rows": ["A.A", "...", "..."], "cover": True}, "name": "mine"})
        + "\n0 0\n"
    )
    done = lpb_gen("certify", "--game", "color", "-", input=text)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [line["line"] for line in lines] == [2, 6, 11, 12]
    assert [line.get("optimal_length") for line in lines] == [3, None, None, 7]
    assert lines[0]["n_solutions"] == 12
    assert "proven unsolvable" in lines[1]["error"]
    assert "one end only" in lines[2]["error"]
    assert lines[3]["name"] == "mine"


def test_show_draws_a_board(lpb_gen: Run) -> None:
    done = lpb_gen("show", "--game", "color", "A..B/.##./B..A/....")
    assert done.returncode == 0, done.stderr
    assert "A..B" in done.stdout


def test_generate_makes_certified_levels(lpb_gen: Run) -> None:
    wish = "optimal_length=14..20,uniqueness=strict-unique,greedy_ok=0..0.9"
    done = lpb_gen("generate", "--game", "color", "--where", wish, "--count", "2")
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        figures = json.loads(line)["figures"]
        assert 14 <= figures["optimal_length"] <= 20
        assert figures["n_solutions"] == 1
        assert figures["fatal_move_share"] == 0
