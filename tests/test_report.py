"""The report: a site of recorded runs that tells what the records hold, from a file, whatever an agent says."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import levels
import numpy as np
import pytest
import skia
from click.testing import CliRunner
from playwright.sync_api import Browser, Error, Page, sync_playwright
from records import end, events, finished, seen, start, step, write_run

from lpb_gen.games import GAMES
from lpb_gen.pipeline.cli import cli
from lpb_gen.pipeline.level import canonical_json, level_id
from lpb_gen.pipeline.workers import executor
from lpb_gen.runners import actions
from lpb_gen.runners.agents.base import Agent, Answer, Decision, Observation
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.episode import Episode, Terms
from lpb_gen.runners.finding import FLAGS, candidates
from lpb_gen.runners.played import find_runs, read_runs
from lpb_gen.runners.record import Record, read_events
from lpb_gen.runners.session import Objective, Session
from lpb_gen.runners.site.board import heat, in_order
from lpb_gen.runners.site.markup import html, tag
from lpb_gen.runners.site.site import FOLDER, Options, write_report
from lpb_gen.runners.site.steps import steps_of
from lpb_gen.runners.site.words import action_text, note_text
from lpb_gen.runners.solving import Judge, Judges
from lpb_gen.runners.taxonomy import KINDS

NUT = '{"capacity": 3, "bolts": [[3, 1, 2], [2, 1, 1], [3, 2, 3], []]}'
EVIL = "</script><script>window.owned = 1</script><img src=x onerror='window.owned = 1'>\u2028\"'&"
KEYS = {"U": "ArrowUp", "D": "ArrowDown", "L": "ArrowLeft", "R": "ArrowRight"}


class Scripted(Agent):
    """Decides what was written down for it."""

    def __init__(self, name: str, decisions: list[Any]) -> None:
        self.name = name
        self._decisions = iter(decisions)

    def act(self, observation: Observation) -> Decision:
        return next(self._decisions)  # type: ignore[no-any-return]


def nut() -> Objective:
    return Objective("nut", "easy", (levels.level(NUT, "easy", GAMES["nut"]),))


def maze() -> Objective:
    return levels.objectives()[0]


def fatal_line(judge: Judge) -> list[Any]:
    """Moves of a breadth-first search, the last of which loses the level."""
    ways: list[tuple[Any, list[Any]]] = [(judge.game.start(judge.board), [])]
    for state, way in ways:
        if judge.is_lost(state):
            return way
        ways += [(judge.game.apply(judge.board, state, m), [*way, m]) for m in judge.game.moves(judge.board, state)]
    raise ValueError("no dead end")


class Script:
    """Decisions in the making, tried on a session of their own."""

    def __init__(self, *objectives: Objective) -> None:
        self.session = Session(objectives)
        self.decisions: list[Decision] = []

    def take(self, action: actions.Action, text: str = "") -> None:
        for part in action.actions if isinstance(action, actions.Batch) else (action,):
            for event in actions.events(part):
                self.session.event(event)
        self.decisions.append(Decision(action=action, text=text, usage={"calls": 1, "usd": 0.01, "output_tokens": 9}))

    def click(self, target: str, text: str = "") -> None:
        x, y = self.session.targets()[target]
        self.take(actions.Click(round(x), round(y)), text)

    def move(self, move: Any, text: str = "") -> None:
        self.take(actions.gesture(self.session.pointers(move)), text)


def losing() -> list[Decision]:
    """Loses the board, goes on, starts anew, loses it the same way, hits nothing, invents a key, and claims success."""
    script = Script(nut())
    script.click("game:nut", "I open the game.")
    script.click("tier:easy")
    level = Judge("nut", nut().levels[0].board)
    way = fatal_line(level)
    for _ in range(2):
        for move in way:
            script.move(move, EVIL)
        for _ in range(5):
            view = script.session.view
            script.move(next(iter(level.game.moves(view.board, view.state))))
        script.click("restart")
    script.take(actions.Click(300, 880))
    script.decisions.append(Decision(action={"action": "press", "key": "F5"}, text="reload"))
    script.decisions.append(Decision(action=Answer("All levels are complete."), text="done"))
    return script.decisions


def winning() -> list[Decision]:
    """Wins the first level of the maze by keys and swipes, and stops."""
    script = Script(maze())
    script.click("game:maze")
    script.click("tier:easy")
    for n, move in enumerate(maze().levels[0].certificate.solution):
        if n % 2:
            script.move(move)
        else:
            script.take(actions.Press(KEYS[move]))
    script.decisions.append(Decision(action=Answer("I cannot go on.")))
    return script.decisions


def record(folder: Path, name: str, objective: Objective, decisions: list[Decision], **more: Any) -> Path:
    manifest = {"run_id": folder.name, "snapshot": {"tag": "v1", "commit": "c" * 40, "digest": "d" * 64}}
    manifest |= {"settings": {"screenshots": more.get("keep", "changes")}, "toolchain": {"lpb_gen": "0.1.0"}}
    kept = Record(folder, manifest, now=lambda: datetime(2026, 12, 1, tzinfo=UTC))
    surface, terms = DirectSurface(Session((objective,))), Terms(objective=objective, **more)
    agent = Scripted(name, decisions)
    Episode(surface, agent, terms, kept, clock=time.monotonic, sleep=lambda _: None).play()
    kept.close()
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "runs"
    record(folder / "1-nut", f"evil {EVIL}", nut(), losing())
    record(folder / "2-maze", "able", maze(), winning())
    record(folder / "3-maze-bare", "able", maze(), winning(), keep="none", seed=1)
    write_run(folder / "4-broken", [start(levels=3), seen(None, input=None), end("technical", kind="provider")])
    return folder


@pytest.fixture(scope="module")
def site(runs: Path) -> Path:
    target = runs.parent / "report"
    with executor(1) as pool:
        write_report(
            target,
            read_runs(find_runs([str(runs / name) for name in ("1-nut", "2-maze", "3-maze-bare")])),
            pool,
            Options(),
        )
    return target


def written(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def replay_of(site: Path, name: str) -> dict[str, Any]:
    """What the page of a run reads."""
    for path in (site / "replays").glob("*.js"):
        data: dict[str, Any] = json.loads(path.read_text().removeprefix("replay(").removesuffix(");\n"))
        if data["run"] == name:
            return data
    raise KeyError(name)


# --- steps ------------------------------------------------------------------------------------------------------------


def test_a_step_has_what_the_agent_saw_said_and_did_and_what_came_of_it(site: Path) -> None:
    steps = replay_of(site, "2-maze")["steps"]
    swipe, key = steps[3], steps[2]
    assert key["act"] == "press ArrowUp" or key["act"].startswith("press Arrow")
    assert key["in"] == [key["act"].removeprefix("press ")]
    assert swipe["act"].startswith("drag ")
    phases = [phase for _, _, phase in swipe["in"]]
    assert (phases[0], phases[-1]) == (0, 2)
    assert swipe["notes"][0].startswith("move ")
    assert swipe["usage"] == {"calls": 1, "usd": 0.01, "output_tokens": 9}
    assert swipe["a"][1] == swipe["b"][1] + 1
    assert [s["p"] for s in steps[:3]] == [0, 1, 2]


def test_the_remaining_distance_falls_to_the_win(site: Path) -> None:
    steps = replay_of(site, "2-maze")["steps"]
    length = len(maze().levels[0].certificate.solution)
    assert [s["d"] for s in steps[1 : 2 + length]] == list(range(length, -1, -1))
    assert steps[1 + length]["notes"][-1] == f"level 1 solved in {length} moves"
    assert steps[-1]["answer"] == "I cannot go on."
    assert steps[-1]["end"] == "answer"


def test_a_lost_board_is_marked_from_the_fatal_move_to_the_restart(site: Path) -> None:
    steps = replay_of(site, "1-nut")["steps"]
    fatal = [n for n, s in enumerate(steps) if s.get("fatal")]
    restarts = [n for n, s in enumerate(steps) if "started the level again" in s.get("notes", [])]
    assert len(fatal) == len(restarts) == 2
    lost = [n for n, s in enumerate(steps) if s.get("lost")]
    assert lost == [*range(fatal[0], restarts[0]), *range(fatal[1], restarts[1])]
    assert all("d" not in steps[n] for n in lost)


def test_every_failure_is_marked_at_the_step_that_completes_it(site: Path) -> None:
    steps = replay_of(site, "1-nut")["steps"]
    marks = {mark: [n for n, s in enumerate(steps) if mark in s.get("marks", [])] for mark in KINDS}
    fatal = [n for n, s in enumerate(steps) if s.get("fatal")]
    last = len(steps) - 1
    assert marks["dead_end_unnoticed"] == [fatal[0] + 4, fatal[1] + 4]
    assert marks["dead_end_rebuilt"] == [fatal[1]]
    assert marks["grounding_miss"] == [last - 2]
    assert marks["protocol_violation"] == [last - 1]
    assert marks["premature_claim"] == [last]
    assert "F5" in steps[last - 1]["err"]


def test_moves_that_do_not_replay_leave_a_replay_without_boards() -> None:
    level = maze().levels[0]
    told = [{"id": level.id, "optimal_length": 3, "board": level.board}]
    bad = seen(0, ("enter", {"screen": "level", "game": "maze", "tier": "easy", "level": 0}), ("move", {"move": "X"}))
    found = steps_of(events([start(levels=told), seen(None, input=None), bad, step(), end()]), Judges().of, 120)
    assert "do not replay" in found.remark
    assert found.steps


def test_a_board_that_is_none_leaves_a_report_without_it(tmp_path: Path) -> None:
    board = {"rows": ["no maze at all"]}
    told = [{"id": level_id(GAMES["maze"], board), "optimal_length": 3, "board": board}]
    write_run(tmp_path / "runs" / "a", [start(levels=told), seen(None, input=None), seen(0), end()])
    assert "partial 1/16" in page_of(tmp_path)
    assert replay_of(tmp_path / "out", "a")["films"] == {}


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ({"action": "click", "x": 1, "y": 2}, "click at 1, 2"),
        ({"action": "drag", "path": [[1, 2], [5, 5], [3, 4]]}, "drag 1, 2 → 3, 4"),
        ({"action": "press", "key": " "}, "press Space"),
        ({"action": "wait", "seconds": 1.5}, "wait 1.5 s"),
        ({"action": "batch", "actions": [{"action": "type", "text": "ab"}]}, "1 at once: type “ab”"),
        (None, "no action"),
    ],
)
def test_actions_in_words(action: Any, says: str) -> None:
    assert action_text(action) == says


def test_notes_in_words() -> None:
    assert note_text("miss", {"target": ""}, None) == "hit nothing"
    assert note_text("miss", {"target": "level:2"}, None) == "hit level:2, which did nothing"
    assert note_text("move", {"move": [2, 0]}, "nut") == "move 2 → 0"
    assert note_text("enter", {"screen": "level", "tier": "easy", "level": 1}, "maze") == "opened easy level 2"


# --- the folder -------------------------------------------------------------------------------------------------------


def test_the_same_bytes_whatever_the_number_of_workers(runs: Path, site: Path) -> None:
    other = runs.parent / "another"
    with executor(2) as pool:
        write_report(
            other, read_runs(find_runs([str(runs / n) for n in ("1-nut", "2-maze", "3-maze-bare")])), pool, Options()
        )
    assert written(other) == written(site)


def test_screenshots_are_linked_copied_or_left_out(runs: Path, tmp_path: Path) -> None:
    sizes = {}
    for mode in ("link", "copy", "none"):
        words = ["report", str(runs / "2-maze"), "--out", str(tmp_path / mode), "--screenshots", mode, "--json"]
        done = CliRunner().invoke(cli, [*words, "--workers", "1"], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        sizes[mode] = json.loads(done.stdout.splitlines()[-1])
        assert sizes[mode]["files"] == len(written(tmp_path / mode))
    kept = {p.name: p.read_bytes() for p in (runs / "2-maze" / "screenshots").iterdir()}
    copied = {p.name: p.read_bytes() for p in (tmp_path / "copy" / "screenshots").iterdir()}
    assert copied == kept
    assert sizes["copy"]["copied"] == sum(map(len, kept.values()))
    assert not (tmp_path / "link" / "screenshots").exists()
    link = replay_of(tmp_path / "link", "2-maze")
    assert (tmp_path / "link" / link["folder"] / link["pictures"][0]).resolve().is_file()
    assert set(replay_of(tmp_path / "none", "2-maze")["pictures"]) == {None}


def test_a_name_that_leads_elsewhere_is_no_screenshot(runs: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(runs / "2-maze", run)
    lines = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    for event in lines:
        if event["type"] == "observation":
            event["data"]["screenshot"] = "../manifest.json"
    (run / "events.jsonl").write_text("".join(canonical_json(event) + "\n" for event in lines))
    with executor(1) as pool:
        write_report(tmp_path / "out", read_runs([run]), pool, Options(screenshots="copy"))
    assert not (tmp_path / "out" / "screenshots").exists()
    assert set(replay_of(tmp_path / "out", "run")["pictures"]) == {None}


def test_a_link_under_a_screenshot_s_name_is_not_published(runs: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(runs / "2-maze", run)
    for picture in (run / "screenshots").iterdir():
        picture.unlink()
        picture.symlink_to(run / "events.jsonl")
    with executor(1) as pool:
        write_report(tmp_path / "out", read_runs([run]), pool, Options(screenshots="copy"))
    assert not (tmp_path / "out" / "screenshots").exists()


def test_a_folder_of_something_else_is_not_overwritten(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("…")
    done = CliRunner().invoke(cli, ["report", str(runs), "--out", str(tmp_path)])
    assert "it holds thesis.tex" in str(done.exception)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_report_is_made_again_in_its_place(runs: Path, site: Path) -> None:
    FOLDER.require_free(site)


# --- the first page ---------------------------------------------------------------------------------------------------


def page_of(tmp_path: Path, **options: Any) -> str:
    with executor(1) as pool:
        write_report(tmp_path / "out", read_runs(find_runs([str(tmp_path / "runs")])), pool, Options(**options))
    return (tmp_path / "out" / "index.html").read_text()


def test_partial_coverage_is_labelled_and_not_ranked(tmp_path: Path) -> None:
    finished(tmp_path / "runs" / "a", 2, 3)
    page = page_of(tmp_path)
    assert "partial 1/16" in page
    assert "Partial coverage, not ranked" in page
    assert "<h3>Ranked</h3>" not in page


def test_full_coverage_is_ranked_with_intervals(tmp_path: Path) -> None:
    from lpb_gen.runners.paper_metrics import BENCHMARK

    for name, won_levels in (("good", 3), ("bad", 1)):
        for game, tiers in BENCHMARK.items():
            for n, tier in enumerate(tiers):
                won_here = max(0, won_levels - (n % 2))
                finished(tmp_path / "runs" / f"{name}-{game}-{tier}", won_here, 3, name=name, game=game, tier=tier)
    page = page_of(tmp_path)
    ranked = page[page.index("<h3>Ranked</h3>") : page.index("By objective")]
    assert ranked.index("<b>good</b>") < ranked.index("<b>bad</b>")
    assert '<td class="rank">1</td>' in ranked
    assert '<svg viewBox="-4 0 80 10"' in ranked
    assert "<small>" in ranked


@pytest.mark.parametrize(
    ("label", "badge"),
    [
        ("not isolated", '<span class="badge warn">not isolated</span>'),
        ("isolated, network shared", '<span class="badge warn">isolated, network shared</span>'),
        ("isolated", '<span class="badge">isolated</span>'),
        (None, '<span class="badge warn">isolation not recorded</span>'),
    ],
)
def test_the_code_setting_says_whether_it_was_isolated(tmp_path: Path, label: str | None, badge: str) -> None:
    finished(tmp_path / "runs" / "a", 2, 3, setting="code", isolation=label)
    assert badge in page_of(tmp_path)


def test_the_native_setting_says_it_where_there_is_a_program(tmp_path: Path) -> None:
    finished(tmp_path / "runs" / "a", 2, 3)
    assert "isolat" not in page_of(tmp_path)
    finished(tmp_path / "runs" / "b", 2, 3, name="program", isolation="not isolated")
    assert page_of(tmp_path).count('<span class="badge warn">not isolated</span>') >= 1


def test_a_technical_failure_is_counted_and_never_a_zero(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "a", [start(levels=3), seen(None, input=None), end("technical", kind="provider")])
    finished(tmp_path / "runs" / "b", 3, 3, tier="hard")
    page = page_of(tmp_path)
    assert " + 1 technical" in page
    assert '<td class="none" title="maze easy: 0 scored, 1 technical">T</td>' in page
    assert "technical failure</span> (provider)" in page


def test_the_pin_and_the_title_stand_at_the_head(runs: Path, site: Path, tmp_path: Path) -> None:
    page = (site / "index.html").read_text()
    assert "<title>Agents on v1</title>" in page
    assert f"catalogue@v1 (commit {'c' * 40}, manifest sha256:{'d' * 64})" in page
    finished(tmp_path / "runs" / "a", 2, 3)
    assert "<title>Our &lt;title&gt;</title>" in page_of(tmp_path, title="Our <title>")


def test_score_json_is_what_score_prints(runs: Path, site: Path) -> None:
    words = [str(runs / name) for name in ("1-nut", "2-maze", "3-maze-bare")]
    done = CliRunner().invoke(cli, ["score", *words, "--moves", "--json"], catch_exceptions=False)
    assert json.loads(done.stdout.splitlines()[-1]) == json.loads((site / "score.json").read_text())


def test_what_is_put_into_markup_is_text() -> None:
    assert tag("b", "<i>", class_='a"b') == '<b class="a&quot;b">&lt;i&gt;</b>'
    assert html(["<", tag("br")]) == "&lt;<br>"
    assert tag("input", hidden=True, value=None) == "<input hidden>"


def test_shades_and_order() -> None:
    assert [heat(value) for value in (None, 0.0, 50.0, 100.0)] == ["none", "heat h0", "heat h5", "heat h10"]
    entry: dict[str, Any] = {"kind": "agent", "coverage": "full", "rank": 1, "covered": 16, "setting": "native"}
    entry["metrics"] = {"OSR": 1.0, "LC": 1.0, "FGP": 1.0}
    names = [
        entry | {"agent": "oracle", "kind": "reference", "rank": None},
        entry | {"agent": "part", "coverage": "partial 1/16", "rank": None},
        entry | {"agent": "second", "rank": 2},
        entry | {"agent": "first"},
    ]
    assert [e["agent"] for e in in_order(names)] == ["first", "second", "part", "oracle"]


# --- in a browser, from a file ----------------------------------------------------------------------------------------


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
def page(browser: Browser, site: Path) -> Iterator[Page]:
    """It must ask for nothing but files, and complain of nothing."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: request.url.startswith(("file:", "data:")) or complaints.append(request.url))
    page.goto((site / "index.html").as_uri())
    yield page
    page.close()
    assert complaints == []


def until(page: Page, condition: str) -> None:
    """Waits for it; Playwright's own waiting needs ``eval``, which the page forbids."""
    deadline = time.monotonic() + 20
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, condition
        time.sleep(0.02)


def opened(page: Page, site: Path, run: str, at: int = 0) -> dict[str, Any]:
    replay = replay_of(site, run)
    page.goto("about:blank")
    page.goto(f"{(site / 'replay.html').as_uri()}#{replay['key']}{f'/{at + 1}' if at else ''}")
    until(page, "episode !== null")
    return replay


def decoded(png: bytes) -> Any:
    """RGB, of shape (height, width, 3)."""
    image = skia.Image.MakeFromEncoded(skia.Data.MakeWithCopy(png))
    return np.array(image.toarray(colorType=skia.kRGBA_8888_ColorType), dtype=np.uint8)[:, :, :3]


def view_of(page: Page) -> Any:
    """The screen in the replay at its own size, without the pointer."""
    page.evaluate("by('pointer').style.display = 'none'")
    page.evaluate(
        "by('stage').style = 'position: fixed; z-index: 9; inset: 0; width: 1280px; border: 0; border-radius: 0'"
    )
    shown = decoded(page.locator("#view").screenshot())
    page.evaluate("by('stage').style = by('pointer').style = ''")
    return shown


@pytest.mark.browser
def test_hostile_words_stay_words(page: Page, site: Path) -> None:
    assert page.evaluate("window.owned") is None
    assert f"evil {EVIL}" in page.locator(".figures tbody th b").all_text_contents()
    replay = opened(page, site, "1-nut", 2)
    assert page.locator("#text").text_content() == EVIL
    assert page.evaluate("window.owned") is None
    assert page.locator("#text script, #text img, #name img").count() == 0
    assert replay["result"]["agent"]["name"] in page.title()


@pytest.mark.browser
def test_episodes_are_narrowed_down_and_lead_to_their_replay(page: Page) -> None:
    assert page.locator("#count").text_content() == "3 episodes"
    page.select_option("select[name=objective]", "nut easy")
    assert page.locator("#count").text_content() == "1 of 3 episodes"
    assert page.locator(".episodes tbody tr:visible").count() == 1
    page.get_by_role("button", name="Show all").click()
    until(page, "document.getElementById('count').textContent === '3 episodes'")
    page.get_by_role("link", name="maze easy").first.click()
    until(page, "typeof episode !== 'undefined' && episode !== null")
    assert (page.locator("#name").text_content() or "").startswith("maze easy · able")


@pytest.mark.browser
def test_keys_step_and_scrub_and_the_address_follows(page: Page, site: Path) -> None:
    replay = opened(page, site, "2-maze")
    count = len(replay["steps"])
    assert (page.locator("#now").text_content() or "").startswith(f"Step 1 of {count}")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.url.endswith(f"#{replay['key']}/3")
    assert page.locator("#act").text_content() == replay["steps"][2]["act"]
    page.keyboard.press("End")
    assert "Answer: I cannot go on." in (page.locator("#text").text_content() or "")
    page.keyboard.press("Home")
    page.locator("#slider").fill("3")
    assert (page.locator("#now").text_content() or "").startswith(f"Step 4 of {count}")
    box = page.locator("#timeline").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 10, box["y"] + 40)
    assert (page.locator("#now").text_content() or "").startswith(f"Step {count} of {count}")


@pytest.mark.browser
def test_it_plays_to_the_end_and_pauses(page: Page, site: Path) -> None:
    opened(page, site, "2-maze")
    page.select_option("#speed", "120")
    page.focus("#play")
    page.keyboard.press(" ")
    assert page.locator("#play").text_content() == "Pause"
    until(page, "steps.at === episode.steps.length - 1 && steps.timer === 0")
    assert page.locator("#play").text_content() == "Play"


@pytest.mark.browser
def test_the_screenshot_is_shown_to_the_pixel_and_the_pointer_is_drawn_on_it(
    page: Page, site: Path, runs: Path
) -> None:
    replay = opened(page, site, "2-maze", 2)
    name = replay["pictures"][replay["steps"][2]["p"]]
    until(page, "image(episode.steps[steps.at].p).complete")
    shown, kept = view_of(page), decoded((runs / "2-maze" / "screenshots" / name).read_bytes())
    assert np.array_equal(shown, kept)
    assert page.locator("#pointer .said").count() == 1, "a key is a caption"
    page.keyboard.press("ArrowRight")
    assert page.locator("#pointer polyline.ink").count() == 1, "a drag is a path"
    points = replay["steps"][3]["in"]
    drawn = page.locator("#pointer polyline.ink").get_attribute("points")
    assert drawn == " ".join(f"{x:g},{y:g}" for x, y, _ in points)
    page.keyboard.press("Home")
    assert page.locator("#pointer circle.ink").count() == 1, "a click is a ring"


def test_pictures_between_the_inputs_of_a_step_are_numbered_beside_them(tmp_path: Path) -> None:
    run = record(tmp_path / "all", "able", maze(), winning(), keep="all")
    events = list(read_events(run / "events.jsonl"))
    found = steps_of(events, Judges().of, 100)
    taken = [e["data"]["screenshot"] for e in events if e["type"] == "snapshot" and e["data"]["input"] is not None]
    told = [found.pictures[number] for step in found.steps for number in step.get("ps", ())]
    assert told == taken
    assert all(len(step.get("ps", ())) == len(step.get("in", ())) for step in found.steps)
    swipe = next(step for step in found.steps if len(step.get("in", ())) > 2)
    assert len(set(swipe["ps"])) > 1
    bare = steps_of(
        read_events(record(tmp_path / "some", "able", maze(), winning()) / "events.jsonl"), Judges().of, 100
    )
    assert not any("ps" in step for step in bare.steps)


@pytest.mark.browser
def test_pictures_between_the_inputs_of_a_step_can_be_looked_at(browser: Browser, tmp_path: Path) -> None:
    run = record(tmp_path / "all", "able", maze(), winning(), keep="all")
    with executor(1) as pool:
        write_report(tmp_path / "report", read_runs([run]), pool, Options())
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    replay = opened(page, tmp_path / "report", "all", 3)
    numbers = replay["steps"][3]["ps"]
    assert page.locator("#inside").text_content() == "before its inputs"
    assert page.locator("#inner").get_attribute("max") == str(len(numbers))
    page.focus("#inner")
    for n, number in enumerate(numbers, 1):
        page.keyboard.press("ArrowRight")
        assert page.locator("#inside").text_content() == f"after input {n} of {len(numbers)}"
        until(page, f"image({number}).complete")
        kept = decoded((run / "screenshots" / replay["pictures"][number]).read_bytes())
        assert np.array_equal(view_of(page), kept), f"after input {n}"
    assert page.evaluate("steps.at") == 3, "the arrow keys move the slider that has the focus"
    page.click("#back")
    assert page.locator("#inside").text_content() == "before its inputs"
    page.keyboard.press("End")
    assert not page.locator("#between").is_visible(), "an answer has no inputs"
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_that_goes_on_beyond_an_edge_has_a_shadow_there(browser: Browser, site: Path, scheme: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page.goto((site / "index.html").as_uri())
    for table in page.locator(".scroll").all():
        table.scroll_into_view_if_needed()
        wide = table.evaluate("it => it.scrollWidth - it.clientWidth")
        shades = []
        for at in (0, wide):
            table.evaluate("(it, at) => { it.scrollLeft = at }", at)
            picture = decoded(table.screenshot())
            row = picture[-10, :, :].astype(int)  # of the last row's padding, without words
            shades.append(abs(row[-3] - row[-40]).sum())
        assert (shades[0] > 60, shades[1] > 60) == (wide > 0, False), (wide, shades)
    page.close()


@pytest.mark.browser
def test_lost_here_is_told_and_one_click_away(page: Page, site: Path) -> None:
    replay = opened(page, site, "1-nut")
    fatal = next(n for n, s in enumerate(replay["steps"]) if s.get("fatal"))
    page.get_by_role("button", name="lost here").first.click()
    assert (page.locator("#now").text_content() or "").startswith(f"Step {fatal + 1} of")
    assert (page.locator("#lost").text_content() or "").startswith("Lost here")
    assert "lost" in (page.locator("#timeline").get_attribute("aria-label") or "")
    page.keyboard.press("ArrowRight")
    assert "no play wins it any more" in (page.locator("#lost").text_content() or "")
    page.get_by_role("button", name="invalid").click()
    assert "F5" in (page.locator("#err").text_content() or "")
    assert page.locator("#moments button").filter(has_text="premature claim").count() == 1


@pytest.mark.browser
def test_without_screenshots_the_board_is_drawn_where_it_lay(page: Page, site: Path, runs: Path) -> None:
    replay = opened(page, site, "3-maze-bare", 3)
    assert set(replay["pictures"]) <= {None}
    x, y, width, height = (round(value) for value in replay["films"]["0"]["place"])
    names = replay_of(site, "2-maze")
    real = decoded((runs / "2-maze" / "screenshots" / names["pictures"][names["steps"][3]["p"]]).read_bytes())
    shown = view_of(page)
    near = np.abs(shown.astype(int) - real.astype(int))[y : y + height, x : x + width]
    assert near.mean() < 6, "as on the screen, but for the picture's size"
    assert page.locator("#board").is_visible()
    assert page.locator("#board").get_attribute("aria-label") == "Level 1, 1 move left"


@pytest.mark.browser
def test_missing_files_are_told_on_the_page(browser: Browser, site: Path, tmp_path: Path) -> None:
    moved = tmp_path / "deep" / "moved"
    shutil.copytree(site, moved)
    page = browser.new_page()
    opened(page, moved, "2-maze")
    told = page.get_by_role("alert")
    told.wait_for()
    assert "--screenshots copy" in (told.text_content() or "")
    page.goto("about:blank")
    page.goto(f"{(moved / 'replay.html').as_uri()}#{'0' * 16}")
    told.wait_for()
    assert "is missing: make the report again" in (told.text_content() or "")
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out_and_everything_can_be_read(browser: Browser, site: Path, width: int, scheme: Any) -> None:
    page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    for address in ("index.html", f"replay.html#{replay_of(site, '1-nut')['key']}/4"):
        page.goto((site / address.split("#")[0]).as_uri() + ("#" + address.split("#")[1] if "#" in address else ""))
        until(page, "document.readyState === 'complete' && (typeof episode === 'undefined' || episode !== null)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(UNNAMED) == []
        assert page.evaluate(PALE) == []
    page.close()


UNNAMED = """[...document.querySelectorAll("button, select, input, a, canvas")].filter((e) => e.checkVisibility()
  && !(e.textContent.trim() || e.getAttribute("aria-label") || e.labels?.length)).map((e) => e.outerHTML)"""
# text whose contrast against the nearest background is below 4.5 (WCAG AA)
PALE = """(() => {
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => { brush.clearRect(0, 0, 1, 1); brush.fillStyle = colour; brush.fillRect(0, 0, 1, 1);
    return [...brush.getImageData(0, 0, 1, 1).data]; };
  const linear = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => [r, g, b].map((v) => linear(v / 255))
    .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c[3] === 255) return c;
    }
    return [255, 255, 255, 255];
  };
  const pale = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest("svg, noscript") || e.disabled) continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) pale.push([e.tagName, e.className, e.textContent.slice(0, 30), Number(contrast.toFixed(2))]);
  }
  return pale;
})()"""
