"""Nut and Bolt levels to order: bands, climbing, wishes, and parameters that are none."""

from __future__ import annotations

from typing import Any

import pytest

from lpb_gen.generators import nut as generator
from lpb_gen.generators import nut_solver as solver
from lpb_gen.generators.base import Candidate, InvalidParams, Rejected
from lpb_gen.generators.stream import Stream


def test_a_candidate_lies_in_its_bands_and_depends_on_its_stream_alone() -> None:
    p = generator.params({"colours": [4, 6], "length": [10, 18], "fatal": [0.001, 0.5]})
    made = [generator.generate(p, Stream([3], (0, i))) for i in range(30)]
    assert made == [generator.generate(p, Stream([3], (0, i))) for i in range(30)]
    kept = [one for one in made if isinstance(one, Candidate)]
    assert kept
    assert all(10 <= one.claim.lower <= 18 and solver.borders(one.board).fatal_share > 0 for one in kept)
    assert {one.reason for one in made if isinstance(one, Rejected)} <= {
        "too_short", "too_long", "too_safe", "too_risky", "unsolvable", "solved", "unproven"
    }  # fmt: skip


def test_climbing_reaches_a_fatal_share_that_shuffles_seldom_have() -> None:
    block = {"colours": 10, "fatal": [0.3, 0.6]}
    shuffles, climbed = (
        [generator.generate(generator.params({**block, "climb": swaps}), Stream([4], (0, i))) for i in range(6)]
        for swaps in (0, 200)
    )
    kept = [one for one in climbed if isinstance(one, Candidate)]
    assert len(kept) >= 4 > 2 * sum(isinstance(one, Candidate) for one in shuffles)
    assert all(0.3 <= solver.borders(one.board).fatal_share <= 0.6 for one in kept)
    again = generator.generate(generator.params({**block, "climb": 200}), Stream([4], (0, 3)))
    assert again == climbed[3], "it depends on its stream alone"


def test_a_wish_for_a_fatal_share_is_climbed_to() -> None:
    p = generator.params(generator.ask({"fatal_border_share": (0.2, 2.0), "optimal_length": (20, 26)}))
    assert (p.fatal, p.length) == ((0.2, 1.0), (20, 26))
    assert p.climb > 0
    assert generator.params(generator.ask({"fatal_border_share": (-1.0, 0.1)})).climb == 0


@pytest.mark.parametrize("band", [(5, 9), (18, 25), (44, 50), (90, 99), (1, 3)])
def test_a_wish_becomes_parameters(band: tuple[float, float]) -> None:
    assert generator.params(generator.ask({"optimal_length": band})).length == band


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({}, "'colours' is missing"),
        ({"colours": [4, 16]}, "integer from 2 to 15"),
        ({"colours": 4, "capacity": 2}, "integer from 3 to 16"),
        ({"colours": 4, "spares": 5}, "integer from 1 to 4"),
        ({"colours": [5, 4]}, "smaller number first"),
        ({"colours": 4, "length": 7}, "write a range"),
        ({"colours": 4, "fatal": [0.5, 0.1]}, "two shares"),
        ({"colours": 4, "climb": 100}, "no share to climb to; add fatal"),
        ({"colours": 4, "fatal": [0.1, 0.2], "climb": -1}, "'climb' is -1; write an integer from 0 to"),
        ({"colors": 4}, "unknown parameter 'colors'"),
    ],
)
def test_a_bad_parameter_says_what_is_wrong(block: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParams, match=message):
        generator.params(block)
