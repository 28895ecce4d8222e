"""`manage.py check --database default` reports a database that allows changes of audit events (punctual.E004)."""

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.db import connection

from webapp.audit.append_only import NAME, no_triggers
from webapp.audit.models import AuditEvent

pytestmark = pytest.mark.django_db
TABLE = AuditEvent._meta.db_table
SQLITE = {
    f"DROP TRIGGER {NAME}_update": ["UPDATE"],
    f"DROP TRIGGER {NAME}_delete": ["DELETE"],
    f"DROP TRIGGER {NAME}_delete; CREATE TRIGGER {NAME}_delete BEFORE DELETE ON {TABLE} BEGIN SELECT 1; END": [
        "DELETE"
    ],
}
POSTGRESQL = {
    f"DROP TRIGGER {NAME} ON {TABLE}": ["UPDATE", "DELETE", "TRUNCATE"],
    f"ALTER TABLE {TABLE} DISABLE TRIGGER {NAME}": ["UPDATE", "DELETE", "TRUNCATE"],
    f"DROP TRIGGER {NAME} ON {TABLE}; "
    f"CREATE TRIGGER {NAME} BEFORE DELETE ON {TABLE} FOR EACH STATEMENT EXECUTE FUNCTION {NAME}()": [
        "UPDATE",
        "TRUNCATE",
    ],
    f"DROP TRIGGER {NAME} ON {TABLE}; "
    f"CREATE TRIGGER {NAME} BEFORE UPDATE OR DELETE ON {TABLE} FOR EACH ROW EXECUTE FUNCTION {NAME}()": [
        "UPDATE",
        "DELETE",
        "TRUNCATE",
    ],
}
DONE = POSTGRESQL if connection.vendor == "postgresql" else SQLITE


def messages() -> list[str]:
    return [each.msg for each in run_checks(databases=["default"]) if each.id == "punctual.E004"]


def executed(*statements: str) -> None:
    with connection.cursor() as cursor:
        for each in statements:
            cursor.execute(each)


def test_a_migrated_database_is_not_complained_of() -> None:
    assert messages() == []


@pytest.mark.parametrize("statements", DONE)
def test_a_missing_or_weaker_trigger_is_reported(statements: str) -> None:
    executed(*statements.split("; ", 1))
    assert messages() == [f"The database default allows {verb} on the rows of {TABLE}." for verb in DONE[statements]]


def test_without_the_database_nothing_is_asked() -> None:
    executed(*no_triggers(connection.vendor, TABLE))
    call_command("check")
