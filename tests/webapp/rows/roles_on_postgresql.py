"""The owner of the tables, the application's role, and the checks that report a wrong one."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from django.db import connection

from tests.webapp.application_role import OWNER, SUPERUSER, as_user
from tests.webapp.rows.layout import OWNED, raw
from webapp.core.database.checks import is_pooled
from webapp.core.database.row_security import gaps

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def superuser(committed: None) -> "Iterator[psycopg.Connection]":
    """A connection of the server's superuser to the test database."""
    with as_user(SUPERUSER):
        parameters = connection.get_connection_params()
    wanted = {name: parameters[name] for name in ("dbname", "user", "host", "port")}
    with psycopg.connect(**wanted, autocommit=True) as opened:
        yield opened


@pytest.fixture
def other(superuser: "psycopg.Connection") -> Iterator[str]:
    """The name of a role that is forgotten after the test."""
    yield "other"
    superuser.execute("DROP OWNED BY other")
    superuser.execute("DROP ROLE other")


def run_command(**options: object) -> str:
    """Run the command as the owner, and return what it says."""
    output = StringIO()
    with as_user(OWNER):
        call_command("databaseroles", stdout=output, **options)
    return output.getvalue()


def ids() -> list[str | None]:
    return [each.id for each in run_checks(databases=["default"], tags=["database"])]


def test_the_application_owns_nothing_and_bypasses_nothing() -> None:
    powers = "rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication"
    assert raw(f"SELECT {powers} FROM pg_roles WHERE rolname = current_user") == [False]
    assert raw("SELECT count(*) FROM pg_class WHERE pg_get_userbyid(relowner) = current_user") == [0]
    assert raw("SELECT has_schema_privilege('public', 'CREATE')") == [False]


@pytest.mark.parametrize("privilege", ["TRUNCATE", "REFERENCES", "TRIGGER"])
def test_the_application_has_no_privilege_that_looks_past_policies(privilege: str) -> None:
    held = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
    assert raw(f"{held} AND has_table_privilege(oid, %s)", privilege) == []


def test_the_application_cannot_say_that_migrations_were_made() -> None:
    with pytest.raises(Exception, match="permission denied"):
        raw("DELETE FROM django_migrations RETURNING id")


def test_the_command_may_be_repeated(superuser: "psycopg.Connection", other: str) -> None:
    assert [run_command(application=other), run_command(application=other)] == [
        "The role other may do what the application needs. Set its address as DATABASE_URL.\n"
    ] * 2


def test_a_table_of_a_later_migration_is_granted_too(superuser: "psycopg.Connection") -> None:
    with as_user(OWNER), connection.cursor() as cursor:
        cursor.execute("CREATE TABLE later (id integer)")
    try:
        assert raw("SELECT has_table_privilege('later', 'SELECT, INSERT')") == [True]
        assert raw("SELECT has_table_privilege('later', 'TRUNCATE')") == [False]
    finally:
        superuser.execute("DROP TABLE later")


def test_a_password_is_hashed_before_it_is_sent(superuser: "psycopg.Connection", other: str, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("the password of the application\n")
    run_command(application=other, password_file=str(file))
    [kept] = superuser.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'other'").fetchone() or ()
    assert kept.startswith("SCRAM-SHA-256$")


def test_an_empty_password_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("\n")
    with pytest.raises(CommandError, match="is empty"):
        run_command(application="other", password_file=str(file))


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ("CREATE ROLE other SUPERUSER", "is a superuser"),
        ("CREATE ROLE other BYPASSRLS", "may bypass row-level security"),
        ("CREATE ROLE other CREATEROLE", "may create roles"),
        (f"CREATE ROLE other IN ROLE {OWNER}", f"is a member of {OWNER}"),
        (f"CREATE ROLE other IN ROLE {SUPERUSER}", f"is a member of {SUPERUSER}"),
    ],
)
def test_a_role_that_can_look_past_policies_is_refused(
    made: str, why: str, superuser: "psycopg.Connection", other: str
) -> None:
    superuser.execute(made)
    with pytest.raises(CommandError, match=why):
        run_command(application=other)


def test_the_owner_itself_is_refused() -> None:
    with as_user(SUPERUSER), connection.cursor() as cursor:
        cursor.execute(f"ALTER ROLE {OWNER} NOCREATEROLE")
    try:
        with pytest.raises(CommandError, match="owns the tables"):
            run_command(application=OWNER)
    finally:
        with as_user(SUPERUSER), connection.cursor() as cursor:
            cursor.execute(f"ALTER ROLE {OWNER} CREATEROLE")


def test_a_role_that_is_not_the_owner_gets_an_error(superuser: "psycopg.Connection") -> None:
    with pytest.raises(CommandError, match="Run this as the owner"):
        call_command("databaseroles", application="nobody")


def test_all_tables_have_policies_that_the_application_cannot_bypass() -> None:
    assert ids() == []


@pytest.mark.parametrize(
    ("harm", "mend"),
    [
        ("DISABLE ROW LEVEL SECURITY", "ENABLE ROW LEVEL SECURITY"),
        ("NO FORCE ROW LEVEL SECURITY", "FORCE ROW LEVEL SECURITY"),
    ],
)
def test_a_table_before_the_wall_is_found_at_the_start(harm: str, mend: str, superuser: "psycopg.Connection") -> None:
    for table in (model._meta.db_table for model in OWNED):
        superuser.execute(f"ALTER TABLE {table} {harm}")
        try:
            assert gaps(connection, apps) == [f"The table {table} has no row-level security."]
        finally:
            superuser.execute(f"ALTER TABLE {table} {mend}")


def test_a_lost_policy_is_found_at_the_start(superuser: "psycopg.Connection") -> None:
    for policy in ("punctual_organisation", "punctual_references_insert"):
        superuser.execute(f"ALTER POLICY {policy} ON runs_run RENAME TO lost")
        try:
            assert set(ids()) == {"punctual.E003"}
        finally:
            superuser.execute(f"ALTER POLICY lost ON runs_run RENAME TO {policy}")


def test_a_role_that_bypasses_policies_is_reported() -> None:
    with as_user(SUPERUSER):
        assert ids() == ["punctual.W003"]
    with as_user(OWNER):
        assert ids() == []


def test_a_pooler_is_known_by_a_process_that_is_not_the_one_announced() -> None:
    connection.ensure_connection()
    [process] = raw("SELECT pg_backend_pid()")
    announced = connection.connection.info.backend_pid
    assert [is_pooled(process, announced), is_pooled(process + 1, announced)] == [False, True]


def test_the_installation_uses_the_backend_that_sets_the_organisation() -> None:
    assert settings.DATABASES["default"]["ENGINE"] == "webapp.core.postgresql"
