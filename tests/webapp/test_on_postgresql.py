"""What tests of files, texts and bindings state holds on a real PostgreSQL too, for the role of the application."""

import pytest

from tests.postgresql import PostgreSQL
from tests.webapp.rows.application import run_as_application

STATED = [
    "tests/webapp/test_bundles.py",
    "tests/webapp/test_bundles_applied.py",
    "tests/webapp/test_query_texts.py",
    "tests/webapp/test_bindings_changed.py",
    "tests/webapp/test_streams.py",
]


ALSO = [
    "tests/webapp/administration",
    "tests/webapp/audit/test_every_address.py",
    "tests/webapp/audit/test_request_ids.py",
    "tests/webapp/audit/test_runs.py",
    "tests/webapp/organisations",
    "tests/webapp/quotas",
    "tests/webapp/walk/test_addresses.py",
    "tests/webapp/walk/test_leaks.py",
    "tests/webapp/test_demo.py",
    "tests/webapp/test_rights.py",
    "tests/webapp/test_tenancy.py",
    "tests/webapp/test_tokens.py",
]
"""Minutes of tests: everything about organisations, people and what they may; of the audit log what is not stated in
`audit/test_on_postgresql.py` already."""


@pytest.mark.thorough
@pytest.mark.parametrize("path", ALSO)
def test_organisations_people_and_rights_are_the_same_on_postgresql(path: str, postgresql: PostgreSQL) -> None:
    done = run_as_application(postgresql, [path])
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]


def test_files_texts_bindings_and_streams_are_the_same_on_postgresql(postgresql: PostgreSQL) -> None:
    done = run_as_application(postgresql, STATED)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]
