"""The current rows of the table, in the same format as changes."""

from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import sql

from streaming.adapters.postgresql_changes.fetching import fetch_rows
from streaming.adapters.postgresql_changes.messages import RelationShape
from streaming.adapters.postgresql_changes.table import PublishedTable
from streaming.adapters.postgresql_changes.values import RowForm


def rows_of_table(
    connection: psycopg.Connection[Any], table: PublishedTable, most: int | None = None
) -> Iterator[list[tuple[str, str]]]:
    """Yield the key and row of each published row, at most `most`, in parts, in the open transaction."""
    shape = RelationShape(table.oid, tuple(table.columns.items()))
    form = RowForm(shape, table.key, table.own_types)
    ask = sql.SQL("SELECT {} FROM {} WHERE {} {}").format(
        sql.SQL(", ").join(map(sql.Identifier, table.columns)),
        table.name,
        sql.SQL(table.row_filter or "true"),  # in the server's own notation
        sql.SQL("" if most is None else f"LIMIT {most}"),
    )
    for part in fetch_rows(connection, ask):
        yield [(form.key_of(values), form.row_of(values, None)) for values in part]
