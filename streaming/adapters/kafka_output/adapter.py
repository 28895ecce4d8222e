"""Delivers to a topic: rows and their batch number in one transaction."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.adapters.kafka.cluster import KafkaCluster, settings_refused
from streaming.adapters.kafka.diagnosis import explained, is_of_topic, is_refusal
from streaming.adapters.kafka.formats.registry import SchemaRegistry
from streaming.adapters.kafka.relay import BrokerRelay
from streaming.adapters.kafka_output.keys import ResultKeys
from streaming.adapters.kafka_output.messages import OutgoingMessage, messages_of
from streaming.adapters.kafka_output.numbers import PARTITION, DeliveryNumbers, require_rights
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.kafka_output.values import ResultValues
from streaming.adapters.network.fetching import Reach

ANSWER_S: Final = 30.0
LOOK_S: Final = 5.0
"""The time for the brokers to report if the topic still exists, after they did not accept its results."""
NAME: Final = "punctual-{identity}"
"""The name of transactions, and the key of batch numbers."""
CHECKED: Final = "punctual-check"
"""The transactional id of connection tests, shared by all of them, so that only one remains."""
_PRODUCING: Final[Mapping[str, Any]] = {
    "partitioner": "murmur2_random",  # that of the Java client: a key goes to the same partition as from other programs
    "linger.ms": 5,
    "compression.type": "lz4",
    "transaction.timeout.ms": 60_000,
}


class KafkaOutput:
    """One output's rows in one topic; connects on first use."""

    def __init__(
        self,
        options: KafkaOutputOptions,
        identity: str,
        fields: Mapping[str, str],
        root: Path,  # noqa: ARG002  # uses no folder
        reach: Reach,
    ) -> None:
        registry = SchemaRegistry(options, reach) if options.schema_from == "registry" else None
        self._keys = ResultKeys(options, fields, registry)
        self._options = options
        self._name = NAME.format(identity=identity)
        self._reach = reach
        self._partitions: tuple[int, ...] = ()
        self._errors: deque[Any] = deque(maxlen=20)
        self._producer: Any = None
        self._relay: BrokerRelay | None = None
        self._values = None if options.format == "json" else ResultValues(options, fields, registry)

    def check(self) -> None:
        """Try everything that the first delivery needs, leaving behind only an unused transactional id.

        Checks the topic, the rights in it, the topic of numbers, transactions and schemas. Raises `AdapterError`, which
        names what failed.
        """
        cluster = KafkaCluster(self._options, self._reach)
        cluster.partitions()
        require_rights(cluster, self._options, ("WRITE",))
        DeliveryNumbers(self._options, self._reach).check()
        try:
            self._producer = self._start_producer(CHECKED)
        finally:
            self.close()
        self._keys.check()
        if self._values is not None:
            self._values.check()

    def delivered(self) -> int | None:
        """Return the number of the last batch in the topic. Raises `AdapterError`.

        Fences off an earlier process with the same identity, and aborts its open transaction.
        """
        self._open()
        return DeliveryNumbers(self._options, self._reach).last(self._name)

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        """Send the rows of all batches in one transaction, with the number of the last. Raises `AdapterError`."""
        self._open()
        written = None
        self._keys.ready()  # before the transaction: a registry may be slow
        if self._values is not None:
            self._values.ready()
            written = self._values.written
        with self._reporting_errors():
            self._producer.begin_transaction()
            for batch in batches:
                for message in messages_of(batch, self._options, self._partitions, self._keys.written, written):
                    self._send(self._options.topic, message)
            number = OutgoingMessage(self._name.encode(), str(batches[-1].number).encode(), partition=PARTITION)
            self._send(self._options.numbers_topic, number)
            self._producer.commit_transaction(ANSWER_S)

    def close(self) -> None:
        """Close the connections; an open transaction is aborted when the next one begins."""
        from confluent_kafka import KafkaException

        producer, self._producer = self._producer, None
        with suppress(KafkaException, RuntimeError):
            if producer is not None:
                producer.purge()
        relay, self._relay = self._relay, None
        if relay is not None:
            relay.close()

    def _open(self) -> None:
        """Check that every broker is allowed, connect, and start a producer under the identity."""
        if self._producer is not None:
            return
        self._partitions = KafkaCluster(self._options, self._reach).partitions().numbers
        DeliveryNumbers(self._options, self._reach).ready()
        self._producer = self._start_producer(self._name)

    def _start_producer(self, name: str) -> Any:
        """Start a producer with the transactional id `name`, which fences off an earlier one."""
        from confluent_kafka import KafkaException, Producer

        self._relay = self._relay or BrokerRelay(self._options, self._reach, self._errors)
        settings = {**self._relay.settings(), **_PRODUCING, "error_cb": self._errors.append}
        try:
            producer = Producer({**settings, "transactional.id": name})
        except KafkaException as raised:
            raise settings_refused(raised) from None
        with self._reporting_errors():
            producer.init_transactions(ANSWER_S)
        return producer

    def _send(self, topic: str, message: OutgoingMessage) -> None:
        where = {} if message.partition is None else {"partition": message.partition}
        headers = dict(message.headers)
        while True:
            try:
                self._producer.produce(topic, value=message.value, key=message.key, headers=headers, **where)
                return
            except BufferError:  # the queue is full: wait until some of it is sent
                self._producer.poll(0.1)

    @contextmanager
    def _reporting_errors(self) -> Iterator[None]:
        """Convert the client's exceptions to `AdapterError`, and abort the transaction."""
        from confluent_kafka import KafkaException

        try:
            yield
        except KafkaException as raised:
            error = raised.args[0]
            why = self._why(error)
            self.close()
            raise why from None
        except AdapterError:  # a row that does not fit its schema
            self.close()
            raise

    def _why(self, error: Any) -> AdapterError:
        from confluent_kafka import KafkaError

        if error.code() in {KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH}:
            return AdapterError("Another process now delivers under the same identity.", domain="external")
        if error.code() in {KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_RECORD}:
            return AdapterError(
                f"The topic '{self._options.topic}' refuses a row ({error.str()}). Allow larger messages in the topic. "
                "If it is compacted, set the option `key` and send no CTIs."
            )
        noted = tuple(self._errors)
        if is_of_topic(error) or any(map(is_refusal, noted)):
            return explained(error, noted, self._options, self._reach)
        missing = self._missing() if error.code() == KafkaError._TIMED_OUT else None
        return missing or AdapterError(
            f"The brokers {self._options.brokers} did not accept the results ({error.str()}). The delivery is retried.",
            domain="external",
        )

    def _missing(self) -> AdapterError | None:
        """Return the brokers' current error for the topic: a producer may get no answer for a deleted topic."""
        try:
            KafkaCluster(self._options, self._reach, LOOK_S).partitions()
        except AdapterError as raised:
            return raised if raised.domain == "user" else None
        return None
