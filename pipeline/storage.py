"""DVC's side of a catalogue: its settings, its cache of objects by md5, its remote, and DVC itself as a subprocess.

Reading an object needs no DVC; fetching one from the remote starts it. DVC trusts what its cache and its remote hold,
so whoever reads here compares with the manifest's sha256 afterwards.
"""

from __future__ import annotations

import configparser
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from ..games.base import LpbError
from .files import whole_folder, write_inside, write_whole
from .repository import LEVELS, LOCK, Repository, git_environment

_CHECK_REMOTE = "check the remote (dvc remote list) and run the command again"


class StorageFailed(LpbError):
    """DVC could not do what was asked of it; the message is DVC's own."""


class StorageUnreachable(StorageFailed):
    """The DVC remote did not answer, or refused."""


class MissingObject(LpbError):
    """A level file that is neither in the cache nor in the remote."""


class Busy(LpbError):
    """Another process works in this repository."""


# --- settings ---------------------------------------------------------------------------------------------------------


def _settings(repository: Repository) -> configparser.ConfigParser:
    """.dvc/config and, over it, .dvc/config.local."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read([repository.root / ".dvc" / name for name in ("config", "config.local")], encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError) as error:
        line = str(error).splitlines()[0]
        raise StorageFailed(f"not a DVC configuration: {line}", where=".dvc/config", fix="correct it") from None
    return parser


def default_remote(repository: Repository) -> str | None:
    """The name of the remote that ``dvc push`` and ``dvc pull`` use, or None where there is none."""
    return _settings(repository).get("core", "remote", fallback="").strip("\"'") or None


def folder_of_remote(repository: Repository) -> Path | None:
    """The folder of the default remote, or None where it is no folder of this machine."""
    url = _settings(repository).get(f"'remote \"{default_remote(repository)}\"'", "url", fallback="").strip("\"'")
    return (repository.root / ".dvc" / url).resolve() if url and "://" not in url else None


def cache_folder(repository: Repository) -> Path:
    chosen = _settings(repository).get("cache", "dir", fallback="cache").strip("\"'")
    return (repository.root / ".dvc" / chosen).resolve()


# --- the cache --------------------------------------------------------------------------------------------------------


class Objects:
    """The objects of a DVC cache, named by the md5 of their bytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, md5: str) -> Path:
        """Where an object lies; ``md5`` is a name as ``is_object`` knows it."""
        return self.folder / "files" / "md5" / md5[:2] / md5[2:]

    def read(self, md5: str) -> bytes | None:
        """The bytes under that name, unchecked, or None. Of a name from elsewhere that is no object's, and might lead
        out of the folder, there are none."""
        if not is_object(md5):
            return None
        try:
            return self.path(md5).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def keep(self, data: bytes, suffix: str = "") -> str:
        """Stores ``data`` unless it is there, and returns its name. A damaged object of that name is replaced."""
        md5 = md5_of(data) + suffix
        if self.read(md5) != data:
            target = self.path(md5)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_whole(target, data)
            target.chmod(0o444)  # as DVC protects its own
        return md5

    def drop_damaged(self, md5: str) -> bool:
        """Deletes an object whose bytes do not have the md5 of its name; True where it did."""
        data = self.read(md5)
        if data is None or md5_of(data) == md5.removesuffix(".dir"):
            return False
        self.path(md5).unlink()
        return True

    def listing(self, md5: str) -> dict[str, str] | None:
        """The files of a folder object, path -> md5, or None where it is missing or damaged."""
        data = self.read(md5)
        return None if data is None else listing_of(data, md5)

    def listings(self) -> Iterator[tuple[str, dict[str, str]]]:
        """The name and the files of every folder object that is whole."""
        for path in sorted((self.folder / "files" / "md5").glob("??/*.dir")):
            name = path.parent.name + path.name
            listed = self.listing(name)
            if listed is not None:
                yield name, listed

    def keep_folder(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """Stores files and the folder object that lists them, byte for byte as DVC does; returns them all by their
        names, the folder object last."""
        kept = {path: (self.keep(data), data) for path, data in sorted(files.items())}
        listing = json.dumps([{"md5": md5, "relpath": path} for path, (md5, _) in kept.items()], sort_keys=True)
        return {**dict(kept.values()), self.keep(listing.encode(), ".dir"): listing.encode()}


def is_object(name: object) -> bool:
    """Whether that is how DVC names an object: 32 hexadecimal digits, and ".dir" for a folder's."""
    return isinstance(name, str) and re.fullmatch(r"[0-9a-f]{32}(\.dir)?", name) is not None


def md5_of(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def listing_of(data: bytes, md5: str) -> dict[str, str] | None:
    """The files that a folder object lists, path -> md5, or None where it is damaged, or lists what no object can be
    called. ``md5``: its name."""
    if md5_of(data) != md5.removesuffix(".dir"):
        return None
    try:
        listing = {entry["relpath"]: entry["md5"] for entry in json.loads(data)}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return listing if all(isinstance(path, str) and is_object(listing[path]) for path in listing) else None


def levels_object(repository: Repository, revision: str) -> str | None:
    """The name of the folder object that dvc.lock gives for the level files at a revision, or None."""
    return locked_outs(repository.blob(revision, LOCK) or b"").get(LEVELS)


@lru_cache(maxsize=8)  # one command asks for the same revision's several times, and YAML is slow
def locked_outs(text: bytes) -> Mapping[str, str]:
    """What a dvc.lock says that the stages have made: path -> md5. Empty where it is none."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        stages = YAML(typ="safe", pure=True).load(text)["stages"].values()
        return {str(out["path"]): str(out["md5"]) for stage in stages for out in stage["outs"]}
    except (YAMLError, KeyError, TypeError, AttributeError, UnicodeDecodeError):
        return {}


# --- DVC itself -------------------------------------------------------------------------------------------------------


def dvc_environment(**extra: str) -> dict[str, str]:
    """The environment for DVC: no analytics, and our own ``lpb-gen`` first on the path of its stages."""
    here = os.path.dirname(sys.executable)
    path = os.pathsep.join([here, os.environ.get("PATH", os.defpath)])
    return {**git_environment(), "PATH": path, "DVC_NO_ANALYTICS": "1", "PYTHONUNBUFFERED": "1", **extra}


def run_dvc(repository: Repository, *words: str) -> subprocess.CompletedProcess[str]:
    return _run("dvc", *words, cwd=repository.root)


def transfer(*words: str, paths: Sequence[str] = ()) -> None:
    """``transfer.py`` with these words; ``paths``: what it reads. Raises StorageUnreachable."""
    done = _run(f"{__package__}.transfer", *words, said="\n".join(paths))
    if done.returncode != 0:
        lines = [line for line in done.stdout.splitlines() if line.startswith("ERROR: ")] or done.stdout.splitlines()
        told = (lines or ["no message"])[-1].removeprefix("ERROR: ")
        raise StorageUnreachable(
            f"the store cannot be used: {shown(told)[:300]}", where=shown(words[-2]), fix=_fix_of(told)
        )


def _run(module: str, *words: str, cwd: Path | None = None, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=cwd,
        input=said,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=dvc_environment(),
    )


def shown(reference: str) -> str:
    """A URL, or a line with one, without the password or token that it may have: for messages and records."""
    hidden = re.sub(r"(https?://)[^/@#\s]+@", r"\1…@", reference)
    return re.sub(r"(://[^/@:#\s]*):[^/@#\s]+@", r"\1:…@", hidden)


def forget_broken_lock(repository: Repository) -> None:
    """Deletes DVC's table of locked paths where processes that were killed have left it: half written, or with no other
    owner than dead ones. DVC itself would refuse to work for as long as a dead one is a zombie."""
    table = repository.root / ".dvc" / "tmp" / "rwlock"
    try:
        held = json.loads(table.read_bytes())
        owners = [*held.get("write", {}).values(), *(one for many in held.get("read", {}).values() for one in many)]
        broken = not any(_works(owner["pid"]) for owner in owners)
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError, AttributeError):
        broken = True
    if broken:
        table.unlink(missing_ok=True)


def _works(pid: int) -> bool:
    """Whether a process of that id exists and is not a zombie."""
    import psutil

    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _fix_of(told: str) -> str:
    """What helps where the remote cannot be used: the extra of DVC that it wants, if that is it."""
    extra = re.search(r"requires 'dvc-(\w+)'", told)
    return f"pip install 'dvc[{extra[1]}]'" if extra else _CHECK_REMOTE


def dvc_complaint(output: str) -> LpbError:
    """DVC's output of a failed command as one error: Busy, StorageUnreachable or StorageFailed."""
    if "Unable to acquire lock" in output or "is busy, it is being blocked by" in output:
        return Busy("another DVC command works in this repository", fix="wait for it to end and run the command again")
    if any(sign in output for sign in ("No space left on device", "disk I/O error", "database or disk is full")):
        return StorageFailed("it cannot write to the disk", where="dvc", fix="free some space and run it again")
    if "No storage files available" in output or "failed to load directory" in output:
        return StorageUnreachable("the DVC remote does not have the levels, or cannot be reached", where="dvc")
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    told = errors[-1] if errors else (lines[-1] if lines else "no message")
    told = shown(told.removeprefix("unexpected error - "))
    if "failed to transfer" in output:  # the last error counts the files, the first says why
        return StorageUnreachable(f"{told} ({errors[0].split(' - ', 1)[-1]})"[:300], where="dvc", fix=_CHECK_REMOTE)
    if "requires 'dvc-" in output or "credentials" in output:
        return StorageUnreachable(told[:300], where="dvc", fix=_fix_of(told))
    return StorageFailed(told[:300], where="dvc")


def fetch_levels(repository: Repository, revision: str) -> dict[str, bytes]:
    """The level files of a revision from the cache or the remote, path -> bytes, unchecked.

    They come through a temporary folder: DVC leaves part of a folder behind when an object is missing. Raises
    StorageFailed, StorageUnreachable."""
    with tempfile.TemporaryDirectory(prefix="lpb-gen-") as folder:
        out = Path(folder, "levels")
        words = ["get", ".", LEVELS, "--rev", revision, "--out", str(out)]
        remote = default_remote(repository)
        done = run_dvc(repository, *words, *(["--remote", remote] if remote else []))  # today's, not the revision's
        if done.returncode != 0:
            raise dvc_complaint(done.stdout)
        return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def replace_folder(target: Path, files: Mapping[str, bytes]) -> None:
    """Makes ``target`` hold exactly ``files``: written under a temporary name beside it, then renamed."""
    with whole_folder(target) as fresh:
        for path, data in files.items():
            write_inside(fresh, path, data)
            with open(fresh / path, "rb") as file:
                os.fsync(file.fileno())
