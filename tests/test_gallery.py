"""The gallery: pictures that replay every certificate, on one page that works from a folder."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import levels
import numpy as np
import pytest
import skia
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Error, Page, sync_playwright

from lpb_gen.games import GAMES
from lpb_gen.games.base import AnyGame, Circle, Pointer, Rect, Scene, Text, placed, states_along
from lpb_gen.pipeline.workers import executor
from lpb_gen.runners.finding import FLAGS, candidates
from lpb_gen.runners.gallery.exhibits import Exhibit, flat, from_lines
from lpb_gen.runners.gallery.film import TILE, Camera, Film, shoot
from lpb_gen.runners.gallery.site import FOLDER, move_text, write_gallery
from lpb_gen.runners.suite.render import Pixels, Renderer
from lpb_gen.runners.suite.widgets import PAGE_TOP

from strategies import BOARDS

Run = Callable[..., subprocess.CompletedProcess[str]]
RUSH = ("..BBBC/.....C/.AA..C/....../..x.../......", "BB..C/.AA.C/....C/...../.....")  # 2 moves each
ABOUT = {"title": "Ours", "source": "test", "snapshot": None}


def pixels(file: bytes) -> Pixels:
    image = skia.Image.MakeFromEncoded(skia.Data.MakeWithCopy(file))
    found: Pixels = np.array(image.toarray(colorType=skia.kRGBA_8888_ColorType), dtype=np.uint8)
    return found


def played(film: Film) -> Iterator[Pixels]:
    """The pictures that a page shows: the start, and what lies there after each move."""
    width, height = film.size
    down, across = -(-height // TILE), -(-width // TILE)
    picture = np.full((down * TILE, across * TILE, 4), 255, np.uint8)
    picture[:height, :width] = pixels(film.start)
    yield picture[:height, :width].copy()
    sheet = pixels(film.sheet)
    for frame in film.frames:
        for place, number in zip(frame[::2], frame[1::2], strict=True):
            y, x = (v * TILE for v in divmod(place, across))
            v, u = (n * TILE for n in divmod(number, film.columns))
            picture[y : y + TILE, x : x + TILE] = sheet[v : v + TILE, u : u + TILE]
        yield picture[:height, :width].copy()


def drawn(game: Any, board: Any, state: Any, size: tuple[int, int], box: int) -> Pixels:
    """A state afresh, by the only renderer."""
    scene = game.scene(board, state, None)
    scale = box / max(scene.width, scene.height)
    ground = [
        i for i, item in enumerate(scene.items) if isinstance(item, Rect) and item.shadow and item.w == scene.width
    ]
    shapes = [replace(item, shadow=0.0) if i in ground else item for i, item in enumerate(scene.items)]  # type: ignore[type-var]
    items = [Rect(0, 0, *size, PAGE_TOP), *placed(shapes, 0, 0, scale)]
    for text, x, y in game.labels(board, state) if game.labels else ():
        r = min(11.0, 0.24 * scale)
        items.append(Circle(x * scale, y * scale, r, "#fffdf9e6", "#3d2b1fb0", max(0.5, r / 10)))
        items.append(Text(x * scale, y * scale + 0.45 * r, text, 1.25 * r, "#3d2b1f", "middle", True, 1.6 * r))
    return Renderer().render(Scene(*size, tuple(items)), size)


def lines() -> list[str]:
    """Three easy and two hard mazes, and two Rush Hour boards."""
    objectives = levels.objectives()
    rush = [levels.level(text, "easy", GAMES["rush"]) for text in RUSH]
    mazes = [
        replace(one, figures={**one.figures, "stops": 9}) for one in (*objectives[0].levels, *objectives[1].levels)
    ]
    return [level.to_line() for level in (*mazes, *rush)]


def exhibits(text: list[str]) -> list[Exhibit]:
    return list(from_lines(text, "levels.jsonl", None))


def written(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "gallery"
    with executor(1) as pool:
        write_gallery(folder, exhibits(lines()), ABOUT, pool, box=300)
    return folder


# --- the pictures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
@settings(max_examples=4)
@given(data=st.data())
def test_a_replay_shows_every_state_of_the_solution_to_the_pixel(game: AnyGame, data: st.DataObject) -> None:
    board = game.board(data.draw(BOARDS[game.name]()))
    try:
        solution = levels.shortest(game, board)
    except ValueError:
        assume(False)
    film = shoot(game, board, solution, 200)
    shown = list(played(film))
    assert len(shown) == len(solution) + 1
    for picture, state in zip(shown, states_along(game, board, solution), strict=True):
        assert np.array_equal(picture, drawn(game, board, state, film.size, 200))
    assert max(film.size) == 200


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
@settings(max_examples=3)
@given(data=st.data())
def test_no_scrap_of_a_shadow_is_left_at_the_corners(game: AnyGame, data: st.DataObject) -> None:
    board = game.board(data.draw(BOARDS[game.name]()))
    lowest = Camera(game, board, 480).picture(game.start(board))[-1]
    paper = Renderer().render(Scene(1, 1, (Rect(0, 0, 1, 1, PAGE_TOP),)), (1, 1))[0, 0]
    assert (lowest[[0, 1, -2, -1]] == paper).all()


@pytest.mark.parametrize(
    ("game", "board", "names"),
    [
        ("nut", {"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], [], []]}, ["0", "1", "2", "3"]),
        ("rush", {"rows": ["BBC..", "..C.D", "AAC.D", "..EED", "FF..."]}, ["A", "B", "C", "D", "E", "F"]),
    ],
)
def test_what_moves_name_is_written_beside_it(game: str, board: Any, names: list[str]) -> None:
    labels = GAMES[game].labels
    assert labels is not None
    made = GAMES[game].board(board)
    assert [label.text for label in labels(made, GAMES[game].start(made))] == names


@pytest.mark.parametrize("game", [game for game in GAMES.values() if game.labels], ids=lambda game: game.name)
@settings(max_examples=20)
@given(data=st.data())
def test_a_label_stands_where_a_click_means_what_it_names(game: AnyGame, data: st.DataObject) -> None:
    """Nearest to a move's first gesture, of all labels, is that of the part that the move names first."""
    board = game.board(data.draw(BOARDS[game.name]()))
    state = game.start(board)
    assert game.labels is not None
    labels = {label.text: label for label in game.labels(board, state)}
    scene = game.scene(board, state, None)
    for label in labels.values():
        assert 0 < label.x < scene.width
        assert 0 < label.y < scene.height
    for move in game.moves(board, state):
        named = str(move[0] if isinstance(move, tuple | str) else move)
        point = game.gesture(board, state, move)[0]
        away = {text: (label.x - point.x) ** 2 + (label.y - point.y) ** 2 for text, label in labels.items()}
        if game.name in ("nut", "bolt"):
            assert min(away, key=lambda text: away[text]) == named
        else:  # on the vehicle: a press there is one on it
            at = Pointer("down", labels[named].x, labels[named].y)
            assert game.touch(board, state, None, at)[0].vehicle == game.touch(board, state, None, point)[0].vehicle


def test_a_tile_that_comes_again_is_kept_once() -> None:
    game = GAMES["rush"]
    board = game.board(game.read(RUSH[0]))
    film = shoot(game, board, ("C+1", "C-1", "C+1", "C+2", "A+3"), 240)
    back_and_forth = {n for frame in film.frames[:3] for n in frame[1::2]}
    once = {n for frame in film.frames[:2] for n in frame[1::2]}
    assert film.frames[0]
    assert film.frames[0] == film.frames[2]
    assert back_and_forth == once


def test_a_level_that_is_not_replayed_has_one_picture() -> None:
    game = GAMES["rush"]
    film = shoot(game, game.board(game.read(RUSH[0])), (), 240)
    assert (film.frames, film.sheet) == ((), b"")


def test_moves_are_named_as_their_certificate_has_them() -> None:
    assert (move_text("maze", "R"), move_text("truck", 3), move_text("nut", [2, 0])) == ("R", "3", "2 → 0")


def test_a_click_of_color_connect_is_a_place() -> None:
    assert move_text("color", [0, 2]) == "(0, 2)"
    assert move_text("color", ["restart", 4, 1]) == "again from (4, 1)"


def test_figures_are_one_number_or_word_each() -> None:
    figures = {"optimal_length": 3, "trap_latency": {"max": 2, "mean": None}, "deception": None}
    assert flat(figures) == {"optimal_length": 3, "trap_latency.max": 2}


# --- the folder -------------------------------------------------------------------------------------------------------


def test_the_same_bytes_in_any_folder_with_any_number_of_workers(gallery: Path, tmp_path: Path) -> None:
    with executor(2) as pool:
        write_gallery(tmp_path / "other place", exhibits(lines()), ABOUT, pool, box=300)
    assert written(tmp_path / "other place") == written(gallery)


def test_a_gallery_holds_a_picture_and_a_replay_of_every_level(gallery: Path) -> None:
    files = written(gallery)
    ids = [json.loads(line)["id"] for line in lines()]
    expected = {f"pictures/{i}.webp" for i in ids} | {f"replays/{i}.{end}" for i in ids for end in ("js", "webp")}
    assert set(files) == expected | {
        "index.html",
        "page.css",
        "page.js",
        "base.css",
        "base.js",
        "levels.js",
        "gallery.json",
    }
    assert json.loads(files["gallery.json"])["levels"] == 7
    assert list(gallery.parent.iterdir()) == [gallery], "nothing temporary stays"


def test_a_board_is_shown_once_and_a_board_without_certificate_as_it_is() -> None:
    bare = {"game": "maze", "board": {"rows": ["...S", ".###", "...."]}}
    found = exhibits([lines()[0], lines()[0], json.dumps({**bare, "optimal_length": 3})])
    assert len(found) == 1, "the third is the first again"
    (one,) = exhibits([json.dumps({**bare, "optimal_length": 3, "tier": "easy"})])
    assert one.solution is None
    assert (one.figures, one.tier, one.number) == ({"optimal_length": 3}, "easy", 1)


def test_a_gallery_is_made_again_and_nothing_else_is_overwritten(lpb_gen: Run, tmp_path: Path) -> None:
    (tmp_path / "levels.jsonl").write_text("\n".join(lines()[:2]) + "\n")
    words = ("gallery", "levels.jsonl", "--workers", "1", "--size", "120")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("…")
    told = lpb_gen(*words, "--out", "thesis")
    assert told.returncode == 1
    says = "the folder is not overwritten: it holds thesis.tex, so it is not what lpb-gen gallery has made"
    assert f"thesis: {says}" in told.stderr
    assert "there is a file of that name" in lpb_gen(*words, "--out", "levels.jsonl").stderr
    (tmp_path / "mine").mkdir()
    done = lpb_gen(*words, "--out", "mine", "--json")
    assert done.returncode == 0, done.stderr
    files = written(tmp_path / "mine")
    told_json = json.loads(done.stdout)
    assert told_json["levels"] == 2
    assert told_json["bytes"] == sum(map(len, files.values()))
    assert told_json["files"] == len(files)
    done = lpb_gen(*words, "--out", "mine", "--tier", "easy")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{Path('mine', 'index.html')}: 2 levels, ")
    assert written(tmp_path / "mine") == files
    (tmp_path / "mine" / "notes.txt").write_text("my own")
    assert "it holds notes.txt" in lpb_gen(*words, "--out", "mine").stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["levels.jsonl", "mine", "thesis"]


def test_index_html_of_somebody_else_is_not_a_gallery(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>my page")
    with pytest.raises(Exception, match=r"it has no gallery\.json"):
        FOLDER.require_free(tmp_path)


def test_a_solution_that_does_not_replay_is_told_and_nothing_is_written(lpb_gen: Run, tmp_path: Path) -> None:
    level = json.loads(lines()[1])
    right = level["certificate"]["solution"]
    for solution, says in (([*right, "U"], "not a legal move"), (right[:-1], "its solution does not solve it")):
        level["certificate"]["solution"] = solution
        (tmp_path / "levels.jsonl").write_text(lines()[0] + "\n" + json.dumps(level) + "\n")
        done = lpb_gen("gallery", "levels.jsonl", "--out", "new", "--workers", "1")
        assert done.returncode == 1
        assert done.stderr.startswith("lpb-gen: levels.jsonl:2: ")
        assert says in done.stderr
        assert [p.name for p in tmp_path.iterdir()] == ["levels.jsonl"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("none.jsonl",), "none.jsonl: there is no such file"),
        (("levels.jsonl", "--game", "chess"), "there is no game 'chess'"),
        (("levels.jsonl", "--game", "nut"), "levels.jsonl: no levels to show"),
        (("levels.jsonl", "--snapshot", "v1"), "a file and a snapshot; name one of them"),
        (("text",), "text:1: the line does not say which game; give --game"),
        (("text", "--game", "maze"), "text:1: maze: row 2 has 3 cells"),
        ((), "there is no snapshot here"),
    ],
)
def test_what_cannot_be_shown_is_one_line(lpb_gen: Run, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    (tmp_path / "levels.jsonl").write_text(lines()[0] + "\n")
    (tmp_path / "text").write_text("S./...\n")
    done = lpb_gen("gallery", *words, "--out", "new")
    assert done.returncode == 1
    assert says in " ".join(done.stderr.split())
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "new").exists()


def test_a_snapshot_is_shown_game_by_game_in_catalogue_order(lpb_gen: Run, tmp_path: Path) -> None:
    rush = levels.Objective("rush", "easy", tuple(levels.level(text, "easy", GAMES["rush"]) for text in RUSH))
    levels.write_catalogue(tmp_path / "catalogue", (*levels.objectives(), rush))
    done = lpb_gen("gallery", "--snapshot", "catalogue", "--out", "new", "--workers", "1", "--size", "120")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "new" / "levels.js").read_text().removeprefix("gallery(").removesuffix(");\n")
    shown = [(level["game"], level["tier"], level["number"]) for level in json.loads(text)["levels"]]
    maze = [("maze", "easy", 1), ("maze", "easy", 2), ("maze", "easy", 3), ("maze", "hard", 1), ("maze", "hard", 2)]
    assert shown == [*maze, ("rush", "easy", 1), ("rush", "easy", 2)]


# --- the page, in a browser, from a file ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        for _, options in candidates(os.environ.get("LPB_BROWSER"), os.environ.get("PATH")):
            try:
                found = playwright.chromium.launch(args=[*FLAGS, "--no-sandbox"], **options)
            except Error:
                continue
            yield found
            found.close()
            return
        pytest.fail("no browser found")


@pytest.fixture
def page(browser: Browser, gallery: Path) -> Iterator[Page]:
    """The gallery opened as a file; it must ask for nothing but files and complain of nothing."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: request.url.startswith("file:") or complaints.append(request.url))
    page.goto((gallery / "index.html").as_uri())
    yield page
    page.close()
    assert complaints == []


def names(page: Page) -> list[str]:
    return page.locator(".card b").all_text_contents()


def until(page: Page, condition: str) -> None:
    """Waits for it; Playwright's own waiting needs ``eval``, which the page forbids."""
    deadline = time.monotonic() + 20
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, condition
        time.sleep(0.02)


def opened(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()
    until(page, "film !== null")


@pytest.mark.browser
def test_the_page_shows_every_level_with_its_picture(page: Page) -> None:
    easy = [f"Maze Paint easy {n}" for n in (1, 2, 3)]
    everything = [*easy, "Maze Paint hard 1", "Maze Paint hard 2", "Rush Hour easy 1", "Rush Hour easy 2"]
    assert names(page) == everything
    assert page.locator("#count").text_content() == "7 of 7 levels"
    until(page, "[...document.images].every((image) => image.complete && image.naturalWidth > 0)")


@pytest.mark.browser
def test_levels_are_filtered_by_game_tier_id_and_figures(page: Page) -> None:
    page.select_option("#game", "rush")
    assert names(page) == ["Rush Hour easy 1", "Rush Hour easy 2"]
    assert page.locator("#tier option").all_text_contents() == ["all", "easy"]
    page.get_by_role("button", name="Show all").click()
    until(page, "document.querySelectorAll('.card').length === 7")
    page.select_option("#tier", "hard")
    assert names(page) == ["Maze Paint hard 1", "Maze Paint hard 2"]
    page.select_option("#tier", "")
    page.locator("summary").click()
    page.fill("[name='optimal_length least']", "6")
    page.fill("[name='optimal_length most']", "12")
    assert names(page) == ["Maze Paint easy 2", "Maze Paint easy 3", "Maze Paint hard 1"]
    page.fill("#id", json.loads(lines()[3])["id"][:10])
    assert names(page) == ["Maze Paint hard 1"]
    assert page.locator("#count").text_content() == "1 of 7 levels"


@pytest.mark.browser
def test_figures_are_those_of_the_chosen_game_between_its_own_ends(page: Page) -> None:
    def offered() -> set[str]:
        return set(page.evaluate("[...document.querySelectorAll('#figures label')].map((l) => l.firstChild.data)"))

    everything = offered()
    page.select_option("#sort", "stops")
    page.locator("summary").click()
    page.fill("[name='optimal_length least']", "1")
    page.select_option("#game", "rush")
    assert "stops" not in offered()
    assert "optimal length" in offered() < everything
    assert page.input_value("#sort") == ""
    assert page.input_value("[name='optimal_length least']") == "1"
    shortest = page.get_attribute("[name='optimal_length least']", "placeholder")
    assert shortest == str(min(json.loads(line)["figures"]["optimal_length"] for line in lines()[5:]))
    page.select_option("#game", "")
    assert offered() == everything


@pytest.mark.browser
def test_a_card_names_its_level(page: Page) -> None:
    assert page.locator(".card code").all_text_contents() == [json.loads(line)["id"][:12] for line in lines()]


@pytest.mark.browser
def test_levels_are_sorted_by_any_figure_both_ways(page: Page) -> None:
    page.select_option("#sort", "optimal_length")
    lengths = [int(text.split()[0]) for text in page.locator(".card span").all_text_contents()]
    assert lengths == sorted(lengths)
    page.select_option("#order", "-1")
    assert [int(text.split()[0]) for text in page.locator(".card span").all_text_contents()] == lengths[::-1]


@pytest.mark.browser
def test_keys_step_through_a_solution_and_the_canvas_shows_each_state(page: Page) -> None:
    game, level = GAMES["maze"], levels.objectives()[0].levels[1]
    board, solution = game.board(level.board), level.certificate.solution
    opened(page, "Maze Paint easy 2")
    size = page.evaluate("[board.width, board.height]")
    fixed = (
        "position: fixed; z-index: 9; left: 0; top: 0; border-radius: 0; padding: 0; width: {}px; height: {}px".format(
            *size
        )
    )
    page.evaluate(f"board.style = '{fixed}'")
    for n, state in enumerate(states_along(game, board, solution)):
        said = f"Move {n} of {len(solution)}: {solution[n - 1]}" if n else f"Start, {len(solution)} moves to go"
        assert page.locator("#now").text_content() == said
        assert page.locator("#slider").input_value() == str(n)
        seen = pixels(page.locator("#board").screenshot())
        assert np.array_equal(seen, drawn(game, board, state, tuple(size), 300)), f"after move {n}"
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    assert (page.locator("#now").text_content() or "").startswith("Start")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert (page.locator("#now").text_content() or "").startswith(f"Move {len(solution) - 1} of")


@pytest.mark.browser
def test_a_replay_plays_to_the_end_and_pauses(page: Page) -> None:
    opened(page, "Rush Hour easy 1")
    page.select_option("#speed", "120")
    page.focus("#play")
    page.keyboard.press(" ")
    assert page.locator("#play").text_content() == "Pause"
    until(page, "moves.at === level.moves && moves.timer === 0")
    assert page.locator("#play").text_content() == "Play"
    page.get_by_role("button", name="C+3").click()
    assert page.locator("#now").text_content() == "Move 1 of 2: C+3"


@pytest.mark.browser
def test_the_address_names_the_open_level_and_arrows_go_to_its_neighbours(page: Page) -> None:
    opened(page, "Maze Paint easy 2")
    ids = [json.loads(line)["id"] for line in lines()]
    assert page.url.endswith(f"#{ids[1]}")
    page.keyboard.press("ArrowDown")
    until(page, "film !== null && level.number === 3")
    assert page.url.endswith(f"#{ids[2]}")
    page.keyboard.press("Escape")
    until(page, "!document.querySelector('dialog').open && location.hash === ''")
    page.goto(f"{page.url.partition('#')[0]}#{ids[5]}")
    until(page, "film !== null")
    assert (page.locator("#name").text_content() or "").startswith("Rush Hour easy 1")


@pytest.mark.browser
def test_a_missing_file_is_told_on_the_page(browser: Browser, gallery: Path, tmp_path: Path) -> None:
    for path, data in written(gallery).items():
        if not path.startswith("replays/"):
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_bytes(data)
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    page.get_by_role("button", name="Maze Paint easy 1").click()
    told = page.get_by_role("alert")
    told.wait_for()
    assert "is missing or cannot be read: make the gallery again" in (told.text_content() or "")
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_sticks_out_of_any_screen(browser: Browser, gallery: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme="dark")
    page.goto((gallery / "index.html").as_uri())
    fits = "document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(fits)
    opened(page, "Maze Paint hard 2")
    assert page.evaluate("viewer.scrollWidth <= innerWidth")
    box = page.locator("#board").bounding_box()
    assert box is not None
    assert box["width"] > width / 2.5
    assert page.get_by_role("button", name="One move on").is_visible()
    page.close()
