"""The registry entry of the output kind `kafka`."""

from collections.abc import Mapping, Sequence
from typing import Any

from streaming.adapters.kafka.schema_options import SCHEMA_ADDRESSES
from streaming.adapters.kafka_output.adapter import KafkaOutput
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.kinds import OutputKind


def _compacted_by(options: Mapping[str, Any]) -> Sequence[str]:
    """Return the key fields if a compacted topic keeps only the newest row of each key.

    Empty if the key contains a time: then each window has its own key.
    """
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
