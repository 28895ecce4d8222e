"""The backend: Django's, with cursors that set the organisation of their connection. `ENGINE` names this package."""

from contextlib import ExitStack
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.postgresql import base
from django.db.backends.postgresql.psycopg_any import register_tzloader
from django.db.backends.postgresql.schema import DatabaseSchemaEditor

from webapp.core.context import installation_context
from webapp.core.postgresql.cursors import ScopedCursor, ScopedServerCursor


class SchemaEditor(DatabaseSchemaEditor):
    """Migrations see every organisation's rows; otherwise one that changes rows would silently change none."""

    def __enter__(self) -> Any:
        """Enter the installation's context with the transaction."""
        self._everywhere = ExitStack()
        self._everywhere.enter_context(installation_context("a migration changes the rows of all"))
        try:
            return super().__enter__()
        except BaseException:
            self._everywhere.close()
            raise

    def __exit__(self, *failure: Any) -> None:
        """Leave it after deferred statements were executed."""
        with self._everywhere:
            super().__exit__(*failure)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that keeps `punctual.organisation` equal to the organisation in context."""

    SchemaEditorClass = SchemaEditor

    def get_connection_params(self) -> dict[str, Any]:
        """Return Django's parameters with our cursors. Raises `ImproperlyConfigured` if they are impossible."""
        if self.settings_dict["OPTIONS"].get("server_side_binding"):
            raise ImproperlyConfigured("Remove server_side_binding from the options of the database.")
        params: dict[str, Any] = super().get_connection_params()
        params["cursor_factory"] = ScopedCursor
        return params

    def create_cursor(self, name: str | None = None) -> Any:
        """Return a cursor; with `name` one of the server, kept after its statement outside of transactions."""
        if name is None:
            return super().create_cursor()
        connection = self.connection
        cursor = ScopedServerCursor(connection, name=name, scrollable=False, withhold=connection.autocommit)
        register_tzloader(self.timezone, cursor)
        return cursor
