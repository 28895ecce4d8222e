"""`make up` under kill -9 of each of its processes: all come back, no page calls the dead running, no row is lost.

Prints a table: what was killed, seconds until it was back, seconds until the pages told the truth.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.kinds import processes_of
from tests.faults.numbered import NumberedRun, wait_until
from tests.faults.site import Site

BACK_S = 240.0
TRUTH_S = 15.0


@pytest.fixture(params=["0", "1"], ids=["own", "pooled"])
def site(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Site]:
    found = Site(tmp_path / "var", {"PUNCTUAL_POOLS": request.param})
    try:
        found.sign_in()
        yield found
    finally:
        found.end()


def begun(site: Site) -> NumberedRun:
    """Start a run that reads the files of a writer."""
    own = site.var / site.organisation
    run = NumberedRun(site.call, own / "files", own / "results")
    wait_until(lambda: run.states() == {"running"}, BACK_S, "the run's start")
    return run


def living(site: Site, kind: str) -> set[int]:
    return {each.pid for each in processes_of(site.var, kind)}


def kill(site: Site, run: NumberedRun, *kinds: str) -> tuple[float, float]:
    """Kill them with no warning; seconds until they are back, and until every page has told the truth."""
    victims = {kind: processes_of(site.var, kind)[0] for kind in kinds}
    before, dead = run.received(), {"runner", "JVM"} & victims.keys()
    for victim in victims.values():
        victim.kill()
    ended = {victim.pid for victim in victims.values()}
    began, what = time.monotonic(), " and ".join(kinds)
    right = {"lost", "recovering", "starting"} if dead else {"running", "lost", "recovering"}

    def told() -> bool:
        states = run.states()
        return states is not None and states <= right

    truth = wait_until(told, TRUTH_S, f"the truth about a killed {what}")
    wait_until(lambda: all(living(site, kind) - ended for kind in kinds), BACK_S, f"a new {what}")
    wait_until(lambda: run.states() == {"running"}, BACK_S, f"running after a killed {what}")
    wait_until(lambda: run.received() > before, BACK_S, f"more rows after a killed {what}")
    return time.monotonic() - began, truth


def kill_supervisor(site: Site, run: NumberedRun) -> tuple[float, float]:
    """Kill it, and start the installation again as its user would."""
    site.supervisor.kill()
    site.supervisor.wait()
    began = time.monotonic()
    assert run.states() == {"running"}, "what it had started goes on"
    truth = time.monotonic() - began
    site.supervisor = site.started()
    before = run.received()
    wait_until(lambda: run.states() == {"running"}, BACK_S, "running after a killed supervisor")
    wait_until(lambda: run.received() > before, BACK_S, "more rows after a killed supervisor")
    return time.monotonic() - began, truth


KILLS = (
    ("web server",),
    ("beat",),
    ("worker",),
    ("Redis",),
    ("runner",),
    ("JVM",),
    ("beat", "worker", "runner"),  # who would notice and who would mend, with what is to be noticed
    ("Redis", "JVM"),
)


@pytest.mark.thorough
def test_whatever_is_killed_comes_back_tells_the_truth_and_loses_nothing(site: Site) -> None:
    run = begun(site)
    table = []
    for kinds in KILLS:
        table.append((" and ".join(kinds), *kill(site, run, *kinds)))
        print(f"{table[-1][0]}: back after {table[-1][1]:.0f} s, told after {table[-1][2]:.1f} s", flush=True)
    table.append(("supervisor", *kill_supervisor(site, run)))
    run.writer.end()
    wait_until(lambda: run.received() == run.writer.rows, BACK_S, "all rows read")
    run.stop()
    wait_until(lambda: run.states() == {"stopped"}, BACK_S, "the stop")
    found = run.losses(0)
    print("\n| killed | back after | pages told the truth after |\n|---|---|---|")
    for name, back, truth in table:
        print(f"| {name} | {back:.0f} s | {truth:.1f} s |")
    print(f"{found.written} rows: {found.lost} lost, {found.doubled} doubled")
    assert (found.lost, found.doubled) == (0, 0)
