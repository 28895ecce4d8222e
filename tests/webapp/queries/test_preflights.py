"""Validate over the API: the content of the inputs is read, measured, and reported with what to do."""

from pathlib import Path
from typing import Any

from tests.webapp.conftest import Person, graph
from webapp.accounts.models import Organisation

TEXT = """
QUERY speeding;
ADVANCE TIME cars EVERY 1 DELAY 2s LATE DROP;
INSERT INTO out
SELECT STREAM COUNT(*) AS n FROM cars WINDOW BY TUMBLE 10s;
"""


def rows(*starts: str) -> list[dict[str, Any]]:
    payload = {"plate": "AB 1", "speed": 130.5}
    return [{"stream": "cars", "start": f"2026-01-01T00:00:{start}Z", "payload": payload} for start in starts]


def test_the_rows_that_the_adapter_reads_are_measured(alice: Person, cars: dict[str, Any]) -> None:
    answered = alice.post("queries/preflight/", {"text": TEXT})
    assert answered.status_code == 200, answered.content
    (measured,) = answered.json()["inputs"]
    assert (measured["input"], measured["rows"], measured["malformed"]) == ("cars", 3, {"bad_row": 1})
    assert measured["outcomes"] == {"on_time": 2, "malformed": 1}
    assert [(each["code"], each["node"]) for each in answered.json()["faults"]] == [("rows_malformed", "cars")]
    assert answered.json()["waits"]


def test_a_sample_that_is_sent_is_measured_in_its_place(alice: Person, cars: dict[str, Any]) -> None:
    answered = alice.post("queries/preflight/", {"text": TEXT, "sample": rows("00", "09", "04")})
    assert answered.status_code == 200, answered.content
    assert answered.json()["inputs"][0]["outcomes"] == {"on_time": 2, "dropped_late": 1}
    assert [each["code"] for each in answered.json()["faults"]] == ["delay_too_short"]
    settings = {"cars": {"generate": {"every": 1, "delay": "5s"}, "late": "drop"}}
    enough = alice.post("queries/preflight/", {"text": TEXT, "sample": rows("00", "09", "04"), "advance": settings})
    assert enough.json()["inputs"][0]["outcomes"] == {"on_time": 2, "reordered": 1}
    assert enough.json()["faults"] == []


def test_an_input_that_cannot_be_read_is_a_fault_of_its_node(
    alice: Person, acme: Organisation, cars: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / str(acme.pk) / "files" / "cars.jsonl").unlink()
    answered = alice.post("queries/preflight/", {"text": TEXT}).json()
    assert [(each["code"], each["node"]) for each in answered["faults"]] == [("bad_adapter", "cars")]
    assert answered["inputs"] == []


def test_a_query_with_faults_is_refused_with_all_of_them(alice: Person, cars: dict[str, Any]) -> None:
    refused = alice.post("queries/preflight/", {"graph": graph(where="sped > 1")})
    assert (refused.status_code, refused.json()["faults"][0]["code"]) == (422, "unknown_field")


def test_a_sample_that_cannot_be_read_is_refused_with_its_row(alice: Person, cars: dict[str, Any]) -> None:
    refused = alice.post("queries/preflight/", {"text": TEXT, "sample": [{"stream": "nobodys", "start": 1}]})
    assert refused.status_code == 422
    assert "Row 1 of the sample" in refused.json()["faults"][0]["message"]


def test_streams_of_another_organisation_are_unknown(alice: Person, cars: dict[str, Any], charlie: Person) -> None:
    refused = charlie.post("queries/preflight/", {"text": TEXT})
    assert refused.json()["faults"][0]["code"] == "unknown_stream"
