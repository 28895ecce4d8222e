"""Transcripts whose query is a text: its settings, its EVENTTIME BY, its errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from streaming.temporal.settings import Late
from streaming.transcripts.__main__ import main
from streaming.transcripts.load import TranscriptError, parse
from streaming.transcripts.prepare import define, prepare
from streaming.wire.execution.case import Case

SQL = "SELECT STREAM * FROM s; ADVANCE TIME s EVERY 2 DELAY 5us LATE ADJUST;"


def document(**keys: Any) -> dict[str, Any]:
    return {"name": "t", "streams": {"s": {"fields": {"k": "string"}}}, "sql": SQL, "expect": {"events": []}} | keys


def case(**keys: Any) -> Case:
    transcript = parse(document(**keys), "here")
    return prepare(transcript, define(transcript))


def test_advance_time_of_the_text_is_the_bindings() -> None:
    settings = case().advance["s"]
    assert (settings.late, settings.generate and settings.generate.every) == (Late.ADJUST, 2)


def test_settings_next_to_the_text_replace_it_input_by_input() -> None:
    settings = case(advance={"s": {"generate": {"every": 1, "delay": 0}, "late": "keep"}}).advance["s"]
    assert (settings.late, settings.generate and settings.generate.every) == (Late.KEEP, 1)


def test_the_start_of_a_row_is_where_eventtime_by_says() -> None:
    rows = [
        {"stream": "s", "key": {"t": 5}, "payload": {"k": "a"}},
        {"stream": "s", "key": {"t": "later"}, "payload": {"k": "a"}},
        {"stream": "s", "payload": {"k": "a"}},
        {"stream": "s", "cti": 9},
        {"stream": "s", "bad": "x"},
    ]
    found = case(sql="SELECT STREAM * FROM s EVENTTIME BY _key.t UNIT ms;", input=rows)
    assert [row.fields for row in found.rows] == [
        {"payload": {"k": "a"}, "start": 5_000},
        {"payload": {"k": "a"}, "start": None},
        {"payload": {"k": "a"}, "start": None},
        {"cti": 9},
        {"bad": "x"},
    ]
    assert found.streams["s"].event_time is None


def test_a_start_with_eventtime_by_is_refused() -> None:
    with pytest.raises(TranscriptError, match="taken from t; leave it out"):
        case(sql="SELECT STREAM * FROM s EVENTTIME BY t;", input=[{"stream": "s", "start": 1, "payload": {}}])


@pytest.mark.parametrize("keys", [{"sql": SQL, "query": {"nodes": []}}, {"sql": None, "query": None}])
def test_the_query_is_a_graph_or_a_text(keys: dict[str, Any]) -> None:
    with pytest.raises(TranscriptError, match="either 'query' or 'sql'"):
        parse(document(**keys), "here")


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT", "bad_sql"),
        ("SELECT STREAM * FROM s WHERE v > 1;", "unknown_field"),
        ("SELECT STREAM * FROM x;", "unknown_stream"),
    ],
)
def test_errors_of_a_text_have_their_codes(sql: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(
        json.dumps({"name": "t", "streams": document()["streams"], "sql": sql, "error": code})
    )
    assert main([str(tmp_path), "--executor", "reference"]) == 0


def test_verdicts_as_json_are_one_object_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text(json.dumps(document(name="holds")))
    (tmp_path / "b.yaml").write_text(
        json.dumps(document(name="fails", expect={"events": [{"start": 1, "payload": {"k": "a"}}]}))
    )
    assert main([str(tmp_path), "--executor", "reference", "--json"]) == 1
    holds, fails = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert holds == {"name": "holds", "passed": True, "differs": ""}
    assert (fails["name"], fails["passed"], "events missing" in fails["differs"]) == ("fails", False, True)


def test_a_file_that_cannot_be_read_is_a_verdict_as_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.yaml").write_text("name: t\nname: t\n")
    assert main([str(tmp_path), "--executor", "reference", "--json"]) == 1
    (verdict,) = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (verdict["name"], verdict["passed"]) == ("", False)
    assert "occurs twice" in verdict["differs"]


def test_a_definition_with_errors_names_their_remedies() -> None:
    with pytest.raises(TranscriptError, match=r"unknown_field: There is no field 'kk'\. Did you mean k\?"):
        case(sql="SELECT STREAM * FROM s WHERE kk = 'a'")
