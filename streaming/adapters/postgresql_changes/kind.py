"""The kind `postgresql_changes` of inputs, as the registry knows it."""

from pathlib import Path

from streaming.adapters.contract import InputAdapter
from streaming.adapters.kinds import ConnectingBuild, InputKind
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connection_options import ADDRESSES
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions
from streaming.definition.streams import StreamDefinition


def _build(
    options: PostgreSQLChangesOptions,
    stream: StreamDefinition,
    root: Path,  # noqa: ARG001  # nothing of it is in a folder
    journal: Path | None,
    reach: Reach,
) -> InputAdapter:
    # The driver is loaded by who reads: not by every process that wants to know which kinds there are.
    from streaming.adapters.postgresql_changes.adapter import PostgreSQLChangesAdapter

    return PostgreSQLChangesAdapter(options, stream, journal, reach)


KIND = InputKind(
    "postgresql_changes",
    "Changes in PostgreSQL",
    PostgreSQLChangesOptions,
    ConnectingBuild(_build),
    sends_ctis=True,
    addresses=ADDRESSES,
    menu=2,
)
