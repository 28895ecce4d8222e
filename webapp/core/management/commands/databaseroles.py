"""`manage.py databaseroles`: create the application's own role in the database, after each `migrate`.

Run it with the owner's DATABASE_URL, like `migrate`; the application itself runs with the address of its role.
"""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import ProgrammingError, connection, transaction
from psycopg.sql import SQL, Identifier, Literal

from webapp.core.postgresql.roles import UnfitRole, check_role, creation, grants, role_exists

NOT_THE_OWNER = "Run this as the owner of the tables; if the owner may not create roles, let a superuser do it first."


class Command(BaseCommand):
    """Makes the role if it is missing, and grants it only what the application needs."""

    help = "Create or repair the application's role on PostgreSQL. Run it with the owner's DATABASE_URL after migrate."

    def add_arguments(self, parser: CommandParser) -> None:
        """Define options for the role, and for a file with its password: others could read one in the arguments."""
        parser.add_argument("--application", required=True, metavar="NAME", help="the role of the application")
        parser.add_argument("--password-file", metavar="PATH", help="file with the role's new password; - reads it")

    def handle(self, *_: Any, **options: Any) -> None:
        """Create the role and grant its rights. Refuses a role that could bypass the policies."""
        if connection.vendor != "postgresql":
            raise CommandError("SQLite has no roles. Set DATABASE_URL to the owner's address on PostgreSQL.")
        name = options["application"]
        password = _password(options["password_file"])
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                if not role_exists(cursor, name):
                    cursor.execute(creation(name))
                check_role(cursor, name)
                if password is not None:
                    cursor.execute(_password_set(name, password))
                cursor.execute("SELECT current_schema")
                [schema] = cursor.fetchone() or ("public",)
                for statement in grants(name, schema=schema, tables=connection.introspection.table_names(cursor)):
                    cursor.execute(statement)
        except UnfitRole as error:
            raise CommandError(str(error)) from None
        except ProgrammingError as error:
            raise CommandError(f"{str(error).splitlines()[0]}. {NOT_THE_OWNER}") from None
        self.stdout.write(f"The role {name} may do what the application needs. Set its address as DATABASE_URL.")


def _password(path: str | None) -> str | None:
    if path is None:
        return None
    text = sys.stdin.read() if path == "-" else Path(path).read_text()
    if not text.strip():
        raise CommandError("The file of the password is empty. Write the password into it, on a line of its own.")
    return text.strip()


def _password_set(name: str, password: str) -> Any:
    """Return the statement with the hashed password, because the server logs statements."""
    connection.ensure_connection()
    pgconn = connection.connection.pgconn
    hashed = pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
    return SQL("ALTER ROLE {} PASSWORD {}").format(Identifier(name), Literal(hashed))
