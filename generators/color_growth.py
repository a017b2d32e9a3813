"""How a Color Connect board comes to be: one line through all cells, cut up, and shaken until it makes a good puzzle.

The cells are always parted into lines. One step: the end of a line takes hold of a cell beside it, and that cell lets
go of one of its neighbours, so that no ring closes; the number of lines stays. With one line this is the *backbite*
walk over Hamiltonian paths (M. L. Mansfield, 1982).

The energy that annealing brings down is the number of contacts, places where a line touches itself, and of lines that
are too short. All arithmetic is on integers: level bytes do not depend on a library's exponential.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..games.color_board import BLOCKED, LABELS, OPEN, Board, load, neighbours
from ..games.kernels import compiled
from .stream import Stream

SHORT = 3  # energy of a line of one or two cells
MIXING = 12  # backbite steps for each cell
COLD = 6  # bits: at the end a step that adds one contact is taken once in 2 ** COLD times


@compiled
def _word(s: Any) -> Any:
    """The next word of a splitmix64 stream, whose state is s[0] (G. Steele, D. Lea, C. Flood, 2014)."""
    s[0] += np.uint64(0x9E3779B97F4A7C15)
    z = s[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def _below(s: Any, n: int) -> Any:
    """Of [0, n); its bias of n / 2 ** 53 is of no account here."""
    return np.int64(_word(s) >> np.uint64(11)) % n


@compiled
def _degree(links: Any, cell: int) -> int:
    return (1 if links[cell, 0] >= 0 else 0) + (1 if links[cell, 1] >= 0 else 0)


@compiled
def _unlink(links: Any, u: int, v: int) -> None:
    for i in range(2):
        if links[u, i] == v:
            links[u, i] = -1
        if links[v, i] == u:
            links[v, i] = -1


@compiled
def _link(links: Any, u: int, v: int) -> None:
    links[u, 0 if links[u, 0] < 0 else 1] = v
    links[v, 0 if links[v, 0] < 0 else 1] = u


@compiled
def _name(links: Any, names: Any, end: int, name: int) -> None:
    """Gives the cells of the line that ends in ``end`` a name."""
    before, cell = -1, end
    while cell >= 0:
        names[cell] = name
        a, b = links[cell, 0], links[cell, 1]
        after = a if a >= 0 and a != before else (b if b >= 0 and b != before else -1)
        before, cell = cell, after


@compiled
def _energy(links: Any, names: Any, near: Any, lengths: Any) -> int:
    total = 0
    lengths[:] = 0
    for cell in range(names.shape[0]):
        lengths[names[cell]] += 1
        for i in range(4):
            other = near[cell, i]
            if other > cell and names[other] == names[cell] and links[cell, 0] != other and links[cell, 1] != other:
                total += 1
    for name in range(lengths.shape[0]):
        if lengths[name] < 3:
            total += SHORT
    return total


@compiled
def shake(links: Any, names: Any, near: Any, lines: int, steps: int, hot: int, cold: int, good: int, s: Any) -> Any:
    """At most ``steps`` steps, fewer where the energy comes down to ``good``; returns the energy. Of each cell,
    ``links`` int64[cells, 2]: the neighbours in its line, -1 for none, and ``names`` int64[cells]: its line; both
    change. ``near`` int64[cells, 4]: cells beside it, -1 for none. A step that adds e to the energy is taken once in
    2 ** (e * bits) times, bits going from ``hot`` to ``cold``; with ``hot`` < 0 every step is taken. ``s`` uint64[1]:
    the random stream."""
    cells = names.shape[0]
    lengths = np.zeros(lines, np.int64)
    energy = _energy(links, names, near, lengths)
    old_links, old_names = links.copy(), names.copy()
    for step in range(steps):
        if hot >= 0 and energy <= good:
            break
        end = _below(s, cells)
        while _degree(links, end) == 2:
            end = _below(s, cells)
        other = near[end, _below(s, 4)]
        if other < 0 or links[end, 0] == other or links[end, 1] == other:
            continue
        old_links[:], old_names[:] = links, names
        mine, theirs = names[end], names[other]
        if mine == theirs:  # a ring closes: it opens on the side of ``end``
            before, cell = -1, end
            while cell != other:
                a, b = links[cell, 0], links[cell, 1]
                after = a if a >= 0 and a != before else b
                before, cell = cell, after
            _unlink(links, before, other)
            _link(links, end, other)
        else:
            which = _below(s, 2)
            loser = links[other, which] if links[other, which] >= 0 else links[other, 1 - which]
            if loser < 0:  # a line of one cell: it would be gone
                continue
            _unlink(links, other, loser)
            _link(links, end, other)
            _name(links, names, loser, theirs)
            tail = end
            before = -1
            while True:  # to the other end of the line that has grown, and back with its name
                a, b = links[tail, 0], links[tail, 1]
                after = a if a >= 0 and a != before else (b if b >= 0 and b != before else -1)
                if after < 0:
                    break
                before, tail = tail, after
            _name(links, names, tail, mine)
        if hot < 0:
            continue
        changed = _energy(links, names, near, lengths)
        worse = changed - energy
        if worse > 0:
            bits = worse * (hot + (cold - hot) * step // steps)
            if bits > 60 or np.int64(_word(s) >> np.uint64(3)) & ((1 << bits) - 1):
                links[:], names[:] = old_links, old_names
                continue
        energy = changed
    return _energy(links, names, near, lengths)


class Lines:
    """All cells of a grid parted into lines, and the random stream that shakes them."""

    def __init__(self, height: int, width: int, count: int, stream: Stream) -> None:
        """A random line through all cells, cut into ``count`` pieces of three cells at least."""
        self.height, self.width, self.count = height, width, count
        cells = height * width
        self._near = np.array([(*near, *(-1,) * (4 - len(near))) for near in neighbours(height, width)], np.int64)
        self._stream = stream.words(1)
        self._links = np.full((cells, 2), -1, np.int64)
        self._names = np.zeros(cells, np.int64)
        snake = [r * width + c for r in range(height) for c in (range(width) if r % 2 == 0 else reversed(range(width)))]
        for u, v in pairwise(snake):
            _link(self._links, u, v)
        self._shake(1, MIXING * cells, -1, -1, -1)
        self._cut(stream)

    def _shake(self, lines: int, steps: int, hot: int, cold: int, good: int) -> int:
        return int(shake(self._links, self._names, self._near, lines, steps, hot, cold, good, self._stream))

    def _cut(self, stream: Stream) -> None:
        (line,) = self.lines()
        spare = len(line) - 3 * self.count
        marks = sorted(stream.between(0, spare) for _ in range(self.count - 1))
        at = [mark + 3 * (i + 1) for i, mark in enumerate(marks)]
        for cut in at:
            _unlink(self._links, line[cut - 1], line[cut])
        for name, first in enumerate([0, *at]):
            _name(self._links, self._names, line[first], name)

    def anneal(self, steps: int) -> bool:
        """Whether in the end no line touches itself and none has less than three cells."""
        return self._shake(self.count, steps, 0, COLD, 0) == 0

    def save(self) -> tuple[Any, Any]:
        return self._links.copy(), self._names.copy()

    def restore(self, saved: tuple[Any, Any]) -> None:
        self._links[:], self._names[:] = saved

    def stir(self, steps: int) -> None:
        """A few steps, whatever their energy."""
        self._shake(self.count, steps, -1, -1, -1)

    def settle(self, steps: int) -> bool:
        """As ``anneal``, cold from the beginning."""
        return self._shake(self.count, steps, COLD // 2, COLD, 0) == 0

    def ambiguities(self, side: int, stride: int, *, cover: bool) -> int:
        """In how many windows the lines could be drawn in another way."""
        from .color_frontier import ambiguous

        return int(ambiguous(self._links, self.height, self.width, side, stride, cover))

    def lines(self) -> list[list[int]]:
        """The cells of each line from end to end, by name."""
        found: dict[int, list[int]] = {}
        links = self._links.tolist()
        for cell, name in enumerate(self._names.tolist()):
            if name not in found and -1 in links[cell]:
                line, before = [cell], -1
                while True:
                    after = next((c for c in links[line[-1]] if c not in (-1, before)), -1)
                    if after < 0:
                        break
                    before = line[-1]
                    line.append(after)
                found[name] = line
        return [found[name] for name in sorted(found)]


def board_of(height: int, width: int, lines: list[list[int]], *, cover: bool, walls: Sequence[int] = ()) -> Board:
    """The board whose dots are the lines' ends, labelled A, B, ... in reading order; ``walls``: its blocked cells."""
    cells = [OPEN] * (height * width)
    for cell in walls:
        cells[cell] = BLOCKED
    names = iter(LABELS[26:52])
    for line in sorted(lines, key=lambda line: min(line[0], line[-1])):
        cells[line[0]] = cells[line[-1]] = next(names)
    return load({"rows": ["".join(cells[r * width : (r + 1) * width]) for r in range(height)], "cover": cover})
