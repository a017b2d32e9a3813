"""An episode step by step, for its replay: what the agent saw, said and did, and what came of it.

A step begins when the agent is shown the screen, and ends before it is shown the next one. What is not there, false or
zero is left out of a step:

    t       when it began, seconds            text, usage, sec   what the agent said, used, and how long it took
    p       number of its screenshot          act, in            its action in words; the inputs: [x, y, phase] or a key
    b, a    [level, picture] of the board     err, notes         what was wrong; what happened
            before and after                  marks              failures that it completes: see ``taxonomy.KINDS``
    at      where it was left: screen, level  d, lost, pg        remaining moves, lost, progress after it
    won     how many levels are won           fatal              it lost the level
    ps      numbers of the screenshots after each of its inputs, where the record kept those, too
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite, isinf
from typing import Any

from ...games import GAMES
from ...games.base import LpbError
from ..moves import Follower, JudgeOf
from ..solving import Judge
from ..taxonomy import BY_EVENTS, UNNOTICED, Taxonomy
from .films import Films
from .words import action_text, note_text, place_text

PHASES = {"down": 0, "move": 1, "up": 2}
MOST_INPUTS = 400  # of a step that are drawn


class Steps:
    """``add`` takes the events of one episode in their order; ``steps`` and ``pictures`` are what the replay shows."""

    def __init__(self, judge_of: JudgeOf, box: int) -> None:
        self.steps: list[dict[str, Any]] = []
        self.pictures: list[str] = []  # names of screenshots, each once
        self.films: Films | None = None
        self.remark = ""  # why boards and distances are missing from some step on
        self._judge_of, self._box = judge_of, box
        self.follower: Follower | None = Follower(judge_of)
        self._taxonomy = Taxonomy()
        self._counted: Mapping[str, int] = {}
        self._rebuilt: list[int] = []
        self._unnoticed = False
        self._judges: list[Judge | None] = []
        self._objective: tuple[str, str] = "", ""
        self._numbers: dict[str, int] = {}
        self._board: list[int] | None = None
        self._lost = False
        self._step: dict[str, Any] = {"t": 0.0}
        self._pending: dict[str, Any] = {}  # of the situation that the next step begins in

    def add(self, event: Mapping[str, Any]) -> None:
        data = event["data"]
        self._taxonomy.add(event)
        if self.follower is not None:
            try:
                self.follower.add(event)
            except LpbError as error:  # moves that do not replay, or a board that is none
                self.follower, self._board, self.remark = None, None, str(error)
        match event["type"]:
            case "episode_start":
                self._begin(data)
            case "observation":
                self._observe(event)
            case "decision":
                self._decide(data)
            case "agent_error":
                step = self._current()
                step["err"] = "; ".join([*([step["err"]] if "err" in step else []), str(data["error"])])
            case "snapshot":
                self._settle(data)
            case "episode_end":
                self._end(data)
        self._mark()

    # --- the kinds of events ------------------------------------------------------------------------------------------

    def _begin(self, data: Mapping[str, Any]) -> None:
        game = data["objective"]["game"]
        self._objective = game, data["objective"]["tier"]
        self._judges = [self._judge_of(game, level) if self.follower else None for level in data["levels"]]
        self._rebuilt = [0] * len(self._judges)
        width, height = data.get("viewport", (1280, 900))
        if game in GAMES:
            boards = [judge.board if judge is not None else None for judge in self._judges]
            self.films = Films(game, boards, (int(width), int(height)), self._box)

    def _observe(self, event: Mapping[str, Any]) -> None:
        step: dict[str, Any] = {"t": round(event["elapsed_seconds"], 2), **self._pending}
        if self._board is not None:
            step["b"] = step["a"] = self._board
        name = event["data"].get("screenshot")
        if isinstance(name, str):
            step["p"] = self._numbered(name)
        self.steps.append(step)

    def _numbered(self, name: str) -> int:
        """The number of a screenshot; each counts once."""
        if name not in self._numbers:
            self._numbers[name] = len(self.pictures)
            self.pictures.append(name)
        return self._numbers[name]

    def _current(self) -> dict[str, Any]:
        """The step that is under way; one of its own for what happens before the agent is shown anything."""
        if not self.steps:
            self.steps.append({"t": 0.0, **self._pending})
        return self.steps[-1]

    def _decide(self, data: Mapping[str, Any]) -> None:
        step = self._current()
        step["sec"] = round(data.get("seconds") or 0.0, 2)
        if data.get("text"):
            step["text"] = str(data["text"])
        if data.get("usage"):
            step["usage"] = {
                str(key): value
                for key, value in data["usage"].items()
                if isinstance(value, int | float) and isfinite(value)
            }
        if data.get("step_class"):
            step["cls"] = str(data["step_class"])
        if "answer" in data:
            step["act"], step["answer"] = "final answer", str(data["answer"])
        else:
            step["act"] = action_text(data.get("action"))

    def _settle(self, data: Mapping[str, Any]) -> None:
        given = data["input"]
        here = (data["game"], data["tier"]) == self._objective
        level = data["level_index"] if here else None
        self._pending = {
            "at": place_text(data["screen"], data["tier"], data["level_index"]),
            "pg": data["progress"],
            "won": len(data["won"]),
        } | self._judged(level)
        if level is not None:
            self._pending["lv"] = level
        else:
            self._board = None
        if given is None and not self.steps:
            return
        step = self._current()
        for name in ("d", "lost", "lv"):
            step.pop(name, None)
        step |= self._pending
        step.pop("a", None)
        if self._board is not None:
            step["a"] = self._board
        if given is not None:
            inputs = step.setdefault("in", [])
            if len(inputs) < MOST_INPUTS:
                key = given["kind"] == "key"
                inputs.append(given["key"] if key else [given["x"], given["y"], PHASES[given["kind"]]])
                if isinstance(picture := data.get("screenshot"), str):
                    step.setdefault("ps", []).append(self._numbered(picture))
        notes = [note_text(kind, note, data["game"]) for kind, note in data["notes"]]
        if notes:
            step.setdefault("notes", []).extend(notes)
        lost = bool(self._pending.get("lost"))
        if lost and not self._lost:
            step["fatal"] = 1
        self._lost = lost

    def _judged(self, level: int | None) -> dict[str, Any]:
        """What the solvers say of the open board; its picture becomes the current one."""
        self._board = None
        if level is None or self.follower is None:
            return {}
        state, judge = self.follower.meters[level].state, self._judges[level]
        number = self.films.picture(level, state) if self.films is not None else None
        self._board = None if number is None else [level, number]
        if state is None or judge is None or not judge.has_solver:
            return {}
        lost, left = judge.is_lost(state), judge.remaining(state)
        found: dict[str, Any] = {"lost": 1} if lost else {}
        if not lost and left is not None and not isinf(left):
            found["d"] = int(left)
        return found

    def _end(self, data: Mapping[str, Any]) -> None:
        self._current()["end"] = str(data["reason"])

    def _mark(self) -> None:
        """Names the failures that this event completed."""
        counted = self._taxonomy.result()
        marks = [kind for kind in BY_EVENTS if counted[kind] > self._counted.get(kind, 0)]
        self._counted = counted
        if self.follower is not None:
            meters = self.follower.meters
            unnoticed = any(meter.delay >= UNNOTICED for meter in meters)
            marks += ["dead_end_unnoticed"] if unnoticed and not self._unnoticed else []
            self._unnoticed = unnoticed
            rebuilt = [meter.rebuilt for meter in meters]
            marks += ["dead_end_rebuilt"] if rebuilt != self._rebuilt and any(rebuilt) else []
            self._rebuilt = rebuilt
        if marks:
            step = self._current()
            step["marks"] = list(dict.fromkeys([*step.get("marks", []), *marks]))


def steps_of(events: Iterable[Mapping[str, Any]], judge_of: JudgeOf, box: int) -> Steps:
    found = Steps(judge_of, box)
    for event in events:
        found.add(event)
    return found
