"""Tumbling and hopping windows against their definition, checked by brute force."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI, Tick, Ticks
from streaming.temporal.windows import HoppingWindows

SPAN = range(-400, 401)
lengths = st.integers(1, 13)
windows = st.builds(
    lambda size, hop, offset: HoppingWindows(Ticks(size), Ticks(hop), Ticks(offset)),
    lengths,
    lengths,
    st.integers(-20, 20),
)
times = st.integers(-100, 100)


def tumbling(size: int, offset: int = 0) -> HoppingWindows:
    return HoppingWindows(Ticks(size), Ticks(size), Ticks(offset))


def belonging(of: HoppingWindows, start: int, end: int) -> list[int]:
    """T2 and section 5, word for word: an event belongs iff s < W.end and e > W.start."""
    return [k for k in SPAN if start < of.bounds(k)[1] and end > of.bounds(k)[0]]


def not_closed(of: HoppingWindows, cti: int) -> list[int]:
    """T19 with grace 0: closed when c >= W.end."""
    return [k for k in SPAN if not cti >= of.bounds(k)[1]]


@given(windows, times)
def test_a_point_belongs_to_the_windows_of_the_definition(of: HoppingWindows, start: int) -> None:
    assert list(of.indices(Tick(start), Tick(start + 1))) == belonging(of, start, start + 1)


@given(windows, times, st.integers(1, 60))
def test_an_interval_belongs_to_the_windows_of_the_definition(of: HoppingWindows, start: int, length: int) -> None:
    assert list(of.indices(Tick(start), Tick(start + length))) == belonging(of, start, start + length)


@given(windows, times)
def test_the_first_open_window_is_the_earliest_not_closed(of: HoppingWindows, cti: int) -> None:
    assert of.first_open(Tick(cti)) == min(not_closed(of, cti))


@given(windows, times)
def test_the_output_cti_is_the_start_of_the_earliest_window_not_closed(of: HoppingWindows, cti: int) -> None:
    assert of.output_cti(Tick(cti)) == min(of.bounds(k)[0] for k in not_closed(of, cti))


@given(windows, times, times)
def test_the_output_cti_never_goes_back_when_the_input_does_not(of: HoppingWindows, one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert of.output_cti(Tick(low)) <= of.output_cti(Tick(high))


@given(windows, times, times)
def test_an_event_in_time_is_never_in_a_closed_window(of: HoppingWindows, cti: int, start: int) -> None:
    if start >= cti:
        assert of.first_index(Tick(start)) >= of.first_open(Tick(cti))


@given(windows, times, times)
def test_what_a_window_gives_starts_at_or_after_the_output_cti_unless_it_is_closed(
    of: HoppingWindows, cti: int, start: int
) -> None:
    for index in of.indices(Tick(start), Tick(start + 1)):
        begin, end = of.bounds(index)
        assert end <= cti or begin >= of.output_cti(Tick(cti))


def test_a_window_contains_its_start_and_not_its_end() -> None:
    of = tumbling(10)
    assert [list(of.indices(Tick(at), Tick(at + 1))) for at in (9, 10, 19, 20)] == [[0], [1], [1], [2]]


def test_an_interval_that_ends_at_a_window_start_is_not_in_that_window() -> None:
    assert list(tumbling(10).indices(Tick(5), Tick(10))) == [0]


def test_times_before_1970_fall_into_windows_with_negative_indices() -> None:
    assert tumbling(10).first_index(Tick(-1)) == -1
    assert tumbling(10).bounds(-1) == (-10, 0)


def test_a_window_is_closed_when_the_cti_reaches_its_end() -> None:
    of = tumbling(10)
    assert (of.output_cti(Tick(9)), of.output_cti(Tick(10))) == (0, 10)


def test_an_event_in_a_gap_is_in_no_window_and_the_output_cti_runs_ahead_through_the_gap() -> None:
    #  [0, 4)  gap [4, 10)  [10, 14)
    of = HoppingWindows(Ticks(4), Ticks(10))
    assert list(of.indices(Tick(6), Tick(7))) == []
    assert of.output_cti(Tick(5)) == 10


def test_hopping_windows_overlap() -> None:
    of = HoppingWindows(Ticks(10), Ticks(5))
    assert [of.bounds(k) for k in of.indices(Tick(12), Tick(13))] == [(5, 15), (10, 20)]


def test_a_size_that_is_no_multiple_of_the_hop_gives_uneven_counts() -> None:
    of = HoppingWindows(Ticks(5), Ticks(3))
    assert [len(of.indices(Tick(at), Tick(at + 1))) for at in range(6)] == [2, 2, 1, 2, 2, 1]


def test_an_offset_moves_every_window() -> None:
    assert tumbling(10, offset=3).bounds(0) == (3, 13)
    assert tumbling(10, offset=13).bounds(0) == (13, 23)


def test_no_cti_and_infinity_stay_what_they_are() -> None:
    assert tumbling(10).output_cti(NO_CTI) == NO_CTI
    assert tumbling(10).output_cti(INFINITY) == INFINITY


def test_infinity_lies_above_the_windows_of_all_times() -> None:
    of = tumbling(10)
    assert of.first_open(INFINITY) > of.last_index(Tick(LAST_TICK + 1))
    assert of.first_open(NO_CTI) < of.first_index(FIRST_TICK)


@pytest.mark.parametrize(("size", "hop"), [(0, 1), (1, 0), (-1, 1), (1, -1)])
def test_sizes_and_hops_must_be_positive(size: int, hop: int) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        HoppingWindows(Ticks(size), Ticks(hop))
