"""What holds in any graph of states, as compiled loops (numba): from where a solved state is reached, and how long a
lost game can go on.

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
def longest_plays(alive: Any, ends: Any, successors: Any) -> Any:
    """For each dead state the most moves that can follow it, where those inside a strongly connected set (they can
    be taken back, and go on for ever) do not count. int32[N]. Tarjan's algorithm, without recursion."""
    n = len(alive)
    order = np.full(n, -1, np.int32)
    low = np.zeros(n, np.int32)
    longest = np.full(n, -1, np.int32)
    stack = np.empty(n, np.int32)
    way = np.empty(n, np.int32)
    edge = np.empty(n, np.int64)
    held, numbered = 0, 0
    for root in range(n):
        if alive[root] or order[root] >= 0:
            continue
        depth = 0
        way[0] = root
        edge[0] = ends[root]
        order[root] = low[root] = numbered
        numbered += 1
        stack[held] = root
        held += 1
        while depth >= 0:
            s = way[depth]
            if edge[depth] < ends[s + 1]:
                t = successors[edge[depth]]
                edge[depth] += 1
                if order[t] < 0:
                    order[t] = low[t] = numbered
                    numbered += 1
                    stack[held] = t
                    held += 1
                    depth += 1
                    way[depth] = t
                    edge[depth] = ends[t]
                elif longest[t] < 0:
                    low[s] = min(low[s], order[t])
                continue
            if low[s] == order[s]:
                begin = held - 1
                while stack[begin] != s:
                    begin -= 1
                most = 0
                for i in range(begin, held):
                    u = stack[i]
                    for e in range(ends[u], ends[u + 1]):
                        if longest[successors[e]] >= 0:
                            most = max(most, longest[successors[e]] + 1)
                for i in range(begin, held):
                    longest[stack[i]] = most
                held = begin
            depth -= 1
            if depth >= 0:
                low[way[depth]] = min(low[way[depth]], low[s])
    return longest
