"""Errors of a connection test: name, connection, TLS, sign-in, topic or permission; without secrets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AclOperation, ResourceType

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka import cluster, reading
from streaming.adapters.preview import check
from streaming.adapters.registry import input_adapter
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from tests.adapters.kafka.rights import signed, without_right
from tests.adapters.kafka.topics import LOOPBACK, POINTS, row
from tests.https import authority
from tests.kafka_broker import PASSWORD, USER, KafkaBroker
from tests.ports import free_port

pytestmark = pytest.mark.kafka


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_S", 2.0)
    monkeypatch.setattr(reading, "QUIET_S", 2.0)


@pytest.fixture(scope="module")
def topic(kafka: KafkaBroker) -> str:
    name = kafka.topic()
    kafka.produce(name, [row(0)])
    return name


def outcome(options: dict[str, Any], policy: OutgoingPolicy = LOOPBACK) -> str:
    """The error of the connection test, "" if it passes."""
    try:
        check(input_adapter("kafka", options, POINTS, Path("/nowhere"), outgoing=policy), now=0)
    except AdapterError as error:
        return str(error).replace(PASSWORD, "leaked a secret")
    return ""


def test_a_connection_test_passes(kafka: KafkaBroker, topic: str) -> None:
    assert outcome(signed(kafka, topic)) == ""
    assert outcome({"brokers": kafka.address, "topic": topic, "security": "none"}) == ""


def test_an_unknown_name_and_a_forbidden_network_have_the_same_error(kafka: KafkaBroker, topic: str) -> None:
    unknown = outcome({"brokers": "nowhere.invalid:9092", "topic": topic})
    refused = outcome({"brokers": kafka.address, "topic": topic}, NOTHING)
    assert "its name is unknown, or its network or port is not allowed" in unknown
    assert unknown.replace("nowhere.invalid:9092", "X") == refused.replace(kafka.address, "X")


def test_without_tls_only_listed_networks_are_allowed(kafka: KafkaBroker, topic: str) -> None:
    public = OutgoingPolicy(public=True, ports=(9092,))
    assert "allowed without TLS" in outcome({"brokers": "8.8.8.8:9092", "topic": topic, "security": "none"}, public)


def test_nothing_listens_there(topic: str) -> None:
    address = f"127.0.0.1:{free_port()}"
    assert f"nothing listens at {address}" in outcome({"brokers": address, "topic": topic})


def test_the_certificate_is_not_trusted(kafka: KafkaBroker, topic: str) -> None:
    message = outcome(signed(kafka, topic, certificate_authority=None))
    assert "from an authority that is not trusted" in message


def test_encryption_on_one_side_only(kafka: KafkaBroker, topic: str) -> None:
    message = "accepts connections, but does not answer like a broker. Correct the address and encryption"
    assert message in outcome(signed(kafka, topic, brokers=kafka.address))
    assert message in outcome({"brokers": kafka.signed_address, "topic": topic, "security": "none"})


def test_a_wrong_password(kafka: KafkaBroker, topic: str) -> None:
    assert f"refuse the sign-in of '{USER}'" in outcome(signed(kafka, topic, password="wrong"))


def test_a_missing_topic_is_not_created(kafka: KafkaBroker) -> None:
    settings = {"brokers": kafka.address, "topic": "not-there", "security": "none"}
    assert "There is no topic 'not-there'" in outcome(settings)
    admin = kafka.admin
    assert "not-there" not in admin.list_topics(timeout=10).topics


@pytest.fixture
def closed(kafka: KafkaBroker) -> Iterator[str]:
    """A topic that only its owner may read."""
    name = kafka.topic()
    with without_right(kafka, ResourceType.TOPIC, name, [AclOperation.READ], [AclOperation.DESCRIBE]):
        kafka.produce(name, [row(0)])
        yield name


def test_a_topic_without_the_right_to_read(kafka: KafkaBroker, closed: str) -> None:
    assert f"The topic '{closed}' is not open to user '{USER}'" in outcome(signed(kafka, closed))


@pytest.mark.parametrize("broken", [False, True])
def test_a_key_that_lost_its_line_ends_in_a_form_is_used(tmp_path: Path, broken: bool) -> None:
    certificate, begin, rest = authority(tmp_path).chain.read_text().partition("-----BEGIN PRIVATE KEY-----")
    key = f"{begin}{rest}".replace("\n", "")
    settings = {"brokers": f"127.0.0.1:{free_port()}", "topic": "t", "client_certificate": certificate}
    message = outcome({**settings, "client_key": key.replace("MI", "XX") if broken else key})
    assert ("certificates or the key are invalid" if broken else "nothing listens") in message
