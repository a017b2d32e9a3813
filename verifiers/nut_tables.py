"""Dead ends of Nut and Bolt levels with too many states for a search: border tables, in plain Python.

A border is where two colours meet on a bolt; they disappear from the top only. Nuts above the uppermost borders can be
poured together at will; so what can still be reached depends on the bolts with borders and what lies below their
uppermost one alone. Source: T. Ito et al., "Sorting balls and water: equivalence and computational complexity", 2022.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby

from ..games.base import Unproven

Runs = tuple[tuple[int, int], ...]  # of a bolt with a border: (colour, nuts), bottom first
Table = tuple[Runs, ...]  # sorted; the nuts of each uppermost run do not count and are 0


def table_of(bolts: Iterable[Iterable[int]]) -> Table:
    """The border table of a state."""
    runs = (tuple((colour, len(tuple(nuts))) for colour, nuts in groupby(bolt)) for bolt in bolts)
    return tuple(sorted((*r[:-1], (r[-1][0], 0)) for r in runs if len(r) > 1))


@lru_cache(maxsize=1 << 16)
def _below(runs: Runs) -> tuple[tuple[tuple[int, int], ...], int]:
    fixed: Counter[int] = Counter()
    for colour, nuts in runs[:-1]:
        fixed[colour] += nuts
    return tuple(fixed.items()), sum(fixed.values())


def successors(table: Table, capacity: int, bolts: int) -> Iterator[Table]:
    """The tables after the removal of one border: of each bolt whose top nuts can all find room elsewhere."""
    fixed: Counter[int] = Counter()
    room: Counter[int] = Counter()
    for runs in table:
        items, height = _below(runs)
        for colour, nuts in items:
            fixed[colour] += nuts
        room[runs[-1][0]] += capacity - height
    # every colour has ``capacity`` nuts; one that is on no bolt with a border fills a bolt, or part of one
    apart = {colour for colour in _colours(table) if capacity - fixed[colour] > room[colour]}
    free_bolts = bolts - len(table)
    for i, runs in enumerate(table):
        if i and runs == table[i - 1]:
            continue
        colour = runs[-1][0]
        left = room[colour] - capacity + _below(runs)[1]
        needed = len(apart | {colour}) if capacity - fixed[colour] > left else len(apart)
        if needed <= free_bolts:
            rest = (*runs[:-2], (runs[-2][0], 0))
            others = table[:i] + table[i + 1 :]
            yield tuple(sorted((*others, rest))) if len(rest) > 1 else others


def _colours(table: Table) -> set[int]:
    return {colour for runs in table for colour, _ in runs}


def count_tables(bolts: tuple[tuple[int, ...], ...], capacity: int, limit: int) -> tuple[bool, int, int, int]:
    """(whether the state can be solved, tables reached, removals from solvable tables, of these to dead ones).

    Raises Unproven beyond ``limit`` tables.
    """
    elsewhere = len({colour for bolt in bolts for colour in bolt})
    first = table_of(bolts)
    after: dict[Table, list[Table]] = {}
    queue = [first]
    seen = {first}
    for table in queue:
        # colours without any border fill one bolt each: they take room as if they were bolts with a border
        whole = elsewhere - len(_colours(table))
        after[table] = list(successors(table, capacity, len(bolts) - whole))
        for reached in after[table]:
            if reached not in seen:
                if len(seen) == limit:
                    raise Unproven(f"more than {limit:,} border tables", where="nut")
                seen.add(reached)
                queue.append(reached)
    solvable: dict[Table, bool] = {}
    legal = fatal = 0
    for table in reversed(queue):  # breadth first: successors, with one border less, come later in the queue
        lives = [solvable[reached] for reached in after[table]]
        solvable[table] = not table or any(lives)
        if solvable[table]:
            legal += len(lives)
            fatal += lives.count(False)
    return solvable[first], len(queue), legal, fatal
