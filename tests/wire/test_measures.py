"""Durations fall into four buckets for each doubling, and sums of measurements are those of all rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streaming.wire.measures import LAST_BUCKET, Measures, bucket_counts, bucket_of

DURATIONS = st.lists(st.one_of(st.integers(0, 5_000), st.integers(0, 2**62)), max_size=60)


def start_of(bucket: int) -> int:
    """Return the first duration of a bucket as the module's text says it."""
    if bucket == 0:
        return 0
    n, k = divmod(bucket - 1, 4)
    return (4 + k) * 2 ** (n + 8)


def ticks(durations: list[int]) -> np.ndarray:
    return np.array(durations, np.int64)


def test_each_bucket_starts_where_the_one_before_it_ends() -> None:
    for bucket in range(1, LAST_BUCKET + 1):
        assert (bucket_of(start_of(bucket) - 1), bucket_of(start_of(bucket))) == (bucket - 1, bucket)
    assert (start_of(1), start_of(LAST_BUCKET)) == (2**10, 5 * 2**37)
    assert start_of(LAST_BUCKET) > 7 * 86_400 * 10**6


@given(DURATIONS)
def test_many_durations_fall_into_the_buckets_of_each(durations: list[int]) -> None:
    counts: dict[str, int] = {}
    for each in durations:
        counts[str(bucket_of(each))] = counts.get(str(bucket_of(each)), 0) + 1
    assert bucket_counts(ticks(durations)) == counts
    again = {bucket: 40 * count for bucket, count in counts.items()}
    assert bucket_counts(ticks(durations * 40)) == again


@given(st.tuples(DURATIONS, DURATIONS, DURATIONS, DURATIONS), st.integers(0, 60))
def test_measurements_of_parts_add_up_to_those_of_all(durations: tuple[list[int], ...], cut: int) -> None:
    whole = [ticks(each) for each in durations]
    first, rest = (Measures.of(*parts) for parts in zip(*((each[:cut], each[cut:]) for each in whole), strict=True))
    assert first.plus(rest) == Measures.of(*whole)
