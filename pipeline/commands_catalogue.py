"""``lpb-gen init``, ``pin``, ``snapshots`` and ``restore``, and what the commands of a catalogue share."""

from __future__ import annotations

import json
import secrets
import shlex
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..games.wording import counted
from .options import json_option, workforce_options

if TYPE_CHECKING:
    from rich.table import Table

    from .listing import Listed
    from .repository import Repository
    from .workers import Workforce


WIDTHS = {"commit": 12, "manifest sha256": 12}  # digits that are shown


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--name", help="The catalogue's name, as its manifests give it.  [default: the folder's]")
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=2**63 - 1),
    help="The root of all randomness, for levels that come out the same.  [default: drawn at random]",
)
@click.option("--remote", metavar="PATH|URL", help="Where DVC keeps the levels for others (a folder, s3://…, ssh://…).")
def init(folder: Path, name: str | None, seed: int | None, remote: str | None) -> None:
    """Make DIR a new catalogue repository: Git and DVC, with a params.yaml that asks for the default tiers.

    Its seed is drawn at random, so that nobody has seen its levels before; params.yaml keeps it. The same seed and the
    same refreshes make the same levels.

    \b
    Example:
      lpb-gen init my-catalogue --seed 20261201 --remote /srv/levels
      cd my-catalogue && lpb-gen refresh --game maze --tier hard
    """
    from .new_repository import Choices
    from .new_repository import init as make

    seed = secrets.randbits(32) if seed is None else seed
    make(folder, Choices(name=name, seed=seed, remote=remote))
    click.echo(f"{folder} is a catalogue repository now (seed {seed}); make its first levels with:")
    go = "" if folder.absolute() == Path.cwd() else f"cd {shlex.quote(str(folder))} && "
    click.echo(f"  {go}lpb-gen refresh --game maze --tier hard")


@click.command()
@click.argument("tag")
@click.option("--message", "-m", default="", help="Words of yours for the tag, such as what the snapshot is for.")
@click.option("--sign", is_flag=True, help="Sign the tag, with the key that Git is configured with.")
@click.option("--push", is_flag=True, help="Push the branch and the tag to the Git remote afterwards.")
@json_option
def pin(tag: str, message: str, sign: bool, push: bool, as_json: bool) -> None:
    """Pin the current snapshot as TAG, for good: every byte is read back first, and sent to the DVC remote if there is
    one. A pin is tag + commit + sha256 of the manifest; a tag that is moved later is told, never followed. With --push,
    a pin that is there already, of this very snapshot, is pushed. Prints how to cite it.

    \b
    Example:
      lpb-gen pin v2026.12.0
      lpb-gen pin v2026.12.0 --message "For the winter leaderboard" --sign --push
    """
    from .citation import bibtex
    from .pin import pin as make

    with stoppable():
        repository = current_repository()
        pinned = make(repository, tag, message=message, sign=sign, push=push, note=note)
    entry = bibtex(repository, pinned)
    if as_json:
        click.echo(json.dumps({**pinned.to_json(), "cite": str(pinned), "bibtex": entry}))
    else:
        click.echo(f"pinned: {pinned}\n\n{entry}")


@click.command()
@json_option
def snapshots(as_json: bool) -> None:
    """List the pinned snapshots, and the current one.

    \b
    Example:
      lpb-gen snapshots
      lpb-gen snapshots --json | jq -r '.[].tag'
    """
    from .listing import list_snapshots

    rows = list_snapshots(current_repository())
    if as_json:
        click.echo(json.dumps([row.to_json() for row in rows]))
        return
    show(snapshots_table(rows))
    for row in rows:
        if row.problem:
            click.echo(f"{row.pin.tag or '(current)'}: {row.problem}")


@click.command()
@click.argument("reference", metavar="TAG")
@click.option(
    "--out", type=click.Path(path_type=Path), help="A new folder for it, instead of the work tree's catalogue."
)
@click.option("--store", metavar="PATH|URL", help="A DVC store to take the levels from, instead of the DVC remote.")
@workforce_options
@json_option
def restore(reference: str, out: Path | None, store: str | None, workforce: Workforce, as_json: bool) -> None:
    """Bring a snapshot back (a tag, a commit, or HEAD for the current one), whatever is left of it: from the cache,
    else from the DVC remote, else made again from its own params and compared with its manifest byte for byte.

    From elsewhere, into a new folder: TAG may be URL#TAG of a Git repository, the folder of another catalogue or of
    a copy of one, or a DVC store (docs/stores.md). With --store and outside a repository, TAG is a tag of the store,
    sha256:DIGEST, or a copy of the manifest.

    \b
    Example:
      lpb-gen restore v2026.12.0
      lpb-gen restore v2026.12.0 --out old-catalogue
      lpb-gen restore https://example.org/levels.git#v2026.12.0 --out levels
      lpb-gen restore v2026.12.0 --store s3://bucket/levels --out levels
    """
    from .elsewhere import locate
    from .repository import NotARepository
    from .restore import restore as bring_back
    from .restore import restore_elsewhere, restore_from_store
    from .revisions import UnknownSnapshot
    from .snapshot import is_catalogue_folder
    from .workers import executor

    with stoppable(), executor(*workforce) as pool:
        if store is not None:
            done = restore_from_store(reference, store, Path.cwd(), pool, out=out, note=note)
        elif locate(reference, Path.cwd()) is not None:
            done = restore_elsewhere(reference, Path.cwd(), pool, out=out, note=note)
        else:
            try:
                done = bring_back(current_repository(), reference, pool, out=out, note=note)
            except (NotARepository, UnknownSnapshot):
                if not is_catalogue_folder(Path.cwd() / reference):
                    raise
                done = restore_elsewhere(reference, Path.cwd(), pool, out=out, note=note)
    number = sum(len(levels) for levels in done.snapshot.cells.values())
    if as_json:
        told = {**done.snapshot.pin.to_json(), "how": done.how, "place": str(done.place), "levels": number}
        click.echo(json.dumps(told))
    else:
        click.echo(f"{done.place}: {counted(number, 'level')}, {done.how}, every byte as frozen: {done.snapshot.pin}")


# --- what the commands share ------------------------------------------------------------------------------------------


def current_repository() -> Repository:
    from .repository import Repository

    return Repository.find(Path.cwd())


def note(text: str) -> None:
    click.echo(f"lpb-gen: {text}", err=True)


@contextmanager
def stoppable(*signals: signal.Signals) -> Iterator[None]:
    """Lets ``signals`` (SIGTERM and SIGHUP, unless others are named) end the work as Ctrl-C does: everything is put
    back."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    before = {sign: signal.signal(sign, stop) for sign in signals or (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)


def show(renderable: Any) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # the same in a pipe or a log, however wide that thinks it is
    console.print(renderable)


def snapshots_table(rows: Sequence[Listed]) -> Table:
    """What ``lpb-gen snapshots`` prints; in a narrow window long names fold, nothing is cut off."""
    from rich.table import Table

    table = Table()
    for title in ("tag", "date", "levels", "parent", "commit", "manifest sha256"):
        table.add_column(title, overflow="fold", no_wrap=title in ("date", "commit"), min_width=WIDTHS.get(title))
    for row in rows:
        cells = "\n".join(f"{cell} {number}" for cell, number in row.levels.items()) or "(see below)"
        commit, digest = (row.pin.commit or "")[:12], row.pin.digest[:12]
        table.add_row(row.pin.tag or "(current)", row.date, cells, row.parent or "-", commit, digest)
    return table
