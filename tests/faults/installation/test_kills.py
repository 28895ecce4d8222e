"""`make up` with kill -9 of each process: all restart, no page shows a dead run as running, no row is lost.

Prints a table: the killed process, seconds until it was back, seconds until the pages were correct.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.installation.kinds import processes_of
from tests.faults.installation.numbered import NumberedRun, wait_until
from tests.faults.installation.site import Site

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


def start_run(site: Site) -> NumberedRun:
    """Start a run that reads the files of a writer."""
    own = site.var / site.organisation
    run = NumberedRun(site.call, own / "files", own / "results")
    wait_until(lambda: run.states() == {"running"}, BACK_S, "the run's start")
    return run


def living(site: Site, kind: str) -> set[int]:
    return {each.pid for each in processes_of(site.var, kind)}


def kill(site: Site, run: NumberedRun, *kinds: str) -> tuple[float, float]:
    """Kill them without warning; return the seconds until they are back, and until every page is correct."""
    victims = {kind: processes_of(site.var, kind)[0] for kind in kinds}
    before, dead = run.received(), {"runner", "JVM"} & victims.keys()
    for victim in victims.values():
        victim.kill()
    ended = {victim.pid for victim in victims.values()}
    began, what = time.monotonic(), " and ".join(kinds)
    correct = {"lost", "recovering", "starting"} if dead else {"running", "lost", "recovering"}

    def pages_are_correct() -> bool:
        states = run.states()
        return states is not None and states <= correct

    truth = wait_until(pages_are_correct, TRUTH_S, f"correct pages after a killed {what}")
    wait_until(lambda: all(living(site, kind) - ended for kind in kinds), BACK_S, f"a new {what}")
    wait_until(lambda: run.states() == {"running"}, BACK_S, f"running after a killed {what}")
    wait_until(lambda: run.received() > before, BACK_S, f"more rows after a killed {what}")
    return time.monotonic() - began, truth


def kill_supervisor(site: Site, run: NumberedRun) -> tuple[float, float]:
    """Kill the supervisor, and start the installation again as its user would."""
    site.supervisor.kill()
    site.supervisor.wait()
    began = time.monotonic()
    assert run.states() == {"running"}, "the processes that it had started continue"
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
    ("beat", "worker", "runner"),  # the processes that would notice and repair the loss, together with the runner
    ("Redis", "JVM"),
)


@pytest.mark.thorough
def test_each_killed_process_restarts_with_correct_pages_and_no_lost_row(site: Site) -> None:
    run = start_run(site)
    table = []
    for kinds in KILLS:
        table.append((" and ".join(kinds), *kill(site, run, *kinds)))
        print(f"{table[-1][0]}: back after {table[-1][1]:.0f} s, pages correct after {table[-1][2]:.1f} s", flush=True)
    table.append(("supervisor", *kill_supervisor(site, run)))
    run.writer.end()
    wait_until(lambda: run.received() == run.writer.rows, BACK_S, "all rows read")
    run.stop()
    wait_until(lambda: run.states() == {"stopped"}, BACK_S, "the stop")
    found = run.losses(0)
    print("\n| killed | back after | pages correct after |\n|---|---|---|")
    for name, back, truth in table:
        print(f"| {name} | {back:.0f} s | {truth:.1f} s |")
    print(f"{found.written} rows: {found.lost} lost, {found.doubled} repeated")
    assert (found.lost, found.doubled) == (0, 0)
