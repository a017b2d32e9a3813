"""Every metric once more, from the events alone and in the plainest way: by its written definition (docs/metrics.md),
with whole fractions, and with the rules' own graph of positions instead of solvers. For small boards and few runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from lpb_gen.games import GAMES
from lpb_gen.games.base import decode_move

Event = Mapping[str, Any]
Run = Sequence[Event]
Value = Fraction | None

TIERS = {  # the sixteen objectives, the easiest tier of each game first
    "bolt": ["easy", "hard"],
    "rush": ["easy", "medium", "hard"],
    "nut": ["easy", "medium", "hard", "extreme", "nightmare"],
    "truck": ["default"],
    "maze": ["easy", "medium", "hard"],
    "color": ["easy", "hard"],
}
OBJECTIVES = [(game, tier) for game, tiers in TIERS.items() for tier in tiers]
HARD = [(game, tier) for game, tiers in TIERS.items() for tier in tiers[1:]]
TECHNICAL = "technical"


# --- one episode ------------------------------------------------------------------------------------------------------


def objective_of(run: Run) -> tuple[str, str]:
    told = run[0]["data"]["objective"]
    return told["game"], told["tier"]


def is_scored(run: Run) -> bool:
    return run[-1]["type"] == "episode_end" and run[-1]["data"]["reason"] != TECHNICAL


def won_levels(run: Run) -> set[int]:
    """Seen as won by the evaluator at any time."""
    return {level for event in run if event["type"] == "snapshot" for level in event["data"]["won"]}


def _on_objective(run: Run) -> Iterable[Mapping[str, Any]]:
    """The snapshots in which a level of the objective was open."""
    for event in run:
        data = event["data"]
        here = event["type"] == "snapshot" and (data["game"], data["tier"]) == objective_of(run)
        if here and data["level_index"] is not None:
            yield data


def reached_levels(run: Run) -> set[int]:
    return won_levels(run) | {data["level_index"] for data in _on_objective(run) if data["ready"]}


def best_potentials(run: Run) -> list[Fraction]:
    best = [Fraction(0)] * len(run[0]["data"]["levels"])
    for data in _on_objective(run):
        best[data["level_index"]] = max(best[data["level_index"]], Fraction(str(data["progress"])))
    for level in won_levels(run):
        best[level] = Fraction(1)
    return best


def left_by_itself(run: Run) -> bool:
    """The agent ended the episode, and not every level was won."""
    by_itself = run[-1]["data"]["reason"] in ("answer", "agent_failed")
    return by_itself and len(won_levels(run)) < len(run[0]["data"]["levels"])


def played_elsewhere(run: Run) -> bool:
    for event in run:
        data = event["data"]
        if event["type"] == "snapshot" and data["ready"] and (data["game"], data["tier"]) != objective_of(run):
            return True
    return False


def step_classes(run: Run) -> list[str]:
    return [event["data"]["step_class"] for event in run if event["type"] == "decision"]


# --- many episodes ----------------------------------------------------------------------------------------------------


def mean(values: Sequence[Fraction]) -> Value:
    return sum(values, Fraction(0)) / len(values) if values else None


def game_macro(of_objective: Mapping[tuple[str, str], Fraction]) -> Value:
    games = [[value for (game, _), value in of_objective.items() if game == one] for one in TIERS]
    return mean([sum(values, Fraction(0)) / len(values) for values in games if values])


def metrics(runs: Iterable[Run]) -> dict[str, Any]:
    """The nine, of one agent's runs in one setting; in %, exact. Tries of one episode without a grade are left out."""
    by_objective: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        if is_scored(run) and objective_of(run) in OBJECTIVES:
            by_objective[objective_of(run)].append(run)
    scored = [run for own in by_objective.values() for run in own]

    def macro(figure: Callable[[Run], Fraction], among: Iterable[tuple[str, str]] = OBJECTIVES) -> Value:
        means = {o: mean([100 * figure(run) for run in own]) for o, own in by_objective.items() if o in set(among)}
        return game_macro({o: value for o, value in means.items() if value is not None})

    def share(holds: Callable[[Run], bool]) -> Value:
        return mean([Fraction(100 * holds(run)) for run in scored])

    def completion(run: Run) -> Fraction:
        return Fraction(len(won_levels(run)), len(run[0]["data"]["levels"]))

    classes = [kind for run in scored if run[0]["data"].get("setting") == "code" for kind in step_classes(run)]
    return {
        "OSR": macro(lambda run: Fraction(completion(run) == 1)),
        "LC": macro(completion),
        "FGP": macro(lambda run: mean(best_potentials(run)) or Fraction(0)),
        "LC_hard": macro(completion, HARD),
        "LPR": _passed(by_objective),
        "H50": _horizon(by_objective),
        "PER": share(left_by_itself),
        "SMR": share(played_elsewhere),
        "NGAR": Fraction(100 * classes.count("native"), len(classes)) if classes else None,
    }


def _passed(by_objective: Mapping[tuple[str, str], Sequence[Run]]) -> Value:
    rates = {}
    for objective, own in by_objective.items():
        reached = sum(len(reached_levels(run)) for run in own)
        if not reached:
            return None
        rates[objective] = Fraction(100 * sum(len(won_levels(run)) for run in own), reached)
    return game_macro(rates)


def _horizon(by_objective: Mapping[tuple[str, str], Sequence[Run]]) -> str | int | None:
    of_ten = [own for own in by_objective.values() if len(own[0][0]["data"]["levels"]) == 10]
    if not of_ten:
        return None
    best = 0
    for k in range(1, 11):
        shares = [Fraction(sum(len(won_levels(run)) >= k for run in own), len(own)) for own in of_ten]
        if sum(shares) / len(shares) >= Fraction(1, 2):
            best = k
    return "10+" if best == 10 else best


# --- moves ------------------------------------------------------------------------------------------------------------


class Graph:
    """All positions of a board, and how many moves each is from a solved one."""

    def __init__(self, name: str, board: Any) -> None:
        self.game = GAMES[name]
        self.board = self.game.board(board)
        self.start = self.game.start(self.board)
        before: dict[Any, list[Any]] = {self.start: []}
        queue = [self.start]
        for state in queue:
            for after in self._steps(state):
                if after not in before:
                    before[after] = []
                    queue.append(after)
                before[after].append(state)
        self.distance = {state: 0 for state in queue if self.game.solved(self.board, state)}
        near = list(self.distance)
        for state in near:
            for nearer in before[state]:
                if nearer not in self.distance:
                    self.distance[nearer] = self.distance[state] + 1
                    near.append(nearer)

    def _steps(self, state: Any) -> Iterable[Any]:
        if not self.game.solved(self.board, state):
            for move in self.game.moves(self.board, state):
                yield self.game.apply(self.board, state, move)

    def after(self, state: Any, move: Any) -> Any:
        return self.game.apply(self.board, state, decode_move(self.game, self.board, state, move))


COUNTED = ("attempts", "moves", "undos", "invalid", "revisits", "productive", "zero_progress", "regret", "optimal")
LOSSES = ("fatal", "lost", "dead_attempts", "dead_ends")


class _Attempt:
    """``at``: the state after each move that was not taken back; ``delay``: moves since the board was lost."""

    def __init__(self, graph: Graph) -> None:
        self.at, self.seen = [graph.start], {graph.start}
        self.delay, self.died = 0, False


class Moves:
    """The figures of one level in one episode, by its notes."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.figures: dict[str, int] = dict.fromkeys((*COUNTED, *LOSSES), 0)
        self.delays: list[int] = []
        self._attempt: _Attempt | None = None

    def begin(self) -> None:
        self.end()
        self._attempt = _Attempt(self.graph)
        self.figures["attempts"] += 1

    def end(self) -> None:
        if self._attempt is not None and self._attempt.delay:
            self.delays.append(self._attempt.delay)
        self._attempt = None

    def move(self, move: Any) -> None:
        attempt, distance, add = self._attempt, self.graph.distance, self.figures
        assert attempt is not None
        state = attempt.at[-1]
        after = self.graph.after(state, move)
        add["moves"] += 1
        add["revisits"] += after in attempt.seen
        if self.graph.game.name == "maze":
            grows = self.graph.game.progress(self.graph.board, after) > self.graph.game.progress(
                self.graph.board, state
            )
            add["productive" if grows else "zero_progress"] += 1
        if state not in distance:
            add["lost"] += 1
        elif after not in distance:
            add["fatal"] += 1
            add["dead_ends"] += 1
            add["dead_attempts"] += not attempt.died
            attempt.died = True
        else:
            extra = 1 + distance[after] - distance[state]
            add["regret"] += extra
            add["optimal"] += extra == 0
        if after not in distance:
            attempt.delay += 1
        attempt.at.append(after)
        attempt.seen.add(after)
        if self.graph.game.solved(self.graph.board, after):
            self.end()

    def undo(self) -> None:
        attempt = self._attempt
        assert attempt is not None
        self.figures["undos"] += 1
        attempt.at.pop()
        if attempt.delay and attempt.at[-1] in self.graph.distance:
            self.delays.append(attempt.delay)
            attempt.delay = 0


def moves_of(run: Run, graphs: Mapping[str, Graph]) -> list[dict[str, Any]]:
    """Of each level of the run's objective; ``graphs`` by level id."""
    game, tier = objective_of(run)
    found = [Moves(graphs[level["id"]]) for level in run[0]["data"]["levels"]]
    playing: Moves | None = None
    for event in run:
        for kind, data in event["data"].get("notes", ()) if event["type"] == "snapshot" else ():
            if kind in ("enter", "restart"):
                if playing is not None:
                    playing.end()
                here = (data["game"], data["tier"]) == (game, tier) and data["level"] is not None
                playing = found[data["level"]] if here else None
                if playing is not None:
                    playing.begin()
            elif playing is not None and kind == "move":
                playing.move(data["move"])
            elif playing is not None and kind == "undo":
                playing.undo()
            elif playing is not None and kind == "invalid":
                playing.figures["invalid"] += 1
    for level in found:
        level.end()
    return [level.figures | {"delays": sum(level.delays), "longest": max(level.delays, default=0)} for level in found]
