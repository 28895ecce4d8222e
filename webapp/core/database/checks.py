"""Checks of the database: `manage.py check --database default`, and each `migrate`.

They are silent while the database is unreachable and while migrations are pending, whose work they would report.
"""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig, apps
from django.core import checks
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from webapp.core.database.row_security import gaps

POOLED = (
    "Let the pooler work in session mode, or leave it out: in transaction mode a connection of the server that was set"
    " to one organisation is handed to a request of another."
)


@checks.register(checks.Tags.database)
def tables_are_behind_row_security(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001
    databases: Sequence[str] | None = None,
    **_: Any,
) -> list[checks.CheckMessage]:
    """Return one error for each table with an organisation that lacks the policies, on PostgreSQL."""
    found: list[checks.CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        if connection.vendor == "postgresql" and migrated(connection):
            hint = "End the migration that made it with EnableRowSecurity() of webapp.core.database.row_security."
            found += [checks.Error(gap, hint=hint, id="punctual.E003") for gap in gaps(connection, apps)]
            found += _role_warnings(connection)
    return found


def migrated(connection: BaseDatabaseWrapper) -> bool:
    """Return whether the database is reachable and no migration is pending."""
    try:
        executor = MigrationExecutor(connection)
    except OperationalError:
        return False
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def _role_warnings(connection: BaseDatabaseWrapper) -> list[checks.CheckMessage]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolname, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        [name, bypasses] = cursor.fetchone()
        cursor.execute("SELECT pg_backend_pid()")
        [process] = cursor.fetchone()
    found: list[checks.CheckMessage] = []
    if bypasses:
        hint = "Run the application with a role that `manage.py databaseroles` made."
        found.append(checks.Warning(f"The role {name} sees past row-level security.", hint=hint, id="punctual.W003"))
    if is_pooled(process, connection.connection.info.backend_pid):
        found.append(checks.Warning("There is a pooler in front of PostgreSQL.", hint=POOLED, id="punctual.W004"))
    return found


def is_pooled(process: int, announced: int) -> bool:
    """Return whether there is a pooler: the server's process isn't the one announced at connecting."""
    return process != announced
