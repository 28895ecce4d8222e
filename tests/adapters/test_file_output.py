"""Results as files: complete or absent, replaced by a second attempt, readable again as an input."""

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.registry import output_adapter
from streaming.definition.streams import StreamDefinition
from streaming.temporal.events import Shape, interval
from streaming.temporal.ticks import INFINITY
from streaming.wire.arrow_types import arrow_schema, fields_of
from tests.adapters.inputs import files, rows

FIELDS = {"k": "string", "n": "long", "t": "timestamp"}


def table(*events: tuple[int, int, str | None, int]) -> pa.Table:
    start, end, k, t = zip(*events, strict=True)
    return pa.table(
        {"start": start, "end": end, "k": pa.array(k, pa.string()), "n": pa.array([1] * len(k)), "t": pa.array(t)}
    )


ROWS = table((0, 10, 'é,"x"\n', 1_000_000), (10, INFINITY, None, 1_500_000))


def test_json_lines_are_transcript_rows_and_can_be_read_as_an_input(tmp_path: Path) -> None:
    output = output_adapter("file", {"path": "out"}, FIELDS, tmp_path)
    path = output.write("part-1-0", ROWS)
    assert path == "out/part-1-0.jsonl"
    stream = StreamDefinition(shape=Shape.INTERVAL, fields=FIELDS)
    assert rows(files(tmp_path / "out", stream)) == [
        interval(0, 10, {"k": 'é,"x"\n', "n": 1, "t": 1_000_000}),
        interval(10, INFINITY, {"k": None, "n": 1, "t": 1_500_000}),
    ]


def test_csv_has_the_columns_and_can_be_read_as_an_input(tmp_path: Path) -> None:
    output_adapter("file", {"path": "out", "format": "csv"}, FIELDS, tmp_path).write(
        "a", table((0, 10, 'é,"x"\n', 1_500_000))
    )
    stream = StreamDefinition(shape=Shape.INTERVAL, fields=FIELDS)
    assert rows(files(tmp_path / "out", stream)) == [interval(0, 10, {"k": 'é,"x"\n', "n": 1, "t": 1_500_000})]


def test_parquet_has_typed_columns_and_a_null_for_an_open_end(tmp_path: Path) -> None:
    path = output_adapter("file", {"path": "out", "format": "parquet"}, FIELDS, tmp_path).write("a", ROWS)
    read = pq.read_table(tmp_path / path)
    assert read.column("end").to_pylist() == [10, None]
    assert read.schema.field("t").type == pa.timestamp("us", "UTC")


def test_nested_and_decimal_values_are_text_in_csv(tmp_path: Path) -> None:
    fields = {"a": "array<long>", "m": "decimal(5,2)"}
    schema = arrow_schema(fields_of(fields))
    columns = {"start": [1], "end": [2], "a": pa.array([[1, None]], schema.field("a").type)}
    data = pa.table(columns | {"m": pa.array([Decimal("1.50")], schema.field("m").type)})
    path = output_adapter("file", {"path": "out", "format": "csv"}, fields, tmp_path).write("a", data)
    assert (tmp_path / path).read_text().splitlines()[1] == '1,2,"[1, null]",1.50'


def test_a_second_attempt_replaces_the_part(tmp_path: Path) -> None:
    output = output_adapter("file", {"path": "out"}, FIELDS, tmp_path)
    first = (tmp_path / output.write("p", ROWS)).read_bytes()
    output.write("p", table((1, 2, "a", 3)))
    assert (tmp_path / output.write("p", ROWS)).read_bytes() == first
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["p.jsonl"]


@pytest.mark.parametrize("part", ["../a", "a/b", "", ".hidden"])
def test_a_part_name_that_is_no_file_name_is_refused(tmp_path: Path, part: str) -> None:
    with pytest.raises(AdapterError, match="not a name of a part"):
        output_adapter("file", {"path": "out"}, FIELDS, tmp_path).write(part, ROWS)


def test_other_columns_than_the_fields_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="change the output stream or the query"):
        output_adapter("file", {"path": "out"}, {"k": "string"}, tmp_path).write("a", ROWS)


def test_a_folder_outside_the_root_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="outside the folder"):
        output_adapter("file", {"path": "../out"}, FIELDS, tmp_path).write("a", ROWS)


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="no output adapter 'pigeon'; choose one of file"):
        output_adapter("pigeon", {}, FIELDS, tmp_path)
