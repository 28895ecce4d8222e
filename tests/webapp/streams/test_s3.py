"""Streams and outputs on S3 through the API: proposed, stored, tried; the secret key is shown to nobody."""

from collections.abc import Iterator
from typing import Any

import pytest

from streaming.wire.outgoing import OutgoingPolicy
from tests.object_store import KEY, SECRET, ObjectStore, object_store
from tests.webapp.conftest import Person
from tests.webapp.runs.bindings.test_bindings_changed import put
from tests.webapp.runs.outputs.test_outputs_tried import tried

BUCKET = "sold"
ROWS = b"".join(b'{"sold_at": "2026-01-01T00:00:%02dZ", "n": %d}\n' % (at, at) for at in range(60))


@pytest.fixture(autouse=True)
def _loopback(settings: Any) -> None:
    settings.OUTGOING = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with object_store() as found:
        found.client().create_bucket(Bucket=BUCKET)
        found.put(BUCKET, "in/a.jsonl", ROWS)
        yield found


def adapter(store: ObjectStore, bucket: str = BUCKET, **changes: Any) -> dict[str, Any]:
    return {"kind": "s3", "options": store.options(bucket, prefix="in", **changes)}


def test_a_stream_is_proposed_from_objects_stored_and_tried(alice: Person, store: ObjectStore) -> None:
    proposed = alice.post("streams/infer/", {"adapter": adapter(store)})
    assert proposed.status_code == 200, proposed.content
    proposal = proposed.json()["proposal"]
    assert {each["name"]: each["type"] for each in proposal["fields"]} == {"sold_at": "timestamp", "n": "long"}
    start = proposal["times"][0]["start"]
    definition = {"shape": "point", "fields": {"n": "long"}, "event_time": {"start": start}}
    made = alice.post("streams/", {"name": "sold", "definition": definition, "adapter": adapter(store)})
    assert made.status_code == 201, made.content
    assert made.json()["adapter"]["options"]["secret_key"] == {"sealed": True}
    assert made.json()["adapter"]["options"]["access_key"] == KEY
    sample = alice.get(f"streams/{made.json()['id']}/sample/")
    assert sample.json()["faults"] == []
    assert sample.json()["rows"][3]["payload"] == {"n": 3}
    assert SECRET not in sample.content.decode() + proposed.content.decode() + made.content.decode()


def test_what_a_bucket_lacks_is_a_fault_with_a_sentence(alice: Person, store: ObjectStore) -> None:
    refused = alice.post("streams/infer/", {"adapter": adapter(store, "absent")}).content.decode()
    assert "The store has no bucket 'absent'" in refused
    assert SECRET not in refused


def test_outputs_are_tried_stored_and_their_secret_goes_to_no_other_endpoint(
    alice: Person, binding: dict[str, Any], store: ObjectStore
) -> None:
    there = {"node": "out", "adapter": {"kind": "s3", "options": store.options(BUCKET, prefix="out")}}
    absent = {"node": "out", "adapter": {"kind": "s3", "options": store.options("absent", prefix="out")}}
    files = {"node": "out", "adapter": {"kind": "file", "options": {"path": "results"}}}
    [fault] = tried(alice, binding, there, absent, files)
    assert fault["field"] == "outputs.1.adapter"
    assert "The store has no bucket 'absent'" in fault["message"]
    assert list(store.objects(BUCKET)) == ["in/a.jsonl"]
    bound = put(alice, binding, outputs=[there, files])
    assert bound.status_code == 200, bound.content
    assert SECRET not in bound.content.decode()
    shown = {name: bound.json()["outputs"][0][name] for name in ("identity", "node", "adapter")}
    assert tried(alice, bound.json(), shown) == []
    elsewhere = {**shown["adapter"], "options": {**shown["adapter"]["options"], "endpoint": "http://127.0.0.2:1"}}
    [fault] = tried(alice, bound.json(), {**shown, "adapter": elsewhere})
    assert "secret_key" in fault["message"]
    assert SECRET not in str(fault)
