"""The rows of wide codes by group, in order of first appearance, however the codes are ordered."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streaming.engine.columns.grouping import Codes, group

WIDE = 1 << 40
CODES = st.lists(st.integers(0, WIDE - 1), max_size=8).flatmap(
    lambda pool: st.lists(st.sampled_from(pool), max_size=30) if pool else st.just([])
)


@given(CODES, st.booleans())
def test_groups_are_in_order_of_first_appearance(codes: list[int], rising: bool) -> None:
    codes = sorted(codes) if rising else codes
    found = group(Codes(np.array(codes, np.int64), WIDE))
    known = list(dict.fromkeys(codes))
    assert found.ids.tolist() == [known.index(each) for each in codes]
    assert found.used.tolist() == list(range(len(known)))
    assert found.first_row.tolist() == [codes.index(each) for each in known]
