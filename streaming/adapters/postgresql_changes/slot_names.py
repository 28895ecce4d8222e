"""How our replication slots are called, so that whoever finds one on a server can tell whose it is."""

from collections.abc import Mapping
from hashlib import sha256
from secrets import token_hex
from typing import Any, Final

PREFIX: Final = "punctual_"
"""How the names of all our slots begin."""
_OF_HOLDER: Final = 20


def prefix_of(holder: str | None) -> str:
    """How the names of the slots of one input begin; of nobody's, as all begin."""
    return PREFIX if holder is None else f"{PREFIX}{sha256(holder.encode()).hexdigest()[:_OF_HOLDER]}_"


def fresh_name(holder: str | None) -> str:
    """A name that no slot has had, of at most 63 of `[a-z0-9_]`."""
    return f"{prefix_of(holder)}{token_hex(8)}"


def drop_by_hand(options: Mapping[str, Any], holder: str) -> str:  # noqa: ARG001  # the database is named beside it
    """What somebody runs, signed in to the database of an input, to drop the slots of `holder`."""
    return (
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "  # nosec B608 # told to people, never run
        f"WHERE starts_with(slot_name::text, '{prefix_of(holder)}')"
    )


def database_of(options: Mapping[str, Any]) -> str:
    """The server and the database of `options` as they are stored: where slots are."""
    return f"PostgreSQL at {options.get('host')}:{options.get('port', 5432)}, database {options.get('database')}"
