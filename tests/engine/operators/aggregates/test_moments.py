"""Means and deviations that are merged from parts."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.engine.columns.folding.moments import merged, single

SMALL = st.lists(st.integers(-3, 3), min_size=1, max_size=8)


@given(parts=st.lists(SMALL, min_size=1, max_size=4))
def test_small_numbers_on_both_sides_of_zero_lose_no_digits_in_a_merge(parts: list[list[int]]) -> None:
    values = [value for part in parts for value in part]
    owners = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    each = merged(single(pa.array(values, pa.int64())), owners, len(parts))
    whole = merged(each, np.zeros(len(parts), np.int64), 1)
    assert whole.deviation[0] == pytest.approx(np.std(values), rel=1e-12, abs=1e-12)
