"""What tests of files, texts and bindings state holds on a real PostgreSQL too, for the role of the application."""

from tests.postgresql import PostgreSQL
from tests.webapp.rows.application import tested_as_application

STATED = [
    "tests/webapp/test_bundles.py",
    "tests/webapp/test_bundles_applied.py",
    "tests/webapp/test_query_texts.py",
    "tests/webapp/test_bindings_changed.py",
    "tests/webapp/test_streams.py",
]


def test_files_texts_bindings_and_streams_are_the_same_on_postgresql(postgresql: PostgreSQL) -> None:
    done = tested_as_application(postgresql, STATED)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]
