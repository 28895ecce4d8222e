"""What a connection says of itself, so that row-level security knows whose rows it may show.

PostgreSQL forgets a setting when the transaction, or the savepoint, in which it was made is rolled back. So what was
told is trusted only while nothing can have undone it; in doubt it is told again, which costs one round trip.
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

_KEY: Final = "punctual_told"
_UNDOES: Final = re.compile(r"\b(rollback|abort|reset|discard)\b|punctual\.organisation", re.IGNORECASE)


@dataclass(frozen=True)
class ToldScope:
    """What a connection was told last; `inside`: in a transaction, whose end may undo it."""

    scope: str
    inside: bool


def current_scope() -> str:
    """Return what the context says: an organisation's id, `INSTALLATION`, or `NOBODY`."""
    if installation_reason() is not None:
        return INSTALLATION
    return str(organisation_or_none() or NOBODY)


def tell(connection: "psycopg.Connection[Any]", scope: str) -> None:
    """Make the setting of `connection` equal to `scope`, unless it is.

    In a failed transaction nothing is told: PostgreSQL refuses all statements but the rollback, after which it is.
    """
    status = connection.info.transaction_status
    if status is TransactionStatus.INERROR:
        return
    told: ToldScope | None = vars(connection).get(_KEY)
    undone = told is not None and told.inside and status is TransactionStatus.IDLE
    if told is not None and told.scope == scope and not undone:
        return
    forget(connection)
    with psycopg.ClientCursor(connection) as cursor:
        cursor.execute("SELECT set_config(%s, %s, false)", [VARIABLE, scope])
    inside = connection.info.transaction_status is not TransactionStatus.IDLE
    vars(connection)[_KEY] = ToldScope(scope, inside)


def forget(connection: "psycopg.Connection[Any]") -> None:
    """Tell `connection` again before the next statement."""
    vars(connection).pop(_KEY, None)


def undoes(statement: object) -> bool:
    """Whether `statement` may undo or change what was told: a savepoint's rollback, a reset, the setting itself."""
    text = statement.decode(errors="replace") if isinstance(statement, bytes) else str(statement)
    return _UNDOES.search(text) is not None
