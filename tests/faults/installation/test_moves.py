"""An organisation moves from the pool to a runner of its own and back, repeatedly, with kills in the middle.

MOVES: the number of round trips, 3 by default. Prints for each move the time until its runs were running again.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from deploy.installation.embedded_redis import redis_url
from streaming.wire import keys
from tests.conftest import ROOT
from tests.faults.installation.kinds import command, processes_of
from tests.faults.installation.numbered import NumberedRun, wait_until
from tests.faults.installation.site import Site

MOVED_S = 240.0
ROUNDS = int(os.environ.get("MOVES", "3"))
PROGRAM = """
from uuid import UUID
from webapp.core.context import organisation_context
from webapp.runs.runners.own_runners import give_own_runner, take_back_own_runner
with organisation_context(UUID("{organisation}")):
    {action}
"""
GIVEN = "give_own_runner(heap_mb=1024, worker_mb=None, cores=1)"
TAKEN_BACK = "take_back_own_runner()"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path / "var", {"PUNCTUAL_POOLS": "1"})
    try:
        found.sign_in()
        yield found
    finally:
        found.end()


def administer(site: Site, action: str) -> None:
    """Do `action` as the installation's administrator does on the page of the organisation."""
    env = {**os.environ, **site.env, "PUNCTUAL_EMBEDDED": "1", "REDIS_URL": redis_url(site.var)}
    command = [sys.executable, str(ROOT / "manage.py"), "shell", "-v0", "-c"]
    subprocess.run(
        [*command, PROGRAM.format(organisation=site.organisation, action=action)], env=env, check=True, cwd=ROOT
    )


def living(site: Site, option: str) -> list[int]:
    """Return the runners that were launched with `option`."""
    return [each.pid for each in processes_of(site.var, "runner") if option in command(each)]


def move(site: Site, run: NumberedRun, action: str, kills: str | None) -> float:
    """Start a move, then kill runners with the option `kills`; return the seconds until the move is complete."""
    own = action == GIVEN
    before, victims = run.received(), processes_of(site.var, "runner")
    with redis.Redis.from_url(redis_url(site.var)) as connection:
        administer(site, action)
        place = keys.OWN if own else keys.pool_name(1)
        wait_until(
            lambda: connection.get(keys.place(site.organisation)) == place.encode(), MOVED_S, f"{place} is its place"
        )
    for each in victims:
        if kills is not None and kills in command(each):
            each.kill()

    def arrived() -> bool:
        runner = site.call("GET", f"runs/{run.run}/")["runner"]
        if runner is None:
            return False
        moved = not runner["shared"] if own else runner["shared"] and not living(site, "--organisation")
        return moved and run.states() == {"running"} and run.received() > before

    return wait_until(arrived, MOVED_S, "it runs there")


@pytest.mark.thorough
def test_repeated_moves_of_an_organisation_with_kills_lose_and_repeat_no_row(site: Site) -> None:
    own = site.var / site.organisation
    run = NumberedRun(site.call, own / "files", own / "results")
    wait_until(lambda: run.states() == {"running"}, MOVED_S, "the run's start")
    assert site.call("GET", f"runs/{run.run}/")["runner"] == {"shared": True, "others": 0}
    for number in range(ROUNDS):
        kills = (None, "--pool", "--organisation")[number % 3]
        out = move(site, run, GIVEN, kills if kills == "--pool" else None)
        back = move(site, run, TAKEN_BACK, kills if kills == "--organisation" else None)
        print(f"to its own runner after {out:.0f} s, back in the pool after {back:.0f} s, killed: {kills}", flush=True)
    run.writer.end()
    wait_until(lambda: run.received() == run.writer.rows, MOVED_S, "all rows read")
    run.stop()
    wait_until(lambda: run.states() == {"stopped"}, MOVED_S, "the stop")
    found = run.losses(0)
    print(f"{found.written} rows: {found.lost} lost, {found.doubled} repeated")
    assert (found.lost, found.doubled) == (0, 0)
