"""Footprints of inputs on other servers: shown while in use, removed when nobody reads there any more."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql_changes.adapter import PostgreSQLChangesAdapter
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape
from streaming.wire.deliveries import reader_name
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from tests.adapters.postgresql.tables import SourceDatabase, source_database
from tests.adapters.postgresql_changes.changed import drop_slots, slots
from tests.postgresql import PostgreSQL
from tests.webapp.conftest import Person
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.runs.inputs import footprints
from webapp.runs.inputs.footprints import removed_all, tend_footprints
from webapp.runs.models import InputFootprint, Run

LOCAL = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))
SECRET = "planted-s3cr3t"
LIVES = StreamDefinition(shape=Shape.EDGE, fields={"car": "string"})
GRAPH = {
    "version": 1,
    "name": "opened",
    "nodes": [
        {"kind": "input", "id": "seen", "stream": "seen"},
        {"kind": "filter", "id": "some", "input": "seen", "where": "car <> ''"},
        {"kind": "output", "id": "out", "input": "some"},
    ],
}


@pytest.fixture(autouse=True)
def _loopback(settings: Any) -> None:
    settings.OUTGOING = LOCAL


@pytest.fixture
def source(postgresql: PostgreSQL) -> Iterator[SourceDatabase]:
    with source_database(postgresql, "left_there") as database:
        database.run("CREATE TABLE seen (id bigint PRIMARY KEY, car text)")
        database.run("CREATE PUBLICATION punctual FOR TABLE seen")
        try:
            yield database
        finally:
            drop_slots(database)


def chosen(source: SourceDatabase, **changes: Any) -> dict[str, Any]:
    options = {**source.options(password=SECRET), **changes}
    del options["cursor"]
    return {"kind": "postgresql_changes", "options": options}


@pytest.fixture
def bound(alice: Person, source: SourceDatabase, redis_connection: Any) -> dict[str, Any]:
    """Return a binding over changes of a table, whose run has started and created its slot."""
    definition = {"shape": "edge", "fields": {"car": "string"}}
    stream = alice.post("streams/", {"name": "seen", "definition": definition, "adapter": chosen(source)})
    assert stream.status_code == 201, stream.content
    query = alice.post("queries/", {"graph": GRAPH})
    assert query.status_code == 201, query.content
    made = alice.post("bindings/", {"name": "watch", "query_version": query.json()["current"]["id"]})
    assert made.status_code == 201, made.content
    binding: dict[str, Any] = made.json()
    started = alice.post(f"bindings/{binding['id']}/start/")
    assert started.status_code == 201, started.content
    return {**binding, "stream": stream.json(), "query_id": query.json()["id"]}


def carried(binding: dict[str, Any], source: SourceDatabase, journal: Path) -> None:
    """Act as a runner of the binding: create the slot of its input."""
    holder = reader_name(binding["id"], binding["inputs"][0]["node"])
    options = PostgreSQLChangesOptions.model_validate(chosen(source)["options"])
    adapter = PostgreSQLChangesAdapter(options, LIVES, journal, Reach(LOCAL, holder=holder))
    reached = adapter.latest({}, now=0, limit_rows=10)
    while not reached["0"]:
        reached = adapter.latest(reached, now=10**9, limit_rows=10)


def ended(person: Person) -> None:
    with organisation_context(person.organisation.pk):
        Run.objects.update(ended_at=timezone.now(), desired="stopped", observed="stopped")


def turned(person: Person, after: timedelta = timedelta()) -> datetime:
    """One turn of the task, `after` from now."""
    now = timezone.now() + after
    with organisation_context(person.organisation.pk):
        tend_footprints(now, timedelta(minutes=1))
    return now


def listed(person: Person) -> list[dict[str, Any]]:
    answered = person.get("footprints/")
    assert answered.status_code == 200, answered.content
    assert SECRET not in answered.content.decode()
    found: list[dict[str, Any]] = answered.json()
    return found


def test_a_slot_is_seen_while_it_is_used_and_goes_with_its_binding_once_its_server_answers(
    alice: Person, charlie: Person, bound: dict[str, Any], source: SourceDatabase, tmp_path: Path, settings: Any
) -> None:
    carried(bound, source, tmp_path / "journal")
    turned(alice, timedelta(seconds=31))
    [seen] = listed(alice)
    assert (seen["used"], seen["exists"], seen["names"], seen["warning"]) == (True, True, slots(source), "")
    assert seen["kept_bytes"] >= 0
    assert charlie.get("footprints/").json() == []
    assert charlie.client.delete(charlie.url(f"footprints/{seen['id']}/")).status_code == 404
    refused = alice.client.delete(alice.url(f"footprints/{seen['id']}/"))
    assert (refused.status_code, "watch reads there" in refused.json()["message"]) == (409, True)

    ended(alice)
    settings.OUTGOING = NOTHING  # the server is away
    assert alice.client.delete(alice.url(f"bindings/{bound['id']}/")).status_code == 204
    assert alice.client.delete(alice.url(f"queries/{bound['query_id']}/")).status_code == 204
    assert alice.client.delete(alice.url(f"streams/{bound['stream']['id']}/")).status_code == 204
    turned(alice)
    [left] = listed(alice)
    assert (left["used"], left["exists"], left["binding_name"]) == (False, False, "watch")
    assert "can't be reached" in left["message"]
    assert "pg_drop_replication_slot" in left["by_hand"]
    assert slots(source) == left["names"]

    settings.OUTGOING = LOCAL
    turned(alice)  # too soon
    assert len(listed(alice)) == 1
    turned(alice, timedelta(minutes=2))
    assert listed(alice) == []
    assert slots(source) == []
    with organisation_context(alice.organisation.pk):
        assert AuditEvent.objects.filter(action="footprint.removed", target_label="watch").exists()


def test_what_was_dropped_by_hand_is_put_aside(
    alice: Person, bound: dict[str, Any], source: SourceDatabase, tmp_path: Path, settings: Any
) -> None:
    carried(bound, source, tmp_path / "journal")
    ended(alice)
    settings.OUTGOING = NOTHING
    alice.client.delete(alice.url(f"bindings/{bound['id']}/"))
    turned(alice)
    [left] = listed(alice)
    source.run(left["by_hand"])
    assert slots(source) == []
    assert alice.client.delete(alice.url(f"footprints/{left['id']}/")).status_code == 204
    assert listed(alice) == []


def test_a_stream_that_reads_elsewhere_keeps_the_slot_until_its_binding_has_started_there(
    alice: Person, bound: dict[str, Any], source: SourceDatabase, tmp_path: Path
) -> None:
    """By another name of the same server nothing is lost: what is used there stays, whatever the address was."""
    carried(bound, source, tmp_path / "journal")
    before = slots(source)
    ended(alice)
    stream = bound["stream"]
    fields = {key: stream[key] for key in ("name", "definition")}
    body = {**fields, "adapter": chosen(source, host="localhost"), "upon": stream["revision"]}
    assert alice.put(f"streams/{stream['id']}/", body).status_code == 200
    turned(alice, timedelta(minutes=1))
    assert [each["used"] for each in listed(alice)] == [True]
    assert alice.post(f"bindings/{bound['id']}/start/").status_code == 201
    turned(alice)
    assert sorted(each["used"] for each in listed(alice)) == [False, True]  # it waits for a check of the new place
    turned(alice, timedelta(minutes=1))
    turned(alice, timedelta(minutes=10))
    [now] = listed(alice)
    assert now["where"].startswith("PostgreSQL at localhost")
    assert slots(source) == before


def test_an_organisation_that_is_deleted_leaves_nothing(
    alice: Person, bound: dict[str, Any], source: SourceDatabase, tmp_path: Path, settings: Any
) -> None:
    carried(bound, source, tmp_path / "journal")
    ended(alice)
    with organisation_context(alice.organisation.pk):
        settings.OUTGOING = NOTHING
        assert [each.binding for each in removed_all(timezone.now())] == [UUID(bound["id"])]
        settings.OUTGOING = LOCAL
        assert removed_all(timezone.now()) == []
        assert not InputFootprint.objects.exists()
    assert slots(source) == []


def test_a_binding_that_is_started_there_again_while_its_slot_is_removed_is_not_forgotten(
    alice: Person, bound: dict[str, Any], source: SourceDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carried(bound, source, tmp_path / "journal")
    ended(alice)
    asked = footprints.asked_footprint

    def started_meanwhile(*given: Any) -> Any:
        answer = asked(*given)
        InputFootprint.objects.update(noted_at=timezone.now())
        return answer

    monkeypatch.setattr(footprints, "asked_footprint", started_meanwhile)
    with organisation_context(alice.organisation.pk):
        [noted] = InputFootprint.objects.all()
        assert not footprints.remove(noted, [], timezone.now())
        assert not AuditEvent.objects.filter(action="footprint.removed").exists()
    assert len(listed(alice)) == 1


def test_an_id_that_is_none_is_refused(alice: Person) -> None:
    refused = alice.get("footprints/?binding=watch")
    assert (refused.status_code, refused.json()["faults"][0]["field"]) == (422, "binding")
