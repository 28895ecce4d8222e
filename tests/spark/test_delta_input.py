"""What one binding delivers to a Delta table another one reads: the same rows, whatever is killed on the way."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.entry_journal import shared_journal
from streaming.adapters.registry import delivering_adapter
from streaming.delivery.delivery import Delivery, DeliverySource
from streaming.spark.control import AddBinding
from streaming.spark.local_run import committed_lines
from streaming.wire.deliveries import DeliveryTarget
from streaming.wire.messages import RunSpec
from tests.adapters.delta.tables import Lake
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings

STAGES = ["planned", "fed", "written", "published"]
FIELDS = {"device": "string", "n": "long", "total": "long"}
TO_LAKE = {"kind": "delta", "options": {"path": "lake", "mode": "append"}}
TARGET = DeliveryTarget.model_validate(
    {"identity": "punctual-1-out", "node": "out", "fields": FIELDS, "adapter": TO_LAKE, "revision": 1}
)


def feeding() -> RunSpec:
    """The count and sum of `spec` for each device and 10 us."""
    return spec("a", "readings.jsonl", final=True)


def reading() -> RunSpec:
    """All rows of the table, as they are."""
    content = json.loads(spec("b", "none").model_dump_json())
    content["query"]["nodes"] = [
        {"id": "readings", "kind": "input", "stream": "readings"},
        {"id": "out", "kind": "output", "input": "readings"},
    ]
    adapter = {"kind": "delta", "options": {"path": "lake"}}
    stream = {"fields": FIELDS, "event_time": {"start": {"column": "window_start", "unit": "us"}}}
    content["inputs"]["readings"]["adapter"] = adapter
    content["inputs"]["readings"]["stream"] |= stream | {"advance": {"generate": {"every": 1}, "late": "drop"}}
    return RunSpec.model_validate_json(json.dumps(content))


def add(loop: Loop, wanted: RunSpec) -> None:
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes={"readings": ["0"]}, at_end="flush")
    )


def deliver(home: Path, steps: int) -> None:
    """A process that delivers, and is killed after so many steps."""
    now = 0

    def build() -> Any:
        return delivering_adapter("delta", TARGET.adapter.options, TARGET.identity, TARGET.fields, home / "files")

    source = DeliverySource("a", home / "results" / "a")
    delivery = Delivery(source, TARGET, build, lambda: now, random.Random(1))
    for _ in range(steps):
        delivery.step()
        assert delivery.observed.state != "failed", delivery.observed


def found(loop: Loop, binding: str) -> list[tuple[int, str]]:
    lines = committed_lines(loop.home / "results" / binding, "results")
    return sorted((line["start"], json.dumps(line["payload"], sort_keys=True)) for line in lines)


@pytest.mark.parametrize("stage", STAGES)
def test_killed_at_every_stage_the_reader_of_the_table_has_the_rows_of_who_wrote_it(tmp_path: Path, stage: str) -> None:
    (tmp_path / "files").mkdir()
    write_readings(tmp_path / "files" / "readings.jsonl", batches=12)
    lake = Lake(tmp_path)
    loop = Loop(tmp_path, rows_per_batch=7, partitions=2, files=str(tmp_path / "files"))
    add(loop, feeding())
    loop.batch()
    deliver(tmp_path, 1)  # makes the table
    add(loop, reading())
    killed = 0
    for turn in range(16):
        if loop.killed_at(stage):
            shared_journal.cache_clear()
            killed += 1
        loop.batch()
        deliver(tmp_path, turn % 3)
        if turn % 5 == 4:
            lake.compact()
    deliver(tmp_path, 9)
    loop.clock += 20_000_000
    loop.run()
    assert killed > 5
    given = found(loop, "a")
    assert len(given) > 20
    assert found(loop, "b") == given
