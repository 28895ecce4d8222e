"""A stream over a table of PostgreSQL through the API: proposed from its rows, tried, its password shown to nobody."""

from collections.abc import Iterator
from typing import Any

import pytest

from streaming.wire.outgoing import OutgoingPolicy
from tests.adapters.postgresql.tables import SourceDatabase, source_database
from tests.postgresql import PostgreSQL
from tests.webapp.conftest import Person

SECRET = "planted-s3cr3t"


@pytest.fixture(autouse=True)
def _loopback(settings: Any) -> None:
    settings.OUTGOING = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))


@pytest.fixture
def source(postgresql: PostgreSQL) -> Iterator[SourceDatabase]:
    with source_database(postgresql, "streamed") as database:
        database.run(
            "CREATE TABLE sold (id bigserial PRIMARY KEY, sold_at timestamptz NOT NULL, price numeric(10,2), name text)"
        )
        database.run(
            "INSERT INTO sold (sold_at, price, name) SELECT '2026-01-01T00:00Z'::timestamptz +"
            " n * interval '1s', n, 'n' FROM generate_series(1, 100) n"
        )
        yield database


def adapter(source: SourceDatabase, **changes: Any) -> dict[str, Any]:
    return {"kind": "postgresql", "options": source.options(table="sold", password=SECRET, **changes)}


def test_a_stream_is_proposed_from_a_table_stored_and_tried(alice: Person, source: SourceDatabase) -> None:
    proposed = alice.post("streams/infer/", {"adapter": adapter(source)})
    assert proposed.status_code == 200, proposed.content
    proposal = proposed.json()["proposal"]
    assert {each["name"]: each["type"] for each in proposal["fields"]} == {
        "id": "long", "sold_at": "timestamp", "price": "decimal(10,2)", "name": "string"
    }  # fmt: skip
    start = proposal["times"][0]["start"]
    assert start["column"] == "sold_at"
    definition = {
        "shape": "point",
        "fields": {"name": "string", "price": "decimal(10,2)"},
        "event_time": {"start": start},
    }
    made = alice.post("streams/", {"name": "sold", "definition": definition, "adapter": adapter(source)})
    assert made.status_code == 201, made.content
    assert made.json()["adapter"]["options"]["password"] == {"sealed": True}
    sample = alice.get(f"streams/{made.json()['id']}/sample/")
    assert sample.json()["faults"] == []
    assert sample.json()["rows"][0]["payload"] == {"name": "n", "price": "1.00"}
    assert SECRET not in sample.content.decode() + proposed.content.decode() + made.content.decode()


def test_what_a_table_lacks_is_a_fault_with_a_sentence(alice: Person, source: SourceDatabase) -> None:
    refused = alice.post("streams/infer/", {"adapter": adapter(source, cursor="idd")})
    assert "Did you mean 'id'?" in refused.content.decode()
    assert SECRET not in refused.content.decode()


def test_changes_are_proposed_as_lives_stored_and_tried(alice: Person, source: SourceDatabase) -> None:
    source.run("CREATE PUBLICATION punctual FOR TABLE sold")
    chosen = adapter(source)
    chosen = {"kind": "postgresql_changes", "options": {k: v for k, v in chosen["options"].items() if k != "cursor"}}
    proposed = alice.post("streams/infer/", {"adapter": chosen})
    assert proposed.status_code == 200, proposed.content
    [time] = proposed.json()["proposal"]["times"]
    definition = {
        "shape": time["shape"],
        "fields": {"name": "string", "price": "decimal(10,2)"},
        "event_time": {name: time[name] for name in ("start", "end", "edge")},
    }
    made = alice.post("streams/", {"name": "sold", "definition": definition, "adapter": chosen})
    assert made.status_code == 201, made.content
    sample = alice.get(f"streams/{made.json()['id']}/sample/")
    assert sample.json()["faults"] == []
    assert sample.json()["rows"][0]["payload"] == {"name": "n", "price": "1.00"}
    assert SECRET not in sample.content.decode() + proposed.content.decode() + made.content.decode()
