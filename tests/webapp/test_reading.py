"""Reading is no change: it writes no audit event, waits for no writer; and names read as what they are."""

from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from tests.webapp.accounts.test_tokens import program
from tests.webapp.conftest import Person
from webapp.accounts import tokens
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.monitoring import seats
from webapp.monitoring.seats import PAGES, StreamSlot


def events(person: Person) -> int:
    with organisation_context(person.organisation.pk):
        return AuditEvent.objects.count()


def test_opening_a_page_is_no_event(alice: Person, binding: dict[str, Any], cars: dict[str, Any]) -> None:
    before = events(alice)
    for path in ("definitions/", f"streams/{cars['id']}/sample/", f"streams/{cars['id']}/", "queries/", "bindings/"):
        assert alice.get(path).status_code == 200
    assert events(alice) == before


BRACKETS = b"[" * 100_000


def test_a_hundred_thousand_brackets_cannot_be_read_with_or_without_a_token_of_the_page(alice: Person) -> None:
    careful = Client(enforce_csrf_checks=True, raise_request_exception=False)
    careful.cookies = alice.client.cookies
    refused = careful.post(alice.url("queries/validate/"), BRACKETS, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    answered = alice.client.post(alice.url("queries/validate/"), BRACKETS, content_type="application/json")
    assert (answered.status_code, answered.json()["code"]) == (400, "bad_request")
    assert "nested too deeply" in answered.json()["message"]


def test_a_locked_database_is_503_with_a_time_to_come_back(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_: Any, **__: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("webapp.streams.api.access_stream", locked)
    answered = alice.get(f"streams/{alice.organisation.pk}/")
    assert (answered.status_code, answered.json()["code"]) == (503, "unavailable")
    assert answered["Retry-After"]


def test_a_token_reads_on_while_somebody_else_writes(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    held = program(alice)

    def locked(*_: Any, **__: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(tokens.TenantQuerySet, "update", locked)
    assert held.get(alice.url("streams/")).status_code == 200


@pytest.mark.parametrize("character", ["\u202e", "\u2066", "\u200f", "\u2028", "\u0085", "\x07"])
def test_a_name_holds_nothing_that_is_not_seen_or_turns_text_around(alice: Person, character: str) -> None:
    name = f"Acme{character}gro.live"
    renamed = alice.put("organisation/", {"name": name})
    made = alice.post("service-accounts/", {"name": name, "role": "viewer"})
    for answered in (renamed, made):
        assert answered.status_code == 422, answered.content
        assert f"U+{ord(character):04X}" in str(answered.json()["faults"])


def test_a_person_watches_a_few_pages_at_once_and_leaves_room_for_others() -> None:
    taken = [StreamSlot("o", "alice") for _ in range(PAGES.person)]
    for each in taken:
        each.take()
    with pytest.raises(seats.Busy, match="are already open"):
        StreamSlot("o", "alice").take()
    other = StreamSlot("o", "bob")
    other.take()
    for each in (*taken, other, other):
        each.leave()
    again = StreamSlot("o", "alice")
    again.take()
    again.leave()
