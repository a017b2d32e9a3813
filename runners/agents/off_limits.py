"""What an agent's program must not be shown: folders of the machine, and levels and records, wherever they lie.

Catalogues, stores and records are known by what they are made of, and not by where a command happens to be given: a
snapshot may be read from anywhere (``pipeline.elsewhere``).
"""

from __future__ import annotations

import contextlib
import os
import pwd
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...pipeline.repository import MANIFEST

KERNEL = ("/proc", "/sys", "/dev", "/run")  # other processes, devices, sockets of services
EVERYBODYS = ("/etc", "/tmp", "/var/tmp", "/home", "/usr", "/usr/src", "/boot")
OF_CATALOGUE = ("catalogue", "build", "runs", ".git", ".dvc")  # of a catalogue's repository; agents may stand beside


def shared(folder: Path) -> str | None:
    """Why a folder can be nobody's own; None where it can."""
    real = folder.resolve()
    if any(real.is_relative_to(Path(place).resolve()) for place in KERNEL):
        return "it is the system's own"
    if any(home.is_relative_to(real) for home in (*_home(), Path(tempfile.gettempdir()).resolve())):
        return "it holds the files of much else, as a home or a temporary folder does"
    if real in [Path(place).resolve() for place in (*EVERYBODYS, *_home_of_root())]:
        return "it is the whole system's"
    return None


def _home() -> Sequence[Path]:
    """The user's; none where it is not known."""
    with contextlib.suppress(RuntimeError):
        return [Path.home().resolve()]
    return []


def _home_of_root() -> Sequence[str]:
    with contextlib.suppress(KeyError):  # a system without such an account
        return [pwd.getpwuid(0).pw_dir]
    return []


def holding(path: Path) -> Path | None:
    """The catalogue's part, the store or the record that ``path`` lies in; None where it lies in none."""
    real = path.resolve()
    for folder in (real, *real.parents):
        above = folder.parent
        if folder.name in OF_CATALOGUE and folder != above and _is_repository(above):
            return folder
        if folder != real and (_is_snapshot(folder) or _is_record(folder)):
            return folder
        if folder.name == "files" and _is_store(above):
            return above
    return None


def is_kept_away(folder: Path) -> bool:
    """Whether a folder is a catalogue's repository, a snapshot, a store, or the record of a run itself."""
    return _is_repository(folder) or _is_snapshot(folder) or _is_store(folder) or _is_record(folder)


def found_within(folder: Path) -> Sequence[Path]:
    """All of these below ``folder``, which is none of them; of records the folder that holds nothing else."""
    root = folder.resolve()
    found = set()
    for place in _walked(root):
        above = place.parent
        found.add(above if above != root and _holds_records_only(above) else place)
    return sorted(found)


def _holds_records_only(folder: Path) -> bool:
    return all(_is_record(place) for place in folder.iterdir() if place.is_dir())


def _walked(folder: Path) -> Iterator[Path]:
    for where, names, _ in os.walk(folder):  # not through links, which lead nowhere where they leave the folder
        away = {name for name in names if is_kept_away(Path(where, name))}
        yield from (Path(where, name) for name in away)
        names[:] = [name for name in names if name not in away]


def _is_repository(folder: Path) -> bool:
    return (folder / ".dvc").is_dir() or (folder / MANIFEST).is_file()


def _is_snapshot(folder: Path) -> bool:
    return (folder / "manifest.json").is_file() and (folder / "levels").is_dir()


def _is_store(folder: Path) -> bool:
    return (folder / "files" / "md5").is_dir()


def _is_record(folder: Path) -> bool:
    return (folder / "events.jsonl").is_file()
