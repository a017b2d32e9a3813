"""Reproducing one record: all its parts, in the order in which one depends on another."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import __version__
from ...games import GAMES
from ...games.base import LpbError
from ...pipeline.level import level_id
from ...pipeline.params import UnknownCell
from ...pipeline.revisions import MovedTag, resolve
from ..commands import offered
from ..session import Session
from ..view import Objective
from .checks import Check, Reproduction
from .events import check_events
from .replay import Replay
from .source import Source, pin_of
from .stored import MISSING, Stored, check_manifest, check_result, read_stored

if TYPE_CHECKING:
    from ...pipeline.snapshot import Snapshot
    from ..surface import Surface

MakeSurface = Callable[[Session], "Surface"]


def reproduce(
    folder: Path,
    source: Source,
    make_surface: MakeSurface,
    *,
    begun: Callable[[int], Callable[[], None]] = lambda events: lambda: None,
) -> Reproduction:
    """Compares everything in the record ``folder`` with what comes out here; writes nothing. ``source``: where its
    snapshot is taken from; ``begun``: gets the number of events to replay and returns what is called after each.
    Raises InvalidRecord where there is nothing to compare with, TechnicalFailure, OSError."""
    record = read_stored(folder)
    checks = [check_manifest(record), check_events(record), check_result(record)]
    remarks = list(_other_tools(record.manifest))
    snapshot, check = _snapshot(record, source, remarks)
    checks.append(check)
    levels, rules = Check("levels"), Check("rules")
    states, screenshots = Check("states"), Check("screenshots")
    checks += [levels, rules]
    if snapshot is None:
        for part in (levels, rules, states, screenshots):
            part.unchecked = "without the snapshot there is nothing to compare with"
    else:
        objective = _levels(record, snapshot, levels)
        if objective is None or not _rules(snapshot, rules):
            states.unchecked = screenshots.unchecked = "the inputs mean something else under other levels or rules"
        else:
            states, screenshots = _replayed(record, snapshot, objective, make_surface, begun)
    named = str(snapshot.pin) if snapshot is not None else str(pin_of(record.manifest))
    return Reproduction(str(folder), named, [*checks, states, screenshots], [*remarks, *_beside(record)])


def _snapshot(record: Stored, source: Source, remarks: list[str]) -> tuple[Snapshot | None, Check]:
    check, pin = Check("snapshot"), pin_of(record.manifest)
    try:
        snapshot = source.snapshot(record.manifest)
    except (LpbError, OSError) as error:
        check.differs(f"it cannot be had: {error}", recorded=str(pin))
        return None, check
    here = snapshot.pin
    check.expect("the manifest's sha256", pin.digest, here.digest)
    if pin.commit is not None and here.commit is not None:
        check.expect("the commit", pin.commit, here.commit)
    if pin.tag != here.tag:
        told = f"the tag {here.tag} was given later" if pin.tag is None else f"the tag {pin.tag} is not known there"
        remarks.append(told if here.tag is None or pin.tag is None else f"{pin.tag} is {here.tag} now")
    if pin.tag is not None and snapshot.repository is not None:
        try:
            resolve(snapshot.repository, pin.tag)
        except MovedTag as error:
            remarks.append(str(error))
        except LpbError:
            pass  # told above
    return snapshot, check


def _levels(record: Stored, snapshot: Snapshot, check: Check) -> Objective | None:
    """The objective in the snapshot, if the record's is the same."""
    start = record.start
    game, tier = start["objective"]["game"], start["objective"]["tier"]
    try:
        levels = snapshot.levels(game, tier)
    except UnknownCell as error:
        check.differs(str(error), recorded=f"{game} {tier}")
        return None
    check.expect("how many", len(start["levels"]), len(levels))
    for number, (told, level) in enumerate(zip(start["levels"], levels, strict=False), 1):
        check.expect(f"level {number}: id", told["id"], level.id)
        if "board" in told:  # records of the first version hold none
            check.expect(f"level {number}: board", told["board"], level.board)
        check.expect(f"level {number}: optimal_length", told["optimal_length"], level.figures.get("optimal_length"))
        if level.rules_version == GAMES[game].rules_version:
            check.expect(f"level {number}: id, by its board", level.id, level_id(GAMES[game], level.board))
    return None if check.status == "differs" else Objective(game, tier, tuple(levels))


def _rules(snapshot: Snapshot, check: Check) -> bool:
    """Whether the rules here are those of the snapshot's levels; the suite shows all of them."""
    for cell, levels in snapshot.cells.items():
        here = GAMES[cell.game].rules_version
        for recorded in sorted({level.rules_version for level in levels}):
            fix = "install the lpb-gen that the record's toolchain names"
            check.expect(f"{cell}: version of the rules; {fix}", recorded, here)
    return check.status == "equal"


def _replayed(
    record: Stored,
    snapshot: Snapshot,
    objective: Objective,
    make_surface: MakeSurface,
    begun: Callable[[int], Callable[[], None]],
) -> tuple[Check, Check]:
    start = record.start
    width, height = start.get("viewport", (1280, 900))
    surface = make_surface(Session(offered(snapshot), lang=start["lang"], viewport=(width, height)))
    try:
        surface.start()
        replay = Replay(record, surface, objective, kept=_kept(record))
        replay.run(begun(len(record.events)))
    finally:
        surface.close()
    return replay.states, replay.screenshots


def _kept(record: Stored) -> bool:
    told = record.settings.get("screenshots")
    if told in ("all", "changes", "none"):
        return bool(told != "none")
    return any((record.folder / "screenshots").glob("*.png"))


# --- remarks ----------------------------------------------------------------------------------------------------------


def _other_tools(manifest: Mapping[str, Any]) -> Iterator[str]:
    tools = manifest.get("toolchain")
    for tool, recorded in tools.items() if isinstance(tools, Mapping) else ():
        here = _tool(tool)
        if here is not None and here != recorded:
            yield f"{tool} was {recorded}, here it is {here}"


def _tool(name: str) -> str | None:
    match name:
        case "lpb_gen":
            return __version__
        case "python":
            return platform.python_version()
        case "system":
            return None
    try:
        return version(name)
    except PackageNotFoundError:
        return MISSING


def _beside(record: Stored) -> Iterator[str]:
    """Pictures that no event names: an episode that is killed may leave one."""
    named = {event["data"].get("screenshot") for event in record.events}
    stray = sorted(path.name for path in (record.folder / "screenshots").glob("*") if path.name not in named)
    if stray:
        yield f"screenshots/{stray[0]}{f' and {len(stray) - 1} more' if stray[1:] else ''}: no event names it"
