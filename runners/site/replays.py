"""The replay of each episode as files of a site; what its moves cost comes with it, so that nothing is solved twice."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...games.base import LpbError
from ..metrics import Scorer
from ..moves import DAMAGE
from ..played import EVENTS, Played
from ..record import read_events, screenshot_name
from ..solving import Judges
from .films import film_json
from .steps import Steps

EPISODES_A_JOB = 8
PICTURE = re.compile(r"[0-9a-f]{32}\.png")
NOT_SHOWN = ("levels", "schema_version")  # of a result, in the replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Some episodes of one objective, as plain data that can be sent to a worker. ``links``: by episode, the address of
    its screenshots' folder as the page sees it, None where they are not shown; ``box``: pixels of a board picture's
    longer side; ``boards``: by level id, where records hold none."""

    episodes: tuple[Played, ...]
    links: tuple[str | None, ...]
    box: int
    solvers: bool
    boards: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the site keeps of an episode. ``moves``: as ``Played.moves``; ``files``: by their path in the site;
    ``pictures``: names of screenshots that it shows."""

    key: str
    moves: Sequence[Mapping[str, Any]] | None
    steps: int
    files: Mapping[str, bytes]
    pictures: tuple[str, ...]


def key_of(episode: Played) -> str:
    """The name of an episode in its site: by content."""
    return episode.digest[:16]


def jobs(episodes: Iterable[Played], links: Iterable[str | None], **options: Any) -> list[Job]:
    """The work in pieces: episodes of the same objective share their solvers. ``options``: the other fields of Job."""
    groups: dict[tuple[str, str], list[tuple[Played, str | None]]] = {}
    for pair in zip(episodes, links, strict=True):
        groups.setdefault(pair[0].objective, []).append(pair)
    pieces = [own[n : n + EPISODES_A_JOB] for own in groups.values() for n in range(0, len(own), EPISODES_A_JOB)]
    return [Job(episodes=tuple(e for e, _ in own), links=tuple(k for _, k in own), **options) for own in pieces]


def develop(job: Job) -> list[Shown]:
    """Raises OSError."""
    judges = Judges(job.boards, None if job.solvers else {})
    return [_shown(e, link, judges, job.box) for e, link in zip(job.episodes, job.links, strict=True)]


def _shown(episode: Played, link: str | None, judges: Judges, box: int) -> Shown:
    steps, scorer = Steps(judges.of, box), Scorer()
    try:
        for event in read_events(Path(episode.run, EVENTS)):
            scorer.add(event)
            steps.add(event)
    except (LpbError, *DAMAGE) as error:  # the rest of a damaged record, which is a technical failure
        steps.remark = steps.remark or str(error)
    key = key_of(episode)
    files: dict[str, bytes] = {}
    films = {}
    for level, film in steps.films.films().items() if steps.films else ():
        start, sheet = f"replays/{key}-{level + 1}.webp", f"replays/{key}-{level + 1}-moves.webp"
        assert steps.films is not None
        films[str(level)] = film_json(film, steps.films.place(level), start, sheet)
        files[start] = film.start
        if film.sheet:
            files[sheet] = film.sheet
    kept = _kept(episode, steps, link)
    replay = {
        **_told(episode, key),
        "folder": link,
        "pictures": [name if name in kept else None for name in steps.pictures],
        "films": films,
        "steps": steps.steps,
        "remark": steps.remark,
    }
    files[f"replays/{key}.js"] = f"replay({_json(replay)});\n".encode()
    moves = steps.follower.result() if steps.follower is not None and episode.row else None
    return Shown(key=key, moves=moves, steps=len(steps.steps), files=files, pictures=tuple(sorted(kept)))


def _json(replay: dict[str, Any]) -> str:
    try:
        return json.dumps(replay, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except ValueError:  # a damaged record may hold numbers that are none
        return json.dumps(replay | {"steps": [], "remark": "its numbers are not numbers"}, sort_keys=True)


def _kept(episode: Played, steps: Steps, link: str | None) -> set[str]:
    """The screenshots that are there. What an event names may be anything, and a file may be a link to another: only
    what has its content's name is a picture of ours."""
    if link is None:
        return set()
    folder = Path(episode.run, "screenshots")
    return {name for name in steps.pictures if PICTURE.fullmatch(name) and _is_whole(folder / name)}


def _is_whole(picture: Path) -> bool:
    return picture.is_file() and screenshot_name(picture.read_bytes()) == picture.name


def _told(episode: Played, key: str) -> dict[str, Any]:
    """Who played what, and how it came out."""
    start, result = episode.start, episode.result
    return {
        "key": key,
        "run": Path(episode.run).name,
        "setting": episode.setting,
        "instruction": start.get("instruction"),
        "budget": start["budget_seconds"],
        "seed": start["seed"],
        "lang": start["lang"],
        "viewport": start.get("viewport", [1280, 900]),
        "result": {name: value for name, value in result.items() if name not in NOT_SHOWN},
        "levels": result["levels"],
    }


def address(relative: str) -> str:
    """A path as a page names it."""
    return quote(Path(relative).as_posix())
