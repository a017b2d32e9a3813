"""An episode: one agent's one attempt at one objective, from the home screen to completion, its answer or the deadline.

The evaluator is here, outside the page: it looks at the session after each settled input and writes down what it sees.
Technical failures end an episode without a grade.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ..games import GAMES
from ..games.base import Pointer
from . import actions
from .agents.base import Agent, Answer, AnyAgent, Decision, Observation, ReferenceAgent, native_or_other
from .failures import TechnicalFailure
from .metrics import Scorer
from .potential import Potential
from .record import EventType, Record, screenshot_name

if TYPE_CHECKING:
    from .session import Note
    from .surface import Surface
    from .view import Objective

PROTOCOL_VERSION = 1
BUDGET_SECONDS = 3600.0
INSTRUCTION = "Complete all levels of {game} at {tier} difficulty in the Game Suite"
MOST_TEXT = 10_000  # characters of an answer or of an agent's error that are kept
Keep = Literal["all", "changes", "none"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an episode is played for. ``keep``: ``changes`` keeps the pictures that the agent was shown, ``all`` also
    those between the inputs of one action, ``none`` no picture. Equal pictures are stored once."""

    objective: Objective
    budget: float = BUDGET_SECONDS  # seconds of wall clock
    seed: int = 0
    lang: str = "en"
    keep: Keep = "changes"

    @property
    def instruction(self) -> str:
        return INSTRUCTION.format(game=GAMES[self.objective.game].title["en"], tier=self.objective.tier)


class Episode:
    """``clock``: seconds, monotonic; ``sleep``: waits so many seconds; ``watch``: called after each step."""

    def __init__(
        self,
        surface: Surface,
        agent: AnyAgent,
        terms: Terms,
        record: Record,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        watch: Callable[[Scorer, int], None] | None = None,
    ) -> None:
        self._surface, self._agent, self._terms, self._record = surface, agent, terms, record
        self._clock, self._sleep, self._watch = clock, sleep, watch
        self._scorer = Scorer()
        self._potential = Potential(terms.objective)
        self._begun = 0.0
        self._step = 0
        self._error: str | None = None  # what was wrong with the last action

    def play(self) -> dict[str, Any]:
        """Plays to the end on a surface that has been started; returns the result, which is also on the disk.

        Raises KeyboardInterrupt after writing down that it was interrupted; everything else becomes an unscored result.
        """
        self._begun = self._clock()
        failure: TechnicalFailure | None = None
        reason, answer, interrupted = "technical", None, False
        try:
            self._log("episode_start", self._announcement())
            if isinstance(self._agent, Agent):
                self._agents_own(self._agent.begin, self._terms.instruction, self._surface.session.viewport)
            reason, answer = self._play()
        except TechnicalFailure as error:
            failure = error
        except KeyboardInterrupt:
            failure, interrupted = TechnicalFailure("external", "interrupted by the user"), True
        except Exception as error:  # a fault of ours must not look like the agent's
            failure = TechnicalFailure("environment", f"{type(error).__name__}: {error}")
        cause = {"kind": failure.kind, "what": str(failure)} if failure else None
        end = {"reason": reason, "failure": cause, "answer": answer, "rejected": list(self._surface.rejected())}
        try:
            self._log("episode_end", end)
            result = self._scorer.result()
            self._record.result(result)
        except TechnicalFailure as error:
            result = self._ungraded(error if failure is None else failure)
        if interrupted:
            raise KeyboardInterrupt
        return result

    def _ungraded(self, failure: TechnicalFailure) -> dict[str, Any]:
        """The result where the record could not be finished: what is not on the disk is not graded."""
        result = self._scorer.result() if self._scorer.begun else {}
        cause = {"kind": failure.kind, "what": str(failure)}
        return result | {"scored": False, "outcome": "technical", "failure": cause, "metrics": None}

    def _play(self) -> tuple[str, str | None]:
        """Why it ended, and the agent's answer if it gave one."""
        self._look(None, ())
        while True:
            if self._elapsed() >= self._terms.budget:
                return "deadline", None
            screenshot = self._observe()
            decision = self._decide(screenshot)
            if self._elapsed() >= self._terms.budget:
                return "deadline", None
            if isinstance(decision, Answer):
                return "answer", decision.text
            if decision is not None and self._carry_out(decision):
                return "complete", None
            if self._watch is not None:
                self._watch(self._scorer, self._step)
            self._step += 1

    # --- the parts of a step ------------------------------------------------------------------------------------------

    def _observe(self) -> bytes:
        """What the agent is shown. A reference agent whose pictures nobody keeps needs none."""
        if self._terms.keep == "none" and not isinstance(self._agent, Agent):
            self._log("observation", {"step": self._step, "screenshot": None})
            return b""
        png = self._surface.screenshot()
        self._log("observation", {"step": self._step, "screenshot": self._kept(png)})
        return png

    def _kept(self, png: bytes) -> str:
        return screenshot_name(png) if self._terms.keep == "none" else self._record.screenshot(png)

    def _decide(self, screenshot: bytes) -> actions.Action | Answer | None:
        """The agent's decision; None where there is nothing to carry out."""
        begun = self._clock()
        session = self._surface.session
        if isinstance(self._agent, ReferenceAgent):
            decision = Decision(action=self._agents_own(self._agent.act_knowing, self._terms.instruction, session))
        else:
            left = max(0.0, self._terms.budget - self._elapsed())
            seen = Observation(screenshot=screenshot, step=self._step, seconds_left=left, error=self._error)
            decision = self._agents_own(self._agent.act, seen)
        self._error = None
        data: dict[str, Any] = {"step": self._step, "seconds": round(self._clock() - begun, 6)}
        try:
            taken, said = self._read(decision)
        except actions.InvalidAction as error:
            self._error = str(error)
            self._log("decision", data | {"action": None, "step_class": "other"})
            self._log("agent_error", {"step": self._step, "error": self._error})
            return None
        self._log("decision", data | said)
        return taken

    def _read(self, decision: Any) -> tuple[actions.Action | Answer | None, dict[str, Any]]:
        """What is to be done, and what is written down of it. Raises InvalidAction."""
        if not isinstance(decision, Decision):  # a plain action is one, too
            decision = Decision(action=decision)
        taken = decision.action
        said: dict[str, Any] = {}
        if isinstance(taken, Answer) and isinstance(taken.text, str):
            taken = Answer(_writable(taken.text))
            said["answer"] = taken.text
        elif taken is not None:
            viewport = self._surface.session.viewport
            taken = (
                actions.read_action(dict(taken), viewport)
                if isinstance(taken, Mapping)
                else actions.validated(taken, viewport)
            )
        form = None if taken is None or isinstance(taken, Answer) else actions.write_action(taken)
        if not isinstance(taken, Answer):
            said["action"] = form
        said["step_class"] = decision.step_class or native_or_other(form)
        if decision.text:
            said["text"] = _writable(decision.text)
        if decision.usage:
            said["usage"] = dict(decision.usage)
        return taken, said

    def _agents_own(self, method: Callable[..., T], *arguments: Any) -> T:
        """Calls the agent; what it raises is its own failure."""
        try:
            return method(*arguments)
        except (TechnicalFailure, KeyboardInterrupt):
            raise
        except BaseException as error:  # sys.exit() is a failure of the agent, too
            what = f"the agent failed ({type(error).__name__}: {_writable(error)})"
            self._log("agent_error", {"step": self._step, "error": what})
            raise TechnicalFailure("external", what) from error

    def _carry_out(self, action: actions.Action) -> bool:
        """Dispatches an action, input by input; true once every level is won. The deadline cuts a batch off."""
        parts = action.actions if isinstance(action, actions.Batch) else (action,)
        done, complete = 0, False
        for part in parts:
            if isinstance(part, actions.Wait):
                self._sleep(min(part.seconds, max(0.0, self._terms.budget - self._elapsed())))
            for event in actions.events(part):
                if complete or self._elapsed() >= self._terms.budget:
                    break
                notes = self._surface.dispatch((event,))
                done += 1
                complete = self._look(event, notes)
        self._log("action", {"step": self._step, "inputs": done})
        return complete

    def _look(self, event: Pointer | None, notes: tuple[Note, ...]) -> bool:
        """The evaluator: writes the settled situation down; true once every target level is won."""
        session, objective = self._surface.session, self._terms.objective
        view = session.view
        measured = self._potential.of(view)
        won = sorted(view.won.get((objective.game, objective.tier), ()))
        data: dict[str, Any] = {
            "step": self._step,
            "input": _input(event),
            "screen": view.screen,
            "game": view.game,
            "tier": view.tier,
            "level_index": view.level_index,
            "level_id": view.level.id if view.level else None,
            "ready": view.ready,
            "progress": measured.value if measured else 0.0,
            "progress_by": measured.by if measured else None,
            "won": won,
            "moves": view.moves_made,
            "attempt": view.attempts,
            "state_hash": session.state_hash(),
            "notes": [[note.kind, note.data] for note in notes],
            "rejected": list(self._surface.rejected()),
        }
        if self._terms.keep == "all" and event is not None:
            data["screenshot"] = self._record.screenshot(self._surface.screenshot())
        self._log("snapshot", data)
        return len(won) == len(objective.levels)

    # --- writing down -------------------------------------------------------------------------------------------------

    def _elapsed(self) -> float:
        return self._clock() - self._begun

    def _log(self, kind: EventType, data: Mapping[str, Any]) -> None:
        self._scorer.add(self._record.event(kind, data, self._elapsed()))

    def _announcement(self) -> dict[str, Any]:
        terms = self._terms
        kind = "reference" if isinstance(self._agent, ReferenceAgent) else "agent"
        return {
            "protocol_version": PROTOCOL_VERSION,
            "instruction": terms.instruction,
            "objective": {"game": terms.objective.game, "tier": terms.objective.tier},
            "levels": [
                {"id": level.id, "optimal_length": level.figures.get("optimal_length"), "board": level.board}
                for level in terms.objective.levels
            ],
            "agent": {"name": self._agent.name, "kind": kind},
            "surface": self._surface.describe(),
            "budget_seconds": terms.budget,
            "seed": terms.seed,
            "lang": terms.lang,
            "viewport": list(self._surface.session.viewport),
        }


def _writable(text: object) -> str:
    """What an agent said, as text that can be written and shown: of bounded length, without lone surrogates."""
    try:
        return str(text)[:MOST_TEXT].encode("utf-8", "replace").decode()
    except Exception:  # not even a text
        return "?"


def _input(event: Pointer | None) -> dict[str, Any] | None:
    if event is None:
        return None
    return (
        {"kind": "key", "key": event.key} if event.kind == "key" else {"kind": event.kind, "x": event.x, "y": event.y}
    )
