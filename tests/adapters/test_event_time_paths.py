"""EVENTTIME BY on real files: the start of a row in each format."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.json_lines import JsonLines
from streaming.adapters.registry import input_adapter
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.event_time import with_event_times
from streaming.definition.streams.stream import EventTimeBy, StreamDefinition
from streaming.temporal.events import Cti, Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element, MalformedRow

GRAPH = QueryGraph.model_validate(
    {
        "version": 1,
        "name": "q",
        "nodes": [{"id": "s", "kind": "input", "stream": "s"}, {"id": "out", "kind": "output", "input": "s"}],
    }
)
MOMENT = datetime(2026, 1, 2, tzinfo=UTC)
TICK = int(MOMENT.timestamp()) * 1_000_000


def stream(path: str, unit: str = "us", fields: Mapping[str, str] | None = None, **more: Any) -> StreamDefinition:
    raw = StreamDefinition.model_validate({"fields": {"v": "long"} if fields is None else fields, **more})
    by = EventTimeBy.model_validate({"path": path, "unit": unit})
    return with_event_times(GRAPH, {"s": raw}, {"s": by})["s"]


def read(folder: Path, name: str, of: StreamDefinition, kind: str = "file") -> list[Element]:
    adapter = input_adapter(kind, {"path": name}, of, folder)
    reached: Mapping[str, int] = {"0": 0}
    found: list[Element] = []
    while not adapter.finished(reached):
        further = adapter.latest(reached, now=0, limit_rows=1_000)
        for arrived in adapter.read("0", reached["0"], further["0"]):
            found += elements(arrived)
        reached = further
    return found


def starts(found: Sequence[Element]) -> list[int | str]:
    return [each.start if isinstance(each, Event) else str(getattr(each, "reason", each)) for each in found]


def lines(folder: Path, rows: Sequence[Any]) -> str:
    (folder / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "in.jsonl"


@pytest.mark.parametrize("rows", [1, 300])
@pytest.mark.parametrize(
    ("path", "row"),
    [
        ("t", {"t": 5, "v": 1}),
        ("_value.t", {"t": 5, "v": 1}),
        ("_value.t", {"_value.t": 5, "t": 4, "v": 1}),
        ("_value.t", {"_value": {"t": 5}, "v": 1}),
        ("a.t", {"a": {"t": 5}, "v": 1}),
        ("a.t", {"a.t": 5, "a": {"t": 4}, "v": 1}),
        ("_value.a.t", {"a": {"t": 5}, "v": 1}),
        ("_key.t", {"key": {"t": 5}, "v": 1}),
        ("_meta.t", {"meta": {"t": 5}, "v": 1}),
        ("t", {"payload": {"t": 5, "v": 1}}),
        ("_value.t", {"payload": {"t": 5, "v": 1}}),
        ("a.t", {"payload": {"a": {"t": 5}, "v": 1}}),
        ("_key.a.t", {"key": {"a": {"t": 5}}, "payload": {"v": 1}}),
        ("_key", {"key": 5, "payload": {"v": 1}}),
        ("_meta.partition", {"meta": {"partition": 5}, "payload": {"v": 1}}),
    ],
)
def test_json_lines_have_columns_nested_fields_and_facets(
    tmp_path: Path, path: str, row: Mapping[str, Any], rows: int
) -> None:
    found = read(tmp_path, lines(tmp_path, [row] * rows), stream(path))
    assert found == [Event(5, 6, {"v": 1})] * rows  # type: ignore[arg-type]


@pytest.mark.parametrize("rows", [1, 300])
@pytest.mark.parametrize(
    "row",
    [
        {"v": 1},
        {"a": None, "v": 1},
        {"a": 7, "v": 1},
        {"a": {"t": None}, "v": 1},
        {"a": {"t": "soon"}, "v": 1},
        {"a": {"t": True}, "v": 1},
        {"a": {"t": [5]}, "v": 1},
        {"payload": {"v": 1}},
        {"key": {"a": {"t": 5}}, "payload": {"v": 1}},
    ],
)
def test_an_absent_or_unreadable_start_is_bad_time(tmp_path: Path, row: Mapping[str, Any], rows: int) -> None:
    found = read(tmp_path, lines(tmp_path, [row] * rows), stream("a.t"))
    assert found == [MalformedRow(Reason.BAD_TIME)] * rows


def test_ctis_of_transcript_rows_stay_ctis_where_the_start_is_a_field(tmp_path: Path) -> None:
    rows = [{"payload": {"t": 5, "v": 1}}, {"cti": 9}, {"cti": 10, "strict": True}, {"bad": "x"}, {"cti": 4, "t": 3}]
    found = read(tmp_path, lines(tmp_path, rows), stream("t"))
    assert found[1:3] == [Cti(9), Cti(11)]  # type: ignore[arg-type]
    assert found[3] == MalformedRow(Reason.BAD_ROW)
    assert found[4] == Event(3, 4, {"v": None})  # type: ignore[arg-type]


def test_a_field_called_payload_or_cti_is_a_field(tmp_path: Path) -> None:
    of = stream("t", fields={"payload": "struct<t: long>", "cti": "long"})
    found = read(tmp_path, lines(tmp_path, [{"t": 5, "payload": {"t": 1}, "cti": 2}, {"t": 6, "cti": 3}]), of)
    assert [each.payload for each in found if isinstance(each, Event)] == [
        {"payload": {"t": 1}, "cti": 2},
        {"payload": None, "cti": 3},
    ]


def test_the_unit_and_the_zone_are_the_configured_ones(tmp_path: Path) -> None:
    name = lines(tmp_path, [{"t": 5, "v": 1}])
    assert starts(read(tmp_path, name, stream("t", "ms"))) == [5_000]
    assert starts(read(tmp_path, name, stream("t", "iso"))) == ["bad_time"]
    raw = StreamDefinition(fields={})
    zurich = EventTimeBy(path="t", zone="Europe/Zurich")
    of = with_event_times(GRAPH, {"s": raw}, {"s": zurich})["s"]
    assert starts(read(tmp_path, lines(tmp_path, [{"t": "2026-01-02T01:00:00"}]), of)) == [TICK]


def test_intervals_keep_their_end(tmp_path: Path) -> None:
    of = stream("t", shape=Shape.INTERVAL)
    rows = [
        {"payload": {"t": 5}, "end": 8},
        {"payload": {"t": 5}, "end": None},
        {"t": 5, "end": 9},
        {"payload": {"t": 5}},
    ]
    found = read(tmp_path, lines(tmp_path, rows), of)
    assert [each.end for each in found[:3] if isinstance(each, Event)] == [8, 2**63 - 1, 9]
    assert found[3] == MalformedRow(Reason.BAD_TIME)


def test_the_fast_path_treats_every_row_like_the_slow_one(tmp_path: Path) -> None:
    rows = [{"t": number, "v": number, "text": "p\u00e9\u0070"} for number in range(300)]
    of = stream("_value.t", fields={"v": "long", "text": "string"})
    fast = read(tmp_path, lines(tmp_path, rows), of)
    slow = JsonLines(of, {})
    assert fast == [slow.judge(row) for row in rows]


def test_a_key_hidden_by_an_escape_is_found(tmp_path: Path) -> None:
    line = '{"\\u0070ayload": {"t": 5, "v": 1}}\n'
    (tmp_path / "in.jsonl").write_text(line * 300)
    assert read(tmp_path, "in.jsonl", stream("t")) == [Event(5, 6, {"v": 1})] * 300  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "header"), [("t", "t,v"), ("_value.t", "t,v"), ("a.t", "a.t,v"), ("_key.t", "_key.t,v")]
)
def test_csv_has_columns(tmp_path: Path, path: str, header: str) -> None:
    (tmp_path / "in.csv").write_text(f"{header}\n5,1\nx,2\n,3\n")
    assert starts(read(tmp_path, "in.csv", stream(path))) == [5, "bad_time", "bad_time"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("_key.t", "have no _key"),
        ("_meta.partition", "have no _meta"),
        ("a.t", "inside a column"),
        ("u", "no column 'u'"),
    ],
)
def test_a_path_that_csv_cannot_have_is_refused_before_the_first_row(tmp_path: Path, path: str, message: str) -> None:
    (tmp_path / "in.csv").write_text("t,v\n5,1\n")
    with pytest.raises(AdapterError, match=message):
        input_adapter("file", {"path": "in.csv"}, stream(path), tmp_path).latest({}, now=0, limit_rows=1)


@pytest.mark.parametrize(
    ("path", "columns"),
    [
        ("t", {"t": [MOMENT, None]}),
        ("_value.t", {"t": [MOMENT, None]}),
        ("a.t", {"a": [{"t": MOMENT}, None]}),
        ("_value.a.t", {"a": [{"t": MOMENT}, {"t": None}]}),
        ("a.t", {"a.t": [MOMENT, None], "a": [{"t": None}, {"t": None}]}),
        ("_key.a.t", {"key": [{"a": {"t": MOMENT}}, {"a": None}]}),
        ("_key.t", {"_key": [{"t": MOMENT}, None]}),
        ("_key", {"key": [MOMENT, None]}),
    ],
)
def test_parquet_has_columns_and_structs(tmp_path: Path, path: str, columns: dict[str, Any]) -> None:
    pq.write_table(pa.table({**columns, "v": [1, 2]}), tmp_path / "in.parquet")
    assert starts(read(tmp_path, "in.parquet", stream(path, "iso"))) == [TICK, "bad_time"]


@pytest.mark.parametrize(
    ("path", "message"),
    [("_key.t", "no column '_key.t'"), ("a.u", "no field 'u'"), ("v.t", "it is int64"), ("a", "can't be")],
)
def test_a_path_that_a_parquet_file_lacks_is_refused_before_the_first_row(
    tmp_path: Path, path: str, message: str
) -> None:
    pq.write_table(pa.table({"a": [{"t": MOMENT}], "v": [1]}), tmp_path / "in.parquet")
    with pytest.raises(AdapterError, match=message):
        input_adapter("file", {"path": "in.parquet"}, stream(path, "iso"), tmp_path).latest({}, now=0, limit_rows=1)


def test_the_rows_adapter_takes_the_start_from_the_path(tmp_path: Path) -> None:
    rows = [{"key": {"t": 5}, "payload": {"v": 1}}, {"payload": {"v": 2}}, {"cti": 7}]
    found = read(tmp_path, lines(tmp_path, rows), stream("_key.t"), "rows")
    assert found == [Event(5, 6, {"v": 1}), MalformedRow(Reason.BAD_TIME), Cti(7)]  # type: ignore[arg-type]


def test_the_generator_refuses_a_path_that_it_would_ignore(tmp_path: Path) -> None:
    of = stream("sent_at", "iso", fields={"sent_at": "timestamp"})
    with pytest.raises(AdapterError, match="can't be read from 'sent_at'"):
        input_adapter("generator", {}, of, tmp_path)
