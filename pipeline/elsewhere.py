"""Snapshots that are not in the repository at hand: another repository, by its folder or a Git URL, or a DVC store.

    https://example.org/levels.git#v2026.12.0      a Git URL; a tag, a branch or a commit after "#", else its newest
    ../other-catalogue#v2026.12.0                  another repository on this machine
    /srv/store#v2026.12.0                          the folder of a DVC store
    s3://bucket/levels#v2026.12.0                  a DVC store; dvc+https:// and dvc+ssh:// where Git could be meant

A Git URL is cloned once, without levels, below the user's cache folder. A pin never moves: one that the clone has is
read without asking the network; everything else is fetched first. The other side is a stranger: a fetch ends at
``MOST_BYTES``, and of its files only DVC's settings are written out.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ..games.base import LpbError
from .repository import MANIFEST, TAG_PREFIX, NotARepository, Repository, complaint, run_git
from .revisions import Pin, UnknownSnapshot, resolve
from .storage import StorageUnreachable, shown

STORES = ("s3", "gs", "azure", "gdrive", "oss", "hdfs", "webhdfs", "webdav", "webdavs")
GITS = ("http", "https", "ssh", "git", "file")
_REACHING_OUT = (
    "configpath",
    "credentialpath",
    "keyfile",
    "cert_path",
    "key_path",
    "gdrive_user_credentials_file",
    "gdrive_service_account_json_file_path",
)
MOST_BYTES = 2**30  # of one fetch: a catalogue's history has no levels, and is a few MB
BRANCHES = ("main", "master")  # the first that is there stands for a HEAD that names a branch which is not
_BRANCHES, _HEAD = "+refs/heads/*:refs/heads/*", "+HEAD:refs/lpb-gen/head"
_TAGS = f"refs/tags/{TAG_PREFIX}*:refs/tags/{TAG_PREFIX}*"  # without "+": what came first is never overwritten


@dataclass(frozen=True, slots=True)
class InRepository:
    """A snapshot of a Git repository elsewhere. ``place``: a work tree's folder or a Git URL; ``revision``: a tag,
    branch or commit."""

    place: Path | str
    revision: str


@dataclass(frozen=True, slots=True)
class InStore:
    """A snapshot of a DVC store. ``store``: a folder, or a URL that DVC understands; ``name``: a pin's tag, or
    "sha256:" and the manifest's sha256; empty where none was given."""

    store: Path | str
    name: str


def locate(reference: str, base: Path) -> InRepository | InStore | None:
    """Where a reference leads, if it is not to the repository at hand. ``base``: what relative folders start from.
    Raises UnknownSnapshot for a URL that neither Git nor DVC would take."""
    place, _, name = reference.partition("#")
    scheme = re.match(r"([a-z][a-z0-9+.-]*)://", place)
    if scheme is None:
        if re.match(r"[\w.-]+@[\w.-]+:[^:]", place):  # git@host:owner/levels.git
            return InRepository(place, name or "HEAD")
        return _local(base / place, name) if place else None
    kind = scheme[1]
    if kind.startswith("dvc+") or kind in STORES:
        url = place.removeprefix("dvc+")
        return InStore(Path(url.removeprefix("file://")) if url.startswith("file://") else url.rstrip("/"), name)
    if kind.removeprefix("git+") in GITS:
        url = place.removeprefix("git+")
        local = _local(Path(url.removeprefix("file://")), name) if url.startswith("file://") else None
        return local or InRepository(url, name or "HEAD")
    fix = "Git: https, ssh, file; DVC stores: s3, gs, azure, webdav, dvc+https, dvc+ssh"
    raise UnknownSnapshot(f"no snapshot can be read from {kind}://", where=shown(reference), fix=fix)


def _local(folder: Path, name: str) -> InRepository | InStore | None:
    if not folder.is_dir():
        return None
    if (folder / "files" / "md5").is_dir():
        return InStore(folder, name)
    if (folder / "HEAD").is_file() and (folder / "objects").is_dir():  # a bare repository
        return InRepository(str(folder.resolve()), name or "HEAD")
    return InRepository(folder, name or "HEAD") if name or (folder / ".git").exists() else None


def open_repository(found: InRepository) -> tuple[Repository, Pin]:
    """The repository, a clone where it is not a folder, and the snapshot's pin. Raises as ``revisions.resolve`` does,
    StorageUnreachable where Git cannot fetch it, NotARepository."""
    if isinstance(found.place, Path):
        repository = Repository.find(found.place)
        return repository, resolve(repository, found.revision)
    with _clone(found.place, found.revision) as repository:
        try:
            pin = resolve(repository, found.revision)
            _require_harmless(repository, str(pin.commit), found.place)
            return repository, pin
        except UnknownSnapshot:
            tags = repository.tags()
            listed = f"its tags are {', '.join(tags)}" if tags else "it has no pinned snapshot"
            what = f"no snapshot {found.revision!r}; {listed}"
            raise UnknownSnapshot(what, where=shown(found.place), fix="name one after '#'") from None


def user_cache() -> Path:
    """The folder for copies of what is elsewhere; it may be deleted at any time. LPB_CACHE_DIR names another one."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.environ.get("LPB_CACHE_DIR") or Path(home, "lpb-gen")).expanduser()


def cache_key(url: str) -> str:
    return sha256(url.encode()).hexdigest()[:20]


def _settings(url: str) -> tuple[tuple[str, str], ...]:
    return (
        ("remote.origin.url", url),
        ("core.symlinks", "false"),
        ("core.hooksPath", os.devnull),
        ("fetch.unpackLimit", "1"),  # all of a fetch in one file, whose size is limited
        ("gc.auto", "0"),
    )


@contextmanager
def _clone(url: str, revision: str) -> Iterator[Repository]:
    """A clone that has ``revision`` if the other repository has it; no other process changes it meanwhile."""
    folder = user_cache() / "git" / cache_key(url)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_name(f"{folder.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        repository = Repository(folder)
        if not (folder / ".dvc" / "config.local").is_file():  # none yet, or one that was cut off
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            _git(url, folder, "init", "--quiet")
            for setting in _settings(url):
                _git(url, folder, "config", *setting)
            _fetch(url, folder)
        elif not _has(repository, revision):
            _fetch(url, folder)
        yield repository


def _has(repository: Repository, revision: str) -> bool:
    """Whether the clone has something that never changes under that name: a pin or a whole commit id."""
    tag = revision.removeprefix("refs/tags/").removeprefix(TAG_PREFIX)
    whole = re.fullmatch(r"[0-9a-f]{40}", revision) is not None
    return repository.commit_of(revision if whole else f"refs/tags/{TAG_PREFIX}{tag}") is not None


def _fetch(url: str, folder: Path) -> None:
    done = _get(url, folder, "--quiet", "--no-tags", "--prune", "--update-head-ok", "origin", _BRANCHES)
    if done.returncode == 0:
        done = _get(url, folder, "--quiet", "--no-tags", "--update-head-ok", "origin", _HEAD)
        if b"couldn't find remote ref HEAD" in done.stderr:
            done = _stand_in(url, folder)
    if done.returncode != 0:
        fix = "check the address and the network; a DVC store is written dvc+https://…"
        raise StorageUnreachable(f"Git cannot read it: {shown(complaint(done.stderr))}", where=shown(url), fix=fix)
    tags = _get(url, folder, "--no-tags", "origin", _TAGS)  # not --quiet: that keeps back why a tag is refused
    if tags.returncode != 0 and b"would clobber existing tag" not in tags.stderr:
        raise StorageUnreachable(
            f"Git cannot read it: {shown(complaint(tags.stderr))}", where=shown(url), fix="run it again"
        )
    head = Repository(folder)
    _require_harmless(head, "refs/lpb-gen/head", url)
    if head.blob("refs/lpb-gen/head", ".dvc/config") is None:
        where_else = head.blob("refs/lpb-gen/head", MANIFEST) is not None
        what = "no DVC store is configured in it" if where_else else "not a catalogue (no .dvc folder at its top)"
        raise NotARepository(what, where=shown(url), fix="name the repository that lpb-gen init has made")
    _git(url, folder, "update-ref", "--no-deref", "HEAD", "refs/lpb-gen/head")
    # not the whole tree: a small one can stand for any number of files, and DVC reads the others from Git
    _git(url, folder, "checkout", "--quiet", "--force", "HEAD", "--", ".dvc/config")
    # last: it says that the clone is whole. Whatever the other repository configures, objects are kept in the clone
    (folder / ".dvc" / "config.local").write_text("[cache]\n    dir = cache\n")


def _get(url: str, folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """``git fetch``. Raises StorageUnreachable where that is more than MOST_BYTES."""
    done = run_git(folder, "fetch", *words, most_bytes=MOST_BYTES)
    if done.returncode != 0:
        parts = {part: part.stat().st_size for part in (folder / ".git" / "objects" / "pack").glob("tmp_*")}
        for part in parts:
            part.unlink()
        if any(size >= MOST_BYTES // 512 * 512 for size in parts.values()):  # Git does not say what ended it
            what = f"more than {MOST_BYTES >> 20} MiB of history, which is no catalogue's: levels are not in Git"
            fix = "if you trust it, clone it and read the snapshot there"
            raise StorageUnreachable(what, where=shown(url), fix=fix)
    return done


def _stand_in(url: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Where the other side's HEAD names a branch that it has not, as that of a new bare repository to which another one
    was pushed does: its branch, if it has one of BRANCHES or one only. Raises UnknownSnapshot."""
    listed = run_git(folder, "for-each-ref", "--format=%(refname:short)", "refs/heads/").stdout.decode().split()
    found = next((name for name in BRANCHES if name in listed), listed[0] if len(listed) == 1 else None)
    if found is None:
        what = f"its HEAD names a branch that it has not; it has {', '.join(listed) or 'none'}"
        fix = "set it there: git symbolic-ref HEAD refs/heads/BRANCH"
        raise UnknownSnapshot(what, where=shown(url), fix=fix)
    return run_git(folder, "update-ref", "refs/lpb-gen/head", f"refs/heads/{found}")


def _require_harmless(repository: Repository, revision: str, url: str) -> None:
    """DVC would obey the other repository's settings. Of its remotes they may say where they are, not which files of
    this machine to open as credentials, keys or profiles: an AWS profile can name a command to run. Raises
    StorageUnreachable."""
    for path in (".dvc/config", ".dvc/config.local"):
        text = (repository.blob(revision, path) or b"").decode("utf-8", "replace")
        for line in text.splitlines():
            name = line.partition("=")[0].strip().strip("\"'").lower()
            if name in _REACHING_OUT:
                what = f"its {path} sets {name}, which only a repository of your own may"
                fix = "clone it, look at that file, and read the snapshot there"
                raise StorageUnreachable(what, where=shown(url), fix=fix)


def _git(url: str, folder: Path, *words: str) -> None:
    done = run_git(folder, *words)
    if done.returncode != 0:
        raise LpbError(shown(complaint(done.stderr)), where=f"git {words[0]}, in the clone of {shown(url)}")
