"""Calendar windows in columns are those of `temporal`, one by one (T63)."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streaming.engine.columns.window_indices import window_indices
from streaming.temporal.calendar_windows import CalendarWindows
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, Tick

DAY = 86_400_000_000
WINDOWS = st.builds(
    CalendarWindows,
    st.sampled_from(("day", "week", "month", "quarter", "year")),
    st.sampled_from(("UTC", "Europe/Zurich", "Pacific/Apia", "America/St_Johns")),
)
NEAR = st.integers(1_293_840_000_000_000, 1_356_998_400_000_000)  # 2011 and 2012
TIMES = st.lists(NEAR | st.integers(FIRST_TICK, LAST_TICK), max_size=8)
SPANS = st.integers(0, 400 * DAY)


@given(WINDOWS, TIMES)
def test_first_last_and_bounds(windows: CalendarWindows, times: list[int]) -> None:
    column = np.array(times, np.int64)
    indices = window_indices(windows)
    first = indices.first(column)
    assert first.tolist() == [windows.first_index(Tick(each)) for each in times]
    assert indices.last(column + 1).tolist() == first.tolist()
    assert all(each.tolist() == first.tolist() for each in indices.of_points(column))
    starts, ends = indices.bounds(first)
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == [windows.bounds(each) for each in first.tolist()]


@given(WINDOWS, NEAR, SPANS)
def test_many_rows_of_a_span(windows: CalendarWindows, start: int, span: int) -> None:
    column = np.linspace(start, start + span, 1_000).astype(np.int64)
    found = window_indices(windows).first(column)
    assert found[::97].tolist() == [windows.first_index(Tick(each)) for each in column[::97].tolist()]


@given(WINDOWS, NEAR)
def test_an_end_at_infinity_is_after_all_windows(windows: CalendarWindows, start: int) -> None:
    last = window_indices(windows).last(np.array([start, INFINITY]))
    assert last[0] == windows.last_index(Tick(start))
    assert last[1] > windows.last_index(LAST_TICK)
