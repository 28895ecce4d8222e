"""Errors of an output's connection test: topic, rights, transactions, schemas; it leaves nothing behind."""

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AclOperation, ResourceType

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka import cluster
from streaming.adapters.kafka_output import adapter as output
from streaming.adapters.registry import delivering_adapter
from tests.adapters.kafka.formats.registry_server import PASSWORD as REGISTRY_PASSWORD
from tests.adapters.kafka.formats.registry_server import USER as REGISTRY_USER
from tests.adapters.kafka.formats.registry_server import running_registry
from tests.adapters.kafka.formats.test_registry import authority_text
from tests.adapters.kafka.rights import CLUSTER, signed, without_right
from tests.adapters.kafka.topics import LOOPBACK
from tests.adapters.kafka_output.test_delivering import FIELDS, batch
from tests.kafka_broker import PASSWORD, USER, KafkaBroker
from tests.ports import free_port

pytestmark = pytest.mark.kafka


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_S", 5.0)
    monkeypatch.setattr(output, "ANSWER_S", 5.0)


@pytest.fixture
def topic(kafka: KafkaBroker) -> str:
    return kafka.topic()


def outcome(options: dict[str, Any], *, delivers: bool = False) -> str:
    """The error of the connection test, or with `delivers` of the first delivery; "" if it passes."""
    made: Any = delivering_adapter("kafka", options, f"id-{options['topic']}", FIELDS, Path("/nowhere"), LOOPBACK)
    try:
        made.deliver([batch(1)]) if delivers else made.check()
    except AdapterError as error:
        return f"{error.domain}: {error}".replace(PASSWORD, "leaked a secret").replace(
            REGISTRY_PASSWORD, "leaked a secret"
        )
    finally:
        made.close()
    return ""


def test_a_check_passes_and_leaves_nothing_behind(kafka: KafkaBroker, topic: str) -> None:
    numbers = f"numbers-{topic}"
    assert outcome(signed(kafka, topic, numbers_topic=numbers)) == ""
    assert numbers not in kafka.admin.list_topics(timeout=10).topics
    assert outcome(signed(kafka, topic, numbers_topic=numbers), delivers=True) == ""
    assert outcome(signed(kafka, topic, numbers_topic=numbers)) == ""


def test_sign_in_and_topic_are_named(kafka: KafkaBroker, topic: str) -> None:
    assert f"refuse the sign-in of '{USER}'" in outcome(signed(kafka, topic, password="wrong"))
    assert "There is no topic 'not-there'" in outcome(signed(kafka, "not-there"))


@pytest.mark.parametrize("delivers", [False, True])
def test_a_topic_without_the_right_to_write(kafka: KafkaBroker, topic: str, delivers: bool) -> None:
    with without_right(kafka, ResourceType.TOPIC, topic, [AclOperation.WRITE], [AclOperation.DESCRIBE]):
        message = outcome(signed(kafka, topic), delivers=delivers)
    closed = f"user: The topic '{topic}' is not open to user '{USER}'"
    assert (closed if delivers else f"user: In the topic '{topic}' user '{USER}' may not write") in message


def test_a_topic_of_numbers_without_the_right_to_create_or_read(kafka: KafkaBroker, topic: str) -> None:
    numbers, describe = f"numbers-{topic}", [AclOperation.DESCRIBE]
    options = signed(kafka, topic, numbers_topic=numbers)
    with (
        without_right(kafka, ResourceType.BROKER, CLUSTER, [AclOperation.CREATE], describe),
        without_right(kafka, ResourceType.TOPIC, numbers, [AclOperation.CREATE], describe),
    ):
        assert f"user: The topic '{numbers}' is not open to user '{USER}'" in outcome(options)
    kafka.topic(name=numbers)
    with without_right(kafka, ResourceType.TOPIC, numbers, [AclOperation.READ], describe):
        assert f"user: In the topic '{numbers}' user '{USER}' may not read" in outcome(options)


def test_transactions_that_are_not_open_to_the_user(kafka: KafkaBroker, topic: str) -> None:
    identity = ResourceType.TRANSACTIONAL_ID
    with without_right(kafka, identity, output.CHECKED, [AclOperation.WRITE], [AclOperation.DESCRIBE]):
        assert f"Transactions are not open to user '{USER}'" in outcome(signed(kafka, topic))


def test_a_registry_that_is_down_or_refuses_the_user(kafka: KafkaBroker, topic: str, tmp_path: Path) -> None:
    schemas = {"key": ["k"], "key_format": "avro", "schema_from": "registry"}
    away = f"http://127.0.0.1:{free_port()}"
    assert f"external: Nothing answers at the registry {away}" in outcome(
        signed(kafka, topic, **schemas, registry=away)
    )
    with running_registry(tmp_path, signs_in=True) as registry:
        access = {"registry": registry.address, "registry_user": REGISTRY_USER, "registry_password": REGISTRY_PASSWORD}
        trusted = {**schemas, **access, "registry_certificate_authority": authority_text(tmp_path)}
        assert outcome(signed(kafka, topic, **trusted)) == ""
        assert not registry.subjects, "a connection test registers nothing"
        refused = outcome(signed(kafka, topic, **{**trusted, "registry_password": "wrong"}))
        assert f"answers 401: it refuses user '{REGISTRY_USER}'" in refused
