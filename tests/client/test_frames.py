"""Rows of frames, tables and mappings as batches of JSON."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from webapp.client.library import streams
from webapp.client.library.frames import rows_of
from webapp.client.library.streams import batches_of

NAN = float("nan")


def test_frames_give_the_same_rows() -> None:
    rows = [{"n": 1, "d": Decimal("1.5")}, {"n": None, "d": None}]
    assert list(rows_of(pa.Table.from_pylist(rows))) == list(rows_of(pl.DataFrame(rows))) == list(rows_of(rows)) == rows


def test_a_number_that_is_missing_is_null_from_every_source() -> None:
    rows = [{"x": 1.5, "list": [1.0, NAN], "struct": {"y": NAN}}, {"x": NAN, "list": [], "struct": {"y": 2.0}}]
    expected = [{"x": 1.5, "list": [1.0, None], "struct": {"y": None}}, {"x": None, "list": [], "struct": {"y": 2.0}}]
    for source in (pa.Table.from_pylist(rows), pl.DataFrame(rows), rows, iter(rows)):
        assert list(rows_of(source)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32("nan"), None),
        (np.float64(1.5), 1.5),
        (np.int64(7), 7),
        (np.bool_(True), True),
        (np.array([1.5, NAN]), [1.5, None]),
        (np.array([7]), [7]),
        (np.datetime64("2026-01-31T12:00:00.000001", "ns"), "2026-01-31T12:00:00.000001000"),
        (np.datetime64("2026-01-31T12:00:00.000001", "us"), "2026-01-31T12:00:00.000001"),
        (np.datetime64("2026-01-31", "D"), "2026-01-31"),
        (np.datetime64("NaT", "ns"), None),
        (np.array(["2026-01-31T12:00:00"], "datetime64[ns]"), ["2026-01-31T12:00:00.000000000"]),
        (datetime(2026, 1, 31, tzinfo=UTC), "2026-01-31T00:00:00+00:00"),
        (Decimal("1.50"), "1.50"),
    ],
)
def test_a_value_is_the_same_in_json(value: Any, expected: Any) -> None:
    [content] = batches_of([{"x": value}])
    assert json.loads(content) == {"x": expected}


@pytest.mark.parametrize("unit", ["ns", "us"])
def test_a_length_of_time_of_numpy_is_an_error(unit: str) -> None:
    with pytest.raises(TypeError, match=r"^A value of the type timedelta64 can't be sent\.$"):
        list(batches_of([{"x": np.timedelta64(5, unit)}]))


@pytest.mark.parametrize(
    "value", [float("inf"), np.float32("-inf"), Decimal("Infinity"), [1.0, -float("inf")], {"y": [float("inf")]}]
)
def test_an_infinite_number_is_an_error_that_names_its_row_and_column(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^Row 2: the column 'x' has an infinite number, .*Replace it with a finite"):
        list(batches_of([{"n": 1, "x": 1.0}, {"n": 2, "x": value}]))


def test_an_infinite_number_of_a_frame_is_an_error() -> None:
    rows = [{"x": 1.5}, {"x": NAN}, {"x": float("inf")}]
    for source in (pa.Table.from_pylist(rows), pl.DataFrame(rows)):
        with pytest.raises(ValueError, match=r"^Row 3: the column 'x' has an infinite number"):
            list(batches_of(source))


def test_a_decimal_that_is_missing_is_null() -> None:
    assert list(batches_of([{"x": Decimal("NaN")}, {"x": Decimal("sNaN")}])) == [b'{"x": null}\n' * 2]


def test_a_batch_ends_before_it_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_BYTES", 20)  # a row of one digit has 9 bytes
    rows = [{"n": 1}, {"n": 2}, {"n": "longer than 20 bytes"}, {"n": 3}]
    first, second, third = batches_of(rows)
    assert first == b'{"n": 1}\n{"n": 2}\n'
    assert second == b'{"n": "longer than 20 bytes"}\n'
    assert third == b'{"n": 3}\n'
