"""Run records by hand: an episode as a list of parts, written as ``lpb-gen run`` writes one; and the command, in this
process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from lpb_gen.pipeline.cli import cli

Part = tuple[str, dict[str, Any]]


def start(game: str = "maze", tier: str = "easy", levels: int | list[Any] = 3, **values: Any) -> Part:
    """``levels``: how many, or what is told of each."""
    if isinstance(levels, int):
        levels = [{"id": f"{game}-{tier}-{n}", "optimal_length": 4 + n} for n in range(levels)]
    return "episode_start", {
        "protocol_version": 1,
        "instruction": "Complete all levels",
        "objective": {"game": game, "tier": tier},
        "levels": levels,
        "agent": {"name": "someone", "kind": "agent"},
        "surface": {"name": "direct"},
        "budget_seconds": 3600.0,
        "seed": 0,
        "lang": "en",
    } | values


def agent(name: str, kind: str = "agent") -> dict[str, Any]:
    return {"agent": {"name": name, "kind": kind}}


def seen(level: int | None = 0, *notes: tuple[str, dict[str, Any]], **values: Any) -> Part:
    """A snapshot after an input; ``level`` None is a menu."""
    return "snapshot", {
        "input": {"kind": "key", "key": "ArrowUp"},
        "screen": "home" if level is None else "level",
        "game": "maze",
        "tier": "easy",
        "level_index": level,
        "ready": level is not None,
        "progress": 0.0,
        "won": [],
        "moves": 0,
        "attempt": 1,
        "state_hash": "",
        "notes": [list(note) for note in notes],
        "rejected": [],
    } | values


def won(*levels: int, **values: Any) -> Part:
    """The snapshot of winning the last of ``levels``."""
    solved = {"game": "maze", "tier": "easy", "level": levels[-1], "moves": 5}
    notes = ("move", {"move": "U", "moves": 5}), ("solved", solved)
    return seen(levels[-1], *notes, **({"progress": 1.0, "won": list(levels), "ready": False} | values))


def step(**values: Any) -> Part:
    return "decision", {"step": 0, "seconds": 0.0, "action": None} | values


def end(reason: str = "deadline", answer: str | None = None, kind: str = "") -> Part:
    failure = {"kind": kind, "what": "it broke"} if kind else None
    return "episode_end", {"reason": reason, "failure": failure, "answer": answer, "rejected": []}


def events(parts: Sequence[Part], seconds: Sequence[float] | None = None) -> list[dict[str, Any]]:
    """``seconds``: when each happened; a second apart by default."""
    return [
        {
            "schema_version": 1,
            "seq": seq,
            "timestamp": "2026-12-01T10:15:00.000+00:00",
            "elapsed_seconds": float(seq) if seconds is None else seconds[seq],
            "type": kind,
            "data": data,
        }
        for seq, (kind, data) in enumerate(parts)
    ]


def write_run(folder: Path, parts: Sequence[Part], seconds: Sequence[float] | None = None) -> Path:
    folder.mkdir(parents=True)
    lines = [json.dumps(event) + "\n" for event in events(parts, seconds)]
    (folder / "events.jsonl").write_text("".join(lines))
    return folder


def finished(folder: Path, levels_won: int, of: int, *, seed: int = 0, name: str = "someone", **values: Any) -> Path:
    """A run that won the first levels and then ran out of time."""
    settings: Mapping[str, Any] = {"game": "maze", "tier": "easy", "seed": seed, **agent(name)} | values
    game, tier = settings["game"], settings["tier"]
    at = {"game": game, "tier": tier}
    parts = [start(levels=of, **settings), seen(None, input=None), seen(0, **at)]
    parts += [seen(n, won=list(range(n + 1)), progress=1.0, **at) for n in range(levels_won)]
    return write_run(folder, [*parts, end("complete" if levels_won == of else "deadline")])


def command(*words: str) -> str:
    """What ``lpb-gen words`` prints in the folder of this process; it has to succeed."""
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout
