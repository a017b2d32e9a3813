"""What holds in any graph of states, as compiled loops (numba): from where a solved state is reached, which states lead
to each other, and how long a lost game can go on.

State s leads to ``successors[ends[s]:ends[s + 1]]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..games.kernels import compiled


@compiled
def from_which(solved: Any, ends: Any, successors: Any) -> Any:
    """1 for each state from which one marked in ``solved`` (uint8[N]) is reached, uint8[N]: what is left is closed
    under moves and holds no solved state."""
    n = len(solved)
    heads = np.zeros(n + 1, np.int64)
    for s in successors:
        heads[s + 1] += 1
    for i in range(n):
        heads[i + 1] += heads[i]
    fill = heads[:n].copy()
    before = np.empty(len(successors), np.int32)
    for s in range(n):
        for e in range(ends[s], ends[s + 1]):
            before[fill[successors[e]]] = s
            fill[successors[e]] += 1
    alive = np.zeros(n, np.uint8)
    queue = np.empty(n, np.int32)
    waiting = 0
    for s in range(n):
        if solved[s]:
            alive[s] = 1
            queue[waiting] = s
            waiting += 1
    at = 0
    while at < waiting:
        s = queue[at]
        at += 1
        for e in range(heads[s], heads[s + 1]):
            if not alive[before[e]]:
                alive[before[e]] = 1
                queue[waiting] = before[e]
                waiting += 1
    return alive


@compiled
def best_moves(value: Any, ends: Any, successors: Any) -> Any:
    """For each state the successor with the greatest value, of equals the first; -1 where there is none. int32[N]."""
    best = np.full(len(value), -1, np.int32)
    for s in range(len(value)):
        for e in range(ends[s], ends[s + 1]):
            if best[s] < 0 or value[successors[e]] > value[best[s]]:
                best[s] = successors[e]
    return best


@compiled
def components(ends: Any, successors: Any) -> Any:
    """Strongly connected sets, each after all that it leads to: (members int32[N], set after set; the end of each set
    int32[sets]). R. Tarjan, "Depth-first search and linear graph algorithms", 1972, without recursion."""
    n = len(ends) - 1
    order = np.zeros(n, np.int32)  # 0 = not met; n + 1 = its set is complete
    low = np.zeros(n, np.int32)
    members = np.empty(n, np.int32)
    borders = np.empty(n, np.int32)
    stack = np.empty(n, np.int32)
    way = np.empty(n, np.int32)
    edge = np.empty(n, np.int64)
    held, numbered, listed, sets = 0, 0, 0, 0
    for root in range(n):
        if order[root]:
            continue
        depth = 0
        s = np.int64(root)
        way[0] = s
        edge[0] = ends[s]
        numbered += 1
        order[s] = low[s] = numbered
        stack[held] = s
        held += 1
        while True:
            e = edge[depth]
            if e < ends[s + 1]:
                edge[depth] = e + 1
                t = np.int64(successors[e])
                if order[t] == 0:
                    depth += 1
                    s = t
                    way[depth] = s
                    edge[depth] = ends[s]
                    numbered += 1
                    order[s] = low[s] = numbered
                    stack[held] = s
                    held += 1
                elif order[t] < low[s]:
                    low[s] = order[t]
                continue
            if low[s] == order[s]:
                while True:
                    held -= 1
                    t = np.int64(stack[held])
                    order[t] = n + 1
                    members[listed] = t
                    listed += 1
                    if t == s:
                        break
                borders[sets] = listed
                sets += 1
            depth -= 1
            if depth < 0:
                break
            t = s
            s = np.int64(way[depth])
            if low[t] < low[s]:
                low[s] = low[t]
    return members, borders[:sets]


@compiled
def longest_plays(alive: Any, ends: Any, successors: Any, members: Any, borders: Any) -> Any:
    """For each dead state the most moves that can follow it, where those inside a strongly connected set (they can
    be taken back, and go on for ever) do not count; -1 for the others. int32[N]."""
    longest = np.full(len(alive), -1, np.int32)
    begin = 0
    for end in borders:
        if not alive[members[begin]]:
            most = 0
            for i in range(begin, end):
                for e in range(ends[members[i]], ends[members[i] + 1]):
                    if longest[successors[e]] >= most:
                        most = longest[successors[e]] + 1
            for i in range(begin, end):
                longest[members[i]] = most
        begin = end
    return longest
