"""Levels that people bring: proven, added to the catalogue with where they come from, and made again from Git alone."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

import catalogues
import levels
import pytest

from lpb_gen import __version__
from lpb_gen.pipeline.manifest import sha256
from lpb_gen.pipeline.snapshot import load

GOOD = [*levels.EASY[1:], "...S/.###/.#../....", "S..../.###./....."]  # of 6, 8, 3 and 4 slides
BAD = "S#/##/.."  # a piece of floor out of reach
MAZES = "; by hand\n##./#S./#.#/.../.##\n\n#.../\n...../.S.##/...../....#/###..\n..S\n.#.\n...\n"
IMPORT = ("import", "--game", "maze", "--workers", "1")
FRIENDS = (*IMPORT, "--tier", "easy", "--source", "a friend", "--licence", "CC0-1.0")


@pytest.fixture
def catalogue(tmp_path: Path) -> catalogues.Catalogue:
    """One snapshot of three easy mazes, pinned as v1."""
    return catalogues.pinned(tmp_path / "catalogue")


@pytest.fixture
def mazes(tmp_path: Path) -> Path:
    """Two mazes that the gate of the easy tier (7 to 12 slides) admits, and one that it does not."""
    path = tmp_path / "mazes.txt"
    path.write_text(MAZES)
    return path


class Imported(NamedTuple):
    """The snapshot after ``mazes`` were imported into it, five easy mazes; and what the command said."""

    catalogue: catalogues.Catalogue
    done: subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def imported_once(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    made = catalogues.pinned(tmp_path_factory.mktemp("imported") / "catalogue")
    path = made.root.with_name("mazes.txt")
    path.write_text(MAZES)
    return Imported(made, made.lpb(*FRIENDS, str(path), "--json"))


@pytest.fixture
def imported(imported_once: Imported, tmp_path: Path) -> catalogues.Catalogue:
    """A copy of that catalogue."""
    return imported_once.catalogue.copy(tmp_path / "imported")


def lengths(catalogue: catalogues.Catalogue) -> list[int]:
    return [level.certificate.lower for level in load(None, catalogue.root).levels("maze", "easy")]


def kept(catalogue: catalogues.Catalogue) -> list[dict[str, object]]:
    text = (catalogue.root / "catalogue/imports/maze/easy.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_levels_come_in_with_where_they_come_from(
    catalogue: catalogues.Catalogue, imported: catalogues.Catalogue, imported_once: Imported
) -> None:
    before, done, catalogue = load(None, catalogue.root), imported_once.done, imported
    assert done.returncode == 1, "one line is malformed"
    told = json.loads(done.stdout)
    assert (told["read"], told["imported"]) == (4, {"maze-easy": 2})
    assert [(one["place"], one["reason"]) for one in told["skipped"]] == [
        ("mazes.txt:4", "malformed"),
        ("mazes.txt:6", "other_tier"),
    ]
    assert "lpb-gen: mazes.txt:6: optimal_length is 4, the gate of maze-easy is 7..12" in done.stderr
    after = load(None, catalogue.root)
    old = {level.id for level in before.levels("maze", "easy")}
    fresh = [level for level in after.levels("maze", "easy") if level.id not in old]
    assert [level.id for level in fresh] == told["added"]
    assert old < {level.id for level in after.levels("maze", "easy")}
    assert [level.certificate.lower for level in fresh] == [8, 12]
    assert lengths(catalogue) == sorted(lengths(catalogue))
    assert fresh[1].provenance == {
        "imported_by": f"lpb-gen {__version__}",
        "file": "mazes.txt",
        "line": 5,
        "sha256": sha256(MAZES.encode()),
        "source": "a friend",
        "licence": "CC0-1.0",
    }
    assert after.manifest["parent"] == before.pin.to_json()
    assert after.pin.commit == told["commit"] == catalogue.git("rev-parse", "HEAD")
    assert {entry["reason"] for entry in after.manifest["added"]} == {"import, epoch 2"}
    assert catalogue.git("log", "-1", "--format=%s") == "Import maze easy: 2 levels"
    changed = set(catalogue.git("show", "--format=", "--name-only", "HEAD").split())
    assert changed == {
        "params.yaml",
        "dvc.yaml",
        "dvc.lock",
        "catalogue/manifest.json",
        "catalogue/imports/maze/easy.jsonl",
    }
    assert catalogue.git("status", "--porcelain") == ""
    assert catalogue.dvc("status").stdout.strip() == "Data and pipelines are up to date."


def test_a_refresh_goes_on_after_an_import_and_an_import_after_that(
    imported: catalogues.Catalogue, mazes: Path
) -> None:
    imported.refresh()
    assert "imported" not in (imported.root / "params.yaml").read_text()
    assert len(lengths(imported)) == 8
    mazes.write_text(levels.HARD[1])
    imported.must(*IMPORT, "--tier", "easy", "--any-difficulty", str(mazes))
    assert lengths(imported)[-1] == 16
    assert [entry["epoch"] for entry in kept(imported)] == [2, 2, 4]
    assert imported.dvc("status").stdout.strip() == "Data and pipelines are up to date."


def test_no_board_comes_in_twice_turned_or_mirrored(catalogue: catalogues.Catalogue, mazes: Path) -> None:
    first = load(None, catalogue.root).levels("maze", "easy")[0]
    mirrored = "/".join(row[::-1] for row in first.board["rows"])
    mazes.write_text(f"{mirrored}\n{GOOD[1]}\n{GOOD[1][::-1]}\n")
    before = catalogue.state
    done = catalogue.lpb(*IMPORT, "--tier", "easy", str(mazes))
    assert done.returncode == 0, "nothing is wrong with the file"
    assert f"mazes.txt:1: it is level {first.id[:12]} of maze-easy, up to symmetry" in done.stderr
    assert "mazes.txt:3: it is mazes.txt:2 again, up to symmetry" in done.stderr
    assert done.stdout.startswith("3 boards read: 1 imported, 2 duplicate\n")
    assert "\n  maze easy: 1, optimal length 8; it has 4 levels now\n" in done.stdout
    assert catalogue.state != before
    before = catalogue.state
    told = catalogue.fails(*IMPORT, "--tier", "easy", str(mazes))
    assert told == "mazes.txt: no board of 3 can come in (3 duplicate)"
    assert catalogue.state == before


def test_a_retired_level_does_not_come_back(mazes: Path, tmp_path: Path) -> None:
    catalogue = catalogues.retirement().catalogue.copy(tmp_path / "catalogue")
    gone = load("v1", catalogue.root).levels("maze", "easy")[0]
    mazes.write_text(json.dumps({"board": gone.board}))
    done = catalogue.lpb(*IMPORT, "--tier", "easy", str(mazes))
    assert "mazes.txt:1: it is a level that was retired, up to symmetry" in done.stderr
    assert "no board of 1 can come in (1 duplicate)" in done.stderr


def test_what_is_wrong_with_a_board_is_one_line_and_the_others_come_in(
    catalogue: catalogues.Catalogue, mazes: Path
) -> None:
    lost = "S.#/.##/##."
    mazes.write_text(f"{lost}\n\n{GOOD[1]}\n\n{{\n" + json.dumps({"board": levels.HARD[0], "moves": 11}) + "\n")
    done = catalogue.lpb(*IMPORT, "--tier", "easy", str(mazes))
    assert done.returncode == 1
    told = [line for line in done.stderr.splitlines() if line.startswith("lpb-gen: ")]
    assert len(told) == 3
    assert told[0].startswith("lpb-gen: mazes.txt:1: proven unsolvable: ")
    assert told[1].startswith("lpb-gen: mazes.txt:5: not JSON: ")
    assert told[2] == "lpb-gen: mazes.txt:6: 11 moves stated, 12 proven to be the minimum"
    assert kept(catalogue)[1]["provenance"]["stated_moves"] == 11  # type: ignore[index]


def test_without_a_tier_every_board_goes_where_its_gate_admits_it(catalogue: catalogues.Catalogue, mazes: Path) -> None:
    mazes.write_text("\n".join([levels.EASY[0], *levels.EASY[2:], *levels.HARD]) + "\n")  # 3, 8, 12 and 16 slides
    before = catalogue.state
    words = (*IMPORT, str(mazes), "--json")
    plan = json.loads(catalogue.must(*words, "--dry-run"))
    assert plan["imported"] == {"maze-easy": 2, "maze-medium": 1}
    assert catalogue.state == before, "a dry run changes nothing"
    assert not (catalogue.root / "catalogue/imports").exists()
    told = json.loads(catalogue.must(*words))
    assert {key: told[key] for key in plan} == plan
    assert [one["what"] for one in told["skipped"]] == ["no tier's gate admits it (optimal_length 3)"]
    made = load(None, catalogue.root)
    assert [level.certificate.lower for level in made.levels("maze", "medium")] == [16]
    assert catalogue.dvc("status").stdout.strip() == "Data and pipelines are up to date."


def test_rush_hour_files_and_water_sort_files_come_in(tmp_path: Path) -> None:
    catalogue = catalogues.small(catalogues.new(tmp_path / "catalogue"), "rush-easy", "nut-easy")
    (tmp_path / "rush.txt").write_text("# cards\n3 BBoooCoooooCAAoooCooooooDDoooooooooo 1000  # one\n")
    rush = ("import", "--game", "rush", "--tier", "easy", "--any-difficulty", "--workers", "1", "--json")
    made = json.loads(catalogue.must(*rush, str(tmp_path / "rush.txt")))
    (level,) = load(None, catalogue.root).levels("rush", "easy")
    assert level.provenance["stated_moves"] == 3
    assert level.provenance["stated_positions"] == 1000
    assert made["differs"] == [{"place": "rush.txt:2", "stated": 3, "proven": 2}]
    tubes = [["b", "a", "a"], ["a", "b", "c"], ["c", "b", "c"], [], []]
    (tmp_path / "water.json").write_text(json.dumps({"levels": [{"tubes": tubes}]}))
    nut = ("import", "--game", "nut", "--tier", "easy", "--any-difficulty", "--workers", "1", "--order", "top-first")
    catalogue.must(*nut, str(tmp_path / "water.json"))
    (level,) = load(None, catalogue.root).levels("nut", "easy")
    assert level.board == {"capacity": 3, "bolts": [[1, 1, 2], [3, 2, 1], [3, 2, 3], [], []]}
    assert level.provenance["level"] == 1
    assert len(load(None, catalogue.root).levels("rush", "easy")) == 1, "the other cell is carried over"


# --- what is left of it ----------------------------------------------------------------------------------------------


def test_an_imported_snapshot_is_made_again_from_git_alone(
    imported: catalogues.Catalogue, mazes: Path, tmp_path: Path
) -> None:
    imported.must("pin", "v2")
    mazes.write_text(levels.HARD[1])
    imported.must(*IMPORT, "--tier", "easy", "--any-difficulty", str(mazes))
    before = imported.levels
    clone = imported.clone(tmp_path / "clone")
    mazes.unlink()
    printed = clone.must("restore", "HEAD", "--workers", "1")
    assert "made again, every byte as frozen" in printed
    assert clone.levels == before
    clone.git("checkout", "--quiet", "catalogue@v2")
    done = clone.dvc("repro", "--force")
    assert done.returncode == 0, done.stderr
    assert "Running stage 'import@maze-easy'" in done.stdout
    assert clone.git("status", "--porcelain") == ""
    assert load(None, clone.root).cells == load("v2", imported.root).cells


def test_imported_boards_that_are_lost_are_told(imported: catalogues.Catalogue, mazes: Path) -> None:
    path, head = imported.root / "catalogue/imports/maze/easy.jsonl", imported.git("rev-parse", "HEAD")
    for damage, says in (
        ("", "no board of epoch 2"),
        ("{\n", "maze/easy.jsonl:1: not an imported board"),
        (None, "there is no such file, but the snapshot has levels from it"),
    ):
        path.unlink() if damage is None else path.write_text(damage)
        told = imported.fails("stage", "import", "maze", "easy", "--workers", "1")
        assert says in told
        assert "restore it from Git" in told
    told = imported.fails(*IMPORT, "--tier", "easy", str(mazes))
    assert "catalogue/imports/maze/easy.jsonl: changes that are not committed" in told
    assert imported.git("rev-parse", "HEAD") == head


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--tier", "odd"), "params.yaml: maze has no tier 'odd'"),
        (("--tier", "easy", "--licence", "two\nlines"), "--licence: it is not one line of text"),
        (("--tier", "hard"), "mazes.txt: no board of 4 can come in (1 malformed, 3 other_tier)"),
    ],
)
def test_what_cannot_be_imported_changes_nothing(
    catalogue: catalogues.Catalogue, mazes: Path, words: tuple[str, ...], says: str
) -> None:
    before = catalogue.state
    assert says in catalogue.fails(*IMPORT, *words, str(mazes))
    assert catalogue.state == before
    assert "there is no such file" in catalogue.fails(*IMPORT, "--tier", "easy", "none.txt")


def test_an_import_that_is_killed_is_put_back_by_the_next(
    catalogue: catalogues.Catalogue, mazes: Path, imported: catalogues.Catalogue
) -> None:
    before = catalogue.state
    command = catalogue.command(*FRIENDS, str(mazes))
    with open(mazes.with_name("log"), "wb") as log:
        process = subprocess.Popen(
            command, cwd=catalogue.root, env=catalogue.env, stdout=log, stderr=log, start_new_session=True
        )
        deadline = time.monotonic() + 60
        while not (catalogue.root / "catalogue/imports/maze/easy.jsonl").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert catalogue.git("status", "--porcelain") != before[1]
    told = catalogue.lpb(*FRIENDS, str(mazes))
    assert "an earlier command was cut off; its changes were put back" in told.stderr
    assert catalogue.levels == imported.levels
    assert catalogue.git("rev-parse", "HEAD") == imported.git("rev-parse", "HEAD")
    assert catalogue.git("status", "--porcelain") == ""


def test_ctrl_c_puts_everything_back(catalogue: catalogues.Catalogue, mazes: Path) -> None:
    before = catalogue.state
    process = subprocess.Popen(
        catalogue.command(*IMPORT, "--tier", "easy", str(mazes)),
        cwd=catalogue.root,
        env=catalogue.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not (catalogue.root / "catalogue/imports/maze/easy.jsonl").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    shutil.rmtree(catalogue.root / "catalogue/imports", ignore_errors=False)  # an empty folder may stay
    assert catalogue.state == before
