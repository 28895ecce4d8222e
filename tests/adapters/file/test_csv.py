"""CSV: cells typed by the schema, broken records in quarantine, the fast path as exact as the slow one."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError
from streaming.adapters.file import csv_cells
from streaming.adapters.file.csv_cells import CsvCells
from streaming.adapters.file.records import Records
from streaming.adapters.formats.text.split import csv_splitter
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.temporal.events import Event, Shape, edge_end, edge_start, interval
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element, MalformedRow
from tests.adapters.inputs import INTERVALS, POINTS, files, malformed, payloads, rows, write


def read(tmp_path: Path, content: str | bytes, stream: StreamDefinition = POINTS, **options: Any) -> list[Element]:
    write(tmp_path / "a.csv", content)
    return rows(files(tmp_path, stream, **options))


def test_a_broken_line_in_the_middle_goes_to_quarantine_with_its_text(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "ts,k,v\n1,a,1\n2,b\n3,c,3,4\n4,d,4\n")
    adapter = files(tmp_path)
    assert payloads(rows(adapter), "v") == [1, Reason.BAD_ROW, Reason.BAD_ROW, 4]
    assert malformed(adapter) == [(1, Reason.BAD_ROW, "2,b"), (2, Reason.BAD_ROW, "3,c,3,4")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (",a,1", Reason.BAD_TIME),
        ("soon,a,1", Reason.BAD_TIME),
        ("1e3x,a,1", Reason.BAD_TIME),
        ("999999999999999999,a,1", Reason.BAD_TIME),
        ("99999999999999999999999,a,1", Reason.BAD_TIME),
        ("nan,a,1", Reason.BAD_TIME),
        ("5,a,x", Reason.BAD_PAYLOAD),
        ("5,a,1.5", Reason.BAD_PAYLOAD),
        ("5,a,9223372036854775808", Reason.BAD_PAYLOAD),
        ("x,a,x", Reason.BAD_TIME),
        ('5,"a"b,1', Reason.BAD_ROW),
        ('5,"a,1', Reason.BAD_ROW),
    ],
)
def test_the_first_problem_of_a_row_is_its_reason(tmp_path: Path, line: str, reason: Reason) -> None:
    write(tmp_path / "a.csv", f"ts,k,v\n1,a,1\n{line}\n3,c,3\n")
    adapter = files(tmp_path)
    assert malformed(adapter) == [(1, reason, line)]
    assert payloads(rows(adapter), "v") == [1, reason, 3]


def test_line_ends_of_both_kinds_a_missing_last_one_and_empty_lines_make_no_difference(tmp_path: Path) -> None:
    plain = read(tmp_path, "ts,k,v\n1,a,1\n2,b,2\n")
    assert read(tmp_path, "ts,k,v\r\n1,a,1\r\n2,b,2\r\n") == plain
    assert read(tmp_path, "ts,k,v\n1,a,1\n\n\r\n2,b,2") == plain
    assert read(tmp_path, b"\xef\xbb\xbfts,k,v\n1,a,1\n2,b,2") == plain


def test_quoted_cells_hold_line_ends_delimiters_and_quotes(tmp_path: Path) -> None:
    found = read(tmp_path, 'ts,k,v\n1,"a\nb",1\n2,"c,""d""",2\r\n"3","","3"\n')
    assert payloads(found, "k") == ["a\nb", 'c,"d"', ""]
    assert payloads(found, "v") == [1, 2, 3]


def test_text_is_unicode_and_other_bytes_are_a_bad_row(tmp_path: Path) -> None:
    found = read(tmp_path, "ts,k,v\n1,Zürich 😀,1\n".encode() + b"2,\xff,2\n3,c,3\n")
    assert payloads(found, "k") == ["Zürich 😀", Reason.BAD_ROW, "c"]


def test_an_empty_cell_is_null_and_spaces_around_numbers_do_not_count(tmp_path: Path) -> None:
    found = read(tmp_path, "ts,k,v\n1,,\n 2 , b, +7 \n")
    assert [dict(row.payload) for row in found if isinstance(row, Event)] == [
        {"k": None, "v": None},
        {"k": " b", "v": 7},
    ]


def test_every_type_is_read_from_its_cell(tmp_path: Path) -> None:
    stream = StreamDefinition(
        fields={
            "d": "double",
            "b": "boolean",
            "t": "timestamp",
            "m": "decimal(6,2)",
            "a": "array<long>",
            "s": "struct<x: string>",
        },
        event_time=EventTime(start=TimeColumn(column="at")),
    )
    line = '1970-01-01T00:00:01Z;1e3;True;1970-01-01 00:00:02;12.5;[1,null];"{""x"":""y""}"'
    found = read(tmp_path, f"at;d;b;t;m;a;s\n{line}\n", stream, delimiter=";")
    assert [(row.start, str(row.payload["m"])) for row in found if isinstance(row, Event)] == [(1_000_000, "12.50")]
    assert {name: payloads(found, name)[0] for name in "dbtas"} == {
        "d": 1000.0,
        "b": True,
        "t": 2_000_000,
        "a": [1, None],
        "s": {"x": "y"},
    }


@pytest.mark.parametrize("cell", ["nan", "inf", "-Infinity", "1e999", "abc"])
def test_a_double_that_is_not_finite_is_a_bad_payload(tmp_path: Path, cell: str) -> None:
    stream = StreamDefinition(fields={"v": "double"}, event_time=POINTS.event_time)
    assert payloads(read(tmp_path, f"ts,v\n1,{cell}\n2,2\n", stream), "v") == [Reason.BAD_PAYLOAD, 2.0]


def test_the_columns_may_be_in_any_order_and_differ_from_file_to_file(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "v,other,ts,k\n1,x,1,a\n", modified_s=1)
    write(tmp_path / "b.csv", "k,ts,v\nb,2,2\n", modified_s=2)
    assert rows(files(tmp_path)) == [
        Event(1, 2, {"k": "a", "v": 1}),
        Event(2, 3, {"k": "b", "v": 2}),
    ]


def test_an_unknown_field_names_the_nearest_column(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "ts,k,velocity\n1,a,1\n")
    stream = StreamDefinition(fields={"velocty": "long"}, event_time=POINTS.event_time)
    with pytest.raises(
        AdapterError, match=r"no column 'velocty'\. Its columns are ts, k, velocity\. Did you mean 'velocity'"
    ):
        rows(files(tmp_path, stream))
    assert payloads(rows(files(tmp_path, stream, columns={"velocty": "velocity"})), "velocty") == [1]


def test_a_header_that_repeats_a_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="must be unique"):
        read(tmp_path, "ts,k,v,k\n1,a,1,b\n")


def test_intervals_need_an_end_after_the_start(tmp_path: Path) -> None:
    found = read(tmp_path, "ts,until,k\n1,5,a\n5,5,b\n6,2,c\n7,,d\n8,x,e\n", INTERVALS)
    assert found == [
        interval(1, 5, {"k": "a"}),
        *[MalformedRow(Reason.BAD_LIFETIME)] * 2,
        *[MalformedRow(Reason.BAD_TIME)] * 2,
    ]


def test_edges_open_and_close(tmp_path: Path) -> None:
    stream = StreamDefinition(
        shape=Shape.EDGE,
        fields={"k": "string"},
        event_time=EventTime(
            start=TimeColumn(column="ts", unit="us"), end=TimeColumn(column="until", unit="us"), edge="what"
        ),
    )
    found = read(tmp_path, "ts,until,what,k\n1,,start,a\n1,5,end,a\n2,,end,a\n3,9,open,a\n4,4,end,a\n", stream)
    assert found == [
        edge_start(1, {"k": "a"}),
        edge_end(1, 5, {"k": "a"}),
        MalformedRow(Reason.BAD_TIME),
        MalformedRow(Reason.BAD_ROW),
        MalformedRow(Reason.BAD_LIFETIME),
    ]


def test_a_stream_without_event_time_has_start_and_end_in_ticks_or_iso_text(tmp_path: Path) -> None:
    stream = StreamDefinition(shape=Shape.INTERVAL, fields={"k": "string"})
    found = read(tmp_path, "start,end,k\n1,9,a\n1970-01-01T00:00:01Z,1970-01-01T00:00:02,b\n1.5,9,c\n", stream)
    assert found == [
        interval(1, 9, {"k": "a"}),
        interval(1_000_000, 2_000_000, {"k": "b"}),
        MalformedRow(Reason.BAD_TIME),
    ]


def test_an_interval_stream_must_name_its_end_column(tmp_path: Path) -> None:
    stream = StreamDefinition(shape=Shape.INTERVAL, fields={}, event_time=POINTS.event_time)
    with pytest.raises(AdapterError, match="name the column with the end"):
        files(tmp_path, stream)


def test_a_zone_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    time = EventTime(start=TimeColumn(column="ts", zone="Mars/Olympus"))
    with pytest.raises(AdapterError, match="not a time zone"):
        files(tmp_path, StreamDefinition(fields={}, event_time=time))


CELLS = st.sampled_from(
    [
        "1",
        "-7",
        "+3",
        "007",
        " 4 ",
        "",
        "x",
        "1.5",
        ".5",
        "2.",
        "1e2",
        "1E+2",
        "1e",
        "nan",
        "inf",
        "9223372036854775808",
        "-9223372036854775808",
        "1_0",
        "0x1",
        "--1",
        "true",
        "FALSE",
        "yes",
        "1970-01-01T00:00:01Z",
        "é",
        "a b",
        "\t5",
    ]
)
TYPES = ["long", "double", "string", "boolean"]
LINE = st.one_of(
    st.tuples(st.integers(0, 9).map(str) | CELLS, CELLS, CELLS, CELLS, CELLS).map(",".join),
    st.sampled_from(['1,"a,b",2,3,4', '1,"a', "1,2", "1,2,3,4,5,6", '1,"x""y","","z\nw",5', '1,a"b,2,3,4', ",,,,"]),
)
MIXED = StreamDefinition(
    fields={f"f{i}": of for i, of in enumerate(TYPES)},
    event_time=EventTime(start=TimeColumn(column="ts", unit="us")),
)
HEADER = ["ts", "f0", "f1", "f2", "f3"]


@given(st.lists(LINE | st.just("5,1,1.5,a,true"), min_size=1, max_size=30), st.integers(1, 4))
@settings(deadline=None, max_examples=300)
def test_the_fast_path_treats_every_row_like_the_slow_one(lines: list[str], one_by_one: int) -> None:
    block = "\n".join(lines).encode()
    split = csv_splitter(",")(block, True)
    records = Records(block, split.starts, split.ends, split.broken, 0)
    positions = np.arange(len(split.starts), dtype=np.int64)
    decoder = CsvCells(MIXED, {}, ",")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_cells, "ROWS_ONE_BY_ONE", one_by_one)
        patch.setattr(csv_cells, "PARTS", 2)
        fast = list(elements(decoder.decode(records, HEADER, positions)))
    slow = list(elements(decoder.decode_slowly(records, HEADER, positions)))
    assert fast == slow
    for element, index in zip(fast, range(len(fast)), strict=True):
        assert element == expected(records.record(index).decode(), bool(split.broken[index]))


def expected(record: str, broken: bool) -> Element:
    """An independent reader of a record of five cells."""
    cells = [] if broken else split_by_hand(record)
    if len(cells) != 5:
        return MalformedRow(Reason.BAD_ROW)
    start = number(cells[0], r"[+-]?\d+")
    if start is None:
        fraction = number(cells[0], r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
        start = None if fraction is None else round(fraction)
    if start is None or not -62_135_596_800_000_000 <= start <= 253_402_300_799_999_999:
        return MalformedRow(Reason.BAD_TIME)
    long = number(cells[1], r"[+-]?\d+")
    double = number(cells[2], r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
    flag = {"true": True, "false": False}.get(cells[4].strip(" \t").lower())
    fits = (not cells[1] or (long is not None and -(2**63) <= long < 2**63)) and (not cells[2] or double is not None)
    if not fits or (cells[4] and flag is None):
        return MalformedRow(Reason.BAD_PAYLOAD)
    payload = {"f0": long, "f1": None if double is None else float(double), "f2": cells[3] or None, "f3": flag}
    return Event(start, start + 1, payload)


def number(cell: str, pattern: str) -> Any:
    text = cell.strip(" \t")
    if not re.fullmatch(pattern, text, re.ASCII):
        return None
    return int(text) if re.fullmatch(r"[+-]?\d+", text, re.ASCII) else float(text)


def split_by_hand(record: str) -> list[str]:
    pattern = re.compile(r'(?:"((?:[^"]|"")*)"|([^",]*))(,|$)')
    cells, at = [], 0
    while match := pattern.match(record, at):
        quoted, plain, comma = match.groups()
        cells.append(plain if quoted is None else quoted.replace('""', '"'))
        at = match.end()
        if not comma:
            break
    return cells
