"""A binding over a table of PostgreSQL in a carrier: killed anywhere, it gives the rows of the reference."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streaming.definition.streams.stream import StreamDefinition
from streaming.reference import execution as reference
from streaming.spark.query.control import AddBinding
from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire.execution.case import Case, CaseRow, EndMode
from streaming.wire.execution.case_execution import run_case
from streaming.wire.messages import RunSpec
from streaming.wire.outgoing import OutgoingPolicy
from tests.adapters.postgresql.tables import SourceDatabase, source_database
from tests.postgresql import PostgreSQL
from tests.spark.loop import Loop
from tests.spark.specs import spec

ADD = "INSERT INTO readings (at, device, value) VALUES (%s, %s, %s)"
STAGES = ["planned", "fed", "written", "published"]


@pytest.fixture
def source(postgresql: PostgreSQL) -> Iterator[SourceDatabase]:
    with source_database(postgresql, "carried") as database:
        database.run("CREATE TABLE readings (id bigserial PRIMARY KEY, at bigint, device text, value bigint)")
        yield database


def over(source: SourceDatabase) -> RunSpec:
    """Return the count and sum of `spec`, for the rows of the table."""
    content = json.loads(spec("a", "none").model_dump_json())
    options = source.options(table="readings")
    content["inputs"]["readings"]["adapter"] = {"kind": "postgresql", "options": options}
    content["inputs"]["readings"]["stream"] |= {"event_time": {"start": {"column": "at", "unit": "us"}}}
    return RunSpec.model_validate_json(json.dumps(content))


def readings(numbers: range) -> list[tuple[int, str, int]]:
    """Return readings of two devices, every fifth late."""
    return [(number * 3 - (40 if number % 5 == 4 else 0) + 100, f"d{number % 2}", number) for number in numbers]


def expected(wanted: RunSpec, rows: list[tuple[int, str, int]]) -> list[tuple[int, str]]:
    """Return the reference results for these rows."""
    stream = wanted.inputs["readings"].stream.model_dump(mode="json") | {"event_time": None}
    case_rows: list[dict[str, Any]] = [
        {"start": at, "payload": {"device": device, "value": value}} for at, device, value in rows
    ]
    case = Case(
        "postgresql",
        wanted.query,
        {"readings": StreamDefinition.model_validate_json(json.dumps(stream))},
        tuple(CaseRow("readings", "0", 0, row) for row in case_rows),
        EndMode.NONE,
    )
    result = run_case(reference.execute, case)
    assert result.failure is None
    return sorted((event.start, json.dumps(event.payload)) for event in result.events)


def test_kills_at_every_stage_while_transactions_overtake_each_other(source: SourceDatabase, tmp_path: Path) -> None:
    policy = OutgoingPolicy(networks=("127.0.0.1/32",))
    loop = Loop(tmp_path, outgoing=policy.model_dump(), rows_per_batch=30, partitions=2)
    wanted = over(source)
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes={"readings": ["0"]}, at_end="flush")
    )
    rows = readings(range(200))
    for number, stage in enumerate(STAGES):
        with source.connected() as slow:
            mine = rows[number * 50 : number * 50 + 50]
            slow.cursor().executemany(ADD, mine[:10])
            source.admin.cursor().executemany(ADD, mine[10:])
            loop.batch()
            slow.commit()
        loop.clock += 2_000_000  # so that the table is polled again
        assert loop.killed_at(stage)
        source.run("UPDATE readings SET value = -1 WHERE id <= 5")
        source.run("DELETE FROM readings WHERE id BETWEEN 6 AND 9")
        loop.batch()
        loop.clock += 2_000_000
        loop.batch()
    for _ in range(8):
        loop.clock += 2_000_000
        loop.batch()
    found = committed_lines(loop.home / "results" / "a", "results")
    assert sorted((line["start"], json.dumps(line["payload"])) for line in found) == expected(wanted, rows)
