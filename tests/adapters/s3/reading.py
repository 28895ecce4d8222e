"""Inputs from the store of the tests."""

from pathlib import Path
from typing import Any

from streaming.adapters.contract import InputAdapter
from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import StreamDefinition
from streaming.wire.outgoing import OutgoingPolicy
from tests.adapters.inputs import POINTS
from tests.object_store import ObjectStore

LOCAL = OutgoingPolicy(networks=("127.0.0.0/8",))


def objects(
    store: ObjectStore, bucket: str, journal: Path | None = None, stream: StreamDefinition = POINTS, **options: Any
) -> InputAdapter:
    """An input from `bucket`."""
    settings = store.options(bucket, **options)
    return input_adapter("s3", settings, stream, Path("/nowhere"), journal, outgoing=LOCAL)
