"""The kind `kafka`, as the registry knows it."""

from streaming.adapters.kafka.adapter import KafkaAdapter
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.kafka.schema_options import SCHEMA_ADDRESSES
from streaming.adapters.kinds import ConnectingBuild, InputKind

KIND = InputKind(
    "kafka",
    "Kafka",
    KafkaOptions,
    ConnectingBuild(KafkaAdapter),
    sends_ctis=True,
    addresses=SCHEMA_ADDRESSES,
    menu=2,
    thins=True,
)
