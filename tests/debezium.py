"""A real Debezium for tests: Kafka Connect in its standalone form, with one connector, which can be killed."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Consumer, Message, TopicPartition

from deploy.prepare.kafka_broker import DEBEZIUM_JARS
from tests.kafka_broker import KafkaBroker
from tests.ports import free_port

_JAVA: Final = ("java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{DEBEZIUM_JARS}/*")
_WAITS_S: Final = 240
_CONVERTER: Final = "org.apache.kafka.connect.json.JsonConverter"


@dataclass
class Debezium:
    """One connector with `settings`. Every `flush_ms` it stores its position in `folder`, and resumes from there."""

    folder: Path
    broker: KafkaBroker
    settings: Mapping[str, Any]
    schemas: bool = True
    flush_ms: int = 500
    process: subprocess.Popen[bytes] | None = field(default=None)

    def start(self) -> None:
        """Start the connector; it reads from its stored position on."""
        schemas = str(self.schemas).lower()
        worker = {
            "bootstrap.servers": self.broker.address,
            "listeners": f"http://127.0.0.1:{free_port()}",
            "key.converter": _CONVERTER,
            "value.converter": _CONVERTER,
            "key.converter.schemas.enable": schemas,
            "value.converter.schemas.enable": schemas,
            "offset.storage.file.filename": self.folder / "offsets",
            "offset.flush.interval.ms": self.flush_ms,
            "topic.creation.enable": "true",
        }
        connector = {
            "tasks.max": 1,
            "topic.creation.default.replication.factor": 1,
            "topic.creation.default.partitions": 1,
            "poll.interval.ms": 50,
            **self.settings,
        }
        command = [*_JAVA, "org.apache.kafka.connect.cli.ConnectStandalone"]
        for name, values in (("worker", worker), ("connector", connector)):
            path = self.folder / f"{name}.properties"
            path.write_text("".join(f"{key}={value}\n" for key, value in values.items()), encoding="utf-8")
            command.append(str(path))
        with (self.folder / "connect.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)

    def kill(self) -> None:
        """End it with SIGKILL: positions that it has not stored yet are lost, so it sends these changes again."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End it as its administrator would: it stores its position before."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(60)

    def await_messages(self, topic: str, reached: Callable[[Sequence[Message]], bool]) -> Sequence[Message]:
        """Return the messages of `topic`, which has one partition, as soon as they have `reached` what is awaited."""
        found: list[Message] = []
        consumer = Consumer({"bootstrap.servers": self.broker.address, "group.id": "none", "log_level": 0})
        consumer.assign([TopicPartition(topic, 0, 0)])
        until = time.monotonic() + _WAITS_S
        try:
            while not reached(found):
                message = consumer.poll(1)
                if message is not None and message.error() is None:
                    found.append(message)
                assert time.monotonic() < until, (self.folder / "connect.log").read_text(errors="replace")[-3000:]
        finally:
            consumer.close()
        return found


@contextmanager
def running_debezium(
    folder: Path, broker: KafkaBroker, settings: Mapping[str, Any], *, schemas: bool = True
) -> Iterator[Debezium]:
    """Start a connector with its files in `folder`; kill it at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    connector = Debezium(folder, broker, settings, schemas)
    connector.start()
    try:
        yield connector
    finally:
        connector.kill()
