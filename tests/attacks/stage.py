"""A running installation with two organisations: the demo, which works, and that of mallory, who attacks."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.conftest import ROOT
from tests.e2e.installation import Installation, running_installation

ACCOUNTS = """
from webapp.accounts.models import Membership, Organisation, User
from webapp.accounts.permissions import Role
from webapp.core.context import installation_context
with installation_context("an attack is prepared"):
    found = Organisation.objects.create(slug="mallory", name="Mallory")
    user = User.objects.create_user("mallory@evil.example", "a long enough password")
    Membership.objects.create(organisation=found, user=user, role=Role.OWNER)
    print(found.pk)
"""


@dataclass
class Stage:
    """Who attacks and who is attacked: a client of each, and the folder that mallory's adapters read."""

    installation: Installation
    mallory: httpx.Client
    viewer: httpx.Client
    victim: httpx.Client
    files: Path
    made: int = 0

    def stream(self, path: str, fields: dict[str, str], column: str = "at", **definition: Any) -> str:
        """Make a stream of mallory's over a file; return its address."""
        self.made += 1
        said = {"shape": "point", "fields": fields, "event_time": {"start": {"column": column, "unit": "us"}}}
        adapter = {"kind": "file", "options": {"path": path}}
        body = {"name": f"s{self.made}", "definition": {**said, **definition}, "adapter": adapter}
        answered = self.mallory.post("streams/", json=body)
        return f"streams/{answered.json()['id']}/" if answered.status_code == 201 else told(answered)


def told(answered: httpx.Response) -> str:
    """The status of an answer, and the first sentence that says why."""
    if not answered.headers.get("content-type", "").startswith("application/json"):
        return str(answered.status_code)
    body = answered.json()
    if isinstance(body, list):
        return str(answered.status_code)
    faults = body.get("faults") or [{}]
    message = str(faults[0].get("message") or body.get("message") or "")
    return f"{answered.status_code} {message[:110]}".strip()


def counted(answers: Iterable[str]) -> str:
    """Each different answer with how often it came."""
    return ", ".join(f"{count} times {answer}" for answer, count in sorted(Counter(answers).items()))


def manage(installation: Installation, *arguments: str) -> str:
    """What a management command of the installation prints."""
    env = {**installation.env, "PUNCTUAL_EMBEDDED": "1"}
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()


@contextmanager
def staged(var: Path) -> Iterator[Stage]:
    """Start the installation and lay out who is there."""
    with running_installation(var) as installation:
        organisation = manage(installation, "shell", "-v0", "-c", ACCOUNTS).splitlines()[-1]
        files = var / organisation / "files"
        files.mkdir(parents=True, exist_ok=True)

        def client(email: str, slug: str, role: str) -> httpx.Client:
            options = ("--email", email, "--organisation", slug, "--role", role, "--days", "1")
            token = manage(installation, "createtoken", *options).splitlines()[-1]
            base = f"{installation.address.rstrip('/')}/api/t/{slug}/"
            return httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=180)

        with (
            client("mallory@evil.example", "mallory", "owner") as mallory,
            client("mallory@evil.example", "mallory", "viewer") as viewer,
            client(installation.email, "demo", "viewer") as victim,
        ):
            yield Stage(installation, mallory, viewer, victim, files)
