"""Topics with chosen messages, adapters over them, and all rows that an adapter reads."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import Producer

from streaming.adapters.contract import InputAdapter, Position
from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.temporal.events import Event
from streaming.wire.outgoing import OutgoingPolicy
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element
from tests.kafka_broker import KafkaBroker

LOOPBACK = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))
POINTS = StreamDefinition(
    fields={"k": "string", "v": "long"}, event_time=EventTime(start=TimeColumn(column="ts", unit="us"))
)
Row = tuple[str, int, Element, str]
"""Lane, position, element, original text."""


def adapter(
    broker: KafkaBroker,
    topic: str,
    journal: Path | None = None,
    stream: StreamDefinition = POINTS,
    **options: Any,
) -> InputAdapter:
    """The adapter of `topic`, without TLS."""
    settings = {"brokers": broker.address, "topic": topic, "security": "none", **options}
    return input_adapter("kafka", settings, stream, Path("/nowhere"), journal, LOOPBACK)


def rows_of(source: InputAdapter, lane: str, start: Position, end: Position) -> list[Row]:
    """The rows of a span."""
    found: list[Row] = []
    for arrived in source.read(lane, start, end):
        count = len(arrived.kind)
        raws, positions = arrived.raw(range(count)), arrived.positions.tolist()
        found += [(lane, *each) for each in zip(positions, elements(arrived), raws, strict=True)]
    return found


def everything(
    source: InputAdapter, *, rows: int = 1_000_000, start: Mapping[str, Position] | None = None
) -> list[Row]:
    """All rows from `start` on, lane by lane."""
    begin = start or {}
    reached = source.latest(begin, now=0, limit_rows=rows)
    return [row for lane, end in reached.items() for row in rows_of(source, lane, begin.get(lane, 0), end)]


def values(rows: Sequence[Row]) -> list[int]:
    """The field `v` of the events among `rows`."""
    return [element.payload["v"] for _, _, element, _ in rows if isinstance(element, Event)]


def row(number: int) -> bytes:
    """A message for `POINTS`."""
    return json.dumps({"ts": number, "k": f"k{number % 3}", "v": number}).encode()


@contextmanager
def transaction(broker: KafkaBroker, name: str) -> Iterator[Producer]:
    """A producer within a transaction, which commits at the end unless it was aborted."""
    producer = Producer({"bootstrap.servers": broker.address, "transactional.id": name, "log_level": 0})
    producer.init_transactions(30)
    producer.begin_transaction()
    yield producer
    producer.commit_transaction(30)


def aborted(broker: KafkaBroker, topic: str, numbers: Sequence[int], partition: int = 0) -> None:
    """Produce the rows `numbers` in a transaction that is aborted."""
    producer = Producer({"bootstrap.servers": broker.address, "transactional.id": f"abort-{topic}", "log_level": 0})
    producer.init_transactions(30)
    producer.begin_transaction()
    for number in numbers:
        producer.produce(topic, row(number), partition=partition)
    producer.flush(30)
    producer.abort_transaction(30)
