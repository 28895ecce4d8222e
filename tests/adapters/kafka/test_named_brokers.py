"""A broker that directs clients to an internal address: nothing connects there, and the message has the address.
`Inside` listens on a loopback address that the policy does not allow, and counts connections.
"""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.adapters.kafka import cluster, reading
from streaming.adapters.network.own_connections import is_own
from streaming.adapters.preview import check
from streaming.adapters.registry import delivering_adapter, input_adapter
from streaming.wire.outgoing import OutgoingPolicy
from tests.adapters.kafka.rights import signed
from tests.adapters.kafka.topics import POINTS, row
from tests.kafka_broker import KafkaBroker, running_kafka

pytestmark = pytest.mark.kafka

ONE = OutgoingPolicy(public=False, networks=("127.0.0.1/32",))
"""The address itself; 127.0.0.77 is on the same machine, and not allowed."""


class Inside:
    """A server at a forbidden address."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.77", 0), backlog=200)
        self._listening.setblocking(False)
        self.address = "{}:{}".format(*self._listening.getsockname())

    def connections(self) -> int:
        count = 0
        with suppress(BlockingIOError):
            while True:
                self._listening.accept()[0].close()
                count += 1
        return count

    def close(self) -> None:
        self._listening.close()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_S", 5.0)
    monkeypatch.setattr(reading, "QUIET_S", 5.0)


@pytest.fixture(scope="module")
def inside() -> Iterator[Inside]:
    made = Inside()
    yield made
    made.close()


@pytest.fixture(scope="module")
def broker(inside: Inside) -> Iterator[KafkaBroker]:
    """A broker with topics, whose listeners both advertise `inside`."""
    with running_kafka() as made:
        made.topic(name="readings")
        made.topic(name="results")
        made.topic(name="punctual-deliveries")
        made.produce("readings", [row(0), row(1)])
        made.kill()
        made.advertise(inside.address, inside.address)
        made.start()
        yield made


def _plain(broker: KafkaBroker, topic: str) -> dict[str, Any]:
    return {"brokers": broker.address, "topic": topic, "security": "none"}


def _signed(broker: KafkaBroker, topic: str) -> dict[str, Any]:
    return signed(broker, topic)


def _tested(options: dict[str, Any]) -> None:
    check(input_adapter("kafka", options, POINTS, Path("/nowhere"), outgoing=ONE), now=0)


def _read(options: dict[str, Any]) -> None:
    source = input_adapter("kafka", options, POINTS, Path("/nowhere"), outgoing=ONE)
    for _ in source.read("0", 0, 2):
        raise AssertionError("a row was read")


def _delivered(options: dict[str, Any]) -> None:
    rows = [{"output": "out", "start": 0, "end": 1, "payload": {"n": 1}}]
    adapter = delivering_adapter("kafka", options, "one", {"n": "long"}, Path("/nowhere"), ONE)
    try:
        adapter.delivered()  # type: ignore[union-attr]
        adapter.deliver([DeliveryBatch(1, rows, None)])  # type: ignore[union-attr]
    finally:
        adapter.close()


@pytest.mark.parametrize("by", [_plain, _signed])
@pytest.mark.parametrize(("does", "topic"), [(_tested, "readings"), (_read, "readings"), (_delivered, "results")])
def test_a_broker_cannot_direct_connections_against_the_policy(
    broker: KafkaBroker,
    inside: Inside,
    by: Callable[[KafkaBroker, str], dict[str, Any]],
    does: Callable[[dict[str, Any]], None],
    topic: str,
) -> None:
    inside.connections()
    with pytest.raises(AdapterError) as refused:
        does(by(broker, topic))
    assert inside.connections() == 0
    assert inside.address in str(refused.value)
    assert "PUNCTUAL_OUTGOING_NETWORKS" in str(refused.value)
    assert refused.value.domain == "external"


def test_a_certificate_counts_only_for_the_name_of_the_broker(kafka: KafkaBroker) -> None:
    kafka.topic(name="named")
    elsewhere = signed(kafka, "named", brokers=kafka.signed_address.replace("127.0.0.1", "127.0.0.2"))
    policy = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))
    with pytest.raises(AdapterError):
        check(input_adapter("kafka", elsewhere, POINTS, Path("/nowhere"), outgoing=policy), now=0)
    check(input_adapter("kafka", signed(kafka, "named"), POINTS, Path("/nowhere"), outgoing=policy), now=0)


def test_a_port_serves_only_connections_of_this_process() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        here = listening.getsockname()
        with socket.create_connection(here) as ours:
            listening.accept()[0].close()
            assert is_own(ours.getsockname(), here)
    with _listening_process() as port, socket.create_connection(("127.0.0.1", port)) as theirs:
        assert not is_own(theirs.getpeername(), theirs.getsockname()), "its other end belongs to another process"


@contextmanager
def _listening_process() -> Iterator[int]:
    """Another process that listens, and its port."""
    code = "import socket, sys; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True)"
    command = [sys.executable, "-c", f"{code}; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
