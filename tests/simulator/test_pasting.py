"""CSV and JSON lines as rows of a sample: guessed columns and units, bad lines with their reasons."""

from typing import Any

import pytest

from streaming.definition.streams.stream import StreamDefinition
from streaming.simulator.samples.pasting import PastedSample, read_pasted

CARS: dict[str, Any] = {
    "shape": "interval",
    "fields": {"plate": "string", "speed": "double", "lane_no": "long", "toll": "decimal(6,2)", "ok": "boolean"},
}


def pasted(text: str, most: int = 100, **chosen: str) -> PastedSample:
    return read_pasted(text, "cars", StreamDefinition.model_validate(CARS), chosen, None, most)


def test_columns_are_found_by_name_whatever_their_case() -> None:
    found = pasted("Plate;SPEED;LaneNo;Toll;ok;Timestamp;until\nA;1.5;3;0.25;true;1700000000;1700000005\n")
    assert found.rows == [
        {
            "stream": "cars",
            "start": 1_700_000_000_000_000,
            "end": 1_700_000_005_000_000,
            "payload": {"plate": "A", "speed": 1.5, "lane_no": 3, "toll": 0.25, "ok": True},
        }
    ]
    assert [(each.column, each.target, each.unit) for each in found.columns][-2:] == [
        ("Timestamp", "start", "s"),
        ("until", "end", "s"),
    ]
    assert found.notes == []


@pytest.mark.parametrize(
    ("time", "unit"),
    [("1700000000", "s"), ("1700000000000", "ms"), ("1700000000000000", "us"), ("1700000000000000000", "ns"),
     ("2023-11-14T22:13:20Z", "iso")],
)  # fmt: skip
def test_the_unit_of_times_is_guessed_from_their_size(time: str, unit: str) -> None:
    found = pasted(f"plate,start,end\nA,{time},{time}\n")
    assert (found.rows[0]["start"], found.columns[1].unit) == (1_700_000_000_000_000, unit)


def test_chosen_columns_take_precedence_over_guessed_ones() -> None:
    found = pasted("plate,start,seen,end\nA,1,1700000000,1700000009\n", start="seen")
    assert found.rows[0]["start"] == 1_700_000_000_000_000
    assert [(each.target, each.guessed) for each in found.columns] == [
        ("plate", True),
        (None, True),
        ("start", False),
        ("end", True),
    ]


def test_bad_lines_become_bad_rows_with_their_reason() -> None:
    found = pasted("plate,speed,start,end\nA,fast,1700000000,1700000001\nB,1\nC,1,soon,1700000001\n")
    assert [row["bad"] for row in found.rows] == ["A,fast,1700000000,1700000001", "B,1", "C,1,soon,1700000001"]
    assert [(note.row, note.message) for note in found.notes] == [
        (1, "Line 2: speed: expected a number, found 'fast'."),
        (2, "Line 3 has 2 cells, but the header has 4."),
        (3, "Line 4: 'soon' in 'start' is not a time (s)."),
    ]


def test_json_lines_are_flat_or_as_in_transcripts() -> None:
    text = '{"plate": "A", "ts": 1700000000000}\n{"start": 5, "end": 7, "payload": {"plate": "B"}}\n{"cti": 9}\n[1]\n'
    found = pasted(text)
    assert found.rows == [
        {"stream": "cars", "start": 1_700_000_000_000_000, "payload": {"plate": "A"}},
        {"stream": "cars", "start": 5, "end": 7, "payload": {"plate": "B"}},
        {"stream": "cars", "cti": 9},
        {"stream": "cars", "bad": "[1]"},
    ]
    assert [note.row for note in found.notes] == [4]


def test_a_text_without_times_or_with_too_much_says_so() -> None:
    found = pasted("plate\nA\nB\nC\n", most=2)
    assert len(found.rows) == 2
    assert [note.row for note in found.notes] == [None, None]
    assert "Only the first 2 of 3 records" in found.notes[1].message


def test_times_are_read_by_the_pattern_of_the_stream() -> None:
    time = {
        "column": "day",
        "time_column": "clock",
        "unit": "pattern",
        "pattern": "dd.MM.yyyy HH:mm",
        "zone": "Europe/Berlin",
    }
    stream = StreamDefinition.model_validate({"fields": {"v": "long"}, "event_time": {"start": time}})
    found = read_pasted("day,clock,v\n05.03.2024,11:00,1\n05.03.2024,late,2\n", "s", stream, {}, None, 100)
    assert [row.get("start") for row in found.rows] == [1_709_632_800_000_000, None]
    assert [note.message for note in found.notes] == [
        "Line 3: '05.03.2024 late' in 'day' is not a time (dd.MM.yyyy HH:mm)."
    ]


@pytest.mark.parametrize(
    ("written", "read"),
    [("1234567890123456.78", "1234567890123456.78"), ("+.5", 0.5), ("007.50", 7.5), ("2.", 2.0), ("1e2", 100.0)],
)
def test_a_decimal_keeps_its_digits(written: str, read: object) -> None:
    stream = StreamDefinition.model_validate({"fields": {"d": "decimal(20,2)", "ds": "struct<d: decimal(20,2)>"}})
    found = read_pasted(f"d,start\n{written},1700000000\n", "s", stream, {}, None, 100)
    assert [row.get("payload") for row in found.rows] == [{"d": read}]
    if written.startswith("1"):
        line = f'{{"d": {written}, "ds": {{"d": {written}}}, "start": 1700000000}}\n'
        for text in (line, f'{{"start": 5, "payload": {line.strip()}}}\n'):
            [row] = read_pasted(text, "s", stream, {}, None, 100).rows
            assert (row["payload"]["d"], row["payload"]["ds"]) == (read, {"d": read})


@pytest.mark.parametrize("written", ["nan", "1_000", "infinity", "0x10", ".", "٣"])
def test_a_text_that_no_input_reads_as_a_number_is_bad(written: str) -> None:
    found = pasted(f"speed,start,end\n{written},1700000000,1700000005\n")
    assert [note.message for note in found.notes] == [f"Line 2: speed: expected a number, found {written!r}."]


def test_a_line_of_json_ends_at_a_line_feed_only() -> None:
    found = pasted('{"plate": "A\u2028B\x85C", "ts": 1700000000}\r\n{"plate": "D", "ts": 1700000001}')
    assert [row["payload"]["plate"] for row in found.rows] == ["A\u2028B\x85C", "D"]


@pytest.mark.parametrize(
    ("unit", "zone", "written", "start"),
    [
        ("ms", "UTC", "1700000000", 1_700_000_000_000),
        ("ms", "UTC", "2023-11-14T22:13:20Z", 1_700_000_000_000_000),
        ("iso", "Europe/Berlin", "2023-11-14T23:13:20", 1_700_000_000_000_000),
        ("iso", "Europe/Berlin", "1700000000", 1_700_000_000_000_000),
    ],
)
def test_times_are_read_as_the_stream_reads_them_or_guessed(unit: str, zone: str, written: str, start: int) -> None:
    time = {"column": "at", "unit": unit, "zone": zone}
    stream = StreamDefinition.model_validate({"fields": {"v": "long"}, "event_time": {"start": time}})
    [row] = read_pasted(f"at,v\n{written},1\n", "s", stream, {}, None, 100).rows
    assert row["start"] == start
