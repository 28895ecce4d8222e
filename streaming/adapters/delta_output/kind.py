"""The registry entry of the output kind `delta`."""

from collections.abc import Mapping
from pathlib import Path

from streaming.adapters.contract import DeliveringAdapter
from streaming.adapters.delta_output.options import DeltaOutputOptions
from streaming.adapters.kinds import OutputKind
from streaming.adapters.network.fetching import Reach
from streaming.adapters.places import refuse_hidden


def _deliver(
    options: DeltaOutputOptions,
    identity: str,
    fields: Mapping[str, str],
    root: Path,
    reach: Reach,  # noqa: ARG001  # the table is in a folder
) -> DeliveringAdapter:
    # Import the library only to deliver: not in every process that lists the kinds.
    from streaming.adapters.delta_output.adapter import DeltaOutput

    refuse_hidden(options.path)
    return DeltaOutput(options, identity, fields, root)


KIND = OutputKind("delta", "Delta Lake", DeltaOutputOptions, deliver=_deliver, menu=4, fills_files=True)
