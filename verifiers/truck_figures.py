"""What a random player of Truck Escape needs, and how many states there are.

A state is the set of vehicles that are left, as bits; it can be reached if none of them stands on the way of one that
has left. States of equal size form a layer; layer by layer both are exact. Where there are too many, the expectation is
sampled.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

PLAYS = 4000


@dataclass(frozen=True, slots=True)
class RandomClicks:
    """``expected``: clicks of a player who clicks, again and again, any of the vehicles that are left, each as likely,
    until the lot is empty; ``error``: the standard error where plays were sampled, else 0; ``states``: how many can be
    reached, None where they are more than the limit."""

    expected: float
    error: float
    states: int | None


def random_clicks(waits: Sequence[int], limit: int) -> RandomClicks:
    """``waits``: for each vehicle, the set of those on its way, as bits; no cycle among them."""
    layers = _layers(waits, limit)
    if layers is None:
        return _sampled(waits)
    return RandomClicks(_expected(waits, layers), 0.0, sum(map(len, layers)))


def _layers(waits: Sequence[int], limit: int) -> list[Any] | None:
    """The reachable states, int64, by the number of vehicles that have left, each layer in rising order."""
    import numpy as np

    layers = [np.array([(1 << len(waits)) - 1], np.int64)]
    total = 1
    for _ in waits:
        states = layers[-1]
        after = [states[_can_leave(states, n, waits[n])] ^ (1 << n) for n in range(len(waits))]
        layers.append(np.unique(np.concatenate(after)))
        total += len(layers[-1])
        if total > limit:
            return None
    return layers


def _can_leave(states: Any, n: int, waits: int) -> Any:
    return ((states >> n) & 1 == 1) & (states & waits == 0)


def _expected(waits: Sequence[int], layers: list[Any]) -> float:
    """E(S) = (vehicles left / vehicles that can leave) + mean of E over the departures, from the empty lot back."""
    import numpy as np

    clicks = np.zeros(1)
    for gone in range(len(waits) - 1, -1, -1):
        states, beyond = layers[gone], layers[gone + 1]
        ways, later = np.zeros(len(states)), np.zeros(len(states))
        for n in range(len(waits)):
            at = np.flatnonzero(_can_leave(states, n, waits[n]))
            ways[at] += 1
            later[at] += clicks[np.searchsorted(beyond, states[at] ^ (1 << n))]
        clicks = (len(waits) - gone + later) / ways
    return float(clicks[0])


def _sampled(waits: Sequence[int]) -> RandomClicks:
    """Plays orders of departure at random, and counts for each departure the clicks that it takes in the mean. The
    player is Python's own Mersenne Twister, whose random() stays the same between versions."""
    chance = random.Random(0)
    lets_go = [[a for a in range(len(waits)) if waits[a] >> b & 1] for b in range(len(waits))]
    blockers = [w.bit_count() for w in waits]
    plays = []
    for _ in range(PLAYS):
        left = blockers.copy()
        free = [n for n, count in enumerate(left) if count == 0]
        clicks = 0.0
        for standing in range(len(waits), 0, -1):
            clicks += standing / len(free)
            gone = free.pop(int(chance.random() * len(free)))
            for n in lets_go[gone]:
                left[n] -= 1
                if left[n] == 0:
                    free.append(n)
        plays.append(clicks)
    mean = sum(plays) / PLAYS
    variance = sum((clicks - mean) ** 2 for clicks in plays) / (PLAYS - 1)
    return RandomClicks(mean, (variance / PLAYS) ** 0.5, None)
