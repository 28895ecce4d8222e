"""Patterns of times: texts that they read and refuse; a column is read like its values."""

from datetime import datetime, timedelta

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from streaming.adapters.times.columns import TimeSource, read_cells, read_time
from streaming.definition.streams.stream import EventTimeBy, TimeColumn
from streaming.definition.streams.time_patterns import time_pattern
from streaming.temporal.ticks import parse_instant

TEN = parse_instant("2024-03-05T10:00:00Z")


@pytest.mark.parametrize(
    ("pattern", "text", "instant"),
    [
        ("dd.MM.yyyy HH:mm[:ss]", "05.03.2024 10:00", "2024-03-05T10:00:00Z"),
        ("dd.MM.yyyy HH:mm[:ss]", "05.03.2024 24:00:00", "2024-03-06T00:00:00Z"),
        ("dd.MM.yyyy HH:mm[:ss]", " 31.12.2016  23:59:60\t", "2017-01-01T00:00:00Z"),
        ("M/d/yyyy h:mm a", "3/5/2024 12:01 AM", "2024-03-05T00:01:00Z"),
        ("M/d/yyyy h:mm a", "3/5/2024 12:01 p.m.", "2024-03-05T12:01:00Z"),
        ("yyyyMMdd[HHmmss]", "20240305", "2024-03-05T00:00:00Z"),
        ("d MMM yy", "5 Mar 24", "2024-03-05T00:00:00Z"),
        ("d MMM yy", "5 mar 69", "1969-03-05T00:00:00Z"),
        ("yyyy-MM-dd'T'HH:mm:ss.SSS", "2024-03-05T10:00:00.123456789", "2024-03-05T10:00:00.123456Z"),
        ("EEE, d MMM yyyy HH:mm:ss z", "Tue, 5 Mar 2024 11:00:00 CET", "2024-03-05T10:00:00Z"),
        ("dd.MM.yyyy HH:mm z", "05.07.2024 12:00 Europe/Berlin", "2024-07-05T10:00:00Z"),
        ("dd.MM.yyyy HH:mm X", "05.03.2024 10:00 +0130", "2024-03-05T08:30:00Z"),
    ],
)
def test_a_pattern_reads_matching_times(pattern: str, text: str, instant: str) -> None:
    assert time_pattern(pattern).read(text, "UTC") == parse_instant(instant)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("dd.MM.yyyy", "31.02.2024"),
        ("dd.MM.yyyy", "5.3.2024"),
        ("dd.MM.yyyy HH:mm", "05.03.2024 24:01"),
        ("dd.MM.yyyy HH:mm", "05.03.2024 25:00"),
        ("M/d/yyyy h:mm a", "3/5/2024 13:00 PM"),
        ("dd.MM.yyyy HH:mm z", "05.03.2024 10:00 BST"),
        ("dd.MM.yyyy", "05.03.2024 "[:-2] + "٤"),
    ],
)
def test_text_that_does_not_match_is_not_read(pattern: str, text: str) -> None:
    assert time_pattern(pattern).read(text, "UTC") is None


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("", "1 to 100 characters"),
        ("HH:mm", "lacks the year"),
        ("dd.MM.yyyy h:mm", "h without a"),
        ("dd.MM.yyyy dd", "a part twice"),
        ("dd.MM.yyyy [HH", "brackets"),
        ("dd.MM.yyyy QQ", "'QQ'"),
        ("dd.MM.yyyy 'T", "quotation mark"),
    ],
)
def test_an_invalid_pattern_is_refused_with_the_reason(pattern: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        TimeColumn(column="at", unit="pattern", pattern=pattern)


def test_pattern_and_unit_need_each_other() -> None:
    with pytest.raises(ValidationError, match="need each other"):
        TimeColumn(column="at", pattern="dd.MM.yyyy")
    with pytest.raises(ValidationError, match="need each other"):
        TimeColumn(column="at", unit="pattern")


PATTERNS = ["dd.MM.yyyy HH:mm[:ss]", "M/d/yy h:mm a", "yyyyMMdd[HHmmss]", "d MMM yyyy[ HH:mm[:ss[.S]]][ z]"]
MOMENTS = st.integers(0, 80 * 366 * 86_400).map(lambda s: datetime(1969, 1, 1) + timedelta(seconds=s))  # noqa: DTZ001
FORMS = ["%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%m/%d/%y %I:%M %p", "%Y%m%d%H%M%S", "%d %b %Y %H:%M:%S.%f", "%d %b %Y"]
TEXTS = st.one_of(
    st.builds(
        lambda at, form, zone: at.strftime(form) + zone,
        MOMENTS,
        st.sampled_from(FORMS),
        st.sampled_from(["", " CET", " X"]),
    ),
    st.sampled_from(["31.02.2024 10:00", "05.03.2024 24:00", "05.03.2024 24:01", "05.03.2024 23:59:60", "", "x"]),
    st.sampled_from(
        ["31.03.2024 02:30", "27.10.2024 02:30", "1 Jan 0001", "9/9/99 0:00 AM", "20240305", "5 Mar 2024 Europe/Berlin"]
    ),
)


@given(
    st.lists(st.none() | TEXTS, min_size=1, max_size=20),
    st.sampled_from(PATTERNS),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York"]),
)
def test_a_column_is_read_like_its_values(texts: list[str | None], pattern: str, zone: str) -> None:
    source = TimeSource("at", "pattern", zone, pattern)
    column = read_cells(pa.array(texts, pa.string()), source)
    read = [None if bad else tick for tick, bad in zip(column.ticks.tolist(), column.bad.tolist(), strict=True)]
    assert read == [read_time(text, source) for text in texts]


@given(
    st.lists(st.none() | st.floats(-100, 3_000_000) | st.integers(-10, 3_000_000), min_size=1, max_size=20),
    st.sampled_from(["UTC", "Europe/Berlin"]),
)
def test_serials_of_a_column_are_read_like_single_values(days: list[float | None], zone: str) -> None:
    source = TimeSource("at", "excel", zone)
    cells = pa.array([None if each is None else repr(each) for each in days], pa.string())
    column = read_cells(cells, source)
    read = [None if bad else tick for tick, bad in zip(column.ticks.tolist(), column.bad.tolist(), strict=True)]
    assert read == [None if each is None else read_time(float(each), source) for each in days]


def test_a_serial_is_a_day_of_a_spreadsheet() -> None:
    assert read_time(45356.4166666667, TimeSource("at", "excel")) == TEN
    assert read_time(60, TimeSource("at", "excel")) is None, "the day that never was"


def test_a_time_without_a_pattern_is_stored_as_before_patterns_existed() -> None:
    """Check the stored form: a binding may resume only if the digest of its definition is unchanged."""
    assert TimeColumn(column="at").model_dump_json() == '{"column":"at","unit":"iso","zone":"UTC"}'
    assert EventTimeBy(path="at").model_dump_json() == '{"path":"at","unit":"iso","zone":"UTC"}'
