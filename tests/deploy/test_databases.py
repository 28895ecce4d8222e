"""The demo is created on a real PostgreSQL as on SQLite, and only once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.postgresql import PostgreSQL


def manage(env: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    done = subprocess.run(command, env={**os.environ, **env}, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def installed(tmp_path: Path, redis_server_url: str) -> dict[str, str]:
    return {"PUNCTUAL_EMBEDDED": "1", "PUNCTUAL_DATA": str(tmp_path), "REDIS_URL": redis_server_url}


@pytest.mark.thorough  # the browser's tests begin with it
def test_the_demo_is_laid_out_on_sqlite(installed: dict[str, str], tmp_path: Path) -> None:
    manage(installed, "migrate", "--noinput")
    assert manage(installed, "demo") == manage(installed, "demo")
    assert (tmp_path / "punctual.sqlite3").stat().st_size > 0


def test_the_demo_is_laid_out_on_postgresql(installed: dict[str, str], tmp_path: Path, postgresql: PostgreSQL) -> None:
    on_postgresql = {**installed, "DATABASE_URL": postgresql.url}
    manage(on_postgresql, "migrate", "--noinput")
    assert manage(on_postgresql, "demo") == manage(on_postgresql, "demo")
    assert not (tmp_path / "punctual.sqlite3").exists()


def test_no_migration_is_missing(installed: dict[str, str]) -> None:
    assert "No changes detected" in manage(installed, "makemigrations", "--check", "--dry-run")
