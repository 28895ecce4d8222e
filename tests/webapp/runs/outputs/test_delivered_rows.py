"""Rows delivered to files and to S3 are read back for the page, in a limited process, only for their organisation."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from streaming.adapters.contract import DeliveringAdapter, DeliveryBatch
from streaming.adapters.registry import delivering_adapter
from streaming.wire.outgoing import OutgoingPolicy
from tests.object_store import SECRET, ObjectStore, object_store
from tests.webapp.conftest import Person
from tests.webapp.runs.bindings.test_bindings_changed import put

BUCKET = "shown"
LOCAL = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))


@pytest.fixture(autouse=True)
def _loopback(settings: Any) -> None:
    settings.OUTGOING = LOCAL


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with object_store() as found:
        found.client().create_bucket(Bucket=BUCKET)
        yield found


def bound(alice: Person, binding: dict[str, Any], kind: str, options: dict[str, Any]) -> tuple[str, str]:
    """Give the binding this output; where its rows are read, and its identity."""
    answered = put(alice, binding, outputs=[{"node": "out", "adapter": {"kind": kind, "options": options}}])
    assert answered.status_code == 200, answered.content
    identity = answered.json()["outputs"][0]["identity"]
    return f"bindings/{binding['id']}/outputs/{identity}/rows/", identity


def batch(number: int) -> DeliveryBatch:
    row = {"output": "out", "start": number * 3_600_000_000, "end": None, "payload": {"n": number}}
    return DeliveryBatch(number, [row], None)


def delivering(kind: str, options: dict[str, Any], identity: str, root: Path) -> DeliveringAdapter:
    made = delivering_adapter(kind, options, identity, {"n": "long"}, root, LOCAL)
    assert isinstance(made, DeliveringAdapter)
    return made


@pytest.mark.parametrize("kind", ["file", "s3"])
def test_rows_are_read_where_they_were_delivered(
    alice: Person,
    charlie: Person,
    binding: dict[str, Any],
    store: ObjectStore,
    tmp_path: Path,
    kind: str,
) -> None:
    options = {"path": "out"} if kind == "file" else store.options(BUCKET, prefix="out")
    address, identity = bound(alice, binding, kind, options)
    assert alice.get(address).json() == {"rows": [], "next": None}
    root = tmp_path / str(alice.organisation.pk) / "files"
    delivering(kind, options, identity, root).deliver([batch(number) for number in range(1, 30)])
    first = alice.get(f"{address}?limit=2").json()
    assert [each["values"]["n"] for each in first["rows"]] == [29, 28]
    assert first["rows"][0]["values"]["window_start"][:19] == "1970-01-02T05:00:00"
    further = alice.get(f"{address}?before={first['next']}")
    assert [each["values"]["n"] for each in further.json()["rows"]][:2] == [27, 26]
    assert SECRET not in further.content.decode()
    assert charlie.get(address).status_code == 404
    other = address.replace(identity, str(uuid4()))
    assert alice.get(other).status_code == 404
    assert alice.get(f"{address}?before=nowhere").status_code == 422
    assert alice.get(f"{address}?limit=501").status_code == 422


def test_what_cannot_be_read_is_a_sentence(alice: Person, binding: dict[str, Any], store: ObjectStore) -> None:
    address, identity = bound(alice, binding, "s3", store.options(BUCKET, prefix="spoilt"))
    store.put(BUCKET, f"spoilt/_punctual-{identity}.json", b'{"delivered": 5, "layout": "x"}')
    store.put(BUCKET, f"spoilt/000000000005-0000-{identity}.parquet", b"PAR1 a bomb PAR1")
    refused = alice.get(address)
    assert refused.status_code == 422
    assert "is not a complete Parquet file" in refused.content.decode()
    assert SECRET not in refused.content.decode()


def test_a_target_that_cannot_be_read_back_says_so(alice: Person, binding: dict[str, Any]) -> None:
    hook = {"url": "https://hooks.example/x", "secret": "whsec_" + "A" * 40}
    address, _ = bound(alice, binding, "webhook", hook)
    assert "be read back here" in alice.get(address).content.decode()
    kinds = {each["kind"]: each["reads_back"] for each in alice.get("adapters/?direction=out").json()}
    assert (kinds["s3"], kinds["file"], kinds["webhook"]) == (True, True, False)
