"""Runs of agents that do everything an agent may do: real episodes on the direct surface, of small boards with dead
ends, by a clock of their own and without pictures. One seed gives the same runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import levels
import records
from naive_metrics import OBJECTIVES, Graph

from lpb_gen.games import GAMES
from lpb_gen.pipeline.level import Level
from lpb_gen.runners import actions
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.agents.base import Agent, Answer, Decision, Observation
from lpb_gen.runners.agents.navigation import click, way_to_board
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.episode import Episode, Terms
from lpb_gen.runners.failures import FAILURE_KINDS, TechnicalFailure
from lpb_gen.runners.record import Record
from lpb_gen.runners.session import Session
from lpb_gen.runners.view import Objective

BOARDS: dict[str, list[Any]] = {
    "maze": [
        {"rows": text.split("/")}
        for text in (
            "S../.#.",
            "...S/.###/....",
            "..S/#..",
            "##./#S./#.#/.../.##",
            "#.../S..#/..../#..#/....",
            "#..../..S../.#.#.",
            ".../#S#/.../..#",
            ".###/S.#./..../.#..",
            "...#/.S#./..../.#..",
            ".#./.../..#/.S./...",
        )
    ],
    "nut": [
        {"capacity": 3, "bolts": [[3, 1, 2], [2, 1, 1], [3, 2, 3], []]},
        {"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], []]},
        {"capacity": 4, "bolts": [[2, 4, 6, 8], [4, 2, 8, 2], [8, 6, 2, 8], [4, 6, 6, 4], []]},
    ],
    "rush": [
        {"rows": text.split("/")}
        for text in (".EEE./..CCC/..x.B/AAA.B", "F..B./FAAB./..EEE/.....", "..x./...B/...B/...C/AA.C")
    ],
    "truck": [
        {
            "size": [6, 4],
            "walls": [[0, 0]],
            "roads": {"rows": [0], "columns": []},
            "vehicles": [
                {"front": [2, 2], "dir": "D", "len": 3},
                {"front": [4, 1], "dir": "L", "len": 2},
                {"front": [3, 1], "dir": "D", "len": 3},
                {"front": [5, 3], "dir": "D", "len": 3},
            ],
        },
    ],
    "color": [{"rows": rows, "cover": True} for rows in (["A...", "A...", "...."], ["A.#", "A.#", "..#"])],
    "bolt": [
        {
            "size": [4, 4],
            "holes": [[1, 2], [0, 1], [2, 2], [2, 3], [0, 2], [2, 1], [3, 2], [3, 3]],
            "screws": [0, 1, 2, 3, 4],
            "boards": [
                {"a": [0, 1], "b": [1, 2], "holes": [0, 1]},
                {"a": [2, 2], "b": [2, 3], "holes": [2, 3]},
                {"a": [0, 1], "b": [0, 2], "holes": [1, 4]},
            ],
        },
        {
            "size": [4, 4],
            "holes": [[0, 1], [0, 2], [3, 3], [3, 0], [1, 3], [2, 0], [2, 1]],
            "screws": [0, 1, 2, 3, 4],
            "boards": [
                {"a": [0, 2], "b": [0, 1], "holes": [0, 1]},
                {"a": [3, 3], "b": [3, 0], "holes": [2, 3]},
                {"a": [0, 2], "b": [1, 3], "holes": [4, 1]},
            ],
        },
    ],
}


@cache
def objectives() -> tuple[Objective, ...]:
    """All sixteen of the benchmark and one more; the easy one of Maze Paint has ten levels."""
    return tuple(
        Objective(game, tier, tuple(_level(game, tier, board) for board in _some(game, number)))
        for number, (game, tier) in enumerate([*OBJECTIVES, ("maze", "expert")])
    )


def _level(game: str, tier: str, board: Any) -> Level:
    return levels.of_board(GAMES[game].board(board), tier, GAMES[game])


def _some(game: str, number: int) -> list[Any]:
    """Tiers begin at different boards."""
    boards = BOARDS[game]
    if game == "maze" and number % 2:
        return boards[:4]
    shift = number % len(boards)
    return boards[shift:] + boards[:shift]


@cache
def graphs() -> dict[str, Graph]:
    """By level id."""
    return {level.id: Graph(o.game, level.board) for o in objectives() for level in o.levels}


class Messy(Agent):
    """Looks at the session behind the evaluator's back, to get somewhere, and does one thing after another: good moves,
    any moves, clicks on any control and on nothing, what is no action, waits, other levels, answers, failures."""

    def __init__(self, name: str, session: Session, objective: Objective, random: Random, skill: float) -> None:
        self.name = name
        self._session, self._random, self._skill = session, random, skill
        self._game, self._tier = objective.game, objective.tier

    def act(self, observation: Observation) -> Any:
        draw = self._random.random()
        if draw < 0.004:
            raise TechnicalFailure(self._random.choice(FAILURE_KINDS), "it had to happen")  # type: ignore[arg-type]
        if draw < 0.008:
            raise ValueError("a bug")
        if draw < 0.016:
            return Decision(action=Answer(self._random.choice(("done", "I give up", ""))), usage={"calls": 1})
        if draw < 0.10:
            return self._odd()
        if draw < 0.20:
            return self._anywhere()
        way = way_to_board(self._session, self._game, self._tier)
        if way is not None and draw < 0.97:
            return Decision(action=way)
        if self._session.view.screen != "level":
            return Decision(action=self._control())
        return Decision(action=self._move())

    def _odd(self) -> Decision:
        odd = [
            {"action": "press", "key": "F1"},
            {"action": "wait", "seconds": 2.5},
            {"action": "scroll", "x": 3, "y": 3, "dx": 0, "dy": 9},
            {"action": "batch", "actions": [{"action": "wait", "seconds": 1}] * 2},
            {"action": "type", "text": self._random.choice(("ru", "abc", "uuu"))},
            None,
            "up",
        ]
        kind = self._random.choice((None, None, "native", "other", "strange"))
        return Decision(action=self._random.choice(odd), step_class=kind, text="hm")  # type: ignore[arg-type]

    def _anywhere(self) -> Decision:
        if self._random.random() < 0.6:
            return Decision(action=self._control())
        x, y = self._random.randrange(1280), self._random.randrange(900)
        if self._random.random() < 0.5:
            return Decision(action=actions.Drag(((x, y), (self._random.randrange(1280), y))))
        return Decision(action=actions.DoubleClick(x, y))

    def _control(self) -> actions.Action:
        return click(self._session, self._random.choice(sorted(self._session.targets())))

    def _move(self) -> actions.Action:
        view = self._session.view
        assert view.game is not None
        assert view.level is not None
        game, graph = GAMES[view.game], graphs()[view.level.id]
        moves = list(game.moves(view.board, view.state))
        if not moves:
            return click(self._session, self._random.choice(("restart", "menu")))
        move = self._random.choice(moves)
        if self._random.random() < self._skill:
            far = len(graph.distance)
            move = min(moves, key=lambda m: graph.distance.get(game.apply(view.board, view.state, m), far))
        return actions.gesture(self._session.pointers(move))


class Unseen(DirectSurface):
    """Nobody looks at its pictures."""

    def screenshot(self) -> bytes:
        return b""


class Clock:
    """Each look at it is a hundredth of a second later."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 0.01
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def play(
    folder: Path,
    who: str,
    objective: Objective,
    seed: int,
    *,
    offered: Sequence[Objective] | None = None,
    **terms: Any,
) -> None:
    """One episode of ``who``: a reference agent, or any other name for a messy one. No two folders get the same.
    ``offered``: by the suite; all of these by default."""
    random = Random(f"{folder.name} {objective.game} {objective.tier} {seed}")
    begun = datetime(2026, 12, 1, tzinfo=UTC) + timedelta(seconds=random.randrange(10**9))
    surface, clock = Unseen(Session(offered or objectives(), lang=terms.get("lang", "en"))), Clock()
    agent: Any
    if who in AGENTS:
        agent = AGENTS[who](objective.game, objective.tier, seed)
    else:
        agent = Messy(who, surface.session, objective, random, random.choice((0.2, 0.6, 0.95)))
    told = Terms(objective=objective, seed=seed, keep="none", **{"budget": random.choice((20.0, 60.0, 200.0)), **terms})
    with Record(folder, {}, now=lambda: begun) as record:
        Episode(surface, agent, told, record, clock=clock, sleep=clock.sleep).play()


def runs(folder: Path, seed: int) -> dict[tuple[str, str], list[list[dict[str, Any]]]]:
    """Plays a few agents, each some objectives, seeds and settings; returns their events by agent and setting."""
    random = Random(seed)
    for who in ("messy", "tidy", *random.sample(sorted(AGENTS), 1)):
        chosen = random.sample(objectives(), random.choice((1, 5, len(objectives()))))
        for number, objective in enumerate(chosen):
            for episode in range(random.choice((1, 1, 2))):
                setting = "native" if who in AGENTS else random.choice(("native", "code"))
                place = folder / f"{who}-{number}-{episode}"
                budget = {"budget": 30.0} if who == "random" else {}
                play(place, who, objective, seed + random.randrange(2), setting=setting, **budget)
    return _by_agent(folder)


def _by_agent(folder: Path) -> dict[tuple[str, str], list[list[dict[str, Any]]]]:
    by_agent: dict[tuple[str, str], list[list[dict[str, Any]]]] = {}
    for run in _recorded(folder):
        told = run[0]["data"]
        by_agent.setdefault((told["agent"]["name"], told["setting"]), []).append(run)
    return by_agent


def _recorded(folder: Path) -> Iterator[list[dict[str, Any]]]:
    for path in sorted(folder.glob("*/events.jsonl")):
        yield [json.loads(line) for line in path.read_text().splitlines()]


# --- invented ones ----------------------------------------------------------------------------------------------------


def invented(folder: Path, seed: int) -> dict[tuple[str, str], list[list[dict[str, Any]]]]:
    """Records that nobody played, of anything that an evaluator may write down; their events by agent and setting."""
    random = Random(seed)
    played = [*OBJECTIVES, ("maze", "expert")]
    played = random.sample(played, random.choice((1, 3, 12, len(played))))
    count = {objective: random.choice((1, 3, 10, 10)) for objective in played}
    for number in range(len(played) * random.choice((2, 4))):
        objective = played[number % len(played)]
        parts = list(_invented(objective, count[objective], random, number))
        records.write_run(folder / f"run-{number:03}", parts)
    return _by_agent(folder)


def _invented(objective: tuple[str, str], count: int, random: Random, number: int) -> Iterator[records.Part]:
    game, tier = objective
    told = {"setting": random.choice(("native", "code")), "seed": random.randrange(2), "instruction": str(number)}
    yield records.start(game, tier, count, **records.agent(random.choice(("one", "two"))), **told)
    yield records.seen(None, input=None)
    won: set[int] = set()
    for _ in range(random.choice((0, 3, 30))):
        yield records.step(step_class=random.choice(("native", "native", "other")))
        level = random.choice((None, random.randrange(count)))
        here = objective if random.random() < 0.97 else ("rush", "hard")
        if level is not None and here == objective and random.random() < 0.6:
            won.add(min(set(range(count)) - won, default=level))
        seen = {"ready": level is not None and random.random() < 0.6, "progress": round(random.random() * 0.99, 6)}
        yield records.seen(level, game=here[0], tier=here[1], won=sorted(won), **seen)
    if len(won) == count:
        yield records.end("complete")
        return
    reason = random.choice(("deadline", "deadline", "answer", "agent_failed", "technical"))
    yield records.end(reason, "done" if reason == "answer" else None, "provider" if reason == "technical" else "")
