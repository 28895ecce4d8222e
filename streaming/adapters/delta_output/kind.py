"""The kind `delta` of outputs, as the registry knows it."""

from collections.abc import Mapping
from pathlib import Path

from streaming.adapters.contract import DeliveringAdapter
from streaming.adapters.delta_output.options import DeltaOutputOptions
from streaming.adapters.kinds import OutputKind
from streaming.adapters.network.fetching import Reach


def _deliver(
    options: DeltaOutputOptions,
    identity: str,
    fields: Mapping[str, str],
    root: Path,
    reach: Reach,  # noqa: ARG001  # the table is in a folder
) -> DeliveringAdapter:
    # The library is loaded by who delivers: not by every process that wants to know which kinds there are.
    from streaming.adapters.delta_output.adapter import DeltaOutput

    return DeltaOutput(options, identity, fields, root)


KIND = OutputKind("delta", "Delta Lake", DeltaOutputOptions, deliver=_deliver, menu=4, fills_files=True)
