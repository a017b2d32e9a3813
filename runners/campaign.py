"""Many episodes: what is done is skipped, technical failures are tried again, results come in the order of the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .attempts import Attempt, Trial, Watching, Ways, again, attempts_below, is_open
from .crew import Crew
from .plan import Play
from .running import play_once


def played(plays: Sequence[Play], ways: Ways, watching: Watching) -> Iterator[Trial]:
    """Each episode once it is over, in the order of ``plays``. Raises LpbError where one could not begin; then, and
    when the caller stops early, all others are ended first, and their records say that they were interrupted."""
    earlier = attempts_below(ways.out) if ways.resume else {}
    trials, numbers = [Trial(play) for play in plays], []
    for one in trials:
        before = earlier.get(one.play.key, [])
        numbers.append(1 + max((attempt.number for attempt in before), default=0))
        one.attempts += [attempt for attempt in before if attempt.scored][-1:]
    to_do = [index for index, one in enumerate(trials) if not one.attempts]
    over = set(range(len(plays))) - set(to_do)
    way = _here if ways.here else Crew
    work = way(trials, to_do, numbers, ways, watching)
    following = 0
    for index in work:
        over.add(index)
        while following in over:
            yield trials[following]
            following += 1
    while following in over:
        yield trials[following]
        following += 1


def _here(
    trials: Sequence[Trial], to_do: Sequence[int], numbers: Sequence[int], ways: Ways, watching: Watching
) -> Iterator[int]:
    """In this process, one after the other."""
    for index in to_do:
        one = trials[index]
        count = len(one.play.objective.levels)
        while is_open(one, ways):
            number = numbers[index] + len(one.attempts)

            def watch(scorer: Any, step: int, name: str = one.play.name, levels: int = count) -> None:
                watching.under_way[name] = scorer.solved, levels, step + 1
                watching.update()

            watching.under_way[one.play.name] = 0, count, 0
            result, folder = play_once(one.play, number, ways.out, watch)
            one.attempts.append(Attempt(number=number, result=result, record=folder))
            del watching.under_way[one.play.name]
            if is_open(one, ways):
                watching.say(again(one))
        yield index
