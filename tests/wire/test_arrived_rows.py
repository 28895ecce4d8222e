"""Rows convert to columns and back to the same rows."""

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Cti, Shape, edge_end, edge_start, interval, point
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrived import RowKind, no_raw
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of, elements
from streaming.wire.rows.arrow_types import arrow_schema, fields_of
from streaming.wire.rows.row_json import Element, MalformedRow

STREAM = StreamDefinition(shape=Shape.EDGE, fields={"k": "string", "n": "long"})
TICKS = st.integers(-(10**15), 10**15)
PAYLOADS = st.fixed_dictionaries({"k": st.none() | st.text(max_size=3), "n": st.none() | st.integers(-5, 5)})
ELEMENTS: st.SearchStrategy[Element] = st.one_of(
    st.builds(point, TICKS, PAYLOADS),
    st.builds(interval, TICKS, TICKS, PAYLOADS),
    st.builds(edge_start, TICKS, PAYLOADS),
    st.builds(edge_end, TICKS, TICKS, PAYLOADS),
    st.builds(Cti, TICKS | st.just(INFINITY)),
    st.sampled_from(Reason).map(MalformedRow),
)


@given(st.lists(ELEMENTS, max_size=10))
def test_rows_convert_to_columns_and_back(rows: list[Element]) -> None:
    chunk = arrived_of([JudgedRow(i, element, f"raw {i}") for i, element in enumerate(rows)], STREAM)
    assert list(elements(chunk)) == rows
    assert chunk.raw(range(len(rows))) == [f"raw {i}" for i in range(len(rows))]
    assert chunk.positions.tolist() == list(range(len(rows)))


def test_a_stream_without_fields_keeps_its_row_count() -> None:
    stream = StreamDefinition(fields={})
    chunk = arrived_of([JudgedRow(0, point(1), ""), JudgedRow(1, point(2), "")], stream)
    assert chunk.payload.num_rows == 2
    assert list(elements(chunk)) == [point(1), point(2)]


def test_an_unknown_arrival_is_a_sentinel_and_without_arrivals_there_is_no_column() -> None:
    known = arrived_of([JudgedRow(0, point(1), "", 7), JudgedRow(1, point(2), "")], STREAM)
    assert known.arrival is not None
    assert known.arrival.tolist() == [7, NO_CTI]
    assert arrived_of([JudgedRow(0, point(1), "")], STREAM).arrival is None


def test_the_columns_contain_kinds_and_sentinels() -> None:
    rows = [edge_start(3, {"k": "a", "n": 1}), Cti(INFINITY), MalformedRow(Reason.BAD_ROW)]
    chunk = arrived_of([JudgedRow(i, row, "") for i, row in enumerate(rows)], STREAM)
    assert chunk.kind.tolist() == [RowKind.EDGE_START, RowKind.CTI, RowKind.MALFORMED]
    assert (chunk.start[0], chunk.end[0], chunk.start[1]) == (3, INFINITY, INFINITY)
    assert dict(chunk.malformed) == {2: Reason.BAD_ROW}


def test_every_type_has_a_column_type() -> None:
    fields = {
        "l": "long",
        "d": "double",
        "s": "string",
        "b": "boolean",
        "t": "timestamp",
        "m": "decimal(10,2)",
        "a": "array<timestamp>",
        "r": "struct<x: long, y: array<string>>",
    }
    assert arrow_schema(fields_of(fields)) == pa.schema(
        {
            "l": pa.int64(),
            "d": pa.float64(),
            "s": pa.string(),
            "b": pa.bool_(),
            "t": pa.int64(),
            "m": pa.decimal128(10, 2),
            "a": pa.list_(pa.int64()),
            "r": pa.struct({"x": pa.int64(), "y": pa.list_(pa.string())}),
        }
    )


def test_nested_and_exact_values_survive() -> None:
    stream = StreamDefinition(fields={"m": "decimal(5,2)", "r": "struct<x: array<long>>"})
    event = point(1, {"m": Decimal("1.50"), "r": {"x": [1, None]}})
    assert list(elements(arrived_of([JudgedRow(0, event, "")], stream))) == [event]


def test_a_chunk_without_raw_rows_raises() -> None:
    with pytest.raises(LookupError, match="no raw rows"):
        no_raw([0])
