"""Names of our replication slots, which show on the server which input a slot belongs to."""

from collections.abc import Mapping
from hashlib import sha256
from secrets import token_hex
from typing import Any, Final

PREFIX: Final = "punctual_"
"""The prefix of the names of all our slots."""
_OF_HOLDER: Final = 20


def prefix_of(holder: str | None) -> str:
    """The prefix of the slot names of one input; without a holder, the prefix of all."""
    return PREFIX if holder is None else f"{PREFIX}{sha256(holder.encode()).hexdigest()[:_OF_HOLDER]}_"


def fresh_name(holder: str | None) -> str:
    """A new unique name, of at most 63 of `[a-z0-9_]`."""
    return f"{prefix_of(holder)}{token_hex(8)}"


def drop_by_hand(options: Mapping[str, Any], holder: str) -> str:  # noqa: ARG001  # the database is shown next to it
    """The command that drops the slots of `holder`, for a person signed in to the input's database."""
    return (
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "  # nosec B608 # shown to people, never run
        f"WHERE starts_with(slot_name::text, '{prefix_of(holder)}')"
    )


def database_of(options: Mapping[str, Any]) -> str:
    """The server and the database in `options` as they are stored: the place of the slots."""
    return f"PostgreSQL at {options.get('host')}:{options.get('port', 5432)}, database {options.get('database')}"
