"""The kind `kafka` of outputs, as the registry knows it."""

from collections.abc import Mapping, Sequence
from typing import Any

from streaming.adapters.kafka.schema_options import SCHEMA_ADDRESSES
from streaming.adapters.kafka_output.adapter import KafkaOutput
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.kinds import OutputKind


def _compacted_by(options: Mapping[str, Any]) -> Sequence[str]:
    """A compacted topic keeps the newest message of a key; one that says the time too is that of one window."""
    key: Sequence[str] = options.get("key", ())
    return () if {"start", "end"} & set(key) else key


KIND = OutputKind(
    "kafka",
    "Kafka",
    KafkaOutputOptions,
    deliver=KafkaOutput,
    addresses=SCHEMA_ADDRESSES,
    menu=2,
    latest_by=_compacted_by,
)
