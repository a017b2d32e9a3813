"""Pins that never move, and snapshots that come back from whatever is left of them: real Git, real DVC."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import catalogues
import pytest
from rich.console import Console

from lpb_gen.pipeline.commands_catalogue import snapshots_table
from lpb_gen.pipeline.listing import list_snapshots
from lpb_gen.pipeline.repository import Repository
from lpb_gen.pipeline.snapshot import load


@pytest.fixture
def catalogue(tmp_path: Path) -> catalogues.Catalogue:
    """One snapshot of three easy mazes, pinned as v1."""
    return catalogues.pinned(tmp_path / "catalogue")


@pytest.fixture
def refreshed(tmp_path: Path) -> catalogues.Catalogue:
    """The same after another refresh, which is not pinned."""
    return catalogues.refreshed(tmp_path / "catalogue")


@pytest.fixture(scope="module")
def _stored(tmp_path_factory: pytest.TempPathFactory) -> catalogues.Catalogue:
    folder = tmp_path_factory.mktemp("stored")
    catalogue = catalogues.pinned(folder / "catalogue")
    (catalogue.root / ".dvc/config").write_text(
        "[core]\n    analytics = false\n    check_update = false\n    remote = store\n"
        "['remote \"store\"']\n    url = ../../store\n"
    )
    catalogue.git("commit", "--quiet", "--all", "--message", "a store beside the repository")
    catalogue.must("pin", "v2")
    return catalogue


@pytest.fixture
def stored(_stored: catalogues.Catalogue, tmp_path: Path) -> catalogues.Catalogue:
    """The same with a DVC remote beside it, to which everything was pushed by ``pin v2``."""
    shutil.copytree(_stored.root.parent / "store", tmp_path / "with a store" / "store")
    return _stored.copy(tmp_path / "with a store" / "catalogue")


def store(catalogue: catalogues.Catalogue) -> Path:
    return catalogue.root.parent / "store"


def forget(catalogue: catalogues.Catalogue) -> None:
    """Deletes the levels from the work tree and from DVC's cache."""
    shutil.rmtree(catalogue.root / ".dvc" / "cache", ignore_errors=True)
    shutil.rmtree(catalogue.root / "catalogue" / "levels", ignore_errors=True)


def spoil(folder: Path) -> None:
    """Changes one character in every level file of a cache or remote, as a bad disk would."""
    for path in (folder / "files" / "md5").rglob("*"):
        if path.is_file() and path.suffix != ".dir":
            path.chmod(0o644)
            path.write_bytes(path.read_bytes().replace(b".", b"#", 1))
            path.chmod(0o444)


# --- pin --------------------------------------------------------------------------------------------------------------


def test_a_pin_is_a_tag_a_commit_and_a_digest(refreshed: catalogues.Catalogue) -> None:
    made = refreshed.git("rev-parse", "HEAD")
    printed = refreshed.must("pin", "v2026.12.0")
    digest = load(None, refreshed.root).pin.digest
    assert printed.startswith(f"pinned: catalogue@v2026.12.0 (commit {made}, manifest sha256:{digest})\n\n@misc{{")
    assert refreshed.git("rev-parse", "catalogue@v2026.12.0^{commit}") == made
    assert refreshed.git("cat-file", "-t", "catalogue@v2026.12.0") == "tag", "annotated"
    pins = json.loads((refreshed.root / "pins.json").read_text())["pins"]
    assert pins["v2026.12.0"] == {"commit": made, "digest": digest}
    assert list(pins) == ["v1", "v2026.12.0"]
    assert refreshed.git("status", "--porcelain") == ""


def test_a_tag_is_never_given_twice(catalogue: catalogues.Catalogue) -> None:
    before = catalogue.state
    assert "there is a snapshot v1 already" in catalogue.fails("pin", "v1")
    assert "there is a snapshot v1 already" in catalogue.fails("pin", "catalogue@v1")
    assert catalogue.state == before


@pytest.mark.parametrize("tag", ["", "two words", "../v1", "v1..2", "-v", "v1.lock", "v^1", "vé"])
def test_what_cannot_be_a_tag_is_told(catalogue: catalogues.Catalogue, tag: str) -> None:
    assert "cannot name a snapshot; use letters" in catalogue.fails("pin", "--", tag)


def test_a_pin_does_not_take_the_name_of_a_commit_that_moves(catalogue: catalogues.Catalogue) -> None:
    """``lpb-gen restore HEAD`` must go on to mean the current snapshot."""
    assert "TAG: HEAD names the current commit of this repository already" in catalogue.fails("pin", "HEAD")
    assert "TAG: main names the current commit of a branch already" in catalogue.fails("pin", "main")


def test_there_must_be_something_to_pin(tmp_path: Path) -> None:
    made = catalogues.new(tmp_path / "new")
    assert "there is no snapshot to pin; make one" in made.fails("pin", "v1")
    assert made.git("tag") == ""


def test_a_pin_that_was_cut_off_before_its_tag_is_finished_by_the_next(catalogue: catalogues.Catalogue) -> None:
    commit = catalogue.git("rev-parse", "catalogue@v1^{commit}")
    catalogue.git("tag", "--delete", "catalogue@v1")
    printed = catalogue.must("pin", "v1", "--json")
    assert json.loads(printed)["commit"] == commit == catalogue.git("rev-parse", "catalogue@v1^{commit}")
    assert catalogue.git("log", "--format=%s").count("Pin catalogue@v1") == 1


def test_a_damaged_snapshot_is_not_pinned(catalogue: catalogues.Catalogue) -> None:
    spoil(catalogue.root / ".dvc" / "cache")
    shutil.rmtree(catalogue.root / "catalogue" / "levels")
    assert "damaged in DVC's cache" in catalogue.fails("pin", "v2")
    assert catalogue.git("tag") == "catalogue@v1"


def test_a_pin_is_pushed_when_asked(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    before = catalogue.state
    assert "there is no Git remote to push to; run: git remote add origin URL" in catalogue.fails("pin", "v3", "--push")
    assert catalogue.state == before
    assert catalogue.git("tag") == "catalogue@v1", "nothing is pinned that could not be pushed"
    catalogue.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    catalogue.git("remote", "add", "origin", str(tmp_path / "bare.git"))
    catalogue.must("pin", "v3", "--push")
    clone = catalogues.Catalogue(tmp_path)
    clone.git("clone", "--quiet", "bare.git", "clone")
    clone = catalogues.Catalogue(tmp_path / "clone")
    assert clone.git("rev-parse", "catalogue@v3^{commit}") == catalogue.git("rev-parse", "catalogue@v3^{commit}")
    assert "v3" in json.loads((clone.root / "pins.json").read_text())["pins"]


def test_a_pin_that_was_not_pushed_is_pushed_by_the_same_command(
    catalogue: catalogues.Catalogue, tmp_path: Path
) -> None:
    catalogue.git("remote", "add", "origin", str(tmp_path / "bare.git"))
    assert "pinned here, but not pushed to origin" in catalogue.fails("pin", "v2", "--push")
    bare = catalogues.Catalogue(tmp_path / "bare.git")
    catalogue.git("init", "--quiet", "--bare", str(bare.root))
    pinned = catalogue.git("rev-parse", "HEAD")
    assert "pinned: catalogue@v2 (commit" in catalogue.must("pin", "v2", "--push")
    assert bare.git("rev-parse", "catalogue@v2") == catalogue.git("rev-parse", "catalogue@v2")
    assert bare.git("rev-parse", "main") == catalogue.git("rev-parse", "HEAD") == pinned
    catalogues.rehearse(catalogue).refresh()
    told = catalogue.fails("pin", "v2", "--push")
    assert "there is a snapshot v2 already" in told, "of another snapshot: a pin never moves"


def test_what_is_pinned_is_in_the_remote(stored: catalogues.Catalogue, tmp_path: Path) -> None:
    clone = stored.clone(stored.root.parent / "clone")
    assert load("v2", clone.root).files == load("v1", stored.root).files
    assert clone.dvc("pull").returncode == 0, "the intermediate files are there, too"


def test_no_tag_where_the_remote_did_not_take_the_levels(stored: catalogues.Catalogue) -> None:
    shutil.rmtree(store(stored))
    store(stored).write_text("a file where the store should be")
    before = stored.state
    stored.fails("pin", "v3")
    assert stored.state == before
    assert "catalogue@v3" not in stored.git("tag")


# --- what a pin says, and who says it ---------------------------------------------------------------------------------


def test_a_pin_says_how_to_cite_it(catalogue: catalogues.Catalogue) -> None:
    told = json.loads(catalogue.must("pin", "v2", "--json"))
    assert told["cite"] == f"catalogue@v2 (commit {told['commit']}, manifest sha256:{told['digest']})"
    assert told["bibtex"].splitlines() == [
        "@misc{lpb-gen-v2,",
        "  title = {{catalogue}, snapshot v2},",
        "  year = {2026},",
        f"  note = {{3 levels, catalogue@v2, commit {told['commit']}, manifest sha256:{told['digest']}}},",
        "}",
    ]
    catalogue.git("remote", "add", "origin", "https://me:secret@example.org/levels.git")
    entry = json.loads(catalogue.must("pin", "v3_x", "--json"))["bibtex"]
    assert "  url = {https://example.org/levels.git},\n" in entry, "without the password"
    assert r"catalogue@v3\_x" in entry


def test_a_pin_has_words_of_its_maintainer(catalogue: catalogues.Catalogue) -> None:
    misleading = f"For the winter.\n\ncommit: {'0' * 40}\nmanifest sha256: {'0' * 64}"
    catalogue.must("pin", "v2", "--message", misleading)
    for told in (catalogue.git("log", "-1", "--format=%B"), catalogue.git("tag", "-n99", "--list", "catalogue@v2")):
        assert "For the winter." in told
    (catalogue.root / "pins.json").unlink()
    catalogue.git("commit", "--quiet", "--all", "--message", "only the tag is left")
    assert load("v2", catalogue.root).files == load("v1", catalogue.root).files, "the tag's own pin comes first"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """An SSH key made for a test."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "maintainer@example.org", "-f", str(tmp_path / "key")]
    subprocess.run(words, check=True, capture_output=True)
    return tmp_path / "key"


def test_a_pin_is_signed_with_gits_own_key(catalogue: catalogues.Catalogue, key: Path) -> None:
    allowed = key.with_name("allowed")
    allowed.write_text(f"maintainer@example.org {key.with_suffix('.pub').read_text()}")
    settings = {"gpg.format": "ssh", "user.signingkey": str(key), "gpg.ssh.allowedSignersFile": str(allowed)}
    for name, value in settings.items():
        catalogue.git("config", name, value)
    catalogue.must("pin", "v2", "--sign", "--message", "Signed")
    catalogue.git("verify-tag", "catalogue@v2")
    (catalogue.root / "pins.json").unlink()
    catalogue.git("commit", "--quiet", "--all", "--message", "only the tag is left")
    assert load("v2", catalogue.root).pin.tag == "v2", "a signed tag still says its pin"


def test_no_key_to_sign_with_is_told_before_anything_is_pinned(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    before = catalogue.state
    catalogue.git("config", "gpg.format", "ssh")
    for name in (None, str(tmp_path / "no such key")):
        if name:
            catalogue.git("config", "user.signingkey", name)
        told = catalogue.fails("pin", "v2", "--sign")
        assert told.startswith("--sign: Git cannot sign: ")
        assert told.endswith("or pin without --sign")
        assert catalogue.state == before
        assert catalogue.git("tag") == "catalogue@v1"


def test_a_push_that_the_other_side_refuses_is_told_with_its_words(
    catalogue: catalogues.Catalogue, tmp_path: Path
) -> None:
    bare = catalogues.Catalogue(tmp_path / "bare.git")
    catalogue.git("clone", "--quiet", "--bare", ".", str(bare.root))
    catalogue.git("remote", "add", "origin", str(bare.root))
    hook = bare.root / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'no tags before the review' >&2\nexit 1\n")
    hook.chmod(0o755)
    told = catalogue.fails("pin", "v2", "--push")
    assert told.startswith("catalogue@v2: pinned here, but not pushed to origin: no tags before the review; ")
    assert told.endswith("mend that and run: lpb-gen pin v2 --push")
    assert bare.git("tag") == "catalogue@v1", "neither the branch nor the tag"
    assert bare.git("rev-parse", "main") == catalogue.git("rev-parse", "HEAD~1")
    hook.unlink()
    catalogue.must("pin", "v2", "--push")
    assert bare.git("rev-parse", "catalogue@v2") == catalogue.git("rev-parse", "catalogue@v2")


# --- snapshots --------------------------------------------------------------------------------------------------------


def test_snapshots_lists_pins_and_the_current_one(refreshed: catalogues.Catalogue) -> None:
    rows = json.loads(refreshed.must("snapshots", "--json"))
    assert [(row["tag"], row["levels"], row["parent"]) for row in rows] == [
        ("v1", {"maze-easy": 3}, None),
        (None, {"maze-easy": 6}, "v1"),
    ]
    assert {row["date"] for row in rows} == {"2026-12-01"}
    printed = refreshed.must("snapshots")
    assert "v1" in printed
    assert "(current)" in printed
    refreshed.git("tag", "--force", "catalogue@v1", "HEAD")
    rows = json.loads(refreshed.must("snapshots", "--json"))
    assert "the tag was moved" in rows[0]["problem"]
    assert rows[0]["parent"] is None
    table, told = refreshed.must("snapshots").rsplit("\n", 2)[0:2]
    assert "the tag was moved" not in table
    assert told.startswith("v1: catalogue@v1: the tag was moved: pinned at commit"), "a line of its own, not a cell"


def test_snapshots_come_by_version_and_tiers_by_difficulty(catalogue: catalogues.Catalogue) -> None:
    for tag in ("v10", "v9"):
        catalogue.must("pin", tag)
    manifest = json.loads((catalogue.root / "catalogue/manifest.json").read_text())
    for cell, lengths in (("maze-a", "40..60"), ("maze-medium", "13..16")):
        manifest["cells"][cell] = manifest["cells"]["maze-easy"]
        manifest["params"][cell] = {**manifest["params"]["maze-easy"], "gate": {"optimal_length": lengths}}
    (catalogue.root / "catalogue/manifest.json").write_text(json.dumps(manifest))
    catalogue.git("commit", "--quiet", "--all", "--message", "a tier whose name comes first and whose levels last")
    rows = json.loads(catalogue.must("snapshots", "--json"))
    assert [row["tag"] for row in rows] == ["v1", "v9", "v10", None]
    assert list(rows[-1]["levels"]) == ["maze-easy", "maze-medium", "maze-a"]


def test_the_table_of_snapshots_folds_in_a_narrow_window(catalogue: catalogues.Catalogue) -> None:
    catalogue.must("pin", "a-tag-of-many-words-that-is-longer-than-half-a-line-of-a-narrow-window")
    listed = list_snapshots(Repository.find(catalogue.root))
    console = Console(width=80)
    with console.capture() as shown:
        console.print(snapshots_table(listed))
    assert "…" not in shown.get()
    assert max(map(len, shown.get().splitlines())) <= 80
    assert listed[0].pin.digest[:12] in shown.get()


def test_a_new_repository_has_none_to_list(tmp_path: Path) -> None:
    assert catalogues.new(tmp_path / "new").must("snapshots", "--json") == "[]\n"


# --- restore ----------------------------------------------------------------------------------------------------------


def test_restore_puts_an_old_snapshot_and_then_the_current_one_in_place(
    catalogue: catalogues.Catalogue, tmp_path: Path
) -> None:
    refreshed, old = catalogues.refreshed(tmp_path / "refreshed"), catalogue.levels
    new = refreshed.levels
    told = json.loads(refreshed.must("restore", "v1", "--json"))
    assert (told["how"], told["levels"]) == ("read", 3)
    assert refreshed.levels == old
    assert "lpb-gen restore HEAD" in refreshed.fails("refresh", "--game", "maze", "--tier", "easy")
    refreshed.must("restore", "HEAD")
    assert refreshed.levels == new
    assert refreshed.git("status", "--porcelain") == ""


def test_restore_from_nothing_makes_the_snapshot_and_its_parents_again(refreshed: catalogues.Catalogue) -> None:
    before = refreshed.levels
    forget(refreshed)
    told = json.loads(refreshed.must("restore", "HEAD", "--workers", "1", "--json"))
    assert told["how"] == "made again"
    assert refreshed.levels == before
    assert refreshed.git("status", "--porcelain") == ""
    assert len(load("v1", refreshed.root).levels("maze", "easy")) == 3, "the parent is in the cache again"
    assert "catalogue/levels" not in refreshed.dvc("status", "freeze").stdout, "DVC finds the levels as they should be"


def test_restore_heals_a_damaged_cache(catalogue: catalogues.Catalogue) -> None:
    before = catalogue.levels
    spoil(catalogue.root / ".dvc" / "cache")
    shutil.rmtree(catalogue.root / "catalogue" / "levels")
    assert json.loads(catalogue.must("restore", "v1", "--workers", "1", "--json"))["how"] == "made again"
    assert catalogue.levels == before
    shutil.rmtree(catalogue.root / "catalogue")
    load("v1", catalogue.root)


def test_restore_takes_a_good_remote_before_it_makes_anything(stored: catalogues.Catalogue) -> None:
    before = stored.levels
    spoil(stored.root / ".dvc" / "cache")
    shutil.rmtree(stored.root / "catalogue" / "levels")
    assert json.loads(stored.must("restore", "v1", "--json"))["how"] == "read"
    assert stored.levels == before


def test_a_damaged_remote_is_told_and_restore_does_without_it(stored: catalogues.Catalogue) -> None:
    before = stored.levels
    spoil(store(stored))
    forget(stored)
    told = stored.fails("pin", "v3")
    assert "damaged in the DVC remote (not the bytes that the manifest names); lpb-gen restore" in told
    assert json.loads(stored.must("restore", "v2", "--workers", "1", "--json"))["how"] == "made again"
    assert stored.levels == before


def test_an_unreachable_remote_is_told_and_restore_does_without_it(stored: catalogues.Catalogue) -> None:
    before = stored.levels
    shutil.rmtree(store(stored))
    forget(stored)
    assert "the DVC remote does not have the levels, or cannot be reached" in stored.fails("pin", "v3")
    assert json.loads(stored.must("restore", "v2", "--workers", "1", "--json"))["how"] == "made again"
    assert stored.levels == before


def lose(folder: Path) -> None:
    """Deletes every level file, but not the lists of them, of a cache or remote."""
    for path in (folder / "files" / "md5").rglob("*"):
        if path.is_file() and path.suffix != ".dir":
            path.unlink()


def empty_the_lists(folder: Path) -> None:
    """What a push leaves that is killed while DVC tries out how files can be linked."""
    for path in (folder / "files" / "md5").rglob("*.dir"):
        path.chmod(0o644)
        path.write_bytes(b"")


def _in_the_store_only(harm: Callable[[Path], None]) -> Callable[[catalogues.Catalogue], None]:
    def apply(stored: catalogues.Catalogue) -> None:
        forget(stored)
        harm(store(stored))

    return apply


def _in_the_cache(harm: Callable[[Path], None]) -> Callable[[catalogues.Catalogue], None]:
    def apply(stored: catalogues.Catalogue) -> None:
        shutil.rmtree(stored.root / "catalogue" / "levels")
        harm(stored.root / ".dvc" / "cache")

    return apply


HARM = {
    "corrupt in the cache": _in_the_cache(spoil),
    "missing in the cache": _in_the_cache(lose),
    "corrupt in the store": _in_the_store_only(spoil),
    "missing in the store": _in_the_store_only(lose),
    "empty list in the cache": _in_the_cache(empty_the_lists),
    "empty list in the store": _in_the_store_only(empty_the_lists),
    "no store": _in_the_store_only(shutil.rmtree),
}


@pytest.mark.slow
@pytest.mark.parametrize("harm", list(HARM))
def test_after_any_harm_nothing_is_lost_and_everything_goes_on(stored: catalogues.Catalogue, harm: str) -> None:
    """Then a clone can read old and new, so that the store is whole again as well."""
    before = stored.levels
    HARM[harm](stored)
    stored.must("restore", "HEAD", "--workers", "1")
    assert stored.levels == before
    assert stored.is_settled()
    stored.must("pin", "v3")
    clone = stored.clone(stored.root.parent / "clone")
    assert load("v3", clone.root).files == load("v2", stored.root).files
    stored.refresh()
    assert stored.is_settled()


@pytest.mark.parametrize("harm", [spoil, lose, empty_the_lists])
def test_a_pin_mends_the_store_that_dvc_takes_for_whole(
    stored: catalogues.Catalogue, harm: Callable[[Path], None]
) -> None:
    """DVC does not push what the remote seems to have, nor the files of a folder whose list it has."""
    harm(store(stored))
    done = stored.lpb("pin", "v3")
    assert done.returncode == 0, done.stderr
    if harm is spoil:
        assert "1 objects were missing or damaged in the DVC remote; they are sent anew" in done.stderr
    if harm is empty_the_lists:
        assert "the list of the levels was damaged in the DVC remote; it is sent anew" in done.stderr
    assert load(f"{store(stored)}#v3", stored.root).files == load("v3", stored.root).files


def test_restore_into_a_folder_of_its_own(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    before = catalogue.state
    catalogue.must("restore", "v1", "--out", str(tmp_path / "old"))
    assert load(None, tmp_path / "old").files == load("v1", catalogue.root).files
    assert "the folder is not empty" in catalogue.fails("restore", "v1", "--out", str(tmp_path / "old"))
    assert catalogue.state == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["catalogue", "old"]


def test_restore_refuses_what_does_not_come_out_the_same(catalogue: catalogues.Catalogue) -> None:
    """A snapshot whose params.yaml says something else than what made it: as a newer generator would come out."""
    text = (catalogue.root / "params.yaml").read_text().replace("seed: 0", "seed: 1")
    (catalogue.root / "params.yaml").write_text(text)
    manifest = json.loads((catalogue.root / "catalogue/manifest.json").read_text())
    manifest["seed"] = 1
    (catalogue.root / "catalogue/manifest.json").write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n")
    catalogue.git("commit", "--quiet", "--all", "--message", "forged")
    forget(catalogue)
    told = catalogue.fails("restore", "HEAD", "--workers", "1")
    assert "did not come out the same when made again; it was made with lpb_gen" in told
    assert not (catalogue.root / "catalogue/levels").exists()


def test_restore_tells_an_unknown_and_a_moved_tag(catalogue: catalogues.Catalogue) -> None:
    assert "no snapshot 'v9'; the tags here are v1" in catalogue.fails("restore", "v9")
    catalogue.git("tag", "--force", "catalogue@v1", "HEAD")
    assert "the tag was moved: pinned at commit" in catalogue.fails("restore", "v1")
