"""Rows of a large answer in parts, by a cursor of SQL: the connection is free between them, and may break or close."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import psycopg
from psycopg import sql

AT_ONCE: Final = 2_000


def fetched(
    connection: psycopg.Connection[Any], ask: sql.Composed, values: Sequence[Any] = ()
) -> Iterator[list[tuple[str | None, ...]]]:
    """What `ask` gives, as the server writes values, in the transaction that is open. Raises `psycopg.Error`.

    Values are not read by the driver: it has forms of its own for many types.
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
