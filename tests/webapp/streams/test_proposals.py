"""The API's proposal for a file before a stream reads it, and for a stream without a readable time."""

from pathlib import Path
from typing import Any

import pytest

from tests.webapp.conftest import Person

ROWS = b"Tag;Wert\n13.03.2024 10:00;1,5\n13.03.2024 10:01;2,5\n"


@pytest.fixture
def folder(alice: Person, tmp_path: Path) -> Path:
    files = tmp_path / str(alice.organisation.pk) / "files"
    files.mkdir(parents=True, exist_ok=True)
    return files


def stream(path: str, event_time: Any, fields: dict[str, str], **options: Any) -> dict[str, Any]:
    return {
        "name": "readings",
        "definition": {"fields": fields, "event_time": event_time, "advance": {"preset": "watermark(5s)"}},
        "adapter": {"kind": "file", "options": {"path": path, **options}},
    }


def test_a_proposal_that_is_accepted_reads_the_rows_of_the_file(alice: Person, folder: Path) -> None:
    (folder / "f.csv").write_bytes(ROWS)
    answered = alice.post("streams/infer/", {"adapter": {"kind": "file", "options": {"path": "f.csv"}}}).json()
    proposal = answered["proposal"]
    assert proposal["options"] == {"delimiter": ";", "dialect": {"decimal": ","}}
    assert (proposal["checked"], proposal["malformed"]) == (2, 0)
    start = proposal["times"][0]["start"]
    assert (start["unit"], start["pattern"]) == ("pattern", "dd.MM.yyyy HH:mm")
    fields = {each["name"]: each["type"] for each in proposal["fields"]}
    made = alice.post("streams/", stream("f.csv", {"start": start}, fields, **proposal["options"]))
    assert (made.status_code, made.json()["warnings"]) == (201, [])
    sample = alice.get(f"streams/{made.json()['id']}/sample/").json()
    assert [row["payload"]["Wert"] for row in sample["rows"]] == [1.5, 2.5]


@pytest.mark.parametrize(
    "event_time",
    [None, {"start": {"column": "Tag"}}, {"start": {"column": "Wert", "unit": "ms"}}, {"start": {"column": "x"}}],
)
def test_a_stream_without_a_time_that_can_be_read_is_written_with_a_warning(
    event_time: Any, alice: Person, folder: Path
) -> None:
    (folder / "f.csv").write_bytes(ROWS)
    made = alice.post("streams/", stream("f.csv", event_time, {"Wert": "string"}, delimiter=";"))
    assert made.status_code == 201
    [warning] = made.json()["warnings"]
    assert (warning["code"], warning["severity"], warning["field"]) == (
        "no_readable_time",
        "warning",
        "definition.event_time",
    )
    assert alice.get(f"streams/{made.json()['id']}/").json()["warnings"] == []


def test_a_file_that_comes_later_is_no_reason_to_warn(alice: Person, folder: Path) -> None:
    made = alice.post("streams/", stream("later.csv", {"start": {"column": "Tag"}}, {}))
    assert (made.status_code, made.json()["warnings"]) == (201, [])
