"""The renderer: every character has a glyph, pictures depend on their scene alone, files hold the pixels."""

from __future__ import annotations

import hashlib
import struct
import subprocess
import sys
import zlib
from itertools import accumulate, pairwise
from typing import Any

import levels
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpb_gen.games import GAMES
from lpb_gen.games.base import Circle, Path, Pointer, Rect, Region, Scene, Text, placed
from lpb_gen.games.maze_scene import MARGIN, PALETTES
from lpb_gen.runners.session import Session
from lpb_gen.runners.suite.glyphs import has_glyph, outline
from lpb_gen.runners.suite.labels import LABELS, LANGUAGE_NAMES, TIERS, all_texts
from lpb_gen.runners.suite.picture import board_png, sheet_png
from lpb_gen.runners.suite.render import Renderer, changed_box, png, render

from strategies import positions

SIZE = (1280, 900)
MAZE = GAMES["maze"]


def decode(data: bytes) -> np.ndarray[Any, Any]:
    """The pixels of a PNG file, by another decoder than ours."""
    import skia

    return np.asarray(
        skia.Image.MakeFromEncoded(skia.Data.MakeWithCopy(data)).toarray(colorType=skia.kRGBA_8888_ColorType)
    )


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bold", [False, True])
def test_every_character_of_every_label_has_a_glyph(bold: bool) -> None:
    missing = {c: where for where, text in all_texts() for c in text if not has_glyph(c, bold=bold)}
    assert not missing, (
        f"no glyph for {missing}: run scripts/subset_font.py again (it says how) and commit runners/suite/font"
    )


def test_every_label_is_in_both_languages() -> None:
    for by_language in (*LABELS.values(), *TIERS.values(), LANGUAGE_NAMES, *(g.title for g in GAMES.values())):
        assert set(by_language) == {"en", "zh"}


def test_a_character_without_a_glyph_is_drawn_as_a_question_mark() -> None:
    assert not has_glyph("龘")
    assert outline("龘", False)[1] == outline("?", False)[1] > 0


def test_a_long_text_shrinks_to_the_width_it_has() -> None:
    def extent(fit: float) -> int:
        scene = Scene(400, 60, (Rect(0, 0, 400, 60, "#ffffff"), Text(10, 40, "Nightmare", 40, fit=fit)))
        ink = np.flatnonzero((render(scene, (400, 60))[:, :, 0] < 128).any(axis=0))
        return int(ink[-1] - ink[0])

    assert extent(100) < 100 < extent(0) == extent(300)


# --- pictures depend on their scene alone -----------------------------------------------------------------------------


def visit() -> list[Scene]:
    """The scenes of a short visit: menus, swipes, a blocked one, the card, the next level."""
    session = Session(levels.objectives())
    scenes = [session.scene()]

    def give(*events: Pointer) -> None:
        for event in events:
            session.event(event)
            scenes.append(session.scene())

    def press(target: str) -> None:
        x, y = session.targets()[target]
        give(Pointer("down", x, y), Pointer("up", x, y))

    for target in ("lang", "game:maze", "tier:easy", "level:1"):
        press(target)
    give(*(Pointer("key", key=key) for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")))
    press("restart")
    level = session.view.level
    assert level is not None
    for move in level.certificate.solution:
        give(*session.pointers(move))
    press("next")
    return scenes


def test_a_renderer_that_draws_on_gives_the_same_pixels_as_a_fresh_one() -> None:
    scenes = visit()
    renderer = Renderer()
    for scene in (*scenes, *scenes[::-1]):
        assert np.array_equal(renderer.render(scene, SIZE), Renderer().render(scene, SIZE))


def test_pixels_are_given_away_not_shared() -> None:
    scene = Session(levels.objectives()).scene()
    renderer = Renderer()
    first = renderer.render(scene, SIZE)
    expected = first.copy()
    first[:] = 0
    assert np.array_equal(renderer.render(scene, SIZE), expected)


def test_a_frame_is_opaque_and_has_the_size_asked_for() -> None:
    pixels = render(Session(levels.objectives(), viewport=(640, 480)).scene(), (640, 480))
    assert (pixels.shape, pixels.dtype) == ((480, 640, 4), np.uint8)
    assert (pixels[:, :, 3] == 255).all()


def test_another_process_draws_the_same_pixels() -> None:
    code = (
        "import hashlib\n"
        "from lpb_gen.runners.session import Session\n"
        "from lpb_gen.runners.suite.render import render\n"
        "print(hashlib.sha256(render(Session([], lang='zh').scene(), (1280, 900)).tobytes()).hexdigest())\n"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    here = render(Session([], lang="zh").scene(), SIZE)
    assert other.stdout.strip() == hashlib.sha256(here.tobytes()).hexdigest()
    assert other.stderr == ""  # no search for system fonts either


# --- what is drawn ----------------------------------------------------------------------------------------------------


def rgb(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


@settings(max_examples=30)
@given(position=positions(MAZE))
def test_a_maze_shows_which_cells_are_painted(position: tuple[Any, Any]) -> None:
    board, state = position
    unit = 24
    scene = MAZE.scene(board, state, None)
    size = (round(scene.width * unit), round(scene.height * unit))
    pixels = render(Scene(*size, (Rect(0, 0, *size, "#ffffff"), *placed(scene.items, 0, 0, unit))), size)
    floor = [(r, c) for r, row in enumerate(board.rows) for c, cell in enumerate(row) if cell != "#"]
    top, left = min(r for r, _ in floor), min(c for _, c in floor)
    tiles = {p.tile: p.paint_tile for p in PALETTES}
    for r, c in floor:
        if r * board.width + c == state.ball:
            continue
        middle = pixels[int((r - top + MARGIN + 0.55) * unit), int((c - left + MARGIN + 0.5) * unit), :3]
        painted = state.painted >> (r * board.width + c) & 1
        near = [np.abs(middle - np.array(rgb(colour))).max() < 10 for colour in (tiles.values() if painted else tiles)]
        assert any(near)


def test_a_region_has_holes_and_round_corners() -> None:
    square = ((10.0, 10.0), (90.0, 10.0), (90.0, 90.0), (10.0, 90.0))
    hole = ((40.0, 40.0), (60.0, 40.0), (60.0, 60.0), (40.0, 60.0))
    scene = Scene(100, 100, (Rect(0, 0, 100, 100, "#ffffff"), Region((square, hole), "#000000", radius=20)))
    pixels = render(scene, (100, 100))[:, :, 0]
    assert pixels[25, 25] == 0
    assert pixels[50, 50] == 255
    assert pixels[11, 11] == 255
    assert pixels[11, 50] == 0


def test_a_sunken_region_shows_its_face_at_the_upper_edges_only() -> None:
    square = ((10.0, 10.0), (90.0, 10.0), (90.0, 90.0), (10.0, 90.0))
    scene = Scene(100, 100, (Rect(0, 0, 100, 100, "#ffffff"), Region((square,), "#00ff00", 0, 10, "#ff0000")))
    pixels = render(scene, (100, 100))[:, :, :3]
    assert pixels[14, 50].tolist() == [255, 0, 0]
    assert pixels[25, 50].tolist() == [0, 255, 0]
    assert pixels[88, 50].tolist() == [0, 255, 0]
    assert pixels[5, 50].tolist() == [255, 255, 255]


def test_placing_moves_and_enlarges_every_shape() -> None:
    items = (
        Rect(1, 2, 3, 4, "#112233", 0.5, "#445566", 0.25, "#778899", 0.1),
        Circle(1, 2, 3, "#112233", "#445566", 0.25, "#778899", 0.1),
        Path(((1, 2), (3, 4)), "#112233", "#445566", 0.25, closed=True),
        Text(1, 2, "x", 3, "#112233", "end", bold=True, fit=4),
        Region((((1, 2), (3, 2), (3, 4)),), "#112233", 0.5, 0.25, "#445566", 0.1),
    )
    assert tuple(placed(items, 0, 0, 1)) == items
    there = tuple(placed(items, 10, 20, 2))
    assert there == (
        Rect(12, 24, 6, 8, "#112233", 1, "#445566", 0.5, "#778899", 0.2),
        Circle(12, 24, 6, "#112233", "#445566", 0.5, "#778899", 0.2),
        Path(((12, 24), (16, 28)), "#112233", "#445566", 0.5, closed=True),
        Text(12, 24, "x", 6, "#112233", "end", bold=True, fit=8),
        Region((((12, 24), (16, 24), (16, 28)),), "#112233", 1, 0.5, "#445566", 0.2),
    )
    assert tuple(placed(placed(items, 10, 20, 2), -5, -10, 0.5)) == items


# --- patches and files ------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 29), st.integers(0, 39), st.integers(0, 3)), max_size=5))
def test_the_changed_box_is_the_least_that_holds_every_change(spots: list[tuple[int, int, int]]) -> None:
    before = np.zeros((30, 40, 4), np.uint8)
    after = before.copy()
    for y, x, channel in spots:
        after[y, x, channel] = 1
    ys, xs = [s[0] for s in spots], [s[1] for s in spots]
    expected = (min(xs), min(ys), max(xs) - min(xs) + 1, max(ys) - min(ys) + 1) if spots else None
    assert changed_box(before, after) == expected


def test_patches_rebuild_every_frame() -> None:
    scenes = visit()
    screen = render(scenes[0], SIZE)
    for before, after in pairwise(scenes):
        old, new = render(before, SIZE), render(after, SIZE)
        if box := changed_box(old, new):
            x, y, w, h = box
            screen[y : y + h, x : x + w] = decode(png(new[y : y + h, x : x + w]))
        assert np.array_equal(screen, new)


def test_a_png_file_holds_the_pixels_and_is_always_the_same() -> None:
    pixels = render(Session(levels.objectives()).scene(), SIZE)
    assert np.array_equal(decode(png(pixels)), pixels)
    assert png(pixels) == png(pixels.copy())


def test_a_png_file_is_well_formed() -> None:
    data = png(np.zeros((3, 5, 4), np.uint8))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    rest, kinds = data[8:], []
    while rest:
        (length,) = struct.unpack(">I", rest[:4])
        kind, body, crc = rest[4:8], rest[8 : 8 + length], rest[8 + length : 12 + length]
        assert struct.unpack(">I", crc)[0] == zlib.crc32(kind + body)
        kinds.append(kind)
        rest = rest[12 + length :]
    assert kinds == [b"IHDR", b"IDAT", b"IEND"]


def test_a_board_is_a_picture_of_the_width_asked_for_in_any_state() -> None:
    board = MAZE.board({"rows": ["..#.", "S..#"]})
    states = list(accumulate("RL", lambda state, move: MAZE.apply(board, state, move), initial=MAZE.start(board)))
    pictures = [decode(board_png(MAZE, board, state, width=400)) for state in states]
    assert {picture.shape[1] for picture in pictures} == {400}
    assert decode(board_png(MAZE, board, width=400)).tolist() == pictures[0].tolist()
    assert len({picture.tobytes() for picture in pictures}) == len(states)


@pytest.mark.parametrize("count", [2, 7, 30])
def test_a_sheet_shows_every_board_whole(count: int) -> None:
    board = MAZE.board({"rows": ["..#.", "S..#"]})

    def slab(boards: int) -> int:
        """How many pixels have the colour of the wall."""
        pixels = decode(sheet_png([(MAZE, board, f"board {i} · 7") for i in range(boards)]))
        colours = [(pixels[:, :, :3] == rgb(palette.wall)).all(axis=2).sum() for palette in PALETTES]
        return int(max(colours))

    assert slab(count) == pytest.approx(count * slab(1), rel=0.02)
