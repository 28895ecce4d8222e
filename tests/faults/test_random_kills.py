"""Random disturbances of one run of three plans on Spark: it ends with the rows of an undisturbed run."""

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import Runners
from tests.faults.disturbed import ROWS_A_BATCH, Disturbed
from tests.faults.plans import PLANS, ROWS_A_FILE, Rows, carried, plan, rows_of, write_inputs
from tests.spark.loop import Loop

pytestmark = pytest.mark.spark

KILLS = int(os.environ.get("KILLS", "50"))
SEED = int(os.environ.get("KILLS_SEED", "1"))
BATCHES_A_KILL = 3
KINDS = ("runner", "worker", "starting runner", "worker", "planner", "runner", "full disk", "name taken")


def without_spark(home: Path, files: int) -> dict[str, Rows]:
    """Return the results of the plans, computed in this process."""
    write_inputs(home, files)
    loop = Loop(home, rows_per_batch=ROWS_A_BATCH)
    for name in PLANS:
        loop.carrier.control.append(carried(loop.carrier, plan(name)))
    loop.run()
    return {name: rows_of(home, name) for name in PLANS}


def found_in(folder: Path) -> dict[str, Rows]:
    return {name: rows_of(folder, name) for name in PLANS}


@pytest.mark.thorough
def test_a_worker_and_the_runner_are_killed(runners: Runners, tmp_path: Path) -> None:
    killed = Disturbed(runners("killed", ROWS_A_BATCH), 2, random.Random(SEED))
    killed.runner.start()
    killed.kill_a_process("worker", 2)
    killed.kill_the_runner(5)
    killed.to_the_end()
    assert found_in(killed.runner.folder) == without_spark(tmp_path / "home", 2)
    assert killed.happened == {"worker": 1, "runner": 1}


@pytest.mark.thorough
def test_many_random_disturbances_lose_and_repeat_no_row(runners: Runners, tmp_path: Path) -> None:
    files = (KILLS * BATCHES_A_KILL + 10) * ROWS_A_BATCH // ROWS_A_FILE + 1
    quiet = Disturbed(runners("undisturbed", ROWS_A_BATCH), files, random.Random(SEED))
    quiet.runner.start()
    quiet.to_the_end()
    quiet.runner.end()

    killed = Disturbed(runners("killed", ROWS_A_BATCH), files, chosen := random.Random(SEED))
    killed.runner.start()
    began = time.monotonic()
    moments = sorted(chosen.sample(range(2, KILLS * BATCHES_A_KILL), KILLS))
    for kind, batch in zip(kinds(chosen), moments, strict=False):
        disturb(killed, kind, batch, chosen)
        print(f"{time.monotonic() - began:5.0f} s, batch {killed.planned}: {kind}", flush=True)
    killed.to_the_end()
    print(f"\n{KILLS} disturbances: {dict(killed.happened)}; failed: {dict(killed.failures)}")

    wanted = found_in(quiet.runner.folder)
    assert min(len(rows) for each in wanted.values() for rows in each) > KILLS
    assert found_in(killed.runner.folder) == wanted == without_spark(tmp_path / "home", files)
    assert killed.reports() == quiet.reports()
    assert killed.happened.total() >= KILLS * 0.9
    internal = sum(count for failure, count in killed.failures.items() if failure.startswith("internal"))
    assert internal == killed.happened["name taken"], "a killed process is no internal error"


def kinds(chosen: random.Random) -> Iterator[str]:
    """Yield all kinds in turn, shuffled each time."""
    while True:
        yield from chosen.sample(KINDS, len(KINDS))


def disturb(run: Disturbed, kind: str, batch: int, chosen: random.Random) -> None:
    match kind:
        case "runner":
            run.kill_the_runner(batch)
        case "starting runner":
            run.kill_the_runner(batch)
            run.kill_a_starting_runner()
        case "worker" | "planner":
            run.kill_a_process(kind, batch)
        case _:
            run.let_a_write_fail(kind, chosen.choice(PLANS), batch)
