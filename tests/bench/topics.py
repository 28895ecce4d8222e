"""The batches of a work in topics of a real broker, each in a transaction: Punctual reads it when that ends.

All messages are written first, so that only reading happens while Punctual is measured. The last transaction has one
message in each partition and never ends: markers of the others follow it, where no offset counts them.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import fastavro
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from streaming.adapters.formats.protobuf.declarations import compiled
from streaming.wire.messages import RunSpec
from tests.bench.data import Source
from tests.bench.works import Work

ANSWER_S: Final = 60.0
SETTINGS: Final[Mapping[str, Any]] = {
    "transaction.timeout.ms": 900_000,
    "linger.ms": 50,
    "batch.size": 1_000_000,
    "log_level": 0,
}
_AVRO: Final = {"string": "string", "double": "double", "long": "long"}
_PROTOBUF: Final = {"string": "string", "double": "double", "long": "int64"}
_Encode = Callable[[bytes], bytes]


def avro_text(source: Source) -> str:
    """Return the schema of a row; its time is in microseconds."""
    moment = {"name": "ts", "type": {"type": "long", "logicalType": "timestamp-micros"}}
    fields = [moment, *({"name": name, "type": _AVRO[of]} for name, of in source.fields.items())]
    return json.dumps({"type": "record", "name": "Row", "fields": fields})


def protobuf_text(source: Source) -> str:
    """Return the message type of a row; its time is a Timestamp."""
    fields = [f"{_PROTOBUF[of]} {name} = {number};" for number, (name, of) in enumerate(source.fields.items(), 2)]
    return (
        'syntax = "proto3"; import "google/protobuf/timestamp.proto"; '
        f"message Row {{ google.protobuf.Timestamp ts = 1; {' '.join(fields)} }}"
    )


def reading_topics(work: Work, brokers: str) -> RunSpec:
    """Return Punctual's run of `work`, from the topics."""
    content = work.spec().model_dump(mode="json")
    for name, source in work.sources.items():
        options = {"brokers": brokers, "topic": name, "security": "none", "format": work.message}
        if work.message != "json":
            options["schema_text"] = avro_text(source) if work.message == "avro" else protobuf_text(source)
        content["inputs"][name]["adapter"] = {"kind": "kafka", "options": options}
    return RunSpec.model_validate(content)


class TransactedBatches:
    """Topics named as the sources of `work`, with the lines of the files in `data` as messages; a lane is a partition.

    `release` ends the transaction of a batch.
    """

    def __init__(self, work: Work, data: Path, brokers: str) -> None:
        self._work, self._data, self._brokers = work, data, brokers
        admin = AdminClient({"bootstrap.servers": brokers, "log_level": 0})
        topics = [NewTopic(name, source.lanes, 1) for name, source in work.sources.items()]
        for made in admin.create_topics(topics).values():
            made.result(ANSWER_S)
        self._open = [self._written(number) for number in range(len(work.batches))]
        self._never_ends = self._producer("never-ends")
        for name, source in work.sources.items():
            for lane in range(source.lanes):
                self._never_ends.produce(name, value=b"{}", partition=lane)
        self._never_ends.flush(ANSWER_S)

    def release(self, number: int) -> None:
        """Commit batch `number`, so that it may be read."""
        self._open[number].commit_transaction(ANSWER_S)

    def _producer(self, name: str) -> Producer:
        producer = Producer({"bootstrap.servers": self._brokers, "transactional.id": name, **SETTINGS})
        producer.init_transactions(ANSWER_S)
        producer.begin_transaction()
        return producer

    def _written(self, number: int) -> Producer:
        producer = self._producer(f"batch-{number}")
        for name, source in self._work.sources.items():
            encode = encoder(source, self._work.message or "json")
            for lane in range(source.lanes):
                for line in lines_of(source.file(self._data / name, number, lane)):
                    _send(producer, name, lane, encode(line))
        producer.flush(ANSWER_S)
        return producer


def lines_of(file: Path) -> Iterator[bytes]:
    """Yield the lines of a file without line ends."""
    with file.open("rb") as lines:
        for line in lines:
            yield line.rstrip(b"\n")


def encoder(source: Source, message: str) -> _Encode:
    """Return a function that makes a message of a line of JSON."""
    if message == "avro":
        return _avro_encoder(source)
    return _protobuf_encoder(source) if message == "protobuf" else lambda line: line


def _avro_encoder(source: Source) -> _Encode:
    schema = fastavro.parse_schema(json.loads(avro_text(source)))

    def encode(line: bytes) -> bytes:
        row, into = json.loads(line), BytesIO()
        fastavro.schemaless_writer(into, schema, {**row, "ts": datetime.fromisoformat(row["ts"])})
        return into.getvalue()

    return encode


def _protobuf_encoder(source: Source) -> _Encode:
    from google.protobuf.message_factory import GetMessageClass

    kind = GetMessageClass(compiled(protobuf_text(source), ()).message(None))

    def encode(line: bytes) -> bytes:
        row = json.loads(line)
        made = kind(**{**row, "ts": None})
        made.ts.FromJsonString(row["ts"])  # type: ignore[attr-defined]
        return bytes(made.SerializeToString())

    return encode


def _send(producer: Producer, topic: str, lane: int, value: bytes) -> None:
    while True:
        try:
            producer.produce(topic, value=value, partition=lane)
            return
        except BufferError:
            producer.poll(0.1)
