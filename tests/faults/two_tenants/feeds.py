"""Numbered rows that arrive by files, by pushes and by Kafka, and how many of them were acknowledged.

A feed sends the rows 0, 1, 2 ... in order and repeats a batch until it is acknowledged. Row `n` starts at tick `n`.
"""

import json
import threading
import uuid
from abc import abstractmethod
from pathlib import Path
from typing import Any, Final

import httpx
from confluent_kafka import KafkaError, Message, Producer

from tests.kafka_broker import KafkaBroker

ROWS_A_BATCH: Final = 20
EVERY_S: Final = 1.0
AGAIN_S: Final = 0.2


class NumberedFeed(threading.Thread):
    """`acknowledged`: the rows 0 up to it are safe with the receiver; `sent`: those that may have arrived."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.ended, self.acknowledged, self.sent = threading.Event(), 0, 0

    def run(self) -> None:
        while not self.ended.wait(EVERY_S):
            rows = [row(self.acknowledged + each) for each in range(ROWS_A_BATCH)]
            batch = uuid.uuid4().hex
            self.sent = self.acknowledged + len(rows)
            while not self.deliver(batch, rows):
                threading.Event().wait(AGAIN_S)
            self.acknowledged = self.sent

    def finish(self) -> None:
        """Return when the last row is acknowledged; none follows."""
        self.ended.set()
        self.join()

    @abstractmethod
    def deliver(self, batch: str, rows: list[dict[str, Any]]) -> bool:
        """Send `rows`, under the same id each time; return true once they are acknowledged."""

    @abstractmethod
    def poison(self, number: int) -> None:
        """Send rows that no reader can take, and rows of another shape."""


def row(number: int) -> dict[str, Any]:
    """Return row `number` as it is sent."""
    return {"at": number, "id": number, "note": f"row {number}"}


UNREADABLE: Final = (
    b'{"at": "yesterday", "id": -1}',
    b'{"at": 1, "id": "seven"}',
    b"not JSON",
    b'{"at": 1, "id": -1, "note": "\xff\xfe"}',
    b'{"at": 1e400, "id": -1}',
    b'{"at": 1, "id": ' + b"9" * 400 + b"}",
    b'{"at": 1, "id": -1, "note": {"deep": [1, 2]}}',
)


class FileFeed(NumberedFeed):
    """Files that appear whole in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        folder.mkdir(parents=True)

    def deliver(self, batch: str, rows: list[dict[str, Any]]) -> bool:
        return self._write(f"{rows[0]['id']:09}", "".join(f"{json.dumps(each)}\n" for each in rows).encode())

    def poison(self, number: int) -> None:
        while not self._write(f"poison-{number}", b"\n".join(UNREADABLE) + b"\n"):
            threading.Event().wait(AGAIN_S)

    def _write(self, name: str, content: bytes) -> bool:
        part = self._folder / f"{name}.jsonl.part"
        try:
            part.write_bytes(content)
        except OSError:
            part.unlink(missing_ok=True)
            return False
        part.replace(part.with_suffix(""))
        return True


class PushFeed(NumberedFeed):
    """Rows sent to the stream's address; `refused` counts the answers that were no acknowledgement, by status."""

    def __init__(self, address: str, token: str) -> None:
        super().__init__()
        self._address, self._token = address, token
        self.refused: dict[int, int] = {}

    def deliver(self, batch: str, rows: list[dict[str, Any]]) -> bool:
        return self._post(batch, "".join(f"{json.dumps(each)}\n" for each in rows).encode()) == 200

    def poison(self, number: int) -> None:
        for line, content in enumerate(UNREADABLE):
            while (status := self._post(f"poison-{number}-{line}", content + b"\n")) in {0, 429, 503, 507}:
                threading.Event().wait(AGAIN_S)
            assert status < 500, f"{status} for {content[:60]!r}"

    def _post(self, batch: str, body: bytes) -> int:
        """Return the status of the answer; 0 where there is none."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/x-ndjson"}
        try:
            answered = httpx.post(
                self._address, content=body, headers={**headers, "Idempotency-Key": batch}, timeout=20
            )
        except httpx.TransportError:
            return 0
        if answered.status_code != 200:
            self.refused[answered.status_code] = self.refused.get(answered.status_code, 0) + 1
        return answered.status_code


class KafkaFeed(NumberedFeed):
    """Messages that one idempotent producer sends, spread over the partitions."""

    def __init__(self, broker: KafkaBroker, topic: str, partitions: int) -> None:
        super().__init__()
        self._topic, self._partitions = topic, partitions
        self._producer = Producer(
            {
                "bootstrap.servers": broker.address,
                "enable.idempotence": True,
                "message.timeout.ms": 600_000,
                "reconnect.backoff.max.ms": 500,
                "log_level": 0,
            }
        )
        self._awaited: set[int] = set()
        self._batch = ""

    def deliver(self, batch: str, rows: list[dict[str, Any]]) -> bool:
        if batch != self._batch:  # the producer itself repeats what was not acknowledged
            self._batch, self._awaited = batch, {each["id"] for each in rows}
            for each in rows:
                self._produce(json.dumps(each).encode(), each["id"] % self._partitions, each["id"])
        self._producer.poll(AGAIN_S)
        return not self._awaited

    def poison(self, number: int) -> None:
        for each in (*UNREADABLE, None, b""):
            self._produce(each, 0, -1)

    def _produce(self, value: bytes | None, partition: int, number: int) -> None:
        def delivered(error: KafkaError | None, _: Message) -> None:
            assert error is None, error
            self._awaited.discard(number)

        self._producer.produce(self._topic, value, partition=partition, on_delivery=delivered)
