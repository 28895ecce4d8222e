"""Files that outputs deliver count there, are listed and deleted like uploads, and wait while the quota is full."""

from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.management import call_command

from streaming.adapters.contract import DeliveringAdapter, DeliveryBatch
from streaming.adapters.registry import delivering_adapter
from streaming.storage.deliveries_paused import PAUSED, pause_deliveries
from streaming.wire import keys
from streaming.wire.deliveries import BindingDeliveries, DeliveryTarget
from tests.webapp.conftest import Person
from tests.webapp.runs.bindings.test_bindings_changed import put
from tests.webapp.runs.outputs.test_binding_outputs import OPTIONS
from tests.webapp.scene import Recorded
from webapp.accounts.limits.quotas import set_limit, used
from webapp.core.context import organisation_context
from webapp.runs.turns.reconciler import Reconciler


@pytest.fixture
def delivered(alice: Person, binding: dict[str, Any], tmp_path: Path) -> str:
    """An output to files and one to elsewhere; the identity of the first, which has brought three rows."""
    outputs = [
        {"node": "out", "adapter": {"kind": "file", "options": {"path": "out"}}},
        {"node": "out", "adapter": {"kind": "postgresql", "options": OPTIONS}},
    ]
    answered = put(alice, binding, outputs=outputs)
    assert answered.status_code == 200, answered.content
    identity: str = answered.json()["outputs"][0]["identity"]
    root = tmp_path / str(alice.organisation.pk) / "files"
    root.mkdir(parents=True, exist_ok=True)
    adapter = delivering_adapter("file", {"path": "out"}, identity, {"n": "long"}, root)
    assert isinstance(adapter, DeliveringAdapter)
    rows = [{"output": "out", "start": day * 86_400_000_000, "end": None, "payload": {"n": day}} for day in range(3)]
    adapter.delivered()
    adapter.deliver([DeliveryBatch(1, rows, None)])
    return identity


def targets_of(alice: Person, binding: dict[str, Any], connection: "redis.Redis") -> dict[str, DeliveryTarget]:
    """Return the runner's target of each output, by its kind."""
    Reconciler(alice.organisation.pk, connection, Recorded()).turn()
    content = connection.hget(keys.deliveries(str(alice.organisation.pk)), binding["id"])
    found = BindingDeliveries.model_validate_json(str(content, "utf-8"))  # type: ignore[arg-type]
    return {each.adapter.kind: each for each in found.targets}


def test_delivered_files_count_are_listed_and_deleted(alice: Person, delivered: str, tmp_path: Path) -> None:
    listed = alice.get("files/").json()
    assert [each["path"].split("/")[:2] for each in listed["files"] if each["path"].startswith("out/")] == [
        ["out", f"day=1970-01-0{day}"] for day in (1, 2, 3)
    ], "each day, and not the note of the output"
    out = tmp_path / str(alice.organisation.pk) / "files" / "out"
    assert listed["used"] >= sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    first = next(each for each in listed["files"] if each["path"].startswith("out/"))
    assert alice.client.delete(alice.url(f"files/?path={first['path']}")).status_code == 204
    after = alice.get("files/").json()
    assert (after["count"], after["used"]) == (listed["count"] - 1, listed["used"] - first["size"])


def test_all_deliveries_of_a_restored_installation_wait_until_they_are_resumed(
    alice: Person, binding: dict[str, Any], delivered: str, redis_connection: "redis.Redis", tmp_path: Path
) -> None:
    pause_deliveries(tmp_path)
    paused = targets_of(alice, binding, redis_connection)
    assert {kind: each.waits for kind, each in paused.items()} == {"file": PAUSED, "postgresql": PAUSED}
    call_command("resumedeliveries")
    resumed = targets_of(alice, binding, redis_connection)
    assert {kind: each.waits for kind, each in resumed.items()} == {"file": None, "postgresql": None}


def test_while_the_files_are_full_what_goes_there_waits_and_nothing_else(
    alice: Person, binding: dict[str, Any], delivered: str, redis_connection: "redis.Redis"
) -> None:
    assert {kind: each.waits for kind, each in targets_of(alice, binding, redis_connection).items()} == {
        "file": None,
        "postgresql": None,
    }
    with organisation_context(alice.organisation.pk):
        set_limit("file_bytes", used("file_bytes"))
    full = targets_of(alice, binding, redis_connection)
    assert full["postgresql"].waits is None
    assert full["file"].waits is not None
    assert full["file"].waits.startswith("Files kept, with uploads under way: ")
    assert "Delete files" in full["file"].waits
    [path, *_] = [each["path"] for each in alice.get("files/").json()["files"] if each["path"].startswith("out/")]
    assert alice.client.delete(alice.url(f"files/?path={path}")).status_code == 204
    assert targets_of(alice, binding, redis_connection)["file"].waits is None, "it goes on once there is room"
