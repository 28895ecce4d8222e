"""Events are added and read; nobody changes them, empties them out, or takes them along with an organisation."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, transaction

from tests.webapp.audit.conftest import every_event
from tests.webapp.conftest import Person
from webapp.accounts.models import Organisation
from webapp.audit.append_only import SENTENCE
from webapp.audit.models import AuditEvent, EventsStay
from webapp.audit.recording import Target, record
from webapp.core.context import installation_context, organisation_context
from webapp.core.tenancy import TenantQuerySet

TABLE = AuditEvent._meta.db_table


@pytest.fixture
def event(in_acme: None) -> AuditEvent:
    record("stream.created", target=Target("stream", "1", "cars"), after={"name": "cars"})
    return AuditEvent.objects.get()


STATEMENTS = [
    f"UPDATE {TABLE} SET action = 'forged'",
    f"UPDATE {TABLE} SET action = 'forged' WHERE action = 'stream.created'",
    f"DELETE FROM {TABLE}",
    f"INSERT INTO {TABLE} SELECT * FROM {TABLE} WHERE true ON CONFLICT (id) DO UPDATE SET action = 'forged'",
    *([f"TRUNCATE {TABLE}"] if connection.vendor == "postgresql" else []),
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_database_refuses_to_change_events(statement: str, event: AuditEvent) -> None:
    with (
        pytest.raises(DatabaseError, match=rf"{SENTENCE}|permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert AuditEvent.objects.get().action == "stream.created"


def test_the_database_refuses_it_of_a_query_set_that_does_not(event: AuditEvent) -> None:
    events: TenantQuerySet[AuditEvent] = TenantQuerySet(AuditEvent)
    for change in (events.delete, lambda: events.update(action="forged")):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert AuditEvent.objects.get().action == "stream.created"


def test_the_model_refuses_to_change_events(event: AuditEvent) -> None:
    changes: list[Callable[[], object]] = [
        event.save,
        event.delete,
        AuditEvent.objects.all().delete,
        lambda: AuditEvent.objects.update(action="forged"),
        lambda: AuditEvent.objects.bulk_update([event], ["action"]),
    ]
    for change in changes:
        with pytest.raises(EventsStay, match=r"Record another event"):
            change()


def test_the_events_of_an_organisation_outlive_it(event: AuditEvent, acme: Organisation, alice: Person) -> None:
    key = acme.pk
    with installation_context("a test deletes an organisation"):
        acme.delete()
        assert not Organisation.objects.filter(pk=key).exists()
    assert [(each.pk, each.organisation_id) for each in every_event()] == [(event.pk, key)]
    assert alice.get("audit/").status_code == 404


def test_an_event_without_an_organisation_is_the_installations(event: AuditEvent) -> None:
    with organisation_context(None):
        record("person.signed_in", target=Target("person", "1", "alice@acme.example"))
    assert [each.action for each in AuditEvent.objects.all()] == ["stream.created"]
    assert {each.action for each in every_event()} == {"stream.created", "person.signed_in"}
