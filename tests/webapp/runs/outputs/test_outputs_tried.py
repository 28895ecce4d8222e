"""The connection test of outputs: what failed is named, secrets that are stored are used, nothing is stored or left."""

from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from streaming.wire.outgoing import OutgoingPolicy
from tests.postgresql import PostgreSQL
from tests.webapp.conftest import Person
from tests.webapp.runs.bindings.test_bindings_changed import put
from tests.webapp.runs.outputs.test_binding_outputs import output


@pytest.fixture(autouse=True)
def loopback(settings: Any) -> None:
    settings.OUTGOING = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))


def tried(person: Person, binding: dict[str, Any], *outputs: dict[str, Any]) -> list[dict[str, Any]]:
    answered = person.post(f"bindings/{binding['id']}/outputs/check/", {"outputs": list(outputs)})
    assert answered.status_code == 200, answered.content
    found: list[dict[str, Any]] = answered.json()["faults"]
    return found


def test_each_output_is_named_with_what_failed(alice: Person, binding: dict[str, Any], postgresql: PostgreSQL) -> None:
    there = {"port": urlsplit(postgresql.url).port, "user": "punctual", "database": "postgres", "table": "new_results"}
    before = alice.get(f"bindings/{binding['id']}/").json()
    faults = tried(alice, binding, output(**there), output(), output(**there, schema_name="absent"))
    assert [each["field"] for each in faults] == ["outputs.1.adapter", "outputs.2.adapter"]
    assert "can't be reached" in faults[0]["message"]
    assert "has no such schema" in faults[1]["message"]
    assert alice.get(f"bindings/{binding['id']}/").json() == before
    with psycopg.connect(postgresql.url) as connection:
        assert connection.execute("SELECT to_regclass('public.new_results')").fetchone() == (None,)


def test_a_stored_secret_is_used_and_goes_to_no_other_host(alice: Person, binding: dict[str, Any]) -> None:
    bound = put(alice, binding, outputs=[output(password="planted-s3cr3t")]).json()
    shown = {name: bound["outputs"][0][name] for name in ("identity", "node", "adapter")}
    [fault] = tried(alice, bound, shown)
    assert "can't be reached" in fault["message"]
    elsewhere = {**shown["adapter"], "options": {**shown["adapter"]["options"], "host": "127.0.0.2"}}
    [fault] = tried(alice, bound, {**shown, "adapter": elsewhere})
    assert "password" in fault["message"]
    assert "planted-s3cr3t" not in str(fault)


def test_invalid_options_are_reported_at_their_fields(alice: Person, binding: dict[str, Any]) -> None:
    [fault] = tried(alice, binding, output(host=""))
    assert fault["field"] == "outputs.0.adapter.options.host"
    assert tried(alice, binding) == []


def test_nobody_elses_binding_is_tried(charlie: Person, binding: dict[str, Any]) -> None:
    assert charlie.post(f"bindings/{binding['id']}/outputs/check/", {"outputs": []}).status_code == 404
