"""The setting of a connection from which row-level security knows whose rows it may show.

PostgreSQL resets a setting when the transaction, or the savepoint, in which it was set is rolled back. So the last
value is trusted only while nothing can have reset it; in doubt it is set again, which costs one round trip.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg.pq import TransactionStatus

from webapp.core.context import installation_reason, organisation_or_none

VARIABLE: Final = "punctual.organisation"
"""The setting of the session that the policies read."""
INSTALLATION: Final = "installation"
"""Its value while rows of every organisation may be seen."""
NOBODY: Final = ""
"""Its value without an organisation: the policies show nothing."""

_KEY: Final = "punctual_scope"
_UNDOES: Final = re.compile(r"\b(rollback|abort|reset|discard)\b|punctual\.organisation", re.IGNORECASE)


@dataclass(frozen=True)
class LastScope:
    """The last scope set on a connection; `inside`: in a transaction, whose end may reset it."""

    scope: str
    inside: bool


def current_scope() -> str:
    """Return the scope of the context: an organisation's id, `INSTALLATION`, or `NOBODY`."""
    if installation_reason() is not None:
        return INSTALLATION
    return str(organisation_or_none() or NOBODY)


def set_scope(connection: "psycopg.Connection[Any]", scope: str) -> None:
    """Set `connection` to `scope`, unless it is already.

    Does nothing in a failed transaction: PostgreSQL refuses all statements but the rollback, and the scope is set after
    it.
    """
    status = connection.info.transaction_status
    if status is TransactionStatus.INERROR:
        return
    last: LastScope | None = vars(connection).get(_KEY)
    undone = last is not None and last.inside and status is TransactionStatus.IDLE
    if last is not None and last.scope == scope and not undone:
        return
    forget(connection)
    with psycopg.ClientCursor(connection) as cursor:
        cursor.execute("SELECT set_config(%s, %s, false)", [VARIABLE, scope])
    inside = connection.info.transaction_status is not TransactionStatus.IDLE
    vars(connection)[_KEY] = LastScope(scope, inside)


def forget(connection: "psycopg.Connection[Any]") -> None:
    """Set the scope of `connection` again before the next statement."""
    vars(connection).pop(_KEY, None)


def undoes(statement: object) -> bool:
    """Return whether `statement` may reset or change the scope: a savepoint's rollback, a reset, the setting itself."""
    text = statement.decode(errors="replace") if isinstance(statement, bytes) else str(statement)
    return _UNDOES.search(text) is not None
