"""Two organisations for ten minutes: push, files and Kafka in; PostgreSQL, Kafka and CSV out; everything goes wrong.

One organisation gets poison rows, changes of schema, version and names; every process is killed, the disk fills up,
everything is restarted. Nothing acknowledged is lost, nothing is doubled, the other organisation's results equal those
of an undisturbed run, and the pages say what is so. PAUSE_S: seconds between two troubles; 25 makes ten minutes.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from deploy.installation.embedded_redis import redis_url
from tests.conftest import ROOT
from tests.faults.installation.numbered import wait_until
from tests.faults.installation.site import Site
from tests.faults.small_disk import small_disk
from tests.faults.two_tenants.tenant import Servers, Tenant, described
from tests.faults.two_tenants.troubles import BACK_S, Troubles
from tests.faults.two_tenants.watched_pages import WatchedPages
from tests.kafka_broker import KafkaBroker
from tests.postgresql import PostgreSQL, running_postgresql

pytestmark = [pytest.mark.thorough, pytest.mark.kafka, pytest.mark.browser]
DISK_MIB: Final = 1_500
RESERVE_MB: Final = "96"
"""The usual reserve is most of the small disk."""
PAUSE_S: Final = float(os.environ.get("PAUSE_S", "25"))
EMAIL: Final = "both@example.com"
PASSWORD: Final = "a long enough password"
MADE: Final = f"""
import io, json
from django.core.management import call_command
from webapp.accounts.models import Membership, Organisation, User
from webapp.accounts.permissions import Role
from webapp.core.context import installation_context
with installation_context("a test is prepared"):
    user = User.objects.create_user({EMAIL!r}, {PASSWORD!r})
    made = [Organisation.objects.create(slug=slug, name=slug) for slug in ("north", "south")]
    for each in made:
        Membership.objects.create(organisation=each, user=user, role=Role.OWNER)
def token(slug):
    text = io.StringIO()
    call_command("createtoken", email=user.email, organisation=slug, role="owner", days=1, stdout=text)
    return text.getvalue().split()[-1]
print(json.dumps([[each.slug, str(each.pk), token(each.slug)] for each in made]))
"""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", DISK_MIB) as mounted:
        yield mounted


@pytest.fixture
def database() -> Iterator[PostgreSQL]:
    with running_postgresql() as server:
        yield server


@pytest.fixture(params=["0", "1"], ids=["own", "pooled"])
def site(disk: Path, database: PostgreSQL, request: pytest.FixtureRequest) -> Iterator[Site]:
    settings = {
        "PUNCTUAL_POOLS": request.param,
        "PUNCTUAL_DISK_RESERVE_MB": RESERVE_MB,
        "DATABASE_URL": database.url,
        "PUNCTUAL_SECRET_KEY": "c" * 50,
        "PUNCTUAL_SECRETS_KEYS": "k" * 32,
        "PUNCTUAL_OUTGOING_NETWORKS": "127.0.0.0/8",
    }
    made = Site(disk / "var", settings)
    try:
        yield made
    finally:
        made.end()


@pytest.fixture
def tenants(site: Site, postgresql: PostgreSQL, kafka: KafkaBroker) -> Iterator[list[Tenant]]:
    env = {**os.environ, **site.env, "PUNCTUAL_EMBEDDED": "1", "REDIS_URL": redis_url(site.var)}
    command = [sys.executable, str(ROOT / "manage.py"), "shell", "-v0", "-c", MADE]
    made = subprocess.run(command, env=env, check=True, cwd=ROOT, capture_output=True, text=True)
    servers = Servers(postgresql, kafka)
    found = [Tenant(site, servers, *each) for each in json.loads(made.stdout.splitlines()[-1])]
    try:
        for each in found:
            each.lay_out()
        yield found
    finally:
        for each in found:
            for feed in each.feeds.values():
                feed.ended.set()
            each.pages.close()


def plan(troubles: Troubles) -> list[tuple[str, Callable[[], None]]]:
    """Return every trouble with its name, in order."""

    def kill(kind: str) -> tuple[str, Callable[[], None]]:
        return f"{kind} killed", lambda: troubles.kill(kind)

    return [
        ("poison rows", troubles.poison),
        ("a binding on a poisoned file", troubles.start_on_a_poisoned_file),
        kill("runner"),
        ("a version with another column", lambda: troubles.change_version("filed", "twice")),
        kill("JVM"),
        kill("worker"),
        ("a stream is renamed", lambda: troubles.rename("queued", "queued_again")),
        kill("Kafka"),
        kill("beat"),
        ("the disk is full", troubles.fill_the_disk),
        ("poison rows", troubles.poison),
        kill("PostgreSQL"),
        kill("Redis"),
        ("a version with another column", lambda: troubles.change_version("pushed", "doubled")),
        kill("web server"),
        ("everything is restarted", troubles.restart_everything),
        kill("runner"),
        kill("PostgreSQL"),
    ]


def go_through(troubles: Troubles) -> None:
    """Let one trouble after another happen, each when all run again."""
    began = time.monotonic()
    for name, happens in plan(troubles):
        threading.Event().wait(PAUSE_S)
        happens()
        print(f"{time.monotonic() - began:4.0f} s: {name}; all run again after {troubles.settled():.0f} s", flush=True)


def test_nothing_acknowledged_is_lost_or_doubled_whatever_goes_wrong(
    site: Site, disk: Path, tenants: list[Tenant], postgresql: PostgreSQL, kafka: KafkaBroker
) -> None:
    troubled, other = tenants
    troubles = Troubles(site, Servers(postgresql, kafka), troubled, other, disk)
    for each in tenants:
        each.start()
    print(f"\nall run after {troubles.settled():.0f} s", flush=True)
    with WatchedPages(tenants, EMAIL, PASSWORD) as pages:
        go_through(troubles)
        for each in tenants:
            for feed in each.feeds.values():
                feed.finish()
        print(f"acknowledged: {described(tenants)}", flush=True)
        for each in tenants:
            wait_until(lambda: not each.missing(), BACK_S, f"every row in every output of {each.slug}")  # noqa: B023
            wait_until(lambda: set(each.undelivered().values()) == {0}, BACK_S, "pages that say so")  # noqa: B023
    print(f"{pages.read} pages were read", flush=True)
    assert [wrong for each in tenants for wrong in each.wrong()] == []
    assert pages.lies == []
    assert troubles.unexpected == []
