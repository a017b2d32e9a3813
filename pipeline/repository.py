"""A catalogue repository seen from Git: where it is, what a revision holds, what is uncommitted, who commits.

Git runs as a subprocess; nothing here knows of DVC's storage or of levels.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..games.base import LpbError

PARAMS, PIPELINE, LOCK, MANIFEST, LEVELS, PINS = (
    "params.yaml",
    "dvc.yaml",
    "dvc.lock",
    "catalogue/manifest.json",
    "catalogue/levels",
    "pins.json",
)
TAG_PREFIX = "catalogue@"


class NotARepository(LpbError):
    """The folder is not (the top of) a Git and DVC repository."""


class NoIdentity(LpbError):
    """Git does not know who commits."""


class DirtyWorkTree(LpbError):
    """Files that a command would overwrite or commit have changes that are not committed."""


class ShallowClone(LpbError):
    """The history that a command needs was cut off when the repository was cloned."""


class NoGit(LpbError):
    """Git is not installed."""


class GitFailed(LpbError):
    """A Git command failed; the message is Git's own."""


# what Git sets for a hook's commands; with it they would work in the hook's repository, whatever folder they name
_ELSEWHERE = frozenset(
    f"GIT_{name}"
    for name in (
        "DIR",
        "WORK_TREE",
        "INDEX_FILE",
        "OBJECT_DIRECTORY",
        "ALTERNATE_OBJECT_DIRECTORIES",
        "COMMON_DIR",
        "NAMESPACE",
        "PREFIX",
    )
)


def git_environment() -> dict[str, str]:
    """Our environment, without what would lead Git away from the folder that it is told."""
    return {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}


def run_git(folder: Path, *words: str, most_bytes: int | None = None) -> subprocess.CompletedProcess[bytes]:
    """``git -C folder words``; ``most_bytes``: a file that grows beyond ends it. Raises NoGit."""
    # the shell's limit, counted in blocks of 512 bytes, holds for whatever Git starts; Git itself has none for a fetch
    limit = ["sh", "-c", 'ulimit -f "$0" && exec "$@"', str(most_bytes // 512)] if most_bytes is not None else []
    try:
        return subprocess.run(
            [*limit, "git", "-C", str(folder), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**git_environment(), "LC_ALL": "C"},  # its messages are read below
        )
    except FileNotFoundError:
        raise NoGit("git is not installed", fix="install Git, a catalogue's history lives in it") from None


def complaint(output: bytes) -> str:
    """The line of Git's standard error that says what went wrong."""
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines
    return told[0].removeprefix("fatal: ").removeprefix("error: ") if told else "no message"


def git_toplevel(folder: Path) -> Path | None:
    """The top of the Git work tree that ``folder`` lies in, or None."""
    found = run_git(folder, "rev-parse", "--show-toplevel")
    if found.returncode == 0:
        return Path(os.fsdecode(found.stdout.rstrip(b"\n")))
    if b"dubious ownership" in found.stderr:
        raise NotARepository(
            complaint(found.stderr), fix=f"if you trust it: git config --global --add safe.directory {folder.resolve()}"
        )
    return None


def require_identity(folder: Path) -> None:
    """Raises NoIdentity where a commit made in ``folder`` would have no author of the user's own choice."""
    for ident in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        if run_git(folder, "-c", "user.useConfigOnly=true", "var", ident).returncode != 0:
            raise NoIdentity(
                "Git does not know who commits",
                fix='run: git config --global user.name "Your Name"; git config --global user.email you@example.org',
            )


def _git_works_in(root: Path) -> bool:
    import psutil

    for process in psutil.process_iter(["name", "cwd", "status"]):
        cwd = process.info["cwd"]
        alive = process.info["status"] != psutil.STATUS_ZOMBIE
        if alive and (process.info["name"] or "").startswith("git") and cwd and Path(cwd).is_relative_to(root):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Repository:
    """``root``: the top of a Git work tree that is a DVC repository too."""

    root: Path

    @classmethod
    def find(cls, start: Path) -> Repository:
        """The repository that ``start`` lies in. Raises NotARepository."""
        if not start.is_dir():
            raise NotARepository("there is no such folder", where=str(start))
        top = git_toplevel(start)
        make = "go into a catalogue repository, or make one: lpb-gen init DIR"
        if top is None:
            raise NotARepository("not in a Git repository", where=str(start), fix=make)
        if (top / ".dvc").is_dir():
            return cls(top)
        for folder in (start.resolve(), *start.resolve().parents):
            if (folder / ".dvc").is_dir() and top in folder.parents:
                raise NotARepository(
                    f"this catalogue is a sub-folder of the Git repository {top}",
                    where=str(folder),
                    fix="a catalogue needs a Git repository of its own: lpb-gen init DIR",
                )
        raise NotARepository("a Git repository, but not a catalogue (no .dvc folder)", where=str(top), fix=make)

    @property
    def workspace(self) -> Path:
        """A folder of our own inside the repository that neither Git nor DVC looks at; it may not exist yet."""
        return self.root / ".dvc" / "tmp" / "lpb-gen"

    @property
    def journal(self) -> Path:
        """Exists while a refresh or a pin changes the work tree, and after one was cut off."""
        return self.workspace / "journal.json"

    # --- reading ------------------------------------------------------------------------------------------------------

    def git(self, *words: str) -> str:
        """What the Git command prints. Raises GitFailed."""
        done = run_git(self.root, *words)
        if done.returncode != 0:
            raise GitFailed(complaint(done.stderr), where=f"git {words[0]}")
        return done.stdout.decode("utf-8", "replace").strip()

    def commit_of(self, revision: str) -> str | None:
        """The full id of the commit that ``revision`` names, or None."""
        if revision.startswith("-"):
            return None
        found = run_git(self.root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        return found.stdout.decode().strip() if found.returncode == 0 else None

    def blob(self, revision: str, path: str) -> bytes | None:
        """The bytes of a file at a revision, or None where that revision has no such file."""
        found = run_git(self.root, "cat-file", "blob", f"{revision}:{path}")
        return found.stdout if found.returncode == 0 else None

    def snapshot_commit(self, revision: str = "HEAD") -> str | None:
        """The commit that made the snapshot which ``revision`` holds, or None where it holds none."""
        if self.commit_of(revision) is None or self.blob(revision, MANIFEST) is None:
            return None
        return self.git("rev-list", "--max-count=1", revision, "--", MANIFEST) or None

    def date_of(self, commit: str) -> str:
        """The day of a commit, as 2026-12-31."""
        return self.git("-c", "log.showSignature=false", "show", "--no-patch", "--format=%cs", commit)

    def tags(self) -> list[str]:
        """Names of the pins' tags, without the prefix, oldest first."""
        words = ("for-each-ref", "--sort=creatordate", "--format=%(refname:lstrip=2)", f"refs/tags/{TAG_PREFIX}*")
        listed = self.git(*words).splitlines()
        return [tag.removeprefix(TAG_PREFIX) for tag in listed]

    def is_shallow(self) -> bool:
        return self.git("rev-parse", "--is-shallow-repository") == "true"

    def changed(self, *paths: str) -> list[str]:
        """Those of ``paths`` (or files below them) that differ from HEAD or that Git does not know."""
        listed = self.git("status", "--porcelain", "--untracked-files=all", "--", *paths)
        return [line.strip().split(maxsplit=1)[-1] for line in listed.splitlines()]

    # --- checks before work -------------------------------------------------------------------------------------------

    def require_ready(self, paths: Sequence[str]) -> None:
        """Raises NoIdentity, ShallowClone or DirtyWorkTree: whatever would spoil a commit of ``paths`` later."""
        require_identity(self.root)
        if self.is_shallow():
            raise ShallowClone("this is a shallow clone", where=str(self.root), fix="run: git fetch --unshallow --tags")
        git_dir = self.root / self.git("rev-parse", "--git-dir")
        for marker, what in (("MERGE_HEAD", "merge"), ("rebase-merge", "rebase"), ("rebase-apply", "rebase")):
            if (git_dir / marker).exists():
                raise DirtyWorkTree(f"a {what} is under way", where=str(self.root), fix="finish or abort it first")
        changed = self.changed(*paths)
        if changed:
            drop = "lpb-gen restore HEAD" if changed == [MANIFEST] else f"git checkout HEAD {' '.join(changed)}"
            raise DirtyWorkTree(
                f"{', '.join(changed)}: changes that are not committed",
                where=str(self.root),
                fix=f"commit them, or drop them ({drop}), and run the command again",
            )

    # --- writing ------------------------------------------------------------------------------------------------------

    def commit(self, paths: Sequence[str], message: str) -> str:
        """Commits ``paths`` and nothing else that may be staged; returns the commit's id. Raises GitFailed."""
        self.git("add", "--", *paths)
        self.git("commit", "--quiet", "--message", message, "--only", "--", *paths)
        return self.git("rev-parse", "HEAD")

    def forget_stale_locks(self) -> None:
        """Deletes the lock files that a Git which was killed has left, and without which no other would start. For the
        holder of the repository's lock; does nothing while some Git works here."""
        if _git_works_in(self.root):
            return
        git_dir = self.root / self.git("rev-parse", "--git-dir")
        for lock in (*git_dir.glob("*.lock"), *(git_dir / "refs").rglob("*.lock")):
            lock.unlink(missing_ok=True)

    def put_back(self, paths: Sequence[str]) -> None:
        """Makes ``paths`` what HEAD says of them; a file that HEAD does not have is deleted."""
        for path in paths:
            if self.blob("HEAD", path) is not None:
                self.git("checkout", "--quiet", "HEAD", "--", path)
            else:
                self.git("rm", "--quiet", "--cached", "--ignore-unmatch", "--", path)
                (self.root / path).unlink(missing_ok=True)
