"""Messages of one partition from any offset to any other, by consumers that are kept from one batch to the next."""

import atexit
import gc
import hashlib
import json
import os
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import methodcaller
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.cluster import settings_refused
from streaming.adapters.kafka.connection_options import KafkaConnectionOptions
from streaming.adapters.kafka.diagnosis import explained
from streaming.adapters.kafka.reaching import client_settings, require_first_allowed, require_named_allowed
from streaming.adapters.network.fetching import Reach

QUIET_S: Final = 20.0
"""So long nothing may come though something must: a broker may be starting again."""
AT_ONCE: Final = 10_000
MOST_KEPT: Final = 8
_LOOK_S: Final = 0.5
_ERROR: Final = methodcaller("error")
_FETCHING: Final[Mapping[str, Any]] = {
    "group.id": "punctual",  # never joined: the client wants a name
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "error",
    "isolation.level": "read_committed",
    # At its default of a second the client waits that long whenever its queue was full: 0.3 M messages/s.
    "fetch.queue.backoff.ms": 2,
    "fetch.wait.max.ms": 100,
    "queued.max.messages.kbytes": 32_768,
}


class OffsetsGone(Exception):
    """The broker has deleted messages that were to be read, from the offset `at` on."""

    def __init__(self, at: int) -> None:
        super().__init__(f"offset {at}")
        self.at = at


class PartitionReader:
    """A consumer that stands in one partition; the next message is that of `position` or a later one."""

    def __init__(self, options: KafkaConnectionOptions, reach: Reach, partition: int, position: int) -> None:
        from confluent_kafka import Consumer, KafkaException

        self._options = options
        self._reach = reach
        self._errors: deque[Any] = deque(maxlen=20)
        require_first_allowed(options, reach)
        try:
            self._consumer = Consumer({**client_settings(options), **_FETCHING, "error_cb": self._errors.append})
        except KafkaException as raised:
            raise settings_refused(raised) from None
        try:
            known = self._consumer.list_topics(options.topic, timeout=QUIET_S)
            require_named_allowed(known.brokers.values(), options, reach)
        except KafkaException as raised:
            self._consumer.poll(0)  # so that the client says what it has noted
            why = self._explained(raised.args[0])
            self.close()
            raise why from None
        except AdapterError:
            self.close()
            raise
        self._move_to(partition, position)

    def _move_to(self, partition: int, position: int) -> None:
        from confluent_kafka import TopicPartition

        self.partition = partition
        self.position = position
        self._waiting: list[Any] = []
        self._known_to = position
        self._consumer.assign([TopicPartition(self._options.topic, partition, position)])

    def turned_to(self, partition: int, position: int) -> "PartitionReader":
        """This reader, which stands there now."""
        if (self.partition, self.position) != (partition, position):
            self._move_to(partition, position)
        return self

    def messages(self, end: int) -> Iterator[list[Any]]:
        """The messages from `position` up to `end`, at most `AT_ONCE` at a time, none of an aborted transaction.

        The end is known by what comes behind it, or by the broker saying that the partition ends there: compaction,
        markers of transactions and what was aborted leave holes. Raises `OffsetsGone`, `AdapterError`.
        """
        clock = self._reach.clock
        since = clock()
        while self.position < end:
            found = self._taken(end)
            if found:
                since = clock()
                yield found
            elif self.position < end and not self._waiting:  # an end of the partition may stand before messages
                self._look(clock() - since)

    def lowest(self) -> int:
        """The offset of the first message that the partition has. Raises `AdapterError`."""
        from confluent_kafka import KafkaException, TopicPartition

        try:
            low, _ = self._consumer.get_watermark_offsets(
                TopicPartition(self._options.topic, self.partition), timeout=QUIET_S, cached=False
            )
        except KafkaException as raised:
            raise self._explained(raised.args[0]) from None
        return int(low)

    def close(self) -> None:
        """Let go of the connections."""
        self._consumer.close()

    def _taken(self, end: int) -> list[Any]:
        """What was received of the messages before `end`; `position` moves on."""
        waiting = self._waiting
        count = len(waiting)
        if waiting and (any(map(_ERROR, waiting)) or waiting[-1].offset() >= end):  # offsets ascend
            count = next((at for at, each in enumerate(waiting) if each.error() or each.offset() >= end), count)
        found, self._waiting = waiting[:count], waiting[count:]
        if found:
            self.position = found[-1].offset() + 1
        if self._waiting and self._waiting[0].error() is None:
            self.position = end
        elif self._waiting:
            self._heed(self._waiting.pop(0))
        if not self._waiting and self._known_to >= end:
            self.position = end
        return found

    def _look(self, quiet_s: float) -> None:
        first = self._consumer.poll(_LOOK_S)  # `consume` waits until it has all of them, or its time is over
        if first is not None:
            with _collector_resting():
                self._waiting = [first, *self._consumer.consume(AT_ONCE, 0)]
        if not self._waiting and quiet_s > QUIET_S:
            from confluent_kafka import KafkaError

            raise self._explained(self._errors[-1] if self._errors else KafkaError(KafkaError._TIMED_OUT))

    def _heed(self, event: Any) -> None:
        """Take what the client says of the partition in place of a message."""
        from confluent_kafka import KafkaError

        error = event.error()
        if error.code() == KafkaError._PARTITION_EOF:
            self._known_to = max(self._known_to, event.offset())
        elif error.code() in {KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE}:
            raise OffsetsGone(self.position)
        elif error.code() in {KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError._UNKNOWN_PARTITION}:
            raise self._explained(error)
        else:
            self._errors.append(error)  # it tries again by itself, until nothing has come for too long

    def _explained(self, error: Any) -> AdapterError:
        return explained(error, tuple(self._errors), self._options, self._reach)


@contextmanager
def _collector_resting() -> Iterator[None]:
    """Look for no garbage meanwhile: messages lie in no circles, and to look at each of millions is half of the work.

    Reading 600,000 takes 0.7 us of processor each, with the collector 1.5.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


_kept: dict[tuple[int, str], list[PartitionReader]] = {}
_lock = threading.Lock()


def messages_of(
    options: KafkaConnectionOptions, reach: Reach, partition: int, position: int, end: int
) -> Iterator[list[Any]]:
    """The messages `[position, end)` of `partition`, by a reader that is kept for the next batch."""
    key = (os.getpid(), _digest(options))
    reader = _reader(key, options, reach, partition, position)
    whole = False
    try:
        yield from reader.messages(end)
        whole = True
    finally:
        _put_back(key, reader) if whole else reader.close()


def lowest_of(options: KafkaConnectionOptions, reach: Reach, partition: int) -> int:
    """The offset of the first message of `partition`. Raises `AdapterError`."""
    reader = PartitionReader(options, reach, partition, 0)
    try:
        return reader.lowest()
    finally:
        reader.close()


def _reader(
    key: tuple[int, str], options: KafkaConnectionOptions, reach: Reach, partition: int, position: int
) -> PartitionReader:
    """One that stands there already, else one that may be turned to it, else a new one."""
    with _lock:
        kept = _kept.get(key, [])
        fitting = [each for each in kept if (each.partition, each.position) == (partition, position)]
        there = [*fitting, *(each for each in kept if each.partition == partition)]
        found = there[0] if there else kept[0] if len(kept) >= MOST_KEPT else None
        if found is not None:
            kept.remove(found)
    if found is None:
        return PartitionReader(options, reach, partition, position)
    return found.turned_to(partition, position)


def _put_back(key: tuple[int, str], reader: PartitionReader) -> None:
    with _lock:
        kept = _kept.setdefault(key, [])
        kept.append(reader)
        over = kept.pop(0) if len(kept) > MOST_KEPT else None
    if over is not None:
        over.close()


def _digest(options: KafkaConnectionOptions) -> str:
    """A digest of cluster, topic and who signs in: what readers may be shared by."""
    said = [*sorted(client_settings(options).items()), options.topic]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


@atexit.register
def close_readers() -> None:
    """Let go of all connections that are kept between reads."""
    for (process, _), kept in list(_kept.items()):
        while kept:
            reader = kept.pop()
            if process == os.getpid():
                reader.close()
