"""The kind `postgresql` of outputs, as the registry knows it."""

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
    root: Path,  # noqa: ARG001  # nothing of it is in a folder
    reach: Reach,
) -> DeliveringAdapter:
    # The driver is loaded by who delivers: not by every process that wants to know which kinds there are.
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
