"""What tests of files, texts and bindings state holds on a real PostgreSQL too."""

import os
import subprocess
import sys

from tests.conftest import ROOT
from tests.postgresql import PostgreSQL

STATED = [
    "tests/webapp/test_bundles.py",
    "tests/webapp/test_bundles_applied.py",
    "tests/webapp/test_query_texts.py",
    "tests/webapp/test_bindings_changed.py",
    "tests/webapp/test_streams.py",
]


def test_files_texts_bindings_and_streams_are_the_same_on_postgresql(postgresql: PostgreSQL) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *STATED]
    env = {**os.environ, "DATABASE_URL": postgresql.url}
    done = subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]
