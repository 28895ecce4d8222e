"""The check of the audit log's triggers, on a real PostgreSQL, by the owner of its tables.

What else is stated of the log is in `tests/webapp/core/test_on_postgresql.py`, as the application's role.
"""

import os
import subprocess
import sys

from tests.conftest import ROOT
from tests.postgresql import PostgreSQL


def test_the_check_sees_what_the_owner_of_the_tables_did_to_the_triggers(postgresql: PostgreSQL) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/webapp/audit/test_checks.py"]
    env = {**os.environ, "DATABASE_URL": postgresql.url}
    done = subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]
