"""A takeover while results go to Kafka, PostgreSQL and a binding: each row arrives once, though killed."""

import json
from math import inf
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from streaming.adapters.entry_journal import shared_journal
from streaming.adapters.registry import delivering_adapter
from streaming.definition.streams.stream import AdapterChoice
from streaming.delivery.delivery import Build, Delivery, DeliverySource
from streaming.resume.changeover import held_folder
from streaming.spark.query.binding import journals_of
from streaming.spark.query.control import AddBinding, StopBinding
from streaming.temporal.ticks import parse_instant
from streaming.wire.deliveries import DeliveryTarget
from streaming.wire.messages import RunSpec
from tests.adapters.kafka.topics import LOOPBACK
from tests.adapters.kafka_output.test_delivering import seen
from tests.kafka_broker import KafkaBroker
from tests.postgresql import PostgreSQL
from tests.spark.loop import Loop
from tests.spark.planning.test_changeover import VERSIONS, changed
from tests.spark.sink.test_composed import FIRST, SECOND
from tests.spark.specs import write_readings
from tests.spark.test_loop import STAGES, rows

pytestmark = [pytest.mark.kafka, pytest.mark.thorough]
FIELDS = {"device": "string", "n": "long", "total": "long"}
BATCHES = 8


class Delivered:
    """Deliveries of the results of `FIRST` to targets; they only know what the disk and the target contain."""

    def __init__(self, loop: Loop, targets: dict[str, dict[str, Any]]) -> None:
        self.loop, self.targets, self.now = loop, targets, 0
        self.identity = uuid4().hex
        self.deliveries: list[Delivery] = []
        self.begin()

    def begin(self) -> None:
        """Start a new process, as after a kill."""
        for each in self.deliveries:
            each.close()
        folder = self.loop.home / "results" / FIRST
        source = DeliverySource(FIRST, folder)
        targets = [self._target(kind, options) for kind, options in self.targets.items()]
        self.deliveries = [Delivery(source, target, build, lambda: self.now) for target, build in targets]

    def step(self) -> None:
        for each in self.deliveries:
            each.step()
        self.now += 1_000_000

    def settle(self) -> None:
        """Step until all rows have arrived."""
        for each in self.deliveries:
            for _ in range(200):
                wait_s = each.step()
                if wait_s == inf or (wait_s and each.observed.state == "current"):
                    break
                self.now += int(wait_s * 1_000_000) + 1
            assert each.observed.state == "current", each.observed
            each.close()

    def _target(self, kind: str, options: dict[str, Any]) -> tuple[DeliveryTarget, Build]:
        identity = f"{kind}-{self.identity}"
        choice = AdapterChoice(kind=kind, options=options)
        return (
            DeliveryTarget(identity=identity, node="out", fields=FIELDS, adapter=choice, revision=1),
            lambda _columns: delivering_adapter(kind, options, identity, FIELDS, Path("/nowhere"), LOOPBACK),
        )


def first(changes: dict[str, dict[str, Any]], run: str, **more: Any) -> RunSpec:
    """Return a version of the binding whose results are delivered."""
    return changed(changes, binding=FIRST, run=run, results=f"results/{FIRST}", **more)


def reader() -> RunSpec:
    """Return a binding that emits each result of `FIRST` unchanged."""
    content = json.loads(first({}, "reader-1").model_dump_json())
    nodes = content["query"]["nodes"]
    content["query"]["nodes"] = [nodes[0], {**nodes[1], "where": "true"}, {**nodes[3], "input": "some"}]
    stream = {"shape": "interval", "fields": FIELDS, "advance": {"late": "drop"}}
    adapter = {"kind": "binding", "options": {"binding": FIRST, "output": "out"}}
    content["inputs"] = {"readings": {"stream": stream, "adapter": adapter}}
    return RunSpec.model_validate_json(json.dumps({**content, "binding": SECOND, "results": f"results/{SECOND}"}))


def add(loop: Loop, wanted: RunSpec) -> None:
    before = loop.carrier.control.last_added(FIRST) if wanted.beside else None
    journals = "" if before is None else journals_of(loop.carrier, before.spec)
    loop.carrier.control.append(
        AddBinding(
            kind="add",
            tick=0,
            spec=wanted,
            bucket_ids=[0],
            lanes={"readings": ["0"]},
            at_end="flush",
            journals=journals,
        )
    )


@pytest.fixture
def targets(kafka: KafkaBroker, postgresql: PostgreSQL) -> dict[str, dict[str, Any]]:
    server = conninfo_to_dict(postgresql.url)
    table = {"host": server["host"], "port": int(str(server["port"])), "database": server["dbname"]}
    table |= {"user": server["user"], "table": f"taken_{uuid4().hex}", "mode": "append", "tls": "off"}
    return {"kafka": {"brokers": kafka.address, "topic": kafka.topic(), "security": "none"}, "postgresql": table}


def in_kafka(kafka: KafkaBroker, options: dict[str, Any]) -> list[str]:
    found = (value for _, value, _ in seen(kafka, options["topic"]))
    return sorted(
        format_row({**each, **{name: parse_instant(each[name]) for name in ("start", "end")}}) for each in found
    )


def in_postgresql(postgresql: PostgreSQL, options: dict[str, Any]) -> list[str]:
    def ticks(column: str) -> sql.Composed:
        return sql.SQL("(extract(epoch FROM {}) * 1000000)::bigint").format(sql.Identifier(column))

    columns = [ticks("window_start"), ticks("window_end"), *map(sql.Identifier, FIELDS)]
    ask = sql.SQL("SELECT {} FROM {}").format(sql.SQL(", ").join(columns), sql.Identifier(options["table"]))
    with psycopg.connect(postgresql.url) as connection:
        return sorted(
            format_row({"start": start, "end": end, "payload": dict(zip(FIELDS, payload, strict=True))})
            for start, end, *payload in connection.execute(ask)
        )


def format_row(row: dict[str, Any]) -> str:
    return json.dumps([row["start"], row["end"], {name: row["payload"][name] for name in FIELDS}])


def read_results(loop: Loop, binding: str) -> list[str]:
    return sorted(format_row(json.loads(each)) for each in rows(loop, binding)[0])


@pytest.mark.parametrize("version", ["another filter", "larger windows"])
@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_takeover_repeats_and_loses_no_row_at_any_target(
    tmp_path: Path,
    kafka: KafkaBroker,
    postgresql: PostgreSQL,
    targets: dict[str, dict[str, Any]],
    stage: str,
    version: str,
) -> None:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    changes = VERSIONS[version]
    loop = Loop(tmp_path)
    add(loop, first({}, "a-1"))
    add(loop, reader())
    delivered = Delivered(loop, targets)
    for _ in range(3):
        loop.batch()
        delivered.step()
    add(loop, first(changes, "a-c", beside=True).model_copy(update={"results": held_folder(FIRST, "a-c")}))
    loop.batch()
    delivered.step()
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding=FIRST, flush=False))
    add(loop, first(changes, "a-2", takes_over="a-c"))
    for _ in range(3):  # the stop, the takeover, and the batch after it
        killed = loop.killed_at(stage)
        shared_journal.cache_clear()
        delivered.begin()
        delivered.step()
        if killed:
            loop.batch()
    loop.run()
    delivered.settle()
    results = read_results(loop, FIRST)
    assert len(set(results)) == len(results) > 5
    assert in_kafka(kafka, targets["kafka"]) == results
    assert in_postgresql(postgresql, targets["postgresql"]) == results
    assert read_results(loop, SECOND) == results
    assert not rows(loop, SECOND)[1], "no row was late for the reader"
