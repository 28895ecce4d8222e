"""The registry entry of the input kind `postgresql_changes`."""

from collections.abc import Collection
from pathlib import Path

from streaming.adapters.contract import InputAdapter
from streaming.adapters.kinds import ConnectingBuild, Footprint, FootprintStatus, InputKind
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connection_options import ADDRESSES
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions
from streaming.adapters.postgresql_changes.slots.names import database_of, drop_by_hand
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape


def _build(
    options: PostgreSQLChangesOptions,
    stream: StreamDefinition,
    root: Path,  # noqa: ARG001  # uses no folder
    journal: Path | None,
    reach: Reach,
) -> InputAdapter:
    # Import the driver only to read: not in every process that lists the kinds.
    from streaming.adapters.postgresql_changes.adapter import PostgreSQLChangesAdapter

    return PostgreSQLChangesAdapter(options, stream, journal, reach)


def _look(options: PostgreSQLChangesOptions, holder: str, reach: Reach) -> FootprintStatus:
    from streaming.adapters.postgresql_changes.slots.footprint import look

    return look(options, holder, reach)


def _release(options: PostgreSQLChangesOptions, holder: str, keep: Collection[str], reach: Reach) -> None:
    from streaming.adapters.postgresql_changes.slots.footprint import release

    release(options, holder, keep, reach)


KIND = InputKind(
    "postgresql_changes",
    "Changes in PostgreSQL",
    PostgreSQLChangesOptions,
    ConnectingBuild(_build),
    sends_ctis=True,
    addresses=ADDRESSES,
    menu=2,
    clocked=frozenset({Shape.EDGE, Shape.TABLE}),
    footprint=Footprint("replication slot", database_of, drop_by_hand, _look, _release),
)
