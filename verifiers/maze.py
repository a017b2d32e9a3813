"""Proves a Maze Paint level without its generator: replays the solution, and shows that no shorter one exists.

Two ways to show it, of which at least one must succeed beside the claim's own method:

- *potential*: the claim carries integers that bound the slides still needed from every state; that they do is checked
  here in exact arithmetic, without any solver (see ``potential_bound``);
- *exhaustive search* over (stop, painted cells): always up to 25 slides; beyond, where the potential is not tight, over
  the states that no potential of the claim excludes (*potential-guided exhaustive search*).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..games.base import Claim, Unproven
from ..games.maze import GAME, Board
from .base import Figures, Verifier, replay
from .certificate import FIGURES, Certificate, ProofFailed, certified
from .maze_graph import SlideGraph, refutation

VERSION = 1
ALWAYS_SEARCHED = 25  # slides
STATE_LIMIT = 4_000_000
UNGUIDED = "exhaustive search"
GUIDED = f"potential-guided {UNGUIDED}"
Potential = Mapping[str, Any]


def verify(board: Board, claim: Claim) -> tuple[Certificate, Figures]:
    """Checks ``claim`` and computes the figures (defined in ``maze_figures``). Raises ProofFailed, Unproven."""
    from .maze_figures import measure

    graph = SlideGraph(board)
    length = replay(GAME, board, claim, moves="slides", unsolved="floor unpainted")
    potential = claim.evidence.get("potential")
    bound = 0 if potential is None else potential_bound(graph, potential)
    if bound > length:  # only a fault of ours could bring this about
        raise ProofFailed(f"a potential proves {bound} slides where {length} suffice", where="maze")
    proofs, searched = ["potential"] if bound == length else [], 0
    if length <= ALWAYS_SEARCHED or bound < length:
        guides = [] if length <= ALWAYS_SEARCHED else _guides(graph, claim)
        method, searched = _search(graph, length, guides, needed=bound < length)
        proofs += [method] if method else []
    figures, methods, dead_ends, examined = measure(graph, length)
    certificate = certified(
        claim,
        f"maze {VERSION}",
        proofs=proofs,
        evidence={"potential": potential} if bound == length else {},
        dead_ends=dead_ends,
        states_examined=searched + examined,
        methods=methods,
    )
    return certificate, figures


def refute(board: Board) -> str | None:
    """Why ``board`` has no solution, or None where it has one. Raises Unproven."""
    return refutation(SlideGraph(board))


def _guides(graph: SlideGraph, claim: Claim) -> list[Potential]:
    """The claim's potentials, checked. Raises ProofFailed."""
    guides = claim.evidence.get("guides", [])
    if not isinstance(guides, list | tuple):
        raise ProofFailed("the claim's guides must be a list of potentials", where="maze")
    for guide in guides:
        potential_bound(graph, guide)
    return [claim.evidence["potential"], *guides] if "potential" in claim.evidence else [*guides]


def _search(graph: SlideGraph, length: int, guides: list[Potential], *, needed: bool) -> tuple[str | None, int]:
    """Proves that no solution has fewer than ``length`` slides; returns the method and the states looked at, no method
    where the search met its limit and is not ``needed``. Raises ProofFailed, Unproven."""
    from .maze_search import explore, pack, required_cells

    packed = pack(graph, required_cells(graph))
    guide = _guide(graph, packed.watched, guides, length - 1) if guides else None
    found = explore(packed, STATE_LIMIT, to_the_end=False, guide=guide)
    if 0 <= found.solved_after < length:
        raise ProofFailed(f"{found.solved_after} slides suffice, not {length}", where="maze")
    if found.complete:
        return GUIDED if guides else UNGUIDED, found.states
    if needed:
        raise Unproven(f"the search for fewer than {length} slides passed {STATE_LIMIT:,} states", where="maze")
    return None, found.states


# --- potentials -------------------------------------------------------------------------------------------------------


def potential_bound(graph: SlideGraph, potential: Any) -> int:
    """The number of slides that ``potential`` proves necessary. Raises ProofFailed where it proves nothing.

    ``potential``: ``D``, a positive integer; ``stops`` and ``pi``: for each stop its cell and an integer; ``cells`` and
    ``w``: floor cells, and by stop an integer for each of them; ``bound``: the slides it claims to prove. It assigns to
    the state "ball at v, cells S painted" the height h = pi(v) + the sum of w(v, c) over the cells c that are not in S.

    It is accepted if no pi is positive, so that h <= 0 where all is painted, and if no slide lowers h by more than D,
    whatever S is. A slide u -> v that paints P lowers it by pi(u) - pi(v) plus, for each unpainted cell c, w(u, c) if c
    is in P and w(u, c) - w(v, c) otherwise. The S for which this is most has painted just the cells whose term is
    negative; so the test is

        pi(u) - pi(v) + sum over c in P of max(0, w(u, c)) + sum over other c of max(0, w(u, c) - w(v, c)) <= D.

    Then n slides from the start to the end imply h(start) <= n D.
    """
    scale, pi, cells, w = _read_potential(graph, potential)
    column = {cell: i for i, cell in enumerate(cells)}
    for u, exits in enumerate(graph.exits):
        before = w[u]
        for _, v, passed in exits:
            after = w[v]
            load = pi[u] - pi[v] + sum([a - b for a, b in zip(before, after, strict=True) if a > b])
            while passed:
                i = column.get((passed & -passed).bit_length() - 1)
                passed &= passed - 1
                if i is not None:
                    load += max(0, before[i]) - max(0, before[i] - after[i])
            if load > scale:
                slide = f"{graph.stops[u]} -> {graph.stops[v]}"
                raise ProofFailed(f"the slide {slide} lowers the potential by {load} > {scale}", where="maze")
    first = graph.board.start  # painted before the first slide
    height = pi[0] + sum(w[0]) - (w[0][column[first]] if first in column else 0)
    bound = -(-height // scale)
    if bound != potential["bound"]:
        raise ProofFailed(f"the potential proves {bound} slides, not {potential['bound']}", where="maze")
    return bound


def _read_potential(graph: SlideGraph, potential: Any) -> tuple[int, list[int], list[int], list[list[int]]]:
    """D, pi by number of stop, cells, w by number of stop. Raises ProofFailed where the shape is wrong."""

    def integers(value: Any, size: int) -> bool:
        return isinstance(value, list | tuple) and len(value) == size and all(type(n) is int for n in value)

    def check(holds: bool, what: str) -> None:
        if not holds:
            raise ProofFailed(f"not a potential: {what}", where="maze")

    names = {"D", "bound", "stops", "pi", "cells", "w"}
    check(isinstance(potential, Mapping) and set(potential) == names, f"it needs {', '.join(sorted(names))}")
    scale, stops, pi, cells, w = (potential[name] for name in ("D", "stops", "pi", "cells", "w"))
    check(type(scale) is int and scale > 0, "D must be a positive integer")
    check(type(potential["bound"]) is int, "bound must be an integer")
    check(integers(stops, len(graph.stops)) and set(stops) == set(graph.stops), "stops must be the board's stops")
    check(integers(pi, len(stops)) and max(pi) <= 0, "pi must be an integer <= 0 for each stop")
    check(isinstance(cells, list | tuple) and integers(cells, len(cells)), "cells must be integers")
    check(len(set(cells)) == len(cells), "cells must differ")
    check(all(cell >= 0 and graph.floor >> cell & 1 for cell in cells), "cells must be floor cells")
    check(isinstance(w, list | tuple) and len(w) == len(stops), "w must have a row for each stop")
    check(all(integers(row, len(cells)) for row in w), "w must have an integer for each stop and cell")
    at = {cell: i for i, cell in enumerate(stops)}
    order = [at[cell] for cell in graph.stops]
    return scale, [pi[i] for i in order], list(cells), [list(w[i]) for i in order]


def _guide(graph: SlideGraph, watched: tuple[int, ...], potentials: list[Potential], within: int) -> Any:
    """The potentials for the kernel, by watched cell.

    A cell that is not watched itself counts with the watched one that the same slides paint, if there is one, for they
    are painted together. Otherwise it counts as painted. That is safe: h is then the height of a state in which more is
    painted, and from there no more slides are needed.
    """
    import numpy as np

    from .maze_search import Guide

    column = {graph.painters[cell]: i for i, cell in enumerate(watched)}
    scales, pis, weights = [], [], np.zeros((len(potentials), len(graph.stops), len(watched)), np.int64)
    for j, potential in enumerate(potentials):
        scale, pi, cells, w = _read_potential(graph, potential)
        largest = max(scale, *(abs(n) for row in (pi, *w) for n in row))
        if largest * (max(within, len(cells)) + 1) >= 1 << 62:  # the kernel adds and multiplies in int64
            raise Unproven("the potential's integers are too large to search with", where="maze")
        scales.append(scale)
        pis.append(pi)
        for k, cell in enumerate(cells):
            i = column.get(graph.painters.get(cell, 0))
            if i is not None:
                weights[j, :, i] += np.array([row[k] for row in w], np.int64)
    return Guide(within, np.array(scales, np.int64), np.array(pis, np.int64), weights)


VERIFIER: Verifier[Board] = Verifier(
    game="maze",
    version=VERSION,
    verify=verify,
    refute=refute,
    figures=(
        *(name for name in FIGURES if name != "trap_latency"),  # unbounded on every level that has one
        *("zero_progress_share", "nearest_ratio", "floor_cells", "stops", "required_cells"),
    ),
    guided={GUIDED: UNGUIDED},
)
