"""What the catalogue says of the table and its publication, and what makes them unfit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import sql

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql.connecting import where
from streaming.adapters.postgresql.table import absent
from streaming.adapters.postgresql_changes.lines import RESERVED
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions

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
    """The table as it is now: the columns that are told (name to oid of the type, and as it is written), its key.

    `own_types` as in `kind_of_type`. `publication` are the oids of the publication and of the table's entry in it;
    `row_filter` is its condition on rows, as the server writes it.
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
    """What the table of `options` is now. Raises `AdapterError`, `psycopg.Error`."""
    _require_server(connection, options)
    name = sql.Identifier(options.schema_name, options.table)
    shown = f"{options.schema_name}.{options.table}"
    found = connection.execute(_RELATION, [name.as_string(connection)]).fetchone()
    if found is None:
        raise absent(connection, options)
    oid, relkind, identity, persistence, _, may_read = found
    _refuse(shown, relkind, identity, persistence)
    if not may_read:
        raise AdapterError(f"The user '{options.user}' may not read {shown}. Have it granted: GRANT SELECT.")
    every = connection.execute(_COLUMNS, [oid]).fetchall()
    publication, told, row_filter = _publication(connection, options, oid)
    key = tuple(each for (each,) in connection.execute(_KEY, [oid, identity == "i"]))
    columns = {column: of for column, of, _, generated in every if not generated and column in told}
    _refuse_columns(columns, key, shown)
    types = {column: written for column, _, written, _ in every if column in columns}
    own_types = {of: (base, element) for of, base, element in connection.execute(_TYPES)}
    return PublishedTable(oid, name, columns, types, key, own_types, publication, row_filter)


def _require_server(connection: Connection, options: PostgreSQLChangesOptions) -> None:
    ask = """SELECT current_setting('wal_level'), pg_is_in_recovery(), bool_or(r.rolsuper OR r.rolreplication
                      OR r.rolname IN ('rds_replication', 'cloudsqlsuperuser', 'azure_pg_admin'))
               FROM pg_roles r WHERE pg_has_role(current_user, r.oid, 'USAGE')"""
    level, standby, may_replicate = connection.execute(ask).fetchone() or ("", False, False)
    if standby:
        raise AdapterError(f"{where(options)} is a standby. Name the primary.")
    if level != "logical":
        raise AdapterError(
            f"{where(options)} does not write what is needed into its log (wal_level is {level}). Whoever runs it sets "
            "wal_level = logical in its configuration and starts it anew."
        )
    if not may_replicate:
        raise AdapterError(
            f"The user '{options.user}' may not read the log of {where(options)}. Have the right granted: "
            f'ALTER ROLE "{options.user}" REPLICATION.'
        )


def _refuse(shown: str, relkind: str, identity: str, persistence: str) -> None:
    if relkind not in ("r", "p"):
        raise AdapterError(f"{shown} is not a table, and the log tells of tables only. Name the table behind it.")
    if persistence != "p":
        raise AdapterError(f"{shown} is not logged. Have it logged: ALTER TABLE {shown} SET LOGGED.")
    if identity == "n":
        raise AdapterError(
            f"{shown} tells nothing of which row was changed. Run: ALTER TABLE {shown} REPLICA IDENTITY DEFAULT."
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
    found = connection.execute(_PUBLICATION, asked).fetchone()
    if found is None:
        raise AdapterError(
            f"The database '{options.database}' has no publication '{options.publication}'. The owner of the table "
            f"makes it: CREATE PUBLICATION {options.publication} FOR TABLE {shown} WITH (publish_via_partition_root)."
        )
    number, complete, told, row_filter, entry = found
    if told is None:
        raise AdapterError(
            f"The publication '{options.publication}' does not tell changes of {shown}. Its owner adds the table: "
            f"ALTER PUBLICATION {options.publication} ADD TABLE {shown}; a partitioned one needs "
            "SET (publish_via_partition_root) too."
        )
    if not complete:
        raise AdapterError(
            f"The publication '{options.publication}' leaves out some kinds of changes. Its owner runs: "
            f"ALTER PUBLICATION {options.publication} SET (publish = 'insert, update, delete, truncate')."
        )
    return (number, entry or 0), told, row_filter


def _refuse_columns(columns: Mapping[str, int], key: Sequence[str], shown: str) -> None:
    if not key:
        raise AdapterError(
            f"{shown} has no primary key, so that nobody knows which row was changed. Have one made, or an index for "
            f"it: ALTER TABLE {shown} REPLICA IDENTITY USING INDEX."
        )
    for name in key:
        if name not in columns:
            raise AdapterError(
                f"The publication does not tell the column '{name}' of {shown}, which is of its key. Have it added to "
                "the columns of the publication."
            )
    for name in columns:
        if name in RESERVED:
            raise AdapterError(
                f"A column of {shown} is called '{name}', as what this input adds is. Leave it out of the publication."
            )
