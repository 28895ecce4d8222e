"""The application's role in the database: it reads and writes rows, and can change neither tables nor policies.

It can add and read rows of an append-only model (`append_only = True`), but not change them.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from django.apps import apps
from psycopg.sql import SQL, Composable, Identifier

ROWS: Final = ("SELECT", "INSERT", "UPDATE", "DELETE")
APPENDED: Final = ("SELECT", "INSERT")
READ: Final = ("SELECT",)
MIGRATIONS: Final = "django_migrations"
"""Only the owner writes the list of applied migrations."""
_NEW: Final = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
_POWERS: Final = {
    "rolsuper": "is a superuser",
    "rolbypassrls": "may bypass row-level security",
    "rolcreaterole": "may create roles, and so make itself the owner's",
}


_ABOVE: Final = """
    SELECT r.rolname FROM pg_roles r
    WHERE pg_has_role(%s, r.oid, 'MEMBER') AND (
        r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolname = current_user
        OR r.oid IN (SELECT relowner FROM pg_class WHERE relnamespace = current_schema::regnamespace)
    )
    ORDER BY (r.rolname = %s) DESC LIMIT 1
"""


class UnfitRole(Exception):
    """The role can bypass the policies, or change them; the sentence says why and what to do."""


def append_only_tables() -> frozenset[str]:
    """Return the tables of the models whose rows are never changed."""
    return frozenset(model._meta.db_table for model in apps.get_models() if getattr(model, "append_only", False))


def role_exists(cursor: Any, name: str) -> bool:
    """Return whether the role `name` exists."""
    cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
    return cursor.fetchone() is not None


def creation(name: str) -> Composable:
    """Return the statement that creates the role."""
    return SQL("CREATE ROLE {} " + _NEW).format(Identifier(name))


def check_role(cursor: Any, name: str) -> None:
    """Check that an existing role can neither bypass policies nor change them. Raises `UnfitRole`."""
    cursor.execute(f"SELECT {', '.join(_POWERS)} FROM pg_roles WHERE rolname = %s", [name])  # nosec B608 # names of tables and columns from our own code, never from a request
    for held, what in zip(cursor.fetchone(), _POWERS.values(), strict=True):
        if held:
            raise UnfitRole(f"The role {name} {what}. Choose another name, or revoke that with ALTER ROLE.")
    cursor.execute(_ABOVE, [name, name])
    if (found := cursor.fetchone()) is not None:
        how = "owns the tables" if found[0] == name else f"is a member of {found[0]}, which owns them or may do all"
        raise UnfitRole(f"The role {name} {how}. Choose another name: the application must own nothing.")


def grants(name: str, *, schema: str, tables: Iterable[str]) -> Iterator[Composable]:
    """Yield the statements that grant `name` what the application needs of `tables`, and revoke everything else."""
    role, place, appended = Identifier(name), Identifier(schema), append_only_tables()
    yield SQL("REVOKE CREATE ON SCHEMA {} FROM PUBLIC, {}").format(place, role)
    yield SQL("GRANT USAGE ON SCHEMA {} TO {}").format(place, role)
    for table in sorted(tables):
        may = APPENDED if table in appended else READ if table == MIGRATIONS else ROWS
        where = Identifier(schema, table)
        yield SQL("REVOKE ALL ON {} FROM PUBLIC, {}").format(where, role)
        yield SQL("GRANT " + ", ".join(may) + " ON {} TO {}").format(where, role)
    yield SQL("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {} TO {}").format(place, role)
    later = "ALTER DEFAULT PRIVILEGES IN SCHEMA {} "
    yield SQL(later + "GRANT " + ", ".join(ROWS) + " ON TABLES TO {}").format(place, role)
    yield SQL(later + "GRANT USAGE, SELECT ON SEQUENCES TO {}").format(place, role)
