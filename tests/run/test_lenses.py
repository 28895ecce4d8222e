"""Every statement of the Lenses text, as it is there, parses without an error and runs with the reference."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from streaming.definition.faults import Severity
from streaming.definition.sql.check import check_sql
from streaming.definition.streams.stream import StreamDefinition
from tests.run.runs import Folder

TEXT = Path(__file__).resolve().parents[3] / "shared" / "references" / "lenses-lsql-time-and-windows.txt"
FIELDS = {
    "country": "string",
    "points": "long",
    "startedAt": "timestamp",
    "details": "struct<startedAt: timestamp>",
}
MOMENT = "2026-01-01T00:00:30Z"
ROW: Mapping[str, Any] = {
    "key": {"startedAt": MOMENT, "details": {"startedAt": MOMENT}},
    "payload": {"country": "CH", "points": 3, "startedAt": MOMENT, "details": {"startedAt": MOMENT}},
}
_STATEMENT = re.compile(r"^(?:INSERT INTO|SELECT STREAM)\b.*?(?:;|\n\n|\Z)", re.MULTILINE | re.DOTALL)
_FRAGMENT = re.compile(r"^WINDOW BY [A-Z]+ \d.*$", re.MULTILINE)
_SKETCH = re.compile(r"^WINDOW BY [A-Z]+ <.*$", re.MULTILINE)


def statements(text: str) -> Iterator[str]:
    """Yield whole statements, with the placeholders filled; clauses of windows that are alone, in a statement."""
    whole = [found[0] for found in _STATEMENT.finditer(text) if "<selection>" not in found[0]]
    inside = "\n".join(whole)
    clauses = [found[0] for found in _FRAGMENT.finditer(text) if found[0] not in inside]
    sketches = [found[0] for found in _SKETCH.finditer(text)]
    for statement in whole:
        yield _filled(statement)
    for clause in [*clauses, *map(_sized, sketches)]:
        yield f"SELECT STREAM country, COUNT(*) AS occurrences FROM races {clause} GROUP BY country"
    for size in re.findall(r"\.(\d+(?:ms|s|m|h))$", text, re.MULTILINE):
        yield f"SELECT STREAM COUNT(*) AS occurrences FROM races WINDOW BY TUMBLE {size}"
    yield _filled("SELECT STREAM *\nFROM <source>\nEVENTTIME BY startedAt")


def _filled(statement: str) -> str:
    named = statement.replace("<source>", "races").replace("$source", "races").replace("<target>", "totals")
    return named.replace("input-topic", "races").replace("...", "")


def _sized(sketch: str) -> str:
    sizes = iter(("5m", "1m"))
    return re.sub(r"<[a-z_]+>", lambda _: next(sizes), sketch)


def _texts() -> list[str]:
    return list(statements(TEXT.read_text(encoding="utf-8"))) if TEXT.exists() else []


STATEMENTS = _texts()


def test_the_text_exists_and_no_part_of_it_is_overlooked() -> None:
    assert TEXT.exists(), f"the Lenses text is absent: {TEXT}"
    text = TEXT.read_text(encoding="utf-8")
    taken = "\n".join(STATEMENTS)
    for line in re.findall(r"^(?:EVENTTIME|WINDOW) BY .*$", text, re.MULTILINE):
        if "<" not in line:
            assert line.rstrip(";") in taken, line
    assert len([each for each in STATEMENTS if each.startswith("INSERT")]) == 3
    assert len([each for each in STATEMENTS if "EVENTTIME BY" in each]) == 8
    assert [each for each in STATEMENTS if "GRACE BY 2h" in each] != []
    assert {"100ms", "10s", "10m", "10h"} <= {each.rpartition(" ")[2] for each in STATEMENTS}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_of_lenses_has_no_error(statement: str) -> None:
    checked = check_sql(statement, {"races": StreamDefinition(fields=FIELDS)})
    assert checked.script.faults == ()
    assert [fault for fault in checked.faults if fault.severity is Severity.ERROR] == []


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_of_lenses_runs(folder: Folder, statement: str) -> None:
    query = folder.write("query.sql", statement)
    row = dict(ROW) if "EVENTTIME" in statement else {**ROW, "start": 30_000_000}
    streams = folder.yaml("streams.yaml", {"races": {"fields": FIELDS}})
    ran = folder.run(query, {"races": folder.lines("races.jsonl", [row])}, "--streams", streams)
    assert ran.code == 0, ran.messages
    assert folder.read("out.late.jsonl") == []
    expected = 5 if "HOP 5m,1m" in statement else 1
    assert len(folder.read()) == expected
    assert json.dumps(folder.read()).count("CH") == (0 if "TUMBLE 10" in statement else expected)
