"""Shutting an agent's program off from the runner: bubblewrap, and honest words where it is not there.

Inside, the program finds the system's programs, its own folder (read-only), an empty /tmp and HOME, its own processes,
and a loopback interface that leads nowhere. What it does not find: the snapshot, the run's record, this package, the
runner's processes and their ports, and every environment variable that it was not given by name.
"""

from __future__ import annotations

import logging
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..games.base import LpbError
from . import barred_calls

if TYPE_CHECKING:
    from .agents.base import Agent

Isolate = Literal["yes", "auto", "no"]
NOT_ISOLATED = "not isolated"  # the label of every agent that shares this machine with the runner
SCRATCH = 1 << 30  # bytes of /tmp, which is memory
HOME = "/tmp/home"
SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")  # links into /usr on most systems, folders on others
NOT_SYSTEM = ("/usr/src", "/usr/home", "/usr/tmp")  # people's own: a container's programs often stand in /usr/src
ETC = (  # what dynamic linking, the choice of commands, time and certificates need
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "localtime",
    "ssl",
    "pki",
    "ca-certificates",
)
ETC_NETWORK = ("resolv.conf", "hosts", "nsswitch.conf")
PLAIN = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": HOME, "TMPDIR": "/tmp"}


class IsolationImpossible(LpbError):
    """Isolation was demanded, and this machine or the request does not allow it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """``tool``: the path of bwrap, None where there is no isolation, and then ``reason`` says why. ``scratch``: bytes
    of /tmp, None where bwrap is too old to limit it. ``network``: shared with the runner's machine. ``mounts``: what
    the program sees besides the system, read-only, under the same names; ``hidden``: what it never sees even so.
    """

    tool: str | None = None
    version: str = ""
    scratch: int | None = SCRATCH
    reason: str = ""
    network: bool = False
    mounts: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)  # path inside -> file outside

    def wrap(self, argv: Sequence[str], folder: Path, barred: int | None = None) -> list[str]:
        """The command line that runs ``argv`` in ``folder``, or at home where that is not to be seen. ``barred``: the
        descriptor of a filter of system calls. Raises IsolationImpossible where a mount is hidden."""
        if self.tool is None:
            return list(argv)
        words = [self.tool, "--unshare-all", *(["--share-net"] if self.network else [])]
        # without these two a runner that is root leaves its program rights over its own mounts: it could take away what
        # hides a folder, and write to its own
        words += ["--unshare-user", "--cap-drop", "ALL"]
        words += ["--seccomp", str(barred)] if barred is not None else []
        words += ["--die-with-parent", "--new-session", "--hostname", "agent", "--ro-bind", "/usr", "/usr"]
        for name in SYSTEM:
            path = Path("/", name)
            if path.is_symlink():
                words += ["--symlink", str(path.readlink()), str(path)]
            elif path.is_dir():
                words += ["--ro-bind", str(path), str(path)]
        for name in (*ETC, *(ETC_NETWORK if self.network else ())):
            words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
        words += ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev"]
        words += [*(["--size", str(self.scratch)] if self.scratch else []), "--tmpfs", "/tmp", "--dir", HOME]
        for name in NOT_SYSTEM:
            words += ["--tmpfs", name] if Path(name).is_dir() and not Path(name).is_symlink() else []
        for mount in self.mounts:
            words += ["--ro-bind", str(mount.resolve()), str(mount)]
        for hidden in self._covered():
            words += ["--tmpfs", str(hidden)] if hidden.is_dir() else ["--ro-bind", "/dev/null", str(hidden)]
        for inside, outside in self.files.items():
            words += ["--ro-bind", str(outside), inside]
        place = str(folder) if self._shows(folder) else HOME
        return [*words, "--remount-ro", "/", "--chdir", place, "--", *argv]

    def _shows(self, folder: Path) -> bool:
        """Whether a folder is there: within the system or a mount, or on the way to a mount."""
        return is_system(folder) or any(folder.is_relative_to(m) or m.is_relative_to(folder) for m in self.mounts)

    def _covered(self) -> list[Path]:
        """What is hidden within a mount or the system. Raises IsolationImpossible where a mount itself is hidden."""
        covered: set[Path] = set()
        for mount in (Path("/usr"), *self.mounts):
            real = mount.resolve()
            for hidden in self.hidden:
                if real.is_relative_to(hidden):
                    fix = "put the agent into a folder of its own"
                    what = f"it lies in {hidden}, which agents must not see"
                    raise IsolationImpossible(what, where=str(mount), fix=fix)
                if hidden.is_relative_to(real) and hidden.exists():
                    covered.add(mount / hidden.relative_to(real))
        return sorted(covered)

    def hiding(self, record: Path | None) -> Isolation:
        """The same, but runs beside ``record`` are hidden, too."""
        return self if record is None else replace(self, hidden=(*self.hidden, record.resolve().parent))

    @property
    def label(self) -> str:
        """For tables."""
        if self.tool is None:
            return NOT_ISOLATED
        return "isolated, network shared" if self.network else "isolated"

    def describe(self) -> dict[str, Any]:
        """For the manifest."""
        if self.tool is None:
            return {"isolated": False, "label": self.label, "reason": self.reason}
        return {
            "isolated": True,
            "label": self.label,
            "by": self.version,
            "network": "shared" if self.network else "off",
            "mounts": [str(mount) for mount in self.mounts],
            "system_calls": barred_calls.account(platform.machine()),
        }


def is_system(path: Path) -> bool:
    """Whether a path is one of the system's programs and libraries, which every program sees."""
    places = ("/usr", *(f"/{name}" for name in SYSTEM))
    return any(path.is_relative_to(place) for place in places) and not any(path.is_relative_to(p) for p in NOT_SYSTEM)


def isolated_agent(spec: str, options: Mapping[str, str], *, seed: int) -> Agent:
    """The code setting's agent from ``command:PROGRAM ARGS``, ``module:Class`` or ``path/to/file.py:Class``: isolated
    where this machine allows it, unless ``options`` say otherwise. Raises IsolationImpossible, UnusableProgram."""
    from .agents import ADAPTERS
    from .agents.command import CommandAgent
    from .agents.starting import start_of_class, start_of_command

    place, _, kind = spec.rpartition(":")
    if spec.startswith("command:"):
        rest = spec.removeprefix("command:")
        start = start_of_command(rest, options, isolate="auto", environ=os.environ, seed=seed)
    elif place and kind.isidentifier() and place not in ADAPTERS:
        start = start_of_class(place, kind, options, isolate="auto", environ=os.environ, seed=seed)
    else:
        fix = "take command:PROGRAM, path/to/file.py:Class or module:Class, or --setting native"
        raise IsolationImpossible("this agent is part of lpb-gen and has no program of its own", where=spec, fix=fix)
    if start.isolation.tool is None:
        logging.getLogger("lpb_gen.agents").info(f"{start.name} is not isolated: {start.isolation.reason}")
    return CommandAgent(start)


def isolation(
    wanted: Isolate,
    *,
    search_path: str | None,
    network: bool = False,
    mounts: Sequence[Path] = (),
    hidden: Sequence[Path] = (),
    files: Mapping[str, Path] | None = None,
) -> Isolation:
    """What this machine allows of what is ``wanted``. ``search_path``: as PATH. Raises IsolationImpossible where it is
    a must ("yes") and cannot be."""
    if wanted == "no":
        return Isolation(reason="not asked for")
    tool = shutil.which("bwrap", path=search_path)
    reason = "bubblewrap is not installed"
    for scratch in (SCRATCH, None) if tool else ():
        bare = Isolation(tool=tool, version=_version(str(tool)), network=network, scratch=scratch)
        reason = _trouble(bare)
        if not reason:
            return replace(
                bare,
                mounts=tuple(path.absolute() for path in mounts),
                hidden=tuple(path.resolve() for path in hidden),
                files=dict(files or {}),
            )
    if wanted == "yes":
        fix = "on Debian and Ubuntu 'apt-get install bubblewrap'; it needs user namespaces"
        raise IsolationImpossible(reason, where="isolation", fix=fix)
    return Isolation(reason=reason)


def _version(tool: str) -> str:
    try:
        return subprocess.run([tool, "--version"], capture_output=True, text=True, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return "bubblewrap"


def _trouble(found: Isolation) -> str:
    """Why it does not work here; empty where it does."""
    try:
        with barred_calls.descriptor() as barred:
            done = subprocess.run(
                found.wrap(["/bin/true"], Path("/"), barred),
                env=PLAIN,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=30,
                pass_fds=() if barred is None else (barred,),
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not run ({error})"
    if done.returncode == 0:
        return ""
    lines = done.stderr.strip().splitlines()
    return f"bubblewrap does not work here ({lines[-1] if lines else done.returncode})"
