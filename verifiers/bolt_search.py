"""All states of a Bolt Unscrew level, as compiled loops (numba) of the verifier's own.

While certain planks are left, holes that the same ones own, cover and would fall past are of one *kind*: only how many
screws are in it matters. A state is the set of planks that are left, as the number of its row, and one small number a
kind, packed into a word. Which planks leave is read off the kinds that still hold screws. A move is a pair of kinds;
its weight is the number of moves from hole to hole that it stands for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..games.kernels import compiled


@compiled
def _kinds(planks: Any, relations: Any, kinds: Any, places: Any) -> Any:
    """Describes the kinds of holes while ``planks`` are left and returns their number.

    ``relations``: uint64[holes, 3], the planks that own, cover and would fall past each hole. ``kinds``: uint64[., 3]
    likewise for each kind; ``places``: int64[., 3], its number of holes, its first bit in the word, the bits' mask.
    Kinds that hold planks come first.
    """
    holes = len(relations)
    many = 0
    for round_ in range(2):
        for hole in range(holes):
            own, cover, above = relations[hole, 0] & planks, relations[hole, 1] & planks, relations[hole, 2] & planks
            if (own != 0) != (round_ == 0):
                continue
            k = 0
            while k < many and (kinds[k, 0] != own or kinds[k, 1] != cover or kinds[k, 2] != above):
                k += 1
            if k == many:
                kinds[k, 0], kinds[k, 1], kinds[k, 2] = own, cover, above
                places[k, 0] = 0
                many += 1
            places[k, 0] += 1
    bit = 0
    for k in range(many):
        width = 0
        while places[k, 0] >> width:
            width += 1
        places[k, 1] = bit
        places[k, 2] = (1 << width) - 1
        bit += width
    return many


@compiled
def _find_row(planks: Any, rows: Any, table: Any) -> Any:
    mask = len(table) - 1
    x = planks * np.uint64(0xBF58476D1CE4E5B9)
    at = np.int64((x ^ (x >> np.uint64(27))) & np.uint64(mask))
    while table[at] and rows[table[at] - 1] != planks:
        at = (at + 1) & mask
    return at


@compiled
def _find(row: int, word: Any, state_row: Any, state_word: Any, table: Any) -> Any:
    mask = len(table) - 1
    x = (word ^ (np.uint64(row) << np.uint64(40))) * np.uint64(0x94D049BB133111EB) + np.uint64(row)
    x = (x ^ (x >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    at = np.int64((x ^ (x >> np.uint64(29))) & np.uint64(mask))
    while table[at] and (state_word[table[at] - 1] != word or state_row[table[at] - 1] != row):
        at = (at + 1) & mask
    return at


@compiled
def _measures(word: Any, planks: Any, kinds: Any, places: Any, many: int) -> Any:
    """Of a state: screws that hold a plank; screws that must still move (those, and those in a lane); planks that no
    screw holds."""
    holding, moving = np.int64(0), np.int64(0)
    released = planks
    for k in range(many):
        count = np.int64((word >> np.uint64(places[k, 1])) & np.uint64(places[k, 2]))
        if count == 0:
            continue
        if kinds[k, 0]:
            holding += count
            released &= ~kinds[k, 0]
        if kinds[k, 0] | kinds[k, 2]:
            moving += count
    return holding, moving, released


@compiled
def _twice(values: Any) -> Any:
    """The same array with room for as many rows again."""
    more = np.zeros((2 * len(values), *values.shape[1:]), values.dtype)
    more[: len(values)] = values
    return more


@compiled
def explore(screws: Any, all_planks: Any, relations: Any, limit: int, within: int) -> Any:
    """Breadth first from the start (sets of holes and planks): (1 complete or 0 stopped at ``limit`` states; planks
    left, uint64[N]; progress in half planks, int32[N]; screws that hold a plank, int32[N]; depth, int32[N]; ends of the
    successors of each state, int64[N + 1]; successors, int32[...]; weights, int32[...]; depth of the first solved state
    or -1).

    With ``within`` >= 0 only states are kept whose depth and number of screws that must still move are together at most
    that; successors are not listed then.
    """
    holes = len(relations)
    rows = np.zeros(64, np.uint64)
    row_table = np.zeros(256, np.int32)
    many = np.zeros(64, np.int64)
    kinds = np.zeros((64, holes, 3), np.uint64)
    places = np.zeros((64, holes, 3), np.int64)
    state_row = np.zeros(1024, np.int32)
    state_word = np.zeros(1024, np.uint64)
    depth = np.zeros(1024, np.int32)
    progress = np.zeros(1024, np.int32)
    holding = np.zeros(1024, np.int32)
    ends = np.zeros(1025, np.int64)
    successors = np.zeros(8192, np.int32)
    weights = np.zeros(8192, np.int32)
    table = np.zeros(4096, np.int32)
    counts = np.zeros(holes, np.int64)

    total = 0
    while total < 64 and all_planks >> np.uint64(total):
        total += 1
    rows[0] = all_planks
    row_table[_find_row(all_planks, rows, row_table)] = 1
    many[0] = _kinds(all_planks, relations, kinds[0], places[0])
    known = 1
    for hole in range(holes):
        if (screws >> np.uint64(hole)) & np.uint64(1):
            for k in range(many[0]):
                if (
                    kinds[0, k, 0] == relations[hole, 0]
                    and kinds[0, k, 1] == relations[hole, 1]
                    and kinds[0, k, 2] == relations[hole, 2]
                ):
                    counts[k] += 1
    word = np.uint64(0)
    for k in range(many[0]):
        word |= np.uint64(counts[k]) << np.uint64(places[0, k, 1])
        if kinds[0, k, 0]:
            holding[0] += counts[k]
    state_word[0] = word
    table[_find(0, word, state_row, state_word, table)] = 1
    count, at, links, found = 1, 0, 0, -1
    while at < count:
        row = state_row[at]
        planks = rows[row]
        if planks == 0 and found < 0:
            found = depth[at]
        for k in range(many[row]):
            counts[k] = (state_word[at] >> np.uint64(places[row, k, 1])) & np.uint64(places[row, k, 2])
        kind, place = kinds[row], places[row]
        for a in range(many[row]):
            if counts[a] == 0 or (kind[a, 1] & ~kind[a, 0]) or planks == 0:
                continue
            stopped = np.uint64(0)  # by the other screws
            for k in range(many[row]):
                if counts[k] > (k == a):
                    stopped |= kind[k, 0] | kind[k, 2]
            for b in range(many[row]):
                if a == b or kind[b, 1] or counts[b] == place[b, 0]:
                    continue
                weight = counts[a] * (place[b, 0] - counts[b])
                counts[a] -= 1
                counts[b] += 1
                stay = planks & (stopped | kind[b, 2])
                new_row = row
                word = (
                    state_word[at] - (np.uint64(1) << np.uint64(place[a, 1])) + (np.uint64(1) << np.uint64(place[b, 1]))
                )
                if stay != planks:
                    slot = _find_row(stay, rows, row_table)
                    if row_table[slot] == 0:
                        if known == len(rows):
                            rows, many, kinds, places = _twice(rows), _twice(many), _twice(kinds), _twice(places)
                        rows[known] = stay
                        many[known] = _kinds(stay, relations, kinds[known], places[known])
                        known += 1
                        row_table[slot] = known
                        if 2 * known > len(row_table):
                            row_table = np.zeros(2 * len(row_table), np.int32)
                            for r in range(known):
                                row_table[_find_row(rows[r], rows, row_table)] = r + 1
                            slot = _find_row(stay, rows, row_table)
                    new_row = row_table[slot] - 1
                    word = np.uint64(0)
                    for k in range(many[row]):
                        if counts[k] == 0:
                            continue
                        own, cover, above = kind[k, 0] & stay, kind[k, 1] & stay, kind[k, 2] & stay
                        m = 0
                        while (
                            kinds[new_row, m, 0] != own
                            or kinds[new_row, m, 1] != cover
                            or kinds[new_row, m, 2] != above
                        ):
                            m += 1
                        word += np.uint64(counts[k]) << np.uint64(places[new_row, m, 1])
                counts[a] += 1
                counts[b] -= 1
                if within >= 0:
                    _, moving, _ = _measures(word, stay, kinds[new_row], places[new_row], many[new_row])
                    if depth[at] + 1 + moving > within:
                        continue
                slot = _find(new_row, word, state_row, state_word, table)
                if table[slot] == 0:
                    if count == limit:
                        return (
                            0, rows[state_row[:count]], progress[:count], holding[:count], depth[:count],
                            ends, successors, weights, found,
                        )  # fmt: skip
                    if count == len(state_word):
                        state_row, state_word, depth = _twice(state_row), _twice(state_word), _twice(depth)
                        progress, holding = _twice(progress), _twice(holding)
                        longer = np.zeros(2 * count + 1, np.int64)
                        longer[: count + 1] = ends
                        ends = longer
                    state_row[count] = new_row
                    state_word[count] = word
                    depth[count] = depth[at] + 1
                    held, _, released = _measures(word, stay, kinds[new_row], places[new_row], many[new_row])
                    holding[count] = held
                    progress[count] = 2 * total
                    for p in range(total):
                        bit = np.uint64(1) << np.uint64(p)
                        if stay & bit:
                            progress[count] -= 1 if released & bit else 2
                    count += 1
                    table[slot] = count
                    if 2 * count > len(table):
                        table = np.zeros(2 * len(table), np.int32)
                        for i in range(count):
                            table[_find(state_row[i], state_word[i], state_row, state_word, table)] = i + 1
                        slot = _find(new_row, word, state_row, state_word, table)
                if within < 0:
                    if links == len(successors):
                        successors, weights = _twice(successors), _twice(weights)
                    successors[links] = table[slot] - 1
                    weights[links] = weight
                    links += 1
        at += 1
        ends[at] = links
    return (
        1, rows[state_row[:count]], progress[:count], holding[:count], depth[:count],
        ends[: count + 1], successors[:links], weights[:links], found,
    )  # fmt: skip


@compiled
def survival(layers: Any, solved: Any, alive: Any, ends: Any, successors: Any, weights: Any) -> Any:
    """The probability that a player solves the start (state 0) who draws each move by its weight. ``layers``: (order of
    the states, begins of the layers and the end); a move stays in its layer or leads to an earlier one. Each layer is
    swept until none of its values changes by more than a billionth of itself."""
    order, begins = layers
    p = np.zeros(len(solved))
    for layer in range(len(begins) - 1):
        change = 1.0
        while change > 1e-9:
            change = 0.0
            for i in range(begins[layer], begins[layer + 1]):
                s = order[i]
                if solved[s]:
                    p[s] = 1.0
                if solved[s] or not alive[s]:
                    continue
                gain, total = 0.0, 0
                for e in range(ends[s], ends[s + 1]):
                    gain += weights[e] * p[successors[e]]
                    total += weights[e]
                value = gain / total
                change = max(change, abs(value - p[s]) / max(value, 1e-300))
                p[s] = value
    return p[0]
