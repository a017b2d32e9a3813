"""Strata: the ranges of optimal length in which every refresh of a tier has a level, and how levels find their own."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpb_gen.pipeline.strata import FEW, Range, Spread, Strata, distance, replaced

lengths = st.integers(1, 60)
spreads = st.lists(lengths, min_size=2, max_size=6).map(lambda knots: Spread(tuple(sorted(knots))))
ranges = st.tuples(lengths, st.integers(0, 8)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def test_an_even_spread_is_cut_into_equal_shares() -> None:
    assert Spread((13, 22)).strata(10) == tuple((length, length) for length in range(13, 23))
    assert Spread((40, 59)).strata(10) == tuple((length, length + 1) for length in range(40, 60, 2))


def test_neighbours_have_the_length_in_common_in_whose_middle_the_share_of_one_ends() -> None:
    assert Spread((7, 12)).strata(5) == ((7, 8), (8, 9), (9, 10), (10, 11), (11, 12))


def test_quantiles_make_strata_narrow_where_lengths_are_frequent() -> None:
    assert Spread((10, 20, 21, 22, 40)).strata(8)[2:6] == ((20, 20), (21, 21), (21, 21), (22, 22))


def test_of_few_levels_each_takes_up_the_middle_half_of_its_share() -> None:
    assert Spread((1, 60)).strata(3) == ((6, 15), (26, 35), (46, 55))
    assert Spread((1, 100)).strata(1) == ((26, 75),)


@given(spreads, st.integers(1, 40))
def test_strata_rise_and_span_the_spread(spread: Spread, count: int) -> None:
    strata = spread.strata(count)
    assert len(strata) == count
    assert all(low <= high for low, high in strata)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(strata))
    assert spread.knots[0] <= strata[0][0]
    assert strata[-1][1] <= spread.knots[-1]
    if count >= FEW:
        assert (strata[0][0], strata[-1][1]) == (spread.knots[0], spread.knots[-1])
        assert all(b[0] <= a[1] + 1 for a, b in pairwise(strata)), "every length between is in one of them"


def placeable(strata: list[Range], some: tuple[int, ...]) -> bool:
    """Whether each of the lengths can have a stratum of its own, by trying all."""
    if not some:
        return True
    first, rest = some[0], some[1:]
    return any(
        low <= first <= high and placeable(strata[:place] + strata[place + 1 :], rest)
        for place, (low, high) in enumerate(strata)
    )


@given(st.lists(ranges, min_size=1, max_size=5), st.lists(lengths, max_size=8))
def test_as_many_strata_are_filled_as_any_placing_could_fill(some: list[Range], coming: list[int]) -> None:
    strata = list(zip(sorted(low for low, _ in some), sorted(high for _, high in some), strict=True))
    places = Strata(strata)
    taken = [length for length in coming if places.take(length)]
    assert placeable(strata, tuple(taken))
    best = max(n for n in range(len(coming) + 1) if any(placeable(strata, s) for s in combinations(coming, n)))
    assert len(taken) == best == len(strata) - len(places.open())


@given(spreads, st.integers(1, 12), st.lists(lengths, max_size=20), ranges)
def test_a_range_has_room_where_one_of_its_lengths_has(
    spread: Spread, count: int, coming: list[int], asked: Range
) -> None:
    places = Strata(spread.strata(count))
    for length in coming:
        places.take(length)
    each = [places.has_room((length, length)) for length in range(asked[0], asked[1] + 1)]
    assert places.has_room(asked) == any(each)


def test_a_range_of_ever_so_many_lengths_is_not_gone_through() -> None:
    places = Strata(Spread((1, 10**15)).strata(3))
    assert [places.take(length) for length in (10**14, 2 * 10**14, 5 * 10**14, 9 * 10**14)] == [True, False, True, True]
    assert not places.has_room((1, 10**15))  # would take years


@given(spreads, st.integers(1, 12), st.lists(lengths, max_size=20))
def test_what_finds_no_room_once_never_does(spread: Spread, count: int, coming: list[int]) -> None:
    places = Strata(spread.strata(count))
    refused = set[int]()
    for length in coming:
        has_room = places.has_room((length, length))
        assert places.take(length) == has_room
        assert not (has_room and length in refused)
        refused |= set() if has_room else {length}


def test_a_level_moves_to_the_neighbour_to_make_room() -> None:
    places = Strata([(7, 8), (8, 9)])
    assert places.take(8)
    assert places.take(7), "8 goes to the second"
    assert places.open() == []
    assert not places.take(9)


@pytest.mark.parametrize(("length", "away"), [(3, 2), (5, 0), (7, 0), (10, 3)])
def test_the_distance_from_a_range(length: int, away: int) -> None:
    assert distance(length, (5, 7)) == away


def test_levels_that_are_replaced_leave_their_strata_to_the_new_ones() -> None:
    spread = Spread((13, 22))
    assert replaced(spread, 10, [8, 0, 3]) == ((13, 13), (16, 16), (21, 21))
    assert replaced(spread, 20, [0, 1]) == ((13, 13), (13, 13)), "after an append each stratum has two"
