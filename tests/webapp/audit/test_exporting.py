"""The audit log as a file: whole, a page at a time, harmless in a spreadsheet, by both kinds of server."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.test import AsyncClient
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.webapp.audit.test_reading import write
from tests.webapp.conftest import Person
from webapp.audit import exporting
from webapp.audit.exporting import COLUMNS, exported
from webapp.audit.reading import AuditFilter
from webapp.core.exported_files import csv_lines, harmless


def fetched(person: Person, query: str) -> tuple[str, Any]:
    answered = person.get(f"audit/export/?{query}")
    assert answered.status_code == 200, answered.content
    return answered.getvalue().decode(), answered


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def seven(alice: Person, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Alice, in whose organisation seven things happened; three are read at once."""
    monkeypatch.setattr(exporting, "PAGE", 3)
    write(alice.organisation, *({"target_label": f"t{each}", "id": uuid4()} for each in range(7)))
    return alice


def test_both_forms_hold_every_event_newest_first(seven: Person) -> None:
    before = timezone.now()
    text, answered = fetched(seven, "format=csv&action=stream.")
    lines, _ = fetched(seven, "format=json_lines&action=stream.")
    listed = seven.get("audit/?action=stream.").json()["events"]
    assert [json.loads(line) for line in lines.splitlines()] == listed
    assert [each["target"] for each in rows(text)] == [each["target"]["label"] for each in listed]
    assert len(listed) == 7
    assert text.splitlines()[0] == ",".join(COLUMNS)
    assert answered.headers["Content-Type"] == "text/csv; charset=utf-8"
    names = [f'attachment; filename="acme-audit-{at:%Y-%m-%d}.csv"' for at in (before, timezone.now())]
    assert answered.headers["Content-Disposition"] in names


def test_an_asynchronous_server_sends_the_same_in_pieces(seven: Person) -> None:
    async def fetch() -> list[bytes]:
        client = AsyncClient()
        client.cookies = seven.client.cookies
        answered = await client.get(seven.url("audit/export/?format=csv&action=stream."))
        return [piece async for piece in answered.streaming_content]

    pieces = async_to_sync(fetch)()
    assert [len(rows(csv_lines([COLUMNS]) + piece.decode())) for piece in pieces] == [4, 3, 1]  # the head is a row once
    assert b"".join(pieces).decode() == fetched(seven, "format=csv&action=stream.")[0]


def test_no_page_is_read_before_the_one_before_it_was_sent(seven: Person) -> None:
    pieces: Iterator[bytes] = exported(seven.organisation.pk, AuditFilter(), "json_lines")
    for _ in range(2):
        with CaptureQueriesContext(connection) as captured:
            assert next(pieces).count(b"\n") == 3
        assert len(captured) == 1


def test_an_export_is_an_event_that_says_what_was_taken(seven: Person) -> None:
    fetched(seven, "format=json_lines&target=stream:1&since=2026-11-21T13:00:00%2B01:00")
    [event] = seven.get("audit/?action=audit.").json()["events"]
    assert event["actor"]["label"] == "alice@acme.example"
    assert event["after"] == {"format": "json_lines", "target": "stream:1", "since": "2026-11-21T12:00:00Z"}


@pytest.mark.parametrize("media", ["text/csv", "application/x-ndjson", "*/*"])
def test_a_program_may_ask_for_the_form_by_its_type_too(media: str, seven: Person) -> None:
    answered = seven.client.get(seven.url("audit/export/?format=csv"), headers={"accept": media})
    assert answered.status_code == 200
    refused = seven.client.get(seven.url("audit/export/?format=xlsx"), headers={"accept": media})
    assert (refused.status_code, refused.json()["faults"][0]["field"]) == (422, "format")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])  # noqa: RUF001
def test_no_cell_is_a_formula(start: str, alice: Person) -> None:
    formula = f'{start}HYPERLINK("https://evil.example";"click")'
    write(alice.organisation, {"target_label": formula, "actor_label": formula, "request_id": start})
    [row] = rows(fetched(alice, "format=csv&action=stream.")[0])
    assert (row["target"], row["actor"], row["request_id"]) == (f"'{formula}", f"'{formula}", f"'{start}")
    lines, _ = fetched(alice, "format=json_lines&action=stream.")
    assert json.loads(lines)["target"]["label"] == formula


def test_a_harmless_cell_stays_as_it_is() -> None:
    assert [harmless(each) for each in ("a=b", "", None, '{"a": "=1"}', 5)] == ["a=b", "", "", '{"a": "=1"}', "5"]
