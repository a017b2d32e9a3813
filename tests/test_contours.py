"""The outline of a set of cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpb_gen.games.contours import Contour, contours


def area(outline: Contour) -> float:
    """Positive where the outline runs clockwise (y points down), negative for a hole."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(outline, outline[1:] + outline[:1], strict=True)) / 2


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 6))))
def test_outlines_enclose_exactly_the_cells(cells: set[tuple[int, int]]) -> None:
    assert sum(map(area, contours(cells))) == len(cells)


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 6)), min_size=1))
def test_every_point_is_a_corner(cells: set[tuple[int, int]]) -> None:
    for outline in contours(cells):
        for (ax, ay), (bx, by), (cx, cy) in zip(
            outline, outline[1:] + outline[:1], outline[2:] + outline[:2], strict=True
        ):
            assert (ax == bx) != (ay == by)
            assert (ax == bx) != (bx == cx)
            assert (ay == by) != (by == cy)


def test_a_hole_is_an_outline_of_its_own() -> None:
    ring = {(r, c) for r in range(3) for c in range(3)} - {(1, 1)}
    assert sorted(map(area, contours(ring))) == [-1, 9]


@pytest.mark.parametrize("cells", [[(0, 0), (1, 1)], [(0, 1), (1, 0)]])
def test_cells_that_touch_at_a_corner_stay_apart(cells: list[tuple[int, int]]) -> None:
    assert [area(outline) for outline in contours(cells)] == [1, 1]


def test_the_margin_moves_everything() -> None:
    assert set(contours([(0, 0)], 0.5)[0]) == {(0.5, 0.5), (1.5, 0.5), (1.5, 1.5), (0.5, 1.5)}
