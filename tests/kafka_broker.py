"""A real Kafka broker for tests: one KRaft node on the loopback address, which can be killed and started again."""

import signal
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from deploy.prepare.kafka_broker import JARS
from deploy.up.place import HOST
from tests.https import authority
from tests.ports import free_port

USER: Final = "alice"
PASSWORD: Final = "planted-kafka-password"
_JAVA: Final = ("java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{JARS}/*")
_STARTS_S: Final = 180
_ASKS_VERSIONS: Final = struct.pack(">ihhih", 10, 18, 0, 1, -1)
"""A request for the versions of the API: its size, key, version and number, and no name of a client."""
PROPERTIES: Final = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{host}:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://{host}:{port},SASL_SSL://{host}:{signed},CONTROLLER://{host}:{controller}
advertised.listeners=PLAINTEXT://{advertised},SASL_SSL://{advertised_signed}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
log.dirs={folder}/logs
num.network.threads=2
num.io.threads=4
auto.create.topics.enable=false
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
log.cleaner.backoff.ms=100
log.retention.ms=-1
broker.session.timeout.ms=1000
broker.heartbeat.interval.ms=200
log.message.timestamp.after.max.ms=9223372036854775807
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
allow.everyone.if.no.acl.found=true
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
    user_{user}="{password}";
listener.name.sasl_ssl.ssl.keystore.type=PEM
listener.name.sasl_ssl.ssl.keystore.location={folder}/keystore.pem
"""


@dataclass
class KafkaBroker:
    """A broker with its data in `folder`. `address` is without TLS, `signed_address` requires TLS and a password."""

    folder: Path
    port: int = field(default_factory=free_port)
    signed_port: int = field(default_factory=free_port)
    controller_port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    advertises_itself: bool = True

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def signed_address(self) -> str:
        return f"{HOST}:{self.signed_port}"

    @property
    def admin(self) -> AdminClient:
        return AdminClient({"bootstrap.servers": self.address, "log_level": 0})

    def format(self) -> None:
        """Create the empty storage of a new cluster."""
        if not JARS.is_dir():
            raise FileNotFoundError(f"The Kafka broker is missing in {JARS}: run make prepare-tests.")
        self.advertise(self.address, self.signed_address)
        authority(self.folder).chain.rename(self.folder / "keystore.pem")
        make = [*_JAVA, "kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qg"]
        subprocess.run([*make, "-c", str(self._properties)], check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def advertise(self, plain: str, signed: str) -> None:
        """Advertise these addresses to clients, from the next start on."""
        named = {"controller": self.controller_port, "port": self.port, "signed": self.signed_port}
        addresses = {"advertised": plain, "advertised_signed": signed}
        self.advertises_itself = (plain, signed) == (self.address, self.signed_address)
        values = {**named, **addresses, "host": HOST, "folder": self.folder, "user": USER, "password": PASSWORD}
        self._properties.write_text(PROPERTIES.format(**values), encoding="utf-8")

    def start(self) -> None:
        """Start it and return when it answers."""
        self.launch()
        self.await_answer()

    def launch(self) -> None:
        """Start it."""
        with (self.folder / "broker.log").open("ab") as log:
            command = [*_JAVA, "kafka.Kafka", str(self._properties)]
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)

    def await_answer(self) -> None:
        """Return when it answers."""
        assert self.process is not None
        until = time.monotonic() + _STARTS_S
        while True:
            try:
                if self.advertises_itself:
                    self.admin.list_topics(timeout=5)
                else:
                    self._send_one_request()
                return
            except (KafkaException, OSError):
                with suppress(subprocess.TimeoutExpired):
                    self.process.wait(0.1)
                if self.process.poll() is not None or time.monotonic() > until:
                    log = (self.folder / "broker.log").read_text(errors="replace")[-2000:]
                    raise RuntimeError(f"The Kafka broker did not start: {log}") from None

    def _send_one_request(self) -> None:
        """Raise `OSError` without an answer; a client would turn to the advertised address with its next request."""
        host, _, port = self.address.partition(":")
        with socket.create_connection((host, int(port)), timeout=5) as asking:
            asking.sendall(_ASKS_VERSIONS)
            if not asking.recv(4):
                raise ConnectionError("no answer")

    def kill(self) -> None:
        """End it with SIGKILL, like a machine that loses its power."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pause the broker while its connections stay open, like a machine that hangs."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)
            self.await_answer()

    def delete(self, topic: str) -> None:
        """Delete `topic`."""
        admin = self.admin
        admin.delete_topics([topic])[topic].result()

    def forget(self, topic: str, before: int, partition: int = 0) -> None:
        """Delete the messages of a partition before an offset, as retention does."""
        admin, place = self.admin, TopicPartition(topic, partition, before)
        admin.delete_records([place])[place].result()

    def topic(self, partitions: int = 1, config: Mapping[str, str] | None = None, name: str | None = None) -> str:
        """Create an empty topic and return its name, by default a new one."""
        name = name or f"t-{uuid4().hex[:12]}"
        admin = self.admin
        admin.create_topics([NewTopic(name, partitions, 1, config=dict(config or {}))])[name].result()
        self._await(name, partitions)
        return name

    def grow(self, topic: str, partitions: int) -> None:
        """Give `topic` more partitions, `partitions` in all."""
        admin = self.admin
        admin.create_partitions([NewPartitions(topic, partitions)])[topic].result()
        self._await(topic, partitions)

    def _await(self, topic: str, partitions: int) -> None:
        """Return when the broker knows the partitions: it answers before that."""
        admin = self.admin
        until = time.monotonic() + _STARTS_S
        while (known := admin.list_topics(timeout=10).topics.get(topic)) is None or len(known.partitions) != partitions:
            assert time.monotonic() < until, f"the broker does not learn of {topic}"

    def produce(self, topic: str, values: Sequence[Any], partition: int = 0, **settings: Any) -> None:
        """Send `values` (bytes, text or None), or mappings of what `Producer.produce` takes, in their order."""
        faults: list[KafkaError] = []
        producer = Producer({"bootstrap.servers": self.address, "max.in.flight": 1, "log_level": 0, **settings})
        for value in values:
            message = value if isinstance(value, Mapping) else {"value": value}
            while True:
                try:
                    producer.produce(
                        topic, partition=partition, on_delivery=lambda error, _: faults.append(error), **message
                    )
                    break
                except BufferError:
                    producer.poll(0.1)
        assert producer.flush(30) == 0
        assert not any(faults), faults

    @property
    def certificate(self) -> str:
        """Return the certificate of the authority that signed the broker's, as PEM."""
        begin = "-----BEGIN PRIVATE KEY-----"
        return (self.folder / "keystore.pem").read_text(encoding="ascii").partition(begin)[0]

    @property
    def _properties(self) -> Path:
        return self.folder / "server.properties"


@contextmanager
def running_kafka() -> Iterator[KafkaBroker]:
    """Start a broker with its data in a folder of its own; kill it and remove the folder at the end."""
    with tempfile.TemporaryDirectory(prefix="punctual-kafka-", ignore_cleanup_errors=True) as made:
        broker = KafkaBroker(Path(made))
        broker.format()
        broker.start()
        try:
            yield broker
        finally:
            broker.kill()
