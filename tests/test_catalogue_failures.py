"""What goes wrong in a catalogue: each time one clear line, nothing half-written, and the next run goes on.

Real Git, real DVC, real signals and a really full disk.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import catalogues
import pytest

from lpb_gen.pipeline.exclusive import exclusive
from lpb_gen.pipeline.repository import Repository
from lpb_gen.pipeline.snapshot import load

EASY = ("refresh", "--game", "maze", "--tier", "easy", "--workers", "1")


@pytest.fixture
def catalogue(tmp_path: Path) -> catalogues.Catalogue:
    """One snapshot of three easy mazes, pinned as v1. In the next refresh of them DVC puts in place what generate and
    verify would make; all else happens."""
    return catalogues.rehearsed(tmp_path / "catalogue")


@pytest.fixture
def fresh(tmp_path: Path) -> catalogues.Catalogue:
    """The same, but each stage of the next refresh has to run."""
    return catalogues.pinned(tmp_path / "catalogue")


@pytest.fixture
def refreshed(tmp_path: Path) -> catalogues.Catalogue:
    """The same after another refresh, which is not pinned."""
    return catalogues.refreshed(tmp_path / "catalogue")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the snapshot that the next refresh makes where nothing goes wrong."""
    made = catalogues.refreshed(tmp_path_factory.mktemp("undisturbed") / "catalogue")
    return str(load(None, made.root).pin.digest)


# --- refused before anything happens ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--game", "chess", "--tier", "easy"), "params.yaml: there is no game 'chess'; use maze, rush, truck"),
        (("--game", "maze", "--tier", "odd"), "params.yaml: maze has no tier 'odd'; use easy, medium, hard, expert"),
        (("--game", "maze", "--tier", "easy", "--count", "1001"), "cells.maze.easy.count is 1001; give 1 to 1000"),
    ],
)
def test_a_wish_for_what_does_not_exist(catalogue: catalogues.Catalogue, words: tuple[str, ...], says: str) -> None:
    before = catalogue.state
    assert says in catalogue.fails("refresh", *words)
    assert catalogue.state == before


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("cells:", "cells: [", r"params.yaml:"),
        ("seed: 0", "seed: zero", "params.yaml:4: seed must be a whole number, not 'zero'; correct it"),
        (
            "params: {length: [7, 12]}",
            "params: {lenght: [7, 12]}",
            "cells.maze.easy.params: unknown parameter 'lenght'; use length",
        ),
        ("gate: {optimal_length: [7, 12]}", "gate: {difficulty: [7, 12]}", "there is no figure 'difficulty'"),
    ],
)
def test_a_broken_params_file(catalogue: catalogues.Catalogue, old: str, new: str, says: str) -> None:
    catalogue.edit_params(old, new)
    before = catalogue.state
    assert says in catalogue.fails(*EASY)
    assert catalogue.state == before


def test_a_block_that_was_removed_is_told_before_any_level_is_made(catalogue: catalogues.Catalogue) -> None:
    text = (catalogue.root / "params.yaml").read_text()
    maze = text.index("  maze:")
    start, end = text.index("    easy:", maze), text.index("    medium:", maze)
    catalogue.commit(params_yaml=text[:start] + text[end:])
    medium = ("refresh", "--game", "maze", "--tier", "medium", "--workers", "1")
    assert "there is no block cells.maze.easy, but fresh names it" in catalogue.fails(*medium)
    catalogue.edit_params("fresh: [maze-easy]", "fresh: []")
    assert "the parent snapshot holds maze-easy, which params.yaml no longer asks for" in catalogue.fails(*medium)
    assert not (catalogue.root / "build/candidates/maze-medium.jsonl").exists()


def test_no_params_file(catalogue: catalogues.Catalogue) -> None:
    catalogue.git("rm", "--quiet", "params.yaml")
    catalogue.git("commit", "--quiet", "--message", "oops")
    assert "params.yaml: there is no such file; restore it from Git" in catalogue.fails(*EASY)


def test_no_identity(catalogue: catalogues.Catalogue) -> None:
    before = catalogue.state
    who = dict(catalogue.env)
    catalogue.env = {key: value for key, value in who.items() if not key.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))}
    began = time.monotonic()
    for words in (EASY, ("pin", "v2")):
        assert "Git does not know who commits; run: git config --global user.name" in catalogue.fails(*words)
    assert time.monotonic() - began < 20, "told before any level is made"
    catalogue.env = who
    assert catalogue.state == before


@pytest.mark.parametrize("name", ["params.yaml", "dvc.yaml", "dvc.lock", "catalogue/manifest.json"])
def test_a_dirty_work_tree(catalogue: catalogues.Catalogue, name: str) -> None:
    (catalogue.root / name).write_text((catalogue.root / name).read_text() + "\n")
    before = catalogue.state
    retire = [("retire", "abcd", "--reason", "known")] if name == "params.yaml" else []  # as a refresh does
    for words in (EASY, ("pin", "v2"), *retire):
        assert f"{name}: changes that are not committed; commit them, or drop them" in catalogue.fails(*words)
    assert catalogue.state == before


def test_levels_edited_by_hand_are_not_overwritten(catalogue: catalogues.Catalogue) -> None:
    levels = catalogue.root / "catalogue/levels/maze/easy.jsonl"
    levels.chmod(0o644)
    levels.write_bytes(levels.read_bytes().replace(b".", b"#", 1))
    before = catalogue.state
    assert "catalogue/levels was changed" in catalogue.fails(*EASY)
    assert catalogue.state == before
    catalogue.must("restore", "HEAD")
    catalogue.refresh()


def test_other_uncommitted_work_is_left_alone(catalogue: catalogues.Catalogue) -> None:
    (catalogue.root / "README.md").write_text("half a sentence")
    (catalogue.root / "notes.txt").write_text("mine")
    catalogue.git("add", "notes.txt")
    catalogue.refresh()
    assert catalogue.git("status", "--porcelain").split() == ["M", "README.md", "A", "notes.txt"]


def test_a_git_hook_of_another_repository_does_not_lead_astray(fresh: catalogues.Catalogue, tmp_path: Path) -> None:
    """Git tells a hook's commands where its repository is; what we name comes first."""
    other = fresh.copy(tmp_path / "other")
    before = other.state
    fresh.env |= {"GIT_DIR": str(other.root / ".git"), "GIT_WORK_TREE": str(other.root), "GIT_INDEX_FILE": "index"}
    made = fresh.refresh()
    assert other.state == before
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        del fresh.env[name]
    assert fresh.git("rev-parse", "HEAD") == made["commit"]


@pytest.mark.parametrize("name", ["catalogue", "build", ".dvc/tmp"])
def test_a_folder_that_is_a_link_to_elsewhere(catalogue: catalogues.Catalogue, tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "precious"
    (elsewhere / "levels").mkdir(parents=True)
    (elsewhere / "levels" / "mine.txt").write_text("not theirs")
    shutil.rmtree(catalogue.root / name, ignore_errors=True)
    (catalogue.root / name).symlink_to(elsewhere)
    for words in (EASY, ("restore", "v1"), ("pin", "v2")):
        assert f"{name} is a link: what is written there would land outside" in catalogue.fails(*words)
    assert [path.name for path in elsewhere.rglob("*")] == ["levels", "mine.txt"]


def test_a_merge_under_way(catalogue: catalogues.Catalogue) -> None:
    (catalogue.root / ".git/MERGE_HEAD").write_text(catalogue.git("rev-parse", "HEAD") + "\n")
    assert "a merge is under way" in catalogue.fails(*EASY)


def test_a_shallow_clone(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    clone = catalogue.clone(tmp_path / "shallow", "--depth", "1")
    assert "this is a shallow clone; run: git fetch --unshallow --tags" in clone.fails(*EASY)
    assert "this is a shallow clone; run: git fetch --unshallow --tags" in clone.fails("pin", "v2")
    clone.git("fetch", "--quiet", "--unshallow", "--tags")
    clone.must("restore", "HEAD", "--workers", "1")
    assert clone.levels == catalogue.levels
    clone.must("pin", "v2")


def test_a_catalogue_in_a_sub_folder_of_a_repository(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    """Git would put its commits into the outer repository. Taken out of it, the catalogue goes on as it was."""
    outer = catalogues.Catalogue(tmp_path)
    outer.git("init", "--quiet")
    before, history = catalogue.levels, shutil.move(catalogue.root / ".git", tmp_path / "history")
    for words in (EASY, ("pin", "v2"), ("restore", "v1"), ("retire", "abcd", "--reason", "known"), ("snapshots",)):
        told = catalogue.fails(*words)
        assert f"this catalogue is a sub-folder of the Git repository {tmp_path}" in told
        assert told.endswith("a catalogue needs a Git repository of its own: lpb-gen init DIR")
    assert catalogue.levels == before
    shutil.move(history, catalogue.root / ".git")
    assert catalogue.is_settled()
    catalogue.must("pin", "v2")


def test_outside_a_repository(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    here = catalogues.Catalogue(tmp_path)
    for words in (EASY, ("pin", "v1"), ("snapshots",), ("restore", "v1")):
        assert "not in a Git repository; go into a catalogue repository, or make one" in here.fails(*words)


def test_a_clone_without_the_parents_levels(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    clone = catalogue.clone(tmp_path / "clone")
    told = clone.fails(*EASY)
    assert "neither in the cache nor" in told
    assert told.endswith("lpb-gen restore v1 brings it back")
    clone.must("restore", "v1", "--workers", "1")
    catalogues.rehearse(clone).refresh()


# --- one at a time ----------------------------------------------------------------------------------------------------


def test_two_refreshes_at_once(fresh: catalogues.Catalogue, undisturbed: str) -> None:
    with Refreshing(fresh, *EASY) as first:
        first.wait_for()
        for words in (EASY, ("pin", "v2"), ("restore", "v1"), ("retire", "abcd", "--reason", "known")):
            told = fresh.fails(*words)
            assert f"another lpb-gen command works in this repository (process {first.process.pid})" in told
            if first.process.poll() is not None:
                pytest.fail("the first came to its end too early to disturb it")
        first.process.communicate(timeout=120)
        assert first.process.returncode == 0, "and the first goes on"
    assert load(None, fresh.root).pin.digest == undisturbed
    assert fresh.is_settled()


def test_a_clock_that_was_set_back(fresh: catalogues.Catalogue, undisturbed: str) -> None:
    """Every file is of the next year, the commits that follow are older than those that they follow."""
    ahead = time.time() + 366 * 86400
    for path in (fresh.root, *fresh.root.rglob("*")):
        os.utime(path, (ahead, ahead), follow_symlinks=False)
    fresh.env |= {"GIT_AUTHOR_DATE": "2020-01-01T12:00:00Z", "GIT_COMMITTER_DATE": "2020-01-01T12:00:00Z"}
    first = fresh.git("rev-parse", "catalogue@v1^{commit}")
    made = fresh.refresh()
    assert made["digest"] == undisturbed
    assert made["parent"]["commit"] == first
    fresh.must("pin", "v2")
    assert fresh.is_settled()
    rows = json.loads(fresh.must("snapshots", "--json"))
    assert [(row["tag"], row["date"], row["parent"]) for row in rows] == [
        ("v1", "2026-12-01", None),
        ("v2", "2020-01-01", "v1"),
    ]
    told = json.loads(fresh.must("log", "--json"))
    assert [change["tag"] for change in told] == ["v2", "v1"]


def test_what_is_read_during_a_refresh_is_the_snapshot_before_it(catalogue: catalogues.Catalogue) -> None:
    """Never a half-made one, nor one that is not committed yet; and then at once the new one."""
    before, seen = load(None, catalogue.root), set[str | None]()
    with Refreshing(catalogue, *EASY) as running:
        while running.process.poll() is None:
            time.sleep(0.01)
            read = load(None, catalogue.root)
            seen.add(read.pin.commit)
            assert read == before or len(read.levels("maze", "easy")) == 6
        running.process.communicate()
    assert seen <= {before.pin.commit, catalogue.git("rev-parse", "HEAD")}
    assert before.pin.commit in seen
    assert load(None, catalogue.root).pin.commit == catalogue.git("rev-parse", "HEAD")


def test_a_repository_is_the_same_by_another_path(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(catalogue.root)
    assert load("link", tmp_path) == load(None, catalogue.root)


def test_a_lock_ends_with_its_process(catalogue: catalogues.Catalogue) -> None:
    program = (
        "import os, sys, signal; from pathlib import Path\n"
        "from lpb_gen.pipeline.exclusive import exclusive; from lpb_gen.pipeline.repository import Repository\n"
        "with exclusive(Repository.find(Path.cwd())): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=catalogue.root, env=catalogue.env)
    assert done.returncode == -signal.SIGKILL
    with exclusive(Repository.find(catalogue.root)):
        pass


def test_dvc_at_work_in_the_same_repository(catalogue: catalogues.Catalogue) -> None:
    before = catalogue.state
    lock = catalogue.root / ".dvc/tmp/rwlock"
    path = str(catalogue.root / "build/candidates/maze-easy.jsonl")
    lock.write_text(json.dumps({"write": {path: {"pid": os.getpid(), "cmd": "dvc pull"}}, "read": {}}))
    assert "another DVC command works in this repository; wait for it to end" in catalogue.fails(*EASY)
    lock.unlink()
    assert catalogue.state == before


@pytest.mark.parametrize("table", ["", '{"write": {"build": {"pid": 4194303, "cmd": "dvc repro"}}, "read": {}}'])
def test_a_dvc_that_was_cut_off_blocks_nothing(catalogue: catalogues.Catalogue, table: str, undisturbed: str) -> None:
    """Its table of locked paths: cut short, or of a process that is no more."""
    (catalogue.root / ".dvc/tmp/rwlock").write_text(table)
    assert catalogue.refresh()["digest"] == undisturbed


# --- cut off ----------------------------------------------------------------------------------------------------------


class Refreshing:
    """A refresh under way in a process group of its own, as a shell would start it. Without ``words``: one that takes
    long enough to be disturbed while it makes levels."""

    def __init__(self, catalogue: catalogues.Catalogue, *words: str) -> None:
        self.feed = catalogue.root / ".dvc/tmp/lpb-gen/feed.jsonl"
        self.feed.unlink(missing_ok=True)
        words = words or ("refresh", "--game", "maze", "--tier", "medium", "--count", "900", "--workers", "1")
        self.process = subprocess.Popen(
            catalogue.command(*words),
            cwd=catalogue.root,
            env=catalogue.env,
            process_group=0,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, pattern: str = r'"done": [1-9]') -> None:
        """Until the feed has such text: the first levels are made."""
        deadline = time.monotonic() + 120
        while not (self.feed.exists() and re.search(pattern, self.feed.read_text())):
            assert self.process.poll() is None, "it ended before it came so far"
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def send(self, sign: int, *, to_group: bool) -> tuple[int, str]:
        """Sends a signal; the return code and standard error."""
        (os.killpg if to_group else os.kill)(self.process.pid, sign)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors

    def stages(self) -> set[int]:
        """Processes of stages that still exist."""
        posted = [json.loads(line) for line in self.feed.read_text().splitlines() if '"pid"' in line]
        return {event["pid"] for event in posted if Path("/proc", str(event["pid"])).exists()}

    def __enter__(self) -> Refreshing:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.send(signal.SIGINT, to_group=True)


@pytest.mark.parametrize(
    ("sign", "to_group"),
    [
        pytest.param(signal.SIGINT, True, id="ctrl-c"),
        pytest.param(signal.SIGINT, False, id="kill -INT", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, False, id="kill"),
    ],
)
def test_interrupted_in_the_middle(
    catalogue: catalogues.Catalogue, sign: int, to_group: bool, undisturbed: str
) -> None:
    before = catalogue.state
    words = ("refresh", "--game", "maze", "--tier", "medium", "--count", "900", "--workers", "2")
    with Refreshing(catalogue, *words) as running:
        running.wait_for()
        code, errors = running.send(sign, to_group=to_group)
    assert code == 130
    assert errors.splitlines()[-1].startswith("lpb-gen: interrupted; nothing was left half-written")
    assert "Traceback" not in errors
    assert running.stages() == set(), "the stages ended with it"
    assert catalogue.state == before
    assert catalogues.leftovers(catalogue) == set()
    assert catalogue.refresh()["digest"] == undisturbed


@pytest.mark.parametrize("to_group", [True, False], ids=["all", "refresh only"])
def test_killed_in_the_middle(catalogue: catalogues.Catalogue, to_group: bool, undisturbed: str) -> None:
    head = catalogue.git("rev-parse", "HEAD")
    with Refreshing(catalogue) as running:
        running.wait_for()
        assert running.send(signal.SIGKILL, to_group=to_group)[0] == -signal.SIGKILL
    assert catalogue.git("rev-parse", "HEAD") == head
    done = catalogue.lpb(*EASY, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0] == "lpb-gen: an earlier command was cut off; its changes were put back"
    assert json.loads(done.stdout)["digest"] == undisturbed
    assert running.stages() == set(), "what the killed refresh had started has ended"
    assert catalogues.leftovers(catalogue) == set()


def test_killed_in_the_middle_of_a_freeze(catalogue: catalogues.Catalogue, undisturbed: str) -> None:
    before = load(None, catalogue.root)
    with Refreshing(catalogue, *EASY) as running:
        folder = catalogue.root / "catalogue"
        while (folder / "manifest.json").exists():  # DVC deletes what a stage is about to write
            assert running.process.poll() is None
            time.sleep(0.005)
        assert running.send(signal.SIGKILL, to_group=True)[0] == -signal.SIGKILL
    assert load("v1", catalogue.root) == before, "the pinned snapshot can be read meanwhile"
    assert catalogue.refresh()["digest"] == undisturbed
    assert catalogues.leftovers(catalogue) == set()


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_freeze_that_dies_between_two_renames(catalogue: catalogues.Catalogue, step: int, undisturbed: str) -> None:
    """Freeze replaces the levels (two renames) and the manifest (one): it is killed before each of them."""
    program = f"""
import os, pathlib, signal, sys
done = [0]
def dying(rename):
    def call(*args):
        done[0] += 1
        if done[0] == {step}:
            os.kill(os.getpid(), signal.SIGKILL)
        return rename(*args)
    return call
pathlib.Path.rename, os.replace = dying(pathlib.Path.rename), dying(os.replace)
sys.argv = ["lpb-gen", "stage", "freeze"]
from lpb_gen.pipeline.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=catalogue.root, env=catalogue.env)
    assert done.returncode == -signal.SIGKILL
    catalogue.must("restore", "HEAD")
    assert len(load(None, catalogue.root).levels("maze", "easy")) == 3
    assert catalogue.refresh()["digest"] == undisturbed
    assert catalogues.leftovers(catalogue) == set()


def test_a_git_that_was_killed_with_it_leaves_no_lock_behind(catalogue: catalogues.Catalogue, undisturbed: str) -> None:
    with Refreshing(catalogue) as running:
        running.wait_for()
        running.send(signal.SIGKILL, to_group=True)
    for lock in ("index.lock", "HEAD.lock", "refs/heads/main.lock"):
        (catalogue.root / ".git" / lock).touch()
    assert catalogue.refresh()["digest"] == undisturbed


@pytest.mark.parametrize("step", [pytest.param("add", marks=pytest.mark.slow), "commit", "tag"])
def test_a_pin_that_is_killed_is_made_by_the_next(refreshed: catalogues.Catalogue, step: str) -> None:
    """It is killed before each of its three changes, with a Git at work that leaves its lock."""
    program = f"""
import os, signal, sys
from lpb_gen.pipeline import repository
run = repository.run_git
def dying(folder, *words):
    if words[0] == {step!r}:
        (folder / ".git/index.lock").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return run(folder, *words)
repository.run_git = dying
sys.argv = ["lpb-gen", "pin", "v2"]
from lpb_gen.pipeline.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=refreshed.root, env=refreshed.env)
    assert done.returncode == -signal.SIGKILL
    refreshed.must("pin", "v2")
    assert load("v2", refreshed.root).pin.commit == refreshed.git("rev-parse", "catalogue@v2^{commit}")
    assert refreshed.git("status", "--porcelain") == ""
    assert catalogues.leftovers(refreshed) == set()


STEPS = {  # what is about to happen when the command is killed
    "write the journal": "exclusive.write_whole",
    "write params.yaml": "refresh.write_whole",
    "run DVC": "refresh.run_repro",
    "read it back": "refresh.load_folder",
    "git add": "repository.run_git add",
    "git commit": "repository.run_git commit",
    "close the journal": "exclusive.Journal.close",
}


@pytest.mark.parametrize(
    "step",
    [step if step in ("run DVC", "git commit") else pytest.param(step, marks=pytest.mark.slow) for step in STEPS],
)
def test_a_retirement_that_is_killed_at_any_step(catalogue: catalogues.Catalogue, step: str) -> None:
    before = load("v1", catalogue.root)
    _, words, told = catalogues.retirement()
    undisturbed = told["digest"]
    place, _, git = STEPS[step].partition(" ")
    module, _, name = place.partition(".")
    program = f"""
import os, signal, sys
from operator import attrgetter
from lpb_gen.pipeline import {module} as module
*outer, last = {name!r}.split(".")
holder = attrgetter(".".join(outer))(module) if outer else module
real = getattr(holder, last)
def dying(*args, **options):
    if not {git!r} or {git!r} in args:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args, **options)
setattr(holder, last, dying)
sys.argv = ["lpb-gen", *{words!r}]
from lpb_gen.pipeline.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=catalogue.root, env=catalogue.env, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert load("v1", catalogue.root) == before
    if step == "close the journal":  # it was committed
        assert "is retired already" in catalogue.fails(*words)
    else:
        assert json.loads(catalogue.must(*words, "--json"))["digest"] == undisturbed
    assert load(None, catalogue.root).pin.digest == undisturbed
    assert catalogue.git("status", "--porcelain") == ""
    assert catalogue.dvc("status").stdout.strip() == "Data and pipelines are up to date."
    assert catalogues.leftovers(catalogue) == set()


@pytest.mark.slow
def test_a_refresh_of_many_cells_that_is_killed_between_two(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    """What the first cell has made is used again by the next run; the snapshot is all of it or nothing."""
    words = ("refresh", "--game", "maze", "--tier", "easy", "--tier", "medium", "--replace", "2", "--workers", "1")
    undisturbed = json.loads(catalogue.copy(tmp_path / "undisturbed").must(*words, "--json"))["digest"]
    before = load("v1", catalogue.root)
    with Refreshing(catalogue, *words) as running:
        running.wait_for('"cell": "maze-medium"')
        assert running.send(signal.SIGKILL, to_group=True)[0] == -signal.SIGKILL
    assert load(None, catalogue.root) == before
    assert json.loads(catalogue.must(*words, "--json"))["digest"] == undisturbed
    assert catalogue.dvc("status").stdout.strip() == "Data and pipelines are up to date."
    assert catalogues.leftovers(catalogue) == set()


def test_retiring_while_another_command_works(catalogue: catalogues.Catalogue) -> None:
    with exclusive(Repository.find(catalogue.root)):
        told = catalogue.fails("retire", "abcd", "--reason", "known")
    assert f"another lpb-gen command works in this repository (process {os.getpid()})" in told


def test_a_stage_that_is_killed_alone(catalogue: catalogues.Catalogue) -> None:
    before = catalogue.state
    with Refreshing(catalogue) as running:
        running.wait_for()
        (stage,) = running.stages()
        os.kill(stage, signal.SIGKILL)
        _, errors = running.process.communicate(timeout=60)
    assert running.process.returncode == 1
    assert "failed to reproduce 'generate@maze-medium'" in errors.splitlines()[-1]
    assert catalogue.state == before


def test_params_edited_after_a_kill_are_not_lost(catalogue: catalogues.Catalogue) -> None:
    with Refreshing(catalogue) as running:
        running.wait_for()
        running.send(signal.SIGKILL, to_group=True)
    params = catalogue.root / "params.yaml"
    params.write_text(params.read_text().replace("gate: {optimal_length: [7, 12]}", "gate: {optimal_length: [8, 12]}"))
    told = catalogue.fails(*EASY)
    assert "params.yaml was edited after a refresh had been cut off; commit your changes, or drop them" in told
    assert "[8, 12]" in params.read_text()
    catalogue.git("checkout", "params.yaml")
    catalogue.must("pin", "v2")  # which first puts back what the refresh had begun


def test_a_commit_that_a_hook_refuses(catalogue: catalogues.Catalogue) -> None:
    hook = catalogue.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'error: no commits on a Sunday' >&2\nexit 1\n")
    hook.chmod(0o755)
    before = catalogue.state
    assert "git commit: no commits on a Sunday" in catalogue.fails(*EASY)
    assert catalogue.state == before
    assert "git commit: no commits on a Sunday" in catalogue.fails("pin", "v2")
    assert catalogue.state == before
    hook.unlink()
    catalogue.must("pin", "v2")


# --- the disk ---------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A file system of its own of that size, where the machine lets us have one."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("only root can mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize(
    "free", [pytest.param(0, marks=pytest.mark.slow), 24, pytest.param(60, marks=pytest.mark.slow)]
)
def test_a_full_disk(fresh: catalogues.Catalogue, tmp_path: Path, free: int, undisturbed: str) -> None:
    with small_disk(tmp_path / "disk", 2000) as disk:
        full = fresh.copy(disk / "catalogue")
        before = load("v1", full.root)
        filler = disk / "filler"
        space = shutil.disk_usage(disk).free
        filler.write_bytes(bytes(space - 1024 * free))
        told = full.fails(*EASY)
        assert any(sign in told.lower() for sign in ("space", "full", "cannot write")), told
        assert load("v1", full.root) == before
        filler.unlink()
        assert full.refresh()["digest"] == undisturbed
        assert full.is_settled()


@pytest.mark.parametrize("limit", [pytest.param(1000, marks=pytest.mark.slow), 2500])
def test_files_that_cannot_be_written_whole(catalogue: catalogues.Catalogue, limit: int, undisturbed: str) -> None:
    """Every write beyond ``limit`` bytes of a file fails, as on a disk that is full: before the levels, and at them."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    before = catalogue.levels
    told = catalogue.fails("stage", "freeze", preexec_fn=limited)
    assert told.endswith("File too large")
    assert "catalogue" in told
    assert catalogue.levels.keys() - {"manifest.json"} == before.keys() - {"manifest.json"}
    for path in before.keys() & catalogue.levels.keys():
        assert catalogue.levels[path] == before[path], "old or new, and both are the same here; never a part"
    assert catalogues.leftovers(catalogue) == set()
    assert catalogue.refresh()["digest"] == undisturbed


def without_privilege() -> None:
    """Root loses the right to ignore permissions (CAP_DAC_OVERRIDE and its like), so that they mean something."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for capability in (1, 2, 3):
            libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


@pytest.fixture
def read_only(catalogue: catalogues.Catalogue) -> Iterator[Callable[[], Callable[[], None]]]:
    """Takes away the right to write in the repository; returns what gives it back, at the end at the latest."""
    modes = {path: path.stat().st_mode for path in (catalogue.root, *catalogue.root.rglob("*"))}

    def unlock() -> None:
        for path, mode in modes.items():
            if path.exists():
                path.chmod(mode)

    def lock() -> Callable[[], None]:
        for path in modes:
            path.chmod(0o555 if path.is_dir() else 0o444)
        return unlock

    yield lock
    unlock()


def test_a_read_only_repository_can_be_read_and_says_why_not_more(
    catalogue: catalogues.Catalogue, read_only: Callable[[], Callable[[], None]], undisturbed: str
) -> None:
    before = catalogue.levels
    give_back = read_only()
    for words in (EASY, ("pin", "v2"), ("restore", "v1")):
        assert catalogue.fails(*words, preexec_fn=without_privilege).endswith("Permission denied")
    assert json.loads(catalogue.must("snapshots", "--json", preexec_fn=without_privilege))[0]["tag"] == "v1"
    assert catalogue.levels == before
    give_back()
    assert catalogue.refresh()["digest"] == undisturbed
    assert catalogue.is_settled()
