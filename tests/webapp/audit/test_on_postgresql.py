"""The audit log is the same on a real PostgreSQL, where the application's role has no right to change it."""

import os
import subprocess
import sys

from tests.conftest import ROOT
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
    done = application.run_as_application(postgresql, STATED)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]


def test_the_check_sees_what_the_owner_of_the_tables_did_to_the_triggers(postgresql: PostgreSQL) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/webapp/audit/test_checks.py"]
    env = {**os.environ, "DATABASE_URL": postgresql.url}
    done = subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]
