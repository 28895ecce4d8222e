"""A shared and a dedicated binding in one runner process: the same results, without effect on each other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from streaming.spark.errors import DISK_FULL
from streaming.wire.messages import RunObserved, RunSpec
from tests.runtime.processes.process import RunnerProcess
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import add
from tests.spark.test_on_spark import rows

pytestmark = pytest.mark.spark

BATCHES = 24
FULL_FROM = 4


def alone(binding: str, run: str) -> RunSpec:
    return spec(binding, "readings.jsonl", run=run).model_copy(update={"dedicated": True})


@pytest.fixture
def runner(request: pytest.FixtureRequest, tmp_path: Path, redis_server_url: str) -> Iterator[RunnerProcess]:
    """Return a runner whose dedicated bindings have the test's number of buckets, by default one for each core."""
    buckets = getattr(request, "param", None)
    options = () if buckets is None else ("--dedicated-buckets", str(buckets))
    found = RunnerProcess(tmp_path, "o1", redis_server_url, "--min-interval-s", "0.5", *options)
    write_readings(found.files / "readings.jsonl", BATCHES)
    yield found
    found.end()


def undisturbed(home: Path) -> tuple[list[str], list[str]]:
    write_readings(home / "readings.jsonl", BATCHES)
    loop = Loop(home)
    add(loop, spec("a", "readings.jsonl"))
    loop.run()
    return rows(home, "a")


def fill_disk(folder: Path) -> list[Path]:
    """Let every write of a part from batch FULL_FROM on fail with a full disk."""
    folder.mkdir(parents=True)
    full = [folder / f".part-{batch}-{task}.jsonl.staged" for batch in range(FULL_FROM, 200) for task in range(2)]
    for path in full:
        path.symlink_to("/dev/full")
    return full


@pytest.mark.thorough
def test_a_dedicated_query_that_fails_and_a_runner_that_is_killed_change_no_results(
    runner: RunnerProcess, tmp_path: Path
) -> None:
    expected = undisturbed(tmp_path / "undisturbed")
    full = fill_disk(runner.folder / "results" / "b" / "results")
    shared, dedicated = spec("a", "readings.jsonl"), alone("b", "b-1")
    runner.desire(shared, dedicated)
    runner.start()
    runner.wait_until(lambda: runner.state("b-1") == "failed", "the disk of the dedicated binding is full")
    seen = runner.observed("b-1")
    assert seen is not None
    assert (seen.domain, seen.message) == ("external", DISK_FULL)
    before = runner.progress("a-1").batch
    runner.wait_until(
        lambda: runner.progress("a-1").batch > before + 3 or runner.state("a-1") == "completed",
        "the shared one continues",
    )

    for path in full:
        path.unlink()
    runner.desire(shared)
    runner.wait_until(lambda: "binding b: stop" in runner.log_end(), "the failed run is removed")
    runner.desire(shared, dedicated)
    runner.wait_until(lambda: runner.progress("b-1").batch >= 2 * FULL_FROM, "it has continued")
    runner.kill()
    runner.start()
    for run in ("a-1", "b-1"):
        runner.wait_until(lambda run=run: runner.state(run) == "completed", f"{run} has ended")  # type: ignore[misc]
    assert rows(runner.folder, "a") == expected
    assert rows(runner.folder, "b") == expected
    assert (runner.folder / "carriers" / "b" / "spark").is_dir()
    parts = [path.name for path in (runner.folder / "results" / "b" / "results").iterdir()]
    assert {name.removesuffix(".jsonl").rpartition("-")[2] for name in parts} == {"0", "1"}


@pytest.mark.parametrize("runner", [1], indirect=True)
def test_a_shared_run_that_becomes_dedicated_in_as_many_buckets_has_the_rows_of_an_undisturbed_one(
    runner: RunnerProcess, tmp_path: Path
) -> None:
    seen = changed(runner)
    assert seen.message is None
    runner.wait_until(lambda: runner.state("a-2") == "completed", "it has ended")
    assert rows(runner.folder, "a") == undisturbed(tmp_path / "undisturbed")
    received = [runner.progress(run).inputs["readings"].received for run in ("a-1", "a-2")]
    assert min(received) > 0
    assert sum(received) == BATCHES * 5


def test_a_shared_run_that_becomes_dedicated_in_more_buckets_rereads_open_windows_and_reports_so(
    runner: RunnerProcess, tmp_path: Path
) -> None:
    seen = changed(runner)
    assert "can't be divided into 2 buckets. Windows that were open" in str(seen.message)
    read_before = runner.progress("a-1")
    runner.wait_until(lambda: runner.state("a-2") == "completed", "it has ended")
    last = runner.progress("a-2")
    assert last.batch > read_before.batch
    assert rows(runner.folder, "a")[0] == undisturbed(tmp_path / "undisturbed")[0]
    assert last.beginning is not None
    assert last.beginning.rows_again > 0


def changed(runner: RunnerProcess) -> RunObserved:
    """Replace the shared run a-1 by the dedicated run a-2 in the middle of its input; return the state of a-2."""
    runner.desire(spec("a", "readings.jsonl"))
    runner.start()
    runner.wait_until(lambda: runner.state("a-1") == "running", "it runs")
    runner.wait_until(lambda: runner.progress("a-1").batch > 3, "it has read")
    runner.desire(alone("a", "a-2"))
    runner.wait_until(lambda: runner.state("a-2") == "running", "it runs in a query of its own")
    seen = runner.observed("a-2")
    assert seen is not None
    return seen
