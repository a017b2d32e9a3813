"""An episode: one agent's one attempt at one objective, from the home screen to completion, its answer or the deadline.

The evaluator is here, outside the page: it looks at the session after each settled input and writes down what it sees.
Technical failures end an episode without a grade. An agent that fails by itself has ended its episode, which is graded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ..games import GAMES
from ..games.base import Pointer
from . import actions
from .agents.base import Agent, Answer, AnyAgent, Observation, ReferenceAgent
from .agents.broken import tell
from .decisions import Read, no_action, read_decision, writable
from .failures import TechnicalFailure
from .inputs import write_input
from .metrics import Scorer
from .potential import Potential
from .record import EventType, Record, screenshot_name, write_result
from .turns import AgentRaised, OutOfTime, Turns

if TYPE_CHECKING:
    from .session import Note, Session
    from .surface import Surface
    from .view import Objective

PROTOCOL_VERSION = 1
BUDGET_SECONDS = 3600.0
INSTRUCTION = "Complete all levels of {game} at {tier} difficulty in the Game Suite"
MOST_WORDS = 20_000_000  # characters that an agent may say in an episode; the rest is left out of the record
IDLE_STEPS = 100  # without any input, in a row: from there on such a step takes
IDLE_SECONDS = 0.1  # ... at least this long, so that no flood of them fills the disk
Keep = Literal["all", "changes", "none"]
PlaySetting = Literal["native", "code"]
T = TypeVar("T")


class AgentFailed(Exception):
    """The agent failed by itself; the text says how."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Why an episode is over: ``complete``, ``answer``, ``agent_failed``, ``deadline`` or ``technical``."""

    reason: str
    answer: str | None = None
    agent_failure: str | None = None
    failure: TechnicalFailure | None = None

    def to_json(self) -> dict[str, Any]:
        cause = {"kind": self.failure.kind, "what": str(self.failure)} if self.failure else None
        return {
            "reason": self.reason,
            "failure": cause,
            "answer": self.answer,
            "agent_failure": self.agent_failure,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an episode is played for. ``keep``: ``changes`` keeps the pictures that the agent was shown, ``all`` also
    those between the inputs of one action, ``none`` no picture. Equal pictures are stored once. ``setting``:
    whether the agent may compute (``code``) or not; ``key``: what makes it the same episode again, and
    ``configuration``: what makes it the same agent, both empty where nobody asks; ``attempt``: the how many-th at
    that episode."""

    objective: Objective
    budget: float = BUDGET_SECONDS  # seconds of wall clock
    seed: int = 0
    lang: str = "en"
    keep: Keep = "changes"
    setting: PlaySetting = "native"
    key: str = ""
    configuration: str = ""
    attempt: int = 1

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
        self._turns = Turns()
        self._inputs = 0
        self._idle = 0  # steps without an input, in a row
        self._words = 0  # characters that the agent has said

    def play(self, broken: TechnicalFailure | None = None) -> dict[str, Any]:
        """Plays to the end on a surface that has been started; returns the result, which is also on the disk.
        ``broken``: why it was not, then that is all there is to write down.

        Raises KeyboardInterrupt after writing down that it was interrupted; everything else becomes an unscored result.
        """
        self._begun = self._clock()
        interrupted = False
        try:
            self._log("episode_start", self._announcement())
            if broken is not None:
                raise broken
            ending = self._play()
        except TechnicalFailure as error:
            ending = Ending("technical", failure=error)
        except OutOfTime:
            ending = Ending("deadline")
        except (AgentFailed, actions.InvalidAction) as error:
            ending = Ending("agent_failed", agent_failure=str(error))
        except (KeyboardInterrupt, Exception) as error:  # a fault of ours must not look like the agent's
            interrupted = _is_interrupt(error)
            failure = TechnicalFailure("environment", f"{type(error).__name__}: {error}")
            if interrupted:
                failure = TechnicalFailure("external", "interrupted by the user")
            ending = Ending("technical", failure=failure)
        finally:
            self._turns.end()
        try:
            self._log("episode_end", ending.to_json() | {"rejected": list(self._surface.rejected())})
        except TechnicalFailure as error:
            result = self._ungraded(ending.failure or error)
        else:
            result = self._scorer.result()
            write_result(self._record.folder, result)
        if interrupted:
            raise KeyboardInterrupt
        return result

    def _ungraded(self, failure: TechnicalFailure) -> dict[str, Any]:
        """The result where the record could not be finished: what is not on the disk is not graded."""
        result = self._scorer.result() if self._scorer.begun else {}
        cause = {"kind": failure.kind, "what": str(failure)}
        return result | {
            "scored": False,
            "outcome": "technical",
            "reason": "technical",
            "failure": cause,
            "metrics": None,
        }

    def _play(self) -> Ending:
        """How it ended, where nothing failed."""
        agent = self._agent
        if isinstance(agent, Agent):
            self._agents_own(lambda: agent.begin(self._terms.instruction, self._surface.session.viewport))
        self._look(None, ())
        while True:
            if self._left() <= 0:
                return Ending("deadline")
            screenshot = self._observe()
            decision = self._decide(screenshot)
            if self._left() <= 0:
                return Ending("deadline")
            if isinstance(decision, Answer):
                return Ending("answer", decision.text)
            before = self._inputs
            if decision is not None and self._carry_out(decision):
                return Ending("complete")
            self._pace(self._inputs > before)
            self._watch_step()

    def _watch_step(self) -> None:
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
        seen = Observation(screenshot=screenshot, step=self._step, seconds_left=self._left(), error=self._error)
        self._error = None
        data: dict[str, Any] = {"step": self._step}
        try:
            read = self._agents_own(lambda: self._asked(seen))
        except actions.InvalidAction as error:
            read = no_action(error)
        self._error = read.error
        data |= {"seconds": round(self._clock() - begun, 6)} | read.said
        self._words += len(data.get("text", ""))
        if self._words > MOST_WORDS:
            data.pop("text", None)
        self._log("decision", data)
        for fault in [*read.faults, *([read.error] if read.error is not None else [])]:
            self._log("agent_error", {"step": self._step, "error": fault})
        return read.taken

    def _asked(self, seen: Observation) -> Read:
        """In the agent's thread, where also its answer is read: it may be an object that takes its time."""
        session, agent = self._surface.session, self._agent
        if isinstance(agent, ReferenceAgent):
            return read_decision(agent.act_knowing(self._terms.instruction, session), session.viewport)
        from .agents.model_agent import ModelAgent

        looks = type(agent) is ModelAgent  # whose class is ours, and no agent's word
        return read_decision(agent.act(seen), session.viewport, looks=looks)

    def _agents_own(self, work: Callable[[], T]) -> T:
        """Lets the agent work, until the deadline at most. Raises OutOfTime, TechnicalFailure or InvalidAction as the
        agent did, AgentFailed for all else that it raised."""
        try:
            return self._turns.take(work, self._left())
        except AgentRaised as error:
            cause = error.cause
        if isinstance(cause, TechnicalFailure | actions.InvalidAction):
            raise cause
        if self._left() <= 0:
            raise OutOfTime
        tell(cause, self._record.folder)
        raise AgentFailed(f"the agent failed ({type(cause).__name__}: {writable(cause)})") from cause

    def _pace(self, acted: bool) -> None:
        self._idle = 0 if acted else self._idle + 1
        if self._idle > IDLE_STEPS:
            self._sleep(min(IDLE_SECONDS, max(0.0, self._left())))

    def _carry_out(self, action: actions.Action) -> bool:
        """Dispatches an action, input by input; true once every level is won. The deadline cuts a batch off."""
        parts = action.actions if isinstance(action, actions.Batch) else (action,)
        done, complete = 0, False
        for part in parts:
            if isinstance(part, actions.Wait):
                self._sleep(min(part.seconds, max(0.0, self._left())))
            for event in actions.events(part):
                if complete or self._left() <= 0:
                    break
                notes = self._surface.dispatch((event,))
                done += 1
                self._inputs += 1
                complete = self._look(event, notes)
        self._log("action", {"step": self._step, "inputs": done})
        return complete

    def _look(self, event: Pointer | None, notes: tuple[Note, ...]) -> bool:
        """The evaluator: writes the settled situation down; true once every target level is won."""
        data, complete = self._seen(event, notes)
        if self._terms.keep == "all" and event is not None:
            data["screenshot"] = self._record.screenshot(self._surface.screenshot())
        self._log("snapshot", data)
        return complete

    def _seen(self, event: Pointer | None, notes: tuple[Note, ...]) -> tuple[dict[str, Any], bool]:
        """The settled situation, and whether every target level is won."""
        seen = situation(self._surface.session, self._potential, notes)
        data = {
            "step": self._step,
            "input": None if event is None else write_input(event),
            **seen,
            "rejected": list(self._surface.rejected()),
        }
        return data, len(seen["won"]) == len(self._terms.objective.levels)

    # --- writing down -------------------------------------------------------------------------------------------------

    def _elapsed(self) -> float:
        return self._clock() - self._begun

    def _left(self) -> float:
        """Seconds of the budget; not above zero once it is used up."""
        return self._terms.budget - self._elapsed()

    def _log(self, kind: EventType, data: Mapping[str, Any], at: float | None = None) -> None:
        """``at``: when it happened, where that is not now."""
        self._scorer.add(self._record.event(kind, data, self._elapsed() if at is None else at))

    def _announcement(self) -> dict[str, Any]:
        terms = self._terms
        kind = "reference" if isinstance(self._agent, ReferenceAgent) else self._agent.kind
        return {
            "protocol_version": PROTOCOL_VERSION,
            "instruction": terms.instruction,
            "objective": {"game": terms.objective.game, "tier": terms.objective.tier},
            "levels": [
                {"id": level.id, "optimal_length": level.figures.get("optimal_length"), "board": level.board}
                for level in terms.objective.levels
            ],
            "agent": {"name": self._agent.name, "kind": kind, "configuration": terms.configuration},
            "setting": terms.setting,
            "isolation": self._agent.isolation if isinstance(self._agent, Agent) else None,
            "episode_key": terms.key,
            "attempt": terms.attempt,
            "surface": self._surface.describe(),
            "budget_seconds": terms.budget,
            "seed": terms.seed,
            "lang": terms.lang,
            "viewport": list(self._surface.session.viewport),
        }


def situation(session: Session, potential: Potential, notes: tuple[Note, ...]) -> dict[str, Any]:
    """What the evaluator sees of a settled situation; ``notes``: what happened since the last one."""
    view, objective = session.view, potential.objective
    measured = potential.of(view)
    return {
        "screen": view.screen,
        "game": view.game,
        "tier": view.tier,
        "level_index": view.level_index,
        "level_id": view.level.id if view.level else None,
        "ready": view.ready,
        "progress": measured.value if measured else 0.0,
        "progress_by": measured.by if measured else None,
        "won": sorted(view.won.get((objective.game, objective.tier), ())),
        "moves": view.moves_made,
        "attempt": view.attempts,
        "state_hash": session.state_hash(),
        "notes": [[note.kind, note.data] for note in notes],
    }


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether it is Ctrl-C, or came of it: a library in compiled code that is loaded just then says ImportError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
