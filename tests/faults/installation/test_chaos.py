"""Chaos: processes of twenty organisations with sixty bindings, pooled and with own runners, are killed.

CHAOS_S: for how many seconds random processes are killed; an installation has to survive 600. With 0, as in `make
thorough`, each kind is killed once. Prints the kills, and how soon all runs were running again.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.installation.embedded_redis import redis_url
from tests.conftest import ROOT
from tests.faults.installation.crowd import MADE, Crowd, Falsehoods, crowd_of
from tests.faults.installation.kinds import processes_of
from tests.faults.installation.numbered import wait_until
from tests.faults.installation.site import Site
from tests.postgresql import PostgreSQL, running_postgresql

pytestmark = pytest.mark.thorough

LENGTH_S = float(os.environ.get("CHAOS_S", "0"))
SEED = int(os.environ.get("CHAOS_SEED", "1"))
ORGANISATIONS = int(os.environ.get("CHAOS_ORGANISATIONS", "20"))
OWN = 3
ROWS_EVERY_S = 5.0
BEGUN_S = 600.0
BACK_S = 240.0
TRUTH_S = 15.0
KINDS = ("runner", "JVM", "worker", "beat", "Redis", "web server", "PostgreSQL")


@pytest.fixture
def database() -> Iterator[PostgreSQL]:
    with running_postgresql() as server:
        yield server


@pytest.fixture
def site(tmp_path: Path, database: PostgreSQL) -> Iterator[Site]:
    secret = {"PUNCTUAL_SECRET_KEY": "c" * 50, "PUNCTUAL_SECRETS_KEYS": "k" * 32}
    found = Site(tmp_path / "var", {"PUNCTUAL_POOLS": "1", "DATABASE_URL": database.url, **secret})
    try:
        yield found
    finally:
        found.end()


@pytest.fixture
def crowd(site: Site) -> Iterator[Crowd]:
    env = {**os.environ, **site.env, "PUNCTUAL_EMBEDDED": "1", "REDIS_URL": redis_url(site.var)}
    command = [sys.executable, str(ROOT / "manage.py"), "shell", "-v0", "-c"]
    text = MADE.format(count=ORGANISATIONS, own=OWN)
    made = subprocess.run([*command, text], env=env, check=True, cwd=ROOT, capture_output=True, text=True)
    found = crowd_of(site, made.stdout, OWN, ROWS_EVERY_S)
    try:
        yield found
    finally:
        found.end()


def kill(site: Site, database: PostgreSQL, kind: str, chosen: random.Random, seen: Falsehoods) -> bool:
    """Kill one process of a kind; return False if none lives at the moment."""
    if kind == "PostgreSQL":
        database.restart()
        return True
    victims = processes_of(site.var, kind)
    if not victims:
        return False
    victim = chosen.choice(victims)
    runner = victim.pid if kind == "runner" else victim.ppid()
    at = time.monotonic()
    if kind in {"runner", "JVM"}:
        seen.died(runner, at)
    victim.kill()
    return True


def plan(chosen: random.Random) -> Iterator[tuple[float, str]]:
    """Yield the kind of the next kill, with the wait before it."""
    if not LENGTH_S:
        yield from ((10.0, kind) for kind in KINDS)
        return
    until = time.monotonic() + LENGTH_S
    while time.monotonic() < until:
        yield chosen.uniform(2.0, 25.0), chosen.choice(KINDS)


def test_an_installation_recovers_completely_from_kills(site: Site, database: PostgreSQL, crowd: Crowd) -> None:
    wanted = len(crowd.members) * 3
    for member in crowd.members:
        member.start()
    took = wait_until(lambda: crowd.states() == {"running": wanted}, BEGUN_S, "all run")
    print(f"\n{wanted} runs run after {took:.0f} s, load {os.getloadavg()[0]:.1f}", flush=True)
    seen, chosen = Falsehoods(crowd, site.var, time.monotonic, TRUTH_S), random.Random(SEED)
    seen.start()
    began, killed = time.monotonic(), 0
    for pause_s, kind in plan(chosen):
        seen.ended.wait(pause_s)
        done = kill(site, database, kind, chosen, seen)
        killed += done
        print(f"{time.monotonic() - began:4.0f} s: {kind}{'' if done else ' (none lives)'}", flush=True)
    settled = wait_until(lambda: crowd.states() == {"running": wanted}, BACK_S, "all run again")
    print(f"{killed} kills; all run again after {settled:.0f} s, load {os.getloadavg()[0]:.1f}", flush=True)
    for member in crowd.members:
        member.writer.end()
    read = [lambda member=member: member.received() == member.writer.rows for member in crowd.members]
    for each in read:
        wait_until(each, BACK_S, "all rows read")
    seen.ended.set()
    seen.join()
    for member in crowd.members:
        member.stop()
    stopped = wait_until(lambda: crowd.states() == {"stopped": wanted}, BACK_S, "all are stopped")
    print(f"all stopped after {stopped:.0f} s; pages were polled {seen.polls} times", flush=True)
    assert [each for member in crowd.members for each in member.wrong()] == []
    assert seen.falsehoods == []
