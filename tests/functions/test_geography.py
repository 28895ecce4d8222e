"""Polygons: which places are inside, exactly, and which texts are refused."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.functions.failures import InvalidConstant
from streaming.functions.geography import Point, Polygon, read_polygons

COORDINATES = st.one_of(st.integers(-4, 4).map(float), st.sampled_from([0.1, 0.2, 0.30000000000000004, -1e-300]))
CORNERS = st.lists(st.tuples(COORDINATES, COORDINATES), min_size=3, max_size=6)


def inside(x: float, y: float, ring: list[Point]) -> bool:
    """Count crossings of the ray to the east in exact fractions."""
    px, py = Fraction(x), Fraction(y)
    crossings = 0
    for one, other in pairwise(ring):
        (ax, ay), (bx, by) = ((Fraction(at[0]), Fraction(at[1])) for at in (one, other))
        on_line = (bx - ax) * (py - ay) == (px - ax) * (by - ay)
        if on_line and min(ax, bx) <= px <= max(ax, bx) and min(ay, by) <= py <= max(ay, by):
            return False
        if (ay > py) != (by > py):
            crossings += px < ax + (py - ay) * (bx - ax) / (by - ay)
    return crossings % 2 == 1


@given(CORNERS, COORDINATES, COORDINATES)
def test_a_place_is_inside_if_the_ray_to_the_east_crosses_the_border_an_odd_number_of_times(
    corners: list[Point], x: float, y: float
) -> None:
    ring = [*corners, corners[0]]
    assert Polygon((tuple(ring),)).contains(x, y) is inside(x, y, ring)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "its end"),
        ("POINT (1 2)", "POINT"),
        ("POLYGON EMPTY", "EMPTY"),
        ("POLYGON (0 0, 1 0, 1 1, 0 0)", "'0'"),
        ("POLYGON ((0 0, 1 0, 1 1, 0 0)", "its end"),
        ("POLYGON ((0 0, 1 0, 1 1, 0 0)) x", "'x'"),
        ("POLYGON ((0 0 0, 1 0 0, 1 1 0, 0 0 0))", "'0'"),
        ("POLYGON ((0 0, 1 0, 0 0))", "fewer than 4"),
        ("POLYGON ((0 0, 1 0, 1 1, 0 1))", "not closed"),
        ("POLYGON ((0 0, 1 0, 1 91, 0 0))", "1 91"),
        ("POLYGON ((0 0, 181 0, 1 1, 0 0))", "181 0"),
        ("POLYGON ((0 0, nan 0, 1 1, 0 0))", "nan"),
        ("POLYGON ((0 0, 1e999 0, 1 1, 0 0))", "1e999"),
    ],
)
def test_a_text_that_is_no_polygon_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidConstant, match=message):
        read_polygons(text)
