"""The audit log is the same on a real PostgreSQL, where the application's role has no right to change it."""

from tests.postgresql import PostgreSQL
from tests.webapp.rows import application

STATED = [
    "tests/webapp/audit/test_append_only.py",
    "tests/webapp/audit/test_reading.py",
    "tests/webapp/audit/test_exporting.py",
    "tests/webapp/audit/test_sign_ins.py",
    "tests/webapp/audit/test_redaction.py",
]


def test_what_is_stated_of_the_audit_log_holds_as_the_applications_role(postgresql: PostgreSQL) -> None:
    done = application.tested_as_application(postgresql, STATED)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]
