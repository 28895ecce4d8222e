"""The numbers of the last batches: a compacted topic next to the results, written in the same transactions.

Offsets of a consumer group don't work: they expire after some days without a batch, and the client hangs when it stores
them while a broker restarts (librdkafka 2.16).
"""

from collections.abc import Sequence
from time import sleep
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.cluster import KafkaCluster
from streaming.adapters.kafka.reading import PartitionReader
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.network.fetching import Reach

PARTITION: Final = 0
FIRST_LOOK: Final = 2_000
"""The number of messages searched from the end, doubled until the number is found."""
SETTLES_S: Final = 30.0
"""The longest wait for transactions of other processes."""
_LOOK_S: Final = 0.2
_CONFIG: Final = {"cleanup.policy": "compact", "segment.ms": "3600000", "min.cleanable.dirty.ratio": "0.1"}


class DeliveryNumbers:
    """The topic `numbers_topic` of `options`, created if it does not exist. Methods raise `AdapterError`."""

    def __init__(self, options: KafkaOutputOptions, reach: Reach) -> None:
        self._options = options.model_copy(update={"topic": options.numbers_topic})
        self._reach = reach
        self._cluster = KafkaCluster(self._options, reach)

    def ready(self) -> None:
        """Create the topic unless it exists."""
        self._cluster.make_topic(partitions=1, config=_CONFIG)

    def check(self) -> None:
        """Check that the topic can be created, or read and written, leaving nothing behind."""
        self._cluster.make_topic(partitions=1, config=_CONFIG, try_only=True)
        require_rights(self._cluster, self._options, ("READ", "WRITE"))

    def last(self, identity: str) -> int | None:
        """Return the number of the last batch committed under `identity`; None: no batch."""
        end = self._settled_end()
        low = self._cluster.earliest([PARTITION])[PARTITION]
        look = FIRST_LOOK
        while True:
            start = max(low, end - look)
            found = self._last_between(identity, start, end)
            if found is not None or start == low:
                return found
            look *= 2

    def _settled_end(self) -> int:
        """The end of the topic, once every earlier transaction has ended: ours may come after an open one."""
        end = self._cluster.latest([PARTITION], committed=False)[PARTITION]
        until = self._reach.clock() + SETTLES_S
        while self._cluster.latest([PARTITION])[PARTITION] < end:
            if self._reach.clock() > until:
                raise AdapterError(
                    f"A transaction is open in the topic '{self._options.topic}', so the last delivered batch can't be "
                    "determined. The transaction will end by timeout, and the delivery is retried.",
                    domain="external",
                )
            sleep(_LOOK_S)
        return end

    def _last_between(self, identity: str, start: int, end: int) -> int | None:
        if start >= end:
            return None
        reader = PartitionReader(self._options, self._reach, PARTITION, start)
        try:
            found = None
            for messages in reader.messages(end):
                for message in messages:
                    if message.key() == identity.encode():
                        found = message
            return None if found is None else _number(found)
        finally:
            reader.close()


def require_rights(cluster: KafkaCluster, options: KafkaOutputOptions, rights: Sequence[str]) -> None:
    """Refuse a topic unless we have all of `rights` on it. Raises `AdapterError`."""
    known = cluster.allowed()
    lacking = [] if known is None else [each for each in rights if each not in known]
    if lacking:
        who = f"user '{options.user}'" if options.user else "a client that does not sign in"
        raise AdapterError(
            f"In the topic '{options.topic}' {who} may not {' and not '.join(each.lower() for each in lacking)}. Ask "
            f"the cluster's administrator for {' and '.join(lacking)} on it, or choose another topic."
        )


def _number(message: Any) -> int:
    try:
        return int(message.value())
    except (TypeError, ValueError):
        raise AdapterError(
            f"The topic '{message.topic()}' contains something other than batch numbers. Choose another topic."
        ) from None
