"""Refused runs: definitions with errors, command lines that do not fit, inputs that cannot be read."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streaming.definition.faults import Span
from streaming.run.shown import line_and_column, marked
from tests.run.runs import COUNT, PASS, Folder, node

ROWS = [{"start": 1, "v": 1}]
TEXT = "SELECT STREAM *\nFROM s\n\tWHERE sped > 1 AND vv > 2;"


def sql(folder: Folder, text: str) -> str:
    return folder.write("query.sql", text)


def test_every_error_of_a_text_has_line_column_and_the_marked_line(folder: Folder) -> None:
    query = sql(folder, TEXT)
    ran = folder.run(query, {"s": folder.lines("in.jsonl", ROWS)})
    assert ran.code == 1
    lines = ran.messages.splitlines()
    assert lines[1].startswith(f"{query}:3:8: error unknown_field: There is no field 'sped'.")
    assert lines[2:4] == ["    3 | \tWHERE sped > 1 AND vv > 2;", "      | \t      ^^^^"]
    assert lines[4].startswith(f"{query}:3:21: error unknown_field: There is no field 'vv'.")
    assert "out.jsonl" not in folder.names()


def test_errors_as_json_have_their_line_and_column(folder: Folder) -> None:
    ran = folder.run(sql(folder, TEXT), {"s": folder.lines("in.jsonl", ROWS)}, "--json")
    faults = ran.summary["faults"]
    assert [(fault["code"], fault["line"], fault["column"]) for fault in faults] == [
        ("unknown_field", 3, 8),
        ("unknown_field", 3, 21),
    ]


def test_a_text_that_cannot_be_read_is_refused_whatever_its_inputs(folder: Folder) -> None:
    ran = folder.run(sql(folder, "SELECT STREAM * FORM s"), {"s": folder.lines("in.jsonl", ROWS)})
    assert (ran.code, ":1:" in ran.messages, "bad_sql" in ran.messages) == (1, True, True)


def test_errors_of_a_graph_name_node_and_field(folder: Folder) -> None:
    query = folder.graph(*PASS, node("f", "filter", input="s", where="w > 1"), node("o2", "output", input="f"))
    ran = folder.run(query, {"s": folder.lines("in.jsonl", ROWS)}, output="o/")
    assert ran.code == 1
    assert "error unknown_field: node f, where at character 1: There is no field 'w'." in ran.messages


def test_impossible_settings_are_errors(folder: Folder) -> None:
    inputs = {"s": folder.lines("in.jsonl", ROWS)}
    advance = folder.yaml("advance.yaml", {"s": {"generate": {"every": 1}, "later": 1}, "t": {}})
    ran = folder.run(folder.graph(*PASS), inputs, "--advance", advance)
    assert ran.code == 1
    assert "advance.later" in ran.messages
    assert "unknown_input" in ran.messages
    late = folder.yaml("advance.yaml", {"s": {"generate": {"every": 1}}})
    assert "late_not_said" in folder.run(folder.graph(*PASS), inputs, "--advance", late).messages


@pytest.mark.parametrize(
    ("stream", "messages"),
    [
        ({"fields": {"v": "longish"}}, "bad_shape|bad_schema"),
        ({"fields": {"v": "long"}, "form": 1}, "form"),
        ({"fields": {"v": "long"}, "columns": {"w": "x"}}, "neither a field nor a time"),
        ({"fields": {"v": "long"}, "unit": "weeks"}, "unit"),
        (
            {"fields": {"v": "long"}, "unit": "s", "event_time": {"start": {"column": "t"}}},
            "both 'unit' and 'event_time'",
        ),
        ({"shape": "edge", "fields": {"v": "long"}, "rowtime": "implicit"}, "rowtime_needs_points"),
    ],
)
def test_impossible_streams_are_errors(folder: Folder, stream: Any, messages: str) -> None:
    inputs = {"s": folder.lines("in.jsonl", ROWS)}
    ran = folder.run(folder.graph(*PASS), inputs, "--streams", folder.yaml("streams.yaml", {"s": stream}))
    assert ran.code == 1
    assert any(each in ran.messages for each in messages.split("|"))


def test_an_input_without_a_file_and_a_file_without_an_input_are_usage(folder: Folder) -> None:
    rows = folder.lines("in.jsonl", ROWS)
    missing = folder.run(folder.graph(*PASS), {})
    assert (missing.code, "Add --input s=PATH" in missing.messages) == (2, True)
    unknown = folder.run(folder.graph(*PASS), {"x": rows})
    assert (unknown.code, "it has s" in unknown.messages) == (2, True)
    assert folder.run(folder.graph(*PASS), {"s": rows}, output=None).code == 2
    assert folder.run(folder.graph(*PASS), {"s": rows}, output="out.txt").code == 2
    assert folder.run(folder.write("q.txt", ""), {"s": rows}).code == 2
    assert folder.run(folder.graph(*PASS), {"s": ""}).code == 2


def test_no_file_is_written_over_an_input_or_twice(folder: Folder) -> None:
    rows = folder.lines("in.jsonl", ROWS)
    over = folder.run(folder.graph(*PASS), {"s": rows}, output="in.jsonl")
    assert (over.code, "is an input" in over.messages) == (2, True)
    twice = folder.run(folder.graph(*PASS), {"s": rows}, "--late", str(folder.path / "out.jsonl"))
    assert (twice.code, "written twice" in twice.messages) == (2, True)
    assert folder.read("in.jsonl") == ROWS


def test_eventtime_by_takes_the_place_of_arrivals(folder: Folder) -> None:
    streams = folder.yaml("streams.yaml", {"s": {"fields": {"v": "long"}, "rowtime": "implicit"}})
    query = sql(folder, "SELECT STREAM * FROM s EVENTTIME BY v UNIT us;")
    inputs = {"s": folder.lines("in.jsonl", [{"payload": {"v": 5}}])}
    for executor in ("reference", "engine"):
        ran = folder.run(query, inputs, "--streams", streams, "--executor", executor)
        assert (ran.code, [row["start"] for row in folder.read()]) == (0, [5]), ran.messages


@pytest.mark.parametrize("more", [["--cuts", "0"], ["--executor", "flink"], ["--nothing"]])
def test_unknown_options_are_usage(folder: Folder, more: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        folder.run(folder.graph(*PASS), {}, *more)
    assert ended.value.code == 2


def test_absent_files_and_unknown_forms_cannot_be_read(folder: Folder) -> None:
    query = folder.graph(*PASS)
    assert folder.run(query, {"s": str(folder.path / "absent.csv")}).code == 3
    assert folder.run(query, {"s": folder.write("in.xls", "")}).code == 3
    (folder.path / "empty").mkdir()
    assert folder.run(query, {"s": str(folder.path / "empty")}).code == 3
    folder.write("two/a.csv", "start\n1\n")
    folder.write("two/b.jsonl", "{}\n")
    mixed = folder.run(query, {"s": str(folder.path / "two")})
    assert (mixed.code, "csv, json_lines" in mixed.messages) == (3, True)
    assert folder.run(str(folder.path / "absent.sql"), {}).code == 3
    assert folder.run(folder.write("q.json", "{"), {}).code == 3
    assert folder.run(folder.write("q.yaml", "a: [1"), {}).code == 3
    assert folder.run(query, {"s": folder.lines("i.jsonl", ROWS)}, "--streams", str(folder.path / "no.yaml")).code == 3


def test_a_missing_column_is_reported_before_anything_is_written(folder: Folder) -> None:
    streams = folder.yaml("streams.yaml", {"s": {"fields": {"speed": "double"}}})
    ran = folder.run(folder.graph(*PASS), {"s": folder.write("in.csv", "start,sped\n1,2\n")}, "--streams", streams)
    assert (ran.code, "Did you mean 'sped'?" in ran.messages) == (3, True)
    assert "out.jsonl" not in folder.names()


def test_a_path_into_a_key_is_refused_for_csv(folder: Folder) -> None:
    query = sql(folder, "SELECT STREAM * FROM s EVENTTIME BY _key.t;")
    ran = folder.run(query, {"s": folder.write("in.csv", "t,v\n1,2\n")})
    assert (ran.code, "have no _key" in ran.messages) == (3, True)


def test_files_have_no_arrivals_and_no_lanes(folder: Folder) -> None:
    inputs = {"s": folder.write("in.csv", "start,v\n1,2\n")}
    implicit = folder.yaml("a.yaml", {"s": {"fields": {"v": "long"}, "rowtime": "implicit"}})
    assert folder.run(folder.graph(*PASS), inputs, "--streams", implicit).code == 3
    lanes = folder.yaml("b.yaml", {"s": {"fields": {"v": "long"}, "lanes": ["a", "b"]}})
    assert folder.run(folder.graph(*PASS), inputs, "--streams", lanes).code == 3


def test_a_parquet_file_cannot_have_a_field_called_start(folder: Folder) -> None:
    rows = folder.lines("in.jsonl", [{"start": 1, "payload": {"start": 2}}])
    ran = folder.run(folder.graph(*PASS), {"s": rows}, output="o.parquet")
    assert (ran.code, "Rename the field start" in ran.messages) == (2, True)


def test_damaged_parquet_cannot_be_read(folder: Folder) -> None:
    assert folder.run(folder.graph(*PASS), {"s": folder.write("in.parquet", "PAR1 no")}).code == 3


def inferred(folder: Folder, inputs: str) -> str:
    ran = folder.run(folder.graph(*PASS), {"s": inputs})
    assert ran.code == 0, ran.messages
    return ran.messages.splitlines()[0].partition("shape ")[2].removesuffix(". Use --streams to change this.")


def test_fields_of_csv_are_inferred_from_their_cells(folder: Folder) -> None:
    folder.write(
        "in.csv",
        'start,end,n,x,code,on,at,text\n1,2,5,1.5,007,true,2026-01-01T00:00:00Z,a\n2,3,-6,2,010,False,,"b,c"\n',
    )
    assert inferred(folder, str(folder.path / "in.csv")) == (
        "interval; fields n long, x double, code string, on boolean, at timestamp, text string"
    )


def test_fields_of_json_lines_are_inferred_from_their_values(folder: Folder) -> None:
    first = {"n": 1, "x": 1, "s": "a", "on": True, "at": "2026-01-01T00:00:00Z", "l": [1, None], "o": {"i": "x"}}
    rows = [{"start": 1, "payload": first}, {"start": 2, "payload": {"x": 1.5, "l": []}}, {"cti": 3}, "nonsense"]
    assert inferred(folder, folder.lines("in.jsonl", rows)) == (
        "point; fields n long, x double, s string, on boolean, at timestamp, l array<long>, o struct<i: string>"
    )
    assert (
        inferred(folder, folder.lines("in.jsonl", [{"start": 1, "edge": "start", "k": "a"}])) == "edge; fields k string"
    )


def test_fields_of_parquet_are_those_of_its_schema(folder: Folder) -> None:
    table = pa.table(
        {
            "start": pa.array([1], pa.int64()),
            "d": pa.array([1], pa.decimal128(10, 2)),
            "f": pa.array([1.5], pa.float32()),
            "t": pa.array([1], pa.timestamp("ms")),
            "l": pa.array([["a"]]),
            "o": pa.array([{"x": 1}]),
            "c": pa.array(["a"]).dictionary_encode(),
        }
    )
    pq.write_table(table, folder.path / "in.parquet")
    assert inferred(folder, str(folder.path / "in.parquet")) == (
        "point; fields d decimal(10,2), f double, t timestamp, l array<string>, o struct<x: long>, c string"
    )


@pytest.mark.parametrize(
    ("name", "content", "messages"),
    [
        ("in.csv", "start,empty\n1,\n", ["'empty': every checked value", "    empty: TYPE"]),
        ("in.csv", "start,Speed (km/h)\n1,2\n", ['columns: {Speed__km_h_: "Speed (km/h)"}']),
        (
            "in.csv",
            "ts,v\n1,2\n",
            ["there is no column 'start' and no EVENTTIME BY", "    v: long", "start: COLUMN", "unit: ms"],
        ),
        ("in.jsonl", '{"start": 1, "v": 1}\n{"start": 2, "v": "a"}\n', ["'v': it holds text and whole numbers"]),
        ("in.jsonl", '{"start": 1, "v": 9223372036854775808}\n', ["'v': it holds numbers with more digits"]),
        ("in.jsonl", '{"start": 1, "v": 1}\n{"start": 2, "v": 0.123456789012345678}\n', ["'v': it holds numbers with"]),
        ("in.csv", "start,v\n1,1.5\n2,0.123456789012345678\n", ["'v': it holds numbers with more digits"]),
        ("in.jsonl", '{"start": 1, "lane": "a"}\n', ["'lane': it may be a field, or a key of transcript rows"]),
    ],
)
def test_a_doubt_is_an_error_that_shows_the_yaml_to_write(
    folder: Folder, name: str, content: str, messages: list[str]
) -> None:
    ran = folder.run(folder.graph(*PASS), {"s": folder.write(name, content)})
    assert ran.code == 2
    for each in messages:
        assert each in ran.messages
    assert "\ns:\n  shape: " in ran.messages


def test_under_eventtime_by_a_column_called_start_is_a_field(folder: Folder) -> None:
    query = sql(folder, "SELECT STREAM * FROM s EVENTTIME BY t UNIT us;")
    assert folder.run(query, {"s": folder.write("in.csv", "t,start\n5,1\n")}).code == 0
    assert folder.read() == [{"start": 5, "end": 6, "payload": {"t": 5, "start": 1}}]


def test_explain_describes_the_query_and_runs_nothing(folder: Folder) -> None:
    streams = folder.yaml("streams.yaml", {"s": {"fields": {"v": "long"}}})
    ran = folder.run(folder.graph(*COUNT), {}, "--streams", streams, "--explain", output=None)
    assert ran.code == 0
    assert ran.printed.startswith("QUERY q\n")
    as_json = folder.run(folder.graph(*COUNT), {}, "--streams", streams, "--explain", "--json", output=None)
    assert json.loads(as_json.printed)["query"] == "q"


def test_a_place_is_counted_from_one_and_marks_end_with_their_line() -> None:
    assert line_and_column("ab\ncd", 0) == (1, 1)
    assert line_and_column("ab\ncd", 4) == (2, 2)
    assert list(marked("ab\r\ncd", Span(start=1, end=6))) == ["    1 | ab", "      |  ^"]
    assert list(marked("ab", Span(start=2, end=2))) == ["    1 | ab", "      |   ^"]


def test_a_text_with_two_streams_takes_its_settings_from_the_command_line(folder: Folder, tmp_path: Path) -> None:
    query = sql(folder, "SELECT STREAM * FROM s; ADVANCE TIME s EVERY 1 DELAY 0 LATE DROP;")
    rows = folder.lines("in.jsonl", [{"start": at, "v": 1} for at in (10, 5)])
    folder.run(query, {"s": rows})
    assert len(folder.read("out.late.jsonl")) == 1
    folder.run(query, {"s": rows}, "--advance", folder.yaml("advance.yaml", {"s": {"late": "drop"}}))
    assert folder.read("out.late.jsonl") == []
