"""A binding over the changes of a table in a carrier: killed at every stage, it emits each life once, as intervals."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streaming.spark.query.control import AddBinding
from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire.messages import RunSpec
from streaming.wire.outgoing import OutgoingPolicy
from tests.adapters.postgresql.tables import SourceDatabase, source_database
from tests.adapters.postgresql_changes.changed import drop_slots, slots
from tests.postgresql import PostgreSQL
from tests.spark.loop import Loop
from tests.spark.specs import spec

STAGES = ["planned", "fed", "written", "published"]


@pytest.fixture
def source(postgresql: PostgreSQL) -> Iterator[SourceDatabase]:
    with source_database(postgresql, "carried_changes") as database:
        database.run("CREATE TABLE readings (id bigint PRIMARY KEY, device text, value bigint)")
        database.run("CREATE PUBLICATION punctual FOR TABLE readings")
        yield database
        drop_slots(database)


def over(source: SourceDatabase) -> RunSpec:
    """Return the lives of the rows of the table as intervals."""
    content = json.loads(spec("a", "none").model_dump_json())
    options = {name: value for name, value in source.options(table="readings").items() if name != "cursor"}
    content["inputs"]["readings"]["adapter"] = {"kind": "postgresql_changes", "options": options}
    content["inputs"]["readings"]["stream"] = {
        "shape": "edge",
        "fields": {"id": "long", "device": "string", "value": "long"},
    }
    content["query"]["nodes"] = [
        {"id": "readings", "kind": "input", "stream": "readings"},
        {"id": "lives", "kind": "to_intervals", "input": "readings"},
        {"id": "results", "kind": "output", "input": "lives"},
    ]
    return RunSpec.model_validate_json(json.dumps(content))


def test_a_kill_at_every_stage_emits_each_life_once(source: SourceDatabase, tmp_path: Path) -> None:
    policy = OutgoingPolicy(networks=("127.0.0.1/32",))
    loop = Loop(tmp_path, outgoing=policy.model_dump(), rows_per_batch=30, partitions=2)
    source.run("INSERT INTO readings SELECT n, 'd', 0 FROM generate_series(0, 19) n")
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=over(source), bucket_ids=[0], lanes={"readings": ["0"]}, at_end="flush")
    )
    expected: list[tuple[int, int]] = []
    rows = dict.fromkeys(range(20), 0)
    for number, stage in enumerate(STAGES, 1):
        loop.batch()
        with source.admin.transaction():
            source.run("UPDATE readings SET value = %s WHERE id %% 4 = %s", [number, number - 1])
            source.run("DELETE FROM readings WHERE id = %s", [number * 4])
        for key in list(rows):
            if key % 4 == number - 1 or key == number * 4:
                expected.append((key, rows[key]))
                rows[key] = number
        rows.pop(number * 4)
        loop.clock += 3_000_000
        assert loop.killed_at(stage)
        loop.batch()
    source.run("TRUNCATE readings")
    expected += list(rows.items())
    found: list[Any] = []
    for _ in range(30):
        loop.clock += 12_000_000
        loop.batch()
        found = list(committed_lines(loop.home / "results" / "a", "results"))
        if len(found) == len(expected):
            break
    assert sorted((line["payload"]["id"], line["payload"]["value"]) for line in found) == sorted(expected)
    assert all(line["start"] < line["end"] for line in found)
    assert len(slots(source)) == 1
