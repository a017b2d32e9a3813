"""``lpb-gen pin``: names the current snapshot for good. The order is the safety: a tag is only ever set on a snapshot
whose every byte was read back, and, where there is a DVC remote, whose every object is in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ..games.base import LpbError
from .exclusive import CHANGED, Journal, exclusive, require_clean_levels
from .files import sweep, write_whole
from .manifest import sha256
from .published import mend_listing, publish
from .repository import MANIFEST, PINS, TAG_PREFIX, GitFailed, Repository, complaint, run_git
from .revisions import MAKE_ONE, NoCatalogue, Pin, known_pins, write_pins
from .snapshot import keep_cached, load_pin
from .storage import default_remote, dvc_complaint, run_dvc


class TagExists(LpbError):
    """The tag names a snapshot already."""


class CannotPush(LpbError):
    """There is nowhere to push to; nothing was pinned."""


class CannotSign(LpbError):
    """Git has no key to sign with; nothing was pinned."""


class PushFailed(LpbError):
    """The pin is made, but the other repository did not get it."""


def check_tag(tag: str) -> str:
    """The short name of a tag. Raises LpbError where it cannot be one."""
    short = tag.removeprefix(TAG_PREFIX)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", short) or ".." in short or short.endswith((".", ".lock")):
        fix = "use letters, digits, '.', '-' and '_', for instance v2026.12.0"
        raise LpbError(f"{tag!r} cannot name a snapshot", where="TAG", fix=fix)
    return short


def pin(
    repository: Repository,
    tag: str,
    *,
    message: str = "",
    sign: bool = False,
    push: bool = False,
    note: Callable[[str], None] = lambda text: None,
) -> Pin:
    """Pins HEAD's snapshot as ``tag``. ``message``: words for the tag and its commit; ``sign``: with Git's own key.
    With ``push``, an equal pin that exists already is pushed. Raises TagExists, NoCatalogue, DirtyWorkTree, NoIdentity,
    SnapshotCorrupt, MissingObject, StorageFailed, TakenInStore, CannotSign, CannotPush, PushFailed."""
    tag, message = check_tag(tag), message.strip()
    with exclusive(repository):
        destination = _destination(repository) if push else None
        journal = Journal(repository)
        journal.recover(note)
        repository.require_ready((*CHANGED, PINS))
        require_clean_levels(repository)
        if sign:
            _require_key(repository)
        commit, manifest = repository.snapshot_commit(), repository.blob("HEAD", MANIFEST)
        if commit is None or manifest is None:
            raise NoCatalogue("there is no snapshot to pin", where=str(repository.root), fix=MAKE_ONE)
        pinned = Pin(tag, commit, sha256(manifest))
        if tag == "HEAD" or repository.commit_of(f"refs/heads/{tag}") is not None:
            what = f"{tag} names the current commit of {'this repository' if tag == 'HEAD' else 'a branch'} already"
            raise LpbError(what, where="TAG", fix="choose another tag, for instance v2026.12.0")
        known = known_pins(repository)
        again = push and _is_pinned(repository, pinned, known)
        if not again:
            _require_free(repository, pinned, known)
        snapshot = load_pin(repository, pinned)
        if default_remote(repository) is not None:
            levels = keep_cached(repository, snapshot)
            _send(repository, levels, note)
            publish(repository, pinned, snapshot.manifest_bytes, levels, note)
        if not again:
            _record(repository, journal, pinned, known, message, sign)
        if destination is not None:
            _push(repository, tag, *destination)
        return pinned


def _record(
    repository: Repository, journal: Journal, pinned: Pin, known: dict[str, Pin], message: str, sign: bool
) -> None:
    """Commits the pin to pins.json and sets its tag, or neither."""
    tag, commit = str(pinned.tag), str(pinned.commit)
    sweep(repository.root / PINS)
    text = write_pins({**known, tag: pinned})
    journal.write({PINS: text.decode()})
    try:
        if tag not in known:
            write_whole(repository.root / PINS, text)
            repository.commit([PINS], f"Pin {pinned.annotation(message)}")
        kind = "--sign" if sign else "--annotate"
        repository.git("tag", kind, f"{TAG_PREFIX}{tag}", commit, "--message", pinned.annotation(message))
    except BaseException:
        repository.put_back([PINS])
        journal.close()
        raise
    journal.close()


def _require_key(repository: Repository) -> None:
    """Raises CannotSign: before anything is pinned, a commit that nothing refers to is signed as the tag will be."""
    done = run_git(repository.root, "commit-tree", "-S", "HEAD^{tree}", "-m", "can we sign?")
    if done.returncode != 0:
        fix = "git config user.signingkey KEY (for an SSH key also: git config gpg.format ssh), or pin without --sign"
        raise CannotSign(f"Git cannot sign: {complaint(done.stderr)}", where="--sign", fix=fix)


def _is_pinned(repository: Repository, wanted: Pin, known: dict[str, Pin]) -> bool:
    """Whether there is that very pin already: tag, commit, digest, in pins.json and as a tag."""
    tag = str(wanted.tag)
    return known.get(tag) == wanted and repository.commit_of(f"refs/tags/{TAG_PREFIX}{tag}") == wanted.commit


def _require_free(repository: Repository, wanted: Pin, known: dict[str, Pin]) -> None:
    """A tag is free, or half made by a pin of the same snapshot that was cut off."""
    assert wanted.tag is not None
    target, pinned = repository.commit_of(f"refs/tags/{TAG_PREFIX}{wanted.tag}"), known.get(wanted.tag)
    holder = target or (pinned.commit if pinned and pinned != wanted else None)
    if holder is not None:
        raise TagExists(
            f"there is a snapshot {wanted.tag} already (commit {holder[:12]})",
            where=TAG_PREFIX + wanted.tag,
            fix="a pin never moves: choose another tag",
        )


def _send(repository: Repository, levels: Mapping[str, bytes], note: Callable[[str], None]) -> None:
    """Sends the objects to the DVC remote and makes sure that every level file is there."""
    note("sending the levels to the DVC remote")
    pushed = run_dvc(repository, "push")  # the intermediate files too: ``dvc pull`` asks for them
    if pushed.returncode != 0 and mend_listing(repository, levels):
        note("the list of the levels was damaged in the DVC remote; it is sent anew")
        pushed = run_dvc(repository, "push")
    if pushed.returncode != 0:
        raise dvc_complaint(pushed.stdout)
    left = run_dvc(repository, "status", "--cloud", "--quiet", "freeze")
    if left.returncode != 0:
        raise dvc_complaint(left.stdout or "ERROR: not every object is in the DVC remote")


def _destination(repository: Repository) -> tuple[str, str]:
    """The Git remote to push to and the branch to push. Raises CannotPush."""
    remotes = repository.git("remote").splitlines()
    if not remotes:
        raise CannotPush("there is no Git remote to push to", where="--push", fix="run: git remote add origin URL")
    try:
        branch = repository.git("symbolic-ref", "HEAD")
    except GitFailed:
        fix = "go to one (git switch main), or pin without --push"
        raise CannotPush("no branch is checked out that could be pushed", where="--push", fix=fix) from None
    return ("origin" if "origin" in remotes else remotes[0]), branch


def _push(repository: Repository, tag: str, remote: str, branch: str) -> None:
    name = f"refs/tags/{TAG_PREFIX}{tag}"
    done = run_git(repository.root, "push", "--quiet", "--atomic", remote, branch, name)
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.decode("utf-8", "replace").splitlines()]
        told = [line.removeprefix("remote: ").removeprefix("error: ") for line in lines if line.startswith("remote: ")]
        told += [line.removeprefix("! ") for line in lines if line.startswith("! [") and "atomic" not in line]
        raise PushFailed(
            f"pinned here, but not pushed to {remote}: {'; '.join(told)[:300] or complaint(done.stderr)}",
            where=TAG_PREFIX + tag,
            fix=f"mend that and run: lpb-gen pin {tag} --push",
        )
