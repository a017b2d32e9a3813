"""The files of a report: pages, their looks, and for every episode a replay that is loaded when it is opened.

index.html site.css index.js     leaderboard, heat maps, figures, list of episodes
replay.html replay.css replay.js one page that shows any episode: replay.html#KEY
base.css base.js                 what it shares with other pages of ours
replays/KEY.js, KEY-n.webp       an episode's steps, and its boards as pictures
screenshots/                     the records' pictures by content, where they are copied
score.json                       every figure of the page, as ``lpb-gen score --json`` prints them
report.json                      what this folder is
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from ... import __version__
from ...pipeline.files import Kind, whole_folder, write_inside
from ...pipeline.level import canonical_json
from ...pipeline.workers import in_order
from ..leaderboard import score
from ..played import Played
from . import board, figures
from .about import About, about_of
from .markup import Child, Markup, html, tag
from .replays import Shown, address, develop, jobs

Screenshots = Literal["link", "copy", "none"]
SHARED = ("base.css", "base.js")
OWN = ("site.css", "index.js", "replay.html", "replay.css", "replay.js")
FOLDER = Kind(
    "lpb-gen report",
    "report.json",
    frozenset({*SHARED, *OWN, "index.html", "score.json", "report.json", "replays", "screenshots"}),
)
POLICY = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """``box``: pixels of a board picture's longer side; ``solvers``: ask them about every move; ``boards``: board JSON
    by level id, where records hold none."""

    title: str | None = None
    screenshots: Screenshots = "link"
    box: int = 320
    solvers: bool = True
    boards: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """How large a report came out; ``bytes`` without the screenshots, ``copied`` of them alone."""

    episodes: int
    steps: int
    files: int
    bytes: int
    screenshots: int
    copied: int


def write_report(
    target: Path,
    episodes: Sequence[Played],
    pool: Executor,
    options: Options,
    tick: Callable[[int], None] = lambda episodes: None,
) -> Written:
    """Makes ``target`` a report, whole or not at all; ``tick``: called with the number of episodes that are done.
    Raises FolderTaken, OSError."""
    FOLDER.require_free(target)
    size, count, steps = 0, 0, 0
    shown: dict[str, Shown] = {}
    copies: dict[str, Path] = {}
    with whole_folder(target) as folder:

        def add(path: str, data: bytes) -> None:
            nonlocal size, count
            write_inside(folder, path, data)
            size, count = size + len(data), count + 1

        links = [_link(episode, target, options.screenshots) for episode in episodes]
        work = jobs(episodes, links, box=options.box, solvers=options.solvers, boards=options.boards or {})
        for job, done in in_order(pool, develop, work):
            for episode, own in zip(job.episodes, done, strict=True):
                shown[episode.digest] = replace(own, files={})
                steps += own.steps
                for path, data in own.files.items():
                    add(path, data)
                if options.screenshots == "copy":
                    copies |= {name: Path(episode.run, "screenshots", name) for name in own.pictures}
            tick(len(done))
        copied = 0
        for name, source in sorted(copies.items()):
            data = source.read_bytes()
            write_inside(folder, f"screenshots/{name}", data)
            copied += len(data)
        for path, data in _pages(episodes, shown, options):
            add(path, data)
    return Written(len(episodes), steps, count + len(copies), size, len(copies), copied)


def _link(episode: Played, target: Path, screenshots: Screenshots) -> str | None:
    """Where the page finds an episode's screenshots."""
    if screenshots == "none":
        return None
    if screenshots == "copy":
        return "screenshots"
    return address(os.path.relpath(Path(episode.run, "screenshots").resolve(), Path(target).resolve()))


def _pages(episodes: Sequence[Played], shown: Mapping[str, Shown], options: Options) -> Iterable[tuple[str, bytes]]:
    judged = [replace(episode, moves=shown[episode.digest].moves) for episode in episodes]
    found = score(judged)
    yield "score.json", (canonical_json(found) + "\n").encode()
    about = about_of(judged, options.title)
    yield "index.html", index(found, about, judged, shown).encode()
    for name in SHARED:
        yield name, files("lpb_gen.runners.pages").joinpath(name).read_bytes()
    for name in OWN:
        yield name, files(__package__).joinpath(name).read_bytes()
    marker = {"schema": 1, "made_by": FOLDER.made_by, "lpb_gen": __version__, "title": about.title}
    marker |= {"episodes": len(episodes), "snapshots": about.snapshots, "screenshots": options.screenshots}
    yield FOLDER.marker, (json.dumps(marker, indent=2, sort_keys=True) + "\n").encode()


PARTS = ("leaderboard", "objectives", "difficulty", "effort", "moves", "failures", "episodes")


def index(found: Mapping[str, Any], about: About, episodes: Sequence[Played], shown: Mapping[str, Shown]) -> Markup:
    """The whole page."""
    found = {**found, "agents": board.in_order(found["agents"])}
    sections = {
        "leaderboard": board.leaderboard(found),
        "objectives": board.objectives(found),
        "difficulty": board.buckets(found),
        "effort": figures.effort(found),
        "moves": figures.moves(found),
        "failures": figures.failures(found),
        "episodes": figures.episodes(episodes, shown),
    }
    assert tuple(sections) == PARTS
    links = [tag("a", name.capitalize(), href=f"#{name}") for name in PARTS if sections[name]]
    head: list[Child] = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("title", about.title),
        tag("link", rel="icon", href="data:,"),
        tag("link", rel="stylesheet", href="base.css"),
        tag("link", rel="stylesheet", href="site.css"),
    ]
    told = [tag("li", [tag("b", f"{name}: "), text]) for name, text in about.facts]
    body: list[Child] = [
        tag("a", "To the leaderboard", href="#leaderboard", class_="skip"),
        tag("header", tag("h1", about.title), tag("ul", told, class_="facts")),
        tag("nav", links, aria_label="Parts of this page"),
        tag("main", list(sections.values())),
        tag(
            "footer",
            tag("p", f"Made by lpb-gen {__version__} report from the events of each run, and from nothing else."),
        ),
        tag("script", src="base.js"),
        tag("script", src="index.js"),
    ]
    page = tag("html", tag("head", head), tag("body", body), lang="en")
    return Markup(html([Markup("<!doctype html>\n"), page, "\n"]))
