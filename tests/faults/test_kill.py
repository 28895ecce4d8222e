"""SIGKILL at five different moments of one run over files loses and repeats no result."""

from collections.abc import Callable

import pytest

from tests.faults.conftest import Runners
from tests.faults.journal import Journal, journal
from tests.faults.plans import plan, rows_of, write_inputs
from tests.runtime.processes.process import RunnerProcess

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

FILES = 8
ROWS_A_BATCH = 75
PLAN = "aggregate"
RUN = f"{PLAN}-1"

Moment = Callable[[Journal], bool]
MOMENTS: list[tuple[str, Moment]] = [
    (
        "a batch is planned, and no output is written",
        lambda at: at.planned >= 2 and at.planned > at.fed == at.published,
    ),
    ("lane clocks are written, and no result is", lambda at: at.fed >= 4 and at.fed > at.written),
    ("a part is in its place, not yet published", lambda at: at.written >= 6 and at.written > at.published),
    ("results are published, Spark has not committed", lambda at: at.published >= 8 and at.published > at.committed),
    ("between two batches", lambda at: at.committed >= 10 and at.committed == at.planned),
]


def prepared(runners: Runners, organisation: str) -> RunnerProcess:
    """Return a runner, not started, with the plan as its desired run."""
    runner = runners(organisation, ROWS_A_BATCH)
    write_inputs(runner.files, FILES)
    runner.desire(plan(PLAN))
    return runner


def inputs_of(runner: RunnerProcess) -> dict[str, object]:
    """Return the inputs of the run's last report without the times at which rows arrived, which differ in each run."""
    arrivals = {"lanes": {"__all__": {"last_arrival"}}}
    return {name: counts.model_dump(exclude=arrivals) for name, counts in runner.progress(RUN).inputs.items()}


def test_five_kills_lose_and_repeat_no_row(runners: Runners) -> None:
    quiet = prepared(runners, "undisturbed")
    quiet.start()
    quiet.wait_until(lambda: quiet.state(RUN) == "completed", "the undisturbed run has ended")
    quiet.end()

    killed = prepared(runners, "killed")
    for name, moment in MOMENTS:
        killed.start()
        killed.wait_until(lambda moment=moment: moment(journal(killed.folder, PLAN)), name, 0.003)  # type: ignore[misc]
        killed.kill()
        assert killed.state(RUN) != "completed"
    killed.start()
    killed.wait_until(lambda: killed.state(RUN) == "completed", "the killed run has ended")

    results, late = rows_of(quiet.folder, PLAN)
    assert len(results) > 500
    assert len(late) > 20
    assert rows_of(killed.folder, PLAN) == (results, late)
    assert inputs_of(killed) == inputs_of(quiet)
    assert killed.progress(RUN).results == len(results)
