"""Color Connect by dynamic programming over a frontier (numba): all solutions counted, the shortest found, in one pass.

    # # # # |      Cells are decided in reading order. Between what is decided and what is not runs the frontier: for
    # # + - -      every column the edge that leads down, and the edge that leads right from the last cell. A state is
    - - -          what crosses these width + 1 edges, each a *plug*: nothing, the end of a line whose dot of colour k
                   is above, or one end of a line that has no dot yet, ``(`` the left end and ``)`` the right one:
                   lines cannot cross, so these pair up as brackets do.

Equal states are one, and only what they have cost so far is kept: how many ways lead there, the fewest edges, the
fewest corners. Lines may touch themselves; a closed ring is never made, for its brackets would meet. A plug has five
bits, twelve to a word. Source: "plug" dynamic programming, folklore of contests since about 2008; as a method for
Numberlink: R. Yoshinaka et al., "Finding all solutions and instances of Numberlink and Slitherlink by ZDDs", 2012.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..games.color_board import Board
from ..games.kernels import compiled

CAPPED = -1
MOST = 1 << 62  # counts stop here
LEFT, RIGHT, COLOUR = 1, 2, 2  # plugs: "(" , ")", and COLOUR + k for colour k, counted from 1
BITS, PER_WORD = 5, 12
PROBE, MIDDLE = 30_000, 3_000_000  # states that a reading of the board gets at first, and then
WINDOW_CAP = 20_000  # states in a window
CORNER = 1 << 16  # the cost of a corner beside that of an edge, where the fewest corners come first


@compiled
def _get(a: int, b: int, i: int) -> int:
    return (a >> (BITS * i)) & 31 if i < PER_WORD else (b >> (BITS * (i - PER_WORD))) & 31


@compiled
def _mate(a: int, b: int, i: int, step: int) -> int:
    """The place of the bracket that belongs to the one at ``i``; ``step``: 1 where that is a left one, else -1."""
    depth = 0
    while True:
        plug = _get(a, b, i)
        if plug == LEFT:
            depth += 1
        elif plug == RIGHT:
            depth -= 1
        if depth == 0:
            return i
        i += step


@compiled
def _mask(i: int) -> int:
    return 31 << (BITS * i) if i < PER_WORD else 31 << (BITS * (i - PER_WORD))


@compiled
def _slot(a: int, b: int, table: Any, keys: Any, bits: int) -> int:
    """Where in the hash table the state is, or belongs; the table holds its number, -1 where it is free."""
    mixed = (a ^ (b * 0x2545F4914F6CDD1D) ^ (a >> 29)) * -0x61C8864680B583EB
    mixed ^= (mixed >> 32) & 0xFFFFFFFF
    mixed *= -0x61C8864680B583EB
    last = (1 << bits) - 1
    at = (mixed >> (64 - bits)) & last
    while table[at] >= 0 and (keys[table[at], 0] != a or keys[table[at], 1] != b):
        at = (at + 1) & last
    return at


@compiled
def _longer(array: Any, size: int) -> Any:
    longer = np.empty((size, *array.shape[1:]), array.dtype)
    longer[: array.shape[0]] = array
    return longer


@compiled
def _saturated(a: int, b: int) -> int:
    return a + b if a < MOST - b else MOST


@compiled
def run(kinds: Any, width: int, cover: bool, limit: int, keep: bool) -> Any:
    """``kinds`` int64[cells]: -1 blocked, 0 open, k a dot of colour k; ``limit``: states in all; ``keep``: remember the
    way to each state.

    Returns (states, solutions, fewest edges, solutions with so few, fewest corners, solutions with so few, keys
    int64[n, 2], before int32[n], first int64[cells + 1]). ``states`` is CAPPED, and ``solutions`` the number of cells
    decided, where ``limit`` was not enough; ``solutions`` is 0 where there is none and MOST where there are at least so
    many. Of layer i, before cell i is decided, the states are numbers first[i] ... first[i + 1] - 1; ``before`` is the
    state of the layer above from which the fewest corners, and of these the fewest edges, lead here: the one that came
    first of equals.
    """
    cells = kinds.shape[0]
    size, bits = 1024, 12
    table = np.full(1 << bits, -1, np.int32)
    key, cost, ways = np.zeros((size, 2), np.int64), np.zeros((size, 2), np.int64), np.ones((size, 3), np.int64)
    new_key, new_cost, new_ways = (
        np.empty((size, 2), np.int64),
        np.empty((size, 2), np.int64),
        np.empty((size, 3), np.int64),
    )
    came, slots = np.empty(size, np.int32), np.empty(size, np.int64)
    all_keys, all_before = np.zeros((1, 2), np.int64), np.full(1, -1, np.int32)
    first = np.zeros(cells + 2, np.int64)
    first[1] = 1
    count, total = 1, 1
    after_a, after_b = np.empty(3, np.int64), np.empty(3, np.int64)
    corners, edges = np.empty(3, np.int64), np.empty(3, np.int64)
    for cell in range(cells):
        column, kind = cell % width, kinds[cell]
        down = kinds[cell + width] if cell + width < cells else -1
        right = kinds[cell + 1] if column < width - 1 else -1
        left_mask, up_mask = ~_mask(column), ~_mask(column + 1)
        down_shift = BITS * column if column < PER_WORD else BITS * (column - PER_WORD)
        right_shift = BITS * (column + 1) if column + 1 < PER_WORD else BITS * (column + 1 - PER_WORD)
        new_count = 0
        for s in range(count):
            a, b = key[s, 0], key[s, 1]
            left, up = _get(a, b, column), _get(a, b, column + 1)
            rest_a = a & left_mask if column < PER_WORD else a
            rest_b = b if column < PER_WORD else b & left_mask
            if column + 1 < PER_WORD:
                rest_a &= up_mask
            else:
                rest_b &= up_mask
            plug = left if left else up
            found = 0
            # --- what may follow: ``found`` states in after_a, after_b
            if kind < 0:
                if plug == 0:
                    after_a[0], after_b[0], corners[0], edges[0] = rest_a, rest_b, 0, 0
                    found = 1
            elif kind > 0:
                own = COLOUR + kind
                if left and up:
                    continue
                if plug == 0:
                    if down == 0 or down == kind:
                        after_a[found], after_b[found], corners[found], edges[found] = rest_a, rest_b, 0, 1
                        if column < PER_WORD:
                            after_a[found] |= own << down_shift
                        else:
                            after_b[found] |= own << down_shift
                        found += 1
                    if right == 0 or right == kind:
                        after_a[found], after_b[found], corners[found], edges[found] = rest_a, rest_b, 0, 1
                        if column + 1 < PER_WORD:
                            after_a[found] |= own << right_shift
                        else:
                            after_b[found] |= own << right_shift
                        found += 1
                elif plug == own:
                    after_a[0], after_b[0], corners[0], edges[0] = rest_a, rest_b, 0, 0
                    found = 1
                elif plug <= RIGHT:
                    mate = _mate(a, b, column if left else column + 1, 1 if plug == LEFT else -1)
                    after_a[0], after_b[0], corners[0], edges[0] = rest_a, rest_b, 0, 0
                    if mate < PER_WORD:
                        after_a[0] = (rest_a & ~_mask(mate)) | (own << (BITS * mate))
                    else:
                        after_b[0] = (rest_b & ~_mask(mate)) | (own << (BITS * (mate - PER_WORD)))
                    found = 1
            elif left and up:
                turned, mate = 0, -1  # a plug elsewhere that changes
                if left > RIGHT and up > RIGHT:
                    if left != up:
                        continue
                elif left > RIGHT:
                    turned, mate = left, _mate(a, b, column + 1, 1 if up == LEFT else -1)
                elif up > RIGHT:
                    turned, mate = up, _mate(a, b, column, 1 if left == LEFT else -1)
                elif left == LEFT and up == RIGHT:
                    continue  # a ring
                elif left == LEFT and up == LEFT:
                    turned, mate = LEFT, _mate(a, b, column + 1, 1)
                elif left == RIGHT and up == RIGHT:
                    turned, mate = RIGHT, _mate(a, b, column, -1)
                after_a[0], after_b[0], corners[0], edges[0] = rest_a, rest_b, 1, 0
                if mate >= PER_WORD:
                    after_b[0] = (rest_b & ~_mask(mate)) | (turned << (BITS * (mate - PER_WORD)))
                elif mate >= 0:
                    after_a[0] = (rest_a & ~_mask(mate)) | (turned << (BITS * mate))
                found = 1
            elif plug:
                if down == 0 or (down > 0 and (plug <= RIGHT or plug == COLOUR + down)):
                    after_a[found], after_b[found], corners[found], edges[found] = rest_a, rest_b, 1 if left else 0, 1
                    if column < PER_WORD:
                        after_a[found] |= plug << down_shift
                    else:
                        after_b[found] |= plug << down_shift
                    found += 1
                if right == 0 or (right > 0 and (plug <= RIGHT or plug == COLOUR + right)):
                    after_a[found], after_b[found], corners[found], edges[found] = rest_a, rest_b, 0 if left else 1, 1
                    if column + 1 < PER_WORD:
                        after_a[found] |= plug << right_shift
                    else:
                        after_b[found] |= plug << right_shift
                    found += 1
            else:
                if not cover:
                    after_a[0], after_b[0], corners[0], edges[0] = rest_a, rest_b, 0, 0
                    found = 1
                if down >= 0 and right >= 0 and (down == 0 or right == 0 or down == right):
                    after_a[found], after_b[found], corners[found], edges[found] = rest_a, rest_b, 1, 2
                    if column < PER_WORD:
                        after_a[found] |= LEFT << down_shift
                    else:
                        after_b[found] |= LEFT << down_shift
                    if column + 1 < PER_WORD:
                        after_a[found] |= RIGHT << right_shift
                    else:
                        after_b[found] |= RIGHT << right_shift
                    found += 1
            # --- take them in
            for f in range(found):
                na, nb = after_a[f], after_b[f]
                if column == width - 1:  # the frontier moves one row down
                    nb = ((nb << BITS) & ((1 << (BITS * PER_WORD)) - 1)) | (na >> (BITS * (PER_WORD - 1)))
                    na = (na << BITS) & ((1 << (BITS * PER_WORD)) - 1)
                least = cost[s, 0] + edges[f]
                bent = cost[s, 1] + corners[f] * CORNER + edges[f]
                at = _slot(na, nb, table, new_key, bits)
                n = table[at]
                if n < 0:
                    if total + new_count >= limit:
                        return (CAPPED, cell, 0, 0, 0, 0, all_keys, all_before, first)
                    if new_count == new_key.shape[0]:
                        larger = 2 * new_count
                        new_key, new_cost, new_ways = (
                            _longer(new_key, larger),
                            _longer(new_cost, larger),
                            _longer(new_ways, larger),
                        )
                        came, slots = _longer(came, larger), _longer(slots, larger)
                    n = new_count
                    table[at], slots[n] = n, at
                    new_key[n, 0], new_key[n, 1] = na, nb
                    new_cost[n, 0], new_cost[n, 1] = least, bent
                    new_ways[n, 0], new_ways[n, 1], new_ways[n, 2] = ways[s, 0], ways[s, 1], ways[s, 2]
                    came[n] = s
                    new_count += 1
                    if 2 * new_count > 1 << bits:
                        bits += 1
                        table = np.full(1 << bits, -1, np.int32)
                        for other in range(new_count):
                            slots[other] = _slot(new_key[other, 0], new_key[other, 1], table, new_key, bits)
                            table[slots[other]] = other
                    continue
                new_ways[n, 0] = _saturated(new_ways[n, 0], ways[s, 0])
                if least < new_cost[n, 0]:
                    new_cost[n, 0], new_ways[n, 1] = least, ways[s, 1]
                elif least == new_cost[n, 0]:
                    new_ways[n, 1] = _saturated(new_ways[n, 1], ways[s, 1])
                if bent // CORNER < new_cost[n, 1] // CORNER:
                    new_ways[n, 2] = ways[s, 2]
                elif bent // CORNER == new_cost[n, 1] // CORNER:
                    new_ways[n, 2] = _saturated(new_ways[n, 2], ways[s, 2])
                if bent < new_cost[n, 1]:
                    new_cost[n, 1], came[n] = bent, s
        if new_count == 0:
            return (total, 0, 0, 0, 0, 0, all_keys, all_before, first)
        for n in range(new_count):
            table[slots[n]] = -1
        key, new_key = new_key, key
        cost, new_cost = new_cost, cost
        ways, new_ways = new_ways, ways
        if keep:
            while all_keys.shape[0] < total + new_count:
                all_keys, all_before = (
                    _longer(all_keys, 2 * all_keys.shape[0]),
                    _longer(all_before, 2 * all_before.shape[0]),
                )
            all_keys[total : total + new_count] = key[:new_count]
            all_before[total : total + new_count] = came[:new_count] + first[cell]
        count = new_count
        total += count
        first[cell + 2] = total
    return (total, ways[0, 0], cost[0, 0], ways[0, 1], cost[0, 1] // CORNER, ways[0, 2], all_keys, all_before, first)


@compiled
def ambiguous(links: Any, height: int, width: int, side: int, stride: int, cover: bool) -> int:
    """In how many windows of ``side`` by ``side`` cells the pieces of lines inside can be drawn in another way, with
    the same ends. ``links`` int64[cells, 2]: the neighbours of each cell in its line, -1 for none. A cheap sign of a
    second solution; without one there may be others, that are larger than a window."""
    total = 0
    rows, columns = min(side, height), min(side, width)
    top_count, left_count = 1 + (height - rows + stride - 1) // stride, 1 + (width - columns + stride - 1) // stride
    kinds = np.empty(rows * columns, np.int64)
    inside = np.empty(2, np.int64)
    for t in range(top_count):
        for n in range(left_count):
            top, left = min(t * stride, height - rows), min(n * stride, width - columns)
            kinds[:] = 0
            colours = 0
            for r in range(rows):
                for c in range(columns):
                    place = r * columns + c
                    if kinds[place] != 0:
                        continue
                    cell = (top + r) * width + left + c
                    found = 0
                    for i in range(2):
                        near = links[cell, i]
                        if near >= 0 and 0 <= near // width - top < rows and 0 <= near % width - left < columns:
                            inside[found] = near
                            found += 1
                    if found == 0:
                        kinds[place] = -1
                    elif found == 1:  # an end: the other one is where the piece leaves the window
                        colours += 1
                        kinds[place] = colours
                        before, at = cell, inside[0]
                        while True:
                            after = -1
                            for i in range(2):
                                near = links[at, i]
                                if (
                                    near >= 0
                                    and near != before
                                    and 0 <= near // width - top < rows
                                    and 0 <= near % width - left < columns
                                ):
                                    after = near
                            if after < 0:
                                break
                            before, at = at, after
                        kinds[(at // width - top) * columns + at % width - left] = colours
            if colours <= 31 - COLOUR:
                found_all = run(kinds, columns, cover, WINDOW_CAP, False)
                if found_all[0] == CAPPED or found_all[1] > 1:
                    total += 1
    return total


# --- boards -----------------------------------------------------------------------------------------------------------


class Found(NamedTuple):
    """What one pass says of a board. ``solutions``, ``fewest_edges_ways``, ``fewest_corners_ways``: exact below MOST;
    ``lines``: for each pair its cells from first to second dot, in a solution with the fewest corners and, of these,
    the fewest edges; empty unless asked for."""

    states: int
    solutions: int
    edges: int
    fewest_edges_ways: int
    corners: int
    fewest_corners_ways: int
    lines: tuple[tuple[int, ...], ...]


def count(
    board: Board, limit: int, *, cover: bool | None = None, lines: bool = False, once: bool = False
) -> Found | None:
    """None where ``limit`` states were not enough. ``cover``: instead of the board's own; ``once``: more than PROBE
    states are given to one reading of the board only.

    From which corner a board is read makes a great difference. All readings get a few states first and then more, the
    one that came farthest before the others; beyond MIDDLE states only that one.
    """
    cover = board.cover if cover is None else cover
    readings = [(0, n, *_packed(board, places)) for n, places in enumerate(_readings(board))]
    for cap in sorted({min(PROBE, limit), min(MIDDLE, limit), limit}):
        tried = []
        for _, n, kinds, places in readings[: 1 if cap > (PROBE if once else MIDDLE) else None]:
            found = run(kinds, places.shape[1], cover, cap, lines)
            if found[0] != CAPPED:
                drawn = _lines(board, _links(places, *found[6:])) if lines and found[1] else ()
                states, ways, *costs = (int(n) for n in found[:6])
                return Found(states, ways, costs[0], costs[1], costs[2], costs[3], drawn)
            tried.append((-int(found[1]), n, kinds, places))
        readings = sorted(tried, key=lambda reading: reading[:2])
    return None


def _readings(board: Board) -> list[Any]:
    """The cells' numbers int64[rows, columns] in different orders; the frontier runs along the shorter side."""
    grid = np.arange(board.cells).reshape(board.height, board.width)
    ways = [grid, grid[::-1, ::-1]] if board.width <= board.height else []
    ways += [grid.T, grid.T[::-1, ::-1]] if board.width >= board.height else []
    return ways


def _packed(board: Board, places: Any) -> tuple[Any, Any]:
    """The cells' kinds int64[cells] for ``run`` in the order of ``places``, and ``places``."""
    kinds = np.zeros(board.cells, np.int64)
    kinds[[i for i, cell in enumerate("".join(board.rows)) if cell == "#"]] = -1
    for k, pair in enumerate(board.pairs, 1):
        kinds[[pair.first, pair.second]] = k
    return kinds[places.ravel()], places


def _links(places: Any, keys: Any, before: Any, first: Any) -> list[tuple[int, int]]:
    """The edges of the remembered solution, as pairs of cells."""
    width, order = places.shape[1], places.ravel().tolist()
    links, state = [], int(first[len(order)])
    for at in reversed(range(len(order))):
        plugs, column = int(keys[state, 0]) | int(keys[state, 1]) << (BITS * PER_WORD), at % width
        last = column == width - 1  # its frontier has moved one row down already
        if plugs >> (BITS * (column + last)) & 31:
            links.append((order[at], order[at + width]))
        if not last and plugs >> (BITS * (column + 1)) & 31:
            links.append((order[at], order[at + 1]))
        state = int(before[state])
    return links


def _lines(board: Board, links: list[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    beside: dict[int, list[int]] = {}
    for u, v in links:
        beside.setdefault(u, []).append(v)
        beside.setdefault(v, []).append(u)
    lines = []
    for pair in board.pairs:
        line = [pair.first]
        while line[-1] != pair.second:
            line.append(next(cell for cell in beside[line[-1]] if cell not in line[-2:]))
        lines.append(tuple(line))
    return tuple(lines)
