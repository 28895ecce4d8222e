"""Parquet: typed columns, any span of rows, problems of columns."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.file import parquet
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn, TimeUnit
from streaming.temporal.events import Event, Shape, edge_end, edge_start, interval, point
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.inputs import INTERVALS, POINTS, chunks, files, malformed, payloads, rows

LISTED = pa.list_(pa.dictionary(pa.int32(), pa.string()))


def save(path: Path, columns: dict[str, Any], *, group_rows: int = 3) -> None:
    pq.write_table(pa.table(columns), path, row_group_size=group_rows)


@pytest.mark.parametrize("step", [1, 2, 4, 5, 100])
@pytest.mark.parametrize("chunk_rows", [1, 2, 1000])
def test_any_span_of_rows_can_be_read(tmp_path: Path, step: int, chunk_rows: int) -> None:
    save(tmp_path / "a.parquet", {"ts": range(10), "k": ["x"] * 10, "v": range(10)})
    found = chunks(files(tmp_path, chunk_rows=chunk_rows), step)
    assert np.concatenate([chunk.start for chunk in found]).tolist() == list(range(10))
    assert np.concatenate([chunk.positions for chunk in found]).tolist() == list(range(10))
    assert all(len(chunk.kind) <= chunk_rows for chunk in found)


def test_every_type_is_read(tmp_path: Path) -> None:
    stream = StreamDefinition(
        fields={"i": "long", "f": "double", "s": "string", "b": "boolean", "t": "timestamp", "m": "decimal(6,2)"},
        event_time=EventTime(start=TimeColumn(column="at")),
    )
    at = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    save(
        tmp_path / "a.parquet",
        {
            "at": pa.array([at], pa.timestamp("ms", "UTC")),
            "i": pa.array([7], pa.int16()),
            "f": pa.array([0.5], pa.float32()),
            "s": pa.array(["é"], pa.large_string()).dictionary_encode(),
            "b": [True],
            "t": pa.array([2_000_000_000], pa.timestamp("ns")),
            "m": [Decimal("1.5")],
        },
    )
    payload = {"i": 7, "f": 0.5, "s": "é", "b": True, "t": 2_000_000, "m": Decimal("1.50")}
    assert rows(files(tmp_path, stream)) == [point(1_000_000, payload)]


def test_null_times_and_values_that_are_not_finite_are_malformed_and_show_the_whole_row(tmp_path: Path) -> None:
    stream = StreamDefinition(fields={"v": "double"}, event_time=POINTS.event_time)
    columns = {"ts": [1, None, 3, 4], "v": [1.0, 2.0, float("nan"), None], "other": ["a", "b", "c", "é"]}
    save(tmp_path / "a.parquet", columns)
    adapter = files(tmp_path, stream)
    assert payloads(rows(adapter), "v") == [1.0, Reason.BAD_TIME, Reason.BAD_PAYLOAD, None]
    texts = [(position, reason, json.loads(raw)["other"]) for position, reason, raw in malformed(adapter)]
    assert texts == [(1, Reason.BAD_TIME, "b"), (2, Reason.BAD_PAYLOAD, "c")]
    assert chunks(adapter)[-1].raw([]) == []


def test_intervals_and_edges(tmp_path: Path) -> None:
    save(tmp_path / "a.parquet", {"ts": [1, 5, 6], "until": [4, 5, None], "k": ["a", "b", "c"]})
    malformed_rows = [MalformedRow(Reason.BAD_LIFETIME), MalformedRow(Reason.BAD_TIME)]
    assert rows(files(tmp_path, INTERVALS)) == [interval(1, 4, {"k": "a"}), *malformed_rows]
    edges = StreamDefinition(shape=Shape.EDGE, fields={})
    columns = {"start": [1, 1, 2], "end": [None, 3, 3], "edge": ["start", "end", "?"]}
    (tmp_path / "a.parquet").unlink()
    save(tmp_path / "b.parquet", columns)
    assert rows(files(tmp_path, edges)) == [edge_start(1), edge_end(1, 3), MalformedRow(Reason.BAD_ROW)]


@pytest.mark.parametrize(("unit", "value", "start"), [("s", 2, 2_000_000), ("ms", 1.5, 1_500), ("ns", 5_999, 5)])
def test_numbers_are_times_in_the_unit_of_the_stream(tmp_path: Path, unit: TimeUnit, value: float, start: int) -> None:
    stream = StreamDefinition(fields={}, event_time=EventTime(start=TimeColumn(column="ts", unit=unit)))
    save(tmp_path / "a.parquet", {"ts": [value]})
    assert rows(files(tmp_path, stream)) == [point(start)]


def test_a_time_without_a_zone_is_in_that_of_the_stream(tmp_path: Path) -> None:
    stream = StreamDefinition(fields={}, event_time=EventTime(start=TimeColumn(column="ts", zone="America/Chicago")))
    save(tmp_path / "a.parquet", {"ts": pa.array([1_309_478_400], pa.timestamp("s"))})
    found = [row.start for row in rows(files(tmp_path, stream)) if isinstance(row, Event)]
    assert found == [1_309_496_400_000_000]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"ts": [1], "k": ["a"], "v": ["1"]}, "'v' .* is string, but the field 'v' of the stream is long"),
        ({"ts": [1], "k": ["a"], "v": [1.5]}, "is double, but the field 'v'"),
        ({"ts": [1], "k": [1], "v": [1]}, "is int64, but the field 'k' of the stream is string"),
        ({"ts": [1], "k": pa.array([["a"]], LISTED), "v": [1]}, "is list<(element|item): string>, but the field 'k'"),
        ({"ts": ["1"], "k": ["a"], "v": [1]}, "can't be read as us"),
        ({"ts": [True], "k": ["a"], "v": [1]}, "can't be read as us"),
        ({"ts": [1], "k": ["a"], "vv": [1]}, "no column 'v'. Its columns are ts, k, vv. Did you mean 'vv'"),
    ],
)
def test_a_file_that_does_not_fit_the_stream_is_refused(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    save(tmp_path / "a.parquet", columns)
    with pytest.raises(AdapterError, match=message):
        rows(files(tmp_path))


def test_numbers_without_a_unit_are_refused(tmp_path: Path) -> None:
    stream = StreamDefinition(fields={}, event_time=EventTime(start=TimeColumn(column="ts")))
    save(tmp_path / "a.parquet", {"ts": [1]})
    with pytest.raises(AdapterError, match="Choose their unit"):
        rows(files(tmp_path, stream))


def test_an_incomplete_file_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(AdapterError, match="not a complete Parquet file"):
        rows(files(tmp_path))


def test_a_file_without_rows_is_no_rows(tmp_path: Path) -> None:
    save(
        tmp_path / "a.parquet",
        {"ts": pa.array([], pa.int64()), "k": pa.array([], pa.string()), "v": pa.array([], pa.int64())},
    )
    assert rows(files(tmp_path)) == []


NESTED = StreamDefinition(
    fields={"tags": "array<string>", "of": "struct<p: string, q: array<long>>"}, event_time=POINTS.event_time
)


def nested(tags: list[Any], of: list[Any]) -> dict[str, Any]:
    kinds = pa.list_(pa.string()), pa.struct({"p": pa.string(), "q": pa.list_(pa.int64())})
    return {"ts": range(len(tags)), "tags": pa.array(tags, kinds[0]), "of": pa.array(of, kinds[1])}


@pytest.mark.parametrize("chunk_rows", [1, 2, 1000])
def test_nested_columns_are_read_whatever_rows_are_read_together(tmp_path: Path, chunk_rows: int) -> None:
    tags = [["a", "b"], None, [], ["a", None], ["c"]]
    of = [{"p": "é", "q": [1, 2]}, None, {"p": None, "q": None}, {"p": "é", "q": []}, {"p": "z", "q": [3]}]
    save(tmp_path / "a.parquet", nested(tags, of), group_rows=3)
    found = [dict(each.payload) for each in rows(files(tmp_path, NESTED, chunk_rows=chunk_rows))]
    assert found == [{"tags": one, "of": other} for one, other in zip(tags, of, strict=True)]


@pytest.mark.parametrize("where", ["tags", "of", "numbers", "unused"])
def test_the_values_in_lists_structs_and_maps_count_for_the_size_of_a_row(tmp_path: Path, where: str) -> None:
    piece = "x" * 300_000
    tags = [piece] * 4 if where == "tags" else ["a"]
    of = {"p": piece * 4 if where == "of" else "b", "q": list(range(140_000)) if where == "numbers" else [1]}
    unused = [[], [("k", piece)] * 4 if where == "unused" else [], []]
    columns = nested([["a"], tags, ["a"]], [{"p": "b", "q": [1]}, of, {"p": "b", "q": [1]}])
    columns["ts"] = pa.array(
        [0, None if where == "unused" else 1, 2]
    )  # columns without a field are read for the raw text
    columns["m"] = pa.array(unused, pa.map_(pa.string(), pa.string()))
    save(tmp_path / "a.parquet", columns)
    [(position, reason, text)] = malformed(files(tmp_path, NESTED))
    assert (position, reason) == (1, Reason.BAD_TIME if where == "unused" else Reason.BAD_ROW)
    assert text.endswith("... (longer than 1048576 bytes)")
    assert len(text) < 1_000
    assert [each.payload["tags"] for each in rows(files(tmp_path, NESTED)) if isinstance(each, Event)] == [["a"], ["a"]]


def test_a_file_of_many_long_texts_in_lists_is_decoded_a_part_at_a_time(tmp_path: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), pa.array(["x" * 100_000]))
    lists = pa.ListArray.from_arrays(pa.array(range(20_001), pa.int32()), texts)
    save(tmp_path / "a.parquet", {"ts": range(20_000), "tags": lists}, group_rows=20_000)
    assert (tmp_path / "a.parquet").stat().st_size < 1_000_000
    stream = StreamDefinition(fields={"tags": "array<string>"}, event_time=POINTS.event_time)
    adapter = files(tmp_path, stream, chunk_rows=20_000)
    [lane] = adapter.lanes()
    last = adapter.latest({lane: 0}, now=0, limit_rows=20_000)[lane]
    before, largest = pa.total_allocated_bytes(), 0
    for chunk in adapter.read(lane, 0, last):
        largest = max(largest, pa.total_allocated_bytes() - before)
        assert len(chunk.kind) <= 672, "64 MiB of texts of 100,000 bytes"
    assert 0 < largest < 400 << 20


def test_a_file_of_many_numbers_in_lists_is_read_in_small_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "MOST_NESTED_VALUES", 1_000)
    lists = pa.ListArray.from_arrays(pa.array(range(0, 10_001, 100), pa.int32()), pa.array([7] * 10_000))
    save(tmp_path / "a.parquet", {"ts": range(100), "tags": lists}, group_rows=100)
    stream = StreamDefinition(fields={"tags": "array<long>"}, event_time=POINTS.event_time)
    found = chunks(files(tmp_path, stream, chunk_rows=100))
    assert [len(each.kind) for each in found] == [10] * 10
