"""Every move of an episode against exact solvers: what it cost, whether it lost the level, and what came of that.

Source: LongPuzzleBench, appendix D. With d(s) the least number of moves that solve state s, a move from s to s' has
the extra cost (*regret*) 1 + d(s') - d(s): 0 on a shortest way, infinite where s' is lost (a *fatal* move). An attempt
goes from a level's start or restart to its win, restart, exit or the episode's end.

The moves are made again from the events by the rules alone; solvers are asked afterwards, never while an agent plays.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from ..games.base import IllegalMove, decode_move
from .played import EVENTS, Played
from .record import InvalidRecord, read_events
from .solving import Judge, Judges

JudgeOf = Callable[[str, Mapping[str, Any]], Judge | None]  # of a game, and of a level as episode_start has it

# what is counted; ``judged`` moves have a finite extra cost, ``lost`` ones were made on a lost board, ``unknown`` ones
# begin or end in a state of which no solver could say enough
COUNTS = ("attempts", "moves", "undos", "invalid", "revisits")
PAINTING = ("productive", "zero_progress")  # Maze Paint only
JUDGED = ("judged", "optimal", "regret", "worst", "fatal", "lost", "unknown")
DEAD_ENDS = ("dead_attempts", "dead_ends", "rebuilt")
PAINT = "maze"
DAMAGE = (KeyError, IndexError, TypeError, ValueError, AttributeError)  # what a damaged record may raise


class LevelMoves:
    """The moves on one level, attempt after attempt."""

    def __init__(self, judge: Judge | None) -> None:
        """``judge`` None: nobody knows the board, only what the log says itself is counted."""
        self._judge = judge
        self._painting = judge is not None and judge.game.name == PAINT
        self._counts: dict[str, Any] = dict.fromkeys((*COUNTS, *PAINTING, *JUDGED, *DEAD_ENDS), 0)
        self._delays: list[int] = []
        self._lost_before: set[Hashable] = set()  # in earlier attempts
        self._open = False
        self._states: list[Any] = []  # of the attempt, undo goes back along it; empty where they are not known
        self._last: Any = None  # the state at the end of the attempt before
        self._visited: set[Any] = set()
        self._lost_now: set[Hashable] = set()
        self._delay = 0  # moves since the board was lost, the fatal one included; 0 where it is not
        self._dead_ends = 0  # of the attempt

    def begin(self, *, from_start: bool = True) -> None:
        self.end()
        self._open = True
        self._counts["attempts"] += 1
        if self._judge is not None and from_start:
            self._states, self._last = [self._judge.game.start(self._judge.board)], None
            self._visited = set(self._states)

    def end(self) -> None:
        """The attempt is over, if there is one."""
        if self._open:
            self._close_dead_end()
            self._counts["dead_attempts"] += self._dead_ends > 0
            self._lost_before |= self._lost_now
            self._last = self._states[-1] if self._states else None
        self._open, self._states, self._visited = False, [], set()
        self._lost_now, self._dead_ends = set(), 0

    def move(self, value: Any) -> None:
        """Raises IllegalMove where it is none."""
        self._counts["moves"] += 1
        if not self._states:
            self._counts["unknown"] += 1
            return
        assert self._judge is not None
        judge, before = self._judge, self._states[-1]
        after = judge.game.apply(judge.board, before, decode_move(judge.game, judge.board, before, value))
        self._states.append(after)
        self._counts["revisits"] += after in self._visited
        self._visited.add(after)
        if self._painting:
            grew = judge.game.progress(judge.board, after) > judge.game.progress(judge.board, before)
            self._counts["productive" if grew else "zero_progress"] += 1
        if judge.has_solver:
            self._weigh(before, after)

    def invalid(self) -> None:
        self._counts["invalid"] += 1

    def undo(self) -> None:
        self._counts["undos"] += 1
        if self._states:
            self._states.pop()
            if not self._states:
                raise IllegalMove("an undo at the start", where="moves")
            assert self._judge is not None
            if self._delay and self._judge.is_lost(self._states[-1]) is False:
                self._close_dead_end()

    @property
    def state(self) -> Any:
        """Where the board is, or was when the attempt ended; None where that is not known."""
        return self._states[-1] if self._states else self._last

    @property
    def delay(self) -> int:
        """Moves since the board was lost, the fatal one included; 0 where it is not."""
        return self._delay

    @property
    def rebuilt(self) -> int:
        """Dead ends so far that an earlier attempt had been in."""
        return int(self._counts["rebuilt"])

    @property
    def solved(self) -> bool | None:
        """Whether the board is solved now; None where that is not known."""
        if not self._states or self._judge is None:
            return None
        return bool(self._judge.game.solved(self._judge.board, self._states[-1]))

    def _weigh(self, before: Any, after: Any) -> None:
        assert self._judge is not None
        was_lost, is_lost = self._judge.is_lost(before), self._judge.is_lost(after)
        if is_lost:
            self._stay_lost(after)
        if was_lost:
            self._counts["lost"] += 1
        elif was_lost is False and is_lost:
            self._counts["fatal"] += 1
        else:
            self._measure(self._judge.remaining(before), self._judge.remaining(after))

    def _measure(self, before: float | None, after: float | None) -> None:
        if before is None or after is None or inf in (before, after):
            self._counts["unknown"] += 1
            return
        extra = int(1 + after - before)
        if extra < 0:
            raise AssertionError(f"a move that saves {-extra} moves: the solver is wrong")
        self._counts["judged"] += 1
        self._counts["optimal"] += extra == 0
        self._counts["regret"] += extra
        self._counts["worst"] = max(self._counts["worst"], extra)

    def _stay_lost(self, state: Any) -> None:
        assert self._judge is not None
        key = self._judge.key(state)
        if not self._delay:
            self._dead_ends += 1
            self._counts["dead_ends"] += 1
            self._counts["rebuilt"] += key in self._lost_before
        self._delay += 1
        self._lost_now.add(key)

    def _close_dead_end(self) -> None:
        if self._delay:
            self._delays.append(self._delay)
        self._delay = 0

    def result(self) -> dict[str, Any]:
        """See ``summed``."""
        solver = self._judge is not None and self._judge.has_solver
        found = {name: self._counts[name] for name in COUNTS}
        found["revisits"] = None if self._judge is None else found["revisits"]
        found |= {name: self._counts[name] if self._painting else None for name in PAINTING}
        found |= {name: self._counts[name] if solver else None for name in (*JUDGED, *DEAD_ENDS)}
        return found | {"delays": list(self._delays) if solver else None}


# --- an episode -------------------------------------------------------------------------------------------------------


def with_moves(episodes: Iterable[Played], judges: Judges, advance: Callable[[], None] = lambda: None) -> list[Played]:
    """The episodes with the counts of their moves; technical failures stay without. ``advance``: called after each.
    Raises InvalidRecord, OSError."""
    judged = []
    for episode in episodes:
        if episode.row:
            try:
                episode = replace(episode, moves=moves_of(read_events(Path(episode.run, EVENTS)), judges.of))
            except InvalidRecord as error:
                raise InvalidRecord(error.what, where=f"{episode.run}: {error.where}", fix=error.fix) from None
        judged.append(episode)
        advance()
    return judged


def moves_of(events: Iterable[Mapping[str, Any]], judge_of: JudgeOf) -> list[dict[str, Any]]:
    """The counts of each target level. Raises InvalidRecord where the moves do not replay."""
    follower = Follower(judge_of)
    for event in events:
        follower.add(event)
    return follower.result()


class Follower:
    """``add`` takes the events of one episode in their order and makes its moves again; ``meters``: of each target
    level."""

    def __init__(self, judge_of: JudgeOf) -> None:
        self.meters: list[LevelMoves] = []
        self._judge_of = judge_of
        self._objective: tuple[str, str] = "", ""
        self._playing: LevelMoves | None = None  # the target level that is open
        self._first = True

    def add(self, event: Mapping[str, Any]) -> None:
        """Raises InvalidRecord where the moves do not replay."""
        data = event["data"]
        if event["type"] == "episode_start":
            self._objective = data["objective"]["game"], data["objective"]["tier"]
            self.meters = [LevelMoves(self._judge_of(self._objective[0], level)) for level in data["levels"]]
        if event["type"] != "snapshot":
            return
        if self._first and data["ready"] and (data["game"], data["tier"]) == self._objective:
            self._playing = self.meters[data["level_index"]]  # the episode found a level open
            self._playing.begin(from_start=data["moves"] == 0)
        self._first = False
        try:
            for kind, note in data["notes"]:
                self._follow(kind, note)
        except (IllegalMove, InvalidRecord, *DAMAGE) as error:
            fix = "was it played with other rules?"
            raise InvalidRecord(f"its moves do not replay ({error})", where=f"event {event['seq']}", fix=fix) from None

    def result(self) -> list[dict[str, Any]]:
        """The counts of each target level; the episode is over."""
        for meter in self.meters:
            meter.end()
        return [meter.result() for meter in self.meters]

    def _follow(self, kind: str, note: Mapping[str, Any]) -> None:
        playing = self._playing
        if kind == "enter" or kind == "restart":
            if playing is not None:
                playing.end()
            on_level = kind == "restart" or note["screen"] == "level"
            self._playing = None
            if on_level and (note["game"], note["tier"]) == self._objective:
                self._playing = self.meters[int(note["level"])]
                self._playing.begin()
            return
        if playing is None:
            return
        match kind:
            case "move":
                playing.move(note["move"])
            case "invalid":
                playing.invalid()
            case "undo":
                playing.undo()
            case "solved":
                if playing.solved is False:
                    raise InvalidRecord("a level counts as solved that is not")
                playing.end()
                self._playing = None


# --- sums -------------------------------------------------------------------------------------------------------------


def summed(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The counts of several levels or episodes as one, with what follows from them: ``mean_regret`` of a judged move,
    ``optimal_share`` and ``fatal_share`` among judged and fatal moves, ``productive_share`` among valid moves,
    ``mean_delay`` and ``longest_delay`` of a dead end. None where a part does not know it, or there is nothing to
    divide by."""
    known = list(parts)
    found: dict[str, Any] = {}
    for name in (*COUNTS, *PAINTING, *JUDGED, *DEAD_ENDS):
        values = [part[name] for part in known]
        total = max(values, default=0) if name == "worst" and None not in values else _sum(values)
        found[name] = total
    lists = [part["delays"] for part in known]
    delays = None if None in lists else [delay for own in lists for delay in own]
    found["delays"] = delays
    of_solvable = _sum([found["judged"], found["fatal"]])
    return found | {
        "mean_regret": _share(found["regret"], found["judged"]),
        "optimal_share": _share(found["optimal"], of_solvable),
        "fatal_share": _share(found["fatal"], of_solvable),
        "productive_share": _share(found["productive"], found["moves"]),
        "mean_delay": sum(delays) / len(delays) if delays else None,
        "longest_delay": max(delays) if delays else None,
    }


def _sum(values: Iterable[Any]) -> Any:
    known = list(values)
    return None if None in known else sum(known)


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if whole and part is not None else None
