"""What a snapshot reference names: a pin's tag, a commit; and whether a tag still is where it was pinned.

A pin is tag + commit + sha256 of the manifest, kept in ``pins.json`` in Git and in the annotation of the tag itself.
Snapshots are read by commit: a tag that was moved afterwards is told, never followed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..games.base import LpbError
from .manifest import sha256
from .params import Parent
from .repository import MANIFEST, PINS, TAG_PREFIX, Repository

_ANNOTATION = re.compile(r"^commit: ([0-9a-f]{40})\nmanifest sha256: ([0-9a-f]{64})$", re.MULTILINE)


class UnknownSnapshot(LpbError):
    """No tag, commit or folder of that name."""


MAKE_ONE = "make one: lpb-gen refresh --game GAME --tier TIER"


class NoCatalogue(LpbError):
    """A revision or folder that holds no snapshot."""


class MovedTag(LpbError):
    """A pinned tag that no longer points to the commit that was pinned."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A snapshot named for good. ``tag`` is the short name ("v2026.12.0") or None; ``commit`` is None for a folder
    outside Git; ``digest`` is the sha256 of the manifest."""

    tag: str | None
    commit: str | None
    digest: str

    def __str__(self) -> str:
        """The line that a paper would cite."""
        name = f"{TAG_PREFIX}{self.tag}" if self.tag else "unpinned"
        return f"{name} (commit {self.commit or 'none'}, manifest sha256:{self.digest})"

    def to_json(self) -> dict[str, str | None]:
        return {"tag": self.tag, "commit": self.commit, "digest": self.digest}

    def annotation(self, message: str = "") -> str:
        """The message of the pin's tag, which ``annotated_pin`` reads back, with words of the maintainer's own."""
        named = f"{TAG_PREFIX}{self.tag}\n\ncommit: {self.commit}\nmanifest sha256: {self.digest}"
        return f"{named}\n\n{message}" if message else named


def read_pins(text: bytes | None, *, where: str = PINS) -> dict[str, Pin]:
    """The pins of a pins.json. Raises LpbError where it is none."""
    if text is None:
        return {}
    try:
        entries = json.loads(text)["pins"]
        return {name: Pin(name, str(entry["commit"]), str(entry["digest"])) for name, entry in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise LpbError(
            f"not a list of pins ({error})", where=where, fix="restore it: git checkout HEAD pins.json"
        ) from None


def write_pins(pins: Mapping[str, Pin]) -> bytes:
    entries = {name: {"commit": pin.commit, "digest": pin.digest} for name, pin in pins.items()}
    return (json.dumps({"schema": 1, "pins": entries}, indent=2, sort_keys=True) + "\n").encode()


def known_pins(repository: Repository) -> dict[str, Pin]:
    """The pins of the work tree's pins.json, and of HEAD's for those it lacks."""
    path = repository.root / PINS
    here = read_pins(path.read_bytes() if path.exists() else None)
    return {**read_pins(repository.blob("HEAD", PINS), where=f"{PINS} at HEAD"), **here}


def annotated_pin(repository: Repository, tag: str) -> Pin | None:
    """The pin that a tag's own annotation states, or None for a tag that ``lpb-gen pin`` did not make."""
    text = repository.git("for-each-ref", "--format=%(contents)", f"refs/tags/{TAG_PREFIX}{tag}")
    found = _ANNOTATION.search(text)
    return Pin(tag, found[1], found[2]) if found else None


def resolve(repository: Repository, reference: str) -> Pin:
    """The snapshot that a tag (short or full name) or a commit names, with its digest. Raises UnknownSnapshot,
    NoCatalogue, MovedTag, LpbError."""
    tag = reference.removeprefix("refs/tags/").removeprefix(TAG_PREFIX)
    target = repository.commit_of(f"refs/tags/{TAG_PREFIX}{tag}")
    pinned = known_pins(repository).get(tag)
    if target is not None or pinned is not None:
        return _tagged(repository, tag, target, pinned)
    commit = repository.commit_of(reference)
    if commit is None:
        raise _unknown(repository, reference)
    made = repository.snapshot_commit(commit)
    manifest = repository.blob(commit, MANIFEST)
    if made is None or manifest is None:
        raise no_snapshot(repository, reference)
    return Pin(tag_of(repository, made), made, sha256(manifest))


def no_snapshot(repository: Repository, where: str) -> NoCatalogue:
    """The error for a revision without a manifest: what to do depends on whether the repository has any snapshot."""
    some = repository.blob("HEAD", MANIFEST) is not None
    fix = "name another: lpb-gen log lists them" if some else MAKE_ONE
    return NoCatalogue("no snapshot at this revision (it has no catalogue/manifest.json)", where=where, fix=fix)


def tag_of(repository: Repository, commit: str) -> str | None:
    """The tag under which a commit is pinned, or None."""
    return next((tag for tag, pin in known_pins(repository).items() if pin.commit == commit), None)


def _tagged(repository: Repository, tag: str, target: str | None, pinned: Pin | None) -> Pin:
    pinned = pinned or annotated_pin(repository, tag)
    name = TAG_PREFIX + tag
    if pinned is not None and pinned.commit is not None and target not in (None, pinned.commit):
        raise MovedTag(
            f"the tag was moved: pinned at commit {pinned.commit}, now at {target}",
            where=name,
            fix=f"name the pinned commit instead, or put the tag back: git tag -f {name} {pinned.commit}",
        )
    commit = target or (pinned.commit if pinned else None)
    if commit is None or repository.commit_of(commit) is None:
        raise _unknown(repository, tag)
    manifest = repository.blob(commit, MANIFEST)
    if manifest is None:
        raise no_snapshot(repository, name)
    digest = sha256(manifest)
    if pinned is not None and digest != pinned.digest:
        what = f"the manifest is not the pinned one (sha256 {digest[:12]}…, pinned {pinned.digest[:12]}…)"
        raise MovedTag(what, where=name, fix="one of pins.json and the tag was changed by hand; fetch both anew")
    return Pin(tag, commit, digest)


def _unknown(repository: Repository, reference: str) -> UnknownSnapshot:
    tags = repository.tags()
    listed = f"the tags here are {', '.join(tags)}" if tags else "there are no tags here"
    fetch = "git fetch --unshallow --tags (this is a shallow clone)" if repository.is_shallow() else "git fetch --tags"
    return UnknownSnapshot(f"no snapshot {reference!r}; {listed}", where=str(repository.root), fix=f"new ones: {fetch}")


def require_parent(repository: Repository, parent: Parent) -> Pin:
    """The pin of a snapshot's parent. Raises UnknownSnapshot where its commit is not in this clone, MovedTag where the
    manifest is another."""
    if repository.commit_of(parent.commit) is None:
        raise _unknown(repository, parent.commit)
    manifest = repository.blob(parent.commit, MANIFEST)
    if manifest is None or sha256(manifest) != parent.digest:
        what = "the parent's manifest is not the one that params.yaml names"
        raise NoCatalogue(what, where=parent.commit[:12], fix="restore params.yaml from Git")
    return Pin(parent.tag, parent.commit, parent.digest)
