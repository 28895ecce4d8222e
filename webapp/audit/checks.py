"""The check that this database refuses to change audit events: `manage.py check --database default`, each `migrate`."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core import checks
from django.db import connections

from webapp.audit.append_only import missing_triggers
from webapp.audit.models import AuditEvent
from webapp.core.database.checks import migrated

HINT = (
    "Find out who dropped the trigger, and whether events changed since then. The migration audit.0003 created it; "
    "a later one that alters the table on SQLite must end with RefuseChanges(...) of webapp.audit.append_only."
)


@checks.register(checks.Tags.database)
def events_are_append_only(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001
    databases: Sequence[str] | None = None,
    **_: Any,
) -> list[checks.CheckMessage]:
    """Return one error for each statement that could change audit events; silent while migrations are pending."""
    table, found = AuditEvent._meta.db_table, []
    for alias in databases or ():
        connection = connections[alias]
        if migrated(connection):
            found += [
                f"The database {alias} allows {verb} on the rows of {table}."
                for verb in missing_triggers(connection, table)
            ]
    return [checks.Error(message, hint=HINT, id="punctual.E004") for message in found]
