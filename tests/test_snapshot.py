"""Snapshots: read by any name, every byte checked, and nothing heavy loaded for it; what freeze makes of a parent."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import catalogues
import pytest

from lpb_gen.games.base import LpbError
from lpb_gen.pipeline import snapshot
from lpb_gen.pipeline.freeze import FreshCell, Gap, NotNew, freeze
from lpb_gen.pipeline.manifest import SnapshotCorrupt, content_hash, read_manifest, sha256
from lpb_gen.pipeline.params import Cell, CellParams, Params, UnknownCell
from lpb_gen.pipeline.repository import NoGit, NotARepository, Repository
from lpb_gen.pipeline.revisions import MovedTag, NoCatalogue, Pin, UnknownSnapshot
from lpb_gen.pipeline.snapshot import Snapshot, load
from lpb_gen.pipeline.storage import MissingObject, Objects

EASY = Cell("maze", "easy")
HARD = Cell("maze", "hard")


@pytest.fixture
def catalogue(tmp_path: Path) -> catalogues.Catalogue:
    """One snapshot of three easy mazes, pinned as v1."""
    return catalogues.pinned(tmp_path / "catalogue")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalogue folder outside any repository."""
    target = tmp_path_factory.mktemp("plain") / "levels of a friend"
    made = catalogues.pinned(tmp_path_factory.mktemp("repository") / "catalogue")
    shutil.copytree(made.root / "catalogue", target)
    return target


# --- reading ----------------------------------------------------------------------------------------------------------


def test_every_name_of_a_snapshot_gives_the_same_levels(catalogue: catalogues.Catalogue) -> None:
    commit = load("v1", catalogue.root).pin.commit
    assert commit is not None
    names = [
        "v1",
        "catalogue@v1",
        "refs/tags/catalogue@v1",
        commit,
        commit[:10],
        "HEAD",
        "main",
        ".",
        None,
        "catalogue",
    ]
    read = [load(name, catalogue.root) for name in names]
    read.append(load(str(catalogue.root), Path("/")))
    assert all(one == read[0] for one in read)
    assert read[0].pin.tag == "v1"
    assert len(read[0].levels("maze", "easy")) == 3


def test_a_copied_folder_is_a_snapshot_without_a_commit(folder: Path) -> None:
    read = load(None, folder)
    assert (read.pin.tag, read.pin.commit) == (None, None)
    assert read.pin.digest == sha256((folder / "manifest.json").read_bytes())
    assert load(str(folder), Path("/")) == read


def test_levels_come_in_the_order_of_rising_difficulty(folder: Path) -> None:
    lengths = [level.figures["optimal_length"] for level in load(None, folder).levels("maze", "easy")]
    assert lengths == sorted(lengths)


def test_a_cell_that_is_not_there_is_told_with_what_is(folder: Path) -> None:
    read = load(None, folder)
    with pytest.raises(UnknownCell, match="no tier 'nightmare'; use easy"):
        read.levels("maze", "nightmare")
    with pytest.raises(UnknownCell, match="no game 'chess'; use maze"):
        read.levels("chess", "easy")


def test_a_tier_that_was_never_made_is_told_with_the_refresh_that_makes_it(catalogue: catalogues.Catalogue) -> None:
    for name in (None, "v1"):
        snapshot = load(name, catalogue.root)
        with pytest.raises(UnknownCell, match="run lpb-gen refresh --game maze --tier medium, or use easy"):
            snapshot.levels("maze", "medium")
        with pytest.raises(UnknownCell, match="no tier 'nightmare'; use easy"):
            snapshot.levels("maze", "nightmare")
    told = catalogue.fails("run", "--game", "maze", "--tier", "hard", "--agent", "oracle", "--surface", "direct")
    assert "it has no levels of maze hard: params.yaml asks for them" in told


def test_reading_loads_no_dvc_and_no_solver(catalogue: catalogues.Catalogue) -> None:
    program = """
import sys
from pathlib import Path
from lpb_gen.pipeline.snapshot import load
assert load("v1", Path.cwd()).levels("maze", "easy") and load(".", Path.cwd()).levels("maze", "easy")
heavy = {"dvc", "ortools", "numba", "playwright", "skia", "networkx"} & set(sys.modules)
sys.exit(f"loaded: {heavy}" if heavy else 0)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=catalogue.root, env=catalogue.env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_pinned_snapshot_is_read_whatever_the_work_tree_shows(catalogue: catalogues.Catalogue) -> None:
    before = load("v1", catalogue.root)
    shutil.rmtree(catalogue.root / "catalogue")
    assert load("v1", catalogue.root) == before


# --- damage -----------------------------------------------------------------------------------------------------------


def _level_file(folder: Path) -> Path:
    return folder / "levels" / "maze" / "easy.jsonl"


def _rewrite(edit: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda folder: _put(_level_file(folder), edit(_level_file(folder).read_bytes()))


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.chmod(0o644) if path.exists() else None
    path.write_bytes(data)


def _edit_manifest(edit: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        edit(manifest)
        (folder / "manifest.json").write_text(json.dumps(manifest))

    return apply


def _forge(folder: Path) -> None:
    """A level with another board and the old id, and a manifest that agrees with the forged file."""
    first, *rest = _level_file(folder).read_text().splitlines()
    level = json.loads(first)
    level["board"]["rows"][0] = level["board"]["rows"][0].replace("#", ".", 1).replace(".", "#", 1)
    level["board"]["rows"].reverse()
    data = "".join(f"{line}\n" for line in (json.dumps(level), *rest)).encode()
    _put(_level_file(folder), data)

    def agree(manifest: dict[str, Any]) -> None:
        manifest["files"]["levels/maze/easy.jsonl"].update(sha256=sha256(data), bytes=len(data))

    _edit_manifest(agree)(folder)


def _rewritten(edit: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    """One level edited, and a manifest that agrees with the new file."""

    def apply(folder: Path) -> None:
        first, *rest = _level_file(folder).read_text().splitlines()
        level = json.loads(first)
        edit(level)
        data = "".join(f"{line}\n" for line in (json.dumps(level), *rest)).encode()
        _put(_level_file(folder), data)
        named = {"sha256": sha256(data), "bytes": len(data)}
        _edit_manifest(lambda manifest: manifest["files"]["levels/maze/easy.jsonl"].update(named))(folder)

    return apply


# manifests and levels whose digests are right: not damaged, but made by somebody
UNUSABLE: list[dict[str, Any]] = [
    {"parent": 5},
    {"parent": {}},
    {"retired": "abc"},
    {"retired": [{}]},
    {"added": [{"id": 5}]},
    {"cells": []},
    {"cells": {"maze-easy": 5}},
    {"toolchain": 5},
    {"files": {"/etc/passwd": {"sha256": "", "bytes": 1, "rows": 1}}},
    {"files": {"levels/../../x.jsonl": {"sha256": "", "bytes": 1, "rows": 1}}},
]
MISLEADING: list[dict[str, Any]] = [
    {"certificate": "abc"},
    {"certificate": {}},
    {"figures": []},
    {"figures": {}},
    {"board": float("nan")},
    {"dedup_key": 5},
    {"rules_version": True},
    {"provenance": None},
    {"game": []},
]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_rewrite(lambda data: data[:-1]), "is not what the manifest says"),
        (_rewrite(lambda data: data.replace(b".", b"#", 1)), "is not what the manifest says"),
        (_rewrite(lambda data: data + data.splitlines(keepends=True)[0]), "is not what the manifest says"),
        (_rewrite(lambda data: b"".join(reversed(data.splitlines(keepends=True)))), "is not what the manifest says"),
        (_rewrite(lambda data: b""), "is not what the manifest says"),
        (_forge, "does not belong to this board"),
        (lambda folder: _put(folder / "levels/maze/extra.jsonl", b"{}\n"), "is not in the manifest"),
        (lambda folder: _put(folder / "manifest.json", b"{"), "not a manifest"),
        (lambda folder: _put(folder / "manifest.json", b"[]"), "not a manifest"),
        (lambda folder: _put(folder / "manifest.json", b"\xff"), "not a manifest"),
        (_edit_manifest(lambda m: m.update(schema=99)), "a manifest of schema 99"),
        (_edit_manifest(lambda m: m.pop("files")), "not a manifest"),
        (_edit_manifest(lambda m: m["files"].update({"../x": m["files"]["levels/maze/easy.jsonl"]})), "not a manifest"),
        (_edit_manifest(lambda m: m["files"]["levels/maze/easy.jsonl"].update(rows=2)), "has 3 levels, not 2"),
        *((_edit_manifest(lambda m, e=edit: m.update(e)), "not a manifest") for edit in UNUSABLE),
        *((_rewritten(lambda level, e=edit: level.update(e)), "not a level record") for edit in MISLEADING),
        (_rewritten(lambda level: level["certificate"].update(lower="9")), "not a level record"),
        (_rewritten(lambda level: level["certificate"].update(solution=[])), "optimal_length disagree"),
        (_rewritten(lambda level: level["certificate"].update(proofs=[7])), "not a level record"),
        (_rewritten(lambda level: level["figures"].update(optimal_length=None)), "not a level record"),
        (_rewritten(lambda level: level.update(rules_version=99)), "does not belong to this board"),
    ],
)
def test_damage_is_told_never_read(folder: Path, tmp_path: Path, damage: Callable[[Path], None], says: str) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    damage(copy)
    with pytest.raises(SnapshotCorrupt, match=says) as caught:
        load(None, copy)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("what", ["pipe", "device", "folder", "another file"])
def test_a_level_file_that_leads_elsewhere_is_told(folder: Path, tmp_path: Path, what: str) -> None:
    """Nothing waits for a pipe, or reads a device that never ends."""
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    path = _level_file(copy)
    path.unlink()
    match what:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case _:
            path.symlink_to("/etc/passwd")
    with pytest.raises((MissingObject, SnapshotCorrupt), match=r"is missing|is not what the manifest says"):
        load(None, copy)


def test_a_plain_folder_is_read_where_git_is_not_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert len(load(None, folder).levels("maze", "easy")) == 3
    assert load(str(folder), Path("/")) == load(None, folder)
    with pytest.raises(NoGit, match="git is not installed; install Git"):
        load(None, folder / "levels")


def test_tags_are_listed_however_the_user_likes_them_printed(catalogue: catalogues.Catalogue) -> None:
    catalogue.git("config", "column.ui", "always")
    catalogue.git("tag", "catalogue@v1-again", "catalogue@v1")
    assert Repository(catalogue.root).tags() == ["v1", "v1-again"]


def test_a_level_file_of_another_cell_is_told(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    _level_file(copy).rename(copy / "levels/maze/hard.jsonl")
    _edit_manifest(lambda m: m.update(files={"levels/maze/hard.jsonl": m["files"]["levels/maze/easy.jsonl"]}))(copy)
    with pytest.raises(SnapshotCorrupt, match="holds levels of other cells"):
        load(None, copy)


def test_a_missing_level_file_is_told(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    _level_file(copy).unlink()
    with pytest.raises(MissingObject, match=r"levels/maze/easy\.jsonl is missing"):
        load(None, copy)


def test_a_damaged_object_in_the_cache_is_told(catalogue: catalogues.Catalogue) -> None:
    shutil.rmtree(catalogue.root / "catalogue")
    for path in (catalogue.root / ".dvc/cache/files/md5").rglob("*"):
        if path.is_file() and path.suffix != ".dir":
            _put(path, path.read_bytes().replace(b".", b"#", 1))
    with pytest.raises(SnapshotCorrupt, match=r"damaged in DVC's cache.*lpb-gen restore v1"):
        load("v1", catalogue.root)


@pytest.mark.parametrize("suffix", [".dir", ""])
def test_a_missing_object_without_a_remote_is_told(catalogue: catalogues.Catalogue, suffix: str) -> None:
    shutil.rmtree(catalogue.root / "catalogue")
    for path in (catalogue.root / ".dvc/cache/files/md5").rglob("*"):
        if path.is_file() and path.suffix == suffix:
            path.unlink()
    with pytest.raises(MissingObject, match=r"neither in the cache nor.*lpb-gen restore v1"):
        load("v1", catalogue.root)


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["v2", "0123456789", "-x", "no such/thing", "HEAD~9"])
def test_an_unknown_name_is_told_with_the_tags_there_are(catalogue: catalogues.Catalogue, name: str) -> None:
    with pytest.raises(UnknownSnapshot, match=r"the tags here are v1; new ones: git fetch --tags"):
        load(name, catalogue.root)


def test_a_revision_before_the_first_snapshot_has_none(catalogue: catalogues.Catalogue) -> None:
    first = catalogue.git("rev-list", "--max-parents=0", "HEAD")
    with pytest.raises(NoCatalogue, match="no snapshot at this revision"):
        load(first, catalogue.root)


def test_a_new_repository_has_no_snapshot(tmp_path: Path) -> None:
    made = catalogues.new(tmp_path / "new")
    with pytest.raises(NoCatalogue, match="make one: lpb-gen refresh"):
        load(None, made.root)


def test_a_work_tree_that_lost_its_catalogue_gets_it_from_restore(catalogue: catalogues.Catalogue) -> None:
    shutil.rmtree(catalogue.root / "catalogue")
    with pytest.raises(NoCatalogue, match="lpb-gen restore HEAD"):
        load(None, catalogue.root)


def test_a_moved_tag_is_told_with_both_commits(catalogue: catalogues.Catalogue) -> None:
    pinned = str(load("v1", catalogue.root).pin.commit)
    elsewhere = catalogue.git("rev-parse", "HEAD")
    catalogue.git("tag", "--force", "catalogue@v1", elsewhere)
    with pytest.raises(MovedTag, match=f"pinned at commit {pinned}, now at {elsewhere}"):
        load("v1", catalogue.root)
    assert load(pinned, catalogue.root).pin.commit == pinned, "the pinned commit itself still can be read"


def test_a_moved_tag_is_told_by_its_own_words_where_pins_json_is_older(catalogue: catalogues.Catalogue) -> None:
    message = catalogue.git("for-each-ref", "--format=%(contents)", "refs/tags/catalogue@v1")
    pinned = str(load("v1", catalogue.root).pin.commit)
    head = catalogue.git("rev-parse", "HEAD")
    catalogue.git("tag", "--force", "--annotate", "catalogue@v1", head, "--message", message)
    catalogue.git("checkout", "--quiet", pinned)
    with pytest.raises(MovedTag, match="the tag was moved"):
        load("v1", catalogue.root)


def test_a_pin_whose_tag_is_not_here_is_read_by_its_commit(catalogue: catalogues.Catalogue) -> None:
    before = load("v1", catalogue.root)
    catalogue.git("tag", "--delete", "catalogue@v1")
    assert load("v1", catalogue.root) == before


def test_a_changed_pin_is_told(catalogue: catalogues.Catalogue) -> None:
    pins = catalogue.root / "pins.json"
    digest = load("v1", catalogue.root).pin.digest
    pins.write_text(pins.read_text().replace(digest, "0" * 64))
    with pytest.raises(MovedTag, match="the manifest is not the pinned one"):
        load("v1", catalogue.root)
    pins.write_text("{")
    with pytest.raises(LpbError, match=r"pins\.json: not a list of pins"):
        load("v1", catalogue.root)


def test_a_shallow_clone_says_so(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    commit = str(load("v1", catalogue.root).pin.commit)
    clone = catalogue.clone(tmp_path / "shallow", "--depth", "1", "--no-tags")
    with pytest.raises(UnknownSnapshot, match="git fetch --unshallow --tags"):
        load(commit, clone.root)


def test_a_folder_that_is_no_repository_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="not in a Git repository"):
        load("v1", tmp_path)
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    with pytest.raises(NotARepository, match="a Git repository, but not a catalogue"):
        load("v1", tmp_path)


def test_a_catalogue_in_a_sub_folder_of_a_repository_is_told(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    shutil.rmtree(catalogue.root / ".git")
    with pytest.raises(NotARepository, match="this catalogue is a sub-folder of the Git repository"):
        load("v1", catalogue.root)


# --- DVC's cache, as DVC itself would write it ------------------------------------------------------------------------


def test_what_is_put_into_the_cache_has_the_names_that_dvc_gave(catalogue: catalogues.Catalogue) -> None:
    cache = catalogue.root / ".dvc" / "cache"
    ours = Objects(catalogue.root / "ours")
    made = load("v1", catalogue.root)
    *_, name = ours.keep_folder({path.removeprefix("levels/"): data for path, data in made.files.items()})
    assert Objects(cache).read(name) == ours.read(name)
    assert Objects(cache).listing(name) == ours.listing(name) != {}


# --- freeze -----------------------------------------------------------------------------------------------------------


def _params(cells: dict[Cell, int], fresh: tuple[Cell, ...]) -> Params:
    """Params with cells at these epochs."""
    blocks = {
        cell: CellParams(epoch=n, count=3, reserve=0, limit=9, params={}, gate={}, block={"epoch": n})
        for cell, n in cells.items()
    }
    return Params(name="n", licence="l", seed=0, parent=None, toolchain={}, fresh=fresh, cells=blocks)


def _lines(parent: Snapshot, tier: str) -> list[str]:
    """The parent's levels, as if they were of another tier."""
    return [replace(level, tier=tier).to_line() for level in parent.levels("maze", "easy")]


def _frozen(parent: Snapshot | None, files: dict[str, bytes], manifest: bytes) -> Snapshot:
    content = read_manifest(manifest, where="here")
    return snapshot.check_files(files, content, manifest, Pin(None, None, sha256(manifest)), where="here")


@pytest.fixture
def parent(folder: Path) -> Snapshot:
    return load(None, folder)


def test_what_freeze_writes_is_what_a_reader_accepts(parent: Snapshot) -> None:
    lines = _lines(parent, "easy")
    files, manifest = freeze(_params({EASY: 1}, (EASY,)), None, {EASY: FreshCell(lines[::-1], {"candidates": 5})})
    made = _frozen(None, files, manifest)
    assert [level.to_line() for level in made.cells[EASY]] == lines, "in the order of difficulty, however they came"
    assert made.manifest["cells"]["maze-easy"] == {"levels": 3, "made": {"epoch": 1, "candidates": 5}}
    assert {entry["id"] for entry in made.manifest["added"]} == {level.id for level in parent.cells[EASY]}
    assert made.manifest["content_hash"] == content_hash(parent.files)


def test_a_cell_that_is_not_fresh_is_carried_over_byte_for_byte(parent: Snapshot) -> None:
    odd = b"".join(line.replace(b'","', b'", "') for line in parent.files[EASY.path].splitlines(keepends=True))
    old = replace(parent, files={EASY.path: odd})  # written by another version, say
    no_levels = FreshCell([], {})
    files, _ = freeze(_params({EASY: 1, HARD: 1}, (HARD,)), old, {HARD: no_levels})
    assert files[EASY.path] == odd


def test_a_level_that_the_catalogue_has_cannot_come_again_in_any_tier(parent: Snapshot) -> None:
    again = FreshCell(_lines(parent, "hard"), {})
    with pytest.raises(NotNew, match="up to symmetry"):
        freeze(_params({EASY: 1, HARD: 1}, (HARD,)), parent, {HARD: again})


def test_a_retired_level_never_comes_back_and_its_tombstone_stays(parent: Snapshot) -> None:
    gone, *kept = parent.cells[EASY]
    tombstone = {"id": gone.id, "dedup_key": gone.dedup_key, "cell": "maze-easy", "tag": "v1", "reason": "worn out"}
    later = replace(
        parent,
        cells={EASY: tuple(kept)},
        files={EASY.path: "".join(f"{level.to_line()}\n" for level in kept).encode()},
        manifest={**parent.manifest, "retired": [tombstone]},
    )
    with pytest.raises(NotNew):
        freeze(_params({EASY: 2}, (EASY,)), later, {EASY: FreshCell([gone.to_line()], {})})
    _, manifest = freeze(_params({EASY: 2}, (EASY,)), later, {EASY: FreshCell([], {})})
    assert json.loads(manifest)["retired"] == [tombstone]


def test_one_level_in_two_fresh_cells_is_refused(parent: Snapshot) -> None:
    fresh = {EASY: FreshCell(_lines(parent, "easy"), {}), HARD: FreshCell(_lines(parent, "hard"), {})}
    with pytest.raises(NotNew):
        freeze(_params({EASY: 1, HARD: 1}, (EASY, HARD)), None, fresh)


def test_a_level_of_another_tier_is_refused(parent: Snapshot) -> None:
    with pytest.raises(NotNew, match="is one of maze-hard"):
        freeze(_params({EASY: 1}, (EASY,)), None, {EASY: FreshCell(_lines(parent, "hard"), {})})


def test_freeze_fails_on_a_gap(parent: Snapshot) -> None:
    with pytest.raises(Gap, match="no levels for maze-hard: it is neither fresh nor in the parent"):
        freeze(_params({EASY: 1, HARD: 1}, ()), parent, {})
    with pytest.raises(Gap, match=r"holds maze-easy, which params\.yaml no longer asks for"):
        freeze(_params({HARD: 1}, (HARD,)), parent, {HARD: FreshCell([], {})})
    with pytest.raises(Gap, match="no cell has an epoch above 0"):
        freeze(_params({EASY: 0}, ()), None, {})
