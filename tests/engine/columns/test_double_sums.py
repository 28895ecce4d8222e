"""Sums and means of doubles are the exact ones, rounded once, however the values are cut, ordered and merged (T62)."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np
import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from streaming.engine.columns.double_sums import DoubleSums, stored_sums, summed, weighted
from streaming.engine.columns.spans import cut

LARGEST: Final = 1.7976931348623157e308
NASTY: Final = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1000, 1000),
    st.floats(-1e-307, 1e-307),
    st.builds(math.ldexp, st.sampled_from((1.0, -1.0, 1.5, 1 + 2.0**-52)), st.integers(-1074, 1023)),
    st.sampled_from((0.0, -0.0, 5e-324, -5e-324, 0.1, 0.2, 1e16, 1.0, 2.0**-53, LARGEST, -LARGEST, 1e308, 2.0**900)),
)
VALUES: Final = st.one_of(
    st.lists(NASTY, max_size=80),
    # all cancels but for what is added last
    st.builds(
        lambda some, rest: [*some, *(-each for each in some), *rest],
        st.lists(NASTY, max_size=40),
        st.lists(NASTY, max_size=3),
    ),
)


def nearest(exact: Fraction) -> float:
    """The nearest double, halves to even."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf


def finite(values: np.ndarray) -> list[float]:
    """The values with one sign of infinity: which it is does not matter, for both are null."""
    return [each if math.isfinite(each) else math.inf for each in values.tolist()]


def total(values: Sequence[float]) -> Fraction:
    return sum(map(Fraction, values), Fraction())


def of(values: Sequence[float], ids: Sequence[int], slots: int) -> DoubleSums:
    return summed(np.array(values, np.float64), np.array(ids, np.int64), slots, len(values))


def stored(sums: DoubleSums, rows: Sequence[int]) -> list[pa.Array]:
    return sums.columns(np.array(rows, np.int64))


@given(VALUES, st.integers(1, 4), st.data())
@example([1e308, 1e308, -1.5e308], 1, None)
@example([0.1] * 100, 1, None)
@example([2.0**900] * 30 + [-(2.0**900)] * 29, 1, None)
@example([1.0, 2.0**-53, 5e-324] * 10, 1, None)
@example([1e300, 1e-300, 1.0, -1e300] * 10, 2, None)
def test_sums_are_rounded_once(values: list[float], slots: int, data: st.DataObject | None) -> None:
    ids = [place % slots if data is None else data.draw(st.integers(0, slots - 1)) for place in range(len(values))]
    wanted = [total([value for value, slot in zip(values, ids, strict=True) if slot == each]) for each in range(slots)]
    sums = of(values, ids, slots)
    assert finite(sums.rounded()) == list(map(nearest, wanted))
    divisors = [1 if data is None else data.draw(st.integers(1, 10)) for _ in range(slots)]
    assert finite(sums.means(np.array(divisors))) == [nearest(w / by) for w, by in zip(wanted, divisors, strict=True)]
    assert not np.signbit(sums.rounded()[sums.rounded() == 0]).any(), "-0.0 counts as 0.0"


@given(VALUES, st.data())
def test_the_form_of_a_total_depends_on_nothing_but_the_total(values: list[float], data: st.DataObject) -> None:
    once = stored(of(values, [0] * len(values), 1), [0])
    mixed = data.draw(st.permutations(values))
    piece = [data.draw(st.integers(0, 3)) for _ in mixed]
    parts = of(mixed, piece, 4)
    first = stored_sums(*stored(parts, [3, 1])).merged(np.array([0, 0]), 1, 2)
    columns = [pa.concat_arrays(each) for each in zip(stored(first, [0]), stored(parts, [0, 2]), strict=True)]
    assert stored(stored_sums(*columns).merged(np.zeros(3, np.int64), 1, 3), [0]) == once


@given(VALUES, st.lists(NASTY, max_size=80))
def test_what_was_added_can_be_taken_away_again(values: list[float], others: list[float]) -> None:
    both = [*values, *others, *(-each for each in others)]
    assert stored(of(both, [0] * len(both), 1), [0]) == stored(of(values, [0] * len(values), 1), [0])


@given(st.lists(st.tuples(NASTY, st.integers(0, 1), st.integers(-5, 5), st.integers(0, 6)), min_size=1, max_size=60))
@example([(1e308, 0, 0, 3), (1e308, 0, 1, 3), (-1.5e308, 0, 2, 3), (1.0, 0, 0, 6)])
@example([(1e20, 0, 0, 3), (1e-20, 0, 1, 3), (1.0, 0, 2, 3), (1e-40, 1, 0, 6)])
def test_sums_over_spans_are_those_of_what_covers_each_cell(partials: list[tuple[float, int, int, int]]) -> None:
    values, group, first, length = (np.array(each) for each in zip(*partials, strict=True))
    cells = cut(group, first, first + length)
    found = finite(of(values.tolist(), range(len(values)), len(values)).spread(cells).rounded())
    for cell in range(cells.cells):
        covers = (cells.first_cell <= cell) & (cell <= cells.last_cell)
        assert found[cell] == nearest(total(values[covers].tolist()))


@given(st.lists(st.tuples(NASTY, st.integers(1, 2**58), st.integers(0, 1)), max_size=40))
@example([(LARGEST, 1, 0), (1e300, 10**6, 0), (-1e300, 10**6, 0)])
@example([(0.1, 3, 0)] * 30)
def test_weighted_sums_and_means_are_rounded_once(rows: list[tuple[float, int, int]]) -> None:
    values, weights, ids = (
        np.array([row[place] for row in rows], kind) for place, kind in ((0, np.float64), (1, np.int64), (2, np.int64))
    )
    sums = weighted(values, weights, ids, 2, len(rows))
    wanted = [sum((Fraction(v) * w for v, w, slot in rows if slot == each), Fraction()) for each in (0, 1)]
    ticks = [max(1, sum(w for _, w, slot in rows if slot == each)) for each in (0, 1)]
    assert finite(sums.rounded()) == list(map(nearest, wanted))
    assert finite(sums.means(np.array(ticks))) == [nearest(w / by) for w, by in zip(wanted, ticks, strict=True)]


@given(st.integers(0, 2**32), st.sampled_from((3, 7, 10, 1000, 86_400_000_000, 2**53 + 1)))
def test_means_of_many_groups_are_rounded_once(seed: int, divisor: int) -> None:
    drawn = np.random.default_rng(seed)
    values, ids = drawn.uniform(-1000, 1000, 400), drawn.integers(0, 100, 400)
    found = summed(values, ids, 100, 400).means(np.full(100, divisor))
    assert found.tolist() == [nearest(total(values[ids == each].tolist()) / divisor) for each in range(100)]


def test_ordinary_totals_take_two_doubles() -> None:
    drawn = np.random.default_rng(1)
    sums = summed(drawn.uniform(0.01, 1000, 200_000), drawn.integers(0, 50, 200_000), 50, 200_000)
    assert not sums.whole
