"""``lpb-gen init``: a new catalogue repository, whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..games.base import LpbError
from .files import current_umask
from .params_file import edit_params, read_params
from .pipeline_file import render_pipeline
from .repository import PARAMS, PIPELINE, GitFailed, Repository, complaint, git_toplevel, require_identity, run_git

# files of the template (named without a dot, so that packaging takes them) -> where they belong
TEMPLATE = {
    "params.yaml": PARAMS,
    "gitignore": ".gitignore",
    "gitattributes": ".gitattributes",
    "dvcignore": ".dvcignore",
    "dvc-config": ".dvc/config",
    "dvc-gitignore": ".dvc/.gitignore",
    "readme.md": "README.md",
}


class CannotInit(LpbError):
    """The folder cannot become a catalogue repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What ``lpb-gen init`` was told beside the folder; ``seed`` is the root of all randomness, ``name``: else the
    folder's, ``remote`` a folder or a URL that DVC understands."""

    seed: int
    name: str | None = None
    remote: str | None = None


def template_text(name: str) -> str:
    return (files(__package__) / "template" / name).read_text("utf-8")


def init(folder: Path, choices: Choices) -> Repository:
    """Makes ``folder`` a Git and DVC repository with one commit. Raises CannotInit, NoIdentity, LpbError."""
    folder = folder.absolute()
    _require_free(folder)
    require_identity(_existing(folder))
    texts = {place: template_text(name) for name, place in TEMPLATE.items()}
    chosen: dict[tuple[str, ...], Any] = {("name",): choices.name or folder.name, ("seed",): choices.seed}
    texts[PARAMS] = edit_params(texts[PARAMS], chosen)
    texts[PIPELINE] = render_pipeline(read_params(texts[PARAMS]))
    if choices.remote is not None:
        texts[".dvc/config"] += _remote_settings(choices.remote)
    there = folder.is_dir()
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder if there else folder.parent, prefix=f".{folder.name}."))
    try:
        made.chmod(0o777 & ~current_umask())
        for place, text in texts.items():
            (made / place).parent.mkdir(parents=True, exist_ok=True)
            (made / place).write_text(text, encoding="utf-8", newline="\n")
        for words in (
            ("init", "--quiet", "--initial-branch", "main"),
            ("add", "--", *texts),
            ("commit", "--quiet", "--message", "A new catalogue of puzzle levels"),
        ):
            done = run_git(made, *words)
            if done.returncode != 0:
                raise GitFailed(complaint(done.stderr), where=f"git {words[0]}")
        if there:
            _fill(folder, made)
        else:
            made.rename(folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return Repository(folder)


def _fill(folder: Path, made: Path) -> None:
    """Moves everything in ``made`` into ``folder``, which stays the folder that it is: a shell may be in it, or a
    volume mounted on it. Git's own folder comes last, so that it is no repository before it is whole."""
    moved: list[Path] = []
    try:
        for path in sorted(made.iterdir(), key=lambda path: (path.name == ".git", path.name)):
            moved.append(folder / path.name)
            path.rename(moved[-1])
        made.rmdir()
    except BaseException:
        for path in moved:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        raise


def _require_free(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise CannotInit("there is a file of that name", where=str(folder), fix="choose another folder")
    if folder.is_dir() and any(folder.iterdir()):
        if (folder / ".dvc").is_dir():
            raise CannotInit(
                "this is a catalogue repository already", where=str(folder), fix="go on with lpb-gen refresh"
            )
        raise CannotInit("the folder is not empty", where=str(folder), fix="choose a new or an empty one")
    near = _existing(folder)
    top = git_toplevel(near)
    if top is not None and run_git(near, "check-ignore", "--quiet", str(folder)).returncode != 0:
        raise CannotInit(
            f"it would lie inside the Git repository {top}",
            where=str(folder),
            fix=f"choose a folder outside, or add it to {top / '.gitignore'} first",
        )


def _existing(folder: Path) -> Path:
    """The folder itself, or the nearest one above it that exists."""
    return next(place for place in (folder, *folder.parents) if place.is_dir())


def _remote_settings(remote: str) -> str:
    """The part of .dvc/config that names the remote; a folder becomes an absolute path."""
    if "://" not in remote:
        path = Path(os.path.expanduser(remote)).absolute()
        if path.exists() and not path.is_dir():
            raise CannotInit("the remote is a file", where=str(path), fix="name a folder or a URL: --remote s3://…")
        remote = str(path)
    if any(character in remote for character in "\n\r\"'#;"):
        raise CannotInit(f"{remote!r} cannot be written into .dvc/config", where="--remote", fix="use dvc remote add")
    return f"    remote = store\n['remote \"store\"']\n    url = {remote}\n"
