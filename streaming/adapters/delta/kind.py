"""The kind `delta` of inputs, as the registry knows it."""

from pathlib import Path

from streaming.adapters.contract import InputAdapter
from streaming.adapters.delta.options import DeltaOptions
from streaming.adapters.kinds import InputKind
from streaming.definition.streams import StreamDefinition


def _build(options: DeltaOptions, stream: StreamDefinition, root: Path, journal: Path | None) -> InputAdapter:
    # The library is loaded by who reads: not by every process that wants to know which kinds there are.
    from streaming.adapters.delta.adapter import DeltaAdapter

    return DeltaAdapter(options, stream, root, journal)


KIND = InputKind("delta", "Delta Lake", DeltaOptions, _build, sends_ctis=True, menu=3)
