"""Tests of the web application's state on a real PostgreSQL too, with the application's role.

All sets run in one process, which starts and migrates once. Sets are independent: a test's writes are rolled back, or
the tables are emptied after it, and rows committed for a module are removed after that; pytest runs these last, and
`rows`, which changes roles, after them.
"""

import pytest

from tests.postgresql import PostgreSQL
from tests.webapp.application_role import run_as_application

HERE = "tests/webapp"
FILES_TEXTS_AND_BINDINGS = [
    f"{HERE}/{name}.py"
    for name in (
        "bundles/test_bundles",
        "bundles/test_applied",
        "queries/test_texts",
        "runs/bindings/test_bindings_changed",
        "runs/starts/test_run_order",
        "streams/test_streams",
    )
]
AUDIT = [
    f"{HERE}/audit/test_{name}.py" for name in ("append_only", "reading", "exporting", "sign_ins", "redaction")
]  # the role has no right to change the log
INVITATIONS = [f"{HERE}/organisations/{name}.py" for name in ("test_invitations", "races_on_postgresql")]
QUOTAS = [
    f"{HERE}/quotas/{name}.py"
    for name in ("races_on_postgresql", "test_limits", "test_previews", "test_runs", "test_kept")
]
ROWS = [f"{HERE}/rows/{name}_on_postgresql.py" for name in ("tables", "contexts", "roles")]
"""The second wall: nothing crosses it, and nothing wanders in it."""


ALSO = [
    "tests/webapp/administration",
    "tests/webapp/audit/test_every_address.py",
    "tests/webapp/audit/test_request_ids.py",
    "tests/webapp/audit/test_runs.py",
    "tests/webapp/organisations",
    "tests/webapp/quotas",
    "tests/webapp/telemetry",
    "tests/webapp/walk/test_addresses.py",
    "tests/webapp/walk/test_leaks.py",
    "tests/webapp/test_demo.py",
    "tests/webapp/accounts/test_rights.py",
    "tests/webapp/test_tenancy.py",
    "tests/webapp/accounts/test_tokens.py",
]
"""Minutes of tests: everything about organisations, people and what they may; of the audit log what is not stated in
`AUDIT` already."""


@pytest.mark.thorough
@pytest.mark.parametrize("path", ALSO)
def test_organisations_people_and_rights_are_the_same_on_postgresql(path: str, postgresql: PostgreSQL) -> None:
    done = run_as_application(postgresql, [path])
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]


def test_what_is_stated_is_the_same_on_postgresql_and_holds_at_the_same_moment(postgresql: PostgreSQL) -> None:
    done = run_as_application(postgresql, [*FILES_TEXTS_AND_BINDINGS, *AUDIT, *INVITATIONS, *QUOTAS, *ROWS])
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-1_000:]
