"""Grades of a sample: from the events of its run record, and from nothing else."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import fmean

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from ...games.wording import counted
from ..failures import TechnicalFailure
from ..metrics import score_events
from ..record import read_events
from .solver import RECORD


@metric
def game_macro() -> Metric:
    """The mean over the games of the mean over each game's objectives: how LongPuzzleBench weighs them."""

    def weighed(scores: list[SampleScore]) -> float:
        games: dict[str, list[float]] = defaultdict(list)
        for one in scores:
            games[str((one.sample_metadata or {}).get("game"))].append(one.score.as_float())
        return fmean(map(fmean, games.values())) if games else 0.0

    return weighed


METRICS = [game_macro(), mean(), stderr()]


@scorer(metrics={"OSR": METRICS, "LC": METRICS, "FGP": METRICS})
def grades() -> Scorer:
    """OSR, LC and FGP in %. Raises TechnicalFailure where the episode has no grade."""

    async def score(state: TaskState, target: Target) -> Score:
        record = state.metadata.get(RECORD)
        if record is None:
            raise TechnicalFailure("external", "there is no run record", where=str(state.sample_id))
        result = score_events(read_events(Path(record) / "events.jsonl"))
        if not result["scored"]:
            raise TechnicalFailure(result["failure"]["kind"], result["failure"]["what"], where=record)
        won = sum(level["solved"] for level in result["levels"])
        return Score(
            value=result["metrics"],
            answer=result["answer"],
            explanation=f"{result['outcome']}: {won} of {counted(len(result['levels']), 'level')} solved, "
            f"{counted(result['steps'], 'step')}",
            metadata={"outcome": result["outcome"], "levels": result["levels"], "record": record},
        )

    return score
