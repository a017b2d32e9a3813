"""Rush Hour's limits: state counts that keep a search within its memory, and figures that are given up in good time."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import naive_rush
import pytest

from lpb_gen.games.base import Unproven
from lpb_gen.generators import rush, rush_kernel
from lpb_gen.generators.rush_packing import pack
from lpb_gen.verifiers import rush as verifier

# a wall keeps the target in, and the others have more than 10 ** 9 positions
HUGE = "BCDEFGHI/BCDEFGHI/......../AA....x./JJ...KK./LL...MM./NN...PP./QQ...RR."
# the same car park without the wall: out in two slides
HUGE_AND_OPEN = "BCDEFG../BCDEFG../.......I/AA.....I/JJ...KK./LL...MM./NN...PP./QQ...RR."
LIMIT = 1_100_000  # just after the arrays of both searches have doubled: the most bytes a state
PEAK = f"""
import resource
from lpb_gen.games.base import Unproven
from lpb_gen.games.rush import GAME
from lpb_gen.generators import rush
from lpb_gen.verifiers import rush as verifier

def peak(text, limit):
    board = GAME.board(GAME.read(text))
    try:
        SEARCH
    except Unproven as error:
        assert str(error) == f"rush: not proven within {{limit:,}} states", error
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # Linux counts in KiB

before = peak({HUGE!r}, 10_000)  # compiled, and the tables made
print((peak({HUGE!r}, {LIMIT}) - before) / {LIMIT})
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of the peak memory is the system's")
@pytest.mark.parametrize(
    ("search", "room"), [("rush.solve(board, limit)", rush), ("verifier.refute(board, limit=limit)", verifier)]
)
def test_a_search_that_reaches_its_limit_stays_within_its_memory(search: str, room: Any) -> None:
    code = PEAK.replace("SEARCH", search)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert 20 < float(done.stdout) <= room.STATE_BYTES
    assert room.STATE_BYTES * room.STATE_LIMIT <= room.MEMORY == 4 << 30


def test_both_sides_give_up_a_huge_board_with_the_count() -> None:
    level = naive_rush.board(HUGE)
    with pytest.raises(Unproven, match="not proven within 20,000 states"):
        rush.solve(level, 20_000)
    with pytest.raises(Unproven, match="not proven within 20,000 states"):
        verifier.refute(level, limit=20_000)


def test_a_huge_component_is_counted_no_further_than_its_own_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    level = naive_rush.board(HUGE_AND_OPEN)
    claim = rush.solve(level)
    monkeypatch.setattr(verifier, "COUNT_LIMIT", 5_000)
    certificate, figures = verifier.verify(level, claim)
    assert (figures["optimal_length"], figures["reachable_states"]) == (len(claim.solution), None)
    assert "more than 5,000" in certificate.methods["reachable_states"]
    assert certificate.states_examined == 5_000


def test_the_minimum_may_take_more_states_than_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    level = naive_rush.board("IoBBCCIoKoooAAKoLMDDEELMoJFFFMoJGGHH")
    monkeypatch.setattr(verifier, "COUNT_LIMIT", 100)
    certificate, figures = verifier.verify(level, rush.solve(level))
    assert figures["optimal_length"] == certificate.lower == 23
    assert figures["reachable_states"] is None
    assert certificate.states_examined > 100


# --- bits or a hash table ---------------------------------------------------------------------------------------------


def test_bits_and_hash_table_lead_to_the_same_states_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(15):
        packed = pack(naive_rush.random_board(seed, sides=(4, 8), vehicles=(3, 9)))
        found = []
        for most in (rush_kernel.ALWAYS_BITS, 0):
            monkeypatch.setattr(rush_kernel, "ALWAYS_BITS", most)
            monkeypatch.setattr(rush_kernel, "INDICES_PER_STATE", 0)
            assert len(rush_kernel.Marks().bits(packed, 5000)) == (0 if not most else packed.indices // 64 + 1)
            search = [rush_kernel.search(packed, 5000, unit=unit, stop=stop) for unit in (0, 1) for stop in (0, 1)]
            found.append([[list(part) for part in (*s[:2], [s[2]])] for s in search])
            size, states, distance = rush_kernel.flood(packed, 5000)
            found[-1] += [[[size], list(states), list(distance)]]
        assert found[0] == found[1], seed


def test_searches_leave_the_marks_blank() -> None:
    marks = rush_kernel.Marks()
    for seed in range(15):
        packed = pack(naive_rush.random_board(seed, sides=(4, 6), vehicles=(3, 9)))
        for limit in (1, 20, 10**5):
            rush_kernel.flood(packed, limit, marks)
            rush_kernel.shortest(packed, limit, marks=marks)
            rush_kernel.shortest(packed, limit, unit=True, marks=marks)
            assert not marks.bits(packed, limit).any()


def test_a_limit_is_met_exactly() -> None:
    packed = pack(naive_rush.board("..B./AAB./..CC/...."))
    size = rush_kernel.flood(packed, 10**5)[0]
    assert rush_kernel.flood(packed, size)[0] == size
    assert rush_kernel.flood(packed, size - 1)[0] == rush_kernel.LIMIT
    path, seen = rush_kernel.shortest(packed, 10**5)
    assert path is not None
    assert rush_kernel.shortest(packed, seen) == (path, seen)
    assert rush_kernel.shortest(packed, seen - 1) == (None, seen - 1)
