"""What follows from the graph of all states of a Nut and Bolt level: dead states, traps, odds (numba, own code).

The successors of state i are ``successors[ends[i]:ends[i + 1]]``; state 0 is the start, ``goal`` the solved one or -1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .nut_store import compiled
from .state_graph import from_which


def solvable_states(ends: Any, successors: Any, goal: int) -> Any:
    """1 for each state from which the solved one is reached, uint8[N]: what is left is closed under transfers and holds
    no solved state."""
    solved = np.zeros(len(ends) - 1, np.uint8)
    if goal >= 0:
        solved[goal] = 1
    return from_which(solved, ends, successors)


@compiled
def survival(goal: int, alive: Any, ends: Any, successors: Any, members: Any, borders: Any) -> Any:
    """The probability that a uniform random player solves the start before a dead state.

    p(s) = mean p(t) over the successors t, for one strongly connected set after the other, those that they lead to
    first: alone at once, together by sweeps until none changes by more than 1e-12 of itself.
    """
    p = np.zeros(len(alive))
    begin = 0
    for end in borders:
        if alive[members[begin]]:
            change = 1.0
            while change > 1e-12:
                change = 0.0
                for i in range(begin, end):
                    s = members[i]
                    if s == goal:
                        p[s] = 1.0
                        continue
                    total = 0.0
                    for e in range(ends[s], ends[s + 1]):
                        total += p[successors[e]]
                    new = total / (ends[s + 1] - ends[s])
                    if end - begin > 1:
                        change = max(change, abs(new - p[s]) / max(new, 1e-300))
                    p[s] = new
        begin = end
    return p[0]


@compiled
def progress(row: Any, largest: Any) -> Any:
    """The largest blocks, summed over the colours; ``largest`` int64[16] is for its own use."""
    largest[:] = 0
    total = 0
    for bolt in row:
        v = bolt
        run = 0
        while v:
            c = v & np.uint64(15)
            run += 1
            v >>= np.uint64(4)
            if v & np.uint64(15) != c:
                if run > largest[c]:
                    total += run - largest[c]
                    largest[c] = run
                run = 0
    return total


@compiled
def temptations(states: Any, alive: Any, ends: Any, successors: Any, plays: Any) -> Any:
    """Counts over the solvable states: (transfers; fatal ones; states with a fatal one; of these, states where the
    transfer with the most progress, of equals the first, is fatal; the longest play after a fatal transfer; the sum of
    these plays over all fatal transfers)."""
    value = np.full(len(alive), -1, np.int64)
    largest = np.empty(16, np.int64)
    legal, fatal, risky, deceptive, most, total = 0, 0, 0, 0, 0, 0
    for s in range(len(alive)):
        if not alive[s]:
            continue
        here = 0
        for e in range(ends[s], ends[s + 1]):
            t = successors[e]
            if not alive[t]:
                here += 1
                total += plays[t]
                most = max(most, plays[t])
        legal += ends[s + 1] - ends[s]
        fatal += here
        if here:
            risky += 1
            best = -1
            for e in range(ends[s], ends[s + 1]):
                t = successors[e]
                if value[t] < 0:
                    value[t] = progress(states[t], largest)
                if best < 0 or value[t] > value[best]:
                    best = t
            deceptive += not alive[best]
    return legal, fatal, risky, deceptive, most, total


@compiled
def greedy_play(states: Any, alive: Any, ends: Any, successors: Any, goal: int) -> Any:
    """The player of most progress, of equals the first: (1 it solves the start, 0 it makes a fatal transfer, -1 it
    loops; transfers until then)."""
    seen = np.zeros(len(alive), np.uint8)
    largest = np.empty(16, np.int64)
    s: Any = 0
    moves = 0
    while s != goal:
        seen[s] = 1
        best: Any = -1
        most = -1
        for e in range(ends[s], ends[s + 1]):
            value = progress(states[successors[e]], largest)
            if value > most:
                best = np.int64(successors[e])
                most = value
        moves += 1
        s = best
        if not alive[s]:
            return 0, moves
        if seen[s]:
            return -1, moves
    return 1, moves
