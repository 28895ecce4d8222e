"""A binding reads the files, bucket or Delta table of another: the same rows, whatever is killed."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.entry_journal import shared_journal
from streaming.adapters.registry import delivering_adapter
from streaming.definition.streams.stream import AdapterChoice
from streaming.delivery.delivery import Delivery, DeliverySource
from streaming.spark.query.control import AddBinding
from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire.deliveries import DeliveryTarget
from streaming.wire.messages import RunSpec
from streaming.wire.outgoing import OutgoingPolicy
from tests.adapters.delta.tables import Lake
from tests.object_store import ObjectStore, object_store
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings

FIELDS = {"device": "string", "n": "long", "total": "long"}
LOCAL = OutgoingPolicy(networks=("127.0.0.0/8",))


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with object_store() as read_rows:
        yield read_rows


def reading(choice: dict[str, Any]) -> RunSpec:
    """Return a run over all rows of the files, unchanged."""
    content = json.loads(spec("b", "none").model_dump_json())
    content["query"]["nodes"] = [
        {"id": "readings", "kind": "input", "stream": "readings"},
        {"id": "out", "kind": "output", "input": "readings"},
    ]
    stream = {"fields": FIELDS, "event_time": {"start": {"column": "window_start", "unit": "us"}}}
    content["inputs"]["readings"]["adapter"] = choice
    content["inputs"]["readings"]["stream"] |= stream | {"advance": {"generate": {"every": 1}, "late": "drop"}}
    return RunSpec.model_validate_json(json.dumps(content))


def add(loop: Loop, wanted: RunSpec) -> None:
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes={"readings": ["0"]}, at_end="flush")
    )


def deliver(home: Path, choice: AdapterChoice, steps: int) -> None:
    """Run a process that delivers, and is killed after `steps` steps."""
    target = DeliveryTarget(identity="a-out", node="out", fields=FIELDS, adapter=choice, revision=1)

    def build(_columns: Any) -> Any:
        return delivering_adapter(choice.kind, choice.options, "a-out", FIELDS, home / "files", LOCAL)

    delivery = Delivery(DeliverySource("a", home / "results" / "a"), target, build, lambda: 0, random.Random(1))
    for _ in range(steps):
        delivery.step()
        assert delivery.observed.state != "stopped", delivery.observed
    delivery.close()


def read_rows(loop: Loop, binding: str) -> list[tuple[int, str]]:
    lines = committed_lines(loop.home / "results" / binding, "results")
    return sorted((line["start"], json.dumps(line["payload"], sort_keys=True)) for line in lines)


@pytest.mark.parametrize("stage", ["planned", "fed", "written", "published"])
@pytest.mark.parametrize("kind", ["file", "s3", "delta"])
def test_a_reader_that_is_killed_at_every_stage_has_the_rows_of_the_writer(
    tmp_path: Path, kind: str, stage: str, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "files").mkdir()
    write_readings(tmp_path / "files" / "readings.jsonl", batches=12)
    written: dict[str, Any] = {"path": "lake", "format": "parquet"}
    read: dict[str, Any] = {"path": "lake", "pattern": "**/*.parquet", "follow": True}
    if kind == "s3":
        store = request.getfixturevalue("store")
        store.client().create_bucket(Bucket=stage)
        written = store.options(stage, prefix="lake")
        read = store.options(stage, prefix="lake", pattern="**/*.parquet", follow=True, look_every_s=1)
    if kind == "delta":
        written, read = {"path": "lake", "mode": "append"}, {"path": "lake"}
    choice = AdapterChoice(kind=kind, options=written)
    loop = Loop(
        tmp_path, rows_per_batch=7, partitions=2, files=str(tmp_path / "files"), outgoing=LOCAL.model_dump(mode="json")
    )
    add(loop, spec("a", "readings.jsonl", final=True))
    loop.batch()
    deliver(tmp_path, choice, 1)  # makes the folder or the table
    (tmp_path / "files" / "lake").mkdir(exist_ok=True)
    add(loop, reading({"kind": kind, "options": read}))
    killed = 0
    for turn in range(16):
        if loop.killed_at(stage):
            shared_journal.cache_clear()
            killed += 1
        loop.batch()
        deliver(tmp_path, choice, turn % 3)
        if kind == "delta" and turn % 5 == 4:
            Lake(tmp_path).compact()
        if kind == "s3" and turn % 5 == 2:
            store.fail(("PUT", "day=", 500), ("PUT", "_punctual-", "lost"))
    deliver(tmp_path, choice, 9)
    loop.clock += 20_000_000
    loop.run()
    assert killed > 5
    given = read_rows(loop, "a")
    assert len(given) > 20
    assert read_rows(loop, "b") == given
