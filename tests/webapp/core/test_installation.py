"""The installation as a whole: settings, pages, headers, migrations, the OpenAPI file, and what a worker is given."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings as installed
from django.core.management import call_command
from django.test import AsyncClient, Client
from kombu import Connection

from tests.conftest import ROOT


def settings_with(tmp_path: Path, **env: str) -> "subprocess.CompletedProcess[str]":
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PUNCTUAL_", "DATABASE_URL"))}
    program = "from webapp import settings as s; print(s.DATABASES['default']['ENGINE'], s.SESSION_COOKIE_SECURE)"
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**clean, "PUNCTUAL_DATA": str(tmp_path), **env},
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("env", "complaint"),
    [
        ({"PUNCTUAL_DEBGU": "1"}, "PUNCTUAL_DEBGU"),
        ({"PUNCTUAL_DEBUG": "yes"}, "set it to 0 or 1"),
        ({"PUNCTUAL_RUNNERS": "elsewhere", "PUNCTUAL_POOLS": "1"}, "set PUNCTUAL_POOLS to 0"),
        ({"PUNCTUAL_SECRET_KEY": "short"}, "at least 50"),
        ({"DATABASE_URL": "postgresql://x@127.0.0.1/y", "PUNCTUAL_SECRETS_KEYS": "k" * 32}, "PUNCTUAL_SECRET_KEY"),
        ({"DATABASE_URL": "postgresql://x@127.0.0.1/y", "PUNCTUAL_SECRET_KEY": "k" * 50}, "PUNCTUAL_SECRETS_KEYS"),
        ({"PUNCTUAL_SECRETS_KEYS": "n" * 32 + ",short"}, "at least 32"),
        ({"REDIS_URL": "http://127.0.0.1"}, "REDIS_URL"),
    ],
)
def test_a_wrong_environment_stops_it_with_a_sentence(tmp_path: Path, env: dict[str, str], complaint: str) -> None:
    done = settings_with(tmp_path, **env)
    assert done.returncode != 0
    assert complaint in done.stderr.splitlines()[-1]


def test_an_empty_environment_is_one_machine_with_sqlite_and_secure_cookies(tmp_path: Path) -> None:
    assert settings_with(tmp_path).stdout.split() == ["django.db.backends.sqlite3", "True"]
    for name in ("secret_key", "secrets_keys", "metrics_token"):
        assert (tmp_path / name).stat().st_mode & 0o077 == 0
        assert len((tmp_path / name).read_text()) >= 32


def test_the_runner_inherits_no_secret() -> None:
    secrets = {"PUNCTUAL_SECRET_KEY", "PUNCTUAL_SECRETS_KEYS", "DATABASE_URL", "REDIS_URL"}
    assert secrets <= installed.SECRETS
    assert secrets.isdisjoint(installed.RUNNER_ENVIRONMENT)


def test_celery_understands_the_address_of_a_unix_socket(tmp_path: Path) -> None:
    program = "from webapp import settings as s; print(s.CELERY_BROKER_URL)"
    env = {**os.environ, "REDIS_URL": "unix:///run/redis.sock"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert Connection(done.stdout.strip()).hostname == "socket:///run/redis.sock"


def test_no_migration_is_missing(db: None) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_the_openapi_file_is_what_the_application_says(tmp_path: Path) -> None:
    generated = tmp_path / "openapi.json"
    call_command("spectacular", format="openapi-json", file=str(generated), validate=True, fail_on_warn=True)
    stored = ROOT / "frontend" / "openapi.json"
    assert json.loads(stored.read_text()) == json.loads(generated.read_text()), (
        "frontend/openapi.json is old: run `manage.py spectacular --format openapi-json --file frontend/openapi.json`"
    )


def test_the_openapi_file_is_served_to_everybody() -> None:
    answered = Client().get("/api/openapi.json")
    assert (answered.status_code, answered.headers["Content-Type"]) == (200, "application/json")
    assert answered.json() == json.loads((ROOT / "frontend" / "openapi.json").read_text())


def test_every_error_in_openapi_is_the_envelope_and_of_files_it_says_their_places() -> None:
    api = json.loads((ROOT / "frontend" / "openapi.json").read_text())
    refusals = {
        (operation["operationId"], status): content["schema"]["$ref"].rsplit("/", 1)[-1]
        for methods in api["paths"].values()
        for operation in methods.values()
        for status, answered in operation["responses"].items()
        if status.startswith("4")
        for content in answered["content"].values()
    }
    assert refusals.pop(("definitions_apply", "422")) == "FilesRefused"
    assert set(refusals.values()) == {"ErrorEnvelope"}
    envelope, of_files = (
        api["components"]["schemas"][name]["properties"] for name in ("ErrorEnvelope", "FilesRefused")
    )
    assert envelope.keys() == of_files.keys()


@pytest.mark.parametrize(
    "path", ["/", "/sign-in", "/api/", "/guide/join", "/t/demo/runs/0f8fad5b-d9cb-469f-a165-70867728950e"]
)
def test_every_page_is_the_built_application_with_the_csrf_cookie(settings: Any, tmp_path: Path, path: str) -> None:
    settings.FRONTEND = tmp_path
    (tmp_path / "index.html").write_text("<!doctype html><title>Punctual</title>")
    answered = Client().get(path)
    assert (answered.status_code, answered.content) == (200, b"<!doctype html><title>Punctual</title>")
    assert "csrftoken" in answered.cookies


def test_pages_that_are_not_built_say_what_to_do(settings: Any, tmp_path: Path) -> None:
    settings.FRONTEND = tmp_path / "absent"
    answered = Client().get("/")
    assert answered.status_code == 503
    assert b"make up" in answered.content


@pytest.mark.parametrize("path", ["/api/nothing/", "/assets/absent.js"])
def test_what_is_no_page_is_404(path: str) -> None:
    assert Client().get(path).status_code == 404


def test_scripts_come_from_files_of_this_origin_only(settings: Any, tmp_path: Path) -> None:
    settings.FRONTEND = tmp_path / "absent"
    headers = Client().get("/").headers
    directives = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert directives["script-src"] == "'self'"
    assert directives["frame-ancestors"] == "'none'"
    assert (headers["X-Frame-Options"], headers["X-Content-Type-Options"]) == ("DENY", "nosniff")


def test_answers_of_the_api_are_kept_by_no_cache(db: None) -> None:
    assert Client().get("/api/me/").headers["Cache-Control"] == "no-store"


@pytest.fixture
def built(settings: Any, tmp_path: Path) -> None:
    """A front end that was built: one file named by its content, one by its purpose."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "index-B3x9Zk2a.js").write_text("let x = 1;")
    (tmp_path / "mark.svg").write_text("<svg/>")
    settings.WHITENOISE_ROOT = tmp_path


def test_built_files_are_served_and_those_named_by_their_content_kept_for_ever(built: None) -> None:
    async def fetch(path: str) -> tuple[int, bytes, bool]:
        answered = await AsyncClient().get(path)
        return answered.status_code, answered.content, "immutable" in answered["Cache-Control"]

    assert async_to_sync(fetch)("/assets/index-B3x9Zk2a.js") == (200, b"let x = 1;", True)
    assert async_to_sync(fetch)("/mark.svg") == (200, b"<svg/>", False)


def test_a_built_file_that_has_not_changed_is_not_sent_again(built: None) -> None:
    first = Client().get("/mark.svg")
    again = Client().get("/mark.svg", headers={"if-modified-since": first["Last-Modified"]})
    assert (again.status_code, again.content) == (304, b"")
