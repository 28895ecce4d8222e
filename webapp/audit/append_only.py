"""Triggers with which the database itself refuses to change, delete or truncate audit events."""

from collections.abc import Iterator
from typing import Final

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

SENTENCE: Final = "Audit events are never changed or deleted. Record another event with the correction."
NAME: Final = "punctual_append_only"
FOR_EACH_ROW: Final = 1
BEFORE: Final = 2
BITS: Final = {"UPDATE": 16, "DELETE": 8, "TRUNCATE": 32}
"""Bits of PostgreSQL's pg_trigger.tgtype, like the two above."""


class RefuseChanges(Operation):
    """Migration operation: create the triggers on the table of the model `name`.

    SQLite recreates a table when a later migration alters it, and drops its triggers: such a migration must end with
    this operation again. The start-up check punctual.E004 reports missing triggers.
    """

    reversible = True

    def __init__(self, name: str) -> None:
        self.name = name

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Leave the models unchanged."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,  # noqa: ARG002
        to_state: ProjectState,
    ) -> None:
        """Create the triggers; replace existing ones."""
        table, vendor = to_state.apps.get_model(app_label, self.name)._meta.db_table, schema_editor.connection.vendor
        for statement in (*no_triggers(vendor, table), *triggers(vendor, table)):
            schema_editor.execute(statement)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,  # noqa: ARG002
    ) -> None:
        """Drop the triggers."""
        table, vendor = from_state.apps.get_model(app_label, self.name)._meta.db_table, schema_editor.connection.vendor
        for statement in no_triggers(vendor, table):
            schema_editor.execute(statement)

    def describe(self) -> str:
        """Return the text of `migrate --plan`."""
        return f"Refuse changes of the rows of {self.name}"

    @property
    def migration_name_fragment(self) -> str:
        """Return the part of the migration's file name."""
        return "append_only"


def triggers(vendor: str, table: str) -> Iterator[str]:
    """Yield the statements that create the triggers.

    On PostgreSQL they fire before the statement and not for each row. So a change is refused even if it would meet no
    row because row-level security hides them.
    """
    if vendor == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            yield (
                f'CREATE TRIGGER {NAME}_{verb.lower()} BEFORE {verb} ON "{table}" '
                f"BEGIN SELECT RAISE(ABORT, '{SENTENCE}'); END"
            )
        return
    yield (
        f"CREATE FUNCTION {NAME}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{SENTENCE}' USING ERRCODE = 'restrict_violation'; END $$"
    )
    yield (
        f'CREATE TRIGGER {NAME} BEFORE UPDATE OR DELETE OR TRUNCATE ON "{table}" '
        f"FOR EACH STATEMENT EXECUTE FUNCTION {NAME}()"
    )


def no_triggers(vendor: str, table: str) -> Iterator[str]:
    """Yield the statements that drop the triggers, if they exist."""
    if vendor == "sqlite":
        for verb in ("update", "delete"):
            yield f"DROP TRIGGER IF EXISTS {NAME}_{verb}"
        return
    yield f'DROP TRIGGER IF EXISTS {NAME} ON "{table}"'
    yield f"DROP FUNCTION IF EXISTS {NAME}()"


def missing_triggers(connection: BaseDatabaseWrapper, table: str) -> list[str]:
    """Return the statements that no trigger refuses on `table`, for example UPDATE; empty if all are refused.

    A trigger that is disabled, or covers less, counts as missing.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [table])
            there = {sql for (sql,) in cursor.fetchall()}
            verbs = zip(("UPDATE", "DELETE"), triggers(connection.vendor, table), strict=True)
            return [verb for verb, statement in verbs if statement not in there]
        cursor.execute(
            "SELECT tgtype FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgrelid = %s::regclass "
            "AND t.tgname = %s AND p.proname = %s AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL",
            [f'"{table}"', NAME, NAME],
        )
        types = [int(kind) for (kind,) in cursor.fetchall() if kind & BEFORE and not kind & FOR_EACH_ROW]
    return [verb for verb, bit in BITS.items() if not any(kind & bit for kind in types)]
