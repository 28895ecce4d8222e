"""Rights of a user in a real broker, restricted for as long as a test needs it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)

from tests.kafka_broker import PASSWORD, USER, KafkaBroker

CLUSTER = "kafka-cluster"


def signed(kafka: KafkaBroker, topic: str, **changes: Any) -> dict[str, Any]:
    """The options of a user who signs in, over TLS."""
    base = {"brokers": kafka.signed_address, "topic": topic, "certificate_authority": kafka.certificate}
    return {**base, "sign_in": "plain", "user": USER, "password": PASSWORD, **changes}


@contextmanager
def without_right(
    kafka: KafkaBroker, kind: ResourceType, name: str, denied: Sequence[AclOperation], allowed: Sequence[AclOperation]
) -> Iterator[None]:
    """Deny USER all of `denied` on `name`, and grant `allowed`."""

    def rule(operation: AclOperation, permission: AclPermissionType) -> AclBinding:
        literal = ResourcePatternType.LITERAL
        return AclBinding(kind, name, literal, f"User:{USER}", "*", operation, permission)

    rules = [
        *(rule(each, AclPermissionType.DENY) for each in denied),
        *(rule(each, AclPermissionType.ALLOW) for each in allowed),
    ]
    admin = kafka.admin
    for made in admin.create_acls(rules).values():
        made.result()
    try:
        yield
    finally:
        every = AclBindingFilter(
            kind, name, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY
        )
        for gone in admin.delete_acls([every]).values():
            gone.result()
