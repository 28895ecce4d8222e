"""The rows of the table as they are, written as changes of them are."""

from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import sql

from streaming.adapters.postgresql_changes.fetching import fetched
from streaming.adapters.postgresql_changes.messages import RelationShape
from streaming.adapters.postgresql_changes.table import PublishedTable
from streaming.adapters.postgresql_changes.transactions import held
from streaming.adapters.postgresql_changes.values import RowForm


def rows_of_table(
    connection: psycopg.Connection[Any], table: PublishedTable, most: int | None = None
) -> Iterator[list[tuple[str, str]]]:
    """Key and row of each row that the publication tells of, `most` of them, in parts, in the open transaction.

    Raises `psycopg.Error`.
    """
    shape = RelationShape(table.oid, tuple(table.columns.items()))
    form = RowForm(shape, table.key, table.own_types)
    ask = sql.SQL("SELECT {} FROM {} WHERE {} {}").format(
        sql.SQL(", ").join(map(sql.Identifier, table.columns)),
        table.name,
        sql.SQL(table.row_filter or "true"),  # as the server itself writes it
        sql.SQL("" if most is None else f"LIMIT {most}"),
    )
    for part in fetched(connection, ask):
        yield [(form.key_of(values), held(form.row_of(values, None) or "")) for values in part]
