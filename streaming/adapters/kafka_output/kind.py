"""The kind `kafka` of outputs, as the registry knows it."""

from streaming.adapters.kafka.schema_options import SCHEMA_ADDRESSES
from streaming.adapters.kafka_output.adapter import KafkaOutput
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.kinds import OutputKind

KIND = OutputKind("kafka", "Kafka", KafkaOutputOptions, deliver=KafkaOutput, addresses=SCHEMA_ADDRESSES, menu=2)
