"""A partition of changes without a broker: written envelopes, and the elements that are read from them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streaming.adapters.kafka.debezium.adapter import DebeziumAdapter
from streaming.adapters.kafka.debezium.lane import ChangeLane
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.network.fetching import Reach
from streaming.adapters.row_lifetimes.decoding import decoder_of
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape
from streaming.wire.outgoing import NOTHING
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element
from tests.adapters.kafka.fake_message import CREATED, FakeMessage
from tests.adapters.postgresql_changes.changed import lives_of

CARS = StreamDefinition(shape=Shape.EDGE, fields={"id": "long", "car": "string"})
SECOND = 1_000_000


def options_of(**options: Any) -> KafkaOptions:
    settings = {"brokers": "b:9092", "topic": "p.public.seen", "envelope": "debezium", **options}
    return KafkaOptions.model_validate(settings)


@dataclass
class WrittenTopic:
    """Messages of one partition for the table `seen`, as the connector for PostgreSQL writes them without schemas.

    A transaction is (number, time in s); its changes are at positions that ascend from `lsn`.
    """

    messages: list[FakeMessage] = field(default_factory=list)
    committed: int = 0
    lsn: int = 100

    def put(self, key: Any, value: Any, *, at_ms: int = 0, headers: Sequence[tuple[str, bytes]] = ()) -> None:
        written = [None if each is None else json.dumps(each).encode() for each in (key, value)]
        offset = len(self.messages)
        self.messages.append(FakeMessage(written[1], offset, written[0], (CREATED, at_ms), headers))

    def source(self, transaction: tuple[int, int], **more: Any) -> dict[str, Any]:
        number, time = transaction
        sequence = json.dumps([str(self.committed), str(self.lsn)])
        known = {"connector": "postgresql", "ts_us": time * SECOND, "txId": number, "lsn": self.lsn}
        return {**known, "sequence": sequence, "snapshot": "false", **more}

    def change(self, operation: str, row: int, car: str | None, transaction: tuple[int, int], **more: Any) -> None:
        """Write a change of the row with the id `row`."""
        after = None if operation == "d" else {"id": row, "car": car}
        headers = more.pop("headers", ())
        value = {"op": operation, "before": None, "after": after, "source": self.source(transaction, **more)}
        self.put({"id": row}, value, headers=headers)
        self.lsn += 1
        if operation == "d":
            self.put({"id": row}, None)

    def commit(self) -> None:
        """End the transaction: later ones are committed after it."""
        self.committed = self.lsn

    def snapshot(self, time: int, **rows: str) -> None:
        """Write rows that the connector reads from the table, for example r1="a"."""
        marks = ["first", *["true"] * (len(rows) - 2), "last"] if len(rows) > 1 else ["last"]
        for (name, car), mark in zip(rows.items(), marks, strict=True):
            self.change("r", int(name[1:]), car, (0, time), snapshot=mark)

    def repeat(self, begin: int, end: int) -> None:
        """Write the messages `[begin, end)` again, as a connector that restarts does."""
        for each in self.messages[begin:end]:
            again = FakeMessage(each.content, len(self.messages), each.named, each.stamp, each.header_list)
            self.messages.append(again)


@dataclass
class ReadLane:
    """Reads a partition into `folder`, by a process that may restart."""

    folder: Path | None = None
    stream: StreamDefinition = CARS
    options: KafkaOptions = field(default_factory=options_of)
    alone: bool = True

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        adapter = DebeziumAdapter(self.options, self.stream, Path("/nowhere"), None, Reach(NOTHING))
        self.reader = adapter.reader
        self.lane = ChangeLane("0", self.folder, self.reader, self.options.settle_s * SECOND)

    def take(self, messages: Sequence[FakeMessage], now: int = 0) -> None:
        """Read those of `messages` that were not read yet, at `now` (s)."""
        begin = self.lane.offset(alone=self.alone)
        part = [each for each in messages if each.at >= begin]
        end = messages[-1].at + 1 if messages else begin
        self.lane.take([part] if part else [], end, now * SECOND, alone=self.alone)

    def elements(self) -> list[Element]:
        """All that is stored."""
        adapter = DebeziumAdapter(self.options, self.stream, Path("/nowhere"), None, Reach(NOTHING))
        chunks = decoder_of(self.stream, adapter).chunks(self.lane.pages, 0, self.lane.end) if self.lane.end else ()
        return [element for chunk in chunks for element in elements(chunk)]

    def texts(self) -> list[str]:
        """The stored lines."""
        pages = self.lane.pages.between(0, self.lane.end)
        return [line for page in pages for line in page.lines.decode().split("\n")[: page.rows]]


def lives(topic: WrittenTopic, **settings: Any) -> list[tuple[int, int | None, Any]]:
    """Start and end in s (None: open), and the car with its id, of each lifetime in `topic`."""
    lane = ReadLane(**settings)
    lane.take(topic.messages)
    lane.take(topic.messages, 1_000)
    return seconds(lane.elements())


def seconds(found: Sequence[Element]) -> list[tuple[int, int | None, Any]]:
    """Lifetimes with times in s."""
    lives = [
        (start // SECOND, None if end is None else end // SECOND, f"{row['id']}{row['car']}")
        for start, end, row in lives_of(found)
    ]
    return sorted(lives, key=lambda life: (life[0], life[1] is None, life))
