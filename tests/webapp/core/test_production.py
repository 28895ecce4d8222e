"""An installation with production settings: Django warns of nothing, and browsers get strict headers."""

import json
import os
import secrets
import subprocess
import sys
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.e2e.installation import OF_THE_USER

ASK = """
import json
import django
django.setup()
from django.conf import settings
from django.test import Client
found = {}
for path, secure in (("/", True), ("/", False), ("/api/me/", True)):
    answered = Client(headers={"Host": "punctual.example"}).get(path, secure=secure)
    found[f"{'https' if secure else 'http'} {path}"] = {
        "status": answered.status_code,
        "headers": dict(answered.headers),
        "cookies": {name: {key: one[key] for key in one if one[key]} for name, one in answered.cookies.items()},
    }
names = ("NAME", "SECURE", "HTTPONLY", "SAMESITE", "DOMAIN", "PATH")
found["session"] = {name: getattr(settings, "SESSION_COOKIE_" + name) for name in names}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The settings of a production installation; none of these tests uses the database."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_THE_USER)}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
        "PUNCTUAL_DATA": str(tmp_path_factory.mktemp("production")),
        "DATABASE_URL": "postgres://punctual:unused@127.0.0.1:1/punctual",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "PUNCTUAL_SECRET_KEY": secrets.token_urlsafe(64),
        "PUNCTUAL_SECRETS_KEYS": secrets.token_urlsafe(48),
        "PUNCTUAL_ALLOWED_HOSTS": "punctual.example",
        "PUNCTUAL_ADDRESS_OF_PAGES": "https://punctual.example",
        "PUNCTUAL_SMTP_URL": "smtps://punctual:unused@mail.example:465",
    }


def run(environment: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def answered(environment: dict[str, str]) -> Any:
    without_database = {name: value for name, value in environment.items() if name != "DATABASE_URL"}
    done = run(without_database, "-c", ASK)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_check_deploy_finds_no_issue(environment: dict[str, str]) -> None:
    done = run(environment, "manage.py", "check", "--deploy", "--fail-level", "DEBUG")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout == "System check identified no issues (1 silenced).\n", "one alone: preloading of HSTS"


def test_check_deploy_does_find_what_is_wrong(environment: dict[str, str]) -> None:
    done = run({**environment, "PUNCTUAL_DEBUG": "1"}, "manage.py", "check", "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 1
    assert "security.W018" in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PUNCTUAL_SECRET_KEY", "x" * 49),
        ("PUNCTUAL_OUTGOING_NETWORKS", "10.0.0.1/8"),
        ("PUNCTUAL_OUTGOING_PORTS", "443,0"),
        ("PUNCTUAL_OUTGOING", "1"),
        ("PUNCTUAL_RESULTS", "/somewhere"),
    ],
)
def test_a_setting_that_cannot_be_stops_the_start_and_names_the_variable(
    environment: dict[str, str], name: str, value: str
) -> None:
    done = run({**environment, name: value}, "manage.py", "check")
    assert done.returncode != 0
    assert name in done.stderr


def test_networks_and_ports_that_may_be_reached_are_the_environment_s(environment: dict[str, str]) -> None:
    own = {"PUNCTUAL_OUTGOING_NETWORKS": "10.20.0.0/16, fd00:1::/64", "PUNCTUAL_OUTGOING_PORTS": "443"}
    program = "from webapp.settings import OUTGOING; print(OUTGOING.model_dump_json())"
    done = run({**environment, **own}, "-c", program)
    assert json.loads(done.stdout) == {"public": True, "ports": [443], "networks": ["10.20.0.0/16", "fd00:1::/64"]}
    assert json.loads(run(environment, "-c", program).stdout)["networks"] == []


def test_plain_http_is_sent_to_https(answered: Any) -> None:
    assert answered["http /"]["status"] == 301
    assert answered["http /"]["headers"]["Location"] == "https://punctual.example/"


@pytest.mark.parametrize("asked", ["https /", "https /api/me/"])
def test_every_answer_has_strict_headers(answered: Any, asked: str) -> None:
    headers = answered[asked]["headers"]
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert "camera=()" in headers["Permissions-Policy"]


def test_cookies_are_for_this_host_alone_over_tls_alone(answered: Any) -> None:
    (name, cookie), *more = answered["https /"]["cookies"].items()
    assert (name, more) == ("__Host-csrftoken", [])
    assert (cookie["secure"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert "domain" not in cookie
    assert answered["session"] == {
        "NAME": "__Host-sessionid",
        "SECURE": True,
        "HTTPONLY": True,
        "SAMESITE": "Lax",
        "DOMAIN": None,
        "PATH": "/",
    }


def test_the_browser_part_knows_the_cookie_under_both_names() -> None:
    text = (ROOT / "frontend" / "src" / "lib" / "api" / "client.ts").read_text()
    assert "(?:__Host-)?csrftoken" in text
