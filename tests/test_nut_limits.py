"""Nut and Bolt's searches stay within their memory, and say so where a limit ends a proof."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from lpb_gen.games.base import Unproven
from lpb_gen.games.nut import GAME
from lpb_gen.generators import nut_solver as solver
from lpb_gen.verifiers import nut as verifier
from lpb_gen.verifiers import nut_figures
from lpb_gen.verifiers.base import replay

# 104 transfers; the search for them stores 930,088 states
LONG = """10 8 4 9 3 12 7 8/2 1 4 4 1 10 2 11/2 4 12 13 14 2 1 8/3 2 9 11 4 10 9 11/12 13 1 13 5 11 5 3/
5 10 9 8 11 9 6 9/13 5 12 3 4 5 12 2/11 6 14 14 11 14 1 6/6 6 12 13 7 1 14 7/6 4 1 13 2 5 6 10/3 13 9 8 10 3 10 3/
14 7 4 13 1 5 12 7/7 10 14 5 11 7 8 14/9 8 3 6 8 7 12 2"""
VALUE = {"capacity": 8, "bolts": [[int(nut) for nut in bolt.split()] for bolt in LONG.split("/")] + [[], []]}
BOARD = GAME.board(VALUE)

MEASURED = """
import json, sys
from lpb_gen.games.base import Unproven
from lpb_gen.games.nut import GAME
from lpb_gen.generators import nut_solver as solver
from lpb_gen.verifiers import nut as verifier, nut_search, nut_tables

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) * 1024

def work(board, start):
    try:
        return {work}
    except Unproven as error:
        return error

small = GAME.board({{"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], []]}})
work(small, verifier.packed(small))
board = GAME.board(json.loads(sys.argv[1]))
solver.MEMORY = 64 << 20
before = peak()
said = work(board, verifier.packed(board))
print(peak() - before, said if isinstance(said, Unproven) else "")
"""


def bytes_taken(work: str) -> tuple[int, str]:
    """By how much a fresh process grows at its peak, kernels loaded beforehand, and the error's text if any."""
    command = [sys.executable, "-c", MEASURED.format(work=work), json.dumps(VALUE)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    taken, _, said = out.strip().partition(" ")
    return int(taken), said


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_search_for_the_minimum_takes_no_more_memory_than_its_cap() -> None:
    taken, said = bytes_taken("solver.prove(board, solver.memory_cap(board))")
    assert said == "nut: the minimum is not proven within 610,080 states"
    assert 16 << 20 < taken <= 64 << 20


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("work", "limit"),
    [
        ("solver.borders(board, 100_000)", solver.TABLE_LIMIT),
        ("nut_tables.count_tables(start, board.capacity, 100_000)", nut_figures.TABLE_LIMIT),
        ("nut_search.explore(start, board.capacity, 100_000)", verifier.STATE_LIMIT),
        ("nut_search.explore(start, board.capacity, 100_000, 103)", verifier.BOUNDED_LIMIT),
    ],
)
def test_what_a_limit_allows_fits_into_the_memory(work: str, limit: int) -> None:
    taken, _ = bytes_taken(work)
    assert taken > 100_000 * 40, "the limit was met"
    assert taken * limit / 100_000 <= 4 << 30


def test_an_unfinished_proof_says_how_far_it_went() -> None:
    with pytest.raises(Unproven, match="the minimum is not proven within 50 states"):
        solver.prove(BOARD, 50)
    with pytest.raises(Unproven, match="not counted within 1,000 border tables"):
        solver.borders(BOARD, 1_000)
    with pytest.raises(Unproven, match="not counted within 1,000 states"):
        solver.dead_ends(
            GAME.board({"capacity": 3, "bolts": [[c, c % 7 + 1, c] for c in range(1, 8)] + [[], []]}), 1000
        )


def test_a_bigger_memory_proves_what_a_smaller_one_left_open() -> None:
    claim = solver.solve(BOARD)
    assert claim.lower == 104
    assert replay(GAME, BOARD, claim, moves="transfers", unsolved="the nuts unsorted") == 104
