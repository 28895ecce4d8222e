"""Answers of a broker that has just started, with futures in place of a client's."""

from collections.abc import Mapping
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import OFFSET_INVALID, TopicPartition

from streaming.adapters.kafka.cluster import KafkaCluster
from streaming.adapters.kafka.connection_options import KafkaConnectionOptions
from streaming.adapters.network.fetching import Reach
from streaming.wire.outgoing import NOTHING


class StartingBroker:
    """Answers the first request without knowing the offset."""

    def __init__(self) -> None:
        self.offsets = [OFFSET_INVALID, 3]

    def list_offsets(self, specs: Mapping[TopicPartition, Any], **_: Any) -> Mapping[TopicPartition, "Future[Any]"]:
        answer: Future[Any] = Future()
        answer.set_result(SimpleNamespace(offset=self.offsets.pop(0)))
        return dict.fromkeys(specs, answer)

    def poll(self, _: float) -> None:
        """Report nothing."""


def test_an_offset_that_the_broker_does_not_know_yet_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = StartingBroker()
    cluster = KafkaCluster(KafkaConnectionOptions(brokers="b:1", topic="t", security="none"), Reach(NOTHING))

    def connected() -> StartingBroker:
        cluster._admin = broker
        return broker

    monkeypatch.setattr(cluster, "_connected", connected)
    assert cluster.latest([0]) == {0: 3}
    assert broker.offsets == []
