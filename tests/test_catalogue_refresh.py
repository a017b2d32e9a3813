"""A catalogue that grows: real Git, real DVC, the command as a user types it."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from pathlib import Path

import catalogues
import pytest
import yaml

from lpb_gen.pipeline import refresh as refreshing
from lpb_gen.pipeline.new_repository import Choices, init
from lpb_gen.pipeline.params import Cell
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.pipeline.production import certify_cell, propose_cell
from lpb_gen.pipeline.repository import Repository
from lpb_gen.pipeline.snapshot import load
from lpb_gen.pipeline.stages import CellShort, order
from lpb_gen.pipeline.tiers import read_gate
from lpb_gen.pipeline.workers import executor


@pytest.fixture
def catalogue(tmp_path: Path) -> catalogues.Catalogue:
    """One snapshot of three easy mazes, pinned as v1."""
    return catalogues.pinned(tmp_path / "catalogue")


# --- init -------------------------------------------------------------------------------------------------------------


def test_a_new_repository_is_clean_and_says_what_comes_next(tmp_path: Path) -> None:
    printed = catalogues.Catalogue(tmp_path).must("init", "mine", "--name", "Our levels: 2026", "--seed", "7")
    made = catalogues.Catalogue(tmp_path / "mine")
    assert "lpb-gen refresh --game maze --tier hard" in printed
    assert made.git("status", "--porcelain", "--ignored") == ""
    assert made.git("log", "--format=%an %s") == "A Maintainer A new catalogue of puzzle levels"
    text = (made.root / "params.yaml").read_text()
    assert "name: 'Our levels: 2026'\n" in text
    assert "seed: 7  # the root of all randomness" in text
    assert [path.name for path in tmp_path.iterdir()] == ["mine"], "nothing temporary stays"


def test_every_new_repository_draws_a_seed_of_its_own_and_says_it(tmp_path: Path) -> None:
    here, seeds = catalogues.Catalogue(tmp_path), set()
    for name in ("first", "second"):
        printed = here.must("init", name)
        seeds.add(seed := read_params((tmp_path / name / "params.yaml").read_bytes()).seed)
        assert f"(seed {seed})" in printed
    assert len(seeds) == 2


def test_a_new_repository_is_as_private_as_its_owner_wishes(tmp_path: Path) -> None:
    for umask, mode in ((0o077, 0o700), (0o022, 0o755)):
        place = tmp_path / f"for {umask:o}"
        printed = catalogues.Catalogue(tmp_path).must("init", str(place), umask=umask)
        assert place.stat().st_mode & 0o777 == mode
        assert f"cd '{place}' && lpb-gen refresh" in printed, "it can be pasted"


def test_dvc_accepts_a_new_repository(tmp_path: Path) -> None:
    made = catalogues.new(tmp_path / "new", "--remote", str(tmp_path / "store"))
    done = made.dvc("stage", "list", "--name-only")
    assert done.returncode == 0, done.stderr
    assert {"generate@maze-easy", "generate@maze-medium", "freeze"} <= set(done.stdout.split())
    assert made.dvc("remote", "list").stdout.split() == ["store", str(tmp_path / "store"), "(default)"]
    assert made.git("status", "--porcelain") == ""


def test_init_takes_an_empty_folder_and_refuses_one_that_is_not(tmp_path: Path) -> None:
    here = catalogues.Catalogue(tmp_path)
    (tmp_path / "empty").mkdir()
    here.must("init", "empty")
    assert "is a catalogue repository already" in here.fails("init", "empty")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("…")
    assert "the folder is not empty" in here.fails("init", "full")
    assert "there is a file of that name" in here.fails("init", "full/thesis.tex")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["thesis.tex"]


def test_init_in_the_folder_that_one_is_in_leaves_one_there(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    before = folder.stat().st_ino
    here = catalogues.Catalogue(folder)
    told = here.must("init", ".")
    assert "cd " not in told
    assert folder.stat().st_ino == before
    assert here.git("status", "--porcelain") == ""
    assert here.git("log", "--format=%s") == "A new catalogue of puzzle levels"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".mine")]


def test_init_that_breaks_off_leaves_an_empty_folder_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if target.name == "params.yaml":
            raise OSError(28, "No space left on device", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    for name, value in catalogues.environment().items():  # a machine may know nobody who commits
        monkeypatch.setenv(name, value)
    with pytest.raises(OSError, match="No space"):
        init(folder, Choices(seed=1))
    assert list(folder.iterdir()) == []


def test_a_catalogue_is_called_like_its_folder_or_as_it_is_told(tmp_path: Path) -> None:
    here = catalogues.Catalogue(tmp_path)
    here.must("init", "99 balloons: é")
    here.must("init", "b", "--name", "Puzzles of spring")
    named = [
        yaml.safe_load((tmp_path / folder / "params.yaml").read_text())["name"] for folder in ("99 balloons: é", "b")
    ]
    assert named == ["99 balloons: é", "Puzzles of spring"]


def test_init_inside_another_repository_needs_that_one_to_ignore_it(tmp_path: Path) -> None:
    outer = catalogues.Catalogue(tmp_path)
    outer.git("init", "--quiet")
    assert "it would lie inside the Git repository" in outer.fails("init", "build/demo")
    assert not (tmp_path / "build").exists()
    (tmp_path / ".gitignore").write_text("/build/\n")
    outer.must("init", "build/demo")
    inner = catalogues.Catalogue(tmp_path / "build" / "demo")
    assert inner.git("rev-parse", "--show-toplevel") == str(inner.root)


def test_init_without_an_identity_makes_nothing(tmp_path: Path) -> None:
    here = catalogues.Catalogue(tmp_path)
    here.env = {key: value for key, value in here.env.items() if not key.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))}
    assert "Git does not know who commits; run: git config --global user.name" in here.fails("init", "new")
    assert list(tmp_path.iterdir()) == []


# --- refresh ----------------------------------------------------------------------------------------------------------


def test_a_second_refresh_adds_levels_and_keeps_the_old_ones(tmp_path: Path) -> None:
    before = load(None, catalogues.pinned(tmp_path / "before").root)
    catalogue, done = catalogues.refreshed(tmp_path / "catalogue"), catalogues.told_of_refreshed()
    after = load(None, catalogue.root)
    old, new = ({level.id for level in one.levels("maze", "easy")} for one in (before, after))
    assert len(old) == 3
    assert len(new) == 6
    assert old < new
    assert set(done["added"]) == new - old
    assert after.manifest["parent"] == before.pin.to_json()
    assert after.pin.commit == done["commit"] == catalogue.git("rev-parse", "HEAD")
    assert after.pin.digest == done["digest"]
    assert load("v1", catalogue.root) == before, "the pinned snapshot is what it was"
    assert catalogue.git("status", "--porcelain") == ""
    changed = set(catalogue.git("show", "--format=", "--name-only", "HEAD").split())
    assert changed == {"params.yaml", "dvc.lock", "catalogue/manifest.json"}
    assert catalogue.dvc("status").stdout.strip() == "Data and pipelines are up to date."


def test_another_cell_leaves_the_first_as_it_is(tmp_path: Path) -> None:
    easy = catalogues.pinned(tmp_path / "before").levels["levels/maze/easy.jsonl"]
    catalogue, done = catalogues.refreshed(tmp_path / "after", tier="medium"), catalogues.told_of_refreshed("medium")
    assert catalogue.levels["levels/maze/easy.jsonl"] == easy
    low, high = done["cells"]["maze-medium"]["optimal_length"]
    assert 13 <= low <= high <= 16
    manifest = load(None, catalogue.root).manifest
    assert {cell: entry["levels"] for cell, entry in manifest["cells"].items()} == {"maze-easy": 3, "maze-medium": 3}
    assert manifest["cells"]["maze-medium"]["made"]["accepted"] == 3


def test_the_table_says_what_was_made_and_params_yaml_what_was_asked(catalogue: catalogues.Catalogue) -> None:
    printed = catalogue.must(
        "refresh", "--game", "maze", "--tier", "easy", "--count", "2", "--seed", "99", "--workers", "1"
    )
    head = catalogue.git("rev-parse", "HEAD")
    (row,) = (line.split("│")[1:-1] for line in printed.splitlines() if "│ maze easy" in line)
    assert [cell.strip() for cell in row[:5]] == ["maze easy", "2", "2", "0", "5"]
    for words in ("optimum", "dead states", "candidates", f"commit {head}"):
        assert words in printed
    text = (catalogue.root / "params.yaml").read_text()
    assert "seed: 99 # the root of all randomness" in text, "the comments stay"
    assert "      epoch: 2\n      count: 2\n" in text


def test_the_same_levels_in_any_folder_with_any_number_of_workers(
    catalogue: catalogues.Catalogue, tmp_path: Path
) -> None:
    (tmp_path / "b").mkdir()
    other = catalogues.small(catalogues.new(tmp_path / "b" / "somewhere else"))
    other.refresh("--workers", "2")  # the first had one
    assert len(other.levels) == 2
    assert other.levels == catalogue.levels
    assert (other.root / "dvc.lock").read_bytes() == (catalogue.root / "dvc.lock").read_bytes()
    assert other.git("rev-parse", "HEAD") == catalogue.git("rev-parse", "catalogue@v1^{commit}")


@pytest.mark.parametrize("tier", [pytest.param("medium", marks=pytest.mark.slow), "easy"])
def test_a_clone_makes_a_pinned_snapshot_again_whose_parent_no_remote_has(tmp_path: Path, tier: str) -> None:
    """Of a parent that grew by another cell the cache has the files, not their listing; of one whose own cell grew,
    nothing is left, and it is made again."""
    first = catalogues.refreshed(tmp_path / "first", tier=tier)
    first.dvc("remote", "add", "--default", "store", str(tmp_path / "store"))
    first.git("commit", "--quiet", "--all", "--message", "a store")
    first.must("pin", "v2")
    clone = first.clone(tmp_path / "clone")
    clone.must("restore", "HEAD")
    clone.git("checkout", "--quiet", "catalogue@v2")
    assert clone.dvc("remote", "add", "--local", "--default", "store", str(tmp_path / "store")).returncode == 0
    done = clone.dvc("repro", "--force")
    assert done.returncode == 0, done.stderr
    assert (" again from its params" in done.stderr) == (tier == "easy"), done.stderr
    assert clone.git("status", "--porcelain") == ""
    assert clone.levels == first.levels


def test_a_clone_fetches_the_parent_from_the_remote_and_goes_on(tmp_path: Path) -> None:
    first = catalogues.pinned(tmp_path / "first")
    assert first.dvc("remote", "add", "--default", "store", str(tmp_path / "store")).returncode == 0
    first.git("commit", "--quiet", "--all", "--message", "a store")
    first.must("pin", "v2")
    clone = first.clone(tmp_path / "clone")
    assert not (clone.root / "catalogue/levels").exists()
    assert len(clone.refresh()["added"]) == 3
    assert clone.levels["levels/maze/easy.jsonl"].count(b"\n") == 6
    expected = catalogues.rehearse(first).refresh()
    assert load(None, clone.root).pin.digest == expected["digest"], "the clone makes what the first would have made"


def test_the_gate_that_params_yaml_shows_is_one_that_levels_can_pass(catalogue: catalogues.Catalogue) -> None:
    shown = re.search(r"such as (\w+): (\[.*\])", (catalogue.root / "params.yaml").read_text())
    assert shown is not None
    band = read_gate({shown[1]: json.loads(shown[2])}, where="the comment")[shown[1]]
    assert any(band.admits(level.figures[shown[1]]) for level in load(None, catalogue.root).levels("maze", "easy"))


def test_a_strict_gate_gets_more_proposals_which_stay_in_params_yaml(catalogue: catalogues.Catalogue) -> None:
    catalogue.edit_params("reserve: 0", "reserve: 2")
    catalogue.edit_params("spread: even", "spread: any")
    params = read_params((catalogue.root / "params.yaml").read_bytes())
    easy, before = Cell("maze", "easy"), load(None, catalogue.root)
    next_order = dataclasses.replace(order(params, easy), epoch=2)
    with executor(1) as pool:  # what the next refresh will look at
        proposals, _ = propose_cell(next_order, 8, pool, limit=40, taken=before.taken("maze"))
        floors = [level.figures["floor_cells"] for level in certify_cell(next_order, proposals, pool)[0]]
    needed = sorted(floors[:4])[2] + 1  # at most one of the first four proposals has so much floor
    catalogue.edit_params(
        "gate: {optimal_length: [7, 12]}", f"gate: {{optimal_length: [7, 12], floor_cells: {needed}..}}"
    )
    done = catalogue.lpb("refresh", "--game", "maze", "--tier", "easy", "--count", "2", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "trying 8 proposals instead of 4" in done.stderr
    after = load(None, catalogue.root)
    old = {level.id for level in before.levels("maze", "easy")}
    fresh = [level for level in after.levels("maze", "easy") if level.id not in old]
    assert len(fresh) == 2
    assert all(level.figures["floor_cells"] >= needed for level in fresh)
    assert read_params((catalogue.root / "params.yaml").read_bytes()).cells[easy].reserve in (6, 14, 30)
    assert after.manifest["cells"]["maze-easy"]["made"]["rejected"]["floor_cells"] > 0, "what a gate refuses is counted"


def test_a_strict_gate_gets_more_proposals_up_to_a_limit(
    catalogue: catalogues.Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def too_few(repository: Repository, workers: int, lock: int, seconds: dict[str, float]) -> None:
        block = read_params((repository.root / "params.yaml").read_bytes()).cells[Cell("maze", "easy")]
        asked.append(block.count + block.reserve)
        raise CellShort("too few", where="maze-easy", can_grow=True)

    for key, value in catalogue.env.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setattr(refreshing, "run_repro", too_few)
    before = catalogue.state
    with pytest.raises(CellShort):
        refreshing.refresh(Repository.find(catalogue.root), refreshing.Wish(games=("maze",), tiers=("easy",)))
    assert asked == [3, 6, 12, 24, 48], "twice as many each time, at most 16 for each wanted level"
    assert catalogue.state == before


def test_a_band_that_no_level_can_have_is_refused_before_any_work(catalogue: catalogues.Catalogue) -> None:
    catalogue.edit_params("gate: {optimal_length: [7, 12]}", "gate: {optimal_length: [900, 910]}")
    before = catalogue.state
    for words in (["--workers", "1"], ["--dry-run"]):
        told = catalogue.fails("refresh", "--game", "maze", "--tier", "easy", *words)
        assert (
            "cells.maze.easy.gate: no maze level of these parameters can have optimal_length=900..910: the gene" in told
        )
        assert "ask for 7..12" in told
    assert catalogue.state == before


def test_an_impossible_band_says_what_was_tried_and_what_came_near(catalogue: catalogues.Catalogue) -> None:
    catalogue.edit_params("params: {length: [7, 12]}", "params: {length: [900, 910], size: [4, 4]}")
    catalogue.edit_params("gate: {optimal_length: [7, 12]}", "gate: {optimal_length: [900, 910]}")
    before = catalogue.state
    told = catalogue.fails("refresh", "--game", "maze", "--tier", "easy", "--workers", "1")
    assert told.startswith("maze-easy: found 0 of 3 levels with optimal_length=900..910 in 60 candidates")
    assert "nearest optimal_length found was " in told
    assert "widen cells.maze.easy.gate, or raise its limit" in told
    assert catalogue.state == before


def test_stages_run_by_hand_tell_their_own_errors(catalogue: catalogues.Catalogue) -> None:
    assert "maze-hard has epoch 0" in catalogue.fails("stage", "generate", "maze", "hard")
    shutil.rmtree(catalogue.root / "build")
    assert "this step's input is missing" in catalogue.fails("stage", "verify", "maze", "easy")
    (catalogue.root / "build/candidates").mkdir(parents=True)
    (catalogue.root / "build/candidates/maze-easy.jsonl").write_text(json.dumps({"tally": 3}) + "\n")
    assert "not what the step before writes" in catalogue.fails("stage", "verify", "maze", "easy")
