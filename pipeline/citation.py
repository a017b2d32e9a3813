"""How a paper cites a snapshot: BibTeX with everything that a pin is."""

from __future__ import annotations

import re

from ..games.wording import counted
from .manifest import read_manifest
from .repository import MANIFEST, TAG_PREFIX, Repository, run_git
from .revisions import Pin


def bibtex(repository: Repository, pin: Pin) -> str:
    """An entry for a pinned snapshot, with the public address of its repository where it has one."""
    commit = str(pin.commit)
    manifest = read_manifest(repository.blob(commit, MANIFEST) or b"", where=str(pin.tag))
    levels = sum(entry["levels"] for entry in manifest["cells"].values())
    name, url = str(manifest.get("name") or "lpb-gen catalogue"), public_url(repository)
    fields = {
        "title": f"{{{_escaped(name)}}}, snapshot {_escaped(str(pin.tag))}",
        "year": repository.date_of(commit)[:4],
        **({"url": url} if url else {}),
        "note": f"{counted(levels, 'level')}, {TAG_PREFIX}{_escaped(str(pin.tag))}, commit {commit}, "
        f"manifest sha256:{pin.digest}",
    }
    body = "".join(f"  {key} = {{{value}}},\n" for key, value in fields.items())
    return f"@misc{{lpb-gen-{pin.tag},\n{body}}}"


def public_url(repository: Repository) -> str:
    """Where others find the repository: its Git remote's address without a password, or empty where that is a folder
    of this machine."""
    found = run_git(repository.root, "remote", "get-url", "origin").stdout.decode("utf-8", "replace").strip()
    if not re.match(r"(https?|ssh|git)://|[\w.-]+@[\w.-]+:", found):
        return ""
    return re.sub(r"^(https?://)[^/@]*@", r"\1", found)


def _escaped(text: str) -> str:
    """What TeX takes for itself, written so that it is printed."""
    return re.sub(r"([&%$#_{}])", r"\\\1", text.replace("\\", "/"))
