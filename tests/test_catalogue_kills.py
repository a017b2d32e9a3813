"""kill -9 and a power cut at every step of refresh, freeze, retire, pin and restore: nothing is lost, the next run
succeeds, and DVC finds everything as it should be. ``killing/sitecustomize.py`` does the killing.

The slow suite kills each command at steps that are spread evenly from its first to its last. The loop over all of them
takes about 20 minutes of CPU: ``pytest -n 2 -m slow tests/test_catalogue_kills.py --every-kill``. Both end with how
many steps there are.
"""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import catalogues
import pytest

from lpb_gen.pipeline.snapshot import Snapshot, load

KILLING = Path(__file__).parent / "killing"
SHARES = 6  # a command's steps are split into, one test each: so that they run side by side
COMMANDS: dict[str, tuple[str, ...]] = {
    "refresh": ("refresh", "--game", "maze", "--tier", "easy", "--replace", "1", "--workers", "1"),
    "retire": ("retire", "{first}", "--reason", "known"),
    "pin": ("pin", "v2", "--message", "for good"),
    "restore": ("restore", "v1", "--workers", "1"),
}


@dataclass(frozen=True)
class Scene:
    """A catalogue with a store beside it before a command, and what the command makes of it where nothing happens."""

    before: catalogues.Catalogue
    first: Snapshot
    words: tuple[str, ...]
    after: dict[str, bytes]
    steps: tuple[str, ...]


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scene]:
    return {}


@pytest.fixture
def scene(request: pytest.FixtureRequest, scenes: dict[str, Scene], tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """That of a command; made once."""
    name = str(request.param)
    if name not in scenes:
        folder = tmp_path_factory.mktemp(name)
        before = catalogues.pinned(folder / "before" / "catalogue")
        config = "[core]\n    analytics = false\n    check_update = false\n    remote = store\n"
        (before.root / ".dvc/config").write_text(f"{config}['remote \"store\"']\n    url = ../../store\n")
        before.git("commit", "--quiet", "--all", "--message", "a store beside the repository")
        first = load("v1", before.root)
        words = tuple(word.format(first=first.levels("maze", "easy")[0].id) for word in COMMANDS[name])
        if name == "restore":  # something that it has to put into place, and to make again
            shutil.rmtree(before.root / "catalogue/levels")
            shutil.rmtree(before.root / ".dvc/cache")
        quiet = before.copy(folder / "quiet" / "catalogue")
        quiet.must(*words, env=watched(quiet, folder / "quiet"))
        steps = (folder / "quiet.log").read_text().splitlines()
        scenes[name] = Scene(before, first, words, quiet.levels, tuple(steps))
    return scenes[name]


def watched(copy: catalogues.Catalogue, folder: Path, at: str = "") -> dict[str, str]:
    """The environment of a command whose steps are counted, and which is killed at one of them."""
    log = str(folder.with_suffix(".log"))
    return {**copy.env, "PYTHONPATH": str(KILLING), "KILL_ROOT": str(folder), "KILL_LOG": log, "KILL_AT": at}


def killed(scene: Scene, folder: Path, at: str) -> tuple[catalogues.Catalogue, str]:
    """A copy in which the command was killed at a step, and what that step was."""
    copy = scene.before.copy(folder / "catalogue")
    done = copy.lpb(*scene.words, env=watched(copy, folder, at), process_group=0)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return copy, folder.with_suffix(".log").read_text().splitlines()[-1]


def faults(scene: Scene, copy: catalogues.Catalogue) -> list[str]:
    """What is wrong after the kill, or after the next run of the same command."""
    head, lost = scene.before.git("rev-parse", "HEAD"), []
    if scene.words[0] != "restore" and load("v1", copy.root).files != scene.first.files:  # else nobody has it yet
        lost.append("the pinned snapshot cannot be read")
    committed = scene.words[0] != "restore" and copy.git("rev-parse", "HEAD") != head
    words = ("restore", "HEAD") if committed and scene.words[0] != "pin" else scene.words
    again = copy.lpb(*words)
    if again.returncode != 0 and not (scene.words[0] == "pin" and "there is a snapshot v2 already" in again.stderr):
        lost.append(f"the next run says: {again.stderr}")
    if copy.levels != scene.after:
        lost.append("the snapshot is another one")
    if scene.words[0] == "pin" and load("v2", copy.root).pin.commit != copy.git("rev-parse", "catalogue@v2^{commit}"):
        lost.append("the pin is another one")
    if told := copy.git("status", "--porcelain"):
        lost.append(f"Git says: {told}")
    if (told := copy.dvc("status").stdout.strip()) != "Data and pipelines are up to date.":
        lost.append(f"DVC says: {told}")
    temporary = [*copy.root.glob(".*.part"), *(copy.root / "catalogue").glob(".*")]
    if temporary or (copy.root / ".dvc/tmp/lpb-gen/journal.json").exists():
        lost.append(f"left behind: {temporary or 'the journal'}")
    return lost


@pytest.mark.parametrize(
    ("scene", "step"),
    [
        ("retire", "open catalogue/dvc.lock"),
        ("retire", "os.rename catalogue/catalogue/manifest.json"),
        ("pin", "start git tag"),
    ],
    indirect=["scene"],
)
def test_a_command_that_is_killed_at_a_step_loses_nothing(scene: Scene, tmp_path: Path, step: str) -> None:
    copy, told = killed(scene, tmp_path / "killed", step)
    assert step in told
    assert faults(scene, copy) == []


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("scene", list(COMMANDS), indirect=True)
def test_a_command_that_is_killed_at_any_step_loses_nothing(
    scene: Scene,
    tmp_path: Path,
    share: int,
    pytestconfig: pytest.Config,
    record_property: Callable[[str, object], None],
) -> None:
    total, every = len(scene.steps), bool(pytestconfig.getoption("--every-kill"))
    spread = 1 + share * (total - 1) // (SHARES - 1)
    if share == 0:
        record_property("told", f"{scene.words[0]}: killed at {total if every else SHARES} of {total} steps")
    found: dict[str, list[str]] = {}
    for number in range(share + 1, total + 1, SHARES) if every else (spread,):
        folder = tmp_path / f"killed at {number}"
        copy, step = killed(scene, folder, str(number))
        if wrong := faults(scene, copy):
            found[f"{number}: {step}"] = wrong
        shutil.rmtree(folder)
    assert found == {}, json.dumps(found, indent=1)
