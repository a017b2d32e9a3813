"""Reproducing a record: an unharmed one is equal in every part, and every harm is named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import levels
import pytest
import records
from catalogues import Catalogue, grown, pinned
from click.testing import CliRunner

from lpb_gen.games.base import Pointer
from lpb_gen.pipeline.cli import cli
from lpb_gen.pipeline.level import canonical_json
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.episode import Episode, Terms
from lpb_gen.runners.record import InvalidRecord, Record, screenshot_name
from lpb_gen.runners.reproduce.checks import Reproduction
from lpb_gen.runners.reproduce.reproduction import reproduce
from lpb_gen.runners.reproduce.source import Source
from lpb_gen.runners.session import Note, Session

Edit = Callable[[Path], None]
PARTS = ["manifest", "events", "result", "snapshot", "levels", "rules", "states", "screenshots"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a catalogue, and a run that won the first two of three levels before its record was cut to size."""
    folder = tmp_path_factory.mktemp("played")
    levels.write_catalogue(folder / "mine", levels.objectives())
    before = Path.cwd()
    os.chdir(folder)
    try:
        for keep in ("changes", "all"):
            words = ("--snapshot", "mine", "--game", "maze", "--tier", "easy", "--agent", "oracle")
            records.command("run", *words, "--surface", "direct", "--screenshots", keep, "--out", keep)
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    """A run of its own, to be harmed; its folder keeps its name."""
    (run,) = (played / "changes").iterdir()
    shutil.copytree(run, tmp_path / run.name)
    return tmp_path / run.name


@pytest.fixture(scope="module")
def mine(played: Path) -> Source:
    return Source(str(played / "mine"), Path())


@pytest.fixture
def again(mine: Source) -> Callable[[Path], Reproduction]:
    return lambda run: reproduce(run, mine, DirectSurface)


def statuses(found: Reproduction) -> dict[str, str]:
    return {check.name: check.status for check in found.checks}


def of(found: Reproduction, part: str) -> list[dict[str, Any]]:
    (check,) = (check for check in found.checks if check.name == part)
    return check.differences


def edit_json(path: Path, edit: Callable[[Any], None]) -> None:
    value = json.loads(path.read_text())
    edit(value)
    path.write_text(json.dumps(value))


def edit_event(run: Path, kind: str, number: int, **values: Any) -> dict[str, Any]:
    """Changes the data of the n-th event of a kind; returns the event."""
    lines = (run / "events.jsonl").read_text().splitlines()
    place = [n for n, line in enumerate(lines) if json.loads(line)["type"] == kind][number]
    event: dict[str, Any] = json.loads(lines[place])
    event["data"] |= values
    lines[place] = canonical_json(event)
    (run / "events.jsonl").write_text("\n".join(lines) + "\n")
    return event


def edit_lines(run: Path, kind: str, number: int, edit: Callable[[list[Any], int], None]) -> None:
    """Changes the list of events at the n-th of a kind, and numbers them again."""
    path = run / "events.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    edit(events, [n for n, event in enumerate(events) if event["type"] == kind][number])
    path.write_text("".join(canonical_json(event | {"seq": n}) + "\n" for n, event in enumerate(events)))


def drop_event(run: Path, kind: str, number: int) -> None:
    edit_lines(run, kind, number, lambda events, place: events.__delitem__(place))


def insert_event(run: Path, after: str, number: int, kind: str, data: dict[str, Any]) -> None:
    def insert(events: list[Any], place: int) -> None:
        events.insert(place + 1, events[place] | {"type": kind, "data": data})

    edit_lines(run, after, number, insert)


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# --- unharmed records -------------------------------------------------------------------------------------------------


def test_every_part_of_an_unharmed_record_is_equal_and_nothing_is_written(copy: Path, again: Any) -> None:
    before = files(copy)
    found = again(copy)
    assert statuses(found) == dict.fromkeys(PARTS, "equal"), found.to_json()
    assert found.reproduced
    assert files(copy) == before


def test_pictures_between_the_inputs_are_compared_too(played: Path, again: Any) -> None:
    (run,) = (played / "all").iterdir()
    found = again(run)
    named = sum('"screenshot"' in line for line in (run / "events.jsonl").read_text().splitlines())
    assert found.checks[-1].equal == named > len(list((run / "screenshots").iterdir())) / 2
    assert found.reproduced


def test_a_record_that_breaks_off_is_compared_as_far_as_it_goes(copy: Path, again: Any) -> None:
    lines = (copy / "events.jsonl").read_text().splitlines(keepends=True)
    (copy / "events.jsonl").write_text("".join(lines[:60]))
    (copy / "result.json").unlink()
    found = again(copy)
    assert found.reproduced
    assert statuses(found)["result"] == "not compared"
    assert "ends before the episode does" in found.checks[1].unchecked
    assert 20 < found.checks[-2].equal < 40
    (copy / "events.jsonl").write_text("".join(lines[:60]) + lines[60][:30])
    (difference,) = of(again(copy), "events")
    assert difference["event"] == 60
    assert "not JSON" in difference["what"]


class Interrupted(DirectSurface):
    """Ctrl-C comes at the tenth input."""

    left = 10

    def dispatch(self, events: Sequence[Pointer]) -> tuple[Note, ...]:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        return super().dispatch(events)


def test_an_interrupted_episode_is_reproduced(played: Path, tmp_path: Path, again: Any) -> None:
    (run,) = (played / "changes").iterdir()
    manifest = json.loads((run / "manifest.json").read_text()) | {"run_id": "cut", "episode_key": ""}
    surface, terms = Interrupted(Session(levels.objectives())), Terms(objective=levels.objectives()[0])
    with Record(tmp_path / "cut", manifest, now=lambda: datetime(2026, 12, 1, tzinfo=UTC)) as record:
        agent = AGENTS["oracle"]("maze", "easy", 0)
        with pytest.raises(KeyboardInterrupt):
            Episode(surface, agent, terms, record, clock=lambda: 0.0, sleep=lambda _: None).play()
    found = again(tmp_path / "cut")
    assert found.reproduced, found.to_json()
    assert json.loads((tmp_path / "cut" / "result.json").read_text())["outcome"] == "technical"
    assert found.checks[-2].equal == 10
    (tmp_path / "cut" / "result.json").unlink()  # a second Ctrl-C came before it was written
    found = again(tmp_path / "cut")
    assert found.reproduced
    assert statuses(found)["result"] == "not compared"


def test_pictures_that_were_not_kept_are_compared_by_name(copy: Path, again: Any) -> None:
    shutil.rmtree(copy / "screenshots")
    edit_json(copy / "manifest.json", lambda manifest: manifest["settings"].update(screenshots="none"))
    found = again(copy)
    assert found.reproduced
    assert found.checks[-1].status == "equal"
    event = edit_event(copy, "observation", 3, screenshot="0" * 32 + ".png")
    (difference,) = of(again(copy), "screenshots")
    assert (difference["step"], difference["event"]) == (3, event["seq"])


def test_names_that_another_program_gave_are_not_compared_and_it_says_so(copy: Path, again: Any) -> None:
    shutil.rmtree(copy / "screenshots")
    of_a_browser = {"name": "browser", "browser": "Chromium"}
    edit_json(
        copy / "manifest.json",
        lambda manifest: (manifest["settings"].update(screenshots="none"), manifest.update(surface=of_a_browser)),
    )
    edit_json(copy / "result.json", lambda result: result.update(surface=of_a_browser))
    edit_event(copy, "episode_start", 0, surface=of_a_browser)
    check = again(copy).checks[-1]
    assert check.status == "not compared"
    assert "--surface browser" in check.unchecked


# --- harm -------------------------------------------------------------------------------------------------------------


def manifest_says(**values: Any) -> Edit:
    return lambda run: edit_json(run / "manifest.json", lambda manifest: manifest.update(values))


def event_says(kind: str, number: int, **values: Any) -> Edit:
    return lambda run: (edit_event(run, kind, number, **values), None)[1]


def result_says(edit: Callable[[Any], None]) -> Edit:
    return lambda run: edit_json(run / "result.json", edit)


def first_picture(run: Path) -> Path:
    return sorted((run / "screenshots").iterdir())[0]


def another_picture(run: Path) -> None:
    """A picture of other pixels under the name that fits it, and the event that names it."""
    data = first_picture(run).read_bytes()
    other = next(p for p in sorted((run / "screenshots").iterdir()) if p.read_bytes() != data)
    edit_event(run, "observation", 0, screenshot=other.name)


TWO_KEYS = {"action": "batch", "actions": [{"action": "press", "key": "r"}] * 9}
HARMS: dict[str, tuple[Edit, str, str]] = {  # what was done -> (how, the part that has to differ, what it says)
    "manifest: agent": (manifest_says(agent={"name": "another"}), "manifest", "agent"),
    "manifest: objective": (manifest_says(objective={"game": "maze", "tier": "hard"}), "manifest", "objective"),
    "manifest: level ids": (manifest_says(level_ids=[]), "manifest", "level_ids"),
    "manifest: budget": (manifest_says(settings={"budget_seconds": 1.0}), "manifest", "settings.budget_seconds"),
    "manifest: run id": (manifest_says(run_id="x"), "manifest", "run_id"),
    "manifest: surface": (manifest_says(surface={"name": "browser"}), "manifest", "surface"),
    "manifest: pin": (manifest_says(snapshot={"digest": "0" * 64}), "snapshot", "sha256"),
    "event: a state hash": (event_says("snapshot", 5, state_hash="0" * 64), "states", "state_hash"),
    "event: progress": (event_says("snapshot", 5, progress=0.9), "states", "progress"),
    "event: a won level": (event_says("snapshot", 5, won=[0]), "states", "won"),
    "event: notes": (event_says("snapshot", 4, notes=[]), "states", "notes"),
    "event: an input": (event_says("snapshot", 5, input={"kind": "down", "x": 3, "y": 3}), "events", "an input that"),
    "event: an input of no kind": (event_says("snapshot", 5, input={"kind": "x", "x": 3, "y": 3}), "states", "stops"),
    "event: a decision": (event_says("decision", 1, action={"action": "press", "key": "r"}), "events", "an input that"),
    "event: a count": (event_says("action", 1, inputs=7), "events", "number of inputs"),
    "event: a picture's name": (event_says("observation", 2, screenshot="f" * 32 + ".png"), "screenshots", "missing"),
    "event: another picture": (another_picture, "screenshots", "other pixels"),
    "event: a board": (
        event_says("episode_start", 0, levels=[{"id": "0" * 64, "optimal_length": 3, "board": {"rows": ["S."]}}] * 3),
        "levels",
        "level 1: id",
    ),
    "event: the ending": (event_says("episode_end", 0, reason="deadline"), "result", "outcome"),
    "event: another ending": (event_says("episode_end", 0, reason="deadline"), "events", "its end, by the levels"),
    "event: an answer": (event_says("episode_end", 0, answer="done"), "events", "the answer, by the last decision"),
    "event: a step's number": (event_says("snapshot", 5, step=9), "events", "the number of its step"),
    "event: a step with less": (event_says("decision", 0, action=TWO_KEYS), "events", "the step before lacks inputs"),
    "event: who played": (
        event_says("episode_start", 0, agent={"name": "oracle", "kind": "agent"}),
        "manifest",
        "agent's kind",
    ),
    "event: the setting": (event_says("episode_start", 0, setting="code"), "manifest", "settings.setting"),
    "event: the attempt": (event_says("episode_start", 0, attempt=7), "manifest", "attempt"),
    "event: which episode": (event_says("episode_start", 0, episode_key="0" * 32), "manifest", "episode_key"),
    "event: a class of steps": (event_says("decision", 1, step_class="other"), "events", "the class of the step"),
    "event: an error": (
        lambda run: insert_event(run, "decision", 1, "agent_error", {"step": 1, "error": "no such action"}),
        "events",
        "an error of a step that has none",
    ),
    "event: a step that was not carried out": (
        lambda run: drop_event(run, "action", 1),
        "events",
        "the step before was never carried out",
    ),
    "event: a screenshot that nobody was shown": (
        lambda run: drop_event(run, "observation", 1),
        "events",
        "a decision without a screenshot",
    ),
    "event: a rejected input": (
        event_says("snapshot", 5, rejected=["a key that nobody announced"]),
        "events",
        "rejected inputs on the direct surface",
    ),
    "event: a failure that was none": (
        event_says("episode_end", 0, reason="technical", failure={"kind": "external", "what": "x"}),
        "events",
        "its end, by the levels that were won",
    ),
    "event: a cause that is none": (
        event_says("episode_end", 0, agent_failure="it broke"),
        "events",
        "its agent_failure, by its end",
    ),
    "event: a picture's name is gone": (event_says("observation", 2, screenshot=None), "screenshots", "no picture"),
    "event: what was asked for": (
        event_says(
            "episode_start", 0, agent={"name": "oracle", "kind": "reference", "configuration": "0123456789abcdef"}
        ),
        "manifest",
        "agent's configuration",
    ),
    "manifest: what was asked for": (
        lambda run: edit_json(run / "manifest.json", lambda m: m["agent"].update(options={"a": "b"})),
        "manifest",
        "episode_key, by what was played",
    ),
    "both: which episode": (
        lambda run: (
            edit_json(run / "manifest.json", lambda m: m.update(episode_key="0" * 32)),
            edit_event(run, "episode_start", 0, episode_key="0" * 32),
            None,
        )[2],
        "manifest",
        "episode_key, by what was played",
    ),
    "both: the seed": (
        lambda run: (
            edit_json(run / "manifest.json", lambda m: m["settings"].update(seed=5)),
            edit_event(run, "episode_start", 0, seed=5),
            None,
        )[2],
        "manifest",
        "episode_key, by what was played",
    ),
    "screenshot: bytes": (
        lambda run: (first_picture(run).write_bytes(b"no picture"), None)[1],
        "screenshots",
        "not what its name says",
    ),
    "screenshot: gone": (lambda run: first_picture(run).unlink(), "screenshots", "missing"),
    "result: a grade": (result_says(lambda result: result["metrics"].update(LC=50.0)), "result", "metrics.LC"),
    "result: a level": (result_says(lambda r: r["levels"][1].update(moves=99)), "result", "levels.1.moves"),
    "result: something more": (result_says(lambda r: r.update(bonus=1)), "result", "bonus"),
    "result: gone": (lambda run: (run / "result.json").unlink(), "result", "missing"),
}


@pytest.mark.parametrize("harm", HARMS)
def test_every_harm_is_named(copy: Path, again: Any, harm: str) -> None:
    edit, part, says = HARMS[harm]
    edit(copy)
    found = again(copy)
    assert not found.reproduced
    told = [difference["what"] for difference in of(found, part)]
    assert any(says in what for what in told), (told, found.to_json())


def test_a_difference_says_where_it_is_and_what_was_expected(copy: Path, again: Any) -> None:
    event = edit_event(copy, "snapshot", 5, state_hash="0" * 64)
    (difference,) = of(again(copy), "states")
    assert difference["event"] == event["seq"]
    assert difference["step"] == event["data"]["step"]
    assert difference["recorded"] == {"state_hash": "0" * 64}
    assert len(difference["here"]["state_hash"]) == 64


def test_one_wrong_state_is_one_difference_and_the_others_stay_equal(copy: Path, again: Any) -> None:
    whole = again(copy).checks[-2].equal
    edit_event(copy, "snapshot", 5, moves=77)
    check = again(copy).checks[-2]
    assert (check.equal, check.compared) == (whole - 1, whole)


def test_a_file_that_is_not_json_is_named(copy: Path, lpb_gen: Any, played: Path) -> None:
    for name in ("manifest.json", "result.json"):
        before = (copy / name).read_bytes()
        (copy / name).write_bytes(b"{")
        done = lpb_gen("reproduce", str(copy), "--from", str(played / "mine"))
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1].endswith(f"{name}: not JSON")
        (copy / name).write_bytes(before)


def test_levels_of_other_rules_are_not_replayed(copy: Path, again: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from lpb_gen.games import GAMES

    monkeypatch.setitem(GAMES, "maze", replace(GAMES["maze"], rules_version=GAMES["maze"].rules_version + 1))
    found = again(copy)
    assert statuses(found)["rules"] == "differs"
    assert statuses(found)["states"] == "not compared"
    assert "install the lpb-gen that the record's toolchain names" in of(found, "rules")[0]["what"]


def test_another_program_version_is_a_remark(copy: Path, again: Any) -> None:
    edit_json(copy / "manifest.json", lambda manifest: manifest["toolchain"].update({"skia-python": "1.0"}))
    found = again(copy)
    assert found.reproduced
    assert any(remark.startswith("skia-python was 1.0, here it is ") for remark in found.remarks)


def test_a_picture_that_no_event_names_is_a_remark(copy: Path, again: Any) -> None:
    data = b"x"
    (copy / "screenshots" / screenshot_name(data)).write_bytes(data)
    found = again(copy)
    assert found.reproduced
    assert found.remarks[-1] == f"screenshots/{screenshot_name(data)}: no event names it"


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_says_what_is_equal_and_exits_with_1_where_something_is_not(copy: Path, played: Path) -> None:
    words = ["reproduce", str(copy), "--from", str(played / "mine")]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    assert [line.split()[0] for line in done.stdout.splitlines()[2:10]] == PARTS
    assert done.stdout.splitlines()[-1].strip() == "reproduced"
    edit_event(copy, "snapshot", 5, state_hash="0" * 64)
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 1
    assert "step 2, event" in done.stdout
    assert done.stdout.splitlines()[-1].strip() == "NOT reproduced"
    done = CliRunner().invoke(cli, [*words, "--json"])
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert told["reproduced"] is False
    assert [part["part"] for part in told["parts"] if part["status"] == "differs"] == ["states"]


def test_a_snapshot_that_cannot_be_had_leaves_the_rest_compared(copy: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["reproduce", str(copy), "--from", str(tmp_path), "--json"])
    assert done.exit_code == 1
    told = {part["part"]: part["status"] for part in json.loads(done.stdout)["parts"]}
    assert told["snapshot"] == "differs"
    assert told["result"] == told["events"] == "equal"
    assert told["states"] == "not compared"


ORACLE = ("--game", "maze", "--tier", "easy", "--agent", "oracle", "--surface", "direct", "--screenshots", "none")


@pytest.fixture(scope="module")
def pinned_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the record of a run on a pin, and its repository, which has no DVC remote."""
    folder = tmp_path_factory.mktemp("pinned")
    catalogue = pinned(folder / "levels")
    catalogue.must("run", "--snapshot", "v1", *ORACLE, "--out", str(folder / "runs"))
    return folder


@pytest.mark.parametrize("form", ["{}", "{}#v2", "file://{}", "git+file://{}#v1", "{}/catalogue"])
def test_a_work_tree_without_a_store_is_read_in_place(form: str, pinned_run: Path) -> None:
    (run,) = (pinned_run / "runs").iterdir()
    found = reproduce(run, Source(form.format(pinned_run / "levels"), Path("elsewhere")), DirectSurface)
    assert found.reproduced, found.to_json()


@pytest.mark.parametrize("form", ["levels#v1", "levels.git#v1"])
def test_of_a_run_on_a_folder_the_user_says_which_snapshot_it_was(form: str, pinned_run: Path, tmp_path: Path) -> None:
    """As a folder has no commit, and the repository has gone on."""
    catalogue = grown(tmp_path / "levels")
    if ".git" in form:
        shutil.copytree(catalogue.root / ".dvc/cache/files", tmp_path / "store/files")  # as every pin's push does
        assert catalogue.dvc("remote", "add", "--default", "store", str(tmp_path / "store")).returncode == 0
        catalogue.git("commit", "--quiet", "--all", "--message", "a remote")
        catalogue.git("clone", "--quiet", "--bare", ".", str(tmp_path / "levels.git"))
    (run,) = (pinned_run / "runs").iterdir()
    copy = Path(shutil.copytree(run, tmp_path / run.name))
    edit_json(copy / "manifest.json", lambda m: m["snapshot"].update(commit=None, tag=None, reference="../plain"))
    assert not reproduce(copy, Source(form.removesuffix("#v1"), tmp_path), DirectSurface).reproduced
    found = reproduce(copy, Source(form, tmp_path), DirectSurface)
    assert found.reproduced, found.to_json()


@pytest.mark.parametrize("commit", ["http://127.0.0.1:9/x.git", "git@127.0.0.1:x/y", "--all", "HEAD", 5])
def test_a_record_sends_us_nowhere(commit: Any, copy: Path, mine: Source) -> None:
    edit_json(copy / "manifest.json", lambda manifest: manifest["snapshot"].update(commit=commit))
    with pytest.raises(InvalidRecord, match="the commit of its snapshot is not one"):
        reproduce(copy, mine, DirectSurface)


def test_the_store_alone_is_enough(pinned_run: Path, tmp_path: Path) -> None:
    catalogue = Catalogue(pinned_run / "levels").copy(tmp_path / "levels")
    (tmp_path / "store").mkdir()
    assert catalogue.dvc("remote", "add", "--default", "store", str(tmp_path / "store")).returncode == 0
    catalogue.commit()
    catalogue.must("pin", "v2")
    catalogue.must("run", "--snapshot", "v2", *ORACLE, "--out", str(tmp_path / "runs"))
    (run,) = (tmp_path / "runs").iterdir()
    found = reproduce(run, Source("store", tmp_path), DirectSurface)
    assert found.reproduced, found.to_json()


def test_a_folder_that_is_not_there_is_one_line(copy: Path) -> None:
    done = CliRunner().invoke(cli, ["reproduce", str(copy), "--from", "no-such#v1"])
    assert done.exit_code == 1
    assert str(done.exception) == "no-such: there is no such folder; give --from a catalogue's folder or its URL"


def test_of_a_stranger_s_settings_none_reaches_into_this_machine(pinned_run: Path, tmp_path: Path) -> None:
    """As ``--snapshot URL`` refuses them: DVC would open the files that they name."""
    catalogue = Catalogue(pinned_run / "levels").copy(tmp_path / "levels")
    settings = catalogue.root / ".dvc" / "config"
    settings.write_text(settings.read_text() + "['remote \"x\"']\n    url = s3://x\n    configpath = /etc/passwd\n")
    catalogue.git("commit", "--quiet", "--all", "--message", "settings")
    (run,) = (pinned_run / "runs").iterdir()
    found = reproduce(run, Source((catalogue.root / ".git").as_uri(), tmp_path), DirectSurface)
    (difference,) = of(found, "snapshot")
    assert "sets configpath, which only a repository of your own may" in difference["what"]


@pytest.mark.slow
def test_a_pinned_run_is_reproduced_from_an_address_years_later(tmp_path: Path) -> None:
    """The catalogue goes on; the record is taken elsewhere; a clone has the pinned levels from the DVC remote."""
    catalogue = pinned(tmp_path / "catalogue")
    (tmp_path / "store").mkdir()
    assert catalogue.dvc("remote", "add", "--default", "store", str(tmp_path / "store")).returncode == 0
    catalogue.git("commit", "--quiet", "--all", "--message", "a remote")
    assert catalogue.dvc("push").returncode == 0
    words = ("--game", "maze", "--tier", "easy", "--agent", "oracle", "--surface", "direct")
    catalogue.must("run", "--snapshot", "v1", *words, "--out", str(tmp_path / "runs"))
    catalogue.refresh()
    catalogue.must("pin", "v2")
    (tmp_path / "elsewhere").mkdir()
    told = catalogue.lpb("reproduce", str(tmp_path / "runs"), cwd=tmp_path / "elsewhere")
    assert told.returncode == 1
    assert "--from URL" in told.stdout
    address = (catalogue.root / ".git").as_uri()
    done = catalogue.must(
        "reproduce",
        str(tmp_path / "runs"),
        "--from",
        address,
        "--json",
        cwd=tmp_path / "elsewhere",
    )
    found = json.loads(done)
    assert found["reproduced"] is True
    assert found["snapshot"].startswith("catalogue@v1 (commit ")
    assert all(part["status"] == "equal" for part in found["parts"])
    catalogue.git("clone", "--quiet", "--bare", ".", str(tmp_path / "levels.git"))
    catalogue.git("--git-dir", str(tmp_path / "levels.git"), "symbolic-ref", "HEAD", "refs/heads/never-pushed")
    bare = (tmp_path / "levels.git").as_uri()
    told = catalogue.lpb("reproduce", str(tmp_path / "runs"), "--from", bare, cwd=tmp_path / "elsewhere")
    assert told.stdout.splitlines()[-1].strip() == "reproduced"
    here = catalogue.must("reproduce", str(tmp_path / "runs"))
    assert here.splitlines()[-1].strip() == "reproduced"


@pytest.mark.browser
def test_what_a_browser_showed_is_what_the_direct_surface_draws(played: Path, tmp_path: Path, lpb_gen: Any) -> None:
    words = ("--game", "maze", "--tier", "easy", "--agent", "oracle", "--surface", "browser")
    run: subprocess.CompletedProcess[str] = lpb_gen("run", "--snapshot", str(played / "mine"), *words)
    assert run.returncode == 0, run.stderr
    done = lpb_gen("reproduce", "runs", "--json")
    assert done.returncode == 0, done.stdout
    told = json.loads(done.stdout)
    assert {part["part"]: part["status"] for part in told["parts"]} == dict.fromkeys(PARTS, "equal")
    assert told["parts"][-1]["equal"] > 20
