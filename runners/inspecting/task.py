"""The task: a sample is an episode of one objective."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # the one kind that its command line does not call a bug
from inspect_ai.dataset import MemoryDataset, Sample

from ...games.base import LpbError
from ...pipeline.snapshot import Snapshot
from ..commands import load_snapshot, objective_of, offered
from ..episode import BUDGET_SECONDS, Terms
from ..paper_metrics import BENCHMARK
from ..view import Objective
from .scorer import grades
from .solver import Stage, play

Words = str | Sequence[str] | None


class Refused(PrerequisiteError, LpbError):
    """An error that a user can act on, which Inspect's command line prints as one line and without a traceback."""

    def __init__(self, error: LpbError) -> None:
        LpbError.__init__(self, error.what, where=error.where, fix=error.fix)
        self.message = f"lpb-gen: {error}"


@task
def objective(
    snapshot: str | None = None,
    game: Words = None,
    tier: Words = None,
    budget: float = BUDGET_SECONDS,
    surface: str = "browser",
    lang: str = "en",
    images: int = 20,
    parallel: int = 2,
    runs: str = "runs",
    browser: str | None = None,
) -> Task:
    """Complete all levels of a game at a difficulty, by mouse and keyboard, from screenshots.

    Args:
      snapshot: A pin, commit or folder; without one, the catalogue of the working folder.
      game: The game or games; without one, the benchmark's 16 objectives.
      tier: The difficulty or difficulties; without one, all that the game has.
      budget: Seconds of wall clock for each objective.
      surface: "browser", or "direct" for the same pixels without one.
      lang: Language of the labels, "en" or "zh".
      images: Screenshots that the model is shown again, the latest ones.
      parallel: Episodes played at once.
      runs: Folder for the run records.
      browser: Path of the browser to use.
    """
    try:
        found = load_snapshot(snapshot)
        stage = Stage(
            snapshot=found,
            reference=snapshot,
            budget=budget,
            surface=surface,
            lang=lang,
            images=images,
            parallel=parallel,
            runs=runs,
            browser=browser,
        )
        chosen = objectives(found, _words(game), _words(tier))
    except LpbError as error:
        raise Refused(error) from None
    return Task(
        dataset=MemoryDataset([sample(one, found) for one in chosen], name=f"lpb_gen {found.pin.tag or ''}".strip()),
        solver=play(stage),
        scorer=grades(),
        # a technical failure costs its own sample only; the evaluation still counts as failed in the end
        fail_on_error=True,
        continue_on_fail=True,
        metadata={"snapshot": {"reference": snapshot, **found.pin.to_json()}},
    )


def objectives(snapshot: Snapshot, games: tuple[str, ...], tiers: tuple[str, ...]) -> list[Objective]:
    """The named ones; of a snapshot as it is, those of the benchmark, or all where it has none of these. Raises
    UnknownCell."""
    if games and tiers:
        return [objective_of(snapshot, game, tier) for game in games for tier in tiers]
    everything = offered(snapshot)
    some = [o for o in everything if (o.game in games or not games) and (o.tier in tiers or not tiers)]
    if not games and not tiers:
        benchmark = [o for o in everything if o.tier in BENCHMARK.get(o.game, ())]
        some = benchmark or everything
    if not some:
        there = ", ".join(f"{o.game} {o.tier}" for o in everything)
        raise LpbError(f"no objective of {' '.join(games + tiers)}", where="snapshot", fix=f"it has {there}")
    return some


def sample(objective: Objective, snapshot: Snapshot) -> Sample:
    return Sample(
        id=f"{objective.game}-{objective.tier}",
        input=Terms(objective=objective).instruction,
        metadata={
            "game": objective.game,
            "tier": objective.tier,
            "level_ids": [level.id for level in objective.levels],
            "snapshot": snapshot.pin.to_json(),
        },
    )


def _words(given: Words) -> tuple[str, ...]:
    if given is None:
        return ()
    return tuple(given.split(",")) if isinstance(given, str) else tuple(given)
