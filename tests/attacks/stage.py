"""A running installation with two organisations: the demo, which works normally, and mallory's, which attacks."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from deploy.installation.embedded_redis import redis_url
from tests.attacks.asking import TEXT, Asker, Work, asker, describe
from tests.attacks.confining import MemoryGroup
from tests.conftest import ROOT
from tests.e2e.installation import Installation, running_installation
from tests.faults.installation.numbered import NumberedRun, wait_until

START_S = 240.0
PASSWORD = "a long enough password"
ACCOUNTS = f"""
import io, json
from django.core.management import call_command
from webapp.accounts.models import Membership, Organisation, User
from webapp.accounts.permissions import Role
from webapp.core.context import installation_context
from webapp.runs.demo import EMAIL
slugs = ["mallory", *(f"mallory-{{number}}" for number in range(12))]
with installation_context("an attack is prepared"):
    user = User.objects.create_user("mallory@evil.example", "{PASSWORD}")
    for slug in slugs:
        found = Organisation.objects.create(slug=slug, name=slug)
        Membership.objects.create(organisation=found, user=user, role=Role.OWNER)
    ids = {{each.slug: str(each.pk) for each in Organisation.objects.all()}}
def token(slug, role="owner", email=user.email, **options):
    output = io.StringIO()
    call_command("createtoken", email=email, organisation=slug, role=role, days=1, stdout=output, **options)
    return output.getvalue().split()[-1]
tokens = {{slug: token(slug) for slug in slugs}}
tokens |= {{"viewer": token("mallory", "viewer"), "demo": token("demo", email=EMAIL)}}
tokens["elsewhere"] = token("mallory", network=["10.0.0.0/8"])
print(json.dumps({{"organisations": ids, "tokens": tokens}}))
"""


@dataclass
class Stage:
    """The attacker and the victim: their clients, and the folder that mallory's adapters read.

    `numbered`: an additional run of the demo; `asker` reads, pushes, validates and starts there all the time.
    `organisations`: ids by short name; mallory owns all but the demo. `clients`: of the owner of each by its short
    name, of a `viewer` of mallory's, and one for 10.0.0.0/8, `elsewhere`.
    """

    installation: Installation
    organisations: dict[str, str]
    clients: dict[str, httpx.Client]
    numbered: NumberedRun
    asker: Asker
    group: MemoryGroup | None
    made: int = 0

    @property
    def mallory(self) -> httpx.Client:
        """An owner of the attacking organisation."""
        return self.clients["mallory"]

    @property
    def viewer(self) -> httpx.Client:
        """A viewer of the attacking organisation."""
        return self.clients["viewer"]

    @property
    def victim(self) -> httpx.Client:
        """An owner of the attacked organisation."""
        return self.clients["demo"]

    @property
    def files(self) -> Path:
        """The folder that mallory's adapters read."""
        return adapter_root(self.installation.var, self.organisations["mallory"])

    def stream(self, path: str, fields: dict[str, str], column: str = "at", **definition: Any) -> str:
        """Create a stream of mallory's over a file; return its address, or the error answer."""
        self.made += 1
        default = {"shape": "point", "fields": fields, "event_time": {"start": {"column": column, "unit": "us"}}}
        adapter = {"kind": "file", "options": {"path": path}}
        body = {"name": f"s{self.made}", "definition": {**default, **definition}, "adapter": adapter}
        answered = self.mallory.post("streams/", json=body)
        return f"streams/{answered.json()['id']}/" if answered.status_code == 201 else describe(answered)


def adapter_root(var: Path, organisation: str) -> Path:
    """Return the folder that adapters of an organisation read."""
    return var / organisation / "files"


def counted(answers: Iterable[str]) -> str:
    """Return the different answers with their counts."""
    return ", ".join(f"{count} times {answer}" for answer, count in sorted(Counter(answers).items()))


def manage(installation: Installation, *arguments: str) -> str:
    """Run a management command of the installation; return its output."""
    env = {**installation.env, "PUNCTUAL_EMBEDDED": "1", "REDIS_URL": redis_url(installation.var)}
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def client(installation: Installation, name: str, token: str) -> httpx.Client:
    """Return a client of the organisation `name`, or of mallory's."""
    slug = name if name.startswith(("demo", "mallory")) else "mallory"
    base = f"{installation.address.rstrip('/')}/api/t/{slug}/"
    return httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=180)


@contextmanager
def staged(var: Path, group: MemoryGroup | None, pools: int = 0) -> Iterator[Stage]:
    """Start the installation in `var`, in `group` if set, with so many `pools`, and create both organisations."""
    var.parent.chmod(0o755)  # the installation protects its own folder
    settings = {"PUNCTUAL_POOLS": str(pools)}
    by = () if group is None else group.command
    with running_installation(var, settings, by) as installation, ExitStack() as opened:
        made = json.loads(manage(installation, "shell", "-v0", "-c", ACCOUNTS).splitlines()[-1])
        ids = made["organisations"]
        clients = {
            name: opened.enter_context(client(installation, name, token)) for name, token in made["tokens"].items()
        }
        adapter_root(var, ids["mallory"]).mkdir(parents=True, exist_ok=True)

        def call(method: str, path: str, body: Any) -> Any:
            return clients["demo"].request(method, path, json=body).raise_for_status().json()

        numbered = NumberedRun(call, adapter_root(var, ids["demo"]), var / ids["demo"] / "results")
        opened.callback(numbered.writer.end)
        wait_until(lambda: numbered.states() == {"running"}, START_S, "the start of the other organisation's run")
        asking = opened.enter_context(asker(clients["demo"], work_of(clients["demo"], call)))
        yield Stage(installation, ids, clients, numbered, asking, group)


def work_of(client: httpx.Client, call: Callable[[str, str, Any], Any]) -> Work:
    """Create the resources of the other organisation's requests: a stream for pushed rows, and a binding on it."""
    definition = {"shape": "point", "fields": {"n": "long"}, "rowtime": "implicit"}
    body = {"name": "watched", "definition": definition, "adapter": {"kind": "push", "options": {"inbox": "watched"}}}
    pushed = call("POST", "streams/", body)["id"]
    version = call("POST", "queries/", {"text": TEXT, "comment": ""})["current"]["id"]
    binding = call("POST", "bindings/", {"name": "watched", "query_version": version})["id"]
    return Work(client.headers["Authorization"], pushed, binding)
