"""The registry entry of the output kind `postgresql`."""

from collections.abc import Mapping
from pathlib import Path

from streaming.adapters.contract import DeliveringAdapter
from streaming.adapters.kinds import OutputKind
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connection_options import ADDRESSES
from streaming.adapters.postgresql_output.options import PostgreSQLOutputOptions


def _deliver(
    options: PostgreSQLOutputOptions,
    identity: str,
    fields: Mapping[str, str],
    root: Path,  # noqa: ARG001  # uses no folder
    reach: Reach,
) -> DeliveringAdapter:
    # Import the driver only to deliver: not in every process that lists the kinds.
    from streaming.adapters.postgresql_output.adapter import PostgreSQLOutput

    return PostgreSQLOutput(options, identity, fields, reach)


KIND = OutputKind(
    "postgresql",
    "PostgreSQL",
    PostgreSQLOutputOptions,
    deliver=_deliver,
    addresses=ADDRESSES,
    menu=3,
)
