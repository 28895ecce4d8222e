"""Partials over spans of windows give every window's value, the same as adding them one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.engine.columns import spans

Partial = tuple[int, int, int, int]
PARTIALS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-20, 20), st.integers(0, 30), st.integers(-9, 9)), min_size=1, max_size=30
)


def cells_of(partials: list[Partial]) -> spans.SpanCells:
    group, first, length = (np.array([partial[i] for partial in partials]) for i in range(3))
    return spans.cut(group, first, first + length)


def by_window(cells: spans.SpanCells, values: np.ndarray) -> dict[tuple[int, int], int]:
    """Return the value of each cell for each of its windows."""
    found = {}
    for cell in range(cells.cells):
        for window in range(int(cells.width[cell])):
            found[int(cells.group[cell]), int(cells.first_window[cell]) + window] = int(values[cell])
    return found


def covered(partials: list[Partial]) -> dict[tuple[int, int], list[int]]:
    found: dict[tuple[int, int], list[int]] = {}
    for group, first, length, value in partials:
        for window in range(first, first + length + 1):
            found.setdefault((group, window), []).append(value)
    return found


@given(PARTIALS)
def test_sums_by_differences_are_the_sums_of_the_partials_of_a_window(partials: list[Partial]) -> None:
    cells = cells_of(partials)
    found = by_window(cells, spans.sums(cells, np.array([partial[3] for partial in partials])))
    expected = {place: sum(values) for place, values in covered(partials).items()}
    assert {place: found[place] for place in expected} == expected
    assert all(value == 0 for place, value in found.items() if place not in expected)


@pytest.mark.parametrize(
    ("operation", "identity", "plain"), [(np.minimum, 99, min), (np.maximum, -99, max), (np.add, 0, sum)]
)
@given(partials=PARTIALS)
@settings(max_examples=30)
def test_extremes_and_sums_by_tree_are_those_of_the_partials_of_a_window(
    partials: list[Partial], operation: np.ufunc, identity: int, plain: type
) -> None:
    cells = cells_of(partials)
    found = by_window(cells, spans.spread(cells, operation, np.array([partial[3] for partial in partials]), identity))
    expected = {place: plain(values) for place, values in covered(partials).items()}
    assert {place: found[place] for place in expected} == expected


def test_a_huge_value_that_has_left_takes_no_digits_with_it() -> None:
    # 1e20 covers window 0 only; a running total would have lost the 1.0 in window 1
    cells = spans.cut(np.array([0, 0]), np.array([0, 1]), np.array([0, 1]))
    assert spans.spread(cells, np.add, np.array([1e20, 1.0]), 0.0)[1] == 1.0


def test_the_cells_follow_the_partials_and_not_the_windows() -> None:
    cells = spans.cut(np.array([0, 0]), np.array([0, 5_000]), np.array([10**9, 10**9 + 7]))
    assert cells.cells == 4
