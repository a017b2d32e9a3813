"""The figures of a Color Connect level.

- ``optimal_length`` = ``min_clicks`` = ``min_drags`` (the fewest straight pieces) + pairs; ``min_edges``: the fewest
  steps from cell to cell; the two may need different solutions;
- ``n_solutions``, and how many have the fewest edges (``n_min``) and pieces (``n_min_drags``); null from 2 ** 62 on;
- ``uniqueness``: ``strict-unique``: one solution, whether or not cells must be filled; ``cover-unique``: one that
  fills all cells, which the board demands; ``open``: several;
- ``interaction``: ``min_edges`` less the shortest ways of the pairs, each alone on the board with the dots of the
  others;
- ``greedy_ok``: the share of the orders of the colours in which every line, drawn by a shortest way round what is drawn
  before, arrives. Of equally short ways the one that goes above, left, right, below first. Over all orders of up to
  ``ALL_ORDERS`` colours, beyond over ``SAMPLE`` of them, evenly spread;
- ``dead_state_share``, ``fatal_move_share``: 0, because every line can be erased; so ``trap_latency`` and
  ``deception`` have nothing to speak of and are null;
- ``random_survival``: 1, because a uniform random player on finitely many states, all joined both ways, comes to each
  of them in the end;
- ``greedy_outcome``: a player that always makes the move with the most visible progress, of equals the first. Its run
  ends when the level is solved or a state comes again (``loops``).
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import islice, permutations
from math import factorial
from typing import Any

from ..games.color import GAME, Board
from ..games.color_board import blocked_cells, colours_of_dots, neighbours
from .certificate import FIGURES
from .color_mates import MOST, Counted

ALL_ORDERS, SAMPLE = 5, 200
GREEDY_MOVES = 2_000
NOTHING_LOST = "undefined: no move is fatal, for every line can be erased"


def figures_of(
    board: Board, length: int, counted: Counted | None, unique: bool | None, *, strict: bool | None
) -> tuple[dict[str, Any], dict[str, str]]:
    """The figures, and for those that are not exact or not known how they were obtained or why not. ``unique``,
    ``strict``: None where that is not known."""
    pairs = len(board.pairs)
    figures: dict[str, Any] = dict.fromkeys(FIGURES)
    methods = {
        "reachable_states": "not counted: half-drawn lines make far too many",
        "trap_latency": NOTHING_LOST,
        "deception": NOTHING_LOST,
    }
    figures |= {"optimal_length": length, "min_clicks": length, "min_drags": length - pairs, "pairs": pairs}
    figures |= dict.fromkeys(("n_solutions", "min_edges", "n_min", "n_min_drags", "interaction"))
    if counted is None:
        figures["n_solutions"] = 1 if unique else None
        for name in ("n_solutions", "min_edges", "n_min", "n_min_drags", "interaction"):
            if figures[name] is None:
                methods[name] = "unknown: too many states"
    else:
        ways = {
            "n_solutions": counted.solutions,
            "n_min": counted.fewest_edges_ways,
            "n_min_drags": counted.fewest_corners_ways,
        }
        for name, number in ways.items():
            figures[name] = number if number < MOST else None
            if number >= MOST:
                methods[name] = "unknown: at least 2 ** 62"
        figures["min_edges"] = counted.edges
        figures["interaction"] = counted.edges - sum(alone(board, k) for k in range(pairs))
    if unique is None:
        figures["uniqueness"] = None
        methods["uniqueness"] = "unknown: neither counted nor decided by CP-SAT"
    elif not unique:
        figures["uniqueness"] = "open"
    else:
        figures["uniqueness"] = "strict-unique" if strict else "cover-unique"
        if strict is None:
            methods["uniqueness"] = "one solution fills all cells; whether others leave cells open is not known"
    figures["greedy_ok"] = _greedy_share(board)
    if pairs > ALL_ORDERS:
        methods["greedy_ok"] = f"sampled: {SAMPLE} of {factorial(pairs):,} orders, evenly spread"
    figures["dead_state_share"] = figures["fatal_move_share"] = 0.0
    figures["random_survival"] = 1.0
    figures["greedy_outcome"] = _greedy(board)
    return figures, methods


def _way(board: Board, colour: int, taken: Set[int]) -> list[int] | None:
    """A shortest line of a colour over cells that are not ``taken``, its second dot first; None where there is none."""
    near = neighbours(board.height, board.width)
    begin, goal = board.pairs[colour].first, board.pairs[colour].second
    before = {begin: begin}
    queue = [begin]
    for cell in queue:  # grows while it is read
        if cell == goal:
            line = [goal]
            while line[-1] != begin:
                line.append(before[line[-1]])
            return line
        for other in near[cell]:
            if other not in before and (other not in taken or other == goal):
                before[other] = cell
                queue.append(other)
    return None


def alone(board: Board, colour: int) -> int:
    """The edges of a shortest line of a colour, no other line being there."""
    line = _way(board, colour, blocked_cells(board) | colours_of_dots(board).keys())
    assert line is not None
    return len(line) - 1


def _greedy_share(board: Board) -> float:
    orders = list(_orders(len(board.pairs)))
    return sum(_arrives(board, order) for order in orders) / len(orders)


def _orders(pairs: int) -> Iterator[tuple[int, ...]]:
    """The orders of the colours to try; a sample takes every so many of them in the order of permutations, the step
    being the golden section of their number."""
    if pairs <= ALL_ORDERS:
        yield from permutations(range(pairs))
        return
    total = factorial(pairs)
    step = total * 618_034 // 1_000_000 | 1
    for i in islice(range(total), SAMPLE):
        number, left, order = i * step % total, list(range(pairs)), []
        while left:
            place, number = divmod(number, factorial(len(left) - 1))
            order.append(left.pop(place))
        yield tuple(order)


def _arrives(board: Board, order: tuple[int, ...]) -> bool:
    taken = set(blocked_cells(board)) | colours_of_dots(board).keys()
    for colour in order:
        line = _way(board, colour, taken)
        if line is None:
            return False
        taken |= set(line)
    return not board.cover or len(taken) == board.cells


def _greedy(board: Board) -> dict[str, Any]:
    state = GAME.start(board)
    seen = {state}
    while len(seen) <= GREEDY_MOVES:
        # max() takes the first of equals
        after = [GAME.apply(board, state, move) for move in GAME.moves(board, state)]
        state = max(after, key=lambda s: GAME.progress(board, s))
        if GAME.solved(board, state):
            return {"result": "solves", "moves": len(seen)}
        if state in seen:
            break
        seen.add(state)
    return {"result": "loops", "moves": len(seen)}
