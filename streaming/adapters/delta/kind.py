"""The registry entry of the input kind `delta`."""

from pathlib import Path

from streaming.adapters.contract import InputAdapter
from streaming.adapters.delta.options import DeltaOptions
from streaming.adapters.kinds import InputKind
from streaming.adapters.places import refuse_hidden
from streaming.definition.streams.stream import StreamDefinition


def _build(options: DeltaOptions, stream: StreamDefinition, root: Path, journal: Path | None) -> InputAdapter:
    # Import the library only to read: not in every process that lists the kinds.
    from streaming.adapters.delta.adapter import DeltaAdapter

    refuse_hidden(options.path)
    return DeltaAdapter(options, stream, root, journal)


KIND = InputKind(
    "delta", "Delta Lake", DeltaOptions, _build, sends_ctis=True, menu=3, ends=lambda options: not options.follow
)
