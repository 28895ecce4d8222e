"""JSON lines: strict values, broken lines in quarantine, the fast path as exact as one row at a time."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters.file import json_lines
from streaming.adapters.file.json_lines import JsonLines
from streaming.adapters.file.records import Records
from streaming.adapters.formats.text.split import split_lines
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn, TimeUnit
from streaming.temporal.events import Cti, Event, Shape, edge_end, edge_start, interval, point
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element, MalformedRow
from tests.adapters.inputs import INTERVALS, POINTS, files, malformed, payloads, rows, write

CLEAN = [f'{{"ts": {i}, "k": "a", "v": {i}}}' for i in range(40)]


def read(tmp_path: Path, lines: list[str], stream: StreamDefinition = POINTS, **options: Any) -> list[Element]:
    write(tmp_path / "a.jsonl", "\n".join(lines))
    return rows(files(tmp_path, stream, **options))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("null", Reason.BAD_ROW),
        ("5", Reason.BAD_ROW),
        ("[]", Reason.BAD_ROW),
        ('{"ts": 1', Reason.BAD_ROW),
        ('{"ts": 1, "k": "a"} {"ts": 2}', Reason.BAD_ROW),
        ('{"ts": 1} null', Reason.BAD_ROW),
        ("[" * 100_000, Reason.BAD_ROW),
        ("{}", Reason.BAD_TIME),
        ('{"ts": null}', Reason.BAD_TIME),
        ('{"ts": "1"}', Reason.BAD_TIME),
        ('{"ts": true}', Reason.BAD_TIME),
        ('{"ts": 1e30}', Reason.BAD_TIME),
        ('{"ts": NaN}', Reason.BAD_TIME),
        ('{"ts": 999999999999999999}', Reason.BAD_TIME),
        ('{"ts": 1, "v": "1"}', Reason.BAD_PAYLOAD),
        ('{"ts": 1, "v": 1.5}', Reason.BAD_PAYLOAD),
        ('{"ts": 1, "v": true}', Reason.BAD_PAYLOAD),
        ('{"ts": 1, "v": NaN}', Reason.BAD_PAYLOAD),
        ('{"ts": 1, "v": Infinity}', Reason.BAD_PAYLOAD),
        ('{"ts": 1, "v": 9223372036854775808}', Reason.BAD_PAYLOAD),
        ('{"ts": 1, "k": 1}', Reason.BAD_PAYLOAD),
        ('{"ts": 1, "k": "\\ud800"}', Reason.BAD_PAYLOAD),
        ('{"ts": 1, "v": ' + "9" * 5000 + "}", Reason.BAD_ROW),
    ],
)
def test_a_broken_line_in_the_middle_is_quarantined_with_its_text(tmp_path: Path, line: str, reason: Reason) -> None:
    write(tmp_path / "a.jsonl", "\n".join([*CLEAN, line, *CLEAN]))
    adapter = files(tmp_path)
    assert malformed(adapter) == [(40, reason, line)]
    assert payloads(rows(adapter), "v") == [*range(40), reason, *range(40)]


def test_bytes_that_are_not_utf_8_are_a_bad_row(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", "\n".join(CLEAN).encode() + b'\n{"ts": 1, "x": "\xff"}\n{"ts": 7, "v": 7}')
    assert payloads(rows(files(tmp_path)), "v")[-2:] == [Reason.BAD_ROW, 7]


def test_a_missing_field_is_null_and_an_extra_one_is_ignored(tmp_path: Path) -> None:
    lines = ['{"ts": 1, "more": {"deep": [1, "a"]}}', '{"v": null, "ts": 2, "k": "Zürich 😀"}']
    expected = [point(1, {"k": None, "v": None}), point(2, {"k": "Zürich 😀", "v": None})]
    assert read(tmp_path, lines) == expected
    assert read(tmp_path, lines * 20) == expected * 20


def test_line_ends_empty_lines_and_a_byte_order_mark_make_no_difference(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", b"\xef\xbb\xbf" + "\r\n\r\n".join(CLEAN).encode())
    assert payloads(rows(files(tmp_path)), "v") == list(range(40))


@pytest.mark.parametrize("many", [1, 50])
@pytest.mark.parametrize(
    ("unit", "written", "start"),
    [
        ("s", "2", 2_000_000),
        ("s", "1.5", 1_500_000),
        ("s", "1723161255.208", 1_723_161_255_208_000),
        ("ms", "-3", -3_000),
        ("ms", "0.25", 250),
        ("us", "7", 7),
        ("ns", "2999", 2),
        ("ns", "-1", -1),
        ("iso", '"1970-01-01T00:00:01Z"', 1_000_000),
        ("iso", '"1970-01-01T02:00:01.000005+02:00"', 1_000_005),
        ("iso", '"1970-01-01 00:00:01"', 1_000_000),
        ("iso", '"19700101T000001Z"', 1_000_000),
    ],
)
def test_times_are_read_in_their_unit(tmp_path: Path, unit: TimeUnit, written: str, start: int, many: int) -> None:
    stream = StreamDefinition(fields={}, event_time=EventTime(start=TimeColumn(column="ts", unit=unit)))
    assert read(tmp_path, [f'{{"ts": {written}}}'] * many, stream) == [point(start)] * many


@pytest.mark.parametrize("many", [1, 50])
def test_text_without_an_offset_is_in_the_named_zone(tmp_path: Path, many: int) -> None:
    time = TimeColumn(column="ts", zone="America/Chicago")
    stream = StreamDefinition(fields={}, event_time=EventTime(start=time))
    lines = ['{"ts": "2011-07-01T00:00:00"}', '{"ts": "2011-11-06T01:30:00"}', '{"ts": "2011-03-13T02:30:00"}']
    starts = [row.start for row in read(tmp_path, lines * many, stream) if isinstance(row, Event)]
    assert starts[:3] == [1_309_496_400_000_000, 1_320_561_000_000_000, 1_300_005_000_000_000]
    assert starts == starts[:3] * many


def test_intervals_and_edges_have_their_ends_in_columns(tmp_path: Path) -> None:
    lines = ['{"ts": 1, "until": 5, "k": "a"}', '{"ts": 5, "until": 5}', '{"ts": 6, "until": null}', '{"ts": 7}']
    expected: list[Element] = [
        interval(1, 5, {"k": "a"}),
        MalformedRow(Reason.BAD_LIFETIME),
        *[MalformedRow(Reason.BAD_TIME)] * 2,
    ]
    assert read(tmp_path, lines, INTERVALS) == expected
    assert read(tmp_path, lines * 20, INTERVALS) == expected * 20


def test_without_an_event_time_rows_are_transcript_rows(tmp_path: Path) -> None:
    stream = StreamDefinition(shape=Shape.INTERVAL, fields={"k": "string"})
    lines = [
        '{"start": 1, "end": 5, "payload": {"k": "a"}}',
        '{"start": "1970-01-01T00:00:01Z", "end": null, "k": "beside"}',
        '{"cti": 10}',
        '{"cti": 10, "strict": true}',
        '{"cti": null}',
        '{"cti": "soon"}',
        '{"start": 3}',
        '{"bad": "raw text"}',
    ]
    assert read(tmp_path, lines, stream) == [
        interval(1, 5, {"k": "a"}),
        interval(1_000_000, INFINITY, {"k": "beside"}),
        Cti(10),
        Cti(11),
        Cti(INFINITY),
        MalformedRow(Reason.BAD_CTI),
        MalformedRow(Reason.BAD_TIME),
        MalformedRow(Reason.BAD_ROW),
    ]


def test_edges_of_transcripts(tmp_path: Path) -> None:
    stream = StreamDefinition(shape=Shape.EDGE, fields={"k": "string"})
    lines = ['{"start": 1, "edge": "start", "k": "a"}', '{"start": 1, "end": 4, "edge": "end", "k": "a"}']
    assert read(tmp_path, lines * 20, stream) == [edge_start(1, {"k": "a"}), edge_end(1, 4, {"k": "a"})] * 20


VALUES = st.sampled_from(
    [
        "1",
        "-2",
        "1.5",
        "2.0",
        "1e3",
        "-0",
        "true",
        "null",
        '"a"',
        '"1"',
        '""',
        "NaN",
        "Infinity",
        "-Infinity",
        "[]",
        "{}",
        "9223372036854775807",
        "9223372036854775808",
        "1e400",
        '"\\u00e9"',
        '"\\ud800"',
        '"é"',
        '"1970-01-01T00:00:01Z"',
        '"1970-01-01"',
        '"1970-13-01"',
        "253402300799999999",
        "253402300800000000",
        "9007199254740993",
        "01",
        "+1",
        "'a'",
    ]
)
KEYS = st.sampled_from(["ts", "until", "k", "d", "v", "b", "t", "payload", "cti", "start", "end", "x", "\\u0076"])
ROWS = st.one_of(
    st.lists(st.tuples(KEYS, VALUES), max_size=6).map(
        lambda pairs: "{" + ", ".join(f'"{key}": {value}' for key, value in pairs) + "}"
    ),
    st.sampled_from(
        ["null", '{"ts": 1} {"ts": 2}', '{"ts": 1', ' {"ts": 1, "until": 2}', "x", '{"ts": 1, "until": 3}}']
    ),
    st.just('{"ts": 1, "until": 3, "start": 1, "end": 3, "k": "a", "d": 1, "v": 1, "b": true, "t": 5}'),
    st.just('{"ts": 1.5, "until": 3, "start": 1, "end": 3, "d": 1.5, "t": "1970-01-01T00:00:01Z"}'),
)
FIELDS = {"k": "string", "d": "double", "v": "long", "b": "boolean", "t": "timestamp"}
STREAMS = [
    StreamDefinition(shape=shape, fields=FIELDS, event_time=time)
    for shape in (Shape.POINT, Shape.INTERVAL)
    for time in (
        None,
        EventTime(start=TimeColumn(column="ts"), end=TimeColumn(column="until")),
        EventTime(start=TimeColumn(column="ts", unit="s"), end=TimeColumn(column="until", unit="us")),
        EventTime(start=TimeColumn(column="t", unit="ns"), end=TimeColumn(column="until", unit="ms")),
    )
]


@given(st.lists(ROWS, min_size=1, max_size=20), st.sampled_from(STREAMS), st.integers(1, 3))
@settings(deadline=None, max_examples=600)
def test_the_fast_path_treats_every_row_like_the_slow_one(
    lines: list[str], stream: StreamDefinition, one_by_one: int
) -> None:
    block = "\n".join(lines).encode()
    split = split_lines(block, True)
    records = Records(block, split.starts, split.ends, split.broken, 0)
    positions = np.arange(len(lines), dtype=np.int64)
    decoder = JsonLines(stream, {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "ROWS_ONE_BY_ONE", one_by_one)
        patch.setattr(json_lines, "PARTS", 2)
        fast = list(elements(decoder.decode(records, positions)))
    assert fast == list(elements(decoder.decode_slowly(records, positions)))


def test_a_clean_chunk_takes_the_fast_path_and_one_broken_line_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.dumps({"ts": i, "k": "a", "v": i}) for i in range(20_000)]
    lines[777] = "{"
    block = "\n".join(lines).encode()
    split = split_lines(block, True)
    judged = 0
    judge = JsonLines._judge

    def counted(self: JsonLines, records: Records, index: int) -> Element:
        nonlocal judged
        judged += 1
        return judge(self, records, index)

    monkeypatch.setattr(JsonLines, "_judge", counted)
    records = Records(block, split.starts, split.ends, split.broken, 0)
    chunk = JsonLines(POINTS, {}).decode(records, np.arange(20_000, dtype=np.int64))
    assert dict(chunk.malformed) == {777: Reason.BAD_ROW}
    assert 0 < judged <= json_lines.ROWS_ONE_BY_ONE


def test_a_decimal_keeps_all_the_digits_that_are_written(tmp_path: Path) -> None:
    stream = StreamDefinition(fields={"d": "decimal(38,18)", "f": "double"}, event_time=POINTS.event_time)
    lines = ['{"ts": 1, "d": 12345678901234567890.123456789012345678, "f": 1.5}', '{"ts": 2, "d": 1e-18}']
    lines.append('{"ts": 3, "d": 1e99999999999999999999}')
    found = read(tmp_path, lines, stream)
    digits = Decimal("12345678901234567890.123456789012345678")
    assert found[0] == point(1, {"d": digits, "f": 1.5})
    assert found[1] == point(2, {"d": Decimal("1E-18"), "f": None})
    assert found[2] == MalformedRow(Reason.BAD_PAYLOAD)
