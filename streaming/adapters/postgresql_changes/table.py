"""Reads the table and its publication from the catalogue, and refuses unsuitable ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import sql

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql.connecting import where
from streaming.adapters.postgresql.quoting import quoted
from streaming.adapters.postgresql.table import absent
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions
from streaming.adapters.row_lifetimes.lines import RESERVED

Connection = psycopg.Connection[Any]
_RELATION: Final = """
    SELECT c.oid::bigint, c.relkind::text, c.relreplident::text, c.relpersistence::text, pg_is_in_recovery(),
           has_table_privilege(c.oid, 'SELECT') FROM pg_class c WHERE c.oid = to_regclass(%s)"""
_KEY: Final = """
    SELECT a.attname::text FROM pg_index i JOIN pg_attribute a
        ON a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
     WHERE i.indrelid = %s::oid AND CASE WHEN %s THEN i.indisreplident ELSE i.indisprimary END
     ORDER BY array_position(i.indkey::int2[], a.attnum)"""
_PUBLICATION: Final = """
    SELECT p.oid::bigint, p.pubinsert AND p.pubupdate AND p.pubdelete AND p.pubtruncate,
           t.attnames::text[], t.rowfilter, r.oid::bigint
      FROM pg_publication p
      LEFT JOIN pg_publication_tables t ON t.pubname = p.pubname AND t.schemaname = %(schema)s
       AND t.tablename = %(table)s
      LEFT JOIN pg_publication_rel r ON r.prpubid = p.oid AND r.prrelid = %(oid)s::oid
     WHERE p.pubname = %(publication)s"""
_COLUMNS: Final = """
    SELECT attname::text, atttypid::bigint, format_type(atttypid, atttypmod), attgenerated::text <> ''
      FROM pg_attribute WHERE attrelid = %s::oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""
_TYPES: Final = """
    SELECT oid::bigint, typbasetype::bigint, CASE WHEN typcategory = 'A' THEN typelem::bigint ELSE 0 END
      FROM pg_type WHERE typtype = 'd' OR (typcategory = 'A' AND oid >= 16384)"""


@dataclass(frozen=True)
class PublishedTable:
    """The current table: the published columns (name to oid of the type, and to its written form), and its key.

    `own_types` as in `kind_of_type`. `publication` are the oids of the publication and of the table's entry in it;
    `row_filter` is its condition on rows, in the server's notation.
    """

    oid: int
    name: sql.Identifier
    columns: Mapping[str, int]
    types: Mapping[str, str]
    key: tuple[str, ...]
    own_types: Mapping[int, tuple[int, int]]
    publication: tuple[int, int]
    row_filter: str | None


def published(connection: Connection, options: PostgreSQLChangesOptions) -> PublishedTable:
    """Read the table of `options` from the catalogue. Raises `AdapterError`, `psycopg.Error`."""
    _require_server(connection, options)
    name = sql.Identifier(options.schema_name, options.table)
    shown = f"{options.schema_name}.{options.table}"
    found = connection.execute(_RELATION, [name.as_string(connection)]).fetchone()
    if found is None:
        raise absent(connection, options)
    oid, relkind, identity, persistence, _, may_read = found
    copied = quoted(options.schema_name, options.table)
    _refuse(shown, copied, relkind, identity, persistence)
    if not may_read:
        raise AdapterError(f"The user '{options.user}' may not read {shown}. Grant it with GRANT SELECT.")
    every = connection.execute(_COLUMNS, [oid]).fetchall()
    publication, names, row_filter = _publication(connection, options, oid)
    key = tuple(each for (each,) in connection.execute(_KEY, [oid, identity == "i"]))
    columns = {column: of for column, of, _, generated in every if not generated and column in names}
    _refuse_columns(columns, key, shown, copied)
    types = {column: written for column, _, written, _ in every if column in columns}
    own_types = {of: (base, element) for of, base, element in connection.execute(_TYPES)}
    return PublishedTable(oid, name, columns, types, key, own_types, publication, row_filter)


def _require_server(connection: Connection, options: PostgreSQLChangesOptions) -> None:
    ask = """SELECT current_setting('wal_level'), pg_is_in_recovery(), bool_or(r.rolsuper OR r.rolreplication
                      OR r.rolname IN ('rds_replication', 'cloudsqlsuperuser', 'azure_pg_admin'))
               FROM pg_roles r WHERE pg_has_role(current_user, r.oid, 'USAGE')"""
    level, standby, may_replicate = connection.execute(ask).fetchone() or ("", False, False)
    if standby:
        raise AdapterError(f"{where(options)} is a standby. Use the primary.")
    if level != "logical":
        raise AdapterError(
            f"{where(options)} does not write enough into its log for replication (wal_level is {level}). Its "
            "administrator has to set wal_level = logical in its configuration and restart it."
        )
    if not may_replicate:
        raise AdapterError(
            f"The user '{options.user}' may not read the log of {where(options)}. Grant the right: "
            f"ALTER ROLE {quoted(options.user)} REPLICATION."
        )


def _refuse(shown: str, copied: str, relkind: str, identity: str, persistence: str) -> None:
    if relkind not in ("r", "p"):
        raise AdapterError(
            f"{shown} isn't a table, and the log contains only changes of tables. Use the underlying table."
        )
    if persistence != "p":
        raise AdapterError(f"{shown} is not logged. Run: ALTER TABLE {copied} SET LOGGED.")
    if identity == "n":
        raise AdapterError(
            f"The log of {shown} does not identify changed rows. Run: ALTER TABLE {copied} REPLICA IDENTITY DEFAULT."
        )


def _publication(
    connection: Connection, options: PostgreSQLChangesOptions, oid: int
) -> tuple[tuple[int, int], Sequence[str], str | None]:
    asked = {
        "schema": options.schema_name,
        "table": options.table,
        "oid": oid,
        "publication": options.publication,
    }
    shown = f"{options.schema_name}.{options.table}"
    copied, publication = quoted(options.schema_name, options.table), quoted(options.publication)
    found = connection.execute(_PUBLICATION, asked).fetchone()
    if found is None:
        raise AdapterError(
            f"The database '{options.database}' has no publication '{options.publication}'. The owner of the table "
            f"creates it: CREATE PUBLICATION {publication} FOR TABLE {copied} WITH (publish_via_partition_root)."
        )
    number, complete, names, row_filter, entry = found
    if names is None:
        raise AdapterError(
            f"The publication '{options.publication}' does not contain {shown}. Its owner adds the table: "
            f"ALTER PUBLICATION {publication} ADD TABLE {copied}; a partitioned table also needs "
            "SET (publish_via_partition_root)."
        )
    if not complete:
        raise AdapterError(
            f"The publication '{options.publication}' excludes some kinds of changes. Its owner runs: "
            f"ALTER PUBLICATION {publication} SET (publish = 'insert, update, delete, truncate')."
        )
    return (number, entry or 0), names, row_filter


def _refuse_columns(columns: Mapping[str, int], key: Sequence[str], shown: str, copied: str) -> None:
    if not key:
        raise AdapterError(
            f"{shown} has no primary key, so changed rows can't be identified. Create one, or use a unique index "
            f"instead: ALTER TABLE {copied} REPLICA IDENTITY USING INDEX <its name>."
        )
    for name in key:
        if name not in columns:
            raise AdapterError(
                f"The publication excludes the column '{name}' of {shown}, which is part of its key. Add it to the "
                "columns of the publication."
            )
    for name in columns:
        if name in RESERVED:
            raise AdapterError(
                f"The column name '{name}' of {shown} is reserved for this input. Exclude it from the publication."
            )
