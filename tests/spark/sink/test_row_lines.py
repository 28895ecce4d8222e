"""Lines of results that are written column by column equal the rows."""

import json
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pytest

from streaming.definition.payload.type_text import parse_fields
from streaming.engine.columns.flows import CLOSE, ENDLESS, GONE, OPEN, WHOLE
from streaming.spark.sink.part_files import with_null_for_infinity
from streaming.spark.sink.result_rows import result_rows
from streaming.spark.sink.row_lines import result_lines, table_lines
from streaming.temporal.ticks import INFINITY


def read(pieces: Iterable[bytes]) -> list[Any]:
    """Return the values of lines; each line must end with a line end."""
    text = b"".join(pieces)
    assert text.endswith(b"\n")
    return [json.loads(line) for line in text.removesuffix(b"\n").split(b"\n")]


SCHEMA = parse_fields({"k": "string", "n": "long", "x": "double", "b": "boolean"})


def table(values: list[float | None]) -> pa.Table:
    count = len(values)
    return pa.table(
        {
            "@start": pa.array(range(count), pa.int64()),
            "@end": pa.array([INFINITY, *range(2, count + 1)], pa.int64()),
            "k": pa.array([None, *['é"\n\u2028'] * (count - 1)], pa.string()),
            "n": pa.array([2**63 - 1, *[None] * (count - 1)], pa.int64()),
            "x": pa.array(values, pa.float64()),
            "b": pa.array([True, *[None] * (count - 1)], pa.bool_()),
        }
    )


@pytest.fixture(params=[0, 1_000])
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use both ways of writing: column by column, and row by row."""
    monkeypatch.setattr("streaming.spark.sink.row_lines._FEW", request.param)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("values", [[0.1, None, -0.0, 1e300, 5e-324], [float("inf"), 1.0]])
def test_lines_equal_rows(values: list[float | None]) -> None:
    lines = read(result_lines("out", table(values), SCHEMA))
    assert lines == result_rows("out", table(values), SCHEMA)
    assert lines[0]["end"] is None


@pytest.mark.usefixtures("few")
def test_lines_of_edges_and_panes_equal_rows() -> None:
    flags = [WHOLE, OPEN, CLOSE, CLOSE, ENDLESS, GONE, WHOLE]
    count = len(flags)
    beside = {
        "@start": pa.array([5] * count, pa.int64()),
        "@end": pa.array([9, INFINITY, 8, 5, INFINITY, 9, 9], pa.int64()),
        "@flag": pa.array(flags, pa.int8()),
        "@id": pa.array([f"id {each}" for each in range(count)]),
        "@pane_start": pa.array([0] * count, pa.int64()),
        "@pane_end": pa.array([10, INFINITY, *[10] * (count - 2)], pa.int64()),
        "@pane_timing": pa.array([0, 1, 2, 0, 1, 2, 0], pa.int8()),
        "@pane_index": pa.array([0, 1, 2, 3, 4, 5, -1], pa.int64()),
        "@pane_is_last": pa.array([False, True] * 3 + [False]),
    }
    fields = {name: column for name, column in table([0.5] * count).to_pydict().items() if name in SCHEMA}
    whole = pa.table({**beside, **fields})
    lines = read(result_lines("out", whole, SCHEMA))
    assert lines == result_rows("out", whole, SCHEMA)
    assert [line["edge"] for line in lines] == [None, "start", "end", "end", None, None, None]
    assert [line["deleted"] for line in lines] == [False, False, False, True, False, True, False]
    assert lines[-1]["pane"] is None
    assert lines[2]["pane"] == {"start": 0, "end": 10, "timing": "late", "index": 2, "is_last": False}


@pytest.mark.usefixtures("few")
def test_a_line_contains_no_line_end() -> None:
    assert len(read(result_lines("out", table([1.0, 2.0]), SCHEMA))) == 2


@pytest.mark.usefixtures("few")
def test_rows_without_fields_have_an_empty_payload() -> None:
    bare = table([1.0]).select(["@start", "@end"])
    assert [line["payload"] for line in read(result_lines("out", bare, {}))] == [{}]


def test_a_late_row_has_null_for_infinity() -> None:
    late = pa.table(
        {
            "position": pa.array([0, 1], pa.int64()),
            "end": pa.array([INFINITY, 5], pa.int64()),
            "cti": pa.array([None, INFINITY], pa.int64()),
            "raw": ['{"at": "now"}', "broken\n"],
        }
    )
    assert read(table_lines(with_null_for_infinity(late))) == [
        {"position": 0, "end": None, "cti": None, "raw": '{"at": "now"}'},
        {"position": 1, "end": 5, "cti": None, "raw": "broken\n"},
    ]
