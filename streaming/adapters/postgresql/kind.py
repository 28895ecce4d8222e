"""The registry entry of the input kind `postgresql`."""

from pathlib import Path

from streaming.adapters.contract import InputAdapter
from streaming.adapters.kinds import ConnectingBuild, InputKind
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connection_options import ADDRESSES
from streaming.adapters.postgresql.options import PostgreSQLOptions
from streaming.definition.streams.stream import StreamDefinition


def _build(
    options: PostgreSQLOptions,
    stream: StreamDefinition,
    root: Path,  # noqa: ARG001  # uses no folder
    journal: Path | None,
    reach: Reach,
) -> InputAdapter:
    # Import the driver only to read: not in every process that lists the kinds.
    from streaming.adapters.postgresql.adapter import PostgreSQLAdapter

    return PostgreSQLAdapter(options, stream, journal, reach)


KIND = InputKind(
    "postgresql",
    "PostgreSQL",
    PostgreSQLOptions,
    ConnectingBuild(_build),
    sends_ctis=True,
    addresses=ADDRESSES,
    menu=2,
)
