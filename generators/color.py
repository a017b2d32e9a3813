"""Color Connect levels to order: part the cells into lines, keep the ends, and see to it that the puzzle is a good one.

size: [8, 8]         rows and columns, each a number or a range [low, high]
pairs: [6, 8]        how many colours: drawn anew for each candidate
rule: strict         strict: exactly one solution; cover: exactly one that fills every cell, and it must;
                     open: several solutions, for some lines are taken away and their cells left open
freed: [1, 3]        how many, where the rule is open
blocked: [0, 2]      how many more lines are taken away and their cells blocked, whatever the rule
length: [30, 45]     the band of optimal lengths, in clicks; may be left out
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import ceil, floor, inf
from typing import TYPE_CHECKING, Any

from ..games.base import Claim, Unproven, Unsolvable
from ..games.color_board import MOST_PAIRS, SIDES, Board
from .base import (
    Bound,
    Candidate,
    Generator,
    InvalidParams,
    Range,
    Rejected,
    integer,
    integer_range,
    length_bounds,
    set_bound,
)
from .stream import Stream

if TYPE_CHECKING:
    from .color_frontier import Found
    from .color_growth import Lines

STATE_LIMIT = 40_000_000  # some 80 bytes a state at the worst: within 4 GiB
METHOD = "dynamic programming over a frontier"
RULES = ("strict", "cover", "open")
SHORTEST_LINE = 3
STEPS = 80  # of annealing, for each cell
WINDOW, STRIDE = 8, 4  # cells
COUNTS = 3  # how often a candidate may count the whole board
STIR, SETTLE = 3, 10  # steps of a change: this many at random, then up to so many for each cell to mend it


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """One block of params.yaml.

    ``size``: ranges of rows and of columns; ``square``: as many columns as rows; ``pairs``: how many colours; ``rule``,
    ``freed``, ``blocked``, ``length``: see above; ``tries``: ways of parting the cells that a candidate may count;
    ``state_cap``: states that such a count may take.
    """

    size: tuple[Range, Range]
    pairs: Range
    square: bool = False
    rule: str = "strict"
    freed: Range = (1, 2)
    blocked: Range = (0, 0)
    length: Range | None = None
    tries: int = 200
    state_cap: int = 4_000_000


LIMITS: dict[str, Range] = {
    "size": SIDES,
    "pairs": (1, MOST_PAIRS),
    "freed": (1, 8),
    "blocked": (0, 8),
    "length": (1, 1_000),
    "tries": (1, 100_000),
    "state_cap": (1, STATE_LIMIT),
}


def params(block: Mapping[str, Any]) -> Params:
    """Reads a params.yaml block. Raises InvalidParams."""
    known = [f.name for f in fields(Params)]
    for key in block:
        if key not in known:
            raise InvalidParams(f"unknown parameter {key!r}", where="color", fix=f"use {', '.join(known)}")
    for key, example in (("size", "[8, 8]"), ("pairs", "[6, 8]")):
        if key not in block:
            raise InvalidParams(f"{key!r} is missing", where="color", fix=f"for instance {key}: {example}")
    values: dict[str, Any] = {}
    for name, value in block.items():
        if name in ("tries", "state_cap"):
            values[name] = integer("color", name, value, LIMITS[name])
        elif name == "size":
            if not isinstance(value, list | tuple) or len(value) != 2:
                raise InvalidParams(f"'size' is {value!r}", where="color", fix="write [rows, columns]")
            values[name] = tuple(_range(name, v) for v in value)
        elif name == "square":
            if not isinstance(value, bool):
                raise InvalidParams(f"{name!r} is {value!r}", where="color", fix="write true or false")
            values[name] = value
        elif name == "rule":
            if value not in RULES:
                raise InvalidParams(f"'rule' is {value!r}", where="color", fix=f"use {', '.join(RULES)}")
            values[name] = value
        else:
            values[name] = _range(name, value)
    found = Params(**values)
    lines = found.pairs[1] + found.blocked[1] + (found.freed[1] if found.rule == "open" else 0)
    if found.blocked[1] and found.rule != "open" and lines > MOST_PAIRS:
        what = f"'pairs' and 'blocked' are {lines} lines, more than the {MOST_PAIRS} that can be counted"
        raise InvalidParams(what, where="color", fix="ask for fewer of one")
    rows = found.size[0][0]
    columns = rows if found.square else found.size[1][0]
    if SHORTEST_LINE * lines > rows * columns:
        raise InvalidParams(
            f"{lines} lines on {rows} by {columns} cells",
            where="color",
            fix=f"a line needs {SHORTEST_LINE}: ask for fewer pairs or more cells",
        )
    return found


def _range(name: str, value: Any) -> Range:
    return integer_range("color", name, value if isinstance(value, list | tuple) else (value, value), LIMITS[name])


def generate(p: Params, stream: Stream) -> Candidate[Board] | Rejected:
    """One candidate, proven. The reasons for rejection: ``touching``: a line still touches itself after annealing;
    ``not_unique``, ``unique``: not as the rule wants it; ``too_short``, ``too_long``: outside the band; ``unproven``:
    the count met its limit."""
    from . import color_growth as growth

    height, width = (stream.between(*side) for side in p.size)
    width = height if p.square else width
    pairs = stream.between(*p.pairs)
    freed = stream.between(*p.freed) if p.rule == "open" else 0
    blocked = stream.between(*p.blocked) if p.blocked[1] else 0  # no word is drawn for none
    lines = growth.Lines(height, width, pairs + freed + blocked, stream)
    if not lines.anneal(STEPS * height * width):
        return Rejected("touching")
    if p.rule == "open":
        kept = lines.lines()
        stream.shuffle(kept)
        walls = [cell for line in kept[freed : freed + blocked] for cell in line]
        board = growth.board_of(height, width, kept[freed + blocked :], cover=False, walls=walls)
    else:
        unique = _made_unique(p, lines)
        if unique is None:
            return Rejected("not_unique")
        board = unique
        if blocked:  # still unique: a second solution would be one of the whole board, with the lines taken away
            kept = lines.lines()
            stream.shuffle(kept)
            walls = [cell for line in kept[:blocked] for cell in line]
            board = growth.board_of(height, width, kept[blocked:], cover=board.cover, walls=walls)
    try:
        claim = solve(board, p.state_cap, once=True)
    except Unproven:
        return Rejected("unproven")
    length = claim.lower
    if p.rule == "open" and claim.evidence["n_solutions"] == 1:
        return Rejected("unique", length)
    if p.length is not None and not p.length[0] <= length <= p.length[1]:
        return Rejected("too_short" if length < p.length[0] else "too_long", length)
    return Candidate(board, claim)


def _made_unique(p: Params, lines: Lines) -> Board | None:
    """Changes the lines a little at a time until there is one solution. What steers is the number of small windows in
    which there is another one; the whole board is counted only where there is no such window."""
    from .color_frontier import count
    from .color_growth import board_of

    cells, cover = lines.height * lines.width, p.rule == "cover"
    fewest, saved = cells, lines.save()
    counted = 0
    for _ in range(p.tries):
        others = lines.ambiguities(WINDOW, STRIDE, cover=cover)
        if others == 0:
            board = board_of(lines.height, lines.width, lines.lines(), cover=cover)
            found = count(board, p.state_cap, once=True)
            if found is not None and found.solutions == 1:
                return board
            counted += 1
            if counted == COUNTS:
                return None
        if others <= fewest:
            fewest, saved = others, lines.save()
        else:
            lines.restore(saved)
        lines.stir(STIR)
        if not lines.settle(SETTLE * cells):
            lines.restore(saved)
    return None


def solve(board: Board, limit: int = STATE_LIMIT, *, once: bool = False) -> Claim:
    """The proven minimum of any board, in clicks; ``evidence`` holds the number of solutions, the fewest edges and how
    many solutions have so few, the fewest straight pieces and how many have so few; a number is null from 2 ** 62 on.
    The solution has the fewest clicks and, of these, the fewest edges. ``once``: see ``color_frontier.count``. Raises
    Unsolvable, Unproven."""
    from .color_frontier import count

    found = count(board, limit, lines=True, once=once)
    if found is None:
        raise Unproven(f"not proven within {limit:,} states", where="color")
    if not found.solutions:
        rule = "no lines join all pairs and fill every cell" if board.cover else "no lines join all pairs"
        raise Unsolvable(f"{rule}: none of {found.states:,} states of the frontier goes on to the end", where="color")
    pairs = len(board.pairs)
    solution = tuple(click for line in found.lines for click in clicks(line, board.width))
    if len(solution) != found.corners + 2 * pairs:
        raise AssertionError(f"{len(solution)} clicks where {found.corners} corners were counted, on {board}")
    return Claim(solution, len(solution), METHOD, _evidence(found, pairs))


def _evidence(found: Found, pairs: int) -> dict[str, Any]:
    from .color_frontier import MOST

    def exact(n: int) -> int | None:
        return n if n < MOST else None

    return {
        "n_solutions": exact(found.solutions),
        "min_edges": found.edges,
        "n_min": exact(found.fewest_edges_ways),
        "min_drags": found.corners + pairs,
        "n_min_drags": exact(found.fewest_corners_ways),
    }


def clicks(line: tuple[int, ...], width: int) -> list[tuple[int, int]]:
    """The clicks that draw a line: its first cell, its corners, its last cell."""
    corners = [b for a, b, c in zip(line, line[1:], line[2:], strict=False) if b - a != c - b]
    return [divmod(cell, width) for cell in (line[0], *corners, line[-1])]


# --- wishes -----------------------------------------------------------------------------------------------------------

# side of a square: pairs, and the optimal lengths of the middle four fifths
SIZES = {4: ((2, 3), (9, 11)), 5: ((4, 5), (14, 18)), 6: ((4, 5), (16, 22)), 7: ((5, 6), (21, 28))}
SIZES |= {8: ((6, 8), (26, 36)), 9: ((7, 9), (33, 43)), 10: ((8, 10), (41, 53)), 11: ((9, 11), (46, 62))}
SIZES |= {12: ((10, 13), (53, 71)), 13: ((12, 14), (60, 80)), 14: ((13, 15), (70, 88)), 15: ((15, 16), (88, 108))}
LARGEST_STRICT = 11  # beyond, to count the solutions that leave cells open takes too many states
WIDEST = 16  # of a band without an upper end, what a size is chosen for


def ask(wish: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """A params.yaml block for bands on figures; ``optimal_length`` chooses the size, the others but ``pairs`` are
    left to the gate. A band beyond reach is kept: its candidates are rejected with the length that they came to."""
    low, high = wish.get("optimal_length", wish.get("min_clicks", (-inf, inf)))
    block: dict[str, Any] = {"size": [8, 8], "pairs": [6, 8]}
    fewest, most_pairs = (min(max(n, 1), MOST_PAIRS) for n in wish.get("pairs", (1, MOST_PAIRS)))
    if (low, high) != (-inf, inf):
        least, most = LIMITS["length"]
        first, last = ceil(min(max(low, least), most)), floor(min(max(high, least), most))
        wanted = (first + min(max(last, first), first + WIDEST)) / 2 if low != -inf else max(last - WIDEST / 2, least)
        roomy = [side for side in SIZES if side**2 // SHORTEST_LINE >= ceil(fewest)]
        side = min(roomy, key=lambda side: abs(sum(SIZES[side][1]) / 2 - wanted))
        few, many = SIZES[side][0]
        few = max(1, min(few, last // 2))  # two clicks each
        block = {"size": [side, side], "pairs": [few, many], "length": [first, max(first, last)]}
        if side > LARGEST_STRICT:
            block |= {"rule": "cover", "state_cap": 2_000_000}
    if "pairs" in wish:
        block["pairs"] = [ceil(fewest), max(ceil(fewest), floor(most_pairs))]
        room = block["size"][0] ** 2 // SHORTEST_LINE
        block["pairs"] = [min(n, room) for n in block["pairs"]]
    if wish.get("n_solutions", (0, 1))[1] > 1:
        block["rule"] = "open"
    return block


def bounds(p: Params) -> list[Bound]:
    """A line over n cells has n - 1 edges, so n - 1 straight pieces at most and one at least: 2 to n clicks."""
    rows = p.size[0][1]
    cells, lines = rows * (rows if p.square else p.size[1][1]), 2 * p.pairs[0]
    why = f"{p.pairs[0]} lines or more take two clicks each, and all lines no more than there are cells, {cells}"
    found = [Bound("optimal_length", lines, cells, why), Bound("min_clicks", lines, cells, why), *length_bounds(p)]
    return [*found, set_bound("pairs", "pairs", p.pairs)]


GENERATOR = Generator(game="color", params=params, generate=generate, solve=solve, ask=ask, bounds=bounds)
