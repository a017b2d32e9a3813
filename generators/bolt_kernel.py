"""Bolt Unscrew on bit sets, as compiled loops (numba): the minimum by A*, dead ends by orders and plans.

*Classes.* Holes that the planks which are left own, cover and would fall past alike are interchangeable: swapping two
of them changes nothing that can happen. Of each such class only the number of screws matters, so a state keeps them in
the lowest holes of the class. Classes only grow together as planks leave.

*Minimum.* A screw that holds a plank, or stands in a plank's lane, must move once at least. Where a plan has no
more holes outside of all lanes than parked screws, the next one stands in a lane; what no way to the end avoids counts.

*Plans.* A parked screw lies under no plank for good, so parked screws can be rearranged at will as long as one free
hole is left. Whether a state can be solved depends on the screws that still hold planks and the planks that are left
alone: a *plan*. A plank that no screw holds can be made to leave if and only if no holding screw stands in its lane and
there are as many uncovered holes outside of it as there are parked screws; making it leave never hurts.

*Orders.* Whether there is a solution is told by the order in which the planks leave. Taking out only what holds the
next plank and what stands in its lane never hurts, so the screws that are out depend on the *set* of planks that have
left alone, and a search over such sets decides: the next plank's screws must be within reach and find room outside its
lane.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..games.kernels import compiled

CAPPED, UNSOLVABLE = -1, -2
DEAD = 127
ONE = np.uint64(1)
ZERO = np.uint64(0)


@compiled
def _count(bits: Any) -> Any:
    """The number of members of a bit set."""
    x = bits - ((bits >> ONE) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def _lowest(bits: Any, k: int) -> Any:
    """The k lowest members of a bit set."""
    rest = bits
    for _ in range(k):
        rest &= rest - ONE
    return bits ^ rest


@compiled
def _slot(a: Any, b: Any, table: Any, first: Any, second: Any) -> Any:
    """Where in the hash table the pair is, or belongs. The table holds row + 1, 0 = free."""
    h = (a * np.uint64(0x9E3779B97F4A7C15)) ^ (b * np.uint64(0xC2B2AE3D27D4EB4F))
    h ^= h >> np.uint64(32)
    h *= np.uint64(0xD6E8FEB86659FD93)
    h ^= h >> np.uint64(29)
    mask = table.shape[0] - 1
    at = np.int64(h & np.uint64(mask))
    while table[at]:
        row = table[at] - 1
        if first[row] == a and second[row] == b:
            return at
        at = (at + 1) & mask
    return at


@compiled
def _grown(values: Any) -> Any:
    more = np.empty(2 * values.shape[0], values.dtype)
    more[: values.shape[0]] = values
    return more


@compiled
def _grown_table(table: Any, first: Any, second: Any, count: int) -> Any:
    more = np.zeros(2 * table.shape[0], table.dtype)
    for row in range(count):
        more[_slot(first[row], second[row], more, first, second)] = row + 1
    return more


# --- classes ----------------------------------------------------------------------------------------------------------


@compiled
def _classes(left: Any, owners: Any, coverers: Any, above: Any, out: Any) -> int:
    """Fills ``out`` with the classes of holes as sets, in the order of their lowest hole; returns their number."""
    n = owners.shape[0]
    key = np.empty((n, 3), np.uint64)
    count = 0
    for hole in range(n):
        a, b, c = owners[hole] & left, coverers[hole] & left, above[hole] & left
        at = 0
        while at < count and not (key[at, 0] == a and key[at, 1] == b and key[at, 2] == c):
            at += 1
        if at == count:
            key[at, 0], key[at, 1], key[at, 2] = a, b, c
            out[at] = ZERO
            count += 1
        out[at] |= ONE << np.uint64(hole)
    return count


@compiled
def _settled(screws: Any, classes: Any, count: int) -> Any:
    """The same state with the screws of each class in its lowest holes."""
    out = ZERO
    for i in range(count):
        out |= _lowest(classes[i], _count(screws & classes[i]))
    return out


@compiled
def _remaining(screws: Any, left: Any, own: Any, lane: Any) -> Any:
    """The planks that a screw holds or stops."""
    out = ZERO
    for plank in range(own.shape[0]):
        bit = ONE << np.uint64(plank)
        if left & bit and (own[plank] | lane[plank]) & screws:
            out |= bit
    return out


# --- plans ------------------------------------------------------------------------------------------------------------


@compiled
def _covered(left: Any, cover: Any) -> Any:
    out = ZERO
    rest = left
    while rest:
        plank = _count((rest & (~rest + ONE)) - ONE)
        rest &= rest - ONE
        out |= cover[plank]
    return out


@compiled
def _safe(left: Any, holes: Any, cover: Any, lane: Any) -> Any:
    """The holes that no plank covers or would fall past."""
    out = holes
    rest = left
    while rest:
        plank = _count((rest & (~rest + ONE)) - ONE)
        rest &= rest - ONE
        out &= ~(cover[plank] | lane[plank])
    return out


@compiled
def _cleared(held: Any, left: Any, parked: int, holes: Any, own: Any, cover: Any, lane: Any) -> Any:
    """The planks that are left when every one that can be made to leave has left; ``holes``: the set of all."""
    open_holes = holes & ~_covered(left, cover)
    again = True
    while again:
        again = False
        rest = left
        while rest:
            bit = rest & (~rest + ONE)
            rest ^= bit
            plank = _count(bit - ONE)
            if not (own[plank] | lane[plank]) & held and _count(open_holes & ~lane[plank]) >= parked:
                left ^= bit
                opened = holes & ~_covered(left, cover)
                again = again or opened != open_holes
                open_holes = opened
    return left


@compiled
def orders(start: Any, parked: int, own: Any, cover: Any, lane: Any, hidden: Any, cap: int, whole: bool) -> Any:
    """The sets of planks that can be left, by orders of planks: (1 solvable, 0 dead, or CAPPED; their number; the
    probability that a player who always makes a random plank leave, of those that can, comes to the end).

    ``start``: screws that hold planks, planks left; ``hidden``: for each hole the planks that cover it without having
    it. Without ``whole`` sets with few planks are looked at first, and it stops at the end of the first order that has
    one; the probability means nothing then.
    """
    n = hidden.shape[0]
    held, left = start[0], start[1]
    holes = ~ZERO if n == 64 else (ONE << np.uint64(n)) - ONE
    total = _count(held) + parked
    held_at = np.empty(256, np.uint64)
    left_at = np.empty(256, np.uint64)
    nothing = np.zeros(256, np.uint64)
    table = np.zeros(1024, np.int32)
    heads = np.full(65, -1, np.int32)  # by the number of planks left, linked lists of sets
    following = np.empty(256, np.int32)
    done = np.full(65, -1, np.int32)  # and those that were looked at
    begins = np.zeros(256, np.int64)
    ends = np.zeros(256, np.int64)
    successors = np.empty(1024, np.int32)
    left = _cleared(held, left, parked, holes, own, cover, lane)
    held_at[0] = held
    left_at[0] = left
    table[_slot(left, ZERO, table, left_at, nothing)] = 1
    count, links = 1, 0
    now = _count(left)
    heads[now] = 0
    following[0] = -1
    for _ in range(cap):
        if whole:  # many planks first: every set is complete when those with fewer come
            while now >= 0 and heads[now] < 0:
                now -= 1
        else:
            while now < 65 and heads[now] < 0:
                now += 1
        if now < 0 or now == 65:
            break
        node = heads[now]
        heads[now] = following[node]
        following[node] = done[now]
        done[now] = node
        held, left = held_at[node], left_at[node]
        if left == ZERO and not whole:
            return 1, count, 0.0
        open_holes = holes & ~_covered(left, cover)
        begins[node] = links
        rest = left
        while rest:
            bit = rest & (~rest + ONE)
            rest ^= bit
            plank = _count(bit - ONE)
            needed = (own[plank] | lane[plank]) & held
            if _count(open_holes & ~lane[plank]) < total - _count(held ^ needed):
                continue
            reachable = True
            todo = needed
            while todo and reachable:
                source = todo & (~todo + ONE)
                todo ^= source
                reachable = not hidden[_count(source - ONE)] & left
            if not reachable:
                continue
            after = held ^ needed
            still = _cleared(after, left ^ bit, total - _count(after), holes, own, cover, lane)
            at = _slot(still, ZERO, table, left_at, nothing)
            if table[at] == 0:
                if count == left_at.shape[0]:
                    held_at = _grown(held_at)
                    left_at = _grown(left_at)
                    following = _grown(following)
                    begins = _grown(begins)
                    ends = _grown(ends)
                    nothing = np.zeros(2 * count, np.uint64)
                held_at[count] = after
                left_at[count] = still
                many = _count(still)
                following[count] = heads[many]
                heads[many] = count
                if not whole:
                    now = min(now, many)
                count += 1
                table[at] = count
                if 2 * count > table.shape[0]:
                    table = _grown_table(table, left_at, nothing, count)
                    at = _slot(still, ZERO, table, left_at, nothing)
            if links == successors.shape[0]:
                successors = _grown(successors)
            successors[links] = table[at] - 1
            links += 1
        ends[node] = links
    else:
        return CAPPED, count, 0.0
    if not whole:
        return 0, count, 0.0
    wins = np.zeros(count)
    for many in range(65):
        node = done[many]
        while node >= 0:
            if many == 0:
                wins[node] = 1.0
            elif ends[node] > begins[node]:
                for e in range(begins[node], ends[node]):
                    wins[node] += wins[successors[e]]
                wins[node] /= ends[node] - begins[node]
            node = following[node]
    return np.int64(wins[0] > 0), count, wins[0]


@compiled
def losses(start: Any, parked: int, own: Any, cover: Any, lane: Any, hidden: Any, seed: Any, walks: int) -> Any:
    """Of so many walks from a plan, by random removals until none is left, how many end with planks left. The random
    numbers are splitmix64's (G. Steele et al., 2014) from ``seed``."""
    n = hidden.shape[0]
    holes = ~ZERO if n == 64 else (ONE << np.uint64(n)) - ONE
    total = _count(start[0]) + parked
    lost = 0
    for _ in range(walks):
        held, left = start[0], start[1]
        while left:
            choices = ZERO
            if _count(holes & ~_covered(left, cover)) > total - _count(held):
                rest = held
                while rest:
                    source = rest & (~rest + ONE)
                    rest ^= source
                    if not hidden[_count(source - ONE)] & left:
                        choices |= source
            if choices == ZERO:
                lost += 1
                break
            seed += np.uint64(0x9E3779B97F4A7C15)
            word = (seed ^ (seed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            word ^= word >> np.uint64(31)
            for _ in range((word >> np.uint64(32)) * np.uint64(_count(choices)) >> np.uint64(32)):
                choices &= choices - ONE
            held ^= choices & (~choices + ONE)
            left = _cleared(held, left, total - _count(held), holes, own, cover, lane)
    return lost


@compiled
def plans(start: Any, parked: int, own: Any, cover: Any, lane: Any, hidden: Any, cap: int) -> Any:
    """All plans that can be reached from ``start`` (screws that hold planks, planks left) with so many parked screws:
    (counts, int64[7]: 1 solvable, 0 dead, or CAPPED; plans; dead ones; removals of a screw from solvable plans; of
    these, to dead ones; removals that can follow fatal ones, the longest play each: their sum; their maximum) and for
    ``shortest`` screws, planks, hash table, and how many screws must come to stand in lanes, DEAD for a dead plan."""
    counts = np.zeros(7, np.int64)
    n = hidden.shape[0]
    held, left = start[0], start[1]
    holes = ~ZERO if n == 64 else (ONE << np.uint64(n)) - ONE
    total = _count(held) + parked
    keys = np.empty(1024, np.uint64)
    planks = np.empty(1024, np.uint64)
    table = np.zeros(4096, np.int32)
    ends = np.zeros(1025, np.int64)
    successors = np.empty(4096, np.int32)
    left = _cleared(held, left, parked, holes, own, cover, lane)
    keys[0] = held
    planks[0] = left
    table[_slot(held, left, table, keys, planks)] = 1
    count, links, node = 1, 0, 0
    while node < count:
        held, left = keys[node], planks[node]
        parked = total - _count(held)
        rest = held
        if _count(holes & ~_covered(left, cover)) <= parked:
            rest = ZERO
        while rest:
            source = rest & (~rest + ONE)
            rest ^= source
            if hidden[_count(source - ONE)] & left:
                continue
            after = held ^ source
            still = _cleared(after, left, parked + 1, holes, own, cover, lane)
            at = _slot(after, still, table, keys, planks)
            if table[at] == 0:
                if count >= cap:
                    counts[0], counts[1] = CAPPED, count
                    return counts, keys[:0], planks[:0], table, np.empty(0, np.int8)
                if count == keys.shape[0]:
                    keys = _grown(keys)
                    planks = _grown(planks)
                    wider = np.zeros(2 * count + 1, np.int64)
                    wider[: count + 1] = ends
                    ends = wider
                keys[count] = after
                planks[count] = still
                count += 1
                table[at] = count
                if 2 * count > table.shape[0]:
                    table = _grown_table(table, keys, planks, count)
                    at = _slot(after, still, table, keys, planks)
            if links == successors.shape[0]:
                successors = _grown(successors)
            successors[links] = table[at] - 1
            links += 1
        node += 1
        ends[node] = links
    crowd = np.full(count, DEAD, np.int8)
    longest = np.zeros(count, np.int32)
    for node in range(count - 1, -1, -1):  # every removal leads to a plan found later
        begin, end = ends[node], ends[node + 1]
        least = 0 if planks[node] == ZERO else DEAD
        for e in range(begin, end):
            least = min(least, crowd[successors[e]])
        if least == DEAD:
            counts[2] += 1
            for e in range(begin, end):
                longest[node] = max(longest[node], longest[successors[e]] + 1)
            continue
        crowd[node] = least
        if end > begin:  # the next screw must find a place before any plank can leave
            parked = total - _count(keys[node]) + 1
            crowd[node] = max(least, parked - _count(_safe(planks[node], holes, cover, lane)))
        counts[3] += end - begin
        for e in range(begin, end):
            if crowd[successors[e]] == DEAD:
                counts[4] += 1
                counts[5] += longest[successors[e]]
                counts[6] = max(counts[6], longest[successors[e]])
    counts[0], counts[1] = crowd[0] != DEAD, count
    return counts, keys[:count], planks[:count], table, crowd


# --- the minimum ------------------------------------------------------------------------------------------------------


@compiled
def bound(
    screws: Any, left: Any, holes: Any, own: Any, cover: Any, lane: Any, keys: Any, planks: Any, table: Any, crowd: Any
) -> Any:
    """Moves that are certainly left, or DEAD: one of each screw that holds a plank, and one of each other one that
    stands in a lane, now or at a time that no plan avoids. ``keys`` and what follows: of ``plans``, or empty."""
    owned, lanes = ZERO, ZERO
    rest = left
    while rest:
        plank = _count((rest & (~rest + ONE)) - ONE)
        rest &= rest - ONE
        owned |= own[plank]
        lanes |= lane[plank]
    held = screws & owned
    standing = _count(screws & lanes & ~owned)
    if crowd.shape[0]:
        still = _cleared(held, left, _count(screws ^ held), holes, own, cover, lane)
        at = _slot(held, still, table, keys, planks)
        if table[at]:  # a plank that could have been made to leave earlier may be stuck now: such plans are not listed
            least = crowd[table[at] - 1]
            if least == DEAD:
                return DEAD
            standing = max(standing, least)
    return _count(held) + standing


@compiled
def shortest(
    start: Any,
    own: Any,
    cover: Any,
    lane: Any,
    owners: Any,
    coverers: Any,
    above: Any,
    keys: Any,
    planks: Any,
    table_of_plans: Any,
    crowd: Any,
    cap: int,
) -> Any:
    """A* from a state (screws, planks): (optimum, or CAPPED, or UNSOLVABLE; states stored; the path as sets of screws
    and of planks, uint64[optimum + 1] each, right up to interchangeable holes). ``keys`` and what follows: of
    ``plans``, or empty."""
    n = owners.shape[0]
    holes = ~ZERO if n == 64 else (ONE << np.uint64(n)) - ONE
    at_screws = np.empty(1024, np.uint64)
    settled = np.empty(1024, np.uint64)
    at_left = np.empty(1024, np.uint64)
    g_of = np.empty(1024, np.int16)
    h_of = np.empty(1024, np.int16)
    parent = np.empty(1024, np.int32)
    table = np.zeros(4096, np.int32)
    heads = np.full(1024, -1, np.int32)  # by f: linked lists of (state, f less its bound when it was put there)
    entry = np.empty((1024, 3), np.int32)
    entries, free = 0, -1
    classes = np.empty(n, np.uint64)
    others = np.empty(n, np.uint64)
    no_path = np.empty(0, np.uint64)
    screws, left = start[0], start[1]
    at_screws[0] = screws
    settled[0] = _settled(screws, classes, _classes(left, owners, coverers, above, classes))
    at_left[0] = left
    g_of[0] = 0
    h_of[0] = bound(screws, left, holes, own, cover, lane, keys, planks, table_of_plans, crowd)
    if h_of[0] == DEAD:
        return UNSOLVABLE, 1, no_path, no_path
    parent[0] = -1
    table[_slot(settled[0], left, table, settled, at_left)] = 1
    count = 1
    f = np.int64(h_of[0])
    heads[f] = 0
    entry[0, 0], entry[0, 1], entry[0, 2] = 0, 0, -1
    entries = 1
    highest = f
    goal = -1
    while True:
        while f <= highest and heads[f] < 0:
            f += 1
        if f > highest:
            return UNSOLVABLE, count, no_path, no_path
        place = heads[f]
        node, g, heads[f] = entry[place, 0], entry[place, 1], entry[place, 2]
        entry[place, 2] = free
        free = place
        if g_of[node] != g:
            continue
        here, left = at_screws[node], at_left[node]
        if left == ZERO:
            goal = node
            break
        many = _classes(left, owners, coverers, above, classes)
        for i in range(many):
            source = classes[i] & here
            if source == ZERO:
                continue
            source &= ~source + ONE
            hole = _count(source - ONE)
            if coverers[hole] & ~owners[hole] & left:
                continue
            for j in range(many):
                target = classes[j] & ~here
                if j == i or target == ZERO:
                    continue
                target &= ~target + ONE
                if coverers[_count(target - ONE)] & left:
                    continue
                after = here ^ source ^ target
                still = _remaining(after, left, own, lane)
                if still == left:
                    key = _settled(after, classes, many)
                else:
                    key = _settled(after, others, _classes(still, owners, coverers, above, others))
                at = _slot(key, still, table, settled, at_left)
                if table[at]:
                    child = table[at] - 1
                    if g_of[child] <= g + 1:
                        continue
                else:
                    h = bound(after, still, holes, own, cover, lane, keys, planks, table_of_plans, crowd)
                    if h == DEAD:
                        continue
                    if count >= cap:
                        return CAPPED, count, no_path, no_path
                    if count == at_screws.shape[0]:
                        at_screws = _grown(at_screws)
                        settled = _grown(settled)
                        at_left = _grown(at_left)
                        g_of = _grown(g_of)
                        h_of = _grown(h_of)
                        parent = _grown(parent)
                    child = count
                    settled[child] = key
                    at_left[child] = still
                    h_of[child] = h
                    count += 1
                    table[at] = count
                    if 2 * count > table.shape[0]:
                        table = _grown_table(table, settled, at_left, count)
                at_screws[child] = after
                g_of[child] = g + 1
                parent[child] = node
                value = np.int64(g + 1 + h_of[child])
                if free >= 0:
                    place = free
                    free = entry[place, 2]
                else:
                    if entries == entry.shape[0]:
                        wider = np.empty((2 * entries, 3), np.int32)
                        wider[:entries] = entry
                        entry = wider
                    place = entries
                    entries += 1
                entry[place, 0], entry[place, 1], entry[place, 2] = child, g + 1, heads[value]
                heads[value] = place
                f = min(f, value)  # the bound of an unlisted plan may be lower than that of the plan before
                highest = max(highest, value)
    length = g_of[goal]
    path_screws = np.empty(length + 1, np.uint64)
    path_left = np.empty(length + 1, np.uint64)
    for step in range(length, -1, -1):
        path_screws[step] = at_screws[goal]
        path_left[step] = at_left[goal]
        goal = parent[goal]
    return length, count, path_screws, path_left
