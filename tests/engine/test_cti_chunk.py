"""CTIs in envelopes: all sent ones arrive, few or many."""

import numpy as np
import pytest

from streaming.engine.exchange.cti_chunk import ctis_of_chunk, ctis_to_chunk
from streaming.temporal.ticks import INFINITY, NO_CTI

LISTS = {
    "none": [],
    "one branch": [[]],
    "one": [[7]],
    "three branches": [[1, 2], [], [INFINITY]],
    "many": [list(range(20_000)), [NO_CTI]],
}


@pytest.mark.parametrize("lists", LISTS.values(), ids=LISTS)
def test_the_ctis_of_each_branch_come_as_they_were_sent(lists: list[list[int]]) -> None:
    chunk = ctis_to_chunk([np.array(each, np.int64) for each in lists], 35)
    ctis, horizon = ctis_of_chunk(chunk)
    assert [each.tolist() for each in ctis] == lists
    assert (horizon, chunk) == (35, ctis_to_chunk([np.array(each, np.int64) for each in lists], 35))


def test_many_are_compressed() -> None:
    assert len(ctis_to_chunk([np.arange(100_000, dtype=np.int64)])) < 400_000
