"""The registry entry of the kind `kafka`."""

from pathlib import Path

from streaming.adapters.contract import InputAdapter
from streaming.adapters.kafka.adapter import KafkaAdapter
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.kafka.schema_options import SCHEMA_ADDRESSES
from streaming.adapters.kinds import ConnectingBuild, InputKind
from streaming.adapters.network.fetching import Reach
from streaming.definition.streams.stream import StreamDefinition


def _build(
    options: KafkaOptions, stream: StreamDefinition, root: Path, journal: Path | None, reach: Reach
) -> InputAdapter:
    if options.envelope == "none":
        return KafkaAdapter(options, stream, root, journal, reach)
    from streaming.adapters.kafka.debezium.adapter import DebeziumAdapter

    return DebeziumAdapter(options, stream, root, journal, reach)


KIND = InputKind(
    "kafka",
    "Kafka",
    KafkaOptions,
    ConnectingBuild(_build),
    sends_ctis=True,
    addresses=SCHEMA_ADDRESSES,
    menu=2,
    thins=True,
)
