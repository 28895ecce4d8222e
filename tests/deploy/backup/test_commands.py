"""`punctual-serve backup` and `restore` as commands, on a migrated SQLite database."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.deploy.test_serve import environment, run


def test_an_installation_is_backed_up_and_restored_by_one_command_each(tmp_path: Path, redis_server_url: str) -> None:
    original, copy, file = tmp_path / "original", tmp_path / "copy", str(tmp_path / "backup")
    original.mkdir(mode=0o700)
    here = environment(original, REDIS_URL=redis_server_url)
    assert run(here, "migrate").returncode == 0
    done = run(here, "backup", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Runs paused for 0." in done.stdout
    assert f"The backup is complete: {file}" in done.stdout
    there = environment(copy, REDIS_URL=redis_server_url)
    restored = run(there, "restore", file)
    assert (restored.returncode, restored.stderr) == (0, "")
    assert "Deliveries to outputs are paused" in restored.stdout
    for name in ("secret_key", "secrets_keys"):
        assert (copy / name).read_text() == (original / name).read_text()
    assert run(there, "check").returncode in {0, 1}  # the database can be read
    with closing(sqlite3.connect(copy / "punctual.sqlite3")) as database:
        [[count]] = database.execute("SELECT COUNT(*) FROM django_migrations")
    assert count > 50
    assert run(there, "manage", "resumedeliveries").stdout == "Deliveries resume.\n"
    again = run(there, "restore", file)
    assert again.returncode == 1
    assert "isn't empty" in again.stderr


def test_wrong_settings_are_sentences(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    alone = environment(data, REDIS_URL="redis://127.0.0.1:1/0")
    assert run(alone, "migrate").returncode == 0
    done = run(alone, "restore", str(tmp_path / "absent"))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    nowhere = {name: value for name, value in alone.items() if name != "PUNCTUAL_DATA"}
    done = run(nowhere, "restore", str(tmp_path / "absent"))
    assert (done.returncode, "PUNCTUAL_DATA must be set" in done.stderr) == (2, True)
