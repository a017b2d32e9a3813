"""Real catalogue repositories for tests, made with the real command, Git and DVC; and what to ask of a failure."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from atexit import register
from pathlib import Path
from typing import Any, NamedTuple


@functools.cache
def environment() -> dict[str, str]:
    """Who commits and when is fixed, so that commit ids are; nothing of the user's own configuration is read."""
    folder = tempfile.mkdtemp(prefix="lpb-gen-test-")
    register(shutil.rmtree, folder, ignore_errors=True)
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "DVC_", "LPB_"))}
    return {
        **kept,
        "HOME": folder,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A Maintainer",
        "GIT_AUTHOR_EMAIL": "maintainer@example.org",
        "GIT_AUTHOR_DATE": "2026-12-01T12:00:00Z",
        "GIT_COMMITTER_NAME": "A Maintainer",
        "GIT_COMMITTER_EMAIL": "maintainer@example.org",
        "GIT_COMMITTER_DATE": "2026-12-01T12:00:00Z",
        "DVC_SITE_CACHE_DIR": str(Path(folder, "dvc-site")),
        "DVC_NO_ANALYTICS": "1",
    }


class Catalogue:
    """A repository in a folder, and the commands that a user types there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.env = dict(environment())

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "lpb_gen.pipeline.cli", *words]

    def lpb(self, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """``lpb-gen words``, whatever comes of it."""
        settings = {"cwd": self.root, "env": self.env, **options}
        return subprocess.run(self.command(*words), capture_output=True, text=True, timeout=200, **settings)

    def must(self, *words: str, **options: Any) -> str:
        """What ``lpb-gen words`` prints; it has to succeed."""
        done = self.lpb(*words, **options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refresh(self, *words: str, tier: str = "easy", **options: Any) -> dict[str, Any]:
        """A refresh that has to succeed, with its result."""
        workers = () if "--workers" in words else ("--workers", "1")
        printed = self.must("refresh", "--game", "maze", "--tier", tier, "--json", *workers, *words, **options)
        return dict(json.loads(printed))

    def fails(self, *words: str, code: int = 1, **options: Any) -> str:
        """The one line that ``lpb-gen words`` says when it fails; lines of progress and notes apart."""
        done = self.lpb(*words, **options)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        lines = done.stderr.strip().splitlines()
        assert lines, "it failed without a word"
        assert lines[-1].startswith("lpb-gen: "), done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        assert "this is a fault of lpb-gen" not in done.stderr, done.stderr
        return lines[-1].removeprefix("lpb-gen: ")

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.root, env=self.env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def dvc(self, *words: str) -> subprocess.CompletedProcess[str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{self.env['PATH']}"
        command, env = [sys.executable, "-m", "dvc", *words], {**self.env, "PATH": path, "COLUMNS": "999"}
        return subprocess.run(command, cwd=self.root, env=env, capture_output=True, text=True, timeout=200)

    def is_settled(self) -> bool:
        """Nothing is uncommitted, DVC finds everything as dvc.lock has it, and no command left anything behind."""
        told = self.git("status", "--porcelain"), self.dvc("status").stdout.strip(), leftovers(self)
        assert told == ("", "Data and pipelines are up to date.", set())
        return True

    def commit(self, **files: str) -> str:
        """Writes and commits files (``params_yaml="…"``); returns the commit."""
        for name, text in files.items():
            (self.root / name.replace("_", ".")).write_text(text)
        self.git("commit", "--quiet", "--all", "--message", "by hand")
        return self.git("rev-parse", "HEAD")

    def edit_params(self, old: str, new: str) -> None:
        """Replaces text in params.yaml and commits it."""
        text = (self.root / "params.yaml").read_text()
        assert old in text
        self.commit(params_yaml=text.replace(old, new))

    @property
    def levels(self) -> dict[str, bytes]:
        """The work tree's level files and manifest, by path below the catalogue folder."""
        folder = self.root / "catalogue"
        return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}

    @property
    def state(self) -> tuple[str, str, dict[str, bytes]]:
        """Everything that a command which fails must leave as it was."""
        return self.git("rev-parse", "HEAD"), self.git("status", "--porcelain"), self.levels

    def copy(self, target: Path) -> Catalogue:
        shutil.copytree(self.root, target, symlinks=True)
        return Catalogue(target)

    def clone(self, target: Path, *words: str) -> Catalogue:
        """A fresh clone: the manifest is there, the levels and DVC's cache are not."""
        self.git("clone", "--quiet", *words, self.root.as_uri(), str(target))
        return Catalogue(target)


def leftovers(catalogue: Catalogue) -> set[str]:
    """Files that a command needs only while it runs."""
    temporary = [*(catalogue.root / "catalogue").glob(".*"), *catalogue.root.glob(".*.part")]
    journal = catalogue.root / ".dvc/tmp/lpb-gen/journal.json"
    return {path.name for path in temporary} | ({journal.name} if journal.exists() else set())


def new(folder: Path, *words: str) -> Catalogue:
    """A new repository named catalogue with seed 0, where ``words`` choose no others: its bytes must be the same in
    every run and folder."""
    seed = () if "--seed" in words else ("--seed", "0")
    name = () if "--name" in words else ("--name", "catalogue")
    Catalogue(folder.parent).must("init", str(folder), *seed, *name, *words)
    return Catalogue(folder)


CELLS = ("maze", "rush-easy", "truck-default")  # of a small catalogue: all are read anew in each process of a command


def small(catalogue: Catalogue, *cells: str) -> Catalogue:
    """Asks for three levels of few cells (``cells``: games or cells), with few candidates."""
    text = (catalogue.root / "params.yaml").read_text()
    head, rest = text.split("\ncells:\n")
    kept = ""
    for game, tiers in re.findall(r"(?ms)^  (\w+):\n(.*?)(?=^  \w|\Z)", rest):
        blocks = re.findall(r"(?ms)^    (\w+):\n(.*?)(?=^    \w|\Z)", tiers)
        some = [(tier, block) for tier, block in blocks if {game, f"{game}-{tier}"} & {*(cells or CELLS)}]
        kept += f"  {game}:\n" * bool(some) + "".join(f"    {tier}:\n{block}" for tier, block in some)
    kept = kept.replace("count: 10", "count: 3").replace("limit: 100", "limit: 20")
    catalogue.commit(params_yaml=f"{head}\ncells:\n{kept}")
    return catalogue


# --- what many tests begin with: each is made once in a process, and copied ------------------------------------------


@functools.cache
def _template() -> Catalogue:
    folder = Path(tempfile.mkdtemp(prefix="lpb-gen-test-"))
    register(shutil.rmtree, folder, ignore_errors=True)
    catalogue = small(new(folder / "template"))
    catalogue.refresh()
    catalogue.must("pin", "v1")
    return catalogue


def pinned(target: Path) -> Catalogue:
    """A repository with one snapshot of three easy mazes, pinned as v1: a copy of one that is made once."""
    return _template().copy(target)


@functools.cache
def _refreshed(tier: str) -> tuple[Catalogue, dict[str, Any]]:
    catalogue = pinned(_template().root.with_name(f"refreshed {tier}"))
    return catalogue, catalogue.refresh(tier=tier)


def refreshed(target: Path, tier: str = "easy") -> Catalogue:
    """The same after a second refresh, of three mazes of a tier, which is not pinned; a copy as well."""
    return _refreshed(tier)[0].copy(target)


def told_of_refreshed(tier: str = "easy") -> dict[str, Any]:
    """What that second refresh printed."""
    return _refreshed(tier)[1]


class Retired(NamedTuple):
    """As ``pinned``; then the first of the levels was retired: with which words, and what that printed."""

    catalogue: Catalogue
    words: tuple[str, ...]
    told: dict[str, Any]


@functools.cache
def retirement() -> Retired:
    """Not to be changed: copy its catalogue."""
    catalogue = pinned(_template().root.with_name("retired"))
    first = json.loads(catalogue.levels["levels/maze/easy.jsonl"].partition(b"\n")[0])
    words = ("retire", first["id"][:8].upper(), "--reason", "leaked")
    return Retired(catalogue, words, json.loads(catalogue.must(*words, "--json")))


@functools.cache
def _grown() -> Catalogue:
    catalogue = retirement().catalogue.copy(_template().root.with_name("grown"))
    catalogue.refresh("--replace", "1", "--reason", "worn out")
    catalogue.must("pin", "v2")
    return catalogue


def grown(target: Path) -> Catalogue:
    """After that retirement one of the other levels was replaced, and pinned as v2. A copy."""
    return _grown().copy(target)


def rehearsed(target: Path) -> Catalogue:
    """As ``pinned``, but its next refresh of the easy mazes is quick: see ``rehearse``."""
    return rehearse(pinned(target))


def rehearse(catalogue: Catalogue) -> Catalogue:
    """Lets DVC remember what generate and verify make in the first refresh after v1, so that it puts that in place and
    does not run them: for what is about the steps around them. Freeze runs as ever."""
    shutil.copytree(_refreshed("easy")[0].root / ".dvc/cache", catalogue.root / ".dvc/cache", dirs_exist_ok=True)
    return catalogue
