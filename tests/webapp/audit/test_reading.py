"""The audit log over HTTP: filters, pages that neither overlap nor leave out, and who may read."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from tests.webapp.conftest import Person, join
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role
from webapp.audit.models import AuditEvent
from webapp.audit.reading import AuditCursor
from webapp.core.context import organisation_context
from webapp.core.tenancy import TenantQuerySet

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ADA, GRACE = str(UUID(int=1)), str(UUID(int=2))


def write(organisation: Organisation, *events: dict[str, Any]) -> None:
    """Write events with times of their own."""
    with organisation_context(organisation.pk):
        for event in events:
            known = {"at": NOON, "action": "stream.created", "actor_kind": "person", "target_kind": "stream"} | event
            known["area"] = known["action"].split(".")[0]
            query: TenantQuerySet[AuditEvent] = TenantQuerySet(AuditEvent)
            query.insert(AuditEvent(organisation_id=organisation.pk, **known))


def listed(person: Person, **query: Any) -> list[dict[str, Any]]:
    answered = person.get(f"audit/?{urlencode(query)}")
    assert answered.status_code == 200, answered.content
    found: list[dict[str, Any]] = answered.json()["events"]
    return found


@pytest.fixture
def five_events(alice: Person) -> Person:
    """Alice, in whose organisation five things happened, a minute after each other."""
    minute = timedelta(minutes=1)
    write(
        alice.organisation,
        {"target_id": "1", "actor_id": ADA, "actor_label": "ada@x.example"},
        {"at": NOON + minute, "action": "stream.replaced", "target_id": "1", "actor_label": "ada@x.example"},
        {"at": NOON + 2 * minute, "action": "run.started", "target_kind": "run", "target_id": "1", "actor_id": GRACE},
        {"at": NOON + 3 * minute, "action": "streams.x", "target_kind": "other", "impersonator": "ada@x.example"},
        {"at": NOON + 4 * minute, "action": "run.failed", "target_kind": "run", "target_id": "2"},
    )
    return alice


@pytest.mark.parametrize(
    ("query", "minutes"),
    [
        ({}, [4, 3, 2, 1, 0]),
        ({"action": "stream.replaced"}, [1]),
        ({"action": "stream."}, [1, 0]),
        ({"action": "run."}, [4, 2]),
        ({"action": "stream.repl"}, []),
        ({"actor": "ada@x.example"}, [3, 1, 0]),
        ({"actor": ADA}, [0]),
        ({"actor": UUID(ADA).hex}, [0]),
        ({"actor": GRACE}, [2]),
        ({"target": "run"}, [4, 2]),
        ({"target": "run:1"}, [2]),
        ({"target": "stream:1"}, [1, 0]),
        ({"target": "stream:2"}, []),
        ({"since": "2026-11-21T12:03:00Z"}, [4, 3]),
        ({"until": "2026-11-21T12:03:00Z"}, [2, 1, 0]),
        ({"since": "2026-11-21T13:01:00+01:00", "until": "2026-11-21T12:03:00Z"}, [2, 1]),
        ({"action": "stream.", "actor": "ada@x.example", "target": "stream:1", "since": "2026-11-21T12:01:00Z"}, [1]),
        ({"limit": 2}, [4, 3]),
    ],
)
def test_filters_are_all_met(query: dict[str, Any], minutes: list[int], five_events: Person) -> None:
    assert [datetime.fromisoformat(each["at"]).minute for each in listed(five_events, **query)] == minutes


def test_pages_join_without_a_gap_or_a_double_where_events_are_of_one_moment(alice: Person) -> None:
    write(alice.organisation, *({"target_label": str(number), "id": uuid4()} for number in range(11)))
    seen, before = [], None
    for _ in range(6):
        query = {"limit": 2} | ({"before": before} if before else {})
        page = alice.get(f"audit/?{urlencode(query)}").json()
        write(alice.organisation, {"at": timezone.now(), "action": "later.event"})  # later events change nothing
        seen += [each["target"]["label"] for each in page["events"]]
        before = page["next"]
    assert before is None
    assert sorted(seen, key=int) == [str(number) for number in range(11)]


def test_a_cursor_is_what_it_writes() -> None:
    cursor = AuditCursor(datetime(2026, 11, 21, 12, 0, 0, 123_456, tzinfo=UTC), uuid4())
    assert AuditCursor.parse(str(cursor)) == cursor


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("action=stream", "action"),
        ("action=DROP%20TABLE", "action"),
        ("actor=", "actor"),
        ("actor=%00", "actor"),
        ("target=:1", "target"),
        ("target=stream:%00", "target"),
        ("since=yesterday", "since"),
        ("since=2026-11-21T12:00:00", "since"),
        ("until=0001-01-01T00:00:00%2B14:00", "until"),
        ("since=2026-11-21T12:00:00Z&until=2026-11-21T12:00:00Z", "until"),
        ("before=1", "before"),
        ("before=999999999999999999-00000000000000000000000000000000", "before"),
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("colour=red", "colour"),
    ],
)
def test_a_bad_filter_is_a_fault_of_its_field(query: str, field: str, alice: Person) -> None:
    paths = [f"audit/?{query}"]
    paths += [] if field in {"before", "limit"} else [f"audit/export/?format=csv&{query}"]
    for path in paths:
        answered = alice.get(path)
        assert answered.status_code == 422, answered.content
        assert [each["field"] for each in answered.json()["faults"]] == [field]


@pytest.mark.parametrize("cursor", ["0-" + "0" * 32, "9" * 17 + "-" + "f" * 32])
def test_the_outermost_cursors_are_taken(cursor: str, five_events: Person) -> None:
    assert len(listed(five_events, before=cursor)) == (0 if cursor.startswith("0") else 5)


@pytest.mark.parametrize(("role", "status"), [(Role.OPERATOR, 403), (Role.DESIGNER, 403), (Role.ADMIN, 200)])
def test_only_who_administers_reads_it(role: Role, status: int, acme: Organisation) -> None:
    person = join("somebody@acme.example", acme, role)
    assert person.get("audit/").status_code == status
    assert person.get("audit/export/?format=csv").status_code == status


def test_nothing_of_another_organisation_is_read(five_events: Person, charlie: Person) -> None:
    assert listed(charlie) == []
    assert listed(charlie, actor=ADA) == []
    assert listed(charlie, before=f"{10**16}-{'f' * 32}") == []
    assert charlie.client.get(five_events.url("audit/")).status_code == 404


def test_a_page_costs_the_same_number_of_queries_however_long_it_is(
    five_events: Person, django_assert_num_queries: Any
) -> None:
    five_events.get("audit/?limit=1")
    with django_assert_num_queries(4) as counted:
        five_events.get("audit/?limit=1")
    write(five_events.organisation, *({"id": uuid4()} for _ in range(50)))
    with django_assert_num_queries(len(counted)):
        five_events.get("audit/?limit=100")
