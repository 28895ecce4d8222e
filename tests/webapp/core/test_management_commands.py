"""Management commands whose database doesn't answer end with a sentence and an exit code."""

import os
import subprocess
import sys

from tests.conftest import ROOT
from tests.ports import free_port


def test_a_database_that_is_away_is_a_sentence() -> None:
    env = {**os.environ, "DATABASE_URL": f"postgresql://nobody@127.0.0.1:{free_port()}/absent"}
    command = [sys.executable, str(ROOT / "manage.py"), "createtoken", "--email", "a@b.example"]
    command += ["--organisation", "acme", "--role", "viewer", "--days", "1"]
    ended = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("The database can't be used: ")
    assert ended.stderr.splitlines()[-1].endswith("Check DATABASE_URL, and that it runs.")
