"""Delivers to a topic: rows and the number of their batch in one transaction."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.adapters.kafka.cluster import KafkaCluster, settings_refused
from streaming.adapters.kafka.diagnosis import explained, is_of_topic, is_refusal
from streaming.adapters.kafka.formats.registry import SchemaRegistry
from streaming.adapters.kafka.reaching import client_settings
from streaming.adapters.kafka_output.keys import ResultKeys
from streaming.adapters.kafka_output.messages import OutgoingMessage, messages_of
from streaming.adapters.kafka_output.numbers import PARTITION, DeliveryNumbers, require_rights
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.kafka_output.values import ResultValues
from streaming.adapters.network.fetching import Reach

ANSWER_S: Final = 30.0
LOOK_S: Final = 5.0
"""So long the brokers may take to say whether there is still a topic, once they did not take its results."""
NAME: Final = "punctual-{identity}"
"""Of transactions; and the key of the numbers of batches."""
CHECKED: Final = "punctual-check"
"""The transactional id of connection tests, one for all, so that they leave one behind."""
_PRODUCING: Final[Mapping[str, Any]] = {
    "partitioner": "murmur2_random",  # that of the Java client: a key goes where others send it
    "linger.ms": 5,
    "compression.type": "lz4",
    "transaction.timeout.ms": 60_000,
}


class KafkaOutput:
    """One output's rows in one topic; connects when it is asked for the first time."""

    def __init__(
        self,
        options: KafkaOutputOptions,
        identity: str,
        fields: Mapping[str, str],
        root: Path,  # noqa: ARG002  # nothing of it is in a folder
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
        self._values = None if options.format == "json" else ResultValues(options, fields, registry)

    def check(self) -> None:
        """Try all that the first delivery needs, and leave nothing behind but a transactional id that no one uses.

        Topic, rights in it, topic of numbers, transactions, schemas. Raises `AdapterError`, which names what failed.
        """
        cluster = KafkaCluster(self._options, self._reach)
        cluster.partitions()
        require_rights(cluster, self._options, ("WRITE",))
        DeliveryNumbers(self._options, self._reach).check()
        try:
            self._producer = self._begun(CHECKED)
        finally:
            self.close()
        self._keys.check()
        if self._values is not None:
            self._values.check()

    def delivered(self) -> int | None:
        """The number of the last batch in the topic. Raises `AdapterError`.

        Whoever delivered under the same identity before is fenced off, and what it had not committed is undone.
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
        with self._told():
            self._producer.begin_transaction()
            for batch in batches:
                for message in messages_of(batch, self._options, self._partitions, self._keys.written, written):
                    self._send(self._options.topic, message)
            number = OutgoingMessage(self._name.encode(), str(batches[-1].number).encode(), partition=PARTITION)
            self._send(self._options.numbers_topic, number)
            self._producer.commit_transaction(ANSWER_S)

    def close(self) -> None:
        """Let go of the connections; what is not committed is undone when the next one begins."""
        from confluent_kafka import KafkaException

        producer, self._producer = self._producer, None
        with suppress(KafkaException, RuntimeError):
            if producer is not None:
                producer.purge()

    def _open(self) -> None:
        """Connect, once every broker is known to be one that may be talked to, and begin anew under the identity."""
        if self._producer is not None:
            return
        self._partitions = KafkaCluster(self._options, self._reach).partitions().numbers
        DeliveryNumbers(self._options, self._reach).ready()
        self._producer = self._begun(self._name)

    def _begun(self, name: str) -> Any:
        """A producer under the transactional id `name`, which fences off whoever had it."""
        from confluent_kafka import KafkaException, Producer

        settings = {**client_settings(self._options), **_PRODUCING, "error_cb": self._errors.append}
        try:
            producer = Producer({**settings, "transactional.id": name})
        except KafkaException as raised:
            raise settings_refused(raised) from None
        with self._told():
            producer.init_transactions(ANSWER_S)
        return producer

    def _send(self, topic: str, message: OutgoingMessage) -> None:
        where = {} if message.partition is None else {"partition": message.partition}
        headers = dict(message.headers)
        while True:
            try:
                self._producer.produce(topic, value=message.value, key=message.key, headers=headers, **where)
                return
            except BufferError:  # as much waits as may: some of it has to leave first
                self._producer.poll(0.1)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what the client raises into an `AdapterError`, and undo what was begun."""
        from confluent_kafka import KafkaException

        try:
            yield
        except KafkaException as raised:
            error = raised.args[0]
            why = self._why(error)
            self.close()
            raise why from None
        except AdapterError:  # a row that its schema does not fit
            self.close()
            raise

    def _why(self, error: Any) -> AdapterError:
        from confluent_kafka import KafkaError

        if error.code() in {KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH}:
            return AdapterError("Another process delivers under the same identity now.", domain="external")
        if error.code() in {KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_RECORD}:
            return AdapterError(
                f"The topic '{self._options.topic}' refuses a row ({error.str()}). Let it take larger messages, or, "
                "where it is compacted, give the option `key` and no CTIs."
            )
        noted = tuple(self._errors)
        if is_of_topic(error) or any(map(is_refusal, noted)):
            return explained(error, noted, self._options, self._reach)
        missing = self._missing() if error.code() == KafkaError._TIMED_OUT else None
        return missing or AdapterError(
            f"The brokers {self._options.brokers} did not take the results ({error.str()}). It is tried again.",
            domain="external",
        )

    def _missing(self) -> AdapterError | None:
        """What the brokers say of the topic now: to the producer one that was deleted may just be silent."""
        try:
            KafkaCluster(self._options, self._reach, LOOK_S).partitions()
        except AdapterError as raised:
            return raised if raised.domain == "user" else None
        return None
