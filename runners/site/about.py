"""What a report says of its runs beside their figures: snapshots and versions; from the manifests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...games.wording import counted
from ..played import Played


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """``snapshots``: one line each; ``facts``: name and text, for the head of the page."""

    title: str
    snapshots: list[str]
    facts: list[tuple[str, str]]


def manifest_of(episode: Played) -> Mapping[str, Any]:
    """What the run's manifest.json says; nothing where it cannot be read."""
    try:
        value = json.loads(Path(episode.run, "manifest.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def about_of(episodes: Sequence[Played], title: str | None) -> About:
    manifests = [manifest_of(episode) for episode in episodes]
    snapshots = _distinct(_pin(manifest) for manifest in manifests)
    tags = _distinct(_inside(manifest, "snapshot").get("tag") for manifest in manifests)
    name = title or f"Agents on {', '.join(tags) if tags else 'an unpinned snapshot'}"
    facts = [("Snapshot", snapshot) for snapshot in snapshots]
    if len(snapshots) > 1:
        facts.append(("These snapshots", "have the same levels of every objective that several runs played"))
    tools = _distinct(_inside(manifest, "toolchain").get("lpb_gen") for manifest in manifests)
    facts.append(("Played with", f"lpb-gen {', '.join(tools) or 'of a version that is not recorded'}"))
    browsers = _distinct(_surface(episode.start["surface"]) for episode in episodes)
    facts.append(("Surface", "; ".join(browsers)))
    objectives = len({episode.objective for episode in episodes})
    scored = sum(episode.row is not None for episode in episodes)
    technical = len(episodes) - scored
    failures = f"{counted(technical, 'technical failure')} (never scored)"
    facts.append(("Episodes", f"{scored} scored of {counted(objectives, 'objective')}, {failures}"))
    return About(title=name, snapshots=snapshots, facts=facts)


def _pin(manifest: Mapping[str, Any]) -> str:
    pin = _inside(manifest, "snapshot")
    if not isinstance(pin.get("digest"), str):
        return "not recorded"
    tag = f"catalogue@{pin['tag']}" if pin.get("tag") else "unpinned"
    return f"{tag} (commit {pin.get('commit') or 'none'}, manifest sha256:{pin['digest']})"


def _surface(surface: Mapping[str, Any]) -> str:
    """``surface``: as ``describe`` gives it."""
    return " ".join(str(surface[key]) for key in ("name", "browser", "browser_version") if surface.get(key))


def _inside(manifest: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = manifest.get(key)
    return value if isinstance(value, Mapping) else {}


def _distinct(values: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(str(value) for value in values if value))
