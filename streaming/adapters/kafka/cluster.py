"""A cluster's information on a topic: its partitions, and the ends of each."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLong
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.connection_options import KafkaConnectionOptions
from streaming.adapters.kafka.diagnosis import explained, is_of_topic, is_refusal
from streaming.adapters.kafka.reaching import require_first_allowed, require_named_allowed
from streaming.adapters.kafka.relay import BrokerRelay
from streaming.adapters.network.fetching import Reach

ANSWER_S: Final = 15.0
"""The longest time for a request, including the client's own retries: a broker may be restarting."""

_LOOK_S: Final = 0.1


@dataclass(frozen=True)
class KafkaPartitions:
    """The numbers of a topic's partitions; `topic` is its id, which changes when it is deleted and created again."""

    topic: str
    numbers: tuple[int, ...]


class KafkaCluster:
    """Sends requests to the brokers of `options` within `reach`. Every method raises `AdapterError` with what to do."""

    def __init__(self, options: KafkaConnectionOptions, reach: Reach, answer_s: float | None = None) -> None:
        self._options = options
        self._reach = reach
        self._answer_s = ANSWER_S if answer_s is None else answer_s
        self._admin: Any = None
        self._relay: BrokerRelay | None = None
        self._errors: deque[Any] = deque(maxlen=20)

    def partitions(self) -> KafkaPartitions:
        """The partitions of the topic, after checking that every broker of the cluster is allowed."""
        from confluent_kafka import TopicCollection

        self._answers(lambda admin: {"": admin.describe_cluster(request_timeout=self._answer_s)})
        try:
            require_named_allowed(self._relay_to().named, self._options, self._reach)
        except AdapterError:
            self.close()
            raise
        name = self._options.topic
        asked = TopicCollection([name])
        found = self._answers(lambda admin: admin.describe_topics(asked, request_timeout=self._answer_s))[name]
        return KafkaPartitions(str(found.topic_id), tuple(sorted(each.id for each in found.partitions)))

    def earliest(self, partitions: Iterable[int]) -> Mapping[int, int]:
        """The offset of the first message in each partition."""
        from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]

        return self._offsets(dict.fromkeys(partitions, OffsetSpec.earliest()))  # type: ignore[no-untyped-call]

    def allowed(self) -> frozenset[str] | None:
        """Our rights on the topic, for example WRITE; None if the brokers don't report them, or the topic doesn't
        exist.
        """
        from confluent_kafka import KafkaError, KafkaException, TopicCollection

        name = self._options.topic
        asked = TopicCollection([name])
        how = {"include_authorized_operations": True, "request_timeout": self._answer_s}
        expected = {KafkaError.UNKNOWN_TOPIC_OR_PART}
        try:
            found = self._answers(lambda admin: admin.describe_topics(asked, **how), expected)[name]
        except KafkaException:
            return None
        return frozenset(each.name for each in found.authorized_operations or ()) or None

    def make_topic(self, partitions: int, config: Mapping[str, str], *, try_only: bool = False) -> None:
        """Create the topic unless it exists; `try_only`: only check if we may."""
        from confluent_kafka import KafkaError, KafkaException, TopicCollection
        from confluent_kafka.admin import NewTopic  # type: ignore[attr-defined]

        topic = self._options.topic
        named, made = TopicCollection([topic]), NewTopic(topic, partitions, config=dict(config))
        wait = {"request_timeout": self._answer_s}
        make = {**wait, "validate_only": try_only}
        try:
            self._answers(lambda admin: admin.describe_topics(named, **wait), {KafkaError.UNKNOWN_TOPIC_OR_PART})
        except KafkaException:
            with suppress(KafkaException):  # another process was faster
                self._answers(lambda admin: admin.create_topics([made], **make), {KafkaError.TOPIC_ALREADY_EXISTS})

    def latest(self, partitions: Iterable[int], *, committed: bool = True) -> Mapping[int, int]:
        """The offset after the last message of each partition.

        `committed`: after the last message whose transaction has ended.
        """
        from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]

        ends = dict.fromkeys(partitions, OffsetSpec.latest())  # type: ignore[no-untyped-call]
        return self._offsets(ends, committed=committed)

    def at_time(self, partitions: Sequence[int], milliseconds: int) -> Mapping[int, int]:
        """The offset of the first message of each partition that is not older; as `latest` if there is no such
        message.
        """
        from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]

        found = self._offsets({partition: OffsetSpec.for_timestamp(milliseconds) for partition in partitions})
        ends = self.latest(partitions)
        return {partition: offset if offset >= 0 else ends[partition] for partition, offset in found.items()}

    def _offsets(self, wanted: Mapping[int, Any], *, committed: bool = True) -> Mapping[int, int]:
        from confluent_kafka import IsolationLevel, TopicPartition

        if not wanted:
            return {}
        specs = {TopicPartition(self._options.topic, partition): spec for partition, spec in wanted.items()}
        level = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
        how = {"isolation_level": level, "request_timeout": self._answer_s}
        found = self._answers(lambda admin: admin.list_offsets(specs, **how))
        return {at.partition: answer.offset for at, answer in found.items()}

    def _connected(self) -> Any:
        if self._admin is None:
            require_first_allowed(self._options, self._reach)
            self._admin = _made(self._relay_to().settings(), self._errors)
        return self._admin

    def _relay_to(self) -> BrokerRelay:
        if self._relay is None:
            self._relay = BrokerRelay(self._options, self._reach, self._errors)
        return self._relay

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        self._admin, relay, self._relay = None, self._relay, None
        if relay is not None:
            relay.close()

    def _answers(
        self, ask: Callable[[Any], Mapping[Any, "Future[Any]"]], expected: Collection[int] = ()
    ) -> Mapping[Any, Any]:
        """Collect the answers to the requests of `ask`, which are repeated while nobody answers.

        An error with a code in `expected` is raised as the client's `KafkaException`.

        Each attempt uses a new client: a client that remembers the leaders from before a broker's restart would keep
        failing (FENCED_LEADER_EPOCH).
        """
        from confluent_kafka import KafkaException

        until = self._reach.clock() + self._answer_s
        while True:
            try:
                return {name: self._answer(future, until) for name, future in ask(self._connected()).items()}
            except KafkaException as raised:
                error = raised.args[0]
                if error.code() in expected:
                    raise
                self._admin.poll(_LOOK_S)  # otherwise the client does not report its errors
                final = is_of_topic(error) or any(map(is_refusal, self._errors))
                if final or self._reach.clock() > until:
                    noted = tuple(self._errors)
                    self._errors.clear()
                    raise explained(error, noted, self._options, self._reach) from None
                self._admin = None

    def _answer(self, future: "Future[Any]", until: float) -> Any:
        """Wait for the answer. Raises `KafkaException`, also if none arrives in time or none can arrive.

        A broker that has just started may answer without knowing an offset: then its partition has no leader yet.
        """
        from confluent_kafka import OFFSET_INVALID, KafkaError, KafkaException

        while True:
            try:
                found = future.result(_LOOK_S)
                if getattr(found, "offset", None) == OFFSET_INVALID:
                    raise KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE))
                return found
            except TooLong:
                self._admin.poll(0)
                if self._reach.clock() > until + 1 or any(map(is_refusal, self._errors)):
                    raise KafkaException(KafkaError(KafkaError._TIMED_OUT)) from None


def _made(settings: dict[str, Any], errors: "deque[Any]") -> Any:
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient

    try:
        settings["error_cb"] = errors.append
        return AdminClient(settings)
    except KafkaException as raised:
        raise settings_refused(raised) from None


def settings_refused(raised: Exception) -> AdapterError:
    """The error if the client does not accept its settings: with our settings the certificates are the cause."""
    error = raised.args[0]
    return AdapterError(f"The certificates or the key are invalid ({error.str()}). Enter them again as PEM text.")
