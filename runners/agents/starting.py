"""How an agent's program is started: from the words of the command line to an argument list, a folder, an environment
and an isolation.

Options of ours (``--agent-option KEY=VALUE``); all others are handed to the program as they are:

    name=TEXT          what the agent is called in records and tables
    folder=PATH        the agent's own folder: where it runs, and what it sees under isolation
    isolate=yes|auto|no
    network=yes|no     under isolation: share this machine's network
    env=A,B            environment variables that it gets, by name
    mount=PATH,PATH    what else it sees under isolation, read-only
    python=PATH        which Python hosts a class
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast, get_args

from ...games.base import LpbError
from ...pipeline.elsewhere import user_cache
from ..isolation import PLAIN, Isolate, Isolation, is_system, isolation
from .off_limits import OF_CATALOGUE, found_within, holding, is_kept_away, shared

OURS = ("name", "folder", "isolate", "network", "env", "mount", "python")
SECRET = re.compile(r"key|token|secret|password|credential", re.IGNORECASE)
HOST = "/tmp/lpb-host.py"  # where a class's host stands under isolation
PACKAGE = Path(__file__).parents[2]
# of this package and of the folder where the command is given, which may be a catalogue's
OF_PACKAGE = ("games", "generators", "verifiers", "pipeline", "runners", "tests", "catalogue", "build", ".git", ".dvc")
OWN_FOLDER = "put the agent into a folder of its own and name that with --agent-option folder=PATH"


class UnusableProgram(LpbError):
    """A program that cannot be started, or an option that it cannot be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """``environment``: what the program gets besides the plain one, by name; None: the runner's own, whole. ``path``:
    PATH outside of isolation. ``given``: the options that are the program's; ``files``: their sha256."""

    name: str
    argv: tuple[str, ...]
    folder: Path
    isolation: Isolation
    environment: Mapping[str, str] | None
    path: str
    given: Mapping[str, str]
    files: Mapping[str, str]
    seed: int = 0

    def environment_with(self, home: str | None) -> dict[str, str]:
        """``home``: where there is no isolation, which has one of its own."""
        outside = {} if home is None else {"HOME": home, "TMPDIR": home, "PATH": self.path}
        return PLAIN | outside | dict(self.environment or {})

    def describe(self) -> dict[str, Any]:
        """For the manifest; no value of an environment variable, and none of an option that sounds like a secret."""
        return {
            "command": _redacted(self.argv),
            "files": dict(self.files),
            "options": {key: "…" if SECRET.search(key) else value for key, value in self.given.items()},
            "environment": "inherited" if self.environment is None else sorted(self.environment),
            "isolation": self.isolation.describe(),
        }


def start_of_command(
    rest: str, options: Mapping[str, str], *, isolate: Isolate, environ: Mapping[str, str], seed: int = 0
) -> Start:
    """From ``PROGRAM ARGS``. ``isolate``: where the options do not say it; ``environ``: as os.environ. Raises
    UnusableProgram, IsolationImpossible."""
    words = _words(rest)
    if not words:
        raise UnusableProgram("no program is named", where="command:", fix="--agent 'command:python3 my_agent.py'")
    files = [file for word in words if (file := _own_file(word)) is not None]
    argv = [str(Path(word).absolute()) if _own_file(word) else word for word in words]
    first = _own_file(words[0])
    own = next((file for file in files if file != first), first)
    name = f"command-{(own or Path(words[0])).stem}"
    start = _start(name, argv, own, options, isolate=isolate, environ=environ, seed=seed)
    path = PLAIN["PATH"] if start.isolation.tool else start.path
    if shutil.which(argv[0], path=path) is None:
        raise UnusableProgram("there is no such program", where=argv[0], fix="give its path, and make it executable")
    return start


def start_of_class(
    place: str, kind: str, options: Mapping[str, str], *, isolate: Isolate, environ: Mapping[str, str], seed: int = 0
) -> Start:
    """From a Python class. ``place``: a file that ends in .py, or a module that is found from ``folder`` (this folder,
    where the options do not say it). Raises as ``start_of_command``."""
    own = Path(place).absolute() if place.endswith(".py") else None
    if own is not None and not own.is_file():
        raise UnusableProgram("there is no such file", where=place)
    if own is None and "folder" not in options:
        options = {"folder": str(Path.cwd()), **options}
    words = ["", HOST, str(own or place), kind]
    start = _start(kind, words, own, options, isolate=isolate, environ=environ, seed=seed)
    isolated = start.isolation.tool is not None
    python = options.get("python", "python3" if isolated else sys.executable)
    if shutil.which(python, path=PLAIN["PATH"] if isolated else start.path) is None:
        raise UnusableProgram("there is no such Python", where=python, fix="name one with --agent-option python=PATH")
    if isolated and os.path.isabs(python) and (unseen := _unseen(Path(python), options)):
        fix = f"give --agent-option mount={','.join(map(str, unseen))} (beside what is mounted already)"
        raise UnusableProgram("that Python is not seen under isolation", where=python, fix=fix)
    host = HOST if isolated else str(Path(__file__).with_name("class_host.py"))
    return replace(start, argv=(python, host, *words[2:]))


def _unseen(python: Path, options: Mapping[str, str]) -> list[Path]:
    """The folders that have to be mounted for an interpreter to run: its own environment's, and that of the one which
    it is a link to."""
    mounts = [Path(mount).absolute() for mount in _list(options, "mount")]
    homes = dict.fromkeys(file.parent.parent for file in (python, python.resolve()))
    return [home for home in homes if not is_system(home) and not any(home.is_relative_to(mount) for mount in mounts)]


def _start(
    name: str,
    argv: Sequence[str],
    own: Path | None,
    options: Mapping[str, str],
    *,
    isolate: Isolate,
    environ: Mapping[str, str],
    seed: int,
) -> Start:
    """``own``: the file that the agent is, or is started from."""
    wanted: Isolate = cast(Isolate, _choice(options, "isolate", get_args(Isolate), isolate))
    folder = _folder(options["folder"]) if "folder" in options else own.parent if own else Path.cwd()
    mounts = [_path(path, "mount") for path in _list(options, "mount")]
    hidden = [PACKAGE / part for part in OF_PACKAGE] + [Path.cwd() / part for part in OF_CATALOGUE] + [user_cache()]
    if sys.prefix != sys.base_prefix:
        hidden.append(Path(sys.prefix))
    if "folder" in options:
        mounts.append(folder)
    elif own is not None:  # its folder; where that is no folder of its own, only itself
        mounts.append(own if _not_its_own(own.parent, hidden) else own.parent)
    nested: list[Path] = []
    for mount in mounts if wanted != "no" else ():
        if reason := _not_its_own(mount, hidden) or _lies_in(own.parent if mount == own and own else mount):
            raise UnusableProgram(reason, where=str(mount), fix=OWN_FOLDER)
        nested += found_within(mount)
    if wanted != "no":
        nested += found_within(Path("/usr/local"))  # every program sees the system, and people put things there
    shut = isolation(
        wanted,
        search_path=environ.get("PATH"),
        network=_choice(options, "network", ("yes", "no"), "no") == "yes",
        mounts=mounts,
        hidden=[*hidden, *nested],
        files={HOST: Path(__file__).with_name("class_host.py")} if HOST in argv else {},
    )
    return Start(
        name=options.get("name", name),
        argv=tuple(argv),
        folder=folder,
        isolation=shut,
        environment=None if wanted == "no" and "env" not in options else _variables(options, environ),
        path=environ.get("PATH", PLAIN["PATH"]),
        given={key: value for key, value in options.items() if key not in OURS},
        files={file.name: _sha256(file) for word in argv if (file := _own_file(word)) is not None},
        seed=seed,
    )


def _not_its_own(folder: Path, hidden: Sequence[Path]) -> str | None:
    """Why a folder cannot be shown to an agent as it is; None where it can."""
    real = folder.resolve()
    part = next((part for part in hidden if part.exists() and part.resolve().is_relative_to(real)), None)
    if part is not None:
        return f"agents must not see what is in it ({part.name})"
    if is_kept_away(real):
        return "agents must not see what is in it (levels or records)"
    return shared(real)


def _lies_in(mount: Path) -> str | None:
    place = holding(mount)
    return None if place is None else f"it lies in {place}, which agents must not see"


# --- options ----------------------------------------------------------------------------------------------------------


def _choice(options: Mapping[str, str], key: str, choices: Sequence[str], default: str) -> str:
    value = options.get(key, default)
    if value not in choices:
        raise UnusableProgram(f"{key} is one of {', '.join(choices)}, not {value[:40]!r}", where="--agent-option")
    return value


def _list(options: Mapping[str, str], key: str) -> list[str]:
    return [part for part in options.get(key, "").split(",") if part]


def _path(text: str, key: str) -> Path:
    path = Path(text).absolute()
    if not path.exists():
        raise UnusableProgram(f"there is no {text}", where=f"--agent-option {key}")
    return path


def _folder(text: str) -> Path:
    path = _path(text, "folder")
    if not path.is_dir():
        raise UnusableProgram(f"{text} is no folder", where="--agent-option folder")
    return path


def _variables(options: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    names = _list(options, "env")
    if missing := [name for name in names if name not in environ]:
        raise UnusableProgram(f"the variable {missing[0]} is not set", where="--agent-option env")
    return {name: environ[name] for name in names}


# --- words ------------------------------------------------------------------------------------------------------------


def _own_file(word: str) -> Path | None:
    """The file that a word names, unless it is one of the system's."""
    try:
        path = Path(word).absolute()
        found = path.is_file()
    except (OSError, ValueError):  # too long for a path, or with a zero in it
        return None
    return path if found and not is_system(path) else None


def _sha256(file: Path) -> str:
    try:
        with open(file, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise UnusableProgram(f"it cannot be read ({error.strerror})", where=str(file)) from None


def source_of(rest: str) -> str | None:
    """sha256 over the files of the agent's own that a command line names; None where it names none."""
    found = [_sha256(file) for word in _words(rest) if (file := _own_file(word)) is not None]
    return hashlib.sha256(" ".join(found).encode()).hexdigest() if found else None


def without_secrets(rest: str) -> str:
    """A command line for a record."""
    return shlex.join(_redacted(_words(rest)))


def _words(rest: str) -> list[str]:
    """Raises UnusableProgram."""
    try:
        return shlex.split(rest)
    except ValueError as error:
        raise UnusableProgram(f"its quotes do not match ({error})", where=f"command:{rest}") from None


def _redacted(argv: Sequence[str]) -> list[str]:
    """The words without the values of options that sound like a secret (``--api-key abc``, ``--token=abc``)."""
    words: list[str] = []
    for word in argv:
        option, equals, _ = word.partition("=")
        before = words[-1] if words else ""
        if before.startswith("-") and "=" not in before and SECRET.search(before):
            words.append("…")
        else:
            words.append(f"{option}=…" if equals and SECRET.search(option) else word)
    return words
