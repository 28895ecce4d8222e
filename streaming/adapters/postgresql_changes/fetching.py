"""Rows of a large result in parts, by an SQL cursor: between parts the connection is free and may be closed."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import psycopg
from psycopg import sql

AT_ONCE: Final = 2_000


def fetch_rows(
    connection: psycopg.Connection[Any], ask: sql.Composed, values: Sequence[Any] = ()
) -> Iterator[list[tuple[str | None, ...]]]:
    """Yield the result of `ask`, with values in the server's text format, in the open transaction.

    Raises `psycopg.Error`. The driver doesn't convert values: it has its own representations for many types.
    """
    declare = sql.SQL("DECLARE parts NO SCROLL CURSOR FOR {}").format(ask)
    psycopg.ClientCursor(connection).execute(declare, values or None)
    while True:
        result = connection.execute(sql.SQL("FETCH {} FROM parts").format(sql.Literal(AT_ONCE))).pgresult
        if result is None or not result.ntuples:
            break
        columns = range(result.nfields)
        yield [tuple(_text(result.get_value(row, column)) for column in columns) for row in range(result.ntuples)]
    connection.execute("CLOSE parts")


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()
