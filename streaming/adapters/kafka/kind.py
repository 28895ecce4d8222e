"""The kind `kafka`, as the registry knows it."""

from streaming.adapters.kafka.adapter import KafkaAdapter
from streaming.adapters.kafka.connection_options import ADDRESSES
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.kinds import ConnectingBuild, InputKind

KIND = InputKind(
    "kafka", "Kafka", KafkaOptions, ConnectingBuild(KafkaAdapter), sends_ctis=True, addresses=ADDRESSES, menu=2
)
