"""DVC's own file systems, for the files that a snapshot needs of a store that is no folder and no web server.

    python -m lpb_gen.pipeline.transfer get URL OUT             paths on standard input, one a line
    python -m lpb_gen.pipeline.transfer read ROOT REMOTE OUT    the same, by a repository's own settings of a remote
    python -m lpb_gen.pipeline.transfer write ROOT REMOTE FROM  every file below FROM goes into the remote

A process of its own, so that nothing else loads DVC. What is not there is not written below OUT, and is no error.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def main(words: list[str]) -> int:
    """The exit code: 0, or 1 after a line "ERROR: …" as DVC's own commands print it."""
    verb, *place, folder = words
    try:
        system, base = _by_url(*place) if verb == "get" else _by_remote(*place)
        if verb == "write":
            for path in sorted(Path(folder).rglob("*")):
                if path.is_file():
                    target = system.join(base, *path.relative_to(folder).parts)
                    system.makedirs(system.parent(target))
                    system.put_file(str(path), target)
            return 0
        for name in sys.stdin.read().split("\n"):
            out = Path(folder, name)
            out.parent.mkdir(parents=True, exist_ok=True)
            try:
                out.write_bytes(system.cat_file(system.join(base, *name.split("/"))))
            except FileNotFoundError:
                continue
        return 0
    except Exception as error:  # the libraries behind DVC raise what they like; the caller makes one line of it
        print(f"ERROR: {type(error).__name__}: {' '.join(str(error).split())}")
        return 1


def _by_url(url: str) -> tuple[Any, str]:
    from dvc.fs import parse_external_url

    system, base = parse_external_url(url)
    return system, str(base)


def _by_remote(root: str, name: str) -> tuple[Any, str]:
    from dvc.repo import Repo

    remote = Repo(root).cloud.get_remote(name)
    return remote.fs, str(remote.path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
